"""The original ARMCI's measuring programs and examples with each library: how long each runs, the start and the end of MPI included."""
import dataclasses
import pathlib
import sys
import tempfile
import time
import types

import rivals
from rivals import TOP

sys.path.insert(0, str(TOP / "tests" / "ga"))
import armciprograms  # noqa: E402  its folder comes first
from results import fault  # noqa: E402
from runner import Suite  # noqa: E402

WORD = "examples"
NAMES = ("perf_aggr", *(name for name in armciprograms.EXAMPLES if name.startswith(("aggregation/sparse", "RandomAccess", "cg", "lu/"))))
LIMIT = 8  # seconds for a program
START = [str(TOP / "benchmarks" / "examples_start.c"), "-Wl,--wrap=armci_msg_init,--wrap=armci_msg_finalize"]


def linked(rival, mpi):
    """Flags for the compiler, and what is linked, of a library; of this one without a rival."""
    if rival:
        flags, libraries = rival.prepare(rival, mpi)
        return flags, [*START, *libraries, "-lpthread"]
    return [f"-I{TOP / 'include'}"], [str(mpi.folder / ".libs" / "libarmci.a"), "-lpthread", "-lrt", "-ldl"]


def measure(rival, mpi, ranks):
    """Rows and problems."""
    flags, libraries = linked(rival, mpi)
    rows, problems = [], []
    with tempfile.TemporaryDirectory(dir=mpi.folder / "benchmarks") as folder:
        folder = pathlib.Path(folder)
        args = types.SimpleNamespace(cc=" ".join([mpi.cc, *flags]), prefix="/none", link=libraries, ga="5.7.1b0", without_examples=False)
        suite = Suite("armci", mpi.family, str(mpi.folder / "tests" / "launch"), folder)
        for program in armciprograms.prepare_original(args, folder, NAMES):
            name = f"{WORD}: {program.name}"
            log = folder / "log"
            begin = time.monotonic()
            status = suite.launch(dataclasses.replace(program, seconds=LIMIT), ranks, log) if program.path.exists() else 127
            taken = time.monotonic() - begin
            wrong = fault(status, log.read_text(errors="replace"), program.expect) if program.path.exists() else "not built"
            if wrong:
                problems.append({"group": WORD, "name": name, "why": wrong[:80].replace("|", "/")})
            else:
                rows.append({"group": WORD, "name": name, "valid": True, "best_ns": 1e9 * taken, "median_ns": 1e9 * taken, "spread": 0})
    return rows, problems
