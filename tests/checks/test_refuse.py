"""A system that refuses the library one allocation or system call (refuse.c), anywhere in a round through its functions (tests/mpi/round.c): each
run ends with right results, or by a line that says why; never by a signal or not at all, nor with a wrong result. As SQLite's loops of failures.

A run for every place in the code where the library allocates memory or calls the system, with all that leads there. ARMCI_TEST_LONG=1: all of
them, in both processes; else one of 16, the same in each run of a build.
"""
import os
import re

import pytest

from common import SHARED, SOURCE, compile_program, none_of, run_job

PROGRAM, RANKS, SECONDS, PART = "tests/mpi/round", 2, 40, 16
PLACES = {"node": {}, "noshm": {"ARMCI_SHM": "no"}, "nodes": {"ARMCI_TEST_NODE": "1"}}
ERROR = r"^ARMCI (internal )?error: "
pytestmark = pytest.mark.skipif(not os.path.exists(SHARED), reason="without a shared library there is nobody to refuse")


@pytest.fixture(scope="module", name="preloaded")
def refusing_system(tmp_path_factory):
    library = str(tmp_path_factory.mktemp("refuse") / "refuse.so")
    compile_program("-w", "-shared", "-fPIC", os.path.join(SOURCE, "tests", "checks", "refuse.c"), "-o", library)
    return library


def run(preloaded, place, rank, **variables):
    return run_job(RANKS, "env", "LD_PRELOAD=" + preloaded, PROGRAM, seconds=SECONDS, unset=("ARMCI_SHM",), REFUSE_RANK=str(rank), **PLACES[place],
                   **variables)


def sites(preloaded, place, rank):
    job = run(preloaded, place, rank)
    assert job.status == 0, job.all
    return sorted(re.findall(r"refuse: site (\w+)", job.all))


def fault(job):
    """What is wrong with an end, or nothing."""
    lines = job.count(ERROR)
    if job.count("WRONG"):
        return "a wrong result"
    if job.status == 0:
        return "" if re.search("^right$", job.out, re.M) and not lines else "status 0 without a result"
    if job.status == 124:
        return "no end"
    if re.search(r"Segmentation|exit(ed)? on signal|EXIT STRING.*signal|[Aa]ddress not mapped", job.all):
        return "a signal"
    return "" if 1 <= lines <= RANKS else "%d lines of error" % lines


@pytest.mark.parametrize("rank", range(RANKS))
@pytest.mark.parametrize("place", PLACES)
def test_each_refusal_ends_well(place, rank, preloaded):
    everywhere = sites(preloaded, place, rank)
    assert len(everywhere) > 30, everywhere
    chosen = everywhere if os.environ.get("ARMCI_TEST_LONG") else everywhere[rank * PART // RANKS::PART]
    faults = []
    for site in chosen:
        job = run(preloaded, place, rank, REFUSE_SITE=site)
        if fault(job):
            faults.append("site %s: %s, status %d\n%s" % (site, fault(job), job.status, job.all))
    none_of(faults)
