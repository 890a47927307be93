"""Does results/records.py find what is wrong in the records and the pages, keep new runs, and know stale figures?"""
import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import types

import pytest

from common import SOURCE, makefile, none_of, read


@pytest.fixture(name="copy")
def copy_of_results(tmp_path):
    """A function that runs records.py in a copy of what it reads; the copy."""
    for folder in ("results", "doc"):
        shutil.copytree(os.path.join(SOURCE, folder), tmp_path / folder, ignore=shutil.ignore_patterns("man", "*.pyc"))
    for page in ("README.md", "CONTRIBUTING.md"):
        shutil.copy(os.path.join(SOURCE, page), tmp_path)
    return lambda *words: subprocess.run([sys.executable, "-B", tmp_path / "results" / "records.py", *words], stdout=subprocess.PIPE, text=True, check=False), tmp_path


def missing_in(command):
    """Targets, variables of make and files that a command names, and that are not there."""
    words = shlex.split(command)
    targets = [word for word in words[1:] if "=" not in word] if words[0] == "make" else []
    variables = [word.partition("=")[0] for word in words[1:] if "=" in word] if words[0] == "make" else []
    files = [re.sub(r"\.mpi$", ".c", word) for word in words if "/" in word and words[0] != "make"]
    return [word for word in targets if not re.search(r"^(?:[\w-]+ )*%s(?: [\w-]+)*:" % word, makefile(), re.M)] + \
        [word for word in variables if not re.search(r"^%s =" % word, makefile(), re.M)] + \
        [word for word in files if not any(os.path.exists(os.path.join(SOURCE, word + ending)) for ending in ("", ".in"))]


def test_commands():
    """Who reads a record can repeat it: what its command names is there."""
    commands = {one["command"] for name in ("tests", "values") for one in json.loads(read("results", name + ".json"))[name] if "command" in one}
    assert len(commands) > 10 and missing_in("make check-ga GA_BUILD=cmake") and missing_in("tests/none") and missing_in("make check-nothing")
    none_of(["results: %s: there is no %s" % (command, word) for command in sorted(commands) for word in missing_in(command)])


MISTAKES = [
    ("results/times.json", r'("armci-rma", "mpi": "mpich", "place": "node", "word": "latency".*?"name": "put 8 B".*?"median_ns": )[\d.]+', r"\g<1>777.5", "README.md differs.*performance.md differs.*node-light.svg was not drawn"),
    ("results/times.json", r'("armci-rma", "mpi": "mpich", "place": "hosts", "word": "many".*?"name": "getS 8 x 8 doubles".*?"versus_median_ratio": )[\d.]+', r"\g<1>7.5", "papers.md differs"),
    ("results/times.json", '"name": "fence, nothing pending", "valid"', '"name": "barrier", "valid"', "two values for node-mpich-latency-barrier"),
    ("results/tests.json", '"machine": "m4"', '"machine": "m99"', "no machine m99"),
    ("doc/performance.md", r"#node-mpich-latency-barrier\)", "#node-mpich-latency-barriers)", "no figure has the id node-mpich-latency-barriers"),
]


def make_mistake(folder, file, old, new):
    text, found = re.subn(old, new, (folder / file).read_text(), count=1, flags=re.S)
    assert found, (file, old)
    (folder / file).write_text(text)


def test_losses(copy):
    """A row in which another library is faster is in the performance page, with a reason; one that it wins no more leaves."""
    run, folder = copy
    time = r'("comex-ts", "mpi": "mpich", "place": "node", "word": "latency".*?"name": "rmw fetch-and-add long".*?"median_ns": )[\d.]+'
    for nanoseconds, count in [("1.5", 1), ("999", 0)]:
        make_mistake(folder, "results/times.json", time, r"\g<1>" + nanoseconds)
        run("update")
        rows = re.findall(r"\| rmw fetch-and-add long \| one node \| MPICH \| ComEx MPI-TS \| \[.*?\]\([^)]*-ratio\) \| [^|]+ \|", (folder / "doc/performance.md").read_text())
        assert len(rows) == count, rows


def test_wrong_results(copy):
    """Each of these mistakes is found; one against the schema by itself."""
    run, folder = copy
    make_mistake(folder, "doc/performance.md", r"\[[\d.]+ ns\]\(", "[999 ns](")
    done = run("check")
    assert done.returncode == 1 and done.stdout == "doc/performance.md differs from the data in results/: make update-generated\n", done.stdout
    for file, old, new, _ in MISTAKES:
        make_mistake(folder, file, old, new)
    done = run("check")
    none_of(["%s: not found in: %s" % (complaint, done.stdout) for *_, complaint in MISTAKES if not re.search("(?s)" + complaint, done.stdout)])
    make_mistake(folder, "results/tests.json", '"passed": 45', '"passed": -1')
    done = run("check")
    assert done.returncode == 1 and "less than the minimum" in done.stdout, done.stdout


def set_rows_of_a_18(folder, mpis, ratio):
    """Gives the rows of A 18 with these MPI libraries a ratio; they hold up to 1."""
    path = folder / "results" / "times.json"
    data = json.loads(path.read_text())
    for record in data["times"]:
        if [record[key] for key in ("library", "place", "word")] == ["armci-rma", "hosts", "many"] and record["mpi"] in mpis:
            for row in record["rows"]:
                if re.fullmatch(r"getS \d+ x \d+ doubles", row["name"]):
                    row["versus_median_ratio"] = ratio
    path.write_text(json.dumps(data))


def test_verdicts(copy):
    """A verdict follows the records: a claim that no longer holds, a row without a record, and what to run for it."""
    run, folder = copy
    page = folder / "doc" / "reference" / "papers.md"
    figure = lambda: " ".join(re.search(r"### A 18\n.*?(?=\n### )", page.read_text(), re.S)[0].split())  # noqa: E731
    set_rows_of_a_18(folder, ("mpich", "openmpi"), 0.5)
    run("update")
    assert "**Shown in part**: 8 of 8 rows hold;" in figure() and "no record" not in figure(), figure()
    make_mistake(folder, "results/times.json", r'("armci-rma", "mpi": "mpich", "place": "hosts", "word": "many".*?"name": "getS 8 x 8 doubles".*?"versus_median_ratio": )[\d.]+', r"\g<1>7.5")
    make_mistake(folder, "results/times.json", r'("armci-rma", "mpi": "openmpi", "place": "hosts", "word": "many".*?)"name": "getS 8 x 8 doubles"', r'\1"name": "another"')
    assert "PLACES=hosts WORDS=many    " in run("missing").stdout
    run("update")
    assert "**Shown in part**: 6 of 7 rows hold, 1 has no record" in figure() and ", 7.5 |" in figure() and "| no record |" in figure(), figure()
    set_rows_of_a_18(folder, ("mpich",), 7.5)
    run("update")
    assert "**Not reproduced**: 3 of 7 rows hold" in figure() and re.search(r"\[A 18\].*\| not reproduced \| 3 of 7 \|$", page.read_text(), re.M), figure()


RUN = {"version": "9.8.7", "commit": "abcdef0123", "date": "2026-12-24", "machine": {"processor": "none", "cores": 1}}
TIMES = {**RUN, "quiet": True, "seconds_per_row": 0.06, "libraries": {"armci-rma": "ARMCI-RMA"}, "runs": [
    {"library": "armci-rma", "mpi": "mpich", "place": "node", "head": {"mpi": "MPICH Version: 4.3.2"}, "problems": [],
     "rows": [{"group": "cold", "name": "a row", "valid": True, "median_ns": 1234.0}]}]}
TESTS = {**RUN, "tests": [{"id": "tests-new-node", "suite": "s", "command": "c", "mpi": "m", "ranks": 2, "nodes": 1, "passed": 7, "known": 1, "failed": 0}]}


@pytest.mark.parametrize("new, file", [(TIMES, "times.json"), (TESTS, "tests.json")], ids=["times", "tests"])
def test_keep(copy, new, file):
    """A new run takes the place of the kept one, with its own head, and leaves the others; that of a changed source is refused."""
    run, folder = copy
    path, kept = folder / "new.json", folder / "results" / file
    machine = '"machine": "m%d"' % (len(json.loads((folder / "results/machines.json").read_text())["machines"]) + 1)
    path.write_text(json.dumps({**new, "commit": "abcdef0123 and changes"}))
    before = kept.read_text()
    assert run("keep", path).returncode == 1 and kept.read_text() == before
    path.write_text(json.dumps(new))
    done = run("keep", path)
    assert done.returncode == 0, done.stdout
    lines = [line for line in kept.read_text().splitlines() if line not in before]
    assert any('"version": "9.8.7"' in line and machine in line for line in lines), lines
    assert "none" in (folder / "results" / "machines.json").read_text() and run("check").returncode == 0


def test_two_days(copy):
    """A figure that a run of another day contradicts is marked: by more than the spread, and still after a second run of the same day."""
    run, folder = copy
    page, path = folder / "doc/performance.md", folder / "new.json"
    put = lambda: re.search(r"\[([^]]*)\]\(reference/results.md#node-mpich-latency-put-8-b\)", page.read_text())[1]  # noqa: E731
    for time, date, shown in [(10.0, "2026-12-24", None), (10.4, "2026-12-25", "10 ns"), (20.0, "2026-12-26", "≈ 20 ns"), (21.0, "2026-12-26", "≈ 21 ns"), (21.0, "2026-12-27", "21 ns")]:
        row = {"group": "latency", "name": "put 8 B", "valid": True, "median_ns": time, "spread": 0.1}
        path.write_text(json.dumps({**TIMES, "date": date, "runs": [{**TIMES["runs"][0], "rows": [row]}]}))
        run("keep", path)
        assert put() == (shown or put()), (date, put())


# Round trips beside our row, beside that of the other library, and beside a row of a third; what the ratio is then.
@pytest.mark.parametrize("trips, text", [((100, 100, 100), "1"), ((100, 119, 100), "1"), ((100, 121, 100), "≈ 1"), ((121, 100, 100), "≈ 1"), ((130, 130, 100), "1"),
                                         ((130, 120, 100), "≈ 1"), ((None, None, 100), "1"), ((None, None, None), "1")])
def test_near_ratio(copy, trips, text):
    """A ratio is marked if the processors were next to each other beside one of the two rows only."""
    run, folder = copy
    path, row = folder / "new.json", {"group": "cold", "name": "a row", "valid": True, "median_ns": 100.0, "spread": 9}
    runs = [{**TIMES["runs"][0], "library": key, "rows": [{**row, **({"round_trip_ns": trip} if trip else {})}]}
            for key, trip in zip(("armci-rma", "comex-ts", "armci-mpi-0.4"), trips)]
    path.write_text(json.dumps({**TIMES, "runs": runs}))
    run("keep", path)
    shown = subprocess.run([sys.executable, "-B", "-c", "import records as r; print(r.Facts(r.load()).all['comex-ts-node-mpich-cold-a-row-ratio'].text)"],
                           cwd=folder / "results", stdout=subprocess.PIPE, text=True, check=True)
    assert shown.stdout.strip() == text and run("check").returncode == 0, shown.stdout


def measure_module(monkeypatch):
    monkeypatch.syspath_prepend(os.path.join(SOURCE, "benchmarks"))
    import measure
    return measure


def test_goes_on(tmp_path, monkeypatch):
    """A report that was ended goes on behind the last word that all libraries have rows of, and one that is complete begins anew."""
    measure, here, asked = measure_module(monkeypatch), types.SimpleNamespace(family="mpich"), []
    run = {"mpi": "mpich", "rows": [], "problems": []}
    monkeypatch.setattr(measure, "open_runs", lambda *_: [({**run, "library": key}, None, "program") for key in ("armci-rma", "comex-ts")])
    monkeypatch.setattr(measure, "busy_share", lambda: 0)
    head, args = {"commit": "abcdef0123", "machine": {}}, types.SimpleNamespace(
        out=str(tmp_path / "report.json"), places=["node"], words=["latency", "mg"], short=False, minutes=1, checkout="", only=[])

    def launch(_, mpi, place, word, one):
        asked.append(f"{word} {one.library}")
        if len(asked) == 4:
            raise KeyboardInterrupt
        return {"library": one.library, "rows": [{"group": word, "name": "a row", "valid": True}], "problems": []}

    monkeypatch.setattr(measure, "launch", launch)
    latency, mg = ([f"{word} {key}" for key in ("armci-rma", "comex-ts")] for word in ("latency", "mg"))
    for _ in range(3):
        data = {**head, "busy": [], "done": [], "runs": [], **measure.unfinished(args.out, head), "complete": False}
        with contextlib.suppress(KeyboardInterrupt):
            measure.measure(args, [here], data)
            measure.write(data, args.out)
    assert asked == latency + mg + mg + latency + mg, asked
    for kept in json.load(open(args.out, encoding="utf-8"))["runs"]:
        assert [row["group"] for row in kept["rows"]] == ["latency", "mg"], kept
    assert not measure.unfinished(args.out, {**head, "commit": "0123abcdef"}) and not measure.unfinished(str(tmp_path / "none"), head)


def part_of(library, trips, number=0):
    """A launch with these round trips beside its rows, each of which says the launch that it is of; the row c is compared with the row b."""
    return {"library": library, "problems": [], "rows": [{"group": "many", "name": name, "valid": True, "launch": number, **({"round_trip_ns": trip} if trip else {}),
                                                          **({"versus": "b"} if name == "c" else {})} for name, trip in trips.items()]}


# Round trips of each launch of two libraries in turns; rows that the launches behind the first two leave out; the launches that the rows are taken from.
@pytest.mark.parametrize("launches, left_out, taken", [
    ([{"a": 100, "b": 119}, {"a": 110, "b": 100}], [], [[1, 1], [2, 2]]),
    ([{"a": 100, "b": 100}, {"a": 100, "b": 121}, {"b": 110}], [["a"]], [[1, 1], [2, 3]]),
    ([{"a": 140, "b": 140}, {"a": 100, "b": 100}, {"a": 141, "b": 105}, {"a": 99}], [[], ["b"]], [[4, 3], [2, 2]]),
    ([{"a": 140}, {"a": 100}, {"a": 150}, {"a": 130}, {"a": 131}], [[], [], []], [[4], [2]]),
    ([{"a": 140, "b": 100, "c": 140}, {"a": 100}, {"a": 100, "b": 101, "c": 100}], [[]], [[3, 1, 3], [2]]),
    ([{"a": 100, "b": 100, "c": 140}, {"a": 100}, {"b": 100, "c": 100}], [["a"]], [[1, 1, 3], [2]]),
    ([{"a": 75, "b": 61}, {"a": None}, {"a": 74}, {"a": 60}], [["b"], ["b"]], [[4, 1], [2]]),
    ([{"a": 100}, None, None, None, {"a": 140}], [[], [], []], [[1], [5]])])
def test_near(monkeypatch, launches, left_out, taken):
    """Rows are repeated whose round trip is longer than that of this MPI library in this place can be, and each is taken from the launch where it was shortest;
    None is a launch that was ended because its first row had a longer one: the last one is not."""
    measure, asked = measure_module(monkeypatch), []
    earlier = [{"mpi": mpi, "place": place, **part_of("armci-rma", {"a": trip})} for mpi, place, trip in (("mpich", "node", 1), ("openmpi", "hosts", 2))]
    earlier += [{"mpi": "mpich", "place": "hosts", **part_of("armci-rma", {"a": 60})}] if launches[0]["a"] == 75 else []

    def launch(*where):
        *_, one = where
        asked.append(one.left_out)
        trips = launches[len(asked) - 1]
        assert trips or one.longest == 1.2 * 100
        return trips and part_of(one.library, trips, len(asked))

    monkeypatch.setattr(measure, "launch", launch)
    parts = measure.measure_libraries(None, {"runs": earlier}, types.SimpleNamespace(family="mpich"), "hosts", "many",
                                      [({"library": key}, None, "program") for key in ("armci-rma", "comex-ts")])
    assert asked == [[], [], *left_out] and [[row["launch"] for row in part["rows"]] for part in parts.values()] == taken, (asked, parts)


@pytest.mark.parametrize("trip, longest, why", [(121, 120, "apart"), (120, 120, ""), (121, 0, ""), (None, 120, "")])
def test_apart(tmp_path, monkeypatch, trip, longest, why):
    """A launch is ended whose first row has a longer round trip than the candidate may have."""
    measure = measure_module(monkeypatch)
    mpi, one = types.SimpleNamespace(folder=tmp_path, family="mpich", mpiexec="mpiexec"), measure.Candidate("armci-rma", None, "program", longest=longest)
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "report-run.json").write_text(json.dumps({"rows": part_of("armci-rma", {"a": trip, "b": 200})["rows"], "running": "b"}))
    looks = iter([None, None, 0])
    assert measure.Job(mpi, "node", 2, one, ["many"], 1).watch(types.SimpleNamespace(poll=lambda: next(looks)), 10) == why


def test_variants(tmp_path, monkeypatch):
    """Rows and problems of a variant end in its name, whether it has variables or ranks of its own, and are repeated without those of the other launches."""
    measure, asked = measure_module(monkeypatch), []
    monkeypatch.setattr(measure, "open_runs", lambda *_: [({"library": "armci-rma", "mpi": "mpich", "rows": [], "problems": []}, None, "program")])
    monkeypatch.setattr(measure, "busy_share", lambda: 0)
    monkeypatch.setattr(measure, "VARIANTS", {("node", "mg"): [(" [x]", {}, ["b*"]), (" [4 ranks]", {}, [], 4)]})
    monkeypatch.setattr(measure, "Job", lambda mpi, place, ranks, *_: ranks)

    def measure_word(ranks, part, word, left_out):
        asked.append([ranks, left_out])
        part |= {**part_of("armci-rma", {"a": 140 if len(asked) == 2 else 100}, len(asked)), "problems": [{"group": word, "name": name, "why": "hangs"} for name in ("d", "the end")]}
        return True

    monkeypatch.setattr(measure, "measure_word", measure_word)
    data = {"busy": [], "done": [], "runs": []}
    args = types.SimpleNamespace(out=str(tmp_path / "report.json"), places=["node"], words=["mg"], short=False, minutes=1, checkout="", only=[], seconds=1)
    measure.measure(args, [types.SimpleNamespace(family="mpich")], data)
    assert asked == [[2, []], [2, ["b*"]], [4, []], [2, ["b*", "d", "the end"]]], asked
    run, = data["runs"]
    assert [(row["name"], row["launch"]) for row in run["rows"]] == [("a", 1), ("a [x]", 4), ("a [4 ranks]", 3)], run
    assert run["ranks_started"] == 2 and [one["name"] for one in run["problems"]] == ["d", "the end", "d [x]", "the end", "d [4 ranks]", "the end"], run


def test_short():
    """What report-short measures has the figures of README.md and the performance page that records have."""
    done = subprocess.run([sys.executable, "-B", "-c", "import json, records; print(json.dumps(records.page_words()))"], cwd=os.path.join(SOURCE, "results"),
                          stdout=subprocess.PIPE, text=True, check=True)
    words = json.loads(done.stdout)
    assert {"latency", "bandwidth", "strided"} <= {*words["node"]} and {"remote", "bandwidth", "many", "mg"} <= {*words["hosts"]} and "matmul" not in words["hosts"], words


@pytest.mark.parametrize("path", [os.environ["PATH"], ""], ids=["git", "no-git"])
def test_stale(copy, path, monkeypatch):
    """A figure whose commit is not in the history is stale, or whose history is unknown; make release asks for those of README.md."""
    monkeypatch.setenv("PATH", path)
    run, _ = copy
    done = run("stale", "README.md")
    assert done.returncode == 1 and "node-mpich-latency-put-8-b" in done.stdout, done.stdout
    assert "records.py stale README.md" in read("packaging", "packaging.am")
