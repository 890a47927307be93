"""What the checks share: the folders, files of the source, programs and jobs of the build folder, in which they run."""
import contextlib
import functools
import os
import re
import subprocess

import pytest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.getcwd()
LIBRARIES = os.path.join(BUILD, ".libs")
SHARED, STATIC = (os.path.join(LIBRARIES, "libarmci" + ending) for ending in (".so", ".a"))
INCLUDE = os.path.join(SOURCE, "include")
MOST_RANKS = int(os.environ.get("ARMCI_TEST_RANKS") or 4)


def read(*path):
    """The text of a file of the source."""
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


@functools.lru_cache(None)
def makefile():
    """The Makefile of the build folder, each variable on one line."""
    if not os.path.exists("Makefile"):
        pytest.fail("there is no Makefile here: run this check in a build folder", pytrace=False)
    with open("Makefile", encoding="utf-8") as file:
        return file.read().replace("\\\n", " ")


def made_with(name):
    """The value of a variable of the Makefile."""
    return re.search(r"^%s = (.*)$" % name, makefile(), re.M).group(1).strip()


def compiler():
    """The MPI compiler, with its options, as a list."""
    return (os.environ.get("CC") or made_with("CC")).split()


def output(*command):
    """All that a command prints."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          check=False).stdout


def public_functions():
    return output(os.path.join(SOURCE, "tools", "gen-parmci"), "--names", INCLUDE).split()


def compile_program(*arguments, text=None):
    """The compiler must succeed; `text` is a C source on its standard input."""
    source = [] if text is None else ["-x", "c", "-", "-x", "none"]
    done = subprocess.run([*compiler(), "-I" + INCLUDE, *source, *arguments], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout


def environment(variables, unset=()):
    """That of this process, without the variables `unset`, with the others."""
    return {**{name: value for name, value in os.environ.items() if name not in unset}, **variables}


def launch_command(ranks, seconds, *command):
    launcher = os.environ.get("ARMCI_TEST_LAUNCH", "tests/launch")
    return [os.path.abspath(launcher), str(ranks), str(seconds), *command]


class Job:
    """A job that has ended: its status, and what it printed."""

    def __init__(self, command, variables, unset, **options):
        done = subprocess.run(command, env=environment(variables, unset), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", check=False, **options)
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.all = self.out + self.err

    def count(self, pattern, text=None):
        """The lines in which the pattern is found."""
        return sum(bool(re.search(pattern, line)) for line in (self.all if text is None else text).splitlines())


def run_job(ranks, *command, seconds=60, unset=(), before=(), preexec_fn=None, cwd=None, **variables):
    """Run a program; `before` are words in front of the launcher."""
    return Job([*before, *launch_command(ranks, seconds, *command)], variables, unset, preexec_fn=preexec_fn, cwd=cwd)


@contextlib.contextmanager
def two_nodes():
    """What runs a job (ranks, seconds, program and arguments) on two nodes: those of TWO_HOSTS, or a pair that goes afterwards."""
    script = os.path.join(SOURCE, "tests", "hosts", "two-hosts")
    variables = {name: os.environ.get(name) or made_with(name) for name in ("MPIEXEC", "MPI_FAMILY")}
    own = "TWO_HOSTS" not in os.environ
    if own:
        made = Job([script, "up"], variables, ())
        if made.status == 77:
            pytest.skip(made.out.strip())
        assert made.status == 0, made.all
        variables["TWO_HOSTS"] = made.out.strip()
    try:
        yield lambda ranks, seconds, *command: Job([script, "launch", str(ranks), str(seconds), *command], variables, ("TWO_HOSTS_PRELOAD",))
    finally:
        if own:
            Job([script, "down", variables["TWO_HOSTS"]], variables, ())


def need_ranks(ranks):
    if ranks > MOST_RANKS:
        pytest.skip("ARMCI_TEST_RANKS=%d" % MOST_RANKS)


def doc_tools():
    """The interpreter for which make site installs the packages of doc/requirements.txt."""
    cache = os.environ.get("ARMCI_CACHE") or os.path.expanduser("~/.cache/armci-rma")
    python = os.path.join(cache, "doc-tools", "bin", "python")
    if not os.path.exists(python):
        pytest.skip("without the packages of doc/requirements.txt, which make site installs")
    return python


def check(good, what, seen=""):
    assert good, "%s: %s" % (what, seen)


def none_of(faults):
    """A check that collects what is wrong: there must be nothing."""
    faults = list(faults)
    assert not faults, "\n" + "\n".join(faults)
