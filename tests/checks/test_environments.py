"""Odd environments of a job: what a launcher, a batch system, a container or a user's shell may leave a program with. The job runs as ever where
MPI alone does.

ARMCI_TEST_LONG=1: all rows, and between pretended nodes.
"""
import os

import pytest

from common import run_job

PROGRAM = "tests/mpi/leave"
ENTER = ["unshare", "--mount", "sh", "-c"]
# (name, shell words in front of the launcher or, where they begin with a dash, in front of each rank, variables)
ROWS = (
    ("long TMPDIR", "", {}),
    ("no TMPDIR", "", {"TMPDIR": "/there/is/none"}),
    ("Slurm's variables", "", {"SLURM_NTASKS": "8", "SLURM_NPROCS": "8", "SLURM_PROCID": "3", "SLURM_LOCALID": "1", "SLURM_STEP_NUM_TASKS": "8"}),
    ("one processor", "taskset -c 0", {}),
    ("no standard input", "-exec 0<&-; exec", {}),
    ("no standard descriptors", "-exec 0<&- 1>&- 2>&-; exec", {}),
    ("umask 777", "umask 777; exec", {}),
    ("no /proc", "mount -t tmpfs none /proc; exec", {}),
    ("no /dev/shm", "mount -t tmpfs -o size=1m none /dev/shm; exec", {}),
    ("working folder gone", "-mkdir /tmp/gone.$$; cd /tmp/gone.$$; rmdir /tmp/gone.$$; exec", {}),
    ("no locked memory", "ulimit -l 0; exec", {}),
    ("stack without limit", "ulimit -s unlimited; exec", {}),
    ("3 GB of address space", "ulimit -v 3000000; exec", {}),
    ("files of 64 MB", "ulimit -f 65536; exec", {}),
    ("64 descriptors", "ulimit -n 64; exec", {}),
    ("TCP alone", "", {"UCX_TLS": "tcp,self", "OMPI_MCA_btl": "tcp,self"}),
)
QUICK = ("no TMPDIR", "Slurm's variables", "no standard descriptors", "working folder gone", "3 GB of address space", "64 descriptors")


def run(words, variables, program):
    """The status of a job of the program, and what it printed."""
    path = os.path.abspath(program[0])
    each = ["sh", "-c", words[1:] + ' "$@"', "sh"] if words.startswith("-") else []
    before = [*(ENTER if "mount" in words else ["sh", "-c"]), words + ' "$@"', "sh"] if words and not each else []
    return run_job(2, *each, path, *program[1:], before=before, seconds=30, unset=("ARMCI_SHM",), **variables)


@pytest.mark.parametrize("nodes", (False, True) if os.environ.get("ARMCI_TEST_LONG") else (False,))
@pytest.mark.parametrize("name, words, variables", [row for row in ROWS if os.environ.get("ARMCI_TEST_LONG") or row[0] in QUICK])
def test_odd(tmp_path, name, words, variables, nodes):
    if name == "long TMPDIR":
        tmp_path = tmp_path / ("a" * 60) / ("b" * 60)
        os.makedirs(tmp_path)
    # What umask 777 creates stays: in /tmp, Open MPI would refuse it in a later job whose mpirun has the same pid.
    variables = {"TMPDIR": str(tmp_path), **variables}
    if "mount" in words and os.getuid() != 0:
        pytest.skip("not root")
    job = run(words, {**variables, **({"ARMCI_TEST_NODE": "1"} if nodes else {})}, [PROGRAM, "good", "barrier", "contact"])
    if job.status != 0 and run(words, variables, [PROGRAM, "plain"]).status != 0:
        pytest.skip("MPI alone fails: " + name)
    assert job.status == 0, job.all
