"""What a transfer moves: a view of a slice and a local array as counts and strides, or as lists of addresses."""
from __future__ import annotations

import ctypes
import functools
import operator
from typing import Any, Iterator, NamedTuple, Sequence

import numpy as np

MOST_INT = 2**31 - 1
BLOCK = 2**30  # bytes of one call where an int cannot count them


class Pieces(NamedTuple):
    """One strided call: addresses, strides of both sides in bytes, and counts."""
    far: int
    near: int
    far_strides: Any
    near_strides: Any
    counts: Any
    levels: int


class Shadow(np.ndarray):
    """An array at the address of a slice of another process: to be indexed, never to be read, nor printed."""

    def __repr__(self) -> str:
        return f"<{self.shape} at {address_of(self):#x} of a process>"

    __str__ = __repr__


def array_at(kind: type, address: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array, or a shadow, over memory that the library owns."""
    size = dtype.itemsize * int(np.prod(shape, dtype=object))
    return kind(shape, dtype, (ctypes.c_char * size).from_address(address))


def address_of(array: np.ndarray) -> int:
    return array.ctypes.data


def is_basic(index: Any) -> bool:
    """True if numpy makes a view with this index; raise for what is no index."""
    parts = index if isinstance(index, tuple) else (index,)
    for part in parts:
        if type(part) in (int, slice):
            continue
        if isinstance(part, (bool, np.bool_)):
            raise IndexError("an index is no bool")
        if not (part is None or part is Ellipsis or isinstance(part, slice)):
            try:
                operator.index(part)
            except TypeError:
                return False
    return True


def view(far: np.ndarray, index: Any) -> np.ndarray:
    """The view of a shadow, never a scalar, which numpy would read."""
    parts = index if isinstance(index, tuple) else (index,)
    return far[parts if any(part is Ellipsis for part in parts) else (*parts, Ellipsis)]


def list_of_ints(values: Sequence[int]) -> Any:
    return (ctypes.c_int * max(len(values), 1))(*values)


Dims = tuple[tuple[int, int, int], ...]  # (count, stride there, stride here) of each dimension, the first of bytes


def merged(shape: tuple[int, ...], far: tuple[int, ...], near: tuple[int, ...], itemsize: int) -> Dims:
    """The dimensions of two views of one shape, as few as can be."""
    out = [(itemsize, 1, 1)]
    for _, f, n, count in sorted((abs(f), f, n, count) for count, f, n in zip(shape, far, near) if count > 1):
        length, f_before, n_before = out[-1]
        if (f, n) == (length * f_before, length * n_before):
            out[-1] = (length * count, f_before, n_before)
        else:
            out.append((count, f, n))
    return tuple(out)


def divided(dims: Dims, far: int, near: int) -> Iterator[tuple[int, int, Dims]]:
    """The same as several transfers where an int cannot hold a count or a stride: along that dimension."""
    for i in reversed(range(len(dims))):
        count, f, n = dims[i]
        if i == 0 and count > MOST_INT:
            for begin in range(0, count, BLOCK):
                yield from divided(((min(BLOCK, count - begin), 1, 1), *dims[1:]), far + begin, near + begin)
            return
        if max(count, abs(f), abs(n)) > MOST_INT:
            for k in range(count):
                yield from divided(dims[:i] + dims[i + 1:], far + k * f, near + k * n)
            return
    yield far, near, dims


@functools.lru_cache(1024)
def plan(shape: tuple[int, ...], far: tuple[int, ...], near: tuple[int, ...], itemsize: int) -> list[tuple[int, int, Any, Any, Any, int]]:
    """The calls of a shape and strides: offsets on both sides, strides on both, counts, levels."""
    calls = []
    for there, here, dims in divided(merged(shape, far, near, itemsize), 0, 0):
        counts, f, n = zip(*dims)
        calls.append((there, here, list_of_ints(f[1:]), list_of_ints(n[1:]), list_of_ints(counts), len(dims) - 1))
    return calls


def pieces(far: np.ndarray, near: np.ndarray) -> list[Pieces]:
    """The strided calls between two views of one shape: one, or several beyond 2 GiB; none where they are empty."""
    if far.size == 0:
        return []
    there, here = address_of(far), address_of(near)
    return [Pieces(there + f, here + n, *rest) for f, n, *rest in plan(far.shape, far.strides, near.strides, far.itemsize)]


def chosen(far: np.ndarray, index: Any) -> tuple[np.ndarray, tuple[int, ...], int]:
    """For an index of arrays: the addresses in the slice, the shape of the result, and the bytes at each address."""
    arrays = [np.asarray(part) for part in (index if isinstance(index, tuple) else (index,))]
    arrays = [array if array.size else array.astype(np.intp) for array in arrays]
    if any(array.dtype.kind not in "iu" for array in arrays):
        raise IndexError("an index has ints, slices, None and ..., or arrays of ints alone")
    if len(arrays) > 1 and len(arrays) != far.ndim:
        raise IndexError(f"{len(arrays)} index arrays for {far.ndim} dimensions: one, or one for each dimension")
    arrays = list(np.broadcast_arrays(*arrays))
    base, rows = address_of(far), far.strides[:len(arrays)]
    addresses = np.full(arrays[0].shape, base, np.uintp)
    for axis, (array, length, stride) in enumerate(zip(arrays, far.shape, rows)):
        if array.size and (array.min() < -length or array.max() >= length):
            raise IndexError(f"an index of axis {axis} is outside its {length} elements")
        place = array.astype(np.intp)  # an array of small ints wraps around
        addresses += (np.where(place < 0, place + length, place) * stride).astype(np.uintp)
    rest = far.shape[len(arrays):]
    size = far.itemsize * int(np.prod(rest, dtype=object))
    if max(size, addresses.size) > MOST_INT:
        raise ValueError(f"an index array with {addresses.size} elements of {size} bytes each: select them by slices, or in parts")
    return addresses, arrays[0].shape + rest, size


def addresses_here(near: np.ndarray, leading: int, size: int) -> np.ndarray:
    """The addresses of the parts of a local array, over its first dimensions; each part is contiguous."""
    rest = near[(0,) * leading + (Ellipsis,)] if near.size else near
    if not rest.flags.c_contiguous:
        raise ValueError(f"the local array has gaps within the {size} bytes of an element of the index: copy it")
    out = np.full(near.shape[:leading], address_of(near), np.uintp)
    for axis, (length, stride) in enumerate(zip(near.shape[:leading], near.strides)):
        out += (np.arange(length) * stride).astype(np.uintp).reshape((-1,) + (1,) * (leading - axis - 1))
    return out
