"""table.py - the page that tells what ran and how it ended."""
import datetime
import json
import os
import platform
import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path

from cells import SETS

HERE = Path(__file__).resolve().parent


class Count:
    """Results so far, printed as they come."""

    def __init__(self):
        self.passed = self.failed = 0

    def add(self, fine, label, why=""):
        print(("PASS " if fine else "FAIL ") + label + (f": {why}" if why else ""), flush=True)
        self.passed += bool(fine)
        self.failed += not fine

    def status(self):
        """Print the counts; returns the exit status."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def version_of(library, build):
    """The first words of MPI_Get_library_version, from the armci-info of that build."""
    done = subprocess.run([str(build / "tools/armci-info")], env=library.environment(), capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        if line.startswith("MPI in use"):
            return " ".join(line[len("MPI in use"):].split(",")[0].split("(MPI")[0].replace(" Version:", "").split())
    return "?"


def summary(cell):
    """A cell's counts in a few words."""
    if cell.get("problem"):
        return cell["problem"]
    results = [result for result, _, _ in cell["runs"]]
    text = f"{results.count('PASS')} passed"
    if "FAIL" in results:
        text += f", **{results.count('FAIL')} failed**"
    if "SKIP" in results:
        text += f", {results.count('SKIP')} skipped"
    return f"{text} ({cell['seconds']:.0f} s)"


def causes():
    """The lines of causes.txt: (library, place, expression for the label, cause)."""
    lines = (HERE / "causes.txt").read_text().splitlines()
    return [[word.strip() for word in line.split("|")] for line in lines if line.strip() and not line.startswith("#")]


def cause_of(cell, label):
    """Why that run fails there, as far as anybody knows."""
    for library, place, expression, cause in causes():
        if fnmatch(cell["library"], library) and fnmatch(cell["place"], place) and re.search(expression, label):
            return cause
    return "cause not known"


def told(cells, wanted):
    """A line for each run of that result of which something is told."""
    return [f"- {cell['library']}, {cell['place']}: `{label}`: {why.replace('|', ' ')}; {cause_of(cell, label)}"
            for cell in cells for result, label, why in cell.get("runs", []) if result == wanted and why]


def row_of(own):
    """The line of a library in the table, from its cells by place."""
    first = next(iter(own.values()))
    one, two = (summary(own[place]) if place in own else "not run" for place in ("one node", "two nodes"))
    return f"| {first['library']} | {first['version']} | {first['rows']} | {one} | {two} |"


def explain(sets):
    """What the words of the column "rows" mean."""
    return [f"- {name}: {SETS[name][0]} of tests/suite" for name in SETS if name in sets]


def page(cells):
    """The page, from what the cells' files hold."""
    names = list(dict.fromkeys(cell["library"] for cell in cells))
    lines = ["# The matrix", "",
             "The multi-process tests and armci-doctor on MPI libraries from different makers, 2 ranks, no variable set but those of the",
             f"rows. Written by `make matrix` (tests/matrix/README.md), {max(cell['date'] for cell in cells)}, commit {' and '.join(sorted({cell['commit'] for cell in cells}))},",
             f"{platform.machine()}, {os.cpu_count()} processors. In parentheses the seconds that the runs took.", "",
             "| library | MPI | rows | one node | two nodes |", "|---|---|---|---|---|"]
    lines += [row_of({cell["place"]: cell for cell in cells if cell["library"] == name}) for name in names]
    lines += ["", *explain({cell["rows"] for cell in cells})]
    lines += ["", "## Runs that failed", "", *(told(cells, "FAIL") or ["None."])]
    lines += ["", "## Runs that failed once and passed when run again", "", *(told(cells, "PASS") or ["None."]), ""]
    return "\n".join(lines)


def note(folder, cell):
    """Keep a cell until the page is made."""
    commit = subprocess.run(["git", "-C", HERE, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    cell.update(date=datetime.date.today().isoformat(), commit=commit.stdout.strip() or "unknown")
    (folder / f"{cell['library']}.{cell['place'].replace(' ', '-')}.json").write_text(json.dumps(cell))


def noted(folder, order):
    """The cells that are kept, libraries in the order given."""
    cells = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    return sorted(cells, key=lambda cell: (order.index(cell["library"]), cell["place"]))
