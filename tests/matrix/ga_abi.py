"""ga_abi.py - Global Arrays as a shared library over the standard ABI: built once, run under each library."""
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = "global/testing/test global/testing/patch global/testing/elempatch global/testing/ntestc"
# MPICH 5.0 has no mpif.h and no Fortran library for the standard ABI: what GA's programs want of them.
MPIF = """\
      integer MPI_THREAD_MULTIPLE
      parameter (MPI_THREAD_MULTIPLE=4096)
      double precision mpi_wtime
      external mpi_wtime
"""


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


def make_wrappers(folder, library):
    """mpicc_abi with a name that the standard ABI does not have, and an mpif90_abi of gfortran and fortran_abi.c, in this folder."""
    folder.mkdir(exist_ok=True)
    mpicc, lib = library.command("mpicc_abi"), library.folder / "lib"
    script(folder / "mpicc_abi", f'exec {mpicc} -DMPI_Comm_c2f=MPI_Comm_toint "$@"\n')
    script(folder / "mpif90_abi", f'exec gfortran -I{folder} "$@" -L{folder} -lfortran_abi -L{lib} -Wl,-rpath,{lib} '
                                  "-Wl,--enable-new-dtags -lmpi_abi\n")
    (folder / "mpif.h").write_text(MPIF)
    subprocess.run([mpicc, "-O2", "-fPIC", "-c", "-o", folder / "fortran_abi.o", HERE / "fortran_abi.c"], check=True)
    subprocess.run(["ar", "rcs", folder / "libfortran_abi.a", folder / "fortran_abi.o"], check=True)


def install(build, library):
    """The library of that build in its folder stage, for GA.  Returns what went wrong, or None."""
    make_wrappers(build / "bin", library)
    with open(build / "stage.log", "w") as log:
        done = subprocess.run(["make", "-j2", "ga-stage"], cwd=build, env=library.environment(), stdout=log, stderr=log, check=False)
    return f"it cannot be installed, see {log.name}" if done.returncode else None


def run(build, library):
    """Run GA's programs, which the first call builds. Returns (fine, label, why) of each; None where GA is not to be had here."""
    command = [sys.executable, "-B", HERE.parent / "ga/check.py", "ga", "--prefix", build / "stage", "--family", library.family,
               "--cc", build / "bin/mpicc_abi", "--launch", os.environ.get("ARMCI_TEST_LAUNCH") or build / "tests/launch", "--ranks", "2",
               "--options", "--enable-shared --disable-static", "--only", PROGRAMS, "--logs", build / f"ga-{library.name}"]
    done = subprocess.run(command, cwd=build, env=library.environment(), capture_output=True, text=True, check=False)
    if done.returncode == 77:
        print(done.stdout.strip())
        return None
    rows = re.findall(r"^(\S+)\s+\S+\s+2  (pass|FAIL|known failure|unexpectedly passed)\s+[\d.]+ *(.*)$", done.stdout, re.MULTILINE)
    results = [(word != "FAIL", f"{name} on 2: {word}", why if word == "FAIL" else "") for name, word, why in rows]
    return results or [(False, "GA's programs", done.stdout.strip()[-500:])]
