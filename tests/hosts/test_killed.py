"""One rank of a job on two nodes is killed (kill -9) in the middle of transfers, be it the server of a node or another one: the job must
end within seconds, with a message, and with no process left on either node. HOSTS_RANKS=2: the machine is small.
"""
import os
import re
import time

import pytest

from common import two_nodes

MOST = 15  # seconds, with the start of the job
BEGUN = "everybody transfers"
CASES = ((2, 0, "put"), (2, 1, "get"), (4, 0, "lock"), (4, 1, "acc"), (4, 2, "put"), (4, 3, "barrier"))


@pytest.fixture(name="launch", scope="module")
def launch_on_two_nodes():
    with two_nodes() as launch:
        yield launch


@pytest.mark.parametrize("ranks, victim, kind", CASES)
def test_the_job_ends(launch, ranks, victim, kind):
    if ranks > 2 and os.environ.get("HOSTS_RANKS") == "2":
        pytest.skip("HOSTS_RANKS=2")
    begun = time.monotonic()
    job = launch(ranks, 40, "tests/hosts/victim.mpi", str(victim), kind)
    took = time.monotonic() - begun
    lines = job.all.splitlines()
    assert any(line.startswith(BEGUN) for line in lines), "it did not come so far\n" + job.all
    assert job.status not in (0, 124), "its status is %d\n%s" % (job.status, job.all)
    assert took <= MOST, "it went on for %.0f s\n%s" % (took, job.all)
    said = [line for line in lines if re.search("kill|signal|terminat|abort|lost", line, re.I) and not line.startswith((BEGUN, "LEFT"))]
    assert said, "it says nothing\n" + job.all
    assert not [line for line in lines if line.startswith("LEFT")], "processes are left on the nodes\n" + job.all
