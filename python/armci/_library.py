"""The shared library: where it is found, its functions, and its errors as exceptions."""
from __future__ import annotations

import ctypes
import enum
import os
import re
import threading
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_long, c_void_p
from pathlib import Path

NAME = "libarmci.so.0"
HANDLER = ctypes.CFUNCTYPE(None, c_int, c_char_p)


class Code(enum.IntEnum):
    """Why the library refused a call: `ARMCI_Err_e` of armci.h."""
    STATE = 1
    RANK = 2
    ADDRESS = 3
    RANGE = 4
    COUNT = 5
    TYPE = 6
    ALIGN = 7
    MUTEX = 8
    GROUP = 9
    HANDLE = 10
    MEMORY = 11
    ARGUMENT = 12


class Error(RuntimeError):
    """The library refused a call; the message is its own.

    Parameters
    ----------
    code : int
        Why: a `Code`.
    text : str
        The message.

    Attributes
    ----------
    code : Code
        Why.
    """

    def __init__(self, code: int, text: str):
        super().__init__(text)
        self.code = Code(code)


class Handle(ctypes.Structure):
    """`armci_hdl_t`."""
    _fields_ = [("slot", ctypes.c_uint), ("tag", ctypes.c_uint)]


class Segments(ctypes.Structure):
    """`armci_giov_t`."""
    _fields_ = [("source", c_void_p), ("target", c_void_p), ("bytes", c_int), ("number", c_int)]


def _open() -> ctypes.CDLL:
    """The library beside this package, or the loader's. Its names are global, so that armci-prof stands in front of them."""
    here = Path(__file__).resolve().parent
    found = [str(path) for path in (here / "lib" / NAME, here.parents[1] / NAME) if path.exists()]
    try:
        ctypes.CDLL((found or [NAME])[0], mode=os.RTLD_NOW | os.RTLD_GLOBAL)
    except OSError as problem:
        missing = re.match(r"(libmpi[\w.-]*): cannot open", str(problem))
        if not missing:
            raise ImportError(f"armci: {problem}") from None
        remedy = "pip install mpich (or impi-rt)" if "_abi" in missing[1] else "install the MPI library that armci was built with"
        raise ImportError(f"armci: there is no {missing[1]}: {remedy}, or put its folder into LD_LIBRARY_PATH") from None
    return ctypes.CDLL(None)


LIBRARY = _open()

_void, _lists = None, [c_void_p] * 5
_strided = [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_int]
_acc = [c_int, c_void_p]
_FUNCTIONS = {
    "ARMCI_Init_thread": (c_int, [c_int]), "ARMCI_Finalize": (c_int, []),
    "ARMCI_Error": (_void, [c_char_p, c_int]), "ARMCI_RMA_Version": (c_char_p, []),
    "ARMCI_Malloc_group": (c_int, [c_void_p, c_long, c_void_p]), "ARMCI_Free_group": (c_int, [c_void_p, c_void_p]),
    "ARMCI_Put": (c_int, [c_void_p, c_void_p, c_int, c_int]), "ARMCI_Get": (c_int, [c_void_p, c_void_p, c_int, c_int]),
    "ARMCI_Acc": (c_int, _acc + [c_void_p, c_void_p, c_int, c_int]),
    "ARMCI_PutS": (c_int, _strided), "ARMCI_GetS": (c_int, _strided), "ARMCI_AccS": (c_int, _acc + _strided),
    "ARMCI_NbPutS": (c_int, _strided + [c_void_p]), "ARMCI_NbGetS": (c_int, _strided + [c_void_p]),
    "ARMCI_NbAccS": (c_int, _acc + _strided + [c_void_p]),
    "ARMCI_NbPutV": (c_int, [c_void_p, c_int, c_int, c_void_p]), "ARMCI_NbGetV": (c_int, [c_void_p, c_int, c_int, c_void_p]),
    "ARMCI_NbAccV": (c_int, _acc + [c_void_p, c_int, c_int, c_void_p]),
    "ARMCI_PutS_flag": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_int, c_int]),
    "ARMCI_PutValueInt": (c_int, [c_int, c_void_p, c_int]), "ARMCI_PutValueLong": (c_int, [c_long, c_void_p, c_int]),
    "ARMCI_PutValueFloat": (c_int, [c_float, c_void_p, c_int]), "ARMCI_PutValueDouble": (c_int, [c_double, c_void_p, c_int]),
    "ARMCI_GetValueInt": (c_int, [c_void_p, c_int]), "ARMCI_GetValueLong": (c_long, [c_void_p, c_int]),
    "ARMCI_GetValueFloat": (c_float, [c_void_p, c_int]), "ARMCI_GetValueDouble": (c_double, [c_void_p, c_int]),
    "ARMCI_Wait": (c_int, [c_void_p]), "ARMCI_Test": (c_int, [c_void_p]), "ARMCI_WaitAll": (c_int, []),
    "ARMCI_Fence": (_void, [c_int]), "ARMCI_AllFence": (_void, []), "ARMCI_GroupBarrier": (_void, [c_void_p]),
    "ARMCI_Rmw": (c_int, [c_int, c_void_p, c_void_p, c_int, c_int]), "ARMCI_Access_begin": (_void, [c_void_p]),
    "armci_notify": (c_int, [c_int]), "armci_notify_wait": (c_int, [c_int, c_void_p]),
    "ARMCI_Group_get_world": (_void, [c_void_p]), "ARMCI_Group_create_child": (_void, [c_int, c_void_p, c_void_p, c_void_p]),
    "ARMCI_Group_free": (_void, [c_void_p]), "ARMCI_Group_rank": (c_int, [c_void_p, c_void_p]),
    "ARMCI_Group_size": (_void, [c_void_p, c_void_p]), "ARMCI_Absolute_id": (c_int, [c_void_p, c_int]),
    "armci_msg_group_lgop": (_void, [c_void_p, c_int, c_char_p, c_void_p]),
    "ARMCIX_Create_mutexes_hdl": (c_void_p, [c_int, c_void_p]), "ARMCIX_Destroy_mutexes_hdl": (c_int, [c_void_p]),
    "ARMCIX_Lock_hdl": (_void, [c_void_p, c_int, c_int]), "ARMCIX_Trylock_hdl": (c_int, [c_void_p, c_int, c_int]),
    "ARMCIX_Unlock_hdl": (_void, [c_void_p, c_int, c_int]), "ARMCIX_Local_address": (c_void_p, [c_void_p, c_int]),
    "ARMCIX_Progress": (_void, []), "ARMCIX_Set_error_handler": (_void, [HANDLER]),
}


def _declare() -> None:
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(LIBRARY, name)
        function.restype, function.argtypes = result, arguments


_last = threading.local()


@HANDLER
def _keep(code: int, text: bytes) -> None:
    _last.error = (code, text.decode(errors="replace"))


def failure(code: int = Code.ARGUMENT) -> Error:
    """The error that this thread's last call met, for `raise`."""
    return Error(*_last.__dict__.pop("error", (abs(code), f"the library returned {code}")))


def check() -> None:
    """Raise the error of a function that returns no code."""
    if "error" in _last.__dict__:
        raise failure()


def as_int(value: int) -> int:
    """The value, if an int of C holds it: ctypes would cut it."""
    if not -2**31 <= value < 2**31:
        raise OverflowError(f"{value} has more than 32 bits")
    return value


_declare()
LIBRARY.ARMCIX_Set_error_handler(_keep)
