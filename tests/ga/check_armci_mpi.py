#!/usr/bin/env python3
"""Compile the test programs of ARMCI-MPI 0.4 against an ARMCI installation and run them.

Left out are those of its folders tests/mpi, which test MPI without ARMCI, and tests/ctree, which test a part of ARMCI-MPI."""
import sys

import gasource
from check_armci import compile_program
from gasource import Problem
from results import Expect
from runner import Program, arguments, run_compiled

PASS, SUCCESS = Expect(must=["Test complete: PASS"]), Expect(must=["Success"])
LU = ["tests/contrib/lu/lu_timing.c"]
# Those that ARMCI-MPI's `make check` runs, and three more that it only builds (cg, lu, overlap); further sources, arguments.
PROGRAMS = {
    "tests/test_onesided": dict(expect=PASS),
    "tests/test_onesided_shared": dict(expect=PASS),
    "tests/test_onesided_shared_dla": dict(expect=PASS),
    "tests/test_mutex": dict(expect=PASS),
    "tests/test_mutex_rmw": dict(expect=PASS),
    "tests/test_mutex_trylock": dict(expect=PASS),
    "tests/test_malloc": dict(expect=PASS),
    "tests/test_malloc_irreg": dict(expect=PASS),
    "tests/ARMCI_PutS_latency": dict(),
    "tests/ARMCI_AccS_latency": dict(),
    "tests/test_groups": dict(),
    "tests/test_group_split": dict(),
    "tests/test_malloc_group": dict(),
    "tests/test_accs": dict(expect=SUCCESS),
    "tests/test_accs_dla": dict(expect=SUCCESS),
    "tests/test_puts": dict(expect=SUCCESS),
    "tests/test_puts_gets": dict(expect=SUCCESS),
    "tests/test_puts_gets_dla": dict(expect=SUCCESS),
    "tests/test_putv": dict(expect=SUCCESS),
    "tests/test_assert": dict(expect=Expect(ends="ARMCI_Get")),   # it gets from address 0, and is meant to be stopped
    "tests/test_igop": dict(),
    "tests/test_rmw_fadd": dict(expect=PASS),
    "tests/test_parmci": dict(more=["tests/test_parmci_lib.c"], expect=PASS),
    "tests/contrib/armci-perf": dict(),
    "tests/contrib/armci-test": dict(expect=Expect(must=["All tests passed"])),
    "tests/contrib/lu/lu": dict(more=LU),
    "tests/contrib/lu/lu-block": dict(more=LU),
    "tests/contrib/lu/lu-b-bc": dict(more=LU),
    "tests/contrib/transp1D/transp1D-c": dict(expect=Expect(must=["1D transpose successful"], harmless=["No errors found"])),
    "tests/contrib/non-blocking/simple": dict(),
}


def prepare(args, folder):
    """Compile each program; one that does not compile is counted as failed when its turn comes."""
    tree = gasource.sources(gasource.ARMCI_MPI)
    programs = []
    for name, special in PROGRAMS.items():
        special = dict(special)
        more = special.pop("more", [])
        programs.append(Program(name, folder / name.replace("/", "_"), **special))
        try:
            compile_program(args, tree, folder, name, [name + ".c", *more])
        except Problem as problem:
            print(problem)
    return programs


def main():
    args = arguments(__doc__, ("--build", "folder for the programs and their output"))
    return run_compiled("armci-mpi", args, lambda folder: prepare(args, folder))


if __name__ == "__main__":
    sys.exit(main())
