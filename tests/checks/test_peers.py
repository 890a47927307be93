"""In collective calls a process sends to few others, lest a large job becomes a full mesh of connections: to at most 2 log2(n) + 2, MPI's
own calls included. Counted by Open MPI's component pml_monitoring, in test_groups on 16 ranks.
"""
import collections

import pytest

from common import run_job

RANKS, MOST = 16, 10
PROGRAM = "tests/mpi/test_groups.mpi"
UNSET = ("ARMCI_SHM", "OMPI_MCA_pml")


def test_seven_ranks():
    """The whole program, which checks what is gathered."""
    job = run_job(7, PROGRAM, unset=UNSET)
    assert job.status == 0, job.all


def test_few_peers(tmp_path):
    counting = {"enable": "1", "enable_output": "3", "filename": str(tmp_path / "counts")}
    job = run_job(RANKS, PROGRAM, "--only=collective_calls", unset=UNSET,
                  **{"OMPI_MCA_pml_monitoring_" + name: value for name, value in counting.items()})
    assert job.status == 0, job.all
    if not (tmp_path / "counts.0.prof").exists():
        pytest.skip("nothing was counted: this is not Open MPI with pml_monitoring")
    peers = collections.defaultdict(set)
    for path in tmp_path.glob("counts.*.prof"):
        # A line "E FROM TO BYTES bytes COUNT msgs sent ...", with tabs, for every process that FROM sent to.
        for fields in map(str.split, path.read_text().splitlines()):
            if fields and fields[0] == "E":
                peers[fields[1]].add(fields[2])
    assert len(peers) == RANKS, "not all ranks were counted"
    assert max(map(len, peers.values())) <= MOST, peers
