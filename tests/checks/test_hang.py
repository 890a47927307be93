"""What the profiler prints with ARMCI_HANG_REPORT and at SIGUSR1, in jobs that really hang (tests/mpi/hang.c).

Rank 1 stops itself, rank 0 waits; the report must name the call and the process. Then rank 1 goes on, and the job must end well.
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
PROCESS = ", process: rank 1"
HELD = ", process: rank 0, the mutex is held by rank 1"
COLLECTIVE = r", collective [1-9]\d* of 2 processes"
IN = r"^ARMCI hang report: rank 0: in %s for \d+\.\d s"
STOPPED = r"^ARMCI hang report: rank 1: in no call of ARMCI for \d+\.\d s; the last was ARMCI_Barrier.*; the process is stopped \(SIGSTOP\)$"


class Job:
    """A job whose output goes to a file, and the process ids that its ranks print."""

    def __init__(self, kind, before=(), **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ARMCI_") or name == "ARMCI_TEST_LOCK"}
        environment.update(variables)
        self.file = tempfile.NamedTemporaryFile()  # pylint: disable=consider-using-with
        self.process = subprocess.Popen(launch_command(2, DEADLINE, *before, PROGRAM, kind), env=environment, stdin=subprocess.DEVNULL,
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


def row(kind, function, rest, **variables):
    place = "two nodes" if variables == SERVER else "RMA" if variables else "one node"
    return pytest.param(kind, function, rest, variables, id="%s, %s" % (place, kind))


ROWS = [
    row("get", "ARMCI_Get", PROCESS, **SERVER),
    row("put_fence", "ARMCI_Fence", PROCESS, **SERVER),
    row("nbget_wait", "ARMCI_Wait", "", **SERVER),
    row("rmw", "ARMCI_Rmw", PROCESS, **SERVER),
    row("lock", "ARMCI_Lock", ", process: rank 0", **SERVER),
    row("receive", "armci_msg_rcv", PROCESS, **SERVER),
    row("malloc", "ARMCI_Malloc", COLLECTIVE, **SERVER),
    row("lock", "ARMCI_Lock", HELD),
    row("notify", "armci_notify_wait", PROCESS),
    row("barrier", "ARMCI_Barrier", COLLECTIVE),
    row("sum", "armci_msg_igop", COLLECTIVE),
    row("lock", "ARMCI_Lock", ", process: rank 0", ARMCI_SHM="no"),
]


@pytest.mark.parametrize("kind, function, rest, variables", ROWS)
def test_report(kind, function, rest, variables):
    """After a second: the call and, on the same node, the process that stands still, once each."""
    job = Job(kind, ARMCI_HANG_REPORT="1", **variables)
    found = job.wait_for(IN % function + rest + "$") and (variables or job.wait_for(STOPPED))
    good = job.go_on()
    reports = [len(re.findall(r"^ARMCI hang report: rank %d: " % rank, job.log(), re.M)) for rank in (0, 1)]
    check(found and good and reports == [1, not variables], "%s reports" % reports, job.log())


@pytest.mark.parametrize("variables", [{}, SERVER], ids=["one node", "two nodes"])
def test_signal_in_a_call(variables):
    """Without a limit: silence, then a report for each SIGUSR1."""
    job = Job("barrier", **variables)
    stopped, pid = job.wait_until_stopped(), job.pid(0)
    time.sleep(0.7)
    silent = "hang report" not in job.log()
    os.kill(pid, signal.SIGUSR1)
    line = IN % "ARMCI_Barrier" + COLLECTIVE + "$"
    first = job.wait_for(line)
    os.kill(pid, signal.SIGUSR1)
    second = job.wait_for(line + r"[^$]*" + line)
    good = job.go_on()
    check(stopped and silent and first and second and good, "a report is missing, or was too early", job.log())


@pytest.mark.parametrize("kind, text", [
    ("compute", r"ARMCI_Barrier"),
    ("compute_with_lock", r"ARMCI_Lock; mutexes held: 1, the last one: 0 of rank 0"),
])
def test_signal_in_a_computation(kind, text):
    job = Job(kind)
    job.wait_until_stopped()
    time.sleep(0.5)
    os.kill(job.pid(0), signal.SIGUSR1)
    found = job.wait_for(r"^ARMCI hang report: rank 0: in no call of ARMCI for \d+\.\d s; the last was %s$" % text)
    check(job.go_on() and found, "no report", job.log())


def test_different_collectives():
    """Rank 0 waits in a barrier, rank 1 allocates: said once, in words."""
    job = Job("different", ARMCI_HANG_REPORT="1")
    found = job.wait_for(r"^ARMCI hang report: different collectives: rank (0 is in ARMCI_Barrier, rank 1 in ARMCI_Malloc|"
                         r"1 is in ARMCI_Malloc, rank 0 in ARMCI_Barrier)$")
    time.sleep(0.3)
    job.process.terminate()
    job.process.wait()
    check(found and job.log().count("different collectives") == 1, "not said, or twice", job.log())


def test_pipe_that_nobody_reads(tmp_path):
    """A report that cannot be written does not stop the program."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(end, b"x" * 4096)
    job = Job("compute", before=["sh", "-c", 'exec "$0" "$@" 2>' + pipe])
    stopped = job.wait_until_stopped()
    os.kill(job.pid(0), signal.SIGUSR1)
    time.sleep(0.3)
    check(job.go_on() and stopped, "it goes on", job.log())
    os.close(end)


def test_handler_of_the_program_stays():
    job = Job("get", TEST_HANDLER="1", **SERVER)
    job.wait_until_stopped()
    os.kill(job.pid(0), signal.SIGUSR1)
    found = job.wait_for(r"^own handler")
    check(job.go_on() and found and "hang report" not in job.log(), "another handler", job.log())
