"""Counters, mutexes, groups, notification, flags, and errors."""
import gc
import os
import threading

import numpy as np
import pytest

import armci


def test_counter(world):
    counter, seen = armci.Counter(5, home=world.size - 1), armci.zeros(world.size * 20, "i8")
    for _ in range(20):
        seen.acc(0, [counter.fetch_add() - 5], np.ones(1, "i8"))
    armci.barrier()
    assert counter.read() == 5 + 20 * world.size and (seen.get(0) == 1).all()
    armci.barrier()
    if world.rank == 0:
        assert counter.swap(-2**63) == 5 + 20 * world.size and counter.fetch_add(7) == -2**63
    with pytest.raises(OverflowError):
        counter.fetch_add(2**31)
    with pytest.raises(IndexError):
        armci.Counter(home=world.size)


def test_mutex(world):
    lock, A = armci.Mutex(home=world.size - 1), armci.zeros(1)
    for _ in range(20):
        with lock:
            A.put(0, 0, A.get(0, 0) + 1)
    armci.barrier()
    assert A.get(0, 0) == 20 * world.size
    armci.barrier()
    if world.rank == 0:
        assert lock.acquire()
    armci.barrier()
    assert world.rank == 0 or not lock.acquire(blocking=False)
    armci.barrier()
    if world.rank == 0:
        lock.release()
    with pytest.raises(armci.Error, match="ARMCIX_Unlock_hdl: ") as told:
        lock.release()
    assert told.value.code is armci.Code.MUTEX


def test_threads_run_while_a_call_waits(world):
    """The interpreter is free in a wait: another thread lets the wait end."""
    lock = armci.Mutex()
    if world.rank == 0:
        with lock:
            thread = threading.Thread(target=lambda: (lock.acquire(), lock.release()))
            thread.start()
            thread.join(0.2)
            assert thread.is_alive()
        thread.join()
    armci.barrier()


def test_group(world):
    members = [rank for rank in range(world.size) if rank % 2 == 0][::-1]
    group = armci.Group(members)
    assert group.size == len(members)
    if world.rank in members:
        assert group.rank == members.index(world.rank) and group.process(group.rank) == world.rank
        A, counter = armci.zeros((2, 3), group=group), armci.Counter(group=group)
        A.put((group.rank + 1) % group.size, 0, float(group.rank))
        counter.fetch_add()
        group.barrier()
        assert (A.local[0] == (group.rank - 1) % group.size).all() and counter.read() == group.size
        own = group.rank
        group.free()
        group.free()
        A.put(own, 0, 2.0)  # the arrays remain, and are freed here or by the end
        counter.free()
        A.free()
        with pytest.raises(armci.Error, match="ARMCI_GroupBarrier: "):
            group.barrier()
    else:
        assert group.rank == -1
    with pytest.raises(armci.Error, match="ARMCI_Group_create_child: "):
        armci.Group([world.size])


def test_notification(world, right):
    A, left = armci.zeros(10), (world.rank - 1) % world.size
    for value in (1.0, 2.0, 3.0):
        A.put(right, ..., value)
        armci.notify(right)
        assert armci.wait_notify(left) >= value
        assert (A.local >= value).all()
        armci.barrier()
    with pytest.raises(armci.Error, match="armci_notify: proc = "):
        armci.notify(world.size)


def test_flag(world, right):
    A, flags = armci.zeros((4, 6)), armci.zeros((2, 2), "i4")
    for value in range(1, 20):
        A.put_flag(right, (slice(None), slice(0, 6, 2)), float(value), flags, (1, 1), value)
        flags.wait_until((1, 1), value)
        assert (A.local[:, ::2] == value).all() and not A.local[:, 1::2].any()
        armci.barrier()
    A.put_flag(right, slice(0), 1.0, flags, (0, 0), 5)
    flags.wait_until((0, 0), 5)
    for call in (lambda: A.put_flag(right, ..., 1.0, A), lambda: A.put_flag(right, ..., 1.0, flags, (0, 0), 2**31)):
        with pytest.raises(TypeError):
            call()


def test_neighbours(world, right):
    A = armci.zeros((2, 3), "i4")
    near = A.on_node(right)
    if near is not None:
        near[1] = world.rank + 1
    armci.barrier()
    assert near is None or (A.local[1] == (world.rank - 1) % world.size + 1).all()


def test_errors_have_the_text_of_the_library(world):
    with pytest.raises(armci.Error) as told:
        armci.fence(world.size)
    assert str(told.value) == f"ARMCI_Fence: proc = {world.size} (of {world.size}): invalid rank"
    assert told.value.code is armci.Code.RANK
    for call in (lambda: armci.fence(2**32), lambda: armci.notify(2**32), lambda: armci.wait_notify(-2**32), lambda: armci.Group([2**32])):
        with pytest.raises(OverflowError, match="has more than 32 bits"):
            call()
    with pytest.raises(armci.Error) as told:
        armci.empty(2**50)
    assert told.value.code is armci.Code.MEMORY and "ARMCI_Malloc_group: " in str(told.value)


def test_freed(world, right):
    A, counter, lock = armci.zeros(3), armci.Counter(), armci.Mutex()
    request = A.put(right, ..., np.ones(3), nb=True)
    for owner in (A, counter, lock):
        owner.free()
        owner.free()
        assert owner.freed
    request.wait()
    for call in (A.get, A.put, A.acc):
        with pytest.raises(armci.Error, match="freed"):
            call(right, 0, 1.0) if call != A.get else call(right, 0)
    with pytest.raises(armci.Error):
        counter.fetch_add()
    with armci.zeros(3) as B:
        pass
    assert B.freed
    gc.collect()


@pytest.mark.parametrize("error", (SystemExit, RuntimeError))
def test_child_of_fork(error, world, right):
    """It may leave the block in any way, with a transfer under way: nothing of ARMCI happens in it."""
    A = armci.zeros(1_000_000)
    request = A.get(right, nb=True)
    child = os.fork() if world.rank == 0 else None
    if child == 0:
        try:
            with world:
                del request
                raise error
        except error:
            armci.finalize()
            os._exit(5)
    assert child is None or os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    armci.barrier()
    assert not request.wait().any()


def test_init_nests(world):
    assert armci.init() is world
