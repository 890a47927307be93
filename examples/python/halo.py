"""halo.py - halo exchange: heat spreads on a torus of blocks, one a rank. Edges are put straight into the neighbours' arrays, rows and columns
alike. Every rank checks its block against the whole torus."""
import numpy as np

import armci

SIDE, STEPS = 100, 50
inner = slice(1, -1)


def spread(heat):
    """A step of what lies within a border."""
    return heat[inner, inner] / 2 + (heat[:-2, inner] + heat[2:, inner] + heat[inner, :-2] + heat[inner, 2:]) / 8


with armci.init() as world:
    rows = max(d for d in range(1, world.size + 1) if world.size % d == 0 and d * d <= world.size)
    columns = world.size // rows
    row, column = divmod(world.rank, columns)
    up, down = (row - 1) % rows * columns + column, (row + 1) % rows * columns + column
    left, right = row * columns + (column - 1) % columns, row * columns + (column + 1) % columns

    torus = np.sin(0.3 * np.arange(rows * SIDE))[:, None] + np.cos(0.7 * np.arange(columns * SIDE))
    mine = slice(row * SIDE, (row + 1) * SIDE), slice(column * SIDE, (column + 1) * SIDE)
    blocks = [armci.zeros((SIDE + 2, SIDE + 2)) for _ in range(2)]
    blocks[0].local[inner, inner] = torus[mine]
    for step in range(STEPS):
        now, then = blocks[step % 2], blocks[1 - step % 2]
        heat = now.local
        now.put(up, (-1, inner), heat[1, inner])
        now.put(down, (0, inner), heat[-2, inner])
        now.put(left, (inner, -1), heat[inner, 1])
        now.put(right, (inner, 0), heat[inner, -2])
        armci.barrier()  # every edge is in its place
        then.local[inner, inner] = spread(heat)
        torus = spread(np.pad(torus, 1, "wrap"))
    wrong = armci.zeros(1)
    wrong.acc(0, 0, np.abs(blocks[STEPS % 2].local[inner, inner] - torus[mine]).max())
    armci.barrier()
    if world.rank == 0:
        print(f"halo: difference {wrong.local[0]:.1e}: {'right' if wrong.local[0] < 1e-12 else 'WRONG'}")
