"""What containers do to a job, made with namespaces: a user namespace for each rank, where the kernel lets no process open /proc/PID/fd of
another; the same for an ordinary user; the processes of others hidden (hidepid); a /dev/shm of 64 MiB and a /tmp that is read-only. Memory
must be shared by memfd all the same.

The MPI libraries need the variables below for that: MPICH over UCX opens /proc/PID/fd, too, and both copy from one process to the other (CMA).
UCX also looks for the other process in /proc, so with hidepid and user namespaces MPICH does not start.
"""
import os
import shutil
import subprocess
import tempfile

import pytest

from common import SHARED, made_with, run_job

VARIABLES = {"UCX_POSIX_USE_PROC_LINK": "n", "UCX_TLS": "^cma", "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "ARMCI_VERBOSE": "1"}
SMALL = """mount -t tmpfs -o size=64m tmpfs /dev/shm && mount --bind -o ro /tmp /tmp && mount -o remount,ro,bind /tmp &&
    ! touch /tmp/file 2>/dev/null && exec env TMPDIR=/dev/shm "$@" """
HIDDEN = """mount -t proc -o hidepid=2 proc /proc &&
    exec setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/dev/shm TMPDIR=/dev/shm "$@" """
ENTER = ["unshare", "--user", "--map-root-user"]
need_root = pytest.mark.skipif(os.getuid() != 0, reason="not root")


def shares(program, enter=(), before=(), **variables):
    """The program, on 2 ranks each started by `enter`, passes and shares memory by memfd."""
    if subprocess.run([*ENTER, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        pytest.skip("user namespaces cannot be made here")
    job = run_job(2, *enter, program, before=before, unset=("ARMCI_SHM",), **VARIABLES, **variables)
    assert job.status == 0, job.all
    assert "within a node: loads and stores in shared memory (memfd)" in job.all


@pytest.mark.parametrize("program", ["test_contiguous", "test_memget", "test_memory"])
def test_user_namespace_for_each_rank(program):
    shares("tests/mpi/%s.mpi" % program, ENTER)


@need_root
def test_small_shm_and_tmp_read_only():
    shares("tests/mpi/test_memory.mpi", before=["unshare", "--mount", "sh", "-c", SMALL, "sh"])


@pytest.fixture(name="program")
def program_for_all():
    """The program and the library where an ordinary user may read them."""
    with tempfile.TemporaryDirectory(prefix="armci-namespaces.") as folder:
        real = "tests/mpi/.libs/test_contiguous.mpi"
        for path in (real if os.path.exists(real) else "tests/mpi/test_contiguous.mpi", *([SHARED + ".0"] if os.path.exists(SHARED) else [])):
            shutil.copy(path, folder)
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        yield os.path.join(folder, "test_contiguous.mpi")


def as_user(program, enter=()):
    before = ["unshare", "--pid", "--fork", "--mount", "--mount-proc", "--ipc", "sh", "-c", HIDDEN, "sh"]
    shares(program, enter, before, LD_LIBRARY_PATH=os.path.dirname(program))


@need_root
def test_ordinary_user(program):
    as_user(program)


@need_root
def test_ordinary_user_with_a_user_namespace_for_each_rank(program):
    if made_with("MPI_FAMILY") != "openmpi":
        pytest.skip("UCX looks for the other process in /proc")
    as_user(program, ["unshare", "--user", "--map-current-user"])
