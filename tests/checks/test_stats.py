"""armci-stats and ARMCI_STATS.

Two made-up jobs whose figures are known, files that are damaged, and one real job: armci-bench's word probe, ten thousand puts of 8 bytes
from process 0 to process 1; jobs that are killed; and the table of another, where no file is asked for or none can be written.
"""
import html.parser
import json
import os
import re
import signal
import subprocess
import sys

import pytest

from common import LIBRARIES, SOURCE, check, compile_program, environment, launch_command, run_job

TOOL = os.path.join(SOURCE, "tools", "armci-stats")
BENCH, PROGRAM = "benchmarks/armci-bench", "examples/hello"
PUTS = 10000


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


# ---- the page ----

class Page(html.parser.HTMLParser):
    """Is it well-formed, does it load anything, and what are its tables and maps?"""
    EMPTY = ("meta", "rect", "line", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.cells, self.maps, self.text = [], [], [], [], text
        self.feed(text)
        if self.open:
            self.faults.append("not closed: %s" % self.open)

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        if tag in ("script", "link", "img", "iframe") or any(k in ("src", "href") or k.startswith("on") for k in of):
            self.faults.append("loads or runs something: %s %s" % (tag, attributes))
        if tag == "svg" and of.get("class") == "matrix":
            self.maps.append({})
        if tag == "rect" and "data-value" in of:
            self.maps[-1][int(of["data-from"]), int(of["data-to"])] = int(of["data-value"])
        if tag == "tr":
            self.cells.append([])
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.EMPTY += () if tag in self.EMPTY else (tag,)
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        if tag in self.EMPTY:
            return
        if not self.open or self.open.pop() != tag:
            self.faults.append("</%s> at the wrong place" % tag)

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1].append(data)

    def row(self, *begin):
        """The first row that begins so, without the blanks in its numbers."""
        for cells in self.cells:
            if tuple(cells[:len(begin)]) == begin:
                return [c.replace("\u202f", "") for c in cells]
        return []


def run(*arguments):
    return subprocess.run([sys.executable, "-B", TOOL, *arguments], capture_output=True, text=True, encoding="utf-8", check=False)


def write(folder, name, content):
    where = folder / name
    where.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(where)


def page_of(*files):
    done = run(*files)
    check(done.returncode == 0 and not done.stderr, "a page of %d files (%s)" % (len(files), done.stderr.strip()))
    page = Page(done.stdout)
    check(not page.faults and "http" not in page.text, "it is well-formed and loads nothing %s" % page.faults[:3])
    return page


def test_one_job(tmp_path):
    page = page_of(write(tmp_path, "one.json", job(3, 7)))
    check(page.row("ARMCI_PutS", "direct")[2:5] == ["21", "42 B", "0.250000"], "calls, bytes and time of a function")
    check(page.row("calls")[1] == "24" and page.row("part of it in ARMCI")[1] == "6.2 %", "the sums")
    check(page.maps == [{(0, 0): 7, (1, 0): 14, (2, 0): 21}, {(0, 0): 7, (1, 0): 7, (2, 0): 7}], "the maps of bytes and calls")
    pairs = [cells for cells in page.cells if cells[:1] == ["one.json"] and "->" in "".join(cells[1:2])]
    check(pairs[0] == ["one.json", "2 -> 0", "21 B", "7"], "the busiest pair comes first", pairs)
    check(page.row("one.json", "1", "0")[3:5] == ["10", "14 B"], "a process")
    check("An &lt;MPI&gt; &amp; more" in page.text, "names are escaped")
    check(page.text.count(": 21</title>") >= 2 and "Segments of strided" in page.text, "histograms of sizes and segments")


def test_two_jobs(tmp_path):
    first, second = write(tmp_path, "one.json", job(3, 7)), write(tmp_path, "other.json", job(2, 50))
    page = page_of(first, second)
    check(page.row("calls")[1:] == ["24", "103"], "two files side by side")
    row = page.row("ARMCI_PutS", "direct")
    check(row[2:5] == ["21", "42 B", "0.250000"] and row[6:8] == ["100", "150 B"] and row[10] == "1.00", "a function of two files")
    check(len(page.maps) == 4 and page.maps[2] == {(0, 0): 50, (1, 0): 100}, "a map for each file")


def test_large_job(tmp_path):
    """More processes than a map has cells: the sum stays."""
    page = page_of(write(tmp_path, "large.json", job(300, 2)))
    check(sum(page.maps[0].values()) == 2 * 300 * 301 // 2 and max(page.maps[0])[0] < 96, "300 processes in one map")


@pytest.mark.parametrize("name, says", [("empty", "before ARMCI_Finalize"), ("cut", "no JSON"), ("other", "not of ARMCI_STATS"), ("lacks", "damaged")])
def test_damaged_file(name, says, tmp_path):
    lacks = job(2, 1)
    del lacks["total"]["functions"]
    content = {"empty": "", "cut": json.dumps(job(2, 1))[:-30], "other": '{"a": 1}', "lacks": lacks}[name]
    done = run(write(tmp_path, name + ".json", content))
    check(done.returncode == 1 and says in done.stderr and not done.stdout, "status %d" % done.returncode, done.stderr)


def test_missing_file(tmp_path):
    done = run(str(tmp_path / "missing"))
    check(done.returncode == 1 and "No such file" in done.stderr, "a file that is not there", done.stderr)


# ---- real jobs ----

def test_real_job(tmp_path):
    """One process starts the puts; what else the benchmark calls does not put. The benchmark names the processor."""
    file, out, figures = (str(tmp_path / name) for name in ("real.json", "real.html", "run.json"))
    done = run_job(2, BENCH, "probe", "--json", figures, ARMCI_STATS=file)
    check(done.status == 0, "armci-bench probe: status %d" % done.status, done.all)
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo, open(figures, encoding="utf-8") as opened:
        model, named = re.search(r"^model name\s*: (.*)$", cpuinfo.read(), re.M), json.load(opened)["processor"]
    check(named.startswith(model.group(1)) if model else named, "the processor of the benchmark", named)
    done = run("-o", out, file)
    check(done.returncode == 0 and not done.stdout, "its page, with -o", done.stderr)
    with open(out, encoding="utf-8") as opened:
        page = Page(opened.read())
    put = sum(int(re.sub("\\D", "", row[2])) for row in page.cells if row and row[0] == "ARMCI_Put")
    check(put == PUTS, "puts on the page", put)
    check(page.maps[0].get((0, 1)) == 8 * PUTS and page.maps[1].get((0, 1)) == PUTS, "the map", page.maps[:2])


@pytest.fixture(name="program", scope="module")
def compiled_program(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("program") / "killed")
    compile_program(os.path.join(SOURCE, "tests", "checks", "killed.c"), "-L" + LIBRARIES, "-larmci", "-Wl,-rpath," + LIBRARIES, "-o", path)
    return path


def terminated(program, seconds, kind, file):
    """Run the program; it is ended by its time limit, or by SIGTERM to the launcher as soon as it is ready. The status, what it printed."""
    with subprocess.Popen(launch_command(2, seconds, program, kind), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=environment({"ARMCI_STATS": file, "LAUNCH_FOREGROUND": "--foreground"}), text=True) as job:
        check(job.stdout.readline() == "ready\n", "the program begins")
        if seconds == 60:
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
            part = json.load(opened)
        [process] = part["processes"]
        check(part["partial"] and part["size"] == 2 and process["rank"] == rank, "the part of a rank", part)
        check(process["targets"] == [[1 - rank, 100, 800 * (rank + 1), 0, 0, 0, 0, 0, 0]], "its row", process["targets"])
        waited = [f["seconds"] > 0 for f in process["functions"] if f["name"] == "ARMCI_Barrier"]
        check(waited == [True] * (kind == "barrier" and rank == 0), "the call in progress", process["functions"])


def test_program_with_handler(program, tmp_path):
    """A program that has a handler of SIGTERM goes on: one complete file."""
    status, _ = terminated(program, 60, "handler", str(tmp_path / "job.json"))
    check(os.listdir(tmp_path) == ["job.json"], "status %d" % status, os.listdir(tmp_path))


def test_child_of_fork(program, tmp_path):
    """SIGTERM ends a child of the program as ever."""
    done = run_job(2, program, "fork", ARMCI_STATS=str(tmp_path / "job.json"))
    check(done.status == 0 and os.listdir(tmp_path) == ["job.json"], "status %d" % done.status, done.all)


@pytest.mark.parametrize("value, warnings", [("1", 0), ("/nowhere/job.json", 1)])
def test_table(value, warnings):
    """The table of a real job, and what there is where the file cannot be written: a warning at the start, and the table."""
    done = run_job(2, PROGRAM, ARMCI_STATS=value)
    check(done.status == 0 and "hello: right" in done.out, "status %d" % done.status, done.all)
    for what in ("^ARMCI statistics: 2 processes, 1 nodes, ", "^  ARMCI_Put +direct +2 +128 B ", "^    (0 -> 1|1 -> 0): 128 B in 2 calls"):
        check(done.count(what, done.err) >= 1, what, done.err)
    told = done.count("/nowhere/job.json cannot be written \\(No such file or directory\\): there will be a table", done.err)
    check(told == warnings, "warnings", told)
