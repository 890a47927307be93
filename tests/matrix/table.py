"""table.py - the page that tells what ran and how it ended."""
import datetime
import json
import platform
import subprocess


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
    verdicts = [verdict for verdict, _ in cell["runs"]]
    text = f"{verdicts.count('PASS')} passed"
    if "FAIL" in verdicts:
        text += f", **{verdicts.count('FAIL')} failed**"
    if "SKIP" in verdicts:
        text += f", {verdicts.count('SKIP')} skipped"
    return f"{text} ({cell['seconds']:.0f} s)"


def failures(cells):
    """A line for each run that failed."""
    return [f"- {cell['library']}, {cell['place']}: `{label}`"
            for cell in cells for verdict, label in cell.get("runs", []) if verdict == "FAIL"]


def page(cells):
    """The page, from what the cells' files hold."""
    names = list(dict.fromkeys(cell["library"] for cell in cells))
    lines = ["# The matrix", "",
             "The multi-process tests on MPI libraries from different makers, 2 ranks, no variable set but those of the rows. Made by",
             f"`make matrix` (tests/matrix/README.md), {max(cell['date'] for cell in cells)}, {platform.machine()}. The seconds are",
             "those of the runs.", "",
             "| library | MPI | rows | one node | two hosts |", "|---|---|---|---|---|"]
    for name in names:
        own = {cell["place"]: cell for cell in cells if cell["library"] == name}
        first = next(iter(own.values()))
        one, two = (summary(own[place]) if place in own else "not run" for place in ("one node", "two hosts"))
        lines.append(f"| {name} | {first['version']} | {first['rows']} | {one} | {two} |")
    failed = failures(cells)
    lines += ["", "## Runs that failed", "", *(failed or ["None."]), ""]
    return "\n".join(lines)


def note(folder, cell):
    """Keep a cell until the page is made."""
    cell["date"] = datetime.date.today().isoformat()
    (folder / f"{cell['library']}.{cell['place'].replace(' ', '-')}.json").write_text(json.dumps(cell))


def noted(folder, order):
    """The cells that are kept, libraries in the order given."""
    cells = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    return sorted(cells, key=lambda cell: (order.index(cell["library"]), cell["place"]))
