"""What armci-info prints, as text and as JSON, without a launcher."""
import json
import os
import re
import subprocess

import pytest

from common import LIBRARIES, SHARED, check, made_with, read

PROGRAM = os.path.abspath(os.environ.get("ARMCI_INFO", "tools/armci-info"))


def run(*options, shell="", **variables):
    """The finished armci-info: no launcher in its path, no variable but these; `shell` runs before it."""
    command = ["/bin/sh", "-c", shell + ' exec "$0" "$@"', PROGRAM, *options]
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return subprocess.run(command, env={"PATH": "/nowhere", **kept, **variables}, capture_output=True, text=True, timeout=60)


def report(*options, **keywords):
    done = run("--json", *options, **keywords)
    return json.loads(done.stdout)


@pytest.fixture(scope="module", name="whole")
def whole_report():
    return report()


def test_report(whole):
    done = run()
    check(done.returncode == 0 and not done.stderr, "the report, without a launcher", done.stderr)
    titles = ["ARMCI-RMA ", "Known defects", "Environment variables", "Build", "Paths on this system", "Limits of this node"]
    found = re.findall("^(%s)" % "|".join(titles), done.stdout, re.M)
    check(found == titles, "the parts of the report, what may surprise first", done.stdout)
    check("ARMCI_SHM" not in done.stdout and "  ARMCI_SHM = no" in run(ARMCI_SHM="no").stdout, "of the variables it has the changed ones", done.stdout)
    version = read("VERSION").strip()
    check(re.search(r"^ARMCI-RMA +%s$" % re.escape(version), done.stdout, re.M), "the version is that of VERSION", done.stdout[:200])
    parts = {"versions", "build", "paths", "limits", "quirks", "variables", "without_effect"}
    check(set(whole) == parts, "JSON has every part", list(whole))
    for value in [*whole["versions"].values(), *whole["build"].values(), *whole["paths"].values()]:
        check(isinstance(value, int) or value in done.stdout, "JSON and report agree: %s" % value, done.stdout)


def test_build(whole):
    for name in ("CC", "CFLAGS"):
        check(whole["build"][name.lower()] == made_with(name), "%s is the Makefile's" % name, whole["build"])
    for when in ("mpi_in_use", "mpi_at_build"):  # the other family has several names
        check(("Open MPI" in whole["versions"][when]) == (made_with("MPI_FAMILY") == "openmpi"), "the MPI library", whole["versions"])


def test_variables(whole):
    documented = re.findall(r"^\| (ARMCI_\w+) \|", read("doc", "reference", "variables.md"), re.M)
    check([v["name"] for v in whole["variables"]] == documented, "the variables of doc/reference/variables.md", documented)
    check(not any(v["set"] or v["value"] != v["default"] for v in whole["variables"]), "all have their defaults", whole["variables"])
    changed = report("--changed", ARMCI_ERRORS="return", ARMCI_SHM="auto", ARMCI_RMA_ATOMICITY="1", ARMCI_NETWORK="ARMCI")
    expected = [("ARMCI_ERRORS", "return", "abort", True)]
    seen = [(v["name"], v["value"], v["default"], v["set"]) for v in changed["variables"]]
    check(seen == expected and changed["without_effect"] == ["ARMCI_RMA_ATOMICITY"], "--json --changed", seen)
    lines = run("--changed", ARMCI_ERRORS="return", ARMCI_SHM="auto").stdout
    check(re.findall(r"^  (ARMCI_\w+) = (\w+) ", lines, re.M) == [("ARMCI_ERRORS", "return")], "--changed", lines)
    lines = run("--changed").stdout
    check(lines == "Every variable has its default value.\n", "--changed, nothing is", lines)
    every = {v["name"]: v for v in whole["variables"]}
    check(sum(not v["for_tests"] for v in every.values()) <= 10, "at most 10 variables that are not for tests", list(every))


@pytest.mark.parametrize("name, reason", [
    ("ARMCI_ERORS", "did you mean ARMCI_ERRORS[?]"), ("ARMCI_TRANSPRT", "did you mean ARMCI_TRANSPORT[?]"), ("ARMCI_VERBOS", "did you mean ARMCI_VERBOSE[?]"),
    ("ARMCI_PROGERSS", "did you mean ARMCI_PROGRESS[?]"), ("ARMCI_BANANA", "unknown"), ("ARMCI_verbose", "unknown"),
    ("ARMCI_IOV_CHECKS", "a variable of ARMCI-MPI"), ("ARMCI_PSGTMP", "a variable of the original ARMCI"), ("COMEX_X", "a variable of ComEx"),
    ("ARMCI_STATS", "run the program by armci-prof, .*"), ("ARMCI_" + "X" * 500, "")])
def test_name_without_effect(name, reason):
    done = run("--changed", **{name: "1"})
    check("no effect in ARMCI-RMA: %s (armci-info says more)\n" % name[:100] in done.stderr, "the line", done.stderr)
    check(not reason or re.search(r"^  %s: %s$" % (name, reason), done.stdout, re.M), "the reason", done.stdout)


def test_paths(whole):
    inside, between = whole["paths"]["inside_a_node"], whole["paths"]["between_nodes"]
    by_mpi = "MPI RMA"
    bears, bears_not = {"ARMCI_QUIRKS": "-unthreaded-windows"}, {"ARMCI_QUIRKS": "+unthreaded-windows"}
    check("memfd" in inside and between.startswith("active messages to a server"), "the paths by default", whole["paths"])
    paths = report(ARMCI_SHM="no")["paths"]
    check(paths["inside_a_node"] == by_mpi and paths["between_nodes"].startswith(by_mpi), "the paths for ARMCI_SHM=no", paths)
    for setting, path in (({"ARMCI_TRANSPORT": "rma", **bears}, "asynchronous, by a thread in each process, if"),
                         ({"ARMCI_TRANSPORT": "rma", **bears_not}, "may wait until"), ({"ARMCI_PROGRESS": "none", **bears}, "may wait until")):
        paths = report(**setting)["paths"]
        seen = paths["between_nodes"]
        check(paths["inside_a_node"] == inside and seen.startswith(by_mpi) and path in seen, "the paths for %s" % setting, paths)
    paths = report(ARMCI_QUIRKS="none", ARMCI_OUTSTANDING_LIMIT="7")
    check({q["in_force"] for q in paths["quirks"]} <= {False}, "ARMCI_QUIRKS=none", paths["quirks"])
    paths = paths["paths"]
    check("strided datatype" in paths["strided_by_mpi"] and paths["calls_in_flight"] == 7, "strided and in flight", paths)


def test_limits(whole):
    memory, available = whole["limits"]["memory"], int(re.search(r"MemAvailable: *(\d+)", open("/proc/meminfo").read()).group(1)) << 10
    check(memory <= available * 1.2, "memory left: %s of %s" % (memory, available), memory)
    bounded = report(shell="ulimit -n 123; ulimit -f 2048;")["limits"]
    check(bounded["descriptors"] == 123, "ulimit -n", bounded)
    check(bounded["file"] in (2048 * 512, 2048 * 1024), "ulimit -f", bounded)
    check("no limit" in run(shell="ulimit -f unlimited;").stdout and report()["limits"]["file"] is None, "no limit", whole["limits"])
    check(bounded["mappings"] == int(open("/proc/sys/vm/max_map_count").read()), "mappings", bounded)
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    bound = report()["limits"]
    os.sched_setaffinity(0, allowed)
    check(bound["processors"] == 1, "processors of a process bound to one", bound)
    check(1 <= bounded["processors"] <= len(os.sched_getaffinity(0)), "processors", bounded)


@pytest.mark.parametrize("text, told, status", [
    ("libarmci of ARMCI-RMA 7.8.9", "ARMCI-RMA 7.8.9, static", 0), ("libarmci of ARMCI-RMA ", "none", 1),
    ("ARMCI-MPI initialized with", "ARMCI-MPI, static", 0), ("comex group lookup failed", "ComEx, static", 0),
    ("COMEX_MAX_NB_OUTSTANDING", "none", 1)])  # read by Global Arrays 5.9, whatever its ARMCI
def test_program_that_contains(text, told, status, tmp_path):
    """Made-up files that contain the text of an ARMCI."""
    name = tmp_path / "made up"
    name.write_bytes(b"\0" * 5000 + text.encode() + b"\0")
    done = run("--program", str(name), PATH=os.environ["PATH"])
    check(done.returncode == status and done.stdout.startswith("ARMCI  " + told), "--program: " + text, done)


def test_program(tmp_path):
    """A real program."""
    path, name = os.environ["PATH"], str(tmp_path / "program")
    subprocess.run([*made_with("CC").split(), "-x", "c", "-", "-o", name, "-L.libs", "-larmci"], check=True, text=True,
                   input="int ARMCI_Init(void); int main(void) { return ARMCI_Init(); }")
    done = run("--program", name, PATH=path, LD_LIBRARY_PATH=LIBRARIES)
    how = "shared, " + LIBRARIES if os.path.exists(SHARED) else "static, in " + name
    version = read("VERSION").strip()
    check(done.stdout.startswith("ARMCI  ARMCI-RMA %s, %s" % (version, how)), "--program of a shared library", done)
    check("\nMPI    /" in done.stdout, "--program prints the MPI library", done)
    if "shared" in how:
        done = run("--program", name, PATH=path, LD_LIBRARY_PATH="")
        check("libarmci.so.0 => not found" in done.stdout, "--program of a missing library", done)


def test_program_of_no_program(tmp_path):
    done = run("--program", "/nowhere/program")
    check(done.returncode == 1 and "No such file" in done.stderr, "a missing file", done)
    done = run("--program", "/tmp")
    check(done.returncode == 1 and done.stderr == "armci-info: /tmp: is a folder\n" and not done.stdout, "a folder", done)
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    for name in (pipe, "/dev/null"):
        done = run("--program", name)
        check(done.returncode == 1 and done.stderr == "armci-info: %s: is no regular file\n" % name and not done.stdout, "no regular file", done)


def test_program_that_is_a_script(tmp_path):
    name = tmp_path / "test.x"
    name.write_text("#! /bin/sh\n# test.x - temporary wrapper script for .libs/test.x\n# libarmci of ARMCI-RMA 7.8.9\n")
    done = run("--program", str(name))
    expected = "armci-info: %s: a script; try .libs/test.x in its folder\n" % name
    check(done.returncode == 1 and done.stderr == expected and not done.stdout, "a script", done)


@pytest.mark.parametrize("wrong", ["--nothing", "--json --nothing", "--json --variables", "--json --changed --changed", "changed", "--program"])
def test_refused(wrong):
    done = run(*wrong.split())
    check(done.returncode == 2 and not done.stdout and "--help" in done.stderr, "refused: " + wrong, done)


def test_options():
    listed = re.findall(r"^  (--\w+)(?! FILE)\b", run("--help").stdout, re.M)
    for option in listed:
        # MPI_Init, which only --probe calls, may look for programs of the MPI library.
        done = run(option, PATH=os.environ["PATH"]) if option == "--probe" else run(option)
        check(done.returncode == 0 and done.stdout, option, done)
    check(len(listed) == 8, "--help lists the options", listed)


def test_full_disk():
    with open("/dev/full", "w", encoding="utf-8") as full:
        status = subprocess.run([PROGRAM, "--json"], stdout=full, stderr=subprocess.DEVNULL, check=False).returncode
    assert status == 1
