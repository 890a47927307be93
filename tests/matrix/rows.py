"""rows.py - which runs a cell of the matrix has, and carrying them out under the lock that keeps launches apart."""
import fcntl
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
LONGEST_HOLD = 15  # seconds after which no further run begins under the same hold of the lock
CORE = ("contiguous", "random", "acc", "atomics", "mutex", "groups", "nonblocking", "vector")
# Beside CORE: what else programs call, and the paths that variables force, each where most of its work is.
MORE = ("order", "flag", "values", "memory", "memget", "fence", "litmus", "messages", "reductions",
        "topology", "notify", "init", "start", "threads", "stats", "errors", "async", "shared", "snippets")
FORCED = ("random ARMCI_STRIDED_METHOD=iov ARMCI_SHM=no", "random ARMCI_STRIDED_METHOD=iov ARMCI_IOV_METHOD=direct ARMCI_SHM=no",
          "acc ARMCI_STRIDED_METHOD=iov ARMCI_IOV_METHOD=direct ARMCI_SHM=no", "contiguous ARMCI_USE_WIN_ALLOCATE=no ARMCI_SHM=no",
          "order ARMCI_SHM=no", "notify ARMCI_SHM=no", "fence ARMCI_SHM=no")
# Without shared memory what waits for other processes takes long.
QUICK_RANDOM = " --families=transfers,fence,rmw"
SETS = {"core": "eight programs, with defaults and with `ARMCI_SHM=no`",
        "most": "those and the other programs with defaults, and the more important of the forced paths",
        "all": "every row of tests/mpi/testlist that runs on 2 ranks"}
NOT_ON_TWO_NODES = ("test_big", "test_shortage", "ARMCI_NODES")


def row_of(name, variables):
    """A row of testlist on 2 ranks."""
    return f"test_{name} 2 40 pass {variables}".strip() + (QUICK_RANDOM if name == "random" and variables else "")


def core_rows():
    """With default settings, and without shared memory, where all goes through MPI."""
    return [row_of(name, variables) for name in CORE for variables in ("", "ARMCI_SHM=no")]


def most_rows():
    """The core, every other program with defaults, and forced paths."""
    words = [(name, "") for name in MORE] + [line.partition(" ")[::2] for line in FORCED]
    return core_rows() + [row_of(*word) for word in words]


def all_rows():
    """Those of the list that run on 2 ranks."""
    rows = []
    for line in (TOP / "tests/mpi/testlist").read_text().splitlines():
        words = line.split()
        if words and not line.startswith("#") and "2" in words[1].split(",") and words[3] != "long":
            rows.append(" ".join([words[0], "2", *words[2:]]))
    return rows


def choose(which, two_nodes):
    """The rows of a cell, of a set of SETS."""
    rows = {"core": core_rows, "most": most_rows, "all": all_rows}[which]()
    return [row for row in rows if not (two_nodes and any(word in row for word in NOT_ON_TWO_NODES))]


class Lock:
    """The file ARMCI_TEST_LOCK, held while runs are short enough to share a hold."""

    def __init__(self):
        path = os.environ.get("ARMCI_TEST_LOCK")
        self.file = open(path, "a") if path else None
        self.since = None

    def take(self):
        if self.since is not None and time.time() - self.since > LONGEST_HOLD:
            self.drop()
        if self.since is None:
            if self.file:
                fcntl.flock(self.file, fcntl.LOCK_EX)
            self.since = time.time()

    def drop(self):
        if self.file:
            fcntl.flock(self.file, fcntl.LOCK_UN)
        self.since = None


def run_row(row, build, environment):
    """Run a row in a build folder; returns the lines of run-mpi-tests."""
    with tempfile.NamedTemporaryFile("w", suffix=".rows") as one:
        one.write(row + "\n")
        one.flush()
        env = {name: value for name, value in environment.items() if name != "ARMCI_TEST_LOCK"}
        command = ["sh", str(TOP / "tests/mpi/run-mpi-tests"), "-l", one.name]
        done = subprocess.run(command, cwd=build, env=env, capture_output=True, text=True, errors="replace", check=False)
        return done.stdout.splitlines()


def trouble_in(lines):
    """The line that says what was wrong, from the output of a run that failed: a test's result, or why there is none."""
    shown = [line.strip() for line in lines if line.startswith("    ")]
    told = [line for line in shown if re.match(r"FAIL |rank \d+: |ARMCI error", line)]
    return (told or shown or ["no output"])[0]


def results_of(lines):
    """The (result, label, what was wrong) of each run, from the lines of run-mpi-tests."""
    results = []
    for i, line in enumerate(lines):
        match = re.match(r"(PASS|FAIL|SKIP) (test_\S+ on \d.*?) \[(.*)\]", line)
        if match:
            result, label, figures = match.groups()
            why = f"{trouble_in(lines[i + 1:])} [{figures}]" if result == "FAIL" else ""
            results.append((result, label, why))
    return results


def run_twice(row, build, environment, log):
    """Run a row, and once more if it failed: machines that others use make some tests fail. Returns its results: of a row that passed
    only the second time PASS, with what was wrong the first time."""
    first = run_logged(row, build, environment, log)
    if all(result != "FAIL" for result, _, _ in first):
        return first
    again = {label: result for result, label, _ in run_logged(row, build, environment, log)}
    return [("PASS" if again.get(label) == "PASS" else result, label, why) for result, label, why in first]


def run_logged(row, build, environment, log):
    lines = run_row(row, build, environment)
    log.write("\n".join(lines) + "\n")
    log.flush()
    return results_of(lines) or [("FAIL", row, "did not run")]


def run_doctor(build, environment, log):
    """Run armci-doctor, where that build has one. Returns its (result, label, what was wrong), as a list."""
    program = build / "tools/armci-doctor"
    if not program.exists():
        return []
    env = {name: value for name, value in environment.items() if name != "ARMCI_TEST_LOCK"}
    launch = env.get("ARMCI_TEST_LAUNCH", str(build / "tests/launch"))
    done = subprocess.run([launch, "2", "58", str(program)], cwd=build, env=env, capture_output=True, text=True, errors="replace",
                          check=False)
    log.write(done.stdout + done.stderr)
    if done.returncode == 0:
        return [("PASS", "armci-doctor on 2", "")]
    told = [line.strip() for line in done.stdout.splitlines() if line.startswith("  WRONG") or "NOT SAFE" in line]
    return [("FAIL", "armci-doctor on 2", f"{(told or ['the table did not end'])[0]} [status {done.returncode}]")]


def doctor_twice(build, environment, log):
    """The same as for rows: what fails is run again."""
    first = run_doctor(build, environment, log)
    if all(result == "PASS" for result, _, _ in first) or run_doctor(build, environment, log)[0][0] != "PASS":
        return first
    return [("PASS", label, why) for _, label, why in first]


def run_rows(rows, build, environment, log):
    """Run rows, and the doctor, into the log. Returns the (result, label, what was wrong) of each run, and the seconds they took."""
    lock, results, seconds = Lock(), [], 0.0
    for row in rows:
        lock.take()
        begun = time.time()
        results += run_twice(row, build, environment, log)
        seconds += time.time() - begun
    lock.drop()
    lock.take()
    begun = time.time()
    results += doctor_twice(build, environment, log)
    lock.drop()
    return results, seconds + time.time() - begun
