"""setups.py - the surroundings that tests/run has for a test: a command in front, variables, and where needed a build folder of its own."""
import filecmp
import glob
import os
import re
import shlex
import shutil
import subprocess
import tempfile


class Missing(Exception):
    """The surroundings cannot be had here."""


class Broken(Exception):
    """They should be there, and are not."""


def made_with(name, folder="."):
    """The value of a variable of a build folder's Makefile."""
    try:
        with open(os.path.join(folder, "Makefile"), encoding="utf-8") as file:
            return re.search(rf"^{name} = (.*)$", file.read(), re.M)[1].strip()
    except FileNotFoundError:
        raise SystemExit(f"run: there is no Makefile in {os.path.abspath(folder)}: call this in a build folder") from None


class Setup:
    """One node, as programs run."""
    variables = {}
    slowness = 1  # how many times longer than elsewhere a run may take
    emulated = False  # whether the processor is: its times are those of no machine
    several = True  # whether runs without a job may be beside each other
    words = ()    # in front of the program

    def __init__(self, tests, build):
        self.tests, self.build, self.folder = tests, build, build
        self.launcher = os.path.join(build, os.environ.get("ARMCI_TEST_LAUNCH", "tests/launch"))

    def prepare(self, runs):
        """Whatever all runs need."""

    def command(self, run, program, seconds):
        """What runs a program of the build folder."""
        launch = [] if run.ranks == "-" else [self.launcher, run.ranks, str(seconds)]
        return [*launch, *self.words, os.path.join(self.folder, program), *run.arguments]

    def target(self, run):
        """What make calls the program of a run."""
        if run.program.startswith("unit/"):
            return "tests/" + run.program
        folder = {"armci-random": "tests/random/", "threads": "tests/sanitize/", "armci-doctor": "tools/"}.get(run.program)
        hosts = os.path.exists(os.path.join(self.tests, "hosts", run.program + ".c"))
        return folder + run.program if folder else f"tests/{'hosts' if hosts else 'mpi'}/{run.program}.mpi"

    def finding(self, run):
        """What is wrong with the run that has ended, besides its status."""
        return ""

    def stop(self):
        """Undo prepare."""


class Alone(Setup):
    """Nothing of this runner beside it."""
    several = False


class NoSharedMemory(Setup):
    """All data go through MPI."""
    variables = {"ARMCI_SHM": "no"}


class PretendedNodes(Setup):
    """Each rank is a node of its own (tests/mpi/pretended_nodes.h); MPI is asked for threads, as the library asks it where a job has nodes."""
    variables = {"ARMCI_TEST_NODE": "1", "MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE", "OMPI_MPI_THREAD_LEVEL": "3"}

    def prepare(self, runs):
        preloaded = os.path.join(self.build, "tests/mpi/pretended_nodes.so")
        compile_preloaded(preloaded, os.path.join(self.tests, "mpi/pretended_nodes.h"))
        self.words = ("env", "LD_PRELOAD=" + preloaded)


class Hosts(Setup):
    """Two nodes made of namespaces."""
    network, several = "tcp", False

    def prepare(self, runs):
        self.launcher = os.path.join(self.tests, "hosts/two-hosts")
        self.work = tempfile.TemporaryDirectory(prefix="armci-hosts.")
        self.variables = {name: os.environ.get(name) or made_with(name) for name in ("MPIEXEC", "MPI_FAMILY")}
        self.variables["HOSTS_NETWORK"] = os.environ.get("HOSTS_NETWORK", self.network)
        self.variables["TWO_HOSTS"] = output_of(self.launcher, "up", **self.variables)
        preloaded = os.path.join(self.work.name, "preload.so")
        self.variables |= {"TWO_HOSTS_PRELOAD": preloaded, "ARMCI_TEST_LAUNCH": self.launcher}
        compile_preloaded(preloaded, *(os.path.join(self.tests, "hosts", name) for name in ("mark_finalize.c", "yield_when_idle.c", "fake_rdma.c")))

    def stop(self):
        if self.variables.get("TWO_HOSTS"):
            subprocess.run([self.launcher, "down", self.variables["TWO_HOSTS"]], check=False)


class Rdma(Hosts):
    """The same, joined by an RDMA device made of software. Outside of the machine that has it (tests/rdma/virtual-machine) tests/run starts that
    machine, and itself in there."""
    network, emulated = "rdma", True


class OwnBuild(Setup):
    """A build folder below the build folder, with options of its own."""
    name = ""
    options = ()

    def configure(self, source):
        self.folder = os.path.join(self.build, self.name)
        os.makedirs(self.folder, exist_ok=True)
        if not os.path.exists(os.path.join(self.folder, "config.status")):
            given = [f"{name}={os.environ.get(name) or made_with(name)}" for name in ("CC", "MPIEXEC")]
            self.build_step(os.path.join(source, "configure"), "--disable-shared", *self.options, *given)

    def prepare(self, runs):
        self.configure(os.path.dirname(self.tests))
        self.build_step("make", f"-j{os.cpu_count()}", *sorted({self.target(run) for run in runs}))
        self.launcher = os.path.join(self.folder, "tests/launch")

    def build_step(self, *command):
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False)
        if done.returncode:
            raise Broken("\n".join(done.stdout.splitlines()[-40:]))

    def report(self, run):
        """The file for reports of a run, whose processes add something to the name."""
        return os.path.join(self.folder, "report-" + re.sub(r"\W+", "-", run.name))

    def reports(self, run):
        """The reports of the run that has ended, which are removed."""
        texts = []
        for path in glob.glob(self.report(run) + ".*"):
            with open(path, encoding="utf-8", errors="replace") as file:
                texts.append(file.read())
            os.remove(path)
        return texts


class AddressSanitizer(OwnBuild):
    """With UndefinedBehaviorSanitizer. The first finding ends a program. Findings go to files: test_errors looks at what the library prints. It
    also asks for more memory than there is. Leaks of MPI libraries are left out, as far as a stack shows them: those libraries keep no frame
    pointers, so the slow unwinder where MPI is started."""
    name, slowness = "sanitizers", 3
    options = ("--enable-sanitizers=address,undefined", "--enable-debug", "CFLAGS=-O1 -fno-sanitize-recover=all")

    def command(self, run, program, seconds):
        source = os.path.join(self.tests, run.program + ".c")
        lone = run.ranks == "-" and not (os.path.exists(source) and "unit_run_with_mpi" in open(source, encoding="utf-8").read())
        log = self.report(run)
        options = {"ASAN_OPTIONS": f"fast_unwind_on_malloc={int(lone)}:log_path={log}:allocator_may_return_null=1:"
                                   "detect_stack_use_after_return=1:strict_string_checks=1",
                   "UBSAN_OPTIONS": f"log_path={log}:print_stacktrace=1:halt_on_error=1",
                   "LSAN_OPTIONS": f"suppressions={self.tests}/sanitize/lsan.supp:print_suppressions=0"}
        return ["env", *(f"{name}={value}" for name, value in options.items()), *super().command(run, program, seconds)]

    def finding(self, run):
        return "\n".join(text for text in self.reports(run) if re.search("ERROR: |runtime error: ", text))


class ThreadSanitizer(OwnBuild):
    """For what is compiled with it alone (tests/sanitize/sanitize.am), at addresses that it can map."""

    def prepare(self, runs):
        self.build_step("make", *sorted({self.target(run) for run in runs}))

    def command(self, run, program, seconds):
        fixed = ["setarch", "-R"] if subprocess.run(["setarch", "-R", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0 else []
        return ["env", f"TSAN_OPTIONS=log_path={self.report(run)} halt_on_error=1", *fixed, *super().command(run, program, seconds)]

    def finding(self, run):
        return "\n".join(self.reports(run))


class Mutants(OwnBuild):
    """A copy of the source, which one patch of tests/mutants changes at a time."""
    name, options, several = "mutants/build", ("CFLAGS=-O0",), False  # most of the time is the compiler's

    def prepare(self, runs):
        self.source = os.path.join(self.build, "mutants/source")
        self.copy_source()
        self.configure(self.source)

    def copy_source(self):
        """Make the copy what the source is, by changing those files only that differ."""
        top = os.path.dirname(self.tests)
        for folder, folders, files in os.walk(top):
            folders[:] = [name for name in folders if name not in (".git", "autom4te.cache", "__pycache__", "build-logs") and
                          not os.path.exists(os.path.join(folder, name, "config.status"))]
            there = os.path.join(self.source, os.path.relpath(folder, top))
            os.makedirs(there, exist_ok=True)
            for name in files:
                new, old = os.path.join(folder, name), os.path.join(there, name)
                if os.path.isfile(new) and not (os.path.exists(old) and filecmp.cmp(new, old, shallow=False)):
                    shutil.copy(new, old)

    def mutate(self, name, runs):
        """Build the programs of the runs with this patch."""
        self.copy_source()
        self.build_step("patch", "-p1", "--no-backup-if-mismatch", "-d", self.source, "-i", os.path.join(self.tests, "mutants", name + ".patch"))
        self.build_step("make", f"-j{os.cpu_count()}", *sorted({self.target(run) for run in runs}))


class Valgrind(OwnBuild):
    """memcheck. An error counts if its innermost frame, without those of the C library and valgrind, is of this library or its tests: what MPI
    libraries do is theirs."""
    name, slowness, options = "valgrind", 2, ("--enable-g",)
    variables = {"CK_FORK": "no"}
    words = ("valgrind", "--leak-check=full", "--show-leak-kinds=definite,possible", "--num-callers=40")

    def prepare(self, runs):
        if not shutil.which("valgrind"):
            raise Missing("there is no valgrind")
        super().prepare(runs)
        top = os.path.dirname(self.tests)
        sources = [path for pattern in ("src/**/*.[ch]", "tests/unit/*.c", "tests/mpi/*.c") for path in glob.glob(os.path.join(top, pattern), recursive=True)]
        self.ours = {os.path.basename(path) for path in sources}

    def is_ours(self, block):
        for line in re.findall(r"^ +(?:at|by) 0x.*", block, re.M):
            if not re.search(r"\(vg_|\(in [^)]*(/libc[.-]|valgrind)", line):
                place = re.search(r"\(([^():]*\.[ch]):\d+\)$", line)
                return bool(place) and os.path.basename(place[1]) in self.ours
        return False

    def command(self, run, program, seconds):
        return ["env", f"VALGRIND_OPTS=--log-file={self.report(run)}.%p", *super().command(run, program, seconds)]

    def finding(self, run):
        reports = self.reports(run)
        if not reports:
            return "valgrind left no report"
        blocks = [block for text in reports for block in re.split(r"\n *\n", re.sub(r"^==\d+== ?", "", text, flags=re.M))]
        return "\n\n".join(block for block in blocks if self.is_ours(block))


def output_of(*command, **variables):
    """What a command prints; it may say by status 77 that something is not to be had here."""
    done = subprocess.run(command, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode == 77:
        raise Missing(done.stdout.strip().removeprefix("SKIP "))
    if done.returncode:
        raise Broken(done.stdout + done.stderr)
    return done.stdout.strip()


def compile_preloaded(path, *sources):
    output_of(*shlex.split(os.environ.get("CC") or made_with("CC")), "-x", "c", "-shared", "-fPIC", "-o", path, *sources)


SETUPS = {"files": Setup, "alone": Alone, "node": Setup, "noshm": NoSharedMemory, "nodes": PretendedNodes, "hosts": Hosts, "asan": AddressSanitizer,
          "tsan": ThreadSanitizer, "valgrind": Valgrind, "rdma": Rdma, "slurm": Alone, "mutants": Mutants}
