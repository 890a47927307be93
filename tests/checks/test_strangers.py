"""What another user of the machine can do to a job: get its memory while it is passed from rank to rank, hold up the start, make its threads
run. The ranks belong to the user nobody, in user namespaces of their own where no other user is mapped, as in some containers, so that the
kernel shows them all users as the same one. A second user needs root."""
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

from common import SHARED, SOURCE, compile_program, run_job

VARIABLES = {"UCX_POSIX_USE_PROC_LINK": "n", "UCX_TLS": "^cma", "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "ARMCI_VERBOSE": "1"}
STRANGER = ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups", sys.executable, "-c"]
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/dev/shm", "TMPDIR=/dev/shm"]
ENTER = ["unshare", "--user", "--map-current-user"]
pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="not root")

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
