"""pi.py - Monte Carlo with a task counter: ranks draw blocks of points until there are none left. No rank serves the others."""
import numpy as np

import armci

BLOCKS, POINTS = 200, 20000

with armci.init() as world:
    next_block, hits = armci.Counter(), armci.zeros(1, "i8")
    while (block := next_block.fetch_add()) < BLOCKS:
        x, y = np.random.default_rng(block).random((2, POINTS))
        hits.acc(0, 0, np.count_nonzero(x * x + y * y < 1))
    armci.barrier()
    if world.rank == 0:
        pi = 4 * hits.local[0] / (BLOCKS * POINTS)
        print(f"pi: {pi:.4f}: {'right' if abs(pi - np.pi) < 0.005 else 'WRONG'}")
