"""GA built from source against an ARMCI installation, once per MPI library and installation, in the cache folder."""
import hashlib
import os
import pathlib
import shutil
import subprocess

import gasource
from gasource import Problem, run_logged

CFLAGS = "-std=gnu99 -O2 -fPIC -pthread"
# gfortran 12 turns cmplx(drand(0), drand(1)) in test, pgtest and pg2test into numbers that were not rounded to single
# precision in one place and were in another ("zdot wrong", with no GA at all too); without this pass it does not.
FFLAGS = "-O2 -fPIC -fallow-argument-mismatch -fno-tree-slp-vectorize"
# PTHREADS: with an ARMCI from outside GA leaves out its locks, and all threads share the tables of its iterator; with
# its own multi-threaded ARMCI (MPI_TS, MPI_MT) it defines PTHREADS itself.
# GA's own BLAS and LAPACK: GA has 8-byte Fortran integers, those of the system usually 4-byte ones.
CONFIGURE = ["CC=gcc", "F77=gfortran", f"CFLAGS={CFLAGS}", "CPPFLAGS=-DPTHREADS", f"FFLAGS={FFLAGS}",
             "LIBS=-lpthread", "--without-blas", "--without-lapack", "--without-scalapack"]
LIST_MAKEFILE = "include Makefile\n.PHONY: show\nshow:\n\t@for p in $(sort $({})); do echo $$p; done\n"


def wrapper(mpicc, language):
    """The Fortran or C++ compiler wrapper (mpif90, mpicxx) that belongs to the C wrapper mpicc."""
    command = pathlib.Path(mpicc.split()[0])
    if "mpicc" not in command.name:
        raise Problem(f"{mpicc}: its {language} is not known; the name should contain mpicc")
    return str(command.with_name(command.name.replace("mpicc", language)))


def digest(paths, *words):
    """A short name for the contents of some files and some words."""
    total = hashlib.sha256("\0".join(words).encode())
    for path in sorted(paths):
        total.update(str(path.name).encode() + path.read_bytes())
    return total.hexdigest()[:12]


def jobs():
    """How many compilations at once: MAKE_JOBS or the number of processors, at most 4."""
    return os.environ.get("MAKE_JOBS") or str(min(4, os.cpu_count() or 1))


class GaBuild:
    """A build folder of GA for one MPI library and one ARMCI installation."""

    def __init__(self, prefix, mpicc, family, gparrays=True):
        self.prefix = pathlib.Path(prefix).resolve()
        self.mpicc, self.family, self.gparrays = mpicc, family, gparrays
        headers = list((self.prefix / "include").glob("*.h"))
        if not headers:
            raise Problem(f"no headers in {self.prefix}/include")
        key = digest(headers, str(self.prefix), mpicc, str(gparrays), gasource.SHA256, *CONFIGURE)
        self.folder = gasource.cache_dir() / f"ga-{family}-{key}"

    def prepare(self):
        """Build libga and the test programs; link the programs anew when the ARMCI library has changed."""
        with gasource.locked(self.folder.name):
            if not (self.folder / "built").exists():
                self.configure_and_make()
            self.link_programs()

    def configure_and_make(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        print(f"building GA for {self.family} in {self.folder}", flush=True)
        options = CONFIGURE + [f"MPICC={self.mpicc}", f"MPIF77={wrapper(self.mpicc, 'mpif90')}",
                               f"--with-armci={self.prefix}"] + ["--enable-gparrays"] * self.gparrays
        run_logged([gasource.sources() / "configure", *options], self.folder / "configure.log", cwd=self.folder)
        run_logged(["make", "-j", jobs()], self.folder / "make.log", cwd=self.folder)
        (self.folder / "built").touch()

    def link_programs(self):
        library = digest((self.prefix / "lib").glob("libarmci.*"))
        stamp = self.folder / "linked"
        if stamp.exists() and stamp.read_text() == library:
            return
        print(f"linking GA's test programs ({self.family})", flush=True)
        for program in self.programs("check_PROGRAMS"):
            (self.folder / program).unlink(missing_ok=True)
        # -k: a program that does not link is counted as failed when its turn comes.
        gasource.run(["make", "-k", "-j", jobs(), "checkprogs"], self.folder / "checkprogs.log", cwd=self.folder)
        stamp.write_text(library)

    def programs(self, *variables):
        """The programs named by some variables of GA's Makefile, as paths below the build folder."""
        makefile = self.folder / "show.mk"
        makefile.write_text(LIST_MAKEFILE.format(") $(".join(variables)))
        shown = subprocess.run(["make", "-s", "-f", makefile.name, "show"], cwd=self.folder, check=True,
                               capture_output=True, text=True, env=gasource.clean_environment())
        return shown.stdout.split()
