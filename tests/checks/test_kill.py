"""When all ranks of a job are killed (kill -9), nothing of the library's is left: no file in /dev/shm, in /tmp or in TMPDIR, no System V
shared memory or semaphore. What MPI libraries leave there under other names is reported and does not count.
"""
import glob
import os
import re
import signal
import subprocess
import time

import pytest

from common import environment, launch_command, none_of

RANKS = 2
# MPICH and UCX; Open MPI, PMIx and its PSM.
OF_MPI = re.compile(r"^/dev/shm/(mpich|ucx_shm|vader_segment|sm_segment|osc_rdma|ompi|open_mpi|psm)|/(ompi\.|openmpi-sessions|pmix-|prted)")
# Other programs make files in /tmp meanwhile: there only names that could be the library's count, but not those of other tests.
OURS = re.compile(r"^/dev/shm/|armci", re.I)
OF_TESTS = re.compile(r"^/tmp/armci-[a-z]*\.[A-Za-z0-9_]*$")


def files(own):
    return set(glob.glob("/dev/shm/*") + glob.glob("/dev/shm/.[!.]*") + glob.glob("/tmp/*") + glob.glob(own + "/*"))


def objects():
    """System V objects: kind, identifier and, where the system tells, the process that made it."""
    found = set()
    for kind in ("shm", "sem", "msg"):
        if os.access("/proc/sysvipc/" + kind, os.R_OK):
            with open("/proc/sysvipc/" + kind, encoding="ascii") as file:
                lines = [line.split() for line in file.readlines()[1:]]
            found.update((kind, line[1], int(line[4]) if kind == "shm" else None) for line in lines)
    return found


def processes():
    """{process: (parent, state, name)}; libtool may put lt- before a name, of which the system keeps 15 characters."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                begin, _, rest = file.read().rpartition(")")
        except OSError:
            continue
        found[int(begin.split(" ", 1)[0])] = (int(rest.split()[1]), rest.split()[0], begin.partition("(")[2])
    return found


def ranks_below(launcher):
    """Processes below the launcher that run the program."""
    found = processes()

    def is_below(process):
        while process != launcher and process in found:
            process = found[process][0]
        return process == launcher
    return [process for process, (_, _, name) in found.items() if re.match("(lt-)?test_hammer", name) and is_below(process)]


def mapped_segments(ranks):
    count = 0
    for rank in ranks:
        with open("/proc/%d/maps" % rank, encoding="utf-8", errors="replace") as file:
            count += sum("memfd:armci" in line for line in file)
    return count


def run_and_kill(tmp_path, own):
    """The ranks that were killed, and how many segments they had mapped."""
    log = tmp_path / "out"
    with open(log, "wb") as out, subprocess.Popen(launch_command(RANKS, 60, "tests/mpi/test_hammer.mpi"), stdin=subprocess.DEVNULL, stdout=out,
                                                  stderr=subprocess.STDOUT, env=environment({"TMPDIR": own}, ("ARMCI_SHM",))) as launcher:
        for _ in range(200):  # past the start, in the middle of the next test
            if re.search(rb"^PASS", log.read_bytes(), re.M):
                break
            time.sleep(0.1)
        killed = ranks_below(launcher.pid)
        segments = mapped_segments(killed)
        for rank in killed:
            os.kill(rank, signal.SIGKILL)
        status = launcher.wait()
    assert len(killed) == RANKS and status not in (0, 124), "the job was not there to be killed: ranks %s, status %d\n%s" % (killed, status, log.read_text())
    return killed, segments


def test_nothing_is_left(tmp_path):
    own = str(tmp_path / "own")
    os.mkdir(own)
    files_before, objects_before = files(own), objects()
    killed, segments = run_and_kill(tmp_path, own)
    time.sleep(0.5)
    new = [path for path in sorted(files(own) - files_before) if path.startswith(own + "/") or OURS.search(path) and not OF_TESTS.match(path)]
    print("left by the MPI library: %s" % [path for path in new if OF_MPI.search(path)])
    none_of([path for path in new if not OF_MPI.search(path)])
    none_of([str(left) for left in objects() - objects_before if left[2] in (None, *killed)])
    alive = processes()  # one that is dead and not yet waited for does not run
    none_of(["rank %d still runs" % rank for rank in killed if rank in alive and alive[rank][1] != "Z"])
    if segments == 0:
        pytest.skip("no segment of the library was mapped")
    print("%d ranks with %d mappings of segments were killed" % (RANKS, segments))
