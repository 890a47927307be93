"""overhead.py - gets of Python in turns: this module, the C call that it makes, and mpi4py's Win.Get with a flush; ns, the best of short runs.

On 2 ranks; needs mpi4py for the MPI library that armci uses. Rank 1 waits in a barrier."""
import ctypes
import time

import numpy as np
from mpi4py import MPI

import armci
from armci._library import LIBRARY

ROUNDS = 200


def nanoseconds(call, times):
    begin = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - begin) / times * 1e9


def measure(calls, times):
    """The calls in turns; of each the best, since other processes disturb the rest."""
    seen = {name: [] for name in calls}
    turns = list(calls.items())
    for _ in range(ROUNDS):
        for name, call in turns:
            seen[name].append(nanoseconds(call, times))
        turns.append(turns.pop(0))  # the data of the one before are in the cache
    for name, values in seen.items():
        print(f"{name:24s} {min(values):12.0f} ns", flush=True)


def calls_of(A, window, elements):
    """What is measured for a number of doubles."""
    out, part = np.empty(elements), slice(0, elements)
    here, there, get, size = out.ctypes.data, A._bases[1], LIBRARY.ARMCI_Get, 8 * elements
    target = [0, elements, MPI.DOUBLE]

    def mpi4py_get():
        window.Get([out, MPI.DOUBLE], 1, target)
        window.Flush(1)

    calls = {"python": lambda: A.get(1, part, out), "c by ctypes": lambda: get(there, here, size, 1), "mpi4py": mpi4py_get}
    return {f"{name}, {size} B": call for name, call in calls.items()}


with armci.init(MPI.COMM_WORLD) as world:
    A = armci.zeros(2**17)
    window = MPI.Win.Allocate(2**20, 8, comm=MPI.COMM_WORLD)
    window.Lock_all()
    armci.barrier()
    if world.rank == 0:
        one = {"python, one number": lambda: A.get(1, 5)}
        measure(one | calls_of(A, window, 1), 200)
        measure(calls_of(A, window, 2**17), 5)
    MPI.COMM_WORLD.Barrier()
    window.Unlock_all()
    window.Free()
