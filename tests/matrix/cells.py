"""cells.py - a cell of the matrix: a build with an MPI library, and tests/run in it, on one node or on two."""
import re
import subprocess
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PLACES = ("one node", "two nodes")
NO_NODES = "no two nodes here"
CORE = "contiguous|random|acc|atomics|mutex|groups|nonblocking|vector"
# What is run of tests/suite: tiers, and a pattern for the names.
SETS = {"core": (f"programs with names like {CORE.replace('|', ', ')}", "1", f"^(test_({CORE})|armci-random) "),
        "most": ("tier 1", "1", ""),
        "all": ("tiers 1 and 2", "1,2", "^(?!make|checks)")}
DOCTOR = "^armci-doctor on 2( in hosts)?$"


def run_logged(command, build, env, log):
    return subprocess.run([str(word) for word in command], cwd=build, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                          check=False).returncode


def build_with(library, build):
    """Configure, and make the tests. Returns what went wrong, or None."""
    build.mkdir(parents=True, exist_ok=True)
    with open(build / "build.log", "a") as log:
        if not (build / "config.status").exists():
            command = [TOP / "configure", "--disable-static", f"CC={library.command(library.compiler)}", f"MPIEXEC={library.command('mpiexec')}"]
            if run_logged(command, build, library.environment(), log):
                return "configure failed"
        for command in (["make", "-j2"], ["make", "-j2", "check", "TESTS="]):
            if run_logged(command, build, library.environment(), log):
                return "does not compile"
    return None


def results_of(report):
    """The (outcome, label, what was wrong) of each run, from the file that tests/run --junit wrote."""
    for case in xml.parse(report).iter("testcase"):
        failure, outcome = case.find("failure"), "SKIP" if case.find("skipped") is not None else "PASS"
        why = ""
        if failure is not None:
            shown = (failure.text or "").strip().splitlines()
            told = [line.strip() for line in shown if re.match(r" *(FAIL |rank \d+: |ARMCI error|WRONG)", line)]
            outcome, why = "FAIL", (told or shown or ["no output"])[0] + failure.get("message", "")
        yield outcome, case.get("name"), why, float(case.get("time"))


def run_tests(options, build, env, log):
    """What tests/run gives with these options."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        run_logged([TOP / "tests/run", "--build", build, "--junit", report, *options], build, env, log)
        return list(results_of(report)) if report.exists() else [("FAIL", " ".join(map(str, options)), "did not run", 0.0)]


def on_two_nodes(build, env):
    """Does the launcher really put the ranks on two?  The library says at its start. None where there can be no two nodes."""
    command = [TOP / "tests/hosts/two-hosts", "launch", "2", "40", build / "tests/mpi/test_contiguous.mpi"]
    done = subprocess.run(command, cwd=build, env={**env, "ARMCI_VERBOSE": "1"}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", check=False)
    return None if done.returncode == 77 else "2 ranks on 2 nodes (1 per node)" in done.stdout


def run_cell(library, build, place, which):
    """Run a cell's tests; returns (outcome, label, what was wrong) of each and the seconds, or None where the place cannot be had."""
    two = place == "two nodes"
    env = library.two_nodes_environment() if two else library.environment()
    _, tiers, pattern = SETS[which]
    if two and not (there := on_two_nodes(build, env)):
        return None if there is None else ([("FAIL", "test_contiguous on 2", "not on two nodes, or nothing was said of them")], 0)
    # The rows on hosts are of tier 2.
    options = ["--tier", "2", "--in", "hosts"] if two else ["--tier", tiers, "--in", "node,noshm,nodes"]
    with open(build / f"{place.replace(' ', '-')}.log", "w") as log:
        results = run_tests([*options, "-k", pattern], build, env, log)
        results += run_tests(["--tier", "3", "--in", "hosts" if two else "node", "-k", DOCTOR], build, env, log)
    return [result[:3] for result in results], sum(result[3] for result in results)
