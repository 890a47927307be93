"""Counters and mutexes."""
from __future__ import annotations

import ctypes

from ._array import zeros
from ._group import Group, Owner, world
from ._library import LIBRARY, as_int, check, failure

FETCH_AND_ADD_LONG, SWAP_LONG = 1, 3


class Counter(Owner):
    """An integer of 64 bits that all processes change atomically. Collective.

    Parameters
    ----------
    initial : int
        The value at first, of process `home`.
    home : int
        The rank that holds it.
    group : Group, optional
        The processes; all by default.
    """

    def __init__(self, initial: int = 0, home: int = 0, group: Group | None = None):
        self.group = group = group or world()
        self._process = group.process(home)
        self._array = zeros(int(group.rank == home), "i8", group)
        self._address: int | None = self._array._bases[home]
        if group.rank == home:
            self._array.local[0] = initial
        group.barrier()
        self._own()

    def _free(self) -> None:
        self._address = None
        self._array.free()

    def _change(self, operation: int, value: int, more: int) -> int:
        word = ctypes.c_long(value)
        code = LIBRARY.ARMCI_Rmw(operation, ctypes.byref(word), self._address, more, self._process)
        if code:
            raise failure(code)
        return word.value

    def fetch_add(self, n: int = 1) -> int:
        """Add an int of 32 bits.

        Parameters
        ----------
        n : int
            What is added.

        Returns
        -------
        int
            The value before.
        """
        return self._change(FETCH_AND_ADD_LONG, 0, as_int(n))

    def swap(self, value: int) -> int:
        """Store a value.

        Parameters
        ----------
        value : int
            An int of 64 bits.

        Returns
        -------
        int
            The value before.
        """
        if not -2**63 <= value < 2**63:
            raise OverflowError(f"{value} has more than 64 bits")
        return self._change(SWAP_LONG, value, 0)

    def read(self) -> int:
        """Read the value.

        Returns
        -------
        int
            The value.
        """
        return self.fetch_add(0)


class Mutex(Owner):
    """A lock of all processes, granted in the order of requests. Collective. Use it with `with`, after `free` no more.

    The next holder sees what the holder before has put, without a fence. The second of two threads of a process waits
    for the first.

    Parameters
    ----------
    home : int
        The rank that keeps it.
    group : Group, optional
        The processes; all by default.
    """

    def __init__(self, home: int = 0, group: Group | None = None):
        self.group = group = group or world()
        group.process(home)
        self._home = home
        self._set = LIBRARY.ARMCIX_Create_mutexes_hdl(int(group.rank == home), group._handle)
        check()
        self._own()

    def _free(self) -> None:
        handle, self._set = self._set, None
        code = LIBRARY.ARMCIX_Destroy_mutexes_hdl(handle)
        if code:
            raise failure(code)

    def acquire(self, blocking: bool = True) -> bool:
        """Lock.

        Parameters
        ----------
        blocking : bool
            Wait for it; without, lock only if no process holds it.

        Returns
        -------
        bool
            True if the caller holds it now.
        """
        if blocking:
            LIBRARY.ARMCIX_Lock_hdl(self._set, 0, self._home)
            code = 0
        else:
            code = LIBRARY.ARMCIX_Trylock_hdl(self._set, 0, self._home)
        check()
        return code == 0

    def release(self) -> None:
        """Complete the caller's operations, also remotely, and unlock."""
        LIBRARY.ARMCIX_Unlock_hdl(self._set, 0, self._home)
        check()

    def __enter__(self) -> Mutex:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
