"""halo.py - examples/python/halo.py with MPI's one-sided calls."""
import numpy as np
from mpi4py import MPI

SIDE, STEPS = 100, 50
inner = slice(1, -1)


def spread(heat):
    """A step of what lies within a border."""
    return heat[inner, inner] / 2 + (heat[:-2, inner] + heat[2:, inner] + heat[inner, :-2] + heat[inner, 2:]) / 8


def edge_at(row, column, edge):
    """The target of a put: an element and a type of SIDE elements."""
    return [row * (SIDE + 2) + column, 1, edge]


def part(block, row, column, edge):
    return [block.reshape(-1)[row * (SIDE + 2) + column:], 1, edge]


comm = MPI.COMM_WORLD
rows = max(d for d in range(1, comm.size + 1) if comm.size % d == 0 and d * d <= comm.size)
columns = comm.size // rows
row, column = divmod(comm.rank, columns)
up, down = (row - 1) % rows * columns + column, (row + 1) % rows * columns + column
left, right = row * columns + (column - 1) % columns, row * columns + (column + 1) % columns
along = MPI.DOUBLE.Create_contiguous(SIDE).Commit()
across = MPI.DOUBLE.Create_vector(SIDE, 1, SIDE + 2).Commit()

torus = np.sin(0.3 * np.arange(rows * SIDE))[:, None] + np.cos(0.7 * np.arange(columns * SIDE))
mine = slice(row * SIDE, (row + 1) * SIDE), slice(column * SIDE, (column + 1) * SIDE)
windows = [MPI.Win.Allocate((SIDE + 2) ** 2 * 8, 8, comm=comm) for _ in range(2)]
blocks = [np.frombuffer(window.tomemory(), "f8").reshape(SIDE + 2, SIDE + 2) for window in windows]
blocks[0][:], blocks[1][:] = 0, 0
blocks[0][inner, inner] = torus[mine]
comm.Barrier()
for window in windows:
    window.Lock_all()
for step in range(STEPS):
    window, heat, then = windows[step % 2], blocks[step % 2], blocks[1 - step % 2]
    window.Put(part(heat, 1, 1, along), up, edge_at(SIDE + 1, 1, along))
    window.Put(part(heat, SIDE, 1, along), down, edge_at(0, 1, along))
    window.Put(part(heat, 1, 1, across), left, edge_at(1, SIDE + 1, across))
    window.Put(part(heat, 1, SIDE, across), right, edge_at(1, 0, across))
    window.Flush_all()
    comm.Barrier()
    window.Sync()
    then[inner, inner] = spread(heat)
    torus = spread(np.pad(torus, 1, "wrap"))
for window in windows:
    window.Unlock_all()
wrong = comm.reduce(np.abs(blocks[STEPS % 2][inner, inner] - torus[mine]).max(), MPI.MAX)
if comm.rank == 0:
    print(f"halo: difference {wrong:.1e}: {'right' if wrong < 1e-12 else 'WRONG'}")
for window in windows:
    window.Free()
