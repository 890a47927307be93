#!/usr/bin/env python3
"""Build GA from source against an ARMCI installation and run its parallel test programs."""
import sys

import gaprograms
from gabuild import GaBuild, is_chosen
from runner import arguments, run_suite


def chosen(build, words, unwanted):
    """The programs to run: those named by words, or all; without those named by unwanted, which it prints."""
    programs = build.programs()
    picked = [name for name in programs if not words or is_chosen(name, words)]
    for name in [name for name in picked if is_chosen(name, unwanted)]:
        print(f"left out as asked: {name}")
        picked.remove(name)
    return [gaprograms.program(name, programs[name]) for name in picked]


def main():
    args = arguments(__doc__, ("--logs", "folder for the output of the programs"),
                     ("--ga", dict(default="5.9.2", help="the release of GA (default: 5.9.2)")),
                     ("--by", dict(default="autotools", choices=("autotools", "cmake"), help="what builds it")),
                     ("--rival", dict(default="", help="GA's own library instead: mpi-ts, mpi-pr")),
                     ("--only", dict(default="", help="run only programs whose name contains one of these words")),
                     ("--leave-out", dict(default="", help="leave out programs whose name contains one of these words")),
                     ("--options", dict(default="", help="options of GA's configure instead of the usual ones")),
                     ("--without-gparrays", dict(action="store_true", help="the library has no ARMCI_Memget")))

    def prepare():
        build = GaBuild(args.ga, args.by, args.prefix, args.cc, args.family, args.rival, not args.without_gparrays, args.options,
                        args.only.split())
        build.prepare()
        return chosen(build, args.only.split(), args.leave_out.split())

    return run_suite(f"ga-{args.ga}" + "-cmake" * (args.by == "cmake"), args, args.logs, prepare)


if __name__ == "__main__":
    sys.exit(main())
