"""One rank of a job on two nodes is killed (kill -9) in the middle of transfers, be it the server of a node or another one: the job must
end within seconds, with a message, and with no process left on either node. So must a job that a rank leaves in another way (tests/mpi/leave.c);
ARMCI_TEST_LONG=1: in all ways and places. HOSTS_RANKS=2: the machine is small.
"""
import os
import re
import time

import pytest

from common import two_nodes
from test_leave import PLACES, TOLD, UNTOLD

MOST = 15  # seconds, with the start of the job
BEGUN = "everybody transfers"
AFTER = 5  # seconds after a rank has left; two-hosts takes 2 of them, where a process is left
WAYS = [(way, "lock" if way == "lock-holder" else "barrier", contact) for way in (*TOLD, *UNTOLD) for contact in (False, True)] + [
    (way, place, contact) for way in ("exit", "_exit", "kill") for place in PLACES for contact in (False, True)]
QUICK = (("exit", "barrier", False), ("_exit", "put", True), ("exit-in-mpi", "barrier", True), ("error-in-mpi", "barrier", True), ("exit", "compute", True), ("kill", "malloc", True))
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


@pytest.mark.parametrize("way, place, contact", sorted(set(WAYS)) if os.environ.get("ARMCI_TEST_LONG") else QUICK)
def test_the_job_ends_when_a_rank_leaves(launch, way, place, contact):
    job = launch(2, 40, "tests/mpi/leave", way, place, *["contact"] * contact)
    left = re.search(r"^leaves at ([\d.]+)$", job.all, re.M)
    assert left, "it did not come so far\n" + job.all
    took = time.time() - float(left[1])
    assert job.status not in (0, 124), "its status is %d\n%s" % (job.status, job.all)
    assert took <= AFTER, "it went on for %.1f s\n%s" % (took, job.all)
    assert job.all.count("rank 1 left the program without ARMCI_Finalize") == (way in TOLD), job.all
    assert not re.search("^LEFT", job.all, re.M), job.all
