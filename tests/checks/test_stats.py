"""armci-stats and ARMCI_STATS.

Made-up jobs whose figures are known, as text and as a page, files that are damaged, real jobs, and jobs that are killed; and the table of another, where no file is asked for or none can be written.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from common import LIBRARIES, SOURCE, check, compile_program, doc_tools, environment, launch_command, output, read, run_job

TOOL = os.path.join(SOURCE, "tools", "armci-stats")
PROGRAM = "examples/hello"
PROFILER = os.path.join(LIBRARIES, "libarmci-prof.so")


def profiled(ranks, *command, **variables):
    return run_job(ranks, *command, LD_PRELOAD=PROFILER, **variables)


# ---- made-up jobs ----

def function(name, family, form, paths, sizes, segments):
    calls, total = sum(p["calls"] for p in paths), sum(p["bytes"] for p in paths)
    return {"name": name, "family": family, "form": form, "blocking": True, "calls": calls, "bytes": total,
            "seconds": sum(p["seconds"] for p in paths), "longest": 0.5, "paths": paths, "sizes": sizes, "segments": segments,
            "nanoseconds": [[1024, calls]]}


def path(name, calls, total, seconds):
    return {"path": name, "calls": calls, "bytes": total, "seconds": seconds}


def job(size, puts):
    """Process r puts `puts` times r + 1 bytes to process 0, and all of them wait in a barrier."""
    def functions(calls, total):
        return [function("ARMCI_PutS", "put", "strided", [path("direct", calls, total, 0.25)], [[1, calls]], [[8, calls]]),
                function("ARMCI_Barrier", "barrier", "", [path("-", 3, 0, 0.125)], [], [])]
    regions = {"made": 2, "most": 1, "bytes_most": 4096}
    travelled = [{"path": "direct", "transfers": puts * size, "bytes": puts, "segments": 9}]
    processes = [{"rank": r, "node": 0, "seconds": 2.0, "functions": functions(puts, puts * (r + 1)), "travelled": travelled,
                  "targets": [[0, puts, puts * (r + 1), 0, 0, 0, 0, 0, 0]], "regions": regions} for r in range(size)]
    total = {"seconds": 2.0, "functions": functions(puts * size, puts * size * (size + 1) // 2), "travelled": travelled, "regions": regions}
    return {"format": "armci-stats 1", "library": "1.2.3", "mpi": "An <MPI> & more", "size": size, "nodes": 1, "processes": processes,
            "total": total}


# ---- text and page ----

def run(*arguments, python=sys.executable, **variables):
    return subprocess.run([python, "-B", TOOL, *arguments], capture_output=True, text=True, encoding="utf-8", check=False,
                          env=environment(variables))


def write(folder, name, content):
    where = folder / name
    where.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(where)


def text_of(*files):
    done = run(*files)
    check(done.returncode == 0 and not done.stderr, "the text of %d files" % len(files), done.stderr.strip())
    return done.stdout


def page_of(folder, *files, python=sys.executable):
    """The page, without the program of Vega, and its charts; with this Python a few letters stand for that program."""
    where = folder / "page.html"
    write(folder, "vl_convert.py", "def javascript_bundle(snippet):\n    return 'vega; ' + snippet\n")
    done = run("-o", str(where), *files, python=python, **({"PYTHONPATH": str(folder)} if python == sys.executable else {}))
    check(done.returncode == 0 and not done.stdout + done.stderr, "a page of %d files" % len(files), done.stderr)
    head, program, charts = where.read_text(encoding="utf-8").split("<script>")
    check("window.vegaEmbed" in program and len(head + charts) < 100000, "it contains Vega, and little else", len(head + charts))
    check(not re.search(r"<(script|link|img)[^>]+(src|href)=", head + charts), "it loads nothing", head)
    return head, json.loads(re.search(r"^const charts = (.*);$", charts, re.M).group(1))


def values(chart, *fields):
    """What is drawn: these fields of each value."""
    return [tuple(value[field] for field in fields) for value in chart["data"]["values"]]


SENTENCE = ("3 processes on 1 node ran 2.00 s: 18.8 % of their time in ARMCI, 6.2 % waiting there; the busiest, rank 2, worked "
            "1.07 times as long as the mean.")


def uneven():
    """Rank 2 waits 0.125 s less than the others."""
    made = job(3, 7)
    for process, seconds in zip(made["processes"], (0.1875, 0.1875, 0.0)):
        process["functions"][1] = function("ARMCI_Barrier", "barrier", "", [path("-", 3, 0, seconds)], [], [])
    return made


def test_text(tmp_path):
    text = text_of(write(tmp_path, "one.json", uneven()))
    check(SENTENCE in text, "the sentence", text)
    for what in (r"put +21 +42 B +0\.750000 +35\.7 ms", r"barrier +9 +- +0\.375000 ", r"ARMCI_PutS +direct +21 +42 B ", r" +2 -> 0 +21 B in 7 calls"):
        check(re.search("^  " + what, text, re.M), what, text)


def test_page(tmp_path):
    """The sentence; bars, matrix and histogram with their values, axes and legend."""
    head, charts = page_of(tmp_path, write(tmp_path, "one.json", uneven()))
    check(SENTENCE in head and "An &lt;MPI&gt; &amp; more" in head and "color-scheme: light dark" in head, "the head of the page", head)
    bars, matrix, sizes = charts
    check(values(bars, "rank", "part", "seconds") ==
          [(0, "put", 0.25), (0, "waiting", 0.1875), (0, "outside ARMCI", 1.5625), (1, "put", 0.25), (1, "waiting", 0.1875),
           (1, "outside ARMCI", 1.5625), (2, "put", 0.25), (2, "outside ARMCI", 1.75)], "the bars", bars["data"])
    check(values(matrix, "origin", "target", "size") == [(0, 0, "7 B"), (1, 0, "14 B"), (2, 0, "21 B")], "the matrix", matrix["data"])
    legend = matrix["encoding"]["color"]["legend"]
    check(legend["title"] == "bytes" and legend["values"] == [4, 8, 16, 32] and '"16": "16 B"' in legend["labelExpr"], "its legend", legend)
    check(values(sizes, "part", "bytes", "transfers") == [("put", "1 B", 21)], "the histogram", sizes["data"])
    titles = [chart["encoding"][axis]["title"] for chart in charts for axis in ("x", "y")]
    check(titles == ["rank", "time (s)", "target rank", "origin rank", "bytes of a transfer: from this to below twice this", "transfers"],
          "the axes", titles)


def test_two_jobs(tmp_path):
    """Side by side, on the same scales."""
    head, charts = page_of(tmp_path, write(tmp_path, "one.json", job(3, 7)), write(tmp_path, "other.json", job(2, 50)))
    check(head.count("<section>") == 2 and len(charts) == 6, "two columns", head)
    for i, axis in ((0, "y"), (1, "color"), (2, "x")):
        a, b = (charts[i + more]["encoding"][axis]["scale"]["domain"] for more in (0, 3))
        check(a == b, "one scale", (a, b))


def test_large_job(tmp_path):
    """More processes than the matrix has cells."""
    _, charts = page_of(tmp_path, write(tmp_path, "large.json", job(300, 2)))
    cells = values(charts[1], "bytes")
    check(len(cells) == 75 and sum(size for size, in cells) == 2 * 300 * 301 // 2, "300 processes in one matrix")


def test_is_drawn(tmp_path):
    """A browser draws three charts, as wide as a phone, from a page below 1 MB."""
    python = doc_tools()
    if not shutil.which("chromium") or subprocess.run([python, "-c", "import vl_convert"], capture_output=True, check=False).returncode:
        pytest.skip("no chromium, or no vl-convert, which make site installs")
    page_of(tmp_path, write(tmp_path, "one.json", uneven()), python=python)
    assert os.path.getsize(tmp_path / "page.html") < 1000000
    drawn = output("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=400,2000", "--virtual-time-budget=5000", "--dump-dom",
                   "--user-data-dir=%s" % (tmp_path / "browser"), "file://%s" % (tmp_path / "page.html"))
    widths = [float(width) for width in re.findall(r'<svg[^>]* width="([0-9.]+)"', drawn)]
    check(len(widths) == 3 and all(200 < width <= 500 for width in widths), "three charts", widths or drawn[-2000:])
    check("origin rank" in drawn and "16 B" in drawn, "axes and a legend", drawn[-2000:])


def test_without_vl_convert(tmp_path):
    """-o prints the text, and what to install."""
    write(tmp_path, "vl_convert.py", "raise ImportError")
    one, where = write(tmp_path, "one.json", uneven()), tmp_path / "page.html"
    done = run("-o", str(where), one, PYTHONPATH=str(tmp_path))
    check(done.returncode == 0 and SENTENCE in done.stdout and "vl-convert" in done.stderr and not where.exists(), "the text", done.stderr)


def test_parts(tmp_path):
    """The files that processes of a killed job left are one job, which the name of the whole file names, too, if it is older."""
    whole = uneven()
    older = write(tmp_path, "job.json", job(1, 1))
    os.utime(older, (0, 0))
    parts = [write(tmp_path, "job.json.%d" % r, dict(whole, partial=True, processes=[whole["processes"][r]])) for r in (2, 0)]
    text = text_of(*parts)
    check(text == text_of(older) and "Killed: 2 of 3 processes left their counts." in text, "two of three", text)
    check(re.search(r"^  put +14 +28 B ", text, re.M) and "2 -> 0 " in text and "1 -> 0 " not in text, "their sums", text)
    write(tmp_path, "job.json.4", dict(job(5, 1), partial=True))
    check("of jobs with [3, 5] processes" in run(older).stderr, "files of two jobs")


@pytest.mark.parametrize("name, says", [("empty", "before ARMCI_Finalize"), ("cut", "no JSON"), ("other", "not of ARMCI_STATS"), ("lacks", "damaged")])
def test_damaged_file(name, says, tmp_path):
    lacks = job(2, 1)
    del lacks["processes"][1]["functions"]
    content = {"empty": "", "cut": json.dumps(job(2, 1))[:-30], "other": '{"a": 1}', "lacks": lacks}[name]
    done = run(write(tmp_path, name + ".json", content))
    check(done.returncode == 1 and says in done.stderr and not done.stdout, "status %d" % done.returncode, done.stderr)


def test_version():
    commit = output(os.path.join(SOURCE, "tools", "commit"))
    assert output(TOOL, "--version") == "armci-stats (ARMCI-RMA) %s\ncommit %s" % (read("VERSION").strip(), commit)


def test_missing_file(tmp_path):
    done = run(str(tmp_path / "missing"))
    check(done.returncode == 1 and "No such file" in done.stderr, "a file that is not there", done.stderr)


# ---- real jobs ----

def test_real_job(tmp_path):
    """The file of a job, as text."""
    file = str(tmp_path / "real.json")
    done = profiled(2, PROGRAM, ARMCI_STATS=file)
    check(done.status == 0, "status %d" % done.status, done.all)
    text = text_of(file)
    check(re.search(r"^  put +2 +128 B ", text, re.M) and "0 -> 1           128 B in 2 calls" in text, "its puts", text)


@pytest.fixture(name="program", scope="module")
def compiled_program(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("program") / "killed")
    compile_program(os.path.join(SOURCE, "tests", "checks", "killed.c"), "-L" + LIBRARIES, "-Wl,--no-as-needed", "-larmci-prof", "-larmci", "-Wl,-rpath," + LIBRARIES, "-o", path)
    return path


def terminated(program, seconds, kind, file):
    """Run the program; it is ended by its time limit, or by SIGTERM to the launcher as soon as it is ready. The status, what it printed."""
    with subprocess.Popen(launch_command(2, seconds, program, kind), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=environment({"ARMCI_STATS": file, "LAUNCH_FOREGROUND": "--foreground"}), text=True) as job:
        check(job.stdout.readline() == "ready\n", "the program begins")
        if seconds == 60:
            time.sleep(0.5)  # rank 0 enters the call in which it waits
            job.send_signal(signal.SIGTERM)
        return job.wait(), job.stdout.read()


@pytest.mark.parametrize("seconds", [60, 8])
@pytest.mark.parametrize("kind", ["barrier", "receive"])
def test_killed_job(seconds, kind, program, tmp_path):
    """Rank 0 waits in ARMCI or in MPI, rank 1 computes; both leave their counts, and a file of an earlier job stays."""
    file = write(tmp_path, "killed.json", "earlier")
    terminated(program, seconds, kind, file)
    check(sorted(os.listdir(tmp_path)) == ["killed.json", "killed.json.0", "killed.json.1"], "files", os.listdir(tmp_path))
    for rank in (0, 1):
        with open("%s.%d" % (file, rank), encoding="utf-8") as opened:
            [process] = json.load(opened)["processes"]
        check(process["rank"] == rank, "the part of a rank", process["rank"])
        check(process["targets"] == [[1 - rank, 100, 800 * (rank + 1), 0, 0, 0, 0, 0, 0]], "its row", process["targets"])
        waited = [f["seconds"] > 0 for f in process["functions"] if f["name"] == "ARMCI_Barrier"]
        check(waited == [True] * (kind == "barrier" and rank == 0), "the call in progress", process["functions"])
    text = text_of(file)
    check("Killed: 2 of 2 processes" in text and re.search(r"^  ARMCI_Put +direct +200 +2\.3 KiB ", text, re.M), "armci-stats", text)


def test_program_with_handler(program, tmp_path):
    """A program that has a handler of SIGTERM goes on: one complete file."""
    status, _ = terminated(program, 60, "handler", str(tmp_path / "job.json"))
    check(os.listdir(tmp_path) == ["job.json"], "status %d" % status, os.listdir(tmp_path))


@pytest.mark.parametrize("kind", ["hello", "killed"])
def test_files_of_others(kind, program, tmp_path):
    """What is beside the file stays, be it called as the parts of a killed job, or as a report that is not complete."""
    (tmp_path / "target").write_text("precious")
    names = ["job.json.0", "job.json.1", "target"]
    for name in names:
        write(tmp_path, name, "precious")
    (tmp_path / "job.json.part").symlink_to("target")
    file = str(tmp_path / "job.json")
    if kind == "killed":
        terminated(program, 60, "barrier", file)
    else:
        check(profiled(2, PROGRAM, ARMCI_STATS=file).status == 0 and json.loads((tmp_path / "job.json").read_text()), "the report")
    check(sorted(os.listdir(tmp_path)) == ["job.json"] * (kind == "hello") + sorted([*names, "job.json.part"]), "files", os.listdir(tmp_path))
    check({(tmp_path / name).read_text() for name in names} == {"precious"}, "what they hold")


def test_child_of_fork(program, tmp_path):
    """SIGTERM ends a child of the program as ever."""
    done = run_job(2, program, "fork", ARMCI_STATS=str(tmp_path / "job.json"))
    check(done.status == 0 and os.listdir(tmp_path) == ["job.json"], "status %d" % done.status, done.all)


@pytest.mark.parametrize("value, warnings", [("1", 0), ("/nowhere/job.json", 1)])
def test_table(value, warnings):
    """The table of a real job, and what there is where the file cannot be written: a warning at the start, and the table."""
    done = profiled(2, PROGRAM, ARMCI_STATS=value)
    check(done.status == 0 and "hello: right" in done.out, "status %d" % done.status, done.all)
    for what in ("^ARMCI statistics: 2 processes, 1 nodes, ", "^  ARMCI_Put +direct +2 +128 B ", "^    (0 -> 1|1 -> 0): 128 B in 2 calls"):
        check(done.count(what, done.err) >= 1, what, done.err)
    told = done.count("/nowhere/job.json cannot be written \\(No such file or directory\\): there will be a table", done.err)
    check(told == warnings, "warnings", told)


def test_command():
    """armci-prof preloads the profiler and sets the variables; a program without it says what has no effect."""
    command = [os.path.abspath("tools/prof/armci-prof"), "--library", PROFILER]
    done = run_job(2, *command, PROGRAM)
    check(done.status == 0 and done.count("^ARMCI statistics: 2 processes", done.err) == 1, "a table", done.all)
    plain = run_job(2, PROGRAM, ARMCI_STATS="1")
    check(plain.status == 0 and plain.count("no effect in ARMCI-RMA: ARMCI_STATS ", plain.err) == 1, "no profiler", plain.all)
    wrong = subprocess.run([*command, "--nothing"], capture_output=True, text=True, check=False)
    check(wrong.returncode == 2 and "unknown option --nothing" in wrong.stderr, "an unknown option", wrong.stderr)


@pytest.mark.parametrize("kind", ["static", "shared"])
def test_linked(kind, tmp_path):
    """A program that is linked with the profiler; an own MPI_Finalize without ARMCI_Finalize reports, too."""
    path, ending = str(tmp_path / "linked"), ".a" if kind == "static" else ".so"
    libraries = [os.path.join(LIBRARIES, name + ending) for name in ("libarmci-prof", "libarmci")]
    text = "#include <armci.h>\nint main(void) { void *base[8]; ARMCI_Init(); ARMCI_Malloc(base, 64); ARMCI_Barrier(); MPI_Finalize(); return 0; }"
    compile_program("-Wl,--no-as-needed", *libraries, "-Wl,-rpath," + LIBRARIES, "-lpthread", "-lm", "-o", path, text=text)
    done = run_job(2, path, ARMCI_STATS="1")
    check(done.status == 0 and done.count("^  ARMCI_Barrier +- +2 ", done.err) == 1, "its table", done.all)
