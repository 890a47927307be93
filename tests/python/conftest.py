"""The tests of a job: each rank runs pytest on the same files. A test that fails on one rank ends the job, since the others wait for it."""
import os
import sys

import pytest

armci = pytest.importorskip("armci", reason="numpy is not installed: apt-get install python3-numpy")


def pytest_sessionstart():
    sys.stderr.flush()
    armci.init()
    if armci.world().rank:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed:
        print(f"rank {armci.world().rank}: {report.nodeid}\n{report.longrepr}", file=sys.stderr, flush=True)
        armci._LIBRARY.ARMCI_Error(b"a test failed", 1)


def pytest_unconfigure():
    armci.finalize()


@pytest.fixture(autouse=True)
def together():
    """All ranks begin a test at once, and free what it left."""
    armci.barrier()
    yield
    for owner in reversed(list(armci._group._Running.owners)):
        owner.free()


@pytest.fixture
def world():
    return armci.world()


@pytest.fixture
def right():
    return (armci.world().rank + 1) % armci.world().size
