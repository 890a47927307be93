"""The programs of a wheel: each of its console scripts becomes the program of that name."""
import ctypes
import os
import sys
from pathlib import Path


def main():
    """Replace this process by the program; without an MPI library, end with a line that says what to install."""
    name, folder = Path(sys.argv[0]).name, Path(__file__).resolve().parent / "armci"
    try:
        ctypes.CDLL(str(folder / "lib/libarmci.so.0"))
    except OSError as problem:
        sys.exit(f"{name}: {problem}: pip install mpich (or impi-rt), or put the folder of your MPI library into LD_LIBRARY_PATH")
    library = ["--library", str(folder / "lib/libarmci-prof.so")] if name == "armci-prof" else []
    program = folder / "bin" / name
    os.execv(program, [str(program), *library, *sys.argv[1:]])
