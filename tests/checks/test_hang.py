"""What ARMCI_HANG_REPORT and SIGUSR1, with it or without, print in jobs that really hang (tests/mpi/hang.c).

Rank 1 stops itself, rank 0 waits; the report must name the call, the process and, for transfers, the bytes. Then rank 1 goes on, and the job
must end well.
"""
import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time

import pytest

from common import check, launch_command

PROGRAM = "tests/mpi/hang"
DEADLINE = 40
SERVER = {"ARMCI_TEST_NODE": "1"}
TRANSFER = r"; last transfer: %s of 8 bytes, rank 1, at offset 16 of the region of 800 bytes at 0x[0-9a-f]+"
HELD = ", process: rank 0, the mutex is held by, or goes first to, rank 1"
COLLECTIVE = r", collective [1-9]\d* of a group of 2 processes"
IN = r"^ARMCI hang report: rank 0: in %s for [1-9]\d*\.\d s"


class Job:
    """A job whose output goes to a file, and the process ids that its ranks print."""

    def __init__(self, kind, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ARMCI_") or name == "ARMCI_TEST_LOCK"}
        environment.update(variables)
        self.file = tempfile.NamedTemporaryFile()  # pylint: disable=consider-using-with
        self.process = subprocess.Popen(launch_command(2, DEADLINE, PROGRAM, kind), env=environment, stdin=subprocess.DEVNULL,
                                        stdout=self.file, stderr=subprocess.STDOUT)

    def log(self):
        with open(self.file.name, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_for(self, pattern):
        """The match of the pattern in the output; None: the job has ended, or hangs, without it."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            ended = self.process.poll() is not None
            found = re.search(pattern, self.log(), re.M)
            if found or ended:
                return found
            time.sleep(0.05)
        return None

    def pid(self, rank):
        found = self.wait_for(r"rank %d pid (\d+) " % rank)
        return int(found.group(1)) if found else None

    def wait_until_stopped(self):
        pid, end = self.pid(1), time.monotonic() + DEADLINE
        while pid and time.monotonic() < end:
            with open("/proc/%d/stat" % pid, encoding="ascii") as file:
                if file.read().rpartition(")")[2].split()[0] in "tT":
                    return True
            time.sleep(0.02)
        return False

    def go_on(self):
        """Rank 1 continues; does the job end well?"""
        pid = self.pid(1)
        if pid:
            with contextlib.suppress(ProcessLookupError):  # it has ended, without the line that was waited for: the log says more
                os.kill(pid, signal.SIGCONT)
        self.process.wait()
        return self.process.returncode == 0 and "PASS" in self.log()


PROCESS = ", process: rank 1"


def row(kind, function, rest, **variables):
    place = "two nodes" if variables == SERVER else "RMA" if variables else "one node"
    return pytest.param(kind, function, rest, variables, id="%s, %s" % (place, kind))


@pytest.mark.parametrize("kind, function, rest, variables", [
    row("get", "ARMCI_Get", PROCESS + TRANSFER % "get", **SERVER),
    row("put_fence", "ARMCI_Fence", PROCESS + TRANSFER % "put", **SERVER),
    row("acc_allfence", "ARMCI_AllFence", TRANSFER % "accumulate", **SERVER),
    row("nbget_wait", "ARMCI_Wait", TRANSFER % "get", **SERVER),
    row("rmw", "ARMCI_Rmw", PROCESS + TRANSFER % "read-modify-write", **SERVER),
    row("lock", "ARMCI_Lock", HELD + "; the server here last served a lock of rank 1", **SERVER),
    row("notify", "armci_notify_wait", PROCESS, **SERVER),
    row("receive", "armci_msg_rcv", PROCESS, **SERVER),
    row("barrier", "ARMCI_Barrier", COLLECTIVE, **SERVER),
    row("sum", "armci_msg_igop", COLLECTIVE, **SERVER),
    row("malloc", "ARMCI_Malloc", COLLECTIVE, **SERVER),
    row("lock", "ARMCI_Lock", HELD),
    row("notify", "armci_notify_wait", PROCESS),
    row("barrier", "ARMCI_Barrier", COLLECTIVE),
    row("malloc", "ARMCI_Malloc", COLLECTIVE),
    row("lock", "ARMCI_Lock", HELD, ARMCI_SHM="no"),
])
def test_report(kind, function, rest, variables):
    job = Job(kind, ARMCI_HANG_REPORT="1", **variables)
    found = job.wait_for(IN % function + rest)
    good = job.go_on()
    reports = len(re.findall(r"^ARMCI hang report: rank 0: ", job.log(), re.M))
    check(found and good and reports == 1, "%d reports" % reports, job.log())
    print(found.group(0))


def test_signal_in_a_call():
    job = Job("get", ARMCI_HANG_REPORT="1000", **SERVER)
    stopped, pid = job.wait_until_stopped(), job.pid(0)
    time.sleep(1)
    silent = "hang report" not in job.log()
    os.kill(pid, signal.SIGUSR1)
    found = job.wait_for(r"^ARMCI hang report: rank 0: in ARMCI_Get for \d+\.\d s, process: rank 1" + TRANSFER % "get")
    good = job.go_on()
    check(stopped and silent and found and good, "no report, or one too early", job.log())


@pytest.mark.parametrize("kind, variables, text", [
    ("compute", {"ARMCI_HANG_REPORT": "1000"}, r"for \d+\.\d s; the last was ARMCI_Barrier"),
    ("compute_with_lock", {}, r"that waits; the last was ARMCI_Lock; mutexes held: 1, the last one: 0 of rank 0\b"),
    ("compute_with_lock", SERVER, r"that waits; the last was ARMCI_Lock; mutexes held: 1, the last one: 0 of rank 0\b"),
], ids=["between calls", "with a mutex, one node", "with a mutex, two nodes"])
def test_signal_in_a_computation(kind, variables, text):
    job = Job(kind, **variables)
    job.wait_until_stopped()
    time.sleep(0.5)
    os.kill(job.pid(0), signal.SIGUSR1)
    found = job.wait_for(r"^ARMCI hang report: rank 0: in no call of ARMCI " + text)
    check(job.go_on() and found, "no report", job.log())


def test_handler_of_the_program_stays():
    job = Job("get", TEST_HANDLER="1", **SERVER)
    job.wait_until_stopped()
    os.kill(job.pid(0), signal.SIGUSR1)
    found = job.wait_for(r"^own handler")
    check(job.go_on() and found and "hang report" not in job.log(), "another handler", job.log())


WAITS = [("lock", "ARMCI_Lock", HELD), ("barrier", "ARMCI_Barrier", COLLECTIVE), ("receive", "armci_msg_rcv", PROCESS),
         ("notify", "armci_notify_wait", PROCESS)]


@pytest.mark.parametrize("kind, function, rest, variables",
                         [row("get", "ARMCI_Get", PROCESS, **SERVER), *(row(*wait, **SERVER) for wait in WAITS), *(row(*wait) for wait in WAITS)])
def test_without_time_limit(kind, function, rest, variables):
    """Without ARMCI_HANG_REPORT: silence, then a report for each SIGUSR1, from the second one on with a time for a call that lasts."""
    call = "in " + function + "%s" + rest
    job = Job(kind, **variables)
    stopped, pid = job.wait_until_stopped(), job.pid(0)
    time.sleep(0.7)
    silent = "hang report" not in job.log()
    os.kill(pid, signal.SIGUSR1)
    first = job.wait_for(r"^ARMCI hang report: rank 0: %s" % (call % ""))
    os.kill(pid, signal.SIGUSR1)
    second = job.wait_for(r"^ARMCI hang report: rank 0: .*\nARMCI hang report: rank 0: %s" % (call % r" for at least \d+\.\d s"))
    good = job.go_on()
    check(stopped and silent and first and second and good, "a report is missing, or was too early", job.log())
