"""A second MPI library in the process is an error that names both files, and one whose ABI this library was not compiled for an error that
names it; a tool that counts calls, and a library that passes calls on to another ABI, are none. They are made here, and preloaded.
"""
import os
import re

import pytest

from common import compile_program, run_job

PROGRAM = "tests/mpi/test_start.mpi"
OWN_INIT = "int MPI_Init(int *argc, char ***argv) { (void)argc, (void)argv; return 1; }\n"
OTHER = OWN_INIT + """int PMPI_Init(int *argc, char ***argv) { return MPI_Init(argc, argv); }
int MPI_Get_library_version(char *text, int *length) { *length = 5; __builtin_strcpy(text, "Other"); return 0; }
"""
# The answer that only a library of the other ABI gives.
OTHER_ABI = """#ifdef MPI_ABI_VERSION
enum { OTHER = -1 };
#else
enum { OTHER = 1 };
#endif
int MPI_Abi_get_version(int *major, int *minor) { *major = OTHER, *minor = 0; return MPI_SUCCESS; }
"""
TOOL = "int MPI_Init(int *argc, char ***argv) { return PMPI_Init(argc, argv); }\n"
# It passes on what ARMCI_Init needs first; all other calls go to the real library.
TRANSLATOR = """#define NEXT(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))
int MPI_Init(int *argc, char ***argv) { return NEXT(MPI_Init)(argc, argv); }
int PMPI_Init(int *argc, char ***argv) { return NEXT(PMPI_Init)(argc, argv); }
int MPI_Get_library_version(char *text, int *length) { return NEXT(MPI_Get_library_version)(text, length); }
"""


def start_beside(path, source):
    """Start ARMCI with that library preloaded."""
    if not os.path.exists(PROGRAM):
        pytest.skip("there is no " + PROGRAM)
    compile_program("-shared", "-fPIC", "-o", path, text="#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <mpi.h>\n" + source)
    return run_job(1, "env", "LD_PRELOAD=" + path, PROGRAM)


@pytest.mark.parametrize("name", ["libmpi.so.99", "libother_mpi.so"])
def test_second_library(name, tmp_path):
    path = str(tmp_path / name)
    job = start_beside(path, OTHER)
    assert job.status != 0
    named = re.search("ARMCI error: .*ARMCI_Init: MPI libraries = .*", job.all)
    assert named and path in named[0] and re.search(r"/libmpi[a-z_]*\.so\.", named[0].replace(path, "")), job.all


def test_library_of_the_other_abi(tmp_path):
    job = start_beside(str(tmp_path / "libother_abi.so"), OTHER_ABI)
    assert job.status != 0 and job.count("ARMCI error: .*ARMCI_Init: MPI library = .*/libmpi.*mpicc_abi"), job.all


@pytest.mark.parametrize("name, source", [("libtool_mpi.so", TOOL), ("libabi_mpi.so", TRANSLATOR)], ids=["tool", "translator"])
def test_harmless(name, source, tmp_path):
    job = start_beside(str(tmp_path / name), source)
    assert job.status == 0, job.all
