"""histogram.py - examples/python/histogram.py with MPI's one-sided calls."""
import numpy as np
from mpi4py import MPI

BINS, NUMBERS = 1000, 200000  # of a rank


def counts_of(rank, size):
    numbers = np.random.default_rng(rank).normal(0.5, 0.2, NUMBERS) % 1
    return np.bincount((numbers * BINS * size).astype(int), minlength=BINS * size)


comm = MPI.COMM_WORLD
window = MPI.Win.Allocate(BINS * 8, 8, comm=comm)
bins = np.frombuffer(window.tomemory(), "i8")
bins[:] = 0
counts = counts_of(comm.rank, comm.size)
comm.Barrier()
window.Lock_all()
for k in range(comm.size):
    rank = (comm.rank + k) % comm.size
    window.Accumulate([counts[rank * BINS:(rank + 1) * BINS], MPI.INT64_T], rank, [0, BINS, MPI.INT64_T], MPI.SUM)
window.Unlock_all()
comm.Barrier()
expected = sum(counts_of(rank, comm.size) for rank in range(comm.size))
wrong = comm.reduce(np.count_nonzero(bins != expected[comm.rank * BINS:(comm.rank + 1) * BINS]))
if comm.rank == 0:
    print(f"histogram: {BINS * comm.size} bins: {'right' if wrong == 0 else 'WRONG'}")
window.Free()
