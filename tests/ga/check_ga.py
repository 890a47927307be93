#!/usr/bin/env python3
"""Build GA from source against an ARMCI installation and run its parallel test programs."""
import sys

import gaprograms
from gabuild import GaBuild
from runner import arguments, run_suite

PARALLEL = ("PARALLEL_TESTS", "PARIO_PARALLEL_TESTS")
GPARRAYS = ("gparrays/testing/testc", "gparrays/testing/transpose")


def chosen(build, words, unwanted):
    """The programs to run: those named by words, or all; without those named by unwanted, which it prints."""
    names = [name.removesuffix(".x") for name in build.programs(*PARALLEL)]
    names += GPARRAYS if build.gparrays else ()
    picked = [name for name in names if not words or any(word in name for word in words)]
    for name in [name for name in picked if any(word in name for word in unwanted)]:
        print(f"left out as asked: {name}")
        picked.remove(name)
    return [gaprograms.program(name, build.folder / (name + ".x")) for name in picked]


def main():
    args = arguments(__doc__, ("--logs", "folder for the output of the programs"),
                     ("--only", dict(default="", help="run only programs whose name contains one of these words")),
                     ("--leave-out", dict(default="", help="leave out programs whose name contains one of these words")),
                     ("--without-gparrays", dict(action="store_true", help="the library has no ARMCI_Memget")))
    build = GaBuild(args.prefix, args.cc, args.family, gparrays=not args.without_gparrays)

    def prepare():
        build.prepare()
        return chosen(build, args.only.split(), args.leave_out.split())

    return run_suite("ga", args, args.logs, prepare)


if __name__ == "__main__":
    sys.exit(main())
