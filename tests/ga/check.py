#!/usr/bin/env python3
"""Programs of others on an ARMCI installation: fetch, compile and run them, and judge what they print.

ga: Global Arrays, built from source, and its parallel test programs; ga-debian: some of these on Debian's compiled libga; armci: the test
programs and examples of the original ARMCI; armci-mpi: the test programs of ARMCI-MPI 0.4.
Exit status: 0; 1 a program failed; 77 something that a suite needs is not to be had here."""
import argparse
import sys

import armciprograms
import gadebian
import gaprograms
from gabuild import GaBuild, is_chosen
from runner import add_options, run_compiled, run_suite

BUILD = ("--build", "folder for the programs and their output")
LEAVE_OUT = ("--leave-out", dict(default="", help="leave out programs whose name contains one of these words"))


def chosen(build, words, unwanted):
    """The programs to run: those named by words, or all; without those named by unwanted, which it prints."""
    programs = build.programs()
    picked = [name for name in programs if not words or is_chosen(name, words)]
    for name in [name for name in picked if is_chosen(name, unwanted)]:
        print(f"left out as asked: {name}")
        picked.remove(name)
    return [gaprograms.program(name, programs[name]) for name in picked]


def run_ga(args):
    def prepare():
        build = GaBuild(args.ga, args.by, args.prefix, args.cc, args.family, args.rival, not args.without_gparrays, args.options,
                        args.only.split(), args.leave_out.split())
        build.prepare()
        return chosen(build, args.only.split(), args.leave_out.split())

    return run_suite(f"ga-{args.ga}" + "-cmake" * (args.by == "cmake"), args, args.logs, prepare)


def compiled(prepare):
    """A suite whose programs prepare(args, folder) compiles."""
    return lambda args: run_compiled(args.suite, args, lambda folder: prepare(args, folder))


# What runs a suite, the option for its folder, and its own options.
SUITES = {
    "ga": (run_ga, ("--logs", "folder for the output of the programs"),
           ("--ga", dict(default="5.9.2", help="the release of GA (default: 5.9.2)")),
           ("--by", dict(default="autotools", choices=("autotools", "cmake"), help="what builds it")),
           ("--rival", dict(default="", help="GA's own library instead: mpi-ts, mpi-pr")),
           ("--only", dict(default="", help="run only programs whose name contains one of these words")),
           LEAVE_OUT,
           ("--options", dict(default="", help="options of GA's configure instead of the usual ones")),
           ("--without-gparrays", dict(action="store_true", help="the library has no ARMCI_Memget"))),
    "ga-debian": (compiled(gadebian.prepare), BUILD, LEAVE_OUT),
    "armci": (compiled(armciprograms.prepare_original), BUILD,
              ("--without-examples", dict(action="store_true", help="only the tests, without the one of threads and those that measure")),
              ("--ga", dict(default="5.7.1b0", help="the release of GA whose ARMCI it is (default: 5.7.1b0)"))),
    "armci-mpi": (compiled(armciprograms.prepare_armci_mpi), BUILD),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    suites = parser.add_subparsers(dest="suite", required=True)
    for name, (run, folder, *more) in SUITES.items():
        suite = suites.add_parser(name)
        add_options(suite, folder, *more)
        suite.set_defaults(run=run)
    args = parser.parse_args()
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
