#!/usr/bin/env python3
"""NWChem on this library, on ARMCI-MPI and on ComEx: are its energies right, and how long does it take?

run: takes Debian's program, or NWChem 7.3.1, which it compiles (nwprogram.py), runs the inputs of nwinputs.py on 1 to 4 ranks of a node and on two
nodes, keeps what came in RESULTS, and leaves scripts that start NWChem on each library in LOGS.  Exit status 77: something that it needs is
missing here."""
import argparse
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "ga")]
from nwprogram import COMEX, CompiledNwchem, DebianNwchem  # noqa: E402
from nwinputs import INPUTS  # noqa: E402
from nwruns import judge  # noqa: E402
from gasource import run_logged  # noqa: E402
from runner import add_options, prepared  # noqa: E402

RELEASES = {"7.0.2": DebianNwchem, "7.3.1": CompiledNwchem}
LIBRARIES = "armci-rma armci-mpi armci-mpi-0"
SCRIPT = "#!/bin/sh\nexec env {variables} NWCHEM_BASIS_LIBRARY={nwchem.basis}/ {nwchem.program} \"$@\"\n"
PLACES = {"1": 1, "2": 2, "3": 3, "4": 4, "2x1": 2, "2x2": 4}
ROW = "{:<32} {:<8} {:<12} {:>5}  {:<8} {:>6}  {}"


def ranks(library, place):
    """How many ranks are launched, with those of the library on each node, which NWChem does not see."""
    nodes = int(place.partition("x")[0]) if "x" in place else 1
    return PLACES[place] + nodes * (COMEX[library].extra_ranks if library in COMEX else 0)


class Session:
    """All runs for one MPI library; each result is kept as soon as it is there."""

    def __init__(self, args, nwchem):
        self.args, self.nwchem = args, nwchem
        self.file, self.logs = pathlib.Path(args.results).resolve(), pathlib.Path(args.logs).resolve()
        self.results = json.loads(self.file.read_text())["nwchem"] if self.file.exists() else {}
        self.own = self.results.setdefault(nwchem.title, {"inputs": {}})
        self.own["about"], self.commit = about(args.prefix), commit()
        self.passed, self.failed = 0, []  # of this library; what becomes of the other one is a result, not a failure

    def log_of(self, library, place, case, step):
        return self.logs / f"{library}-{place}-{case.name.replace(' ', '_')}-{step}.out"

    def run(self, library, place, case):
        """Run one input, all steps in one new folder, up to the first that fails; return the exit status and what they printed."""
        outputs, status, launcher = [], 0, self.args.hosts if "x" in place else self.args.launch
        environment = {name: value for name, value in os.environ.items() if name != "ARMCI_CACHE"}
        with tempfile.TemporaryDirectory(dir=self.logs) as folder:
            for step, given in enumerate(case.written_to(folder, self.nwchem.tree)):
                log = self.log_of(library, place, case, step)
                words = [launcher, str(ranks(library, place)), str(self.args.seconds), self.logs / f"nwchem.{library}", given]
                partial = log.with_suffix(".part")  # what a stopped session leaves is no result of one rank
                with open(partial, "w") as out:
                    status = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=subprocess.STDOUT).returncode
                outputs.append(partial.rename(log).read_text(errors="replace"))
                if status != 0:
                    break
        return status, outputs

    def has(self, library, place, case):
        """Is a result of that cell kept?"""
        return place in self.own["inputs"].get(case.name, {}).get(library, {})

    def alone(self, case):
        """What one rank of this library printed, now or before."""
        logs = [self.log_of("armci-rma", "1", case, step) for step in range(max(1, len(case.steps)))]
        if not all(log.exists() for log in logs):
            self.run("armci-rma", "1", case)
        return [log.read_text(errors="replace") if log.exists() else "" for log in logs]

    def judged(self, library, place, case):
        """How one run ended; prints a row."""
        status, outputs = self.run(library, place, case)
        own = (library, place) == ("armci-rma", "1")
        outcome = judge(status, outputs, case, None if own else self.alone(case), case.references(self.nwchem.tree))
        print(ROW.format(case.name, self.args.family, library, place, outcome.result, f"{outcome.wall:.1f}", outcome.why).rstrip(), flush=True)
        return outcome

    def cells(self, place, case, libraries):
        """Run an input on each library in turn, several times; keep the first run that was not right, or else the fastest."""
        outcomes = {library: [] for library in libraries}
        for library in libraries * self.args.repeat:
            outcomes[library].append(self.judged(library, place, case))
        for library, ended in outcomes.items():
            worst = next((one for one in ended if one.result != "right"), None)
            outcome = worst or min(ended, key=lambda one: one.wall)
            kept = {"result": outcome.result, "why": outcome.why, "deviation": max(one.deviation for one in ended), "commit": self.commit}
            kept.update({"wall": None} if self.args.loaded else {"wall": outcome.wall, "runs": len(ended)})
            if library == "armci-rma":
                self.passed += worst is None
                self.failed += [f"{case.name} on {place}"] if worst else []
            self.own["inputs"].setdefault(case.name, {}).setdefault(library, {})[place] = kept
        self.file.write_text(json.dumps({"nwchem": self.results}, indent=1, sort_keys=True) + "\n")


def commit():
    """What the results are results of."""
    git = ["git", "-C", HERE]
    head = subprocess.run([*git, "describe", "--always"], capture_output=True, text=True).stdout.strip()
    changed = subprocess.run([*git, "status", "--porcelain", "--untracked-files=no", ":/", ":(exclude,top)results"], capture_output=True, text=True).stdout.strip()
    return head + ("-dirty" if changed else "") if head else "unknown"


def about(prefix):
    """Where the results come from."""
    info = subprocess.run([pathlib.Path(prefix) / "bin/armci-info"], capture_output=True, text=True, check=True).stdout
    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return {"mpi": re.search(r"MPI in use +([^,(]*)", info).group(1).strip(),
            "processor": processor.group(1) if processor else "unknown processor", "cores": os.cpu_count()}


def write_scripts(nwchem, folder):
    """The scripts nwchem.armci-rma and so on: they start NWChem on one library or another, and take an input as nwchem does."""
    for library, variables in nwchem.variables(folder).items():
        script = folder / f"nwchem.{library}"
        script.write_text(SCRIPT.format(variables=variables, nwchem=nwchem))
        script.chmod(0o755)


def two_nodes(args):
    """Make the pair of nodes that all launches use; returns its name, or None where there can be none."""
    made = subprocess.run([args.hosts, "up"], stdout=subprocess.PIPE, text=True)
    if made.returncode != 0:
        print(made.stdout.strip() or "no two nodes here")
        return None
    preload = pathlib.Path(args.logs).resolve() / "preload.so"
    run_logged(["cc", "-O2", "-shared", "-fPIC", HERE.parent / "hosts/yield_when_idle.c", "-o", preload], preload.with_suffix(".log"))
    os.environ.update(TWO_HOSTS=made.stdout.strip(), TWO_HOSTS_PRELOAD=str(preload))
    return os.environ["TWO_HOSTS"]


def run_all(args, nwchem):
    """All cells that were asked for; returns the exit status."""
    session, places, libraries = Session(args, nwchem), args.ranks.split(), args.libraries.split()
    cases = [case for case in INPUTS if not args.only or any(word in case.name for word in args.only.split(","))]
    if not cases or not set(places) <= set(PLACES) or not all((session.logs / f"nwchem.{library}").exists() for library in libraries):
        print(f"no such input; or a place is not one of {' '.join(PLACES)}, a library not one of {LIBRARIES} {' '.join(COMEX)}\n0 passed, 1 failed")
        return 1
    pair = two_nodes(args) if any("x" in place for place in places) else None
    print(ROW.format("input", "MPI", "library", "ranks", "result", "wall s", "why"), flush=True)
    try:
        for case, place in itertools.product(cases, places if pair else [place for place in places if "x" not in place]):
            session.cells(place, case, [library for library in libraries if not (args.missing and session.has(library, place, case))])
    finally:
        if pair:
            subprocess.run([args.hosts, "down", pair])
    for case in session.failed:
        print(f"failed: {case}")
    print(f"{session.passed} passed, {len(session.failed)} failed")
    return 1 if session.failed else 0


def prepare(args, logs):
    """The program, and the scripts that start it."""
    nwchem = RELEASES[args.release](args, {step for case in INPUTS for step in case.steps})
    nwchem.prepare()
    write_scripts(nwchem, logs)
    return nwchem


def run(args):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what is half done is removed
    logs = pathlib.Path(args.logs).resolve()
    logs.mkdir(parents=True, exist_ok=True)
    nwchem = prepared("nwchem", lambda: prepare(args, logs))
    return run_all(args, nwchem)


def command(commands, name, action):
    """One of the commands; action(args) returns an exit status, or a text to print."""
    parser = commands.add_parser(name)
    parser.set_defaults(action=action)
    return parser


def settings():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    add_options(
        command(commands, "run", run), ("--logs", "folder for the programs and their output"),
        ("--hosts", dict(required=True, help="tests/hosts/two-hosts")),
        ("--results", dict(required=True, help="the file that keeps the results, JSON")),
        ("--libraries", dict(default=LIBRARIES, help=f"of these (default), and of {' '.join(COMEX)}")),
        ("--release", dict(choices=RELEASES, default="7.0.2", help="of NWChem (default: Debian's)")),
        ("--only", dict(default="", help="only inputs whose name contains one of these words, separated by commas")),
        ("--seconds", dict(type=int, default=120, help="how long one run may take (default: 120)")),
        ("--missing", dict(action="store_true", help="only runs whose results are not kept yet")),
        ("--repeat", dict(type=int, default=1, help="how often each run is made (default: 1); the least time is kept")),
        ("--loaded", dict(action="store_true", help="the machine has other work: keep no times")))
    return parser.parse_args()


def main():
    args = settings()
    return args.action(args)


if __name__ == "__main__":
    sys.exit(main())
