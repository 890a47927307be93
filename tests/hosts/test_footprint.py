"""The library's own memory in each process on two nodes, on 2, 8 and 32 ranks, at rest and under the load of all other ranks
(test_footprint.c): on each number it may be at most one and a half times that on the one before.
"""
import re

import pytest

from common import none_of, two_nodes

RANKS = (2, 8, 32)
LINE = r"^KiB on %d ranks: server \d+ at rest, (\d+) loaded, process \d+; others \d+ at rest, (\d+) loaded, process (\d+)$"


@pytest.fixture(name="figures", scope="module")
def figures_by_ranks():
    """KiB loaded, of a server and of others: of the server where it has no others."""
    found = {}
    with two_nodes() as launch:
        for ranks in RANKS:
            job = launch(ranks, 110, "tests/hosts/test_footprint.mpi", "--only=own_memory")
            line = re.search(LINE % ranks, job.out, re.M)
            assert line and re.search("^1 passed, 0 failed", job.out, re.M), "on %d ranks: status %d\n%s" % (ranks, job.status, job.all)
            server, other, process = (int(number) for number in line.groups())
            found[ranks] = {"servers": server, "others": other if process else server}
            print(line[0])
    return found


@pytest.mark.parametrize("whose", ("servers", "others"))
def test_it_hardly_grows(figures, whose):
    none_of("%s: %d KiB on %d ranks, %d on %d" % (whose, figures[before][whose], before, figures[now][whose], now)
            for before, now in zip(RANKS, RANKS[1:]) if figures[now][whose] > 1.5 * figures[before][whose])
