"""Arrays of which each process has a slice, and transfers to and from them."""
from __future__ import annotations

import ctypes
import operator
import time
from typing import Any

import numpy as np

from ._group import Group, Owner, _Running, world
from ._layout import MOST_INT, Pieces, Shadow, address_of, addresses_here, array_at, chosen, is_basic, list_of_ints, pieces, view
from ._library import LIBRARY, Error, Handle, Segments, check, failure

MOST_DIMENSIONS = 8
KINDS = {kind: [getattr(LIBRARY, name % kind) for name in ("ARMCI_%s", "ARMCI_%sS", "ARMCI_Nb%sS", "ARMCI_Nb%sV")] for kind in ("Get", "Put", "Acc")}
GET, ndarray = LIBRARY.ARMCI_Get, np.ndarray
addressof, from_buffer = ctypes.addressof, ctypes.c_char.from_buffer
ACC = {"i4": 0, "i8": 1, "f4": 2, "f8": 3, "c8": 4, "c16": 5}  # types of accumulates, ARMCI_ACC_*
VALUE = {"i4": "Int", "i8": "Long", "f4": "Float", "f8": "Double"}


class Request:
    """A transfer that may be under way; the local array is in use until `wait` returns, or `test` True.

    Parameters
    ----------
    array : numpy.ndarray
        The local array.

    Attributes
    ----------
    array : numpy.ndarray
        The local array.
    """

    def __init__(self, array: np.ndarray):
        self.array = array
        self._handle = Handle()
        self._used = True

    def wait(self) -> np.ndarray:
        """Wait until the local array may be used.

        Returns
        -------
        numpy.ndarray
            The local array.
        """
        if self._used:
            self._used = False
            code = LIBRARY.ARMCI_Wait(ctypes.byref(self._handle))
            if code:
                raise failure(code)
        return self.array

    def test(self) -> bool:
        """See whether the local array may be used; makes progress.

        Returns
        -------
        bool
            True if it may.
        """
        self._used = self._used and LIBRARY.ARMCI_Test(ctypes.byref(self._handle)) == 1
        return not self._used

    def __del__(self) -> None:
        if self._used and _Running.world is not None:
            LIBRARY.ARMCI_Wait(ctypes.byref(self._handle))


class Array(Owner):
    """A slice of the same type at each process. Made by `zeros` and `empty`.

    An index is what numpy takes for a view (ints, slices with any step, None and ``...``, up to 8 dimensions): the
    transfer is one strided call. Or it is an array of ints along the first axis, or one such array for each axis: the
    transfer is one vector call. Nothing is copied on the way: a local array may have any strides, and has the type
    and shape of what the index selects; another is refused.

    A put or accumulate returns when its local array may be changed, a get when the data have arrived. Others see what
    was put after `fence` or `barrier`. With ``nb=True`` the call returns a `Request` at once.

    Parameters
    ----------
    shape : int or tuple of int
        Of the caller's slice; those of other processes may differ.
    dtype : optional
        Of all slices.
    group : Group, optional
        The processes; all by default.

    Attributes
    ----------
    dtype : numpy.dtype
    shape : tuple of int
        Of the caller's slice.
    shapes : list of tuple of int
        Of all slices, by rank.
    group : Group
        The processes that have slices; ranks are those of this group.
    """

    def __init__(self, shape: int | tuple[int, ...], dtype: Any = float, group: Group | None = None):
        self.group, self.dtype = group or world(), np.dtype(dtype)
        lengths: Any = (shape,) if np.ndim(shape) == 0 else shape
        self.shape = tuple(map(operator.index, lengths))
        self.shapes = self._agree()
        bases = (ctypes.c_void_p * self.group.size)()
        code = LIBRARY.ARMCI_Malloc_group(bases, self._bytes(self.shape), self.group._handle)
        if code:
            raise failure(code)
        self._shadows = [array_at(Shadow, base or 0, shape, self.dtype) for base, shape in zip(bases, self.shapes)]
        self._bases = [base or 0 for base in bases]
        # For the short ways, by rank: address, shape, process, and the shape and bytes of a row.
        self._slices = {rank: (base, shape, process, shape[1:], self._bytes(shape[1:]))
                        for rank, (base, shape, process) in enumerate(zip(self._bases, self.shapes, self.group._processes))}
        name = self.dtype.str[1:] if self.dtype.isnative else ""
        self._acc, value = ACC.get(name), VALUE.get(name, "")
        self._get_value = getattr(LIBRARY, "ARMCI_GetValue" + value) if value else None
        self._put_value = getattr(LIBRARY, "ARMCI_PutValue" + value) if value else None
        self._one = self._number(1) if self._acc is not None else np.empty(0)
        self._address_of_one = address_of(self._one)
        self._size, self._type = self.dtype.itemsize, self.dtype.type
        self._own()

    def _bytes(self, shape: tuple[int, ...]) -> int:
        return self.dtype.itemsize * int(np.prod(shape, dtype=object))

    def _agree(self) -> list[tuple[int, ...]]:
        """The shapes of all slices; every process raises the same error."""
        most = self.dtype.itemsize * int(np.prod([max(length, 1) for length in self.shape], dtype=object))
        wrong = (self.dtype.hasobject or self.dtype.subdtype or self.dtype.itemsize == 0 or len(self.shape) > MOST_DIMENSIONS
                 or min(self.shape, default=0) < 0 or most >= 2**63)
        row = [-1] if wrong else [len(self.shape), self.dtype.itemsize, self.dtype.num, *self.shape]
        table = self.group._gather(row + [0] * (3 + MOST_DIMENSIONS - len(row)))
        if (table[:, 0] < 0).any():
            raise ValueError(f"rank {int(np.argmin(table[:, 0]))}: an array has up to {MOST_DIMENSIONS} dimensions of no negative length, "
                             "fewer than 2**63 bytes, and a type without Python objects or subarrays")
        if (table[:, 1:3] != table[0, 1:3]).any():
            raise ValueError("the types of the slices differ")
        return [tuple(int(length) for length in line[3:3 + line[0]]) for line in table]

    def __repr__(self) -> str:
        return f"<armci.Array: {self.shape} of {self.dtype}, rank {self.group.rank} of {self.group.size}{', freed' * self.freed}>"

    def _free(self) -> None:
        base = self._bases[self.group.rank]
        self._shadows, self._bases, self._slices = [], [], {}
        code = LIBRARY.ARMCI_Free_group(base or None, self.group._handle)
        if code:
            raise failure(code)

    def _shadow(self, rank: int) -> np.ndarray:
        if not self._bases:
            raise Error(1, "the array was freed")
        if not 0 <= rank < self.group.size:
            raise IndexError(f"rank {rank} of {self.group.size}")
        return self._shadows[rank]

    @property
    def local(self) -> np.ndarray:
        """The caller's slice.

        Returns
        -------
        numpy.ndarray
            It ends with this array: do not use it after `free` or the end of ARMCI.
        """
        return self._shadow(self.group.rank).view(np.ndarray)

    def on_node(self, rank: int) -> np.ndarray | None:
        """The slice of a process on the caller's node, for loads and stores.

        Parameters
        ----------
        rank : int
            The process.

        Returns
        -------
        numpy.ndarray or None
            None where memory is not shared. It ends with this array.
        """
        far = self._shadow(rank)
        if far.size == 0:
            return far.view(np.ndarray)
        address = LIBRARY.ARMCIX_Local_address(address_of(far), self.group.process(rank))
        return array_at(np.ndarray, address, self.shapes[rank], self.dtype) if address else None

    # ---- transfers

    def get(self, rank: int, index: Any = ..., out: np.ndarray | None = None, nb: bool = False) -> Any:
        """Copy from the slice of a process.

        Parameters
        ----------
        rank : int
            Whose slice.
        index : optional
            What of it; all by default.
        out : numpy.ndarray, optional
            Where to; a new array by default.
        nb : bool
            Return a `Request`, whose `wait` returns the array.

        Returns
        -------
        numpy.ndarray, scalar or Request
            `out` or the new array; a scalar for one element without `out`.
        """
        if type(out) is ndarray and not nb:
            rows = self._rows(rank, index, out)
            if rows:
                if code := GET(*rows):
                    raise failure(code)
                return out
        elif out is None and type(index) is int and not nb and self._get_value and rank in self._slices:
            base, shape, process, _, _ = self._slices[rank]
            if len(shape) == 1 and 0 <= index < shape[0]:
                value = self._get_value(base + index * self._size, process)
                if not value:  # or the library refused
                    check()
                return self._type(value)
        result = self._transfer("Get", (), rank, index, out, nb)
        return result if nb or out is not None or result.ndim else result[()]

    def put(self, rank: int, index: Any, source: Any, nb: bool = False) -> Request | None:
        """Copy into the slice of a process.

        Parameters
        ----------
        rank : int
            Whose slice.
        index : int, slice, tuple or array of int
            What of it; ``...`` for all.
        source : numpy.ndarray or number
            What is put. A number is put everywhere, an array is broadcast.
        nb : bool
            Return a `Request`.

        Returns
        -------
        Request or None
            A request with `nb`.
        """
        if type(index) is int and isinstance(source, (int, float)) and not nb and self._put_value and rank in self._slices:
            base, shape, process, _, _ = self._slices[rank]
            if len(shape) == 1 and 0 <= index < shape[0]:
                value = source if type(source) is float and self.dtype.kind == "f" else self._number(source).item()
                if code := self._put_value(value, base + index * self._size, process):
                    raise failure(code)
                return None
        return self._give("Put", (), rank, index, source, nb)

    def acc(self, rank: int, index: Any, source: Any, alpha: Any = 1, nb: bool = False) -> Request | None:
        """Add ``alpha * source`` to the slice of a process; atomic for each element against other accumulates.

        Parameters
        ----------
        rank : int
            Whose slice.
        index : int, slice, tuple or array of int
            What of it. An index array may have an element several times: each is added.
        source : numpy.ndarray or number
            What is added.
        alpha : number
            A factor of the array's type, which is int32, int64, float32, float64, complex64 or complex128.
        nb : bool
            Return a `Request`.

        Returns
        -------
        Request or None
            A request with `nb`.
        """
        if self._acc is None:
            raise TypeError(f"an accumulate of {self.dtype}: there are those of {', '.join(map(str, map(np.dtype, ACC)))}")
        if type(alpha) is int and alpha == 1:
            return self._give("Acc", (self._acc, self._address_of_one), rank, index, source, nb)
        scale = self._number(alpha)
        return self._give("Acc", (self._acc, address_of(scale)), rank, index, source, nb)

    def put_flag(self, rank: int, index: Any, source: Any, flag: Array, flag_index: int | tuple[int, ...] = 0, value: int = 1) -> None:
        """Copy into the slice of a process, and then store an int there: who sees the flag, sees the data.

        Parameters
        ----------
        rank : int
            Whose slice.
        index : int, slice or tuple
            What of it; no index arrays.
        source : numpy.ndarray or number
            What is put.
        flag : Array
            Of int32, of the same group.
        flag_index : int or tuple of int
            The element of `flag` at `rank`.
        value : int
            What is stored.
        """
        if flag.dtype != np.int32 or flag.group is not self.group:
            raise TypeError("a flag is an element of an array of int32 of the same group")
        place, value = view(flag._shadow(rank), flag_index), flag._number(value).item()
        far = self._view(rank, index)
        near = self._source(source, far.shape)
        if place.ndim:
            raise IndexError("a flag is one element")
        *first, last = list(pieces(far, near)) or [Pieces(address_of(place), address_of(place), None, None, list_of_ints([0]), 0)]
        for piece in first:
            self._strided("Put", (), piece, rank, None)
        code = LIBRARY.ARMCI_PutS_flag(last.near, last.near_strides, last.far, last.far_strides, last.counts, last.levels, address_of(place),
                                       value, self.group.process(rank))
        if code:
            raise failure(code)

    def wait_until(self, index: int | tuple[int, ...], value: int) -> None:
        """Wait until an element of the caller's slice has a value: a flag of `put_flag`.

        Parameters
        ----------
        index : int or tuple of int
            The element.
        value : int
            The value.
        """
        place = view(self._shadow(self.group.rank), index)
        if place.ndim:
            raise IndexError("a flag is one element")
        while place.item() != value:
            LIBRARY.ARMCIX_Progress()
            time.sleep(0)  # lets other threads run
        LIBRARY.ARMCI_Access_begin(address_of(place))
        check()

    # ---- how

    def _number(self, value: Any) -> np.ndarray:
        """A number in the array's type; raises where it would lose more than digits."""
        out = np.asarray(value)
        ints = out.dtype.kind in "iu" and self.dtype.kind in "iu"
        if out.ndim or (out.astype(self.dtype) != out if ints else not np.can_cast(out.dtype, self.dtype, "same_kind")):
            raise TypeError(f"{value!r} is no number of {self.dtype}")
        return out.astype(self.dtype)

    def _view(self, rank: int, index: Any) -> np.ndarray:
        if not is_basic(index):
            raise IndexError("index arrays cannot be used here")
        return view(self._shadow(rank), index)

    def _source(self, source: Any, shape: tuple[int, ...]) -> np.ndarray:
        """A local array of this shape, by broadcasting only."""
        if not isinstance(source, np.ndarray):
            if np.ndim(source):
                raise TypeError(f"the source is a {type(source).__name__}: pass a numpy array or a number")
            source = self._number(source)
        self._same_type(source)
        return source if source.shape == shape else np.broadcast_to(source, shape)

    def _target(self, out: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
        if out is None:
            return np.empty(shape, self.dtype)
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out is a {type(out).__name__}: pass a numpy array")
        self._same_type(out)
        if out.shape != shape:
            raise ValueError(f"out has the shape {out.shape}, the index selects {shape}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        return out

    def _same_type(self, array: np.ndarray) -> None:
        if array.dtype != self.dtype:
            raise TypeError(f"the local array has the type {array.dtype}, this array {self.dtype}: convert it with astype")

    def _give(self, kind: str, first: tuple, rank: int, index: Any, source: Any, nb: bool) -> Request | None:
        """A put or accumulate."""
        rows = self._rows(rank, index, source) if type(source) is ndarray and not nb else None
        if rows:
            there, here, size, process = rows
            if code := KINDS[kind][0](*first, here, there, size, process):
                raise failure(code)
            return None
        request = self._transfer(kind, first, rank, index, source, nb)
        return request if nb else None

    def _transfer(self, kind: str, first: tuple, rank: int, index: Any, local: Any, nb: bool) -> Any:
        """A get, put or accumulate; returns the local array, or a request."""
        here = self._target if kind == "Get" else self._source
        far = self._shadow(rank)
        if is_basic(index):
            far = view(far, index)
            array = here(local, far.shape)
            request = Request(array) if nb else None
            for piece in pieces(far, array):
                self._strided(kind, first, piece, rank, request)
            return request or array
        addresses, shape, size = chosen(far, index)
        request = Request(here(local, shape))
        self._vector(kind, first, addresses, size, rank, request)
        return request if nb else request.wait()

    def _rows(self, rank: int, index: Any, local: np.ndarray) -> tuple[int, int, int, int] | None:
        """For adjacent rows, or all: addresses there and here, bytes, and the process; None where the index or the local array is not that."""
        place = self._slices.get(rank)
        if place is None or local.dtype is not self.dtype:
            return None
        there, shape, process, row, row_bytes = place
        if type(index) is slice and index.step is None and shape:
            begin, end, _ = index.indices(shape[0])
            there += row_bytes * begin
            shape = (end - begin,) + row
        elif index is not ...:
            return None
        size = local.nbytes
        if local.shape != shape or not 0 < size <= MOST_INT:
            return None
        try:
            return there, addressof(from_buffer(local)), size, process  # type: ignore[arg-type]  # numpy's arrays are buffers
        except (TypeError, ValueError, BufferError):  # it has gaps, or is read-only
            return None

    def _strided(self, kind: str, first: tuple, piece: Pieces, rank: int, request: Request | None) -> None:
        far, near = (piece.far, piece.far_strides), (piece.near, piece.near_strides)
        sides = (*far, *near) if kind == "Get" else (*near, *far)
        words = (*first, *sides, piece.counts, piece.levels, self.group._processes[rank])
        code = KINDS[kind][2](*words, ctypes.byref(request._handle)) if request else KINDS[kind][1](*words)
        if code:
            if request:
                request._used = False
            raise failure(code)

    def _vector(self, kind: str, first: tuple, far: np.ndarray, size: int, rank: int, request: Request) -> None:
        if far.size == 0 or size == 0:
            return
        near = np.ascontiguousarray(addresses_here(request.array, far.ndim, size))
        source, target = (far, near) if kind == "Get" else (near, far)
        segments = Segments(address_of(source), address_of(target), size, far.size)
        code = KINDS[kind][3](*first, ctypes.byref(segments), 1, self.group._processes[rank], ctypes.byref(request._handle))
        if code:
            request._used = False
            raise failure(code)


def empty(shape: int | tuple[int, ...], dtype: Any = float, group: Group | None = None) -> Array:
    """An array whose slices are not cleared. Collective.

    Parameters
    ----------
    shape : int or tuple of int
        Of the caller's slice; those of other processes may differ.
    dtype : optional
        Of all slices.
    group : Group, optional
        The processes; all by default.

    Returns
    -------
    Array
        The array.
    """
    return Array(shape, dtype, group)


def zeros(shape: int | tuple[int, ...], dtype: Any = float, group: Group | None = None) -> Array:
    """An array with a slice of zeros at each process. Collective.

    Parameters
    ----------
    shape : int or tuple of int
        Of the caller's slice; those of other processes may differ.
    dtype : optional
        Of all slices.
    group : Group, optional
        The processes; all by default.

    Returns
    -------
    Array
        The array.
    """
    array = Array(shape, dtype, group)
    array.local[...] = np.zeros((), array.dtype)
    array.group.barrier()
    return array
