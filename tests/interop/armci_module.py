"""armci_module.py: the Python module on mpi4py's communicators, one after another, while mpi4py sends messages. Exit status 0 when all is right."""
import numpy as np
from mpi4py import MPI

import armci

world = MPI.COMM_WORLD
for comm in (world, world.Split(0, -world.rank)):
    with armci.init(comm) as ranks:
        assert (ranks.rank, ranks.size) == (comm.rank, comm.size)
        right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
        A = armci.zeros((3, 4))
        request = comm.isend(comm.rank, dest=right)
        A.put(right, (slice(None), 1), np.full(3, comm.rank + 0.5))
        assert comm.recv(source=left) == left
        request.wait()
        armci.barrier()
        assert (A.local[:, 1] == left + 0.5).all() and comm.allreduce(A.get(right, (0, 1))) == comm.size**2 / 2
if world.rank == 0:
    print("armci.init on mpi4py's communicators: right")
