"""The words of armci-bench that compute something, in small sizes, on 2 to 4 ranks and with every block fetched; the program checks each result."""
import json
import os
import re
import subprocess

import pytest

from common import SOURCE, need_ranks, run_job

BENCH = ["benchmarks/armci-bench", "--seconds", "0.001"]


def rows():
    for ranks in (2, 3, 4):
        yield ranks, "auto", "matmul", ["--without", "*0*"]
        yield ranks, "no", "matmul", ["--without", "*0*", "--without", "*512"]
    for ranks in (2, 4):
        yield ranks, "no", "mg", ["--without", "MG [WAB]*"]
        yield ranks, "auto", "sparse", []
        yield ranks, "auto", "mix", []
        yield ranks, "no" if ranks == 2 else "auto", "pool", []
    yield 2, "no", "sparse", []
    yield 2, "no", "methods", []
    yield 2, "auto", "contention", []
    yield 4, "no", "fences", []
    yield 2, "auto", "overlap", ["--without", "*S*", "--without", "away*"]


@pytest.mark.parametrize("ranks, shm, word, options", rows(), ids=lambda value: "" if isinstance(value, list) else None)
def test_word(ranks, shm, word, options):
    """Status 0, and rows that are all right; none if the word says what it misses."""
    need_ranks(ranks)
    job = run_job(ranks, *BENCH, word, *options, seconds=100, ARMCI_SHM=shm)
    assert job.status == 0 and job.count("^all data correct$|^No rows of "), "status %d\n%s" % (job.status, job.all)


@pytest.mark.parametrize("ranks", [2, 4])
def test_norm_of_mg(ranks):
    """The norm of class S that the specification of NAS MG has, in a run of its own."""
    need_ranks(ranks)
    job = run_job(ranks, *BENCH, "mg", "--without", "MG [WAB]*", seconds=100)
    assert job.count(r"^MG S: norm 5\.3077070057[0-9]*e-05, .*: verified$") == 1, job.all


def test_wrong_word():
    """Three lines, the first of which has the word that was meant. Without a launcher: MPICH's may lose what a program says that ends at once."""
    done = subprocess.run([BENCH[0], "latncy"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    lines = done.stdout.splitlines()
    assert done.returncode == 2 and lines[0] == "armci-bench: unknown word: latncy; did you mean latency?", done.stdout
    assert re.match("words: latency bandwidth .* all$", lines[1]) and lines[2].startswith("armci-bench --help describes") and len(lines) == 3, done.stdout


@pytest.mark.parametrize("ranks", [2, os.cpu_count() + 1])
def test_round_trip(tmp_path, ranks):
    """Each row has the time of a message beside it, unless processes wait for a processor."""
    need_ranks(ranks)
    figures = str(tmp_path / "run.json")
    job = run_job(ranks, *BENCH, "latency", "--json", figures)
    with open(figures, encoding="utf-8") as opened:
        found = json.load(opened)["rows"]
    assert job.status == 0 and found and all(("round_trip_ns" in row) == (ranks <= os.cpu_count()) for row in found), found


def test_processor(tmp_path):
    """A run names the processor."""
    figures = str(tmp_path / "run.json")
    job = run_job(2, *BENCH, "probe", "--json", figures)
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo, open(figures, encoding="utf-8") as opened:
        model, named = re.search(r"^model name\s*: (.*)$", cpuinfo.read(), re.M), json.load(opened)["processor"]
    assert job.status == 0 and (named.startswith(model.group(1)) if model else named), named


@pytest.mark.parametrize("tool, begun, found", [("benchmarks/armci-bench", "la", "latency"), ("benchmarks/armci-bench", "--la", "--label"),
                                                ("tools/armci-doctor", "--rep", "--report"), ("tools/armci-info", "--var", "--variables"),
                                                (os.path.join(SOURCE, "tools", "armci-stats"), "--o", "--output")])
def test_completion(tool, begun, found):
    """Bash completes words and options of --help."""
    script = '. "$1"; _armci_tool "$2" "$3"; echo ${COMPREPLY[@]}'
    done = subprocess.run(["bash", "-c", script, "-", os.path.join(SOURCE, "tools", "completion.bash"), tool, begun], capture_output=True, text=True, check=False)
    assert done.stdout.split() and set(done.stdout.split()) == {found}, done.stdout + done.stderr
