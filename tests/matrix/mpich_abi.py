"""mpich_abi.py - the library and tests of this build folder, built with MPICH, under other MPI libraries of the same binary interface: a
folder in LD_LIBRARY_PATH, their own launcher, nothing compiled again.

The banner must name the library that is loaded, and its defects, not those of the one at build time."""
import os
import re
import subprocess
import tempfile
from pathlib import Path

from libraries import named
from table import Count

PROGRAMS = ("test_contiguous", "test_random", "test_acc", "test_atomics", "test_mutex")
LIBRARIES = ("mpich-4.3", "mpich-5.0", "intel")
DEFECT = "padded to whole pages"


def environment(library, folder):
    """What makes a program load the library. The file that the program asks for has another name in some builds of MPICH."""
    folder.mkdir()
    for name in ("libmpi.so.12", "libmpich.so.12"):
        (folder / name).symlink_to(library.folder / "lib/libmpi.so.12")
    env = library.environment()
    lib = library.folder / "lib"
    return {**env, "LD_LIBRARY_PATH": f"{folder}:{lib}:{lib / 'mpich'}", "I_MPI_ROOT": str(library.folder), "ARMCI_VERBOSE": "1"}


def banner_of(library):
    """The banner with the name that the library gives itself: MPICH, or Intel MPI; with the version where the folder has it."""
    version = library.name.removeprefix("mpich-")
    return r"ARMCI: ARMCI-RMA .*" + (r"Intel\(R\) MPI Library" if library.name == "intel" else "MPICH Version: *" + re.escape(version))


def run_program(library, program, env):
    """What is wrong with a run on 2 ranks, or nothing: the program must pass, and the banner be that of the loaded library."""
    command = ["timeout", "-k", "5", "40", library.command("mpiexec"), "-n", "2", f"tests/mpi/{program}.mpi"]
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    if done.returncode:
        return f"status {done.returncode}\n{done.stdout}"
    if not re.search(banner_of(library), done.stdout) or DEFECT in done.stdout:
        return f"the banner is not that of {library.name}\n{done.stdout}"
    return ""


def run_library(library, count):
    problem = library.install()
    count.add(not problem, f"{library.name} is installed", problem)
    if problem:
        return
    with tempfile.TemporaryDirectory(prefix="armci-abi.") as work:
        env = environment(library, Path(work) / library.name)
        for program in PROGRAMS:
            for variables in ({}, {"ARMCI_SHM": "no"}):
                why = run_program(library, program, {**env, **variables})
                words = "".join(f" {name}={value}" for name, value in variables.items())
                count.add(not why, f"{program} on {library.name}{words}", why)


def run(options):
    """Run the programs under each library; returns the exit status."""
    count = Count()
    # The build must be one with a defect that the others lack, else nothing is proved about when it is decided.
    info = subprocess.run(["tools/armci-info"], stdout=subprocess.PIPE, text=True, env=dict(os.environ), check=False).stdout
    count.add(re.search(r"^MPI at build *MPICH 4\.0", info, re.M) and DEFECT in info, "built with MPICH 4.0, whose slices are padded")
    for library in named(options.libraries.split() or LIBRARIES):
        run_library(library, count)
    return count.status()
