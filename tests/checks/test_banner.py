"""What ARMCI_VERBOSE=1 prints at start is there once, and is true; warnings are there by default, where there is a reason, and not
with ARMCI_VERBOSE=-1."""
import os
import re
import resource

import pytest

from common import LIBRARIES, SHARED, SOURCE, STATIC, compile_program, output, read, run_job

PROGRAM, INFO = "examples/hello", "tools/armci-info"
HELLO = os.path.join(SOURCE, "examples", "hello.c")
UNSET = ("ARMCI_VERBOSE", "ARMCI_SHM", "ARMCI_NODES", "ARMCI_TRANSPORT", "ARMCI_PROGRESS", "ARMCI_QUIRKS", "ARMCI_EAGER_MAX",
         "OMP_NUM_THREADS")
MEMFD = r"the processes of a node cannot share memory by memfd \(%s\): all operations use MPI RMA; remedy: "
NO_FILE = MEMFD % "the system makes none, or files are limited by ulimit -f"
TABLE = re.search(r"^\| workaround.*?(?:\n\n|\Z)", read("doc", "reference", "variables.md"), re.M | re.S)[0]
WORKAROUNDS = re.findall(r"^\| ([a-z][a-z-]*) \|", TABLE, re.M)[1:]
VERSION = read("VERSION").strip()
PROCESSORS = len(os.sched_getaffinity(0))
THREADS = {"MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE", "OMPI_MPI_THREAD_LEVEL": "3"}  # as programs on several nodes have them


class Banner:
    """What a job printed, and demands on it: `once` and `never` a line that the pattern matches."""

    def __init__(self, ranks, program=PROGRAM, **options):
        self.job = run_job(ranks, program, unset=UNSET, **options)
        assert self.job.status == 0, self.job.all

    def once(self, *patterns):
        for pattern in patterns:
            assert self.job.count(pattern) == 1, "not once: %s\n%s" % (pattern, self.job.all)
        return self

    def never(self, *patterns):
        for pattern in patterns:
            assert self.job.count(pattern) == 0, "not expected: %s\n%s" % (pattern, self.job.all)
        return self

    def lines(self, most):
        """Rank 0 prints at most so many lines."""
        assert self.job.count("^ARMCI: ", self.job.out) <= most, self.job.out
        return self

    def warns(self, name, pattern):
        """Rank 0 warns so, once, on standard error."""
        self.once(r"^ARMCI warning: \[%s\] %s" % (name, pattern))
        assert self.job.count(r"^ARMCI warning: \[%s\] " % name, self.job.err) == 1, self.job.all
        return self

    def quirks(self):
        """The items of the line of quirks, in order."""
        return sorted(item.strip() for line in re.findall("^ARMCI: quirks: (.*)", self.job.out, re.M) for item in line.split(","))


@pytest.fixture(scope="module", name="known")
def known_quirks():
    """What armci-info names for one node: the workarounds with a name. ARMCI makes no request-based calls anyway."""
    found, here, defects = set(), False, re.search(r"^Known defects.*?(?:\n\n|\Z)", output(INFO), re.M | re.S)[0]
    for line in defects.splitlines()[1:]:
        workaround = re.match(r"\s*-> ([a-z]*-[a-z-]*):", line)
        if "->" not in line:
            here = not line.endswith("[between nodes]")
        elif here and workaround:
            found.add(workaround[1])
    return sorted(found)


def test_silent_by_default():
    Banner(2).never("^ARMCI")


def test_one_node(known):
    mpi = re.search(r"^MPI in use *([^,(]*[^ ,(])", output(INFO), re.M)[1]
    seen = Banner(2, ARMCI_VERBOSE="1").lines(8)
    seen.once(r"^ARMCI: ARMCI-RMA %s, .*, on %s.*\(MPI [0-9.]*\)$" % (re.escape(VERSION), re.escape(mpi)),
              r"^ARMCI: 2 ranks on 1 node \(2 per node\); this node: 2 ranks, %d CPUs?$" % PROCESSORS,
              r"^ARMCI: within a node: loads and stores in shared memory \(memfd\)$",
              "^ARMCI: asynchronous progress: not needed on one node$",
              "^ARMCI: memory for regions: [0-9.]* [GMK]iB on this node, [0-9.]* [GMK]iB per rank$",
              "^ARMCI: settings: ARMCI_VERBOSE=1$")
    seen.never("between nodes: ", "warning", "descriptors|^ARMCI: ARMCI_|^ARMCI: quirk of|without effect")
    assert [item for item in seen.quirks() if "=" not in item and item != "none"] == known
    assert seen.quirks(), "no line of quirks"


def test_three_nodes():
    seen = Banner(3, ARMCI_VERBOSE="1", ARMCI_NODES="rank").lines(8)
    seen.once(r"^ARMCI: 3 ranks on 3 nodes \(1 per node\); this node: 3 ranks, ")
    if PROCESSORS < 3:
        seen.warns("oversubscribed", "up to 2 processes share a processor, on the node of rank 0; remedy: ")
    else:
        seen.never("warning")


def test_one_processor():
    """Bound to one, of which the ranks may have to share the time with nobody else on the node."""
    bound = {"before": ["taskset", "-c", str(min(os.sched_getaffinity(0)))]}
    seen = Banner(2, ARMCI_VERBOSE="1", **bound).once("this node: 2 ranks, 1 CPU$")
    seen.warns("oversubscribed", "up to 2 processes share a processor, on the node of rank 0; remedy: ")
    Banner(2, **bound).warns("oversubscribed", "up to 2 processes share a processor")
    Banner(2, ARMCI_VERBOSE="-1", **bound).never("ARMCI")


def test_no_shared_memory():
    seen = Banner(2, ARMCI_VERBOSE="1", ARMCI_SHM="no")
    seen.once("^ARMCI: within a node: MPI RMA, no shared memory$",
              "^ARMCI: asynchronous progress: none: operations may wait until their target calls MPI$").never("warning")


def limited(kind, most):
    return lambda: resource.setrlimit(kind, (most, most))


def test_short_files():
    Banner(2, preexec_fn=limited(resource.RLIMIT_FSIZE, 1000000 * 512)).warns("no-memfd", NO_FILE)


@pytest.fixture(name="odd")
def odd_program(tmp_path):
    """The program for a system that is made odd by odd.c."""
    if not os.path.exists(SHARED):
        pytest.skip("there is no shared library")

    def build(*options):
        compile_program("-w", *options, HELLO, os.path.join(SOURCE, "tests", "checks", "odd.c"), "-L" + LIBRARIES, "-larmci",
                        "-Wl,-rpath," + LIBRARIES, "-o", str(tmp_path / "odd"))
        return str(tmp_path / "odd")
    return build


def test_without_memfd(odd):
    Banner(2, odd()).warns("no-memfd", NO_FILE)


def test_odd_nodes(odd):
    program = odd("-DNODES")
    seen = Banner(2, program, TEST_FUNNELED="1").warns("no-memfd", "the processes .*, and nodes have no servers; remedy: ")
    seen.once(r"\[no-threads\] no MPI_THREAD_MULTIPLE: operations between nodes wait until their target calls MPI; remedy: ")
    Banner(2, program, TEST_FUNNELED="1", ARMCI_PROGRESS="none", ARMCI_SHM="no").never("^ARMCI warning")
    seen = Banner(2, program, TEST_FUNNELED="1", ARMCI_TRANSPORT="am", ARMCI_VERBOSE="1")
    seen.once(r"^ARMCI: ARMCI_TRANSPORT=am and rdma need MPI_THREAD_MULTIPLE .*; the transport is rma$")


def test_threads_on_some_processes(odd):
    """They are as good as none; but where MPI refuses windows to those that have them the job ends."""
    program = odd("-DNODES")
    threads = {"TEST_FUNNELED": "0", **THREADS}
    job = run_job(2, program, unset=UNSET, ARMCI_QUIRKS="+unthreaded-windows", **threads)
    assert job.status != 0 and job.count("MPI_THREAD_MULTIPLE on some processes only: ") > 0, job.all
    if "-> unthreaded-windows" not in output(INFO):
        Banner(2, program, **threads).warns("no-threads", "no MPI_THREAD_MULTIPLE: ")


def test_threads_without_windows_or_servers(odd):
    """ARMCI says why there will be no memory."""
    job = run_job(2, odd("-DNODES"), unset=UNSET, ARMCI_QUIRKS="+unthreaded-windows", ARMCI_PROGRESS="none", ARMCI_VERBOSE="1", **THREADS)
    assert job.count("^ARMCI: this MPI library makes no windows between nodes for programs with threads: ") == 1, job.all


@pytest.mark.parametrize("refused", ("pthread_create", "eventfd"))
def test_system_that_gives_no_threads(tmp_path, refused):
    """The job goes on by MPI's one-sided calls."""
    if not os.path.exists(SHARED):
        pytest.skip("there is no shared library")
    library = str(tmp_path / "faulty.so")
    compile_program("-w", "-shared", "-fPIC", os.path.join(SOURCE, "tests", "checks", "faulty.c"), "-o", library)
    job = run_job(2, "tests/mpi/leave", "good", "barrier", "contact", unset=("ARMCI_SHM",), LD_PRELOAD=library, TEST_REFUSE=refused, ARMCI_TEST_NODE="1")
    assert job.status == 0, job.all
    assert job.count(r"\[no-threads\]") == 1, job.all


def test_unknown_mpi_library(odd):
    seen = Banner(2, odd("-DUNKNOWN"), ARMCI_SHM="no")
    seen.warns("unknown-mpi", r"the defects of this MPI library \(Fast MPI 7\) are unknown, so no workarounds are in use; remedy: ")


def test_workarounds_by_name():
    """Alone after none, else beside those that the library needs, each once."""
    assert len(WORKAROUNDS) > 1
    added, removed = ("".join(",%s%s" % (sign, workaround) for workaround in WORKAROUNDS) for sign in "+-")
    Banner(1, ARMCI_VERBOSE="1", ARMCI_QUIRKS="none").once("^ARMCI: quirks: none$")
    seen = Banner(1, ARMCI_VERBOSE="1", ARMCI_QUIRKS="none" + added)
    assert seen.quirks() == sorted(WORKAROUNDS)
    seen = Banner(1, ARMCI_VERBOSE="1", ARMCI_QUIRKS="auto" + added).lines(8)
    assert [item for item in seen.quirks() if "=" not in item] == sorted(WORKAROUNDS)
    seen = Banner(1, ARMCI_VERBOSE="1", ARMCI_QUIRKS="auto" + removed)
    assert not [item for item in seen.quirks() if "=" not in item and item != "none"]


def test_which_library(tmp_path):
    """A statically linked program tells which ARMCI it has only by this line."""
    if os.path.exists(SHARED):
        seen = Banner(1, ARMCI_VERBOSE="1")
        seen.once(r"^ARMCI: ARMCI-RMA %s, from %s/libarmci\.so[.0-9]*, on " % (re.escape(VERSION), re.escape(os.path.realpath(LIBRARIES))))
    if os.path.exists(STATIC):
        compile_program(HELLO, STATIC, "-lpthread", "-o", str(tmp_path / "static"))
        Banner(2, str(tmp_path / "static"), ARMCI_VERBOSE="1").once("^ARMCI: ARMCI-RMA %s, linked into .*/static, on " % re.escape(VERSION))
