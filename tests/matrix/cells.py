"""cells.py - a cell of the matrix: build with an MPI library, and run rows on one node or on two."""
import subprocess

from rows import TOP, choose, run_rows

PLACES = ("one node", "two nodes")
NO_NODES = "no two nodes here"


def targets(rows):
    """What has to be made for these rows."""
    return ["tools/armci-info", "tools/armci-doctor", *sorted({f"tests/mpi/{row.split()[0]}.mpi" for row in rows})]


def run_logged(command, build, library, log):
    return subprocess.run(command, cwd=build, env=library.environment(), stdout=log, stderr=subprocess.STDOUT, check=False).returncode


def build_with(library, build, rows):
    """Configure, and make what the rows need. Returns what went wrong, or None."""
    build.mkdir(parents=True, exist_ok=True)
    with open(build / "build.log", "a") as log:
        if not (build / "config.status").exists():
            command = [str(TOP / "configure"), "--disable-static", f"CC={library.command(library.compiler)}", f"MPIEXEC={library.command('mpiexec')}"]
            if run_logged(command, build, library, log):
                return "configure failed"
        if run_logged(["make", "-j2", *targets(rows)], build, library, log):
            return "does not compile"
    return None


def two_nodes(library):
    """The environment of runs on two nodes, with the pair's name; None where there can be none."""
    env = library.two_nodes_environment()
    env["ARMCI_TEST_LAUNCH"] = script = str(TOP / "tests/hosts/two-hosts")
    made = subprocess.run([script, "up"], capture_output=True, text=True, env=env, check=False)
    if made.returncode:
        return None
    env["TWO_HOSTS"] = made.stdout.strip()
    return env


def is_on_two_nodes(build, environment):
    """Does the launcher really put the ranks on two?  The library says at its start."""
    env = dict(environment, ARMCI_VERBOSE="1")
    command = [environment["ARMCI_TEST_LAUNCH"], "2", "40", str(build / "tests/mpi/test_contiguous.mpi")]
    done = subprocess.run(command, cwd=build, env=env, capture_output=True, text=True, errors="replace", check=False)
    return "2 ranks on 2 nodes (1 per node)" in done.stdout


def run_cell(library, build, place, rows):
    """Run a cell's rows; returns (outcome, label, what was wrong) of each run and the seconds, or None where the place cannot be had."""
    environment = library.environment() if place == "one node" else two_nodes(library)
    if environment is None:
        return None
    try:
        if place == "two nodes" and not is_on_two_nodes(build, environment):
            return [("FAIL", "test_contiguous on 2", "not on two nodes, or nothing was said of them")], 0
        with open(build / f"{place.replace(' ', '-')}.log", "w") as log:
            return run_rows(choose(rows, place == "two nodes"), build, environment, log)
    finally:
        if "TWO_HOSTS" in environment:
            subprocess.run([environment["ARMCI_TEST_LAUNCH"], "down", environment["TWO_HOSTS"]], check=False)
