"""Every example in C, and in Python, on 1 to 4 ranks, inside a node and by MPI alone; each checks its own result. They are to be read at a glance."""
import os
import sys

import pytest

from common import LIBRARIES, SOURCE, need_ranks, output, read, run_job

EXAMPLES = ("hello", "halo", "task_pool", "histogram", "lock", "group", "overlap")
IN_PYTHON = ("pi", "halo", "histogram")


@pytest.mark.parametrize("ranks, variables", [(1, {}), (2, {}), (3, {}), (4, {}), (2, {"ARMCI_SHM": "no"})],
                         ids=["1", "2", "3", "4", "2 by MPI"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, ranks, variables):
    """Status 0 and one line of result, from rank 0."""
    need_ranks(1 if variables else ranks)
    job = run_job(ranks, "examples/" + name, **variables)
    assert job.status == 0 and job.count("^%s: .*right$" % name) == 1, "status %d\n%s" % (job.status, job.all)


@pytest.mark.parametrize("name", [*EXAMPLES, "trace"])
def test_length(name):
    assert 0 < len(read("examples", name + ".c").splitlines()) < 120


@pytest.mark.parametrize("ranks, variables", [(1, {}), (4, {}), (2, {"ARMCI_SHM": "no"})], ids=["1", "4", "2 by MPI"])
@pytest.mark.parametrize("name", IN_PYTHON)
def test_example_in_python(name, ranks, variables):
    python = next((path for path in (sys.executable, "/usr/bin/python3") if not output(path, "-c", "import numpy")), None)
    if python is None:
        pytest.skip("numpy is not installed: apt-get install python3-numpy")
    need_ranks(ranks)
    path = os.path.join(SOURCE, "examples", "python", name + ".py")
    job = run_job(ranks, python, "-B", path, PYTHONPATH=os.path.join(SOURCE, "python"), LD_LIBRARY_PATH=LIBRARIES, **variables)
    assert job.status == 0 and job.count("^%s: .*right$" % name) == 1, "status %d\n%s" % (job.status, job.all)


@pytest.mark.parametrize("name", IN_PYTHON)
def test_length_in_python(name):
    """As doc/python.md says it, with that of the program that uses mpi4py."""
    ours, theirs = (len(read(folder, "python", name + ".py").splitlines()) for folder in ("examples", "benchmarks"))
    row = next(line for line in read("doc", "python.md").splitlines() if line.startswith("| `examples/python/%s.py`" % name))
    assert "| %d | %d |" % (ours, theirs) in row and ours < 50
