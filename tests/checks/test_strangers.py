"""What another user of the machine can do to a job: get its memory while it is passed from rank to rank, hold up the start, make its threads
run. The ranks belong to the user nobody, in user namespaces of their own where no other user is mapped, as in some containers, so that the
kernel shows them all users as the same one. A second user needs root."""
import contextlib
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

from common import LIBRARIES, SHARED, SOURCE, STATIC, compile_program, environment, launch_command, run_job

VARIABLES = {"UCX_POSIX_USE_PROC_LINK": "n", "UCX_TLS": "^cma", "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "ARMCI_VERBOSE": "1"}
STRANGER = ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups", sys.executable, "-c"]
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/dev/shm", "TMPDIR=/dev/shm"]
ENTER = ["unshare", "--user", "--map-current-user"]
need_root = pytest.mark.skipif(os.getuid() != 0, reason="not root")

# Its threads sleep until somebody wakes them. With an argument: MPI alone.
SLEEPER = """
#include <stdio.h>
#include <unistd.h>
#include <armcix.h>
#include "%s"
int main(int argc, char **argv)
{
    int level, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (argc == 1) ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) puts("ready");
    fflush(stdout);
    sleep(60);
    return 1;
}
"""

# Goes on until it is killed: connects to each socket with a name that listens for packets, says nothing or ten words, and takes what it gets.
THIEF = """
import array, mmap, os, socket, sys, time
held = []
while True:
    names = [line.split() for line in open("/proc/net/unix").read().splitlines()[1:]]
    for name in sorted({words[7][1:] for words in names if len(words) > 7 and words[4] == "0005" and words[3] == "00010000" and words[7][0] == "@"}):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(%(patience)s)
        try:
            s.connect(b"\\0" + name.encode())
            print("connected", flush=True)
            if %(words)d:
                s.send(b"x" * %(words)d)
            data, control, _, _ = s.recvmsg(100, 1000)
        except OSError:
            held.append(s)
            continue
        for level, kind, fds in control:
            print("STOLEN", [os.readlink("/proc/self/fd/%%d" %% fd) for fd in array.array("i", fds[:len(fds) // 4 * 4])], flush=True)
    held = held[-300:]
"""


@pytest.fixture(scope="module", name="job")
def job_of_nobody():
    """Runs a program as nobody on a system where listen(2) takes half a second."""
    with tempfile.TemporaryDirectory(prefix="armci-strangers.") as folder:
        library = os.path.join(folder, "faulty.so")
        compile_program("-w", "-shared", "-fPIC", os.path.join(SOURCE, "tests", "checks", "faulty.c"), "-o", library)
        real = "examples/.libs/hello"
        for path in (real if os.path.exists(real) else "examples/hello", *([SHARED + ".0"] if os.path.exists(SHARED) else [])):
            shutil.copy(path, folder)
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        yield lambda *enter, **variables: run_job(2, *enter, os.path.join(folder, "hello"), before=NOBODY, unset=("ARMCI_SHM",), LD_PRELOAD=library,
                                                  LD_LIBRARY_PATH=folder, TEST_LISTEN_MS="500", **VARIABLES, **variables)


@contextlib.contextmanager
def stranger(program):
    """Another user's program, and in the end what it printed."""
    said = []
    with subprocess.Popen([*STRANGER, program], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield said
        finally:
            process.kill()
            said += process.stdout.read().splitlines()


@need_root
@pytest.mark.parametrize("patience, words", [(20, 0), (20, 20), (0, 0)])
def test_memory_that_is_passed(job, patience, words):
    if subprocess.run([*NOBODY, *ENTER, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        pytest.skip("user namespaces cannot be made here")
    with stranger(THIEF % {"patience": patience, "words": words}) as said:
        begun = time.monotonic()
        seen = job(*ENTER)
        took = time.monotonic() - begun
    assert not [line for line in said if "STOLEN" in line]
    assert "connected" in said, seen.all
    assert seen.status == 0 and "loads and stores in shared memory (memfd)" in seen.all, seen.all
    assert took < 25, "a silent stranger held up the start"


def target(link):
    """What a link of /proc points to; nothing when the process has ended, or its thread has closed the file meanwhile."""
    try:
        return os.readlink(link)
    except OSError:
        return ""


def sockets_with_names(program):
    """How many sockets with a name, but no file, has each process that runs the program?"""
    with open("/proc/net/unix", encoding="ascii", errors="replace") as file:
        named = {words[6] for words in map(str.split, file.readlines()[1:]) if len(words) > 7 and words[7].startswith("@")}
    return [len(named.intersection(target(path)[8:-1] for path in glob.glob(folder + "/fd/*")))
            for folder in glob.glob("/proc/[0-9]*") if target(folder + "/exe") == program]


@pytest.mark.parametrize("transport", ("am", "rma"))
def test_nobody_else_can_wake_threads(tmp_path, transport):
    """All users may send to a socket with a name, and the system tells them all names: after the start none is left but MPI's own."""
    program = str(tmp_path / "sleeper")
    text = SLEEPER % os.path.join(SOURCE, "tests", "mpi", "pretended_nodes.h")
    library = ["-L" + LIBRARIES, "-larmci", "-Wl,-rpath," + LIBRARIES] if os.path.exists(SHARED) else [STATIC, "-lm", "-lpthread"]
    compile_program("-o", program, *library, text=text)
    variables = environment({"ARMCI_TEST_NODE": "2", "ARMCI_TRANSPORT": transport}, ("ARMCI_SHM",))
    names = []
    for words in ([], ["MPI"]):
        own = shutil.copy(program, "-".join([program, "copy", *words]))  # the ranks of the first job may not have gone yet
        with subprocess.Popen(launch_command(4, 60, own, *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=variables) as job:
            try:
                assert any(line == "ready\n" for line in job.stdout)
                names.append(sockets_with_names(own))
            finally:
                job.terminate()
    assert len(names[0]) == 4 and names[0] == names[1], names
