"""Each way to select a part of a slice, and each local array, against what numpy does with the same index."""
import random

import numpy as np
import pytest

import armci

TYPES = ("i4", "i8", "f4", "f8", "c8", "c16")
INDICES = (..., 2, -1, (1, 2), (1, ..., 2), slice(None), slice(3, 1), slice(None, None, -1), (slice(1, 4), slice(0, 5, 2)), (slice(4, 0, -2), -2),
           (None, 3), (slice(None), None, slice(2, 4)), (np.int64(2), slice(1, None)))


def numbers(shape, dtype="f8", begin=1):
    return (np.arange(np.prod(shape, dtype=int)) + begin).reshape(shape).astype(dtype)


def filled(shape, dtype="f8"):
    """An array whose slices differ, and what they hold by rank."""
    A = armci.zeros(shape, dtype)
    held = [numbers(shape, dtype, 1000 * rank + 1) for rank in range(A.group.size)]
    A.local[...] = held[A.group.rank]
    armci.barrier()
    return A, held


@pytest.mark.parametrize("dtype", [*TYPES, "u1", "b1", "S3", ">f8", [("a", "i4"), ("b", "f8")]])
def test_types(dtype, world, right):
    A = armci.zeros(7, dtype)
    source = np.zeros(7, dtype)
    source[:] = np.array([1, 0, 1, 1, 0, 0, 1]).astype("i4") if np.dtype(dtype).names is None else (world.rank, 2.5)
    A.put(right, ..., source)
    armci.barrier()
    assert (A.get(right) == source).all() and A.local.dtype == dtype


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indices(index, world, right):
    A, held = filled((5, 6))
    got = A.get(right, index)
    assert np.array_equal(got, held[right][index]) and np.shape(got) == held[right][index].shape
    armci.barrier()
    A.put(right, index, -held[right][index])
    armci.barrier()
    mine = held[world.rank].copy()
    mine[index] *= -1
    assert np.array_equal(A.local, mine)


def some_index(draw, shape):
    """Slices and ints for each dimension, of either direction."""
    parts = []
    for length in shape:
        begin, end = sorted((draw.randrange(length + 1), draw.randrange(length + 1)))
        step = draw.choice((1, 1, 2, 3))
        parts.append(draw.choice((draw.randrange(length), slice(begin, end, step), slice(None), slice(None, None, -step))))
    return tuple(parts)


def local_like(draw, shape, dtype):
    """An array of this shape in some layout: C, Fortran, every other element, backwards, or broadcast from another."""
    kind = draw.randrange(4)
    if kind == 0:
        return np.zeros(shape, dtype)
    if kind == 1:
        return np.zeros(shape, dtype, order="F")
    wide = np.zeros(tuple(2 * length for length in shape), dtype)
    return wide[(*(slice(None, None, 2 if kind == 2 else -2) for _ in shape), ...)]


@pytest.mark.parametrize("dimensions", range(1, 9))
def test_up_to_eight_dimensions(dimensions, world, right):
    draw = random.Random(100 * dimensions + world.rank)
    shape = tuple(random.Random(dimensions).randrange(1, 5) for _ in range(dimensions))
    A, held = filled(shape, "i8")
    for _ in range(40):
        index = some_index(draw, shape)
        expected = held[right][(*index, ...)]
        out = local_like(draw, expected.shape, "i8")
        assert A.get(right, index, out=out) is out
        assert np.array_equal(out, expected), index
    armci.barrier()
    for _ in range(40):
        index = some_index(draw, shape)
        part = held[right][(*index, ...)]
        source = local_like(draw, part.shape, "i8")
        source[...] = numbers(part.shape, "i8", draw.randrange(1000))
        if draw.randrange(2):
            A.put(right, index, source)
            part[...] = source
        else:
            A.acc(right, index, source, alpha=3)
            part += 3 * source
    assert np.array_equal(A.get(right), held[right])


def test_one_call(world, right, monkeypatch):
    """Whatever the index, one call of the library; adjacent parts are one segment."""
    from armci import _array
    A, calls = armci.zeros((4, 5, 6)), []
    count = [lambda *words, f=f: calls.append(words) or f(*words) for f in _array.KINDS["Put"]]
    monkeypatch.setitem(_array.KINDS, "Put", count)
    for index, levels in ((..., None), (slice(1, 3), None), ((slice(1, 3),), 0), ((slice(None), slice(1, 3)), 1),
                          ((slice(None), slice(1, 3), slice(0, 2)), 2), ((slice(None, None, -1), ..., slice(0, 6, 2)), 2)):
        A.put(right, index, np.ones(A.local[index].shape))
        assert len(calls) == 1 and (calls[0][5] if len(calls[0]) == 7 else None) == levels, index
        calls.clear()
    A.put(right, [0, 3, 1], np.ones((3, 5, 6)))
    assert len(calls) == 1


def test_broadcast(world, right):
    A = armci.zeros((4, 5), "f4")
    A.put(right, ..., 2)
    A.put(right, (slice(1, 3), ...), np.arange(5, dtype="f4"))
    A.acc(right, ..., np.float32(1), alpha=0.5)
    armci.barrier()
    expected = np.full((4, 5), 2.5)
    expected[1:3] = np.arange(5) + 0.5
    assert np.array_equal(A.local, expected)


def test_empty(world, right):
    A, held = filled((0, 3))
    assert A.get(right).shape == (0, 3) and A.local.shape == (0, 3) and A.on_node(right).shape == (0, 3)
    A.put(right, ..., np.zeros((0, 3)))
    A.put(right, slice(0), 1.0)
    A.acc(right, ..., np.zeros((0, 3)))
    assert A.get(right, []).shape == (0, 3)
    assert armci.zeros(()).get(right) == 0


def test_shapes_differ(world, right):
    A = armci.zeros((world.rank + 1, 3), "i4")
    assert A.shapes == [(rank + 1, 3) for rank in range(world.size)]
    A.put(right, -1, np.full(3, world.rank, "i4"))
    armci.barrier()
    assert (A.local[-1] == (world.rank - 1) % world.size).all()
    with pytest.raises(IndexError):
        A.get(0, 1)


@pytest.mark.parametrize("name", TYPES)
def test_accumulates_add_up(name, world):
    A = armci.zeros((3, 4), name)
    alpha = 2 + 1j if name[0] == "c" else 2
    for _ in range(10):
        A.acc(0, slice(None, None, 2), np.ones(4, name), alpha)
    armci.barrier()
    assert np.array_equal(A.get(0)[::2], np.full((2, 4), 10 * world.size * alpha, name)) and not A.get(0)[1].any()


def test_index_arrays(world, right):
    A, held = filled((6, 4), "i8")
    for index in ([0, -1, 3, 3], np.array([[1, 2], [5, 0]]), ([1, 2, -1], [0, -2, 3]), ([[1], [2]], [0, 3]), [],
                  np.array([5, 4, -1], "i1"), np.array([5, 4], "u8"), (np.array([5, 4], "u1"), np.array([3], "i2"))):
        expected = held[right][index if len(index) else np.zeros(0, int)]
        assert np.array_equal(A.get(right, index), expected)
        out = np.zeros(tuple(2 * length for length in expected.shape), "i8")[(*[slice(None, None, 2)] * (expected.ndim - 1), slice(expected.shape[-1]))]
        if isinstance(index, tuple):
            A.get(right, index, out=out)
            assert np.array_equal(out, expected)
    armci.barrier()
    A.put(right, [5, 1], np.array([[1, 2, 3, 4], [5, 6, 7, 8]]))
    A.acc(right, ([0, 0, 0], [2, 2, 2]), np.array([1, 10, 100]), alpha=2)
    held[right][[5, 1]] = [[1, 2, 3, 4], [5, 6, 7, 8]]
    held[right][0, 2] += 222
    assert np.array_equal(A.get(right), held[right])


def test_requests(world, right):
    A, held = filled((50, 40))
    out = np.zeros((50, 40))
    requests = [A.get(right, row, out=out[row], nb=True) for row in range(50)]
    for request in requests[::2]:
        request.wait()
    for request in requests[1::2]:
        while not request.test():
            pass
    assert np.array_equal(out, held[right])
    got = A.get(right, slice(0, 3), nb=True).wait()
    assert np.array_equal(got, held[right][:3])
    armci.barrier()
    for row in range(50):
        A.put(right, row, np.full(40, float(row)), nb=True)  # dropped: complete before the array may go
        A.acc(right, row, np.full(40, 1.0), nb=True).wait()
    armci.barrier()
    assert np.array_equal(A.local, np.arange(1, 51)[:, None] + np.zeros(40))


def test_scalars(world, right):
    for name in ("i4", "i8", "f4", "f8"):
        A = armci.zeros(3, name)
        A.put(right, 1, 7)
        A.put(right, -1, 8)
        armci.barrier()
        assert type(A.get(right, 1)) is np.dtype(name).type and list(A.local) == [0, 7, 8]
        assert A.get(right, -1) == 8
        with pytest.raises(IndexError):
            A.get(right, 3)
        with pytest.raises(TypeError):
            A.put(right, 0, 1j)
    for name in ("u1", "u4", "u8", "i1", "f2"):
        A = armci.zeros(3, name)
        A.put(right, ..., 5)
        A.put(right, 1, np.int64(6))
        armci.barrier()
        assert list(A.local) == [5, 6, 5]
    for name, value in (("i4", 2**31), ("u1", 256), ("u1", -1), ("u8", -1), ("u8", 2**64), ("i8", 2**63), ("u4", 1.0)):
        with pytest.raises(TypeError):
            armci.zeros(1, name).put(right, 0, value)


def test_refused(world, right):
    """In one line, and before anything moves."""
    A = armci.zeros((4, 5))
    frozen = np.zeros((4, 5))
    frozen.flags.writeable = False
    for error, call in ((TypeError, lambda: A.get(right, out=np.zeros((4, 5), "f4"))), (ValueError, lambda: A.get(right, out=np.zeros((5, 4)))),
                        (ValueError, lambda: A.get(right, out=frozen)), (TypeError, lambda: A.get(right, out=[1.0])),
                        (TypeError, lambda: A.put(right, 0, [1.0] * 5)), (TypeError, lambda: A.put(right, ..., np.zeros((4, 5), ">f8"))),
                        (ValueError, lambda: A.put(right, ..., np.zeros(3))), (IndexError, lambda: A.get(world.size)), (IndexError, lambda: A.get(-1)),
                        (IndexError, lambda: A.get(right, 4)), (IndexError, lambda: A.get(right, [4])), (IndexError, lambda: A.get(right, True)),
                        (IndexError, lambda: A.get(right, "a")), (IndexError, lambda: A.get(right, 1.5)), (IndexError, lambda: A.get(right, np.zeros(4, bool))),
                        (IndexError, lambda: A.get(right, ([0], [0], [0]))), (TypeError, lambda: armci.zeros(2, "u1").acc(right, ..., np.ones(2, "u1"))),
                        (ValueError, lambda: A.put(right, [0, 1], np.zeros((2, 10))[:, ::2])),
                        (ValueError, lambda: armci.zeros((1,) * 9)), (ValueError, lambda: armci.zeros(2, object)), (ValueError, lambda: armci.zeros(-1)),
                        (ValueError, lambda: armci.zeros(2**61)), (ValueError, lambda: armci.zeros((0, 2**63))),
                        (ValueError, lambda: armci.zeros(1 if world.rank else 2**63)),
                        (ValueError, lambda: armci.zeros(2, ("f8", 3))), (TypeError, lambda: armci.zeros(2.5)),
                        (TypeError, lambda: A.acc(right, 0, 1.0, alpha=np.ones(5)))):
        with pytest.raises(error) as told:
            call()
        assert "\n" not in str(told.value)
    armci.barrier()
    assert not A.local.any()


def test_beyond_int():
    """Counts and strides that no int holds become several calls: the same bytes, each once."""
    from armci import _layout
    gib = 2**30
    far, near = (_layout.array_at(_layout.Shadow, gib, (3, 5 * gib), np.dtype("i1")) for _ in range(2))
    calls = list(_layout.pieces(far, near))
    assert sum(piece.counts[0] for piece in calls) == 15 * gib and all(piece.levels == 0 and piece.far == piece.near for piece in calls)
    calls = list(_layout.pieces(far[:, ::gib], np.zeros((3, 5), "i1")))
    assert [list(piece.counts) for piece in calls] == [[1, 15]]
    calls = list(_layout.pieces(far[:, ::3 * gib], np.zeros((3, 2), "i1")))
    assert sorted(piece.far for piece in calls) == [gib + row * 5 * gib + column * 3 * gib for row in range(3) for column in range(2)]
    with pytest.raises(ValueError, match="1 elements of 5368709120 bytes"):
        _layout.chosen(far, [0])
