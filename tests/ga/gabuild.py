"""GA built from source against an ARMCI installation, once per MPI library and installation, in the cache folder.

The commands are those of the pages that users read: a page whose lines do not work fails the suite."""
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import textwrap

import gasource
from gasource import Problem, run_logged

TOP = pathlib.Path(__file__).resolve().parents[2]
# Where the lines are: the page and the heading that is over them.
PAGES = {"autotools": ("doc/applications.md", "### Global Arrays {}"), "cmake": ("doc/applications.md", "### Global Arrays {} by CMake"),
         "nwchem": ("doc/applications.md", "### NWChem {}")}
PATCH = TOP / "packaging/ga-cmake/external-armci.patch"
# What the suite asks for beyond the page's line.
MORE = {"5.7.1b0": ["--enable-gparrays"], "5.9.2": ["--enable-gparrays", "--enable-cxx", "--enable-unit-tests"]}
GPARRAYS = ("gparrays/testing/testc", "gparrays/testing/transpose")
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


def without_comments(header):
    """The text of a header as the compiler reads it: GA is not built anew for a comment."""
    return subprocess.run(["gcc", "-fpreprocessed", "-dD", "-E", "-P", header], check=True, capture_output=True, text=True).stdout


def jobs():
    """How many compilations at once: MAKE_JOBS or the number of processors, at most 4."""
    return os.environ.get("MAKE_JOBS") or str(min(4, os.cpu_count() or 1))


def page_lines(system, release):
    """The first indented lines below the heading of this release in the page of this build system; those of an old release are in this folder."""
    old = TOP / "tests/ga" / (release + ".sh")
    if old.exists() and system == "autotools":
        return old.read_text()
    page, heading = PAGES[system]
    heading = heading.format(release)
    _, found, rest = (TOP / page).read_text().partition("\n" + heading + "\n")
    block = re.search(r"^(    .*\n)(    .*\n|\n(?=    ))*", rest.partition("\n#")[0], re.MULTILINE)
    if not found or not block:
        raise Problem(f"{page}: no lines below '{heading}'")
    return textwrap.dedent(block.group())


def lines_for(mpicc, prefix, text, page):
    """Lines of a page with the compilers of another MPI library and the folder of another installation; $1 is the number of jobs."""
    replaced = {"$HOME/armci-mpich": str(prefix), "mpicc.mpich": mpicc,
                "mpicxx.mpich": wrapper(mpicc, "mpicxx"), "mpif90.mpich": wrapper(mpicc, "mpif90")}
    for old, new in replaced.items():
        if old not in text:
            raise Problem(f"{page}: '{old}' is not in the lines")
        text = text.replace(old, shlex.quote(new))
    return text.replace("-j4", '-j"$1"')


def is_chosen(name, words):
    """Does the name of a program, with its ending, contain one of the words?"""
    return any(word in name.removesuffix(".x") + ".x" for word in words)


class GaBuild:
    """A build folder of GA: a release, built by autotools or CMake, with one MPI library and one ARMCI installation.

    rival: GA's own library instead, by the option of configure that names it (mpi-ts, mpi-pr); options: of configure, instead of those of
    MORE; only, without: with autotools, link the programs whose names contain one of these words, and none of those."""

    def __init__(self, release, system, prefix, mpicc, family, rival="", gparrays=True, options="", only=(), without=()):
        if release not in gasource.GA:
            raise Problem(f"GA {release} is not known here; known are {', '.join(sorted(gasource.GA))}")
        self.source, self.system, self.rival, self.gparrays = gasource.GA[release], system, rival, gparrays
        self.only, self.without = only, without
        self.prefix = pathlib.Path(prefix).resolve()
        self.mpicc, self.family = mpicc, family
        headers = list((self.prefix / "include").glob("*.h"))
        if not headers:
            raise Problem(f"no headers in {self.prefix}/include")
        self.script = self.lines_for_here(page_lines(system, release), options or " ".join(MORE[release][0 if gparrays else 1:]))
        patches = [PATCH] if system == "cmake" else []
        texts = [] if rival else [without_comments(header) for header in sorted(headers)]
        key = digest(patches, self.source.sha256, self.script, *texts)
        self.top = gasource.cache_dir() / f"ga-{release}-{system}-{family}{rival and '-' + rival}-{key}"
        self.folder = self.top / self.source.tree / "build"

    def lines_for_here(self, text, more):
        """The page's lines with the compilers and folders of this build."""
        text = lines_for(self.mpicc, self.prefix, text, PAGES[self.system][0]).replace("../configure ", f"../configure {more} ")
        if self.rival:
            text = re.sub(r"--with-armci=\S+", f"--with-{self.rival}", text)
        return f"set -e\nARMCI_RMA={shlex.quote(str(TOP))}\n{text}"

    def prepare(self):
        """Build libga and the test programs; link the programs anew when the ARMCI library has changed."""
        more = ["cmake", "patch"] if self.system == "cmake" else ["autoreconf"]
        if self.system == "cmake" or "--enable-cxx" in self.script:
            more += ["g++", wrapper(self.mpicc, "mpicxx")]
        gasource.need("make", "gfortran", "m4", self.mpicc.split()[0], wrapper(self.mpicc, "mpif90"), *more)
        with gasource.locked(self.top.name):
            if not (self.top / "built").exists():
                gasource.need_room(disk=2, memory=1)
                self.build()
            if self.system == "autotools":
                self.link_programs()
            else:
                run_logged(["cmake", "--build", "build", "-j" + jobs()], gasource.log_of(self.top.name + "-link"),
                           cwd=self.folder.parent)

    def build(self):
        archive = gasource.fetch(self.source)
        print(f"building {self.source.name} by {self.system} for {self.family} in {self.top}", flush=True)
        with gasource.whole(self.top):
            (self.top / archive.name).symlink_to(archive)
            run_logged(["sh", "-c", self.script, "sh", jobs()], gasource.log_of(self.top.name), cwd=self.top)
            (self.top / "built").touch()

    def link_programs(self):
        library = ("" if self.rival else digest((self.prefix / "lib").glob("libarmci.*"))) + " ".join([*self.only, "-", *self.without])
        stamp = self.top / "linked"
        if stamp.exists() and stamp.read_text() == library:
            return
        print(f"linking GA's test programs ({self.family})", flush=True)
        names = [name for name in self.programs() if self.is_wanted(name)]
        programs = sorted({name + ".x" for name in names} & set(self.named_by("check_PROGRAMS")))
        for program in programs:
            (self.folder / program).unlink(missing_ok=True)
        # -k: a program that does not link is counted as failed when its turn comes.
        gasource.run(["make", "-k", "-j", jobs(), *programs], gasource.log_of(self.top.name + "-checkprogs"), cwd=self.folder)
        stamp.write_text(library)

    def is_wanted(self, name):
        return (not self.only or is_chosen(name, self.only)) and not is_chosen(name, self.without)

    def named_by(self, *variables):
        """The programs named by some variables of GA's Makefile, as paths below the build folder."""
        makefile = self.folder / "show.mk"
        makefile.write_text(LIST_MAKEFILE.format(") $(".join(variables)))
        shown = subprocess.run(["make", "-s", "-f", makefile.name, "show"], cwd=self.folder, check=True,
                               capture_output=True, text=True, env=gasource.clean_environment())
        return shown.stdout.split()

    def programs(self):
        """Name and path of each program that GA calls a parallel test, of the unit tests and of those of pointer arrays."""
        if self.system == "cmake":
            shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.folder, check=True, capture_output=True).stdout
            paths = [next(word for word in test["command"] if word.endswith(".x")) for test in json.loads(shown)["tests"]]
            names = [str(pathlib.Path(path).relative_to(self.folder)) for path in paths]
            # MA's own programs call no ARMCI, and fail on purpose in places.
            names = [name for name in names if not name.startswith("ma/")]
        else:
            names = self.named_by("PARALLEL_TESTS", "PARIO_PARALLEL_TESTS")
            names += [name for name in self.named_by("check_PROGRAMS") if "/unit-tests/" in name]
            names += [name + ".x" for name in GPARRAYS if self.gparrays]
        return {name.removesuffix(".x"): self.folder / name for name in names}
