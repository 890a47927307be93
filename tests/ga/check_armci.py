#!/usr/bin/env python3
"""Compile the test programs of the original ARMCI against an ARMCI installation and run them."""
import pathlib
import shutil
import sys

import gasource
from gasource import Problem, run_logged
from runner import Program, arguments, run_suite
from results import Expect

# They are old C: their headers come through configure tests that are not run here.
HEADERS = ("stdio", "stdlib", "string", "strings", "assert", "unistd", "math", "sys/time")
CFLAGS = ["-std=gnu99", "-O2", "-g", "-pthread", *(word for h in HEADERS for word in ("-include", h + ".h"))]
PROGRAMS = {
    "test": dict(seconds=180, expect=Expect(must=["All tests passed"])),
    "test2": dict(expect=Expect(must=["Accumulate and Collective tests passed"])),
    "test_groups": dict(ranks=(4,), expect=Expect(must=["Collective groups: Success!!"])),
    "testnotify": dict(expect=Expect(must=[r"(?s)(\]--------\nOK\n.*){7}"])),
    "simple": dict(expect=Expect(must=[r"(?s)(Nb Get Latency.*){10}"])),
    "simplelock": dict(expect=Expect(must=["test passed"])),
    "msgcheck": dict(expect=Expect(must=["Test length = 131072 ... broadcast OK ...global sums OK", "per reduce"])),
    "perf": dict(seconds=180, expect=Expect(must=["Tests Completed"])),
    "perf2": dict(ranks=(2,), expect=Expect(must=[r"(?s)Accumulate.*1048576"])),
    "perf_aggr": dict(expect=Expect(must=["Success!!"])),
    "perf_nb": dict(seconds=180, expect=Expect(must=["Success!!"])),
    "perf_strided": dict(ranks=(2,), expect=Expect(must=[r"(?s)Accumulate Strided.*1048576.*1048576\s+1\n"])),
}


def prepare(args, folder):
    """Compile each program; one that does not compile is counted as failed when its turn comes."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    prefix, source = pathlib.Path(args.prefix).resolve(), gasource.sources() / "armci" / "testing"
    for name in PROGRAMS:
        command = [*args.cc.split(), *CFLAGS, f"-I{prefix}/include", source / (name + ".c"), "-o", folder / name,
                   f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-larmci", "-lm"]
        try:
            run_logged(command, folder / (name + ".compile.log"))
        except Problem as problem:
            print(problem)
    return [Program(name, folder / name, **special) for name, special in PROGRAMS.items()]


def main():
    args = arguments(__doc__, ("--build", "folder for the programs and their output"))
    folder = pathlib.Path(args.build).resolve()
    return run_suite("armci", args, folder / "logs", lambda: prepare(args, folder))


if __name__ == "__main__":
    sys.exit(main())
