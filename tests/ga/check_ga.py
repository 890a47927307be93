#!/usr/bin/env python3
"""Build GA from source against an ARMCI installation and run its parallel test programs."""
import argparse
import pathlib
import sys

import gaprograms
from gabuild import GaBuild
from gasource import Problem
from runner import Suite

PARALLEL = ("PARALLEL_TESTS", "PARIO_PARALLEL_TESTS")
GPARRAYS = ("gparrays/testing/testc", "gparrays/testing/transpose")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prefix", required=True, help="where the ARMCI library is installed")
    parser.add_argument("--family", required=True, choices=("mpich", "openmpi"), help="the MPI library")
    parser.add_argument("--cc", required=True, help="its C compiler wrapper")
    parser.add_argument("--launch", required=True, help="the launcher: launch RANKS SECONDS PROGRAM")
    parser.add_argument("--logs", required=True, help="folder for the output of the programs")
    parser.add_argument("--ranks", default="2 4", help="numbers of ranks (default: 2 4)")
    parser.add_argument("--only", default="", help="run only programs whose name contains one of these words")
    parser.add_argument("--leave-out", default="", help="leave out programs whose name contains one of these words")
    parser.add_argument("--without-gparrays", action="store_true", help="the library has no ARMCI_Memget")
    return parser.parse_args()


def chosen(build, words, unwanted):
    """The programs to run: those named by words, or all; without those named by unwanted, which are told."""
    names = [name.removesuffix(".x") for name in build.programs(*PARALLEL)]
    names += GPARRAYS if build.gparrays else ()
    picked = [name for name in names if not words or any(word in name for word in words)]
    for name in [name for name in picked if any(word in name for word in unwanted)]:
        print(f"left out as asked: {name}")
        picked.remove(name)
    return [gaprograms.program(name, build.folder / (name + ".x")) for name in picked]


def main():
    args = arguments()
    build = GaBuild(args.prefix, args.cc, args.family, gparrays=not args.without_gparrays)
    try:
        build.prepare()
    except Problem as problem:
        print(f"{problem}\n0 passed, 1 failed")
        return 1
    suite = Suite("ga", args.family, pathlib.Path(args.launch).resolve(), pathlib.Path(args.logs).resolve())
    suite.run(chosen(build, args.only.split(), args.leave_out.split()), [int(word) for word in args.ranks.split()])
    return suite.report()


if __name__ == "__main__":
    sys.exit(main())
