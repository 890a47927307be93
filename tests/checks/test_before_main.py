"""A program with libarmci.a in itself that starts ARMCI before main, in a constructor, as static objects of C++ do: the constructors of the library
come before it. So it has threads where the launcher says that the job spans nodes, and a wrong argument ends the job by MPI_Abort.
"""
import pytest

from common import STATIC, compile_program, run_job

PROGRAM = """#include <armci.h>
#include <stdlib.h>
__attribute__((constructor)) static void start(void)
{
    char byte = 0;
    if (ARMCI_Init()) _Exit(1);
    if (WRONG) ARMCI_Put(&byte, &byte, 1, -1);
}
int main(void)
{
    int level;
    MPI_Query_thread(&level);
    ARMCI_Finalize();
    return level != MPI_THREAD_MULTIPLE;
}
"""


@pytest.mark.parametrize("wrong", [0, 2], ids=["right", "wrong"])
def test_start(wrong, tmp_path):
    path = str(tmp_path / "program")
    compile_program("-o", path, "-DWRONG=%d" % wrong, STATIC, "-lpthread", "-lm", "-ldl", text=PROGRAM)
    job = run_job(2, "env", "SLURM_STEP_NUM_NODES=2", path, unset=("ARMCI_ERRORS",))
    assert job.status == wrong, job.all
