"""What ARMCI gives out in a control group that bounds memory can be touched: the tests of test_shortage that need such a group."""
import os
import re

import pytest

from common import run_job

LIMIT = 256  # MiB


@pytest.fixture(name="group")
def control_group():
    """One of its own below that of this process; version 1 first, as the library looks."""
    with open("/proc/self/cgroup", encoding="ascii") as file:
        groups = file.read()
    for pattern, place, name in ((r"^\d*:memory:(.*)", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"), (r"^0::(.*)", "/sys/fs/cgroup", "memory.max")):
        own = re.search(pattern, groups, re.M)
        if own:
            break
    else:
        pytest.skip("there are no control groups")
    folder = "%s%s/armci-test-%d" % (place, own[1], os.getpid())
    try:
        os.mkdir(folder)
    except OSError as error:
        pytest.skip("no control group can be made: %s" % error)
    try:
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(str(LIMIT << 20))
    except OSError as error:
        os.rmdir(folder)
        pytest.skip("no limit can be set: %s" % error)
    yield folder
    os.rmdir(folder)


def test_memory_is_bounded(group):
    enter = ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', group]
    job = run_job(2, "tests/mpi/test_shortage.mpi", "--only=a_control_group", before=enter, unset=("ARMCI_SHM",), ARMCI_TEST_GROUP_MIB=str(LIMIT))
    if job.status == 77:
        pytest.skip(job.all)
    assert job.status == 0, job.all
