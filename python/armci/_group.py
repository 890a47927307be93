"""Groups of processes, and what completes or orders operations among them."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Sequence

import numpy as np

from ._library import LIBRARY, Error, as_int, check, failure


class Group:
    """Processes with memory, mutexes and barriers of their own. Collective over the new members.

    Parameters
    ----------
    ranks : sequence of int
        Members, by their ranks in `parent`; the order gives the new ranks.
    parent : Group, optional
        The world by default.

    Attributes
    ----------
    rank, size : int
        The caller's rank, and the number of members.
    """
    _to_free = False

    def __init__(self, ranks: Sequence[int], parent: Group | None = None):
        parent = parent or world()
        self._handle = (ctypes.c_long * 8)()  # ARMCI_Group, which is shorter
        LIBRARY.ARMCI_Group_create_child(len(ranks), (ctypes.c_int * len(ranks))(*map(as_int, ranks)), self._handle, parent._handle)
        check()
        self._describe()

    @classmethod
    def _of_world(cls) -> Any:
        self = cls.__new__(cls)
        self._handle = (ctypes.c_long * 8)()
        LIBRARY.ARMCI_Group_get_world(self._handle)
        check()
        self._describe()
        return self

    def _describe(self) -> None:
        rank, size = ctypes.c_int(), ctypes.c_int()
        LIBRARY.ARMCI_Group_rank(self._handle, ctypes.byref(rank))
        LIBRARY.ARMCI_Group_size(self._handle, ctypes.byref(size))
        check()
        self.rank, self.size = rank.value, size.value
        self._processes = [LIBRARY.ARMCI_Absolute_id(self._handle, rank) for rank in range(self.size)]

    def __repr__(self) -> str:
        return f"<armci.Group: rank {self.rank} of {self.size}>"

    def process(self, rank: int) -> int:
        """The rank in the world of a member.

        Parameters
        ----------
        rank : int
            The rank in this group.

        Returns
        -------
        int
            The rank in the world.
        """
        if not 0 <= rank < self.size:
            raise IndexError(f"rank {rank} of a group of {self.size}")
        return self._processes[rank]

    def barrier(self) -> None:
        """Complete the operations of all members, also remotely, and wait for all. Collective."""
        LIBRARY.ARMCI_GroupBarrier(self._handle)
        check()

    def free(self) -> None:
        """Free the group, with the last of its arrays, counters and mutexes if it still has some. Collective."""
        self._to_free = True
        self._free_unused()

    def _free_unused(self) -> None:
        """Free the group if that is wanted and nothing needs it."""
        if self._to_free and not any(owner.group is self for owner in _Running.owners):
            LIBRARY.ARMCI_Group_free(self._handle)
            check()

    def _gather(self, row: Sequence[int]) -> np.ndarray:
        """The rows of ints of all members. Collective."""
        table = np.zeros((self.size, len(row)), np.int64)
        table[self.rank] = row
        LIBRARY.armci_msg_group_lgop(table.ctypes.data, table.size, b"+", self._handle)
        check()
        return table


class _Running:
    """What ends with ARMCI: the world, and what is freed before it, in the order of creation."""
    world: Any = None
    owners: list[Any] = []

    @classmethod
    def forget(cls) -> None:
        """In a child of fork: no call of the library, whatever ends there."""
        cls.world, cls.owners = None, []


os.register_at_fork(after_in_child=_Running.forget)


def world() -> Group:
    """The group of all processes.

    Returns
    -------
    Group
        The processes.

    Raises
    ------
    Error
        ARMCI is not running.
    """
    if _Running.world is None:
        raise Error(1, "armci.init() has not been called, or ARMCI has ended")
    return _Running.world


class Owner:
    """What is created and freed collectively, at the latest when ARMCI ends."""
    group: Group

    def _own(self) -> None:
        _Running.owners.append(self)

    @property
    def freed(self) -> bool:
        """Whether it has ended.

        Returns
        -------
        bool
            True after `free`, and after the end of ARMCI.
        """
        return self not in _Running.owners

    def free(self) -> None:
        """Free it, after everything that is outstanding. Collective; a second call does nothing."""
        if self in _Running.owners:
            _Running.owners.remove(self)
            self._free()
            self.group._free_unused()

    def _free(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.free()

    __hash__ = object.__hash__

    def __eq__(self, other: Any) -> bool:
        return self is other


def fence(rank: int | None = None) -> None:
    """Complete the caller's operations, also remotely.

    Parameters
    ----------
    rank : int, optional
        Those to this process of the world; to all by default.
    """
    if rank is None:
        LIBRARY.ARMCI_AllFence()
    else:
        LIBRARY.ARMCI_Fence(as_int(rank))
    check()


def barrier() -> None:
    """Complete the operations of all processes, also remotely, and wait for all. Collective."""
    world().barrier()


def notify(rank: int) -> None:
    """Let one `wait_notify` of a process for the caller return, when the caller's operations to it are complete there.

    Parameters
    ----------
    rank : int
        The process, of the world.
    """
    code = LIBRARY.armci_notify(as_int(rank))
    if code < 0:
        raise failure(code)


def wait_notify(rank: int) -> int:
    """Wait for a notification of a process; each call takes one.

    Parameters
    ----------
    rank : int
        The process that calls `notify`, of the world.

    Returns
    -------
    int
        How many have arrived.
    """
    waits = ctypes.c_int()
    code = LIBRARY.armci_notify_wait(as_int(rank), ctypes.byref(waits))
    if code < 0:
        raise failure(code)
    return code
