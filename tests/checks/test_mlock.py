"""A program that has locked all its later memory (mlockall with MCL_FUTURE) starts as any other: what it touches of the arena is locked, the
rest, of 15 TiB, is not filled. Where locked memory is limited, there is no arena, and a line that says so."""
import os
import re
import resource

import pytest

from common import SOURCE, compile_program, run_job

PROGRAM, CAP_IPC_LOCK = "examples/hello", 14
FIRST = ["choom", "-n", "1000", "--"]  # a library that fills it all dies first


@pytest.fixture(scope="module", name="library")
def faulty_system(tmp_path_factory):
    library = str(tmp_path_factory.mktemp("mlock") / "faulty.so")
    compile_program("-w", "-shared", "-fPIC", os.path.join(SOURCE, "tests", "checks", "faulty.c"), "-o", library)
    return library


def run(library, *enter):
    return run_job(2, *enter, PROGRAM, before=FIRST, unset=("ARMCI_SHM",), LD_PRELOAD=library, TEST_MLOCK="1", ARMCI_VERBOSE="1")


def may_lock_all():
    with open("/proc/self/status", encoding="ascii") as file:
        capabilities = re.search(r"^CapEff:\s*(\w+)", file.read(), re.M)[1]
    return bool(int(capabilities, 16) >> CAP_IPC_LOCK & 1) or resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] == resource.RLIM_INFINITY


@pytest.mark.skipif(not may_lock_all(), reason="locked memory is limited")
def test_without_a_limit(library):
    job = run(library)
    assert job.status == 0 and "loads and stores in shared memory (memfd)" in job.all, job.all


def test_with_a_limit(library):
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    if limit in (0, resource.RLIM_INFINITY):
        pytest.skip("no memory or all of it may be locked")
    job = run(library, *(["setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"] if os.getuid() == 0 else []))
    assert job.status == 0 and "within a node: MPI RMA, no shared memory" in job.all, job.all
    assert job.count(r"\[no-memfd\] .*\(mlockall would lock all of it, and locked memory is limited by ulimit -l\)") == 1
