"""Does armci.pc have all flags that a plain compiler needs, and an rpath with which the program finds the shared library?"""
import os
import shutil
import subprocess

import pytest

from common import BUILD, INCLUDE, LIBRARIES, check, compiler, output, run_job

PROGRAM = """#include <armci.h>
int main(int argc, char **argv)
{
    void *memory[2];
    int rank, size, seen = 0;
    MPI_Init(&argc, &argv);
    if (ARMCI_Init()) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2 || ARMCI_Malloc(memory, sizeof rank)) return 1;
    ARMCI_Put(&rank, memory[1 - rank], sizeof rank, 1 - rank);
    ARMCI_Barrier();
    ARMCI_Get(memory[rank], &seen, sizeof seen, rank);
    ARMCI_Free(memory[rank]);
    ARMCI_Finalize();
    MPI_Finalize();
    return seen != 1 - rank;
}
"""


def flags(*options):
    folders = ["--define-variable=%s=%s" % pair for pair in (("libdir", LIBRARIES), ("includedir", INCLUDE))]
    return output("pkg-config", *folders, *options, os.path.join(BUILD, "armci.pc")).split()


@pytest.mark.parametrize("static", [[], ["--static"]], ids=["shared", "static"])
def test_plain_compiler(static, tmp_path):
    if not shutil.which("pkg-config"):
        pytest.skip("no pkg-config")
    shown = output(*compiler(), "-show").split()
    plain = shown[:next((i for i, word in enumerate(shown) if word.startswith("-")), 0)]
    if not plain:
        pytest.skip("the compiler does not show its flags")
    program = str(tmp_path / "program")
    done = subprocess.run([*plain, "-x", "c", "-", "-x", "none", "-o", program, *flags("--cflags", "--libs", *static),
                           *flags("--variable=rpath")], input=PROGRAM, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check(done.returncode == 0, "compiled by " + " ".join(plain), done.stdout)
    job = run_job(2, program, unset=("LD_LIBRARY_PATH",))
    check(job.status == 0, "runs with that rpath", job.all)
    if os.path.exists(os.path.join(LIBRARIES, "libarmci.so")):
        check(LIBRARIES in output("ldd", program), "the shared library", output("ldd", program))
