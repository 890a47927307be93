"""Every way to leave a program while ARMCI runs (tests/mpi/leave.c) ends the job: within 5 s, with a status other than 0, with one line of the
process that leaves, and with no process left behind. What kills a process is told by the launcher. Good ends stay good.

ARMCI_TEST_LONG=1: all rows. As GASNet's testexit; and UCX's test_ucp_peer_failure, for each operation.
"""
import os
import re
import signal
import subprocess
import time

import pytest

from common import LIBRARIES, SHARED, SOURCE, STATIC, compile_program, environment, launch_command, run_job

PROGRAM = "tests/mpi/leave"
MOST = 5  # seconds
# Those that the library tells, with what it says of them.
TOLD = {
    "exit": r"exit\(0\)", "exit3": r"exit\(3\)", "exit256": r"exit\(256\)", "return": r"exit\(0\)", "_exit": r"_exit\(0\)",
    "_exit3": r"_exit\(3\)", "_Exit": r"_exit\(0\)", "quick_exit": "quick_exit", "thread": r"exit\(0\)",
    "handler": r"exit\(0\), in ARMCI_Barrier", "handler-_exit": r"_exit\(0\), in ARMCI_Barrier", "lock-holder": r"exit\(0\)",
    "exit-in-mpi": r"exit\(0\)", "nonblocking-put": r"exit\(0\)", "cleanup": r"exit\(4\)"}
UNTOLD = ("error", "error-in-mpi", "mpi-abort", "mpi-error", "abort", "kill", "segv", "term", "handler-kill")
PLACES = ("barrier", "lock", "put", "get", "acc", "rmw", "malloc", "group", "notify", "mpi", "sum", "compute", "finalize")
ENDS_IN_DESTRUCTOR = """
#include <armci.h>
__attribute__((destructor)) static void end(void)
{
    ARMCI_Finalize();
    MPI_Finalize();
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return ARMCI_Init();
}
"""
GOOD = ("good", "children", "forgotten", "too-often", "at-exit", "in-destructor")
GOOD_ROWS = [(end, False, True) for end in GOOD] + [("good", False, False), *[("children", nodes, starts) for nodes, starts in
                                                                              ((True, True), (False, False), (True, False))]]
QUICK = (("exit", "barrier"), ("_exit", "put"), ("handler", "barrier"), ("exit-in-mpi", "barrier"), ("error-in-mpi", "barrier"), ("lock-holder", "lock"), ("quick_exit", "compute"), ("mpi-abort", "barrier"),
         ("kill", "get"))


def rows():
    """(way, place, contact): all ways in a barrier, and exit, _exit and kill in all places, before and after the first contact."""
    chosen = [(way, "lock" if way == "lock-holder" else "barrier", False) for way in (*TOLD, *UNTOLD)]
    chosen += [(way, place, contact) for way in ("exit", "_exit", "kill", "handler-kill") for place in PLACES for contact in (False, True)]
    if not os.environ.get("ARMCI_TEST_LONG"):
        chosen = [(way, place, False) for way, place in QUICK]
    return sorted(set(chosen))


class Leaving:
    """A job that one process leaves: its status, its lines, and the seconds from that moment to the end."""

    def __init__(self, command, **variables):
        self.lines, left = [], None
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              env=environment(variables, ("ARMCI_SHM",))) as launcher:
            for line in launcher.stdout:
                left = left or line.startswith("leaves") and time.monotonic()
                self.lines.append(line)
            self.status = launcher.wait()
        self.seconds = time.monotonic() - left if left else None
        self.all = "".join(self.lines)

    def check(self, way, rank):
        assert self.seconds is not None, "it did not come so far\n" + self.all
        assert self.status not in (0, 124), "its status is %d\n%s" % (self.status, self.all)
        assert self.seconds <= MOST, "it went on for %.1f s\n%s" % (self.seconds, self.all)
        told = [line for line in self.lines if "left the program" in line]
        if way not in TOLD:
            assert not told, self.all
            return
        how = TOLD[way] if os.path.exists(SHARED) else TOLD[way].partition(", in ")[0]
        assert len(told) == 1 and re.match("ARMCI error: rank %d left the program without ARMCI_Finalize: %s" % (rank, how), told[0]), self.all


def still_there():
    """Processes that run the program, but zombies."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % process, encoding="utf-8", errors="replace") as file:
                name, _, rest = file.read().partition("(")[2].rpartition(")")
            if re.fullmatch("(lt-)?leave", name) and rest.split()[0] != "Z" and os.path.samefile("/proc/%s/cwd" % process, "."):
                found.append(int(process))
        except OSError:
            continue
    return found


def check_nothing_is_left():
    for _ in range(50):
        left = still_there()
        if not left:
            return
        time.sleep(0.02)
    for process in left:
        os.kill(process, signal.SIGKILL)
    pytest.fail("processes are left: %s" % left)


@pytest.mark.parametrize("nodes", (False, True), ids=("node", "nodes"))
@pytest.mark.parametrize("way, place, contact", rows())
def test_the_job_ends(way, place, contact, nodes):
    job = Leaving(launch_command(2, 40, PROGRAM, way, place, *["contact"] * contact), **({"ARMCI_TEST_NODE": "1"} if nodes else {}))
    job.check(way, 1)
    check_nothing_is_left()


def test_each_node_tells_once():
    job = Leaving(launch_command(2, 40, PROGRAM, "all-return"))
    assert job.status not in (0, 124), job.all
    assert job.all.count("left the program without ARMCI_Finalize") == 1, job.all


@pytest.mark.parametrize("end, nodes, starts_mpi", GOOD_ROWS)
def test_good_ends(end, nodes, starts_mpi):
    variables = {} if starts_mpi else {"LEAVE_MPI_TO_ARMCI": "1"}
    if nodes:
        variables["ARMCI_TEST_NODE"] = "1"
    job = run_job(2, PROGRAM, end, seconds=40, unset=("ARMCI_SHM",), **variables)
    assert job.status == 0, job.all
    assert not re.search("WRONG|left the program", job.all), job.all
    assert job.count("ARMCI_Finalize first") == (end == "forgotten"), job.all


@pytest.mark.parametrize("library", (SHARED, STATIC), ids=os.path.basename)
def test_destructor_of_the_program(library, tmp_path):
    """In a program that has the library in itself, destructors of both are in one list."""
    if not os.path.exists(library):
        pytest.skip("there is no such library")
    program = str(tmp_path / "program")
    compile_program(library, "-Wl,-rpath," + LIBRARIES, "-lm", "-lpthread", "-o", program, text=ENDS_IN_DESTRUCTOR)
    job = run_job(2, program, unset=("ARMCI_SHM",))
    assert job.status == 0 and "left the program" not in job.all, job.all


def test_library_that_is_loaded_for_a_time(tmp_path):
    """By dlopen and dlclose, with children of fork that exit while it is in use, has ended, and is closed."""
    if not os.path.exists(SHARED):
        pytest.skip("there is no shared library")
    compile_program("-Wl,--as-needed", os.path.join(SOURCE, "tests", "checks", "loaded.c"), "-ldl", "-o", str(tmp_path / "loaded"))
    job = run_job(2, str(tmp_path / "loaded"), SHARED, unset=("ARMCI_SHM",))
    assert job.status == 0 and "WRONG" not in job.all and job.count("^ends$") == 2, job.all


@pytest.mark.parametrize("nodes", (False, True), ids=("node", "nodes"))
@pytest.mark.parametrize("transports", ("tcp,self", "all"))
def test_late_end(transports, nodes):
    """MPICH uses TCP on one node, too, where UCX cannot share memory. Over TCP one end in four did not come."""
    pretended = {"ARMCI_TEST_NODE": "1"} if nodes else {}
    for _ in range(50 if os.environ.get("ARMCI_TEST_LONG") else 4 if transports != "all" else 1):
        job = run_job(2, PROGRAM, "late", seconds=20, unset=("ARMCI_SHM",), UCX_TLS=transports, **pretended)
        assert job.status == 0, job.all
