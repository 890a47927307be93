"""Every C example on 1 to 4 ranks, inside a node and by MPI alone; each checks its own result. They are to be read at a glance."""
import pytest

from common import need_ranks, read, run_job

EXAMPLES = ("hello", "halo", "task_pool", "histogram", "lock", "group", "overlap")



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
