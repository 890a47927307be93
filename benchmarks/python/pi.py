"""pi.py - examples/python/pi.py with MPI's one-sided calls."""
import numpy as np
from mpi4py import MPI

BLOCKS, POINTS = 200, 20000

comm = MPI.COMM_WORLD
size = 2 * MPI.INT64_T.Get_size() if comm.rank == 0 else 0
window = MPI.Win.Allocate(size, 8, comm=comm)
if comm.rank == 0:
    words = np.frombuffer(window.tomemory(), "i8")
    words[:] = 0
comm.Barrier()
one, block, hits = np.ones(1, "i8"), np.zeros(1, "i8"), np.zeros(1, "i8")
window.Lock_all()
while True:
    window.Fetch_and_op([one, MPI.INT64_T], [block, MPI.INT64_T], 0, 0, MPI.SUM)
    window.Flush(0)
    if block[0] >= BLOCKS:
        break
    x, y = np.random.default_rng(block[0]).random((2, POINTS))
    hits[0] = np.count_nonzero(x * x + y * y < 1)
    window.Accumulate([hits, MPI.INT64_T], 0, [1, 1, MPI.INT64_T], MPI.SUM)
    window.Flush_local(0)
window.Unlock_all()
comm.Barrier()
if comm.rank == 0:
    pi = 4 * words[1] / (BLOCKS * POINTS)
    print(f"pi: {pi:.4f}: {'right' if abs(pi - np.pi) < 0.005 else 'WRONG'}")
window.Free()
