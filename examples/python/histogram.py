"""histogram.py - a histogram whose bins are spread over the ranks: each counts its own numbers and adds the counts to everybody's bins, which
needs no lock. Ranks begin with different targets: not all add to rank 0 first."""
import numpy as np

import armci

BINS, NUMBERS = 1000, 200000  # of a rank


def counts_of(rank, size):
    numbers = np.random.default_rng(rank).normal(0.5, 0.2, NUMBERS) % 1
    return np.bincount((numbers * BINS * size).astype(int), minlength=BINS * size)


with armci.init() as world:
    bins, counts = armci.zeros(BINS, "i8"), counts_of(world.rank, world.size)
    for k in range(world.size):
        rank = (world.rank + k) % world.size
        bins.acc(rank, ..., counts[rank * BINS:(rank + 1) * BINS])
    armci.barrier()
    expected = sum(counts_of(rank, world.size) for rank in range(world.size))
    wrong = armci.zeros(1, "i8")
    wrong.acc(0, 0, np.count_nonzero(bins.local != expected[world.rank * BINS:(world.rank + 1) * BINS]))
    armci.barrier()
    if world.rank == 0:
        print(f"histogram: {BINS * world.size} bins: {'right' if wrong.local[0] == 0 else 'WRONG'}")
