#!/usr/bin/env python3
"""report.py: tables, pictures and a web page from the measurements of measure.py.

    report.py page DATA.json FOLDER    write pictures (SVG, light and dark; needs matplotlib) and index.html, complete in itself
    report.py keep FOLDER              take the words of armci-bench that were measured into the data in the source, and make its pictures and the
                                       tables of its pages anew; only if no other work disturbed the measurements; needs matplotlib
    report.py tables                   make the tables of the pages anew from the data in the source
    report.py check                    do the pages and pictures in the source belong to the data there?
"""
import fnmatch
import hashlib
import html
import itertools
import json
import pathlib
import re
import shutil
import sys

import reasons
import rivals

TOP = pathlib.Path(__file__).resolve().parents[1]
DATA = TOP / "benchmarks" / "data" / "report.json"
IMAGES = TOP / "doc" / "img"
KEPT = [f"{picture}-{mpi}-{theme}.svg" for picture in ("node", "hosts") for mpi in ("mpich", "openmpi") for theme in ("light", "dark")]
OURS = "armci-rma"
MPIS = ("mpich", "openmpi")
PLACES = {"node": "one node", "hosts": "two nodes"}
BEGIN, END = "<!-- generated from benchmarks/data/report.json: %s -->", "<!-- end of the generated part -->"
# The rows of the pictures.
SHORT = {"node": ["put 8 B", "get 8 B", "acc 8 B + fence", "rmw fetch-and-add long", "lock + unlock, free", "getS 64 x 512 B",
                  "put 8 B, newest of 300", "put 16 MiB", "acc 16 MiB"],
         "hosts": ["get 8 B", "put 8 B + fence", "acc 8 B + fence", "rmw fetch-and-add long", "lock + unlock, free", "get 8 B, computing",
                   "put 8 B + fence, computing", "rmw, computing", "get 4 MiB"]}
ROUND_TRIP = "MPI round trip 8 B"
LOSS = 0.95  # a rival's time divided by this library's, below which it is a loss worth a line
WITHIN = "Within the spread of the two libraries' measurements."


class Data:
    """The measurements, by library, MPI library, place and row."""

    def __init__(self, path):
        self.text = pathlib.Path(path).read_bytes()
        self.all = json.loads(self.text)
        self.rows, self.problems, self.order = {}, {}, {}
        self.measured = {run["library"] for run in self.all["runs"] if run["rows"] or run["problems"]}
        for run in self.all["runs"]:
            key = (run["library"], run["mpi"], run["place"])
            for row in run["rows"]:
                self.rows[(*key, row["group"], row["name"])] = row
                self.order.setdefault(run["place"], {})[(row["group"], row["name"])] = None
            for problem in run["problems"]:
                self.problems[(*key, problem["group"], problem["name"])] = problem["why"]

    @property
    def digest(self):
        return hashlib.sha256(self.text).hexdigest()[:16]

    def libraries(self, mpi="", place=""):
        """Keys of those that were measured, this library first: all that are ARMCI, or all that have rows with an MPI library at a place."""
        if mpi:
            return [key for key in self.all["libraries"] if any(where[:3] == (key, mpi, place) for where in self.rows)]
        return [key for key in self.all["libraries"] if key in self.measured and key not in (rivals.OSHMEM, rivals.FLOOR)]

    def name(self, library):
        return self.all["libraries"][library]

    def places(self):
        return list(self.order)

    def names(self, place):
        """Group and name of each row that someone has."""
        return list(self.order.get(place, {}))

    def group_of(self, place, name):
        return next((group for group, known in self.names(place) if known == name), "")

    def row(self, library, mpi, place, group, name):
        row = self.rows.get((library, mpi, place, group, name))
        return row if row and row["valid"] else None

    def why(self, library, mpi, place, group, name):
        """The word for a row that is missing."""
        key = (library, mpi, place)
        return (self.problems.get((*key, group, name)) or next((why for where, why in self.problems.items()
                if where[:3] == key and (where[3] == group and where[4] in ("the start", "the end") or not where[3])), "")).split(":")[0] or "-"

    def versions(self, mpi):
        return next((run["head"]["mpi"].split(",")[0] for run in self.all["runs"] if run["mpi"] == mpi and run.get("head")), mpi)


def time_of(row):
    """The median; the best time where the file has no median."""
    return row and (row.get("median_ns") or row.get("best_ns"))


def time_text(nanoseconds):
    for unit, length in (("ns", 1), ("us", 1e3), ("ms", 1e6)):
        if nanoseconds < 999.5 * length:
            return f"{nanoseconds / length:.3g} {unit}"
    return f"{nanoseconds / 1e9:.3g} s"


def spread_text(row):
    return f" ±{50 * row['spread']:.0f} %" if row.get("spread") else ""


def ratio(data, library, mpi, place, row_name):
    """The time of a library divided by this library's; None if one of them has none."""
    ours, theirs = (time_of(data.row(key, mpi, place, *row_name)) for key in (OURS, library))
    return theirs / ours if ours and theirs else None


def ratio_text(value):
    text = f"{value:.3g}" if value < 1000 else f"{value:.0f}"
    return f"**{text}**" if float(text) < 1 else text


def units(row):
    """The time in units of the row that was measured in turns with it."""
    return row and (row.get("versus_median_ratio") or row.get("versus_ratio"))


def hidden(row):
    return f"{100 * row['hidden']:.0f} %" if row and "hidden" in row else None


# ---- tables, as lists of lists of cells

def relation(data, library, mpi, place, row_name):
    value = ratio(data, library, mpi, place, row_name)
    return ratio_text(value) if value else data.why(library, mpi, place, *row_name)


def is_left_out(place, group, name):
    """A row that the tables of doc/benchmarks.md leave out: most sizes of curves, and those that curves are compared with."""
    size = re.search(r"^(?:put|get|acc|memcpy.*|MPI_\w+) (\d+ [KM]?i?B)", name)
    return group in ("overlap", "methods", "passive") or group == "bandwidth" and (place == "hosts" or not name.startswith(("put", "get", "acc"))) or bool(
        size and size[1] not in ("8 B", "16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB"))


def long_table(data, place, mpi, complete=False):
    """All rows of a place: time and spread, ratio to MPI between nodes, others as multiples."""
    others = data.libraries(mpi, place)[1:]
    table = [["row", "ARMCI-RMA", "in units of"] + [data.name(key) for key in others]]
    for group, name in data.names(place):
        row = data.row(OURS, mpi, place, group, name)
        if group == "overlap" or not complete and is_left_out(place, group, name):
            continue
        unit = f"{units(row):.2f} x {row['versus']}" if units(row) else ""
        worst = f", worst {time_text(row['worst_ns'])}" if row and "worst_ns" in row else ""
        ours = time_text(time_of(row)) + spread_text(row) + worst if time_of(row) else data.why(OURS, mpi, place, group, name)
        table.append([name, ours, unit] + [relation(data, key, mpi, place, (group, name)) for key in others])
    return table


def overlap_table(data):
    """Per cent of a transfer that computation hides."""
    columns = [(key, mpi) for key in data.libraries() for mpi in MPIS
               if any(where[:2] == (key, mpi) and "hidden" in row for where, row in data.rows.items())]
    table = [["row"] + [f"{data.name(key)}, {data.versions(mpi)}" for key, mpi in columns]]
    for group, name in data.names("hosts"):
        if group == "overlap":
            table.append([name] + [hidden(data.row(key, mpi, "hosts", group, name)) or data.why(key, mpi, "hosts", group, name)
                                   for key, mpi in columns])
    return table


def ours_table(data, word, place):
    """Rows of this library alone, with all sizes: what a variant of the row takes is a column."""
    rows = {name: None for group, name in data.names(place) if group == word}
    plain = [name for name in rows if "[" not in name]
    variants = list(dict.fromkeys(name.partition(" [")[2][:-1] for name in rows if "[" in name))
    head = [data.versions(mpi) + (f", {variant}" if variant else "") for mpi in MPIS for variant in ["", *variants]]
    table = [["row", *head]]
    for name in plain:
        cells = [(mpi, f"{name} [{variant}]" if variant else name) for mpi in MPIS for variant in ["", *variants]]
        found = [data.row(OURS, mpi, place, word, title) for mpi, title in cells]
        table.append([name] + [time_text(time_of(row)) if time_of(row) else data.why(OURS, mpi, place, word, title) for row, (mpi, title) in zip(found, cells)])
    return table


def within_spread(ours, theirs):
    """Do the ranges between the first and ninth decile overlap, so that the difference may be chance?"""
    return time_of(ours) - time_of(theirs) <= sum(time_of(row) * row.get("spread", 0) for row in (ours, theirs)) / 2


def reason(data, library, mpi, place, row_name):
    """Why that library is faster; None if nobody has said it."""
    if within_spread(*(data.row(key, mpi, place, *row_name) for key in (OURS, library))):
        return WITHIN
    return next((why for where, names, why in reasons.REASONS if where == place and any(fnmatch.fnmatch(row_name[1], name) for name in names)), None)


def slower(data):
    """Place, MPI library, group and name of each row in which another library is faster: the time divided by ours, and the key, of the fastest one;
    of one beyond the spread if there is one."""
    found = {}
    for place, mpi in itertools.product(data.places(), MPIS):
        for group, name in data.names(place):
            others = [(ratio(data, key, mpi, place, (group, name)) or 1, key) for key in data.libraries(mpi, place)[1:] if key != rivals.FLOOR]
            others = [(value, key) for value, key in others if value < LOSS and group not in ("overlap", "examples") and not name.startswith(("MPI", "memcpy"))]
            if others:
                found[(place, mpi, group, name)] = min(others, key=lambda one: (reason(data, one[1], mpi, place, (group, name)) == WITHIN, one))
    return found


def without_reason(data):
    return [f"{name} ({group}), {PLACES[place]}, {mpi}: {data.name(library)} takes {value:.2f} of the time, and benchmarks/reasons.py does not say why"
            for (place, mpi, group, name), (value, library) in slower(data).items() if not reason(data, library, mpi, place, (group, name))]


def losses(data):
    """A line for each reason, place and MPI library: the rows in which another library is faster, and the fastest one."""
    lines = {}
    for (place, mpi, group, name), (value, library) in sorted(slower(data).items(), key=lambda row: row[1]):
        title = name if sum(name == other for _, other in data.names(place)) == 1 else f"{name} ({group})"
        short = re.split("[,~]", data.name(library))[0]
        why = reason(data, library, mpi, place, (group, name)) or "No reason given."
        lines.setdefault((why == WITHIN, place, mpi, why), []).append(f"{title} {value:.2f} ({short})")
    return [["where", "MPI", "rows: the fastest library's time / ours", "why"]] + [
        [PLACES[place], data.versions(mpi), ", ".join(rows), why] for (_, place, mpi, why), rows in sorted(lines.items(), key=lambda line: line[0][:3])]


def problem_table(data):
    """What a library does not have, each sentence once."""
    found = {}
    for (library, mpi, place, group, name), why in data.problems.items():
        row = f"{group}: {name}" if name else "all rows"
        found[(data.name(library), data.versions(mpi), PLACES[place], row, why)] = None
    return [["library", "MPI", "where", "row", "what"]] + [list(cells) for cells in found]


# Rows that a figure of doc/evaluation.md names, and where.
EVALUATION = [("A Table 1, D Table 1", "hosts", ["MPI round trip 8 B", "get 8 B", "put 8 B + fence"]),
              ("A 14 to 17", "hosts", ["get 64 KiB", "get 4 MiB", "put 64 KiB", "put 4 MiB"]),
              ("A 18", "node", ["getS 8 x 8 doubles", "getS 32 x 32 doubles", "getS 128 x 128 doubles", "getS 512 x 512 doubles"]),
              ("A 18", "hosts", ["getS 8 x 8 doubles", "getS 32 x 32 doubles", "getS 128 x 128 doubles", "getS 512 x 512 doubles"]),
              ("A 19, D 7", "hosts", ["nbget 64 KiB", "nbget 1024 KiB", "nbgetS 1024 KiB", "away: nbget 1024 KiB"]),
              ("A 20", "hosts", ["1000 nb puts + WaitAll + fence", "1000 puts, aggregate + fence", "putV 1000 x 8 B + fence",
                                 "1000 nb gets + WaitAll", "1000 gets, aggregate", "getV 1000 x 8 B"]),
              *(("A 21, 22, D 11", place, [f"MG {name}{part}" for name in "SWA" for part in ("", ", exchanges")]) for place in PLACES),
              *(("A 23, 24", place, ["sparse: single gets", "sparse: aggregate", "sparse: vector", "sparse: product, x at hand"]) for place in PLACES),
              ("B Table 2", "node", ["get 8 B", "lock + unlock, free", "rmw fetch-and-add long"]),
              ("B Table 2", "hosts", ["lock + unlock, free", "rmw fetch-and-add long"]),
              ("B 8 to 11, C 4", "hosts", ["getS 64 x 512 B", "putS 64 x 512 B + fence", "getS 1024 x 16 B", "getS 1024 x 1 KiB"]),
              ("B 12", "hosts", ["AllFence after puts to 1"]),
              ("C 3", "node", ["put 1 MiB", "get 1 MiB", "acc 1 MiB"]),
              *(("D 12", place, [f"{name} {size}" for size in ("128", "512", "2000", "1000, k = 512") for name in ("SRUMMA", "pdgemm")])
                for place in PLACES),
              *(("C 4", place, [name + way for name in ("getS 64 x 16 B", "getS 64 x 1 KiB", "getS 1000 x 16 B") for way in ("", " [rma]", " [rma, batched]", " [rma, direct]")])
                for place in PLACES),
              *(("C 5", place, [f"{call} from {memory}, {use}" for call in ("put + fence", "MPI_Send") for memory in ("MPI_Alloc_mem", "ARMCI_Malloc") for use in ("first", "second")])
                for place in PLACES),
              ("B 8 to 11", "hosts", [f"{count} cold gets of {size} KiB" for count, size in ((2048, 16), (512, 64), (32, 1024))]),
              ("A 19", "hosts", [f"{call} {size}" for size in ("1 KiB", "16 KiB", "64 KiB", "1024 KiB") for call in ("nbget", "MPI_Irecv")]),
              ("D 6, 10", "hosts", ["busy: get 256 KiB", "busy: MPI_Get 256 KiB", "busy: MPI_Get 256 KiB [no progress]", "busy: put + fence 4 MiB", "busy: MPI_Put 4 MiB"]),
              ("D 6, 10", "hosts", ["get 64 KiB, computing", "get 4 MiB, computing", "put 4 MiB, computing", "getS 64 x 512 B, computing"])]


def seen_text(row):
    """The time of a row, or what it hides, and how it stands to what it was measured beside."""
    if not row:
        return "not measured yet"
    if "hidden" in row:
        return hidden(row) + " hidden"
    if not time_of(row):
        return "nothing completed in time"
    return time_text(time_of(row)) + (f", {units(row):.2f} x {row['versus']}" if units(row) else "")


def evaluation_table(data):
    table = [["figure", "where", "row", *(data.versions(mpi) for mpi in MPIS)]]
    for figure, place, names in EVALUATION:
        for name in names:
            group = data.group_of(place, name)
            table.append([figure, PLACES[place], name, *(seen_text(data.row(OURS, mpi, place, group, name)) for mpi in MPIS)])
    return table


def later_commits(data):
    """What was measured again, and at which commit."""
    found = {}
    for run in data.all["runs"]:
        for word, commit in run.get("commits", {}).items():
            found.setdefault(commit, {}).setdefault(PLACES[run["place"]], set()).add(word)
    # Data kept without their processor are of the one run of that commit and date whose processor is known.
    for commit in list(found):
        named = [other for other in found if other.startswith(commit + ", ")]
        if len(named) == 1:
            for place, words in found.pop(commit).items():
                found[named[0]].setdefault(place, set()).update(words)
    return "".join(f"; {commit}: " + ", ".join(f"{', '.join(sorted(words))} on {place}" for place, words in places.items())
                   for commit, places in found.items())


def provenance(data):
    """The sentence over the tables."""
    about, run = data.all["machine"], next(run for run in data.all["runs"] if run["library"] == OURS)
    processor = processor_of(data.all) or "unknown processor"
    medians = any("median_ns" in row and "best_ns" in row for row in run["rows"])
    parts = [data.all["date"], f"{about['cores']} cores, {processor}", about["kernel"]]
    parts += [f"{label} {about[key]}" for key, label in (("virtual", "virtual machine:"), ("governor", "governor:")) if key in about]
    parts += [", ".join(data.versions(mpi) for mpi in MPIS), f"commit {data.all['commit'] or 'unknown'}" + later_commits(data)]
    what = "medians; ± is half the distance between the first and ninth decile" if medians else "best times"
    return "; ".join(parts) + f"; {what}."


def markdown(table):
    lines = ["| " + " | ".join(cells) + " |" for cells in table]
    return "\n".join([lines[0], "|---" * len(table[0]) + "|", *lines[1:]]) + "\n"


def parts(data):
    """The generated parts of the pages, by page and name."""
    page = {f"{place}-{mpi}": markdown(long_table(data, place, mpi)) for place in SHORT for mpi in MPIS}
    page |= {f"methods-{place}": markdown(ours_table(data, "methods", place)) for place in PLACES}
    page |= {"passive": markdown(ours_table(data, "passive", "hosts")), "overlap": markdown(overlap_table(data)), "losses": markdown(losses(data)), "problems": markdown(problem_table(data)),
             "machine": provenance(data) + "\n"}
    return {"doc/benchmarks.md": page, "doc/evaluation.md": {"seen": markdown(evaluation_table(data))}}


def renewed(text, name, part):
    """The page with this part made anew; None if it has no such part."""
    begin = BEGIN % name
    before, found, rest = text.partition(begin + "\n")
    _, end, after = rest.partition(END)
    return f"{before}{begin}\n\n{part}\n{END}{after}" if found and end else None


def pages(data):
    """Path, text, and the text that it should have, of each page with generated parts; complaints."""
    wrong, found = [], []
    for page, named in parts(data).items():
        text = should = (TOP / page).read_text(encoding="utf-8")
        for name, part in named.items():
            new = renewed(should, name, part)
            wrong += [] if new else [f"{page} has no part '{name}'"]
            should = new or should
        found.append((page, text, should))
    return found, wrong


def check():
    """The breaches, one sentence each."""
    data = Data(DATA)
    found, wrong = pages(data)
    wrong += without_reason(data)
    wrong += [f"{page}: its tables differ from benchmarks/data/report.json; report.py tables makes them anew" for page, text, should in found if text != should]
    for name in KEPT:
        path = IMAGES / name
        if not path.exists() or f"report.json {data.digest}" not in path.read_text(encoding="utf-8"):
            wrong.append(f"doc/img/{name} was not drawn from benchmarks/data/report.json")
    return wrong


def write_tables():
    data = Data(DATA)
    found, wrong = pages(data)
    for page, _, should in found:
        (TOP / page).write_text(should, encoding="utf-8")
    return wrong + without_reason(data)


# ---- the web page

STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --line: #d8d8d8; --loss: #b3261e; --gain: #1b6e3c }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #16181b; --line: #3a3d42; --loss: #ff8a80; --gain: #7fd6a0 } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-size: 13px } td, th { border-bottom: 1px solid var(--line); padding: 2px 8px; text-align: left }
.wide { overflow-x: auto } .loss { color: var(--loss); font-weight: bold } .gain { color: var(--gain) }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem } .pictures svg { width: 100%; max-width: 560px; height: auto }
.pictures > div { flex: 1 1 360px; max-width: 560px } .dark { display: none }
@media (prefers-color-scheme: dark) { .dark { display: block } .light { display: none } }
"""


def html_cell(text, first):
    loss = text.startswith("**")
    plain = html.escape(text.replace("**", ""))
    gain = not first and re.fullmatch(r"[\d.]+(e\+\d+)?", text) and float(text) > 1 / LOSS
    return f'<td class="loss">{plain}</td>' if loss else f'<td class="gain">{plain}</td>' if gain else f"<td>{plain}</td>"


def html_table(title, table):
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table[0])
    body = "\n".join("<tr>" + "".join(html_cell(cell, i == 0) for i, cell in enumerate(cells)) + "</tr>" for cells in table[1:])
    return f'<h2>{html.escape(title)}</h2>\n<div class="wide"><table><tr>{head}</tr>\n{body}</table></div>\n' if len(table) > 1 else ""


def inline(path):
    """The picture without what a file of its own needs before it."""
    return re.sub(r"^.*?(?=<svg)", "", path.read_text(encoding="utf-8"), flags=re.S)


def web_page(data, folder, pictures):
    where = {"node": "One node", "hosts": "Two nodes"}
    body = [f"<h1>ARMCI-RMA and other ARMCI libraries</h1>\n<p>{html.escape(provenance(data))}</p>"]
    if not data.all["quiet"]:
        body.append(f'<p class="loss">Other work took up to {100 * max(data.all["busy"]):.0f} % of the processors: the times judge nothing.</p>')
    body.append("<p>Columns of other libraries: their time divided by that of ARMCI-RMA; red: they are faster.</p>")
    body.append('<div class="pictures">' + "\n".join(f'<div class="{theme}">{inline(folder / f"{name}-{theme}.svg")}</div>'
                                                     for name in pictures for theme in ("light", "dark")) + "</div>")
    body.append(html_table("Where another library is faster", losses(data)))
    body.append(html_table("What a library does not have", problem_table(data)))
    for place in data.places():
        body += [html_table(f"{where[place]}, {data.versions(mpi)}", long_table(data, place, mpi, complete=True)) for mpi in MPIS]
    body.append(html_table("Overlap: hidden part of a transfer", overlap_table(data)))
    body += [html_table(f"{where[place]}: methods and routes", ours_table(data, "methods", place)) for place in data.places()]
    body.append(html_table("The target computes", ours_table(data, "passive", "hosts")))
    text = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>ARMCI-RMA: measurements</title>\n<style>{STYLE}</style></head>\n<body>\n'
    (folder / "index.html").write_text(text + "\n".join(body) + "\n</body></html>\n", encoding="utf-8")


def make_page(source, folder):
    data, folder = Data(source), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import pictures
        drawn = pictures.draw_all(data, folder)
    except ImportError as error:
        print(f"report.py: no pictures: {error}", file=sys.stderr)
        drawn = []
    web_page(data, folder, drawn)
    if pathlib.Path(source).resolve() != (folder / "report.json").resolve():
        shutil.copy(source, folder / "report.json")
    print(f"the page is {folder / 'index.html'}")
    return 0


def why_not_keep(new):
    """The reasons against taking the data into the source."""
    noisy = [] if new["quiet"] else [f"other work took up to {100 * max(new['busy']):.0f} % of the processors"]
    commit = new["commit"]
    unknown = ["the commit is unknown"] if not commit else ["the source had changes that no commit has"] if "changes" in commit else []
    # The tables divide the others' times by this library's: those of one run.
    missing = [f"{run['library']}, {run['mpi']}: {problem['why']}" for run in new["runs"] for problem in run["problems"] if problem["why"].startswith("not built")]
    return noisy + unknown + missing


def processor_of(data):
    """That of the first run, of this library if there is one; None: unknown."""
    runs = sorted(data["runs"], key=lambda run: run["library"] != OURS)
    return next((run["head"]["processor"] for run in runs if "processor" in run.get("head", {})), None)


def differences(kept, new, old_head, new_head):
    """What a new run says differently, for the reader of a table with rows of both: the processor than the line over the tables, whichever library
    and MPI library ran; the MPI library than the run that was kept."""
    processor = processor_of(new)
    other = f", {processor}" if processor and processor_of(kept) not in (None, processor) else ""
    if "mpi" in old_head and "mpi" in new_head and old_head["mpi"] != new_head["mpi"]:
        other += f", {new_head['mpi'].split(',')[0]}"
    return other


def merge(kept, new):
    """Put each word that a library ran, with an MPI library on one node or two, in the place of what is kept of it. The head stays that of the
    first measurement; where that of a later one differs, the words say so. Some rows have the name of one of another word: the words keep their order."""
    from measure import WORDS
    kept["libraries"] |= new["libraries"]
    runs = {(run["library"], run["mpi"], run["place"]): run for run in kept["runs"]}
    for run in new["runs"]:
        problems = [problem for problem in run["problems"] if problem["group"] and not problem["why"].startswith("not measured")]
        words = dict.fromkeys(part["group"] for part in [*run["rows"], *problems])
        if not words:
            continue
        old = runs.get((run["library"], run["mpi"], run["place"]))
        if not old:
            old = {**run, "rows": [], "problems": []}
            kept["runs"].append(old)
        for key in ("head", "ranks_started"):
            if key in run:
                old.setdefault(key, run[key])
        rows = [row for row in old["rows"] if row["group"] not in words] + run["rows"]
        old["rows"] = sorted(rows, key=lambda row: WORDS[run["place"]].index(row["group"]))
        old["problems"] = [problem for problem in old["problems"] if problem["group"] and problem["group"] not in words] + problems
        source = f"{new['commit']} of {new['date']}" + differences(kept, new, old.get("head", {}), run.get("head", {}))
        old.setdefault("commits", {}).update(dict.fromkeys(words, source))


def keep(folder):
    import measure
    import pictures
    new, kept = (json.loads(path.read_text()) for path in (pathlib.Path(folder) / "report.json", DATA))
    reasons = why_not_keep(new)
    if reasons:
        print("report.py: not kept: " + "; ".join(reasons), file=sys.stderr)
        return 1
    merge(kept, new)
    measure.write(kept, DATA)
    pictures.draw_all(Data(DATA), pathlib.Path(folder))
    for name in KEPT:
        shutil.copy(pathlib.Path(folder) / name, IMAGES / name)
    return complain(write_tables())


def complain(wrong):
    for line in wrong:
        print(line)
    return 1 if wrong else 0


def main(words):
    if words[:1] == ["page"] and len(words) == 3:
        return make_page(*words[1:])
    if words[:1] == ["keep"] and len(words) == 2:
        return keep(words[1])
    if words == ["tables"]:
        return complain(write_tables())
    if words == ["check"]:
        return complain(check())
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
