"""One-sided arrays: ARMCI for Python.

Each process of a job has a slice of an array; the others read, write and add to it while its owner computes.

>>> import armci
>>> with armci.init() as world:
...     A = armci.zeros((1000, 1000))
...     A.put((world.rank + 1) % world.size, (slice(0, 10), 5), 3.5)
...     armci.barrier()
"""
from ._array import Array, Request, empty, zeros
from ._group import Group, barrier, fence, notify, wait_notify, world
from ._job import World, finalize, init
from ._library import LIBRARY as _LIBRARY
from ._library import Code, Error
from ._sync import Counter, Mutex

__version__ = _LIBRARY.ARMCI_RMA_Version().decode()
__all__ = ["Array", "Code", "Counter", "Error", "Group", "Mutex", "Request", "World", "barrier", "empty", "fence", "finalize", "init", "notify",
           "wait_notify", "world", "zeros"]
