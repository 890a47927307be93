"""Start and end of ARMCI."""
from __future__ import annotations

import ctypes
import sys
import traceback
from typing import Any

from ._group import Group, _Running, world
from ._library import LIBRARY, check, failure


class World(Group):
    """All processes: what `init` returns, to be used with `with`."""

    def __enter__(self) -> World:
        return self

    def __exit__(self, kind: Any, error: Any = None, trace: Any = None) -> None:
        """End ARMCI. An exception ends the job, since the other processes would otherwise never return."""
        if _Running.world is not self:  # it has ended, or this is a child of fork
            return
        if self.size > 1 and kind is not None and not (kind is SystemExit and not error.code):
            traceback.print_exception(kind, error, trace)
            sys.stdout.flush()
            sys.stderr.flush()
            code = error.code if kind is SystemExit and isinstance(error.code, int) else 1
            LIBRARY.ARMCI_Error(f"{kind.__name__} in Python".encode(), code)
        finalize()


def _one_mpi() -> None:
    """Raise ImportError if mpi4py has brought another MPI library than ARMCI's into the process."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        paths = {line.split(maxsplit=5)[5].strip() for line in file if "/libmpi" in line}
    names = sorted(path for path in paths if path.rpartition("/")[2].startswith(("libmpi.so", "libmpi_abi.so", "libmpich.so")))
    if len(names) > 1:
        raise ImportError(f"armci: two MPI libraries are in this process, {' and '.join(names)}: mpi4py and armci need the same one")


def _level(threads: bool) -> int:
    """MPI_THREAD_MULTIPLE or MPI_THREAD_SINGLE, as the MPI library numbers them: MPI's standard ABI has different numbers."""
    major, minor = ctypes.c_int(-1), ctypes.c_int(-1)
    if hasattr(LIBRARY, "MPI_Abi_get_version"):
        LIBRARY.MPI_Abi_get_version(ctypes.byref(major), ctypes.byref(minor))
    return (4096 if major.value > 0 else 3) if threads else 0


def _start(comm: Any, level: int) -> int:
    if comm is None:
        return LIBRARY.ARMCI_Init_thread(level)
    from mpi4py import MPI
    c_type = ctypes.c_int if MPI._sizeof(comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
    LIBRARY.ARMCI_Init_thread_comm.argtypes = [ctypes.c_int, c_type]
    return LIBRARY.ARMCI_Init_thread_comm(level, c_type.from_address(MPI._addressof(comm)))


def init(comm: Any = None, threads: bool = True) -> World:
    """Start ARMCI, and MPI if the program has not. Collective.

    Parameters
    ----------
    comm : mpi4py.MPI.Intracomm, optional
        The processes; all by default. Ranks are those of this communicator.
    threads : bool
        Several threads may call, if MPI is not running yet; else what MPI was started with decides.

    Returns
    -------
    World
        The processes. With `with`, ARMCI ends behind the block; an exception in the block ends the job.

    Examples
    --------
    >>> with armci.init() as world:
    ...     A = armci.zeros(10)
    ...     A.put((world.rank + 1) % world.size, 0, 3.5)
    ...     armci.barrier()
    """
    if _Running.world is not None:
        return _Running.world
    _one_mpi()
    code = _start(comm, _level(threads))
    if code:
        raise failure(code)
    _Running.world = World._of_world()
    return _Running.world


def finalize() -> None:
    """Free what is left, the latest first, and end ARMCI. Collective; a second call does nothing."""
    if _Running.world is None:
        return
    while _Running.owners:
        _Running.owners[-1].free()
    _Running.world = None
    LIBRARY.ARMCI_Finalize()
    check()


__all__ = ["World", "finalize", "init", "world"]
