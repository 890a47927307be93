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
CORE = ("contiguous", "strided", "acc", "atomics", "mutex", "groups", "nonblocking", "vector")
NOT_ON_TWO_HOSTS = ("test_big", "test_shortage", "ARMCI_NODES")


def core_rows():
    """With default settings, and without shared memory, where all goes through MPI."""
    return [f"test_{name} 2 40 pass{variables}" for name in CORE for variables in ("", " ARMCI_SHM=no")]


def all_rows():
    """Those of the list that run on 2 ranks."""
    rows = []
    for line in (TOP / "tests/mpi/testlist").read_text().splitlines():
        words = line.split()
        if words and not line.startswith("#") and "2" in words[1].split(",") and words[3] != "long":
            rows.append(" ".join([words[0], "2", *words[2:]]))
    return rows


def choose(core, two_hosts):
    """The rows of a cell."""
    rows = core_rows() if core else all_rows()
    return [row for row in rows if not (two_hosts and any(word in row for word in NOT_ON_TWO_HOSTS))]


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


def verdicts_of(lines):
    """The (verdict, label) of each run, from the lines of run-mpi-tests."""
    found = (re.match(r"(PASS|FAIL|SKIP) (test_\S+ on \d.*?) \[", line) for line in lines)
    return [match.groups() for match in found if match]


def run_doctor(build, environment, log):
    """Run armci-doctor, where that build has one.  Returns its (verdict, label), as a list."""
    program = build / "tools/armci-doctor"
    if not program.exists():
        return []
    env = {name: value for name, value in environment.items() if name != "ARMCI_TEST_LOCK"}
    launch = env.get("ARMCI_TEST_LAUNCH", str(build / "tests/launch"))
    done = subprocess.run([launch, "2", "58", str(program)], cwd=build, env=env, stdout=log, stderr=subprocess.STDOUT, check=False)
    return [("PASS" if done.returncode == 0 else "FAIL", "armci-doctor on 2")]


def run_rows(rows, build, environment, log):
    """Run rows, and the doctor, into the log.  Returns the (verdict, label) of each run, and the seconds they took."""
    lock, verdicts, seconds = Lock(), [], 0.0
    for row in rows:
        lock.take()
        begun = time.time()
        lines = run_row(row, build, environment)
        seconds += time.time() - begun
        log.write("\n".join(lines) + "\n")
        log.flush()
        verdicts += verdicts_of(lines) or [("FAIL", row + ": did not run")]
    lock.drop()
    lock.take()
    begun = time.time()
    verdicts += run_doctor(build, environment, log)
    lock.drop()
    return verdicts, seconds + time.time() - begun
