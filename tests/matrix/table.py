"""table.py - what ran and how it ended: lines, and records for results/."""
import datetime
import json
import re
import subprocess
import sys

from cells import SETS, TOP

sys.path.append(str(TOP / "results"))
from records import this_machine  # noqa: E402  its folder comes first


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


def record(cell):
    """A cell as a record of results/tests.json; why its tests failed is the note."""
    results = [result for result, _, _ in cell["runs"]]
    why = "; ".join(f"{label}: {' '.join(why.split())}"[:200] for result, label, why in cell["runs"] if result == "FAIL")
    place, nodes = ("hosts", 2) if cell["place"] == "two nodes" else ("node", 1)
    return {"id": re.sub("[^a-z0-9]+", "-", f"tests-{cell['library']}-{place}"), "suite": f"multi-process tests, {SETS[cell['rows']][0]}",
            "command": f"make matrix ROWS={cell['rows']}", "mpi": cell["version"], "ranks": 2, "nodes": nodes, "passed": results.count("PASS"), "known": 0,
            "failed": results.count("FAIL"), **({"note": why} if why else {})}


def records(cells):
    """What results/records.py keeps of the cells; the commit and the day are those of the last one."""
    return {"version": (TOP / "VERSION").read_text().strip(), "commit": cells[-1]["commit"], "date": cells[-1]["date"], "machine": this_machine(),
            "tests": [record(cell) for cell in cells if "runs" in cell]}


def note(folder, cell):
    """Keep a cell until the records are made."""
    commit = subprocess.run(["git", "-C", TOP, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    cell.update(date=datetime.date.today().isoformat(), commit=commit.stdout.strip() or "unknown")
    (folder / f"{cell['library']}.{cell['place'].replace(' ', '-')}.json").write_text(json.dumps(cell))


def noted(folder, order):
    """The cells that are kept, libraries in the order given."""
    cells = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    return sorted(cells, key=lambda cell: (order.index(cell["library"]), cell["place"]))
