"""Programs other than armci-bench, with each library: examples of the original ARMCI, how long each runs, the start and the end of MPI included; and
a pool of tasks on Debian's Global Arrays."""
import dataclasses
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import types

import rivals
from rivals import TOP

sys.path.insert(0, str(TOP / "tests" / "ga"))
import armciprograms  # noqa: E402  its folder comes first
import gadebian  # noqa: E402
from gasource import Problem, Unavailable, run_logged  # noqa: E402
from results import fault  # noqa: E402
from runner import Suite  # noqa: E402

WORD, POOL = "examples", "ga-pool"
NAMES = ("perf_aggr", *(name for name in armciprograms.EXAMPLES if name.startswith(("aggregation/sparse", "RandomAccess", "cg", "lu/"))))
LIMIT = 15  # seconds for a program
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
            wrong = fault(status, log.read_text(errors="replace"), program.expect) if program.path.exists() else "does not compile"
            if wrong:
                problems.append({"group": WORD, "name": name, "why": wrong[:80].replace("|", "/")})
            else:
                rows.append({"group": WORD, "name": name, "valid": True, "best_ns": 1e9 * taken, "median_ns": 1e9 * taken, "spread": 0})
    return rows, problems


def row(name, times):
    times = sorted(1e6 * time for time in times)
    return {"group": POOL, "name": f"GA pool of 216 tasks{name}", "valid": True, "best_ns": times[0], "median_ns": statistics.median(times),
            "spread": (times[-1] - times[0]) / statistics.median(times)}


def measure_pool(rival, mpi, place, ranks):
    """Rows and problems: the whole, and the time of a process in each part, of all rounds but the first."""
    if rival and rival.back_end:
        return [], [{"group": POOL, "name": "the start", "why": "Debian's Global Arrays are compiled for ARMCI-MPI"}]
    flags, libraries = linked(rival, mpi)
    program, log = (mpi.folder / "benchmarks" / name for name in ("ga-pool", "ga-pool.log"))
    launcher = [mpi.folder / "tests" / "launch"] if place == "node" else [TOP / "tests/hosts/two-hosts", "launch"]
    try:
        run_logged([*mpi.cc.split(), "-O2", "-std=gnu99", "-pthread", *flags, TOP / "benchmarks" / "ga" / "pool.c", "-o", program,
                    gadebian.debian_library(mpi.cc, f"libga-{mpi.family}.a"), *libraries,
                    f"-lscalapack-{mpi.family}", "-llapack", "-lblas", "-lgfortran", "-lm"], log)
    except (Problem, Unavailable) as problem:
        return [], [{"group": POOL, "name": "the start", "why": "does not compile"}]
    ran = subprocess.run([*map(str, launcher), str(ranks), str(2 * LIMIT), str(program)], capture_output=True, text=True,
                         env={**os.environ, "MPI_FAMILY": mpi.family, "MPIEXEC": mpi.mpiexec})
    rounds = re.findall(r"^right ([\d.]+) ms, .*, counter ([\d.]+) ms, gets ([\d.]+) ms, work [\d.]+ ms, accumulates ([\d.]+) ms$", ran.stdout, re.M)[1:]
    if ran.returncode or not rounds or "WRONG" in ran.stdout:
        return [], [{"group": POOL, "name": "the end", "why": "wrong data" if "WRONG" in ran.stdout else f"exit status {ran.returncode}"}]
    return [row(name, map(float, times)) for name, times in zip(("", ", counter", ", gets", ", accumulates"), zip(*rounds))], []
