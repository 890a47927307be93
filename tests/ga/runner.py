"""Runs programs under the launcher, prints the table of results and the count."""
import dataclasses
import fnmatch
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from gasource import Problem, Unavailable, need
from results import Expect, fault

KNOWN = pathlib.Path(__file__).with_name("known-failures.txt")
SHOWN = 80                       # lines at the end of a failed program's output
ROW = "{:<40} {:<8} {:>5}  {:<20} {:>7}  {}"


@dataclasses.dataclass
class Program:
    """A program to run: its name in the table, where it is, and what is special about it."""
    name: str
    path: pathlib.Path
    seconds: int = 180
    args: tuple = ()
    ranks: tuple = ()            # the only numbers of ranks it can run on; empty: any
    inputs: dict = dataclasses.field(default_factory=dict)   # files it reads: name in its folder, where it is
    shown: tuple = ()            # files that it writes and that are judged like its output
    expect: Expect = dataclasses.field(default_factory=Expect)


@dataclasses.dataclass
class KnownFailure:
    """One line of known-failures.txt: suite, program, MPI library and ranks may be patterns."""
    suite: str
    program: str
    family: str
    ranks: str
    reason: str

    def covers(self, suite, program, family, ranks):
        pairs = ((self.suite, suite), (self.program, program), (self.family, family), (self.ranks, str(ranks)))
        return all(fnmatch.fnmatchcase(value, pattern) for pattern, value in pairs)


def known_failures(path=KNOWN):
    """The list of known failures; a line without a reason is an error."""
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return [KnownFailure(*line.split(None, 4)) for line in lines]


class Suite:
    """One suite of programs on one MPI library."""

    def __init__(self, name, family, launcher, logs):
        self.name, self.launcher, self.rows = name, launcher, []
        # without shared memory everything uses MPI inside the node, too: another library for known failures
        self.family = family + ("/no-shm" if os.environ.get("ARMCI_SHM") == "no" else "")
        self.family += "/hosts" if os.environ.get("TWO_HOSTS") else ""
        self.logs = pathlib.Path(logs)
        self.known = known_failures()
        self.passed, self.failed, self.expected, self.surprises = [], [], [], []

    def run(self, programs, rank_counts):
        """Run every program on every number of ranks that it takes; print a row for each."""
        shutil.rmtree(self.logs, ignore_errors=True)
        self.logs.mkdir(parents=True)
        print(ROW.format("test", "MPI", "ranks", "result", "seconds", "why"), flush=True)
        for ranks in rank_counts:
            for program in programs:
                if not program.ranks or ranks in program.ranks:
                    self.run_one(program, ranks)

    def run_one(self, program, ranks):
        begin = time.monotonic()
        reason = self.reason_of_failure(program, ranks)
        seconds = f"{time.monotonic() - begin:.1f}"
        result, remark = self.classify(program, ranks, reason)
        self.rows.append(dict(suite=self.name, program=program.name, family=self.family, ranks=ranks, result=result, remark=remark))
        print(ROW.format(program.name, self.family, ranks, result, seconds, remark).rstrip(), flush=True)
        if result == "FAIL":
            self.show_end_of_log(program, ranks)

    def log_of(self, program, ranks):
        return self.logs / f"{program.name.replace('/', '_')}-{ranks}.log"

    def show_end_of_log(self, program, ranks):
        """A failure may happen once in a thousand runs, on another machine: the table shows why."""
        log = self.log_of(program, ranks)
        if not log.exists():
            return
        for line in log.read_text(errors="replace").splitlines()[-SHOWN:]:
            print("    | " + line, flush=True)

    def reason_of_failure(self, program, ranks):
        if not program.path.exists():
            return "it was not built"
        log = self.log_of(program, ranks)
        status = self.launch(program, ranks, log)
        return fault(status, log.read_text(errors="replace"), program.expect)

    def launch(self, program, ranks, log):
        """Run it in an empty folder; some programs write files."""
        with tempfile.TemporaryDirectory(dir=self.logs) as scratch, open(log, "w") as out:
            for name, path in program.inputs.items():
                place = pathlib.Path(scratch) / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(path)
            command = [self.launcher, str(ranks), str(program.seconds), str(program.path), *program.args]
            environment = {name: value for name, value in os.environ.items() if name != "ARMCI_CACHE"}
            status = subprocess.run(command, cwd=scratch, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                    stderr=subprocess.STDOUT).returncode
            for path in (pathlib.Path(scratch) / name for name in program.shown):
                out.write(path.read_text(errors="replace") if path.exists() else f"{path.name} failed to appear\n")
            return status

    def classify(self, program, ranks, reason):
        """Put the result where it is counted; return its word and remark for the table."""
        known = next((k for k in self.known if k.covers(self.name, program.name, self.family, ranks)), None)
        case = f"{program.name} on {ranks} ranks"
        if reason is None and known is None:
            self.passed.append(case)
            return "pass", ""
        if reason is None:
            self.passed.append(case)
            self.surprises.append(case)
            return "unexpectedly passed", "known: " + known.reason
        if known is not None:
            self.expected.append(case)
            return "known failure", known.reason
        self.failed.append(case)
        return "FAIL", reason

    def report(self):
        """Print the summary, the count as its last line; return the exit status."""
        print(f"known failures: {len(self.expected)}, unexpectedly passed: {len(self.surprises)}, logs: {self.logs}")
        for case in self.failed:
            print(f"failed: {case}")
        print(f"{len(self.passed)} passed, {len(self.failed)} failed")
        return 1 if self.failed or not self.passed else 0


def add_options(parser, folder, *more):
    """The command line of a suite; folder: the option for its folder and what the folder holds; more: other options as (name, settings)."""
    parser.add_argument("--prefix", required=True, help="where the ARMCI library is installed")
    parser.add_argument("--family", required=True, choices=("mpich", "openmpi"), help="the MPI library")
    parser.add_argument("--cc", required=True, help="its C compiler wrapper")
    parser.add_argument("--launch", required=True, help="the launcher: launch RANKS SECONDS PROGRAM")
    parser.add_argument(folder[0], required=True, help=folder[1])
    parser.add_argument("--ranks", default="2 4", help="numbers of ranks (default: 2 4)")
    parser.add_argument("--json", help="file for the results")
    for name, settings in more:
        parser.add_argument(name, **settings)


def run_compiled(name, args, prepare):
    """Run the programs that prepare(folder) compiles into the folder args.build, which is made anew; return the exit status."""
    folder = pathlib.Path(args.build).resolve()

    def in_new_folder():
        need(args.cc.split()[0])
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return prepare(folder)

    return run_suite(name, args, folder / "logs", in_new_folder)


def prepared(name, prepare):
    """What prepare() returns. Where it fails, the message is printed and this script ends, with status 77 if something is not to be had here."""
    try:
        return prepare()
    except Unavailable as problem:
        print(f"{name}: skipped: {problem}")
        sys.exit(77)
    except Problem as problem:
        print(f"{problem}\n0 passed, 1 failed")
        sys.exit(1)


def run_suite(name, args, logs, prepare):
    """Run the programs that prepare() builds and returns; return the exit status."""
    programs = prepared(name, prepare)
    suite = Suite(name, args.family, pathlib.Path(args.launch).resolve(), pathlib.Path(logs).resolve())
    suite.run(programs, [int(word) for word in args.ranks.split()])
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(suite.rows, indent=1) + "\n")
    return suite.report()
