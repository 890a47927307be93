#!/usr/bin/env python3
"""records.py: what the pages may say of tests and measurements, from the JSON files of this folder.

    records.py check              are the files as schema.json says, each id there once, and do pages and pictures say what they say?
    records.py update             write the figures of the pages, doc/reference/results.md and papers.md anew, and with matplotlib the pictures
    records.py table FILE [NEW]   write all measured rows as one HTML page; NEW: those that measure.py has just written, not those kept here
    records.py keep NEW           take what measure.py or run-matrix has written in place of what is kept of it
    records.py missing            print the measurements that doc/reference/papers.md lacks, as commands; exit status 1 if there are any
    records.py stale [PAGE...]    name the figures of the pages that are older than the sources they depend on; exit status 1 if there are any

A page names a figure by a link to doc/reference/results.md#ID; the text of the link is the figure, rounded to two digits. Ids:

    ID of tests.json                       passed of all
    ID of values.json                      the value
    nwchem-RELEASE-MPI[-PLACE]             inputs that end right; PLACE: ranks, or nodes x ranks of each
    nwchem-RELEASE-MPI-PLACE-RIVAL-ratio   time of this library / time of the rival, over the inputs that end right with this one and ARMCI-MPI; -least, -most: of one input
    run-[LIBRARY-]PLACE-MPI-WORD           a record of times.json
    [LIBRARY-]PLACE-MPI-WORD-ROW           median of a row of times.json
        -ratio                             time of that library / time of this one
        -versus                            time of the row / time of what it was measured in turns with
        -rate                              bytes / time
"""
import html
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
SOURCES = ("src", "include")  # what every figure depends on
MPIS = {"mpich": "MPICH", "openmpi": "Open MPI"}
PLACES = {"node": "one node", "hosts": "two nodes", "nodes": "pretended nodes"}
OURS = "armci-rma"
AS_NEAR = 1.2  # times the shortest round trip: the longest while the processors were next to each other; libraries differ by 1.1, apart it is 1.35 between nodes, 4 in one
RIVALS = ("comex-pr", "comex-ts", "armci-mpi-0.4", "armci-mpi-0.3.1")
REFERENCE = "doc/reference/results.md"
PAPERS = "doc/reference/papers.md"
LINK = re.compile(r"\[([^\[\]]*)\](\((?:[\w./-]*/)?results\.md#([a-z0-9-]+)\))")


def load():
    """All files of this folder as one dictionary."""
    merged = {}
    for path in sorted(HERE.glob("*.json")):
        if path.name != "schema.json":
            merged |= json.loads(path.read_text(encoding="utf-8"))
    return merged


def pages():
    """The pages that may have figures."""
    return [path for path in (TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "doc").glob("*.md"))) if path.exists()]


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def time_of(row):
    """The median; the best time where there is none; None where the data were wrong or nothing completed."""
    return row and row["valid"] and (row.get("median_ns") or row.get("best_ns")) or None


def is_steady(row):
    """True unless a run of another day had another median: the two are further apart than the first and the ninth decile."""
    time = time_of(row)
    return not time or abs(row.get("earlier_ns", time) - time) <= row.get("spread", 0) * time


def mark(steady):
    return "" if steady else "≈ "


def amount(value, unit):
    """Two digits, and the unit that fits."""
    units = {"ns": (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1)), "B": (("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1))}[unit]
    name, size = next((pair for pair in units if value >= 0.995 * pair[1]), units[-1])
    return f"{number(value / size)} {name}"


def number(value):
    return f"{value:.2g}" if value < 99.5 else f"{value:,.0f}"


class Fact:
    """A figure: its text, what it is, and the record that it comes from."""

    def __init__(self, text, what, record):
        self.text, self.what, self.record = text, what, record

    def source(self):
        """Where it comes from, in a sentence."""
        record = self.record
        if "source" in record:
            return record["source"]
        parts = [f"`{record['command']}`", record.get("mpi_version") or record["mpi"]]
        parts += [f"{record[key]} {name}{'s' * (record[key] > 1)}" for key, name in (("ranks", "rank"), ("nodes", "node")) if key in record]
        parts += [f"version {record['version']}"] if "version" in record else []
        return ", ".join([*parts, f"commit {record['commit']}", *([record["date"]] if "date" in record else []), f"machine {record['machine']}"]) + \
            (f". {record['note']}" if "note" in record else "")


class Facts:
    """All figures by id."""

    def __init__(self, data):
        self.data, self.all, self.twice, self.rows, self.problems, self.asked, self.shortest = data, {}, [], {}, {}, set(), {}
        for record in data["tests"]:
            passed, total = record["passed"], record["passed"] + record["known"] + record["failed"]
            self.add(record["id"], f"{passed} of {total}", record["suite"] + (f"; {record['known']} fail for known reasons" if record["known"] else ""), record)
        for record in data["values"]:
            self.add(record["id"], amount(record["value"], record["unit"]), record["what"], record)
        for record in data["times"]:
            record = {**record, "command": f"make report WORDS={record['word']} PLACES={record['place']}"}
            self.add_run(record)
            for row in record["rows"]:
                self.add_row(record, row)
        self.add_ratios()
        for title, kept in data["nwchem"].items():
            family, _, release = title.partition(", NWChem ")
            self.add_nwchem(f"nwchem-{slug(release or '7.0.2')}-{family}", release or "7.0.2", kept)

    def add(self, key, text, what, record):
        if key in self.all:
            self.twice.append(key)
        self.all[key] = Fact(text, what, record)

    def name(self, key):
        return self.data["libraries"][key]

    def run_id(self, library, place, mpi, word):
        return slug(" ".join(["run", library, place, mpi, word][:(library != OURS) + 1] + [place, mpi, word]))

    def add_run(self, record):
        where = [record[key] for key in ("library", "place", "mpi", "word")]
        self.add(self.run_id(*where), f"{PLACES[record['place']]}, {record['mpi_version']}", f"word {record['word']}, {self.name(record['library'])}", record)
        self.problems |= {(*where, problem["name"]): problem["why"] for problem in record["problems"]}

    def problem(self, library, place, mpi, word, name):
        """Why a row has no time, or empty."""
        return next((why for key in (name, "the start") for why in [self.problems.get((library, place, mpi, word, key))] if why), "")

    def add_row(self, record, row):
        where = (record["library"], record["place"], record["mpi"], record["word"], row["name"])
        if where in self.rows:
            self.twice.append(" ".join(where))
        self.rows[where] = (record, row)
        if "round_trip_ns" in row:
            place = (*where[1:3], record["machine"])
            self.shortest[place] = min(self.shortest.get(place, row["round_trip_ns"]), row["round_trip_ns"])
        time, key = time_of(row), slug(" ".join(where[where[0] == OURS:]))
        if not time:
            return
        what = f"{row['name']} (word {record['word']}), {self.name(record['library'])}, {PLACES[record['place']]}"
        steady = mark(is_steady(row))
        self.add(key, steady + amount(time, "ns"), what, record)
        if "versus_median_ratio" in row:
            self.add(key + "-versus", number(row["versus_median_ratio"]), f"{what}, time / time of {row['versus']}", record)
        if "bytes" in row:
            self.add(key + "-rate", steady + amount(1e9 * row["bytes"] / time, "B") + "/s", f"{what}, bytes / time", record)

    def add_ratios(self):
        for (library, *where), (record, row) in self.rows.items():
            ratio = library != OURS and self.ratio(library, *where)
            if ratio:
                steady = is_steady(row) and is_steady(self.row(OURS, *where)) and self.is_equally_near(library, *where)
                self.add(slug(" ".join([library, *where])) + "-ratio", mark(steady) + number(ratio),
                         f"{row['name']} (word {record['word']}), {PLACES[record['place']]}: time of {self.name(library)} / time of ARMCI-RMA", record)

    def row(self, *where):
        self.asked.add(where[1:4:2])
        return self.rows.get(where, (None, None))[1]

    def is_near(self, *where):
        """True unless the row was measured with the processors apart."""
        record, row = self.rows[where]
        return row.get("round_trip_ns", 0) <= AS_NEAR * self.shortest.get((*where[1:3], record["machine"]), 0)

    def is_equally_near(self, library, *where):
        return self.is_near(library, *where) == self.is_near(OURS, *where)

    def ratio(self, library, *where):
        ours, theirs = time_of(self.row(OURS, *where)), time_of(self.row(library, *where))
        return theirs / ours if ours and theirs else None

    def add_nwchem(self, key, release, kept):
        runs = [(place, one) for libraries in kept["inputs"].values() for place, one in libraries.get(OURS, {}).items()]
        record = {"command": "make check-nwchem", "mpi": kept["about"]["mpi"], "machine": kept["about"]["processor"],
                  "commit": ", ".join(sorted({one["commit"] for _, one in runs}))}
        for place in [None, *sorted({place for place, _ in runs})]:
            ended = [one["result"] for where, one in runs if place in (None, where)]
            self.add(key + (f"-{place}" if place else ""), f"{ended.count('right')} of {len(ended)}",
                     f"inputs of NWChem {release} that give the reference energies" + (f", {place_text(place)}" if place else ", all layouts"), record)
            walls = nwchem_walls(kept, place) if place else {}
            for rival in sorted(walls.keys() - {OURS}):
                ratios, where = [ours / theirs for ours, theirs in zip(walls[OURS], walls[rival])], f"of NWChem {release} / its time with {self.name(rival)}, {place_text(place)}"
                self.add(f"{key}-{place}-{slug(rival)}-ratio", number(sum(walls[OURS]) / sum(walls[rival])), f"time of {len(ratios)} inputs {where}", record)
                self.add(f"{key}-{place}-{slug(rival)}-least", number(min(ratios)), f"the smallest time of an input {where}", record)
                self.add(f"{key}-{place}-{slug(rival)}-most", number(max(ratios)), f"the largest time of an input {where}", record)


def place_text(place):
    nodes, _, ranks = place.rpartition("x")
    return f"{nodes} nodes x {ranks}" if nodes else f"{ranks} rank{'s' * (ranks != '1')}"


# The library of a result of NWChem: ARMCI-MPI is there with a work-around, too.
NWCHEM_ON = {OURS: OURS, "armci-mpi": "armci-mpi-0.3.1", "armci-mpi-0": "armci-mpi-0.3.1", "comex-ts": "comex-ts", "comex-pr": "comex-pr"}


def nwchem_walls(kept, place, words=("",)):
    """By library, the seconds of each input with such a word that ends right, and has times, on this one and ARMCI-MPI; of others, those that have all of these."""
    walls = {}
    for key, library in NWCHEM_ON.items():
        ended = {name: found[key][place] for name, found in kept["inputs"].items() if place in found.get(key, {}) and any(word in name for word in words)}
        ended = {name: one["wall"] for name, one in ended.items() if one["result"] == "right" and one["wall"] is not None}
        if ended:
            walls.setdefault(library, ended)
    both = sorted(walls.get(OURS, {}).keys() & walls.get("armci-mpi-0.3.1", {}).keys())
    return {library: [ended[name] for name in both] for library, ended in walls.items() if ended.keys() >= {*both}} if both else {}


# ---- where another library is faster

LOSS_WORDS = {"hosts": ("remote", "bandwidth", "many", "mg"), "node": ("latency", "bandwidth", "strided")}
LOSS = 0.95  # a library is faster whose time is less than this part of ours
LOSSES = re.compile(r"(<!-- losses -->\n).*(?=<!-- end of losses -->)", re.S)
# Why: the first of these that the id of the ratio matches.
WHY = [(r"hosts-.*-(computing|first)-ratio$", "a rank of each node does nothing but that library's progress"),
       (r"hosts-mpich-.*-(32|64)-kib-|hosts-mpich-.*accs-64-x-512-b", "ours are messages of 16 KiB: longer ones begin with a handshake"),
       (r"hosts-.*-(acc|put|get)-(256-kib|\d+-mib)", "ours are messages, which begin with a handshake"),
       (r"hosts-.*-mg-w", "faces of 35 KB go in two fragments each"),
       (r"(comex-ts|armci-mpi-0-\d(-1)?)-hosts-.*(-\d-b|-(16|32)-kib|rmw|lock|barrier)-", "our progress thread shares the processor; its target must wait"),
       (r"node-.*-of-a-matrix", "rows 4096 bytes apart share a set of the processor's cache, whose size limits both"),
       (r"node-openmpi-bandwidth-(put|get)-", "ours is memcpy of the C library"),
       (r"", "unknown")]


def losses(facts):
    """Of the rows of one place, MPI library and operation, the one in which another library wins most: its ratio, library, and where it is."""
    worst = {}
    for library, place, mpi, word, name in facts.rows:
        ratio = library in RIVALS and word in LOSS_WORDS.get(place, ()) and not name.startswith("MPI") and facts.ratio(library, place, mpi, word, name)
        if ratio and ratio < LOSS:
            one, key = (ratio, library, place, mpi, word, name), (place, mpi, name.split()[0], name.partition(", ")[2])
            worst[key] = min(worst.get(key, one), one)
    return sorted(worst.values(), key=lambda one: (one[2], one))


def loss_table(facts):
    lines = ["| operation | where | MPI | faster library | its time / ours | why |", "|---|---|---|---|---|---|"]
    for _, library, place, mpi, word, name in losses(facts):
        key = slug(" ".join([library, place, mpi, word, name])) + "-ratio"
        near = facts.is_equally_near(library, place, mpi, word, name)
        why = next(text for pattern, text in WHY if re.search(pattern, key)) if near else "the processors were further apart in one of the two"
        lines += [f"| {name} | {PLACES[place]} | {MPIS[mpi]} | {re.split('[,~]', facts.name(library))[0]} | [{facts.all[key].text}](reference/results.md#{key}) | {why} |"]
    return "\n".join(lines) + "\n"


def filled(text, facts):
    """The page with the figures of its links, and the table of losses."""
    text = LOSSES.sub(lambda block: block[1] + loss_table(facts), text)
    return LINK.sub(lambda link: f"[{facts.all[link[3]].text}]{link[2]}" if link[3] in facts.all else link[0], text)


def cited():
    """Ids that pages name, each with its pages."""
    found = {}
    for path in [*pages(), *(path for path in [TOP / PAPERS] if path.exists())]:
        for link in LINK.finditer(path.read_text(encoding="utf-8")):
            found.setdefault(link[3], []).append(path.relative_to(TOP).as_posix())
    return found


def reference(facts):
    """The page of the records: machines, runs of tests, and each figure that a page names."""
    lines = ["# Results", "", "Generated from `results/` by `make update-generated`. The version is that of the run.", "", "## Machines", "",
             "| machine | processor | cores | memory, GiB | kernel |", "|---|---|---|---|---|"]
    lines += [f"| {key} | {one['processor']} | {one['cores']} | {one.get('memory_gib', '')} | {one.get('kernel', '')} |" for key, one in facts.data["machines"].items()]
    lines += ["", "## Test runs", "", '<details markdown="1">', "<summary>All runs of tests</summary>", "", "| suite | MPI | ranks | nodes | passed | known | failed | version | command |", "|---|---|---|---|---|---|---|---|---|"]
    lines += [f"| {one['suite']} | {one['mpi']} | {one['ranks']} | {one['nodes']} | {one['passed']} | {one['known']} | {one['failed']} | {one['version']} | `{one['command']}` |"
              for one in facts.data["tests"]]
    lines += ["", "</details>", "", "## Figures of the pages"]
    runs = {}
    for key in sorted(cited()):
        if key in facts.all:
            runs.setdefault(facts.all[key].source(), []).append(key)
    for source, keys in sorted(runs.items()):
        lines += ["", source, "", *(f'- <a id="{key}"></a>**{facts.all[key].text}**: {facts.all[key].what}' for key in keys)]
    return "\n".join(lines) + "\n"


def check():
    """What is wrong, one sentence each."""
    import jsonschema
    import papers
    import pictures
    schema, wrong = json.loads((HERE / "schema.json").read_text(encoding="utf-8")), []
    for path in sorted(HERE.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if path.name != "schema.json":
            wrong += [f"results/{path.name}: {error.json_path}: {error.message[:200]}" for error in jsonschema.Draft202012Validator(schema).iter_errors(content)]
    if wrong:
        return wrong
    facts = Facts(load())
    data, places = facts.data, cited()
    wrong += [f"results: two values for {key}" for key in facts.twice]
    wrong += [f"results: {one.get('id') or one['word']}: no machine {one['machine']}" for one in [*data["tests"], *data["values"], *data["times"]]
              if one.get("machine", "m1") not in data["machines"]]
    wrong += [f"{', '.join(where)}: no figure has the id {key}" for key, where in places.items() if key not in facts.all]
    made = {TOP / REFERENCE: reference, TOP / PAPERS: papers.page}
    for path in [*pages(), *made]:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        should = made[path](facts) if path in made else filled(text, facts)
        wrong += [f"{path.relative_to(TOP)} differs from the data in results/: make update-generated"] if text != should else []
    return wrong + pictures.outdated(facts)


def update():
    facts = Facts(load())
    for path in pages():
        text = path.read_text(encoding="utf-8")
        if text != filled(text, facts):
            path.write_text(filled(text, facts), encoding="utf-8")
    import papers
    import pictures
    (TOP / REFERENCE).parent.mkdir(exist_ok=True)
    (TOP / PAPERS).write_text(papers.page(facts), encoding="utf-8")
    (TOP / REFERENCE).write_text(reference(facts), encoding="utf-8")
    if pictures.outdated(facts):
        try:
            pictures.draw_all(facts)
        except ImportError as missing:
            return [f"records.py: no pictures: {missing}; make site installs it"]
    return []


# ---- which figures are older than the sources

def changed_since(commit, known={}):
    """True if the sources have other commits since that one, or if it is unknown; an empty answer of git is no change."""
    if commit not in known and not shutil.which("git"):
        known[commit] = True
    if commit not in known:
        ran = subprocess.run(["git", "-C", str(TOP), "log", "--format=%h", "-1", f"{commit}..HEAD", "--", *SOURCES], capture_output=True, text=True, check=False)
        known[commit] = ran.returncode != 0 or ran.stdout.strip() != ""
    return known[commit]


def page_words():
    """By place, the words whose rows README.md and the performance page name, pictures too."""
    import pictures
    facts, found = Facts(load()), {}
    facts.asked.clear()
    for plan in pictures.PICTURES.values():
        plan(facts)
    asked = sorted(facts.asked) + [(fact.record["place"], fact.record["word"]) for key, where in cited().items() if {"README.md", "doc/performance.md"} & {*where}
                                 for fact in [facts.all.get(key)] if fact and "word" in fact.record]
    for place, word in dict.fromkeys(asked):
        found.setdefault(place, []).append(word)
    return found


def is_stale(record):
    return any(changed_since(commit) for commit in record["commit"].split(", ")) if "commit" in record else False


def stale_facts():
    """Those that pages name, by id."""
    facts = Facts(load()).all
    return {key: facts[key] for key in sorted(cited()) if key in facts and is_stale(facts[key].record)}


def stale(names):
    where = cited()
    return [f"{', '.join(where[key])}: {key}: {fact.text}, of commit {fact.record['commit']}" for key, fact in stale_facts().items()
            if not names or set(names) & set(where[key])]


def missing():
    import papers
    return papers.missing(Facts(load()))


def marked_stale(text, ids):
    """The page with an attribute at each link to one of these figures."""
    return LINK.sub(lambda link: link[0] + ('{ .stale title="older than the last change of the sources" }' if link[3] in ids else ""), text)


# ---- all rows in one table

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>ARMCI-RMA: all measured rows</title>
<style>
:root { color-scheme: light dark } body { font: 15px/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 80rem; padding: 0 1rem }
.rows { overflow: auto; max-height: 80vh } table { border-collapse: collapse; font-size: 13px } td, th { border-bottom: 1px solid #8888; padding: 2px 8px; text-align: left }
th { position: sticky; top: 0; background: Canvas } th button { all: unset; cursor: pointer; font-weight: bold } th button:focus-visible { outline: 2px solid }
tr.stale { opacity: .65 }
</style></head><body>
<h1>All measured rows</h1>
<p>Times are medians; ratio: time of the library / time of ARMCI-RMA, below 1 where it is faster. ≈: another day's run differs by more than its spread. Grey: the sources have changed since. Press a heading to sort.</p>
<p><label>Show rows with <input id="words" type="search"></label></p>
<div class="rows" tabindex="0"><table><thead><tr>%s</tr></thead><tbody>
%s
</tbody></table></div>
<script>
const body = document.querySelector("tbody"), rows = [...body.rows];
const key = (row, i) => { const v = row.cells[i].dataset.v; return v === undefined ? row.cells[i].textContent : +v };
document.querySelectorAll("th button").forEach((button, i) => { let up = 1; button.onclick = () => {
  rows.sort((a, b) => { const x = key(a, i), y = key(b, i); return up * (x < y ? -1 : x > y) }); up = -up; body.append(...rows) } });
document.querySelector("#words").oninput = event => { const words = event.target.value.toLowerCase().split(" ");
  rows.forEach(row => row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word))) };
</script></body></html>
"""
HEADS = ("row", "word", "where", "MPI", "library", "time", "±", "ratio", "version", "commit", "machine")


def table_row(facts, record, row):
    where = (record["place"], record["mpi"], record["word"], row["name"])
    time, ratio = time_of(row), record["library"] != OURS and facts.ratio(record["library"], *where)
    shown = [row["name"], record["word"], PLACES[record["place"]], record["mpi_version"], facts.name(record["library"]),
             (mark(is_steady(row)) + amount(time, "ns"), time), (f"{50 * row['spread']:.0f} %", row["spread"]) if row.get("spread") else ("", -1),
             (number(ratio), ratio) if ratio else ("", 1e99), record["version"], record["commit"], record["machine"]]
    cells = "".join(f"<td>{html.escape(cell)}</td>" if isinstance(cell, str) else f'<td data-v="{cell[1]:.6g}">{cell[0]}</td>' for cell in shown)
    return f'<tr class="stale">{cells}</tr>' if is_stale(record) else f"<tr>{cells}</tr>"


def nwchem_rows(data):
    """The runs of NWChem's inputs that have times, as rows of a word."""
    for kept in data["nwchem"].values():
        for case, found in kept["inputs"].items():
            for library, place, one in ((library, place, one) for library, places in found.items() for place, one in places.items() if one["wall"]):
                yield ({"library": NWCHEM_ON[library], "place": "hosts" if "x" in place else "node", "mpi": kept["about"]["mpi"], "mpi_version": kept["about"]["mpi"],
                        "word": "nwchem", "version": "", "commit": one["commit"], "machine": kept["about"]["processor"]},
                       {"name": f"{case}, {place_text(place)}", "valid": one["result"] == "right", "median_ns": 1e9 * one["wall"]})


def table(path, new=None):
    data = load()
    if new:
        written = json.loads(pathlib.Path(new).read_text(encoding="utf-8"))
        data |= {"times": records(written), "libraries": data["libraries"] | written["libraries"]}
    facts = Facts(data)
    rows = [*facts.rows.values(), *([] if new else nwchem_rows(data))]
    body = "\n".join(table_row(facts, record, row) for record, row in rows if time_of(row))
    pathlib.Path(path).write_text(PAGE % ("".join(f"<th><button>{head}</button></th>" for head in HEADS), body), encoding="utf-8")


# ---- what measure.py has written

def records(new):
    """The words of a run of measure.py as records; the machine is that of the run, still without a name here."""
    found = []
    for run in new["runs"]:
        problems = [problem for problem in run["problems"] if problem["group"] and not problem["why"].startswith("not measured")]
        for word in dict.fromkeys(part["group"] for part in [*run["rows"], *problems]):
            mpi = re.sub(r" Version:|(?<=MPI )v", "", run.get("head", {}).get("mpi", run["mpi"]).split(",")[0])
            own = {name: [{key: value for key, value in one.items() if key != "group"} for one in parts if one["group"] == word]
                   for name, parts in (("rows", run["rows"]), ("problems", problems))}
            found.append({"library": run["library"], "mpi": run["mpi"], "place": run["place"], "word": word, "mpi_version": mpi,
                          "version": new["version"], "commit": new["commit"], "date": new["date"], "machine": "new", "ranks": run.get("ranks_started", 2),
                          "seconds_per_row": new["seconds_per_row"], **own})
    return found


def this_machine():
    """What a reader needs to judge the figures of this machine."""
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    name, family, model = (found[1] if (found := re.search(rf"^{key}\s*: (.*)$", cpuinfo, re.M)) else "?" for key in ("model name", "cpu family", "model"))
    virtual = subprocess.run(["systemd-detect-virt", "--quiet"], check=False).returncode == 0 if shutil.which("systemd-detect-virt") else " hypervisor" in cpuinfo
    return {"processor": f"{name} (family {family}, model {model})", "cores": len(os.sched_getaffinity(0)),
            "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30),
            "kernel": f"{platform.system()} {platform.release()}, {platform.machine()}", "virtual": virtual}


def machine_key(machines, about):
    """The name of a machine, which becomes one of the known ones."""
    key = next((key for key, one in machines.items() if one == about), f"m{len(machines) + 1}")
    machines[key] = about
    return key


def write(name, content, *marks):
    """One line for each record, so that two versions of the file can be compared."""
    text = json.dumps(content)
    for one in marks:
        text = text.replace(one, "\n" + one)
    (HERE / name).write_text(text + "\n", encoding="utf-8")


def why_not_keep(new):
    noisy = [] if new.get("quiet", True) else [f"other work took up to {100 * max(new['busy']):.0f} % of the processors"]
    unknown = [] if re.fullmatch("[0-9a-f]{7,40}", new["commit"]) else [f"the source is not that of a commit: {new['commit'] or 'unknown'}"]
    # A ratio has both times from one run.
    return noisy + unknown + [f"{run['library']}, {run['mpi']}: {problem['why']}" for run in new.get("runs", []) for problem in run["problems"]
                              if problem["why"].startswith("not built")]


def keep_tests(new, data, machine):
    common = {key: new[key] for key in ("version", "commit", "date")} | {"machine": machine}
    kept = {one["id"]: one for one in data["tests"]} | {one["id"]: {**one, **common} for one in new["tests"]}
    write("tests.json", {"tests": list(kept.values())}, '{"id"')


def with_earlier(record, before):
    """The record, each row with the median of the last run of another day."""
    rows = {row["name"]: row for row in before["rows"]} if before else {}
    for row in record["rows"]:
        old = rows.get(row["name"])
        earlier = old and (old.get("earlier_ns") if before["date"] == record["date"] else time_of(old))
        row |= {"earlier_ns": earlier} if earlier else {}
    return record


def keep_times(new, data, machine):
    of = lambda record: (record["library"], record["mpi"], record["place"], record["word"])  # noqa: E731
    kept = {of(record): record for record in data["times"]}
    kept |= {of(record): {**with_earlier(record, kept.get(of(record))), "machine": machine} for record in records(new)}
    write("times.json", {"libraries": data["libraries"] | new["libraries"], "times": list(kept.values())}, '{"library"', '{"name"')


def keep(path):
    new, data = json.loads(pathlib.Path(path).read_text(encoding="utf-8")), load()
    reasons = why_not_keep(new)
    if reasons:
        return ["records.py: not kept: " + "; ".join(reasons)]
    (keep_tests if "tests" in new else keep_times)(new, data, machine_key(data["machines"], new["machine"]))
    write("machines.json", {"machines": data["machines"]}, *(f'"{key}"' for key in data["machines"]))
    return update()


COMMANDS = {"check": (0, 0, check), "update": (0, 0, update), "missing": (0, 0, missing), "table": (1, 2, table), "keep": (1, 1, keep), "stale": (0, 99, lambda *names: stale(names))}


def main(words):
    least, most, function = COMMANDS.get(words[0] if words else "", (0, -1, None))
    if not least <= len(words) - 1 <= most:
        print(__doc__, file=sys.stderr)
        return 2
    wrong = function(*words[1:]) or []
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
