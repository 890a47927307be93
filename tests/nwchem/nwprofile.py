"""An SVG picture of what a job on nodes moved.

Counts and bytes only: they are those of the program, while times are those of the machine. armci-stats reads the file."""
import importlib.machinery
import importlib.util
import math
import pathlib

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/armci-stats"
STYLE = ("svg{color:#222}text{font:11px system-ui,sans-serif;fill:currentColor}.head{font-weight:600;font-size:12px}"
         ".axis{stroke:#8884}@media(prefers-color-scheme:dark){svg{color:#ddd}}")
NAMES = 8                        # functions shown
COLOURS = ("#3b6fb6", "#d9822b", "#3d9970")
HEIGHT, MARGIN, CELL = 130, 34, 46


def tool():
    """armci-stats as a module."""
    loader = importlib.machinery.SourceFileLoader("armci_stats", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("armci_stats", loader))
    loader.exec_module(module)
    return module


def bars(labels, series):
    """Groups of upright bars: for each label a bar of each series."""
    width = max(9, 26 // len(series))
    group, most = width * len(series) + 10, max(max(values) for values in series)
    for i, label in enumerate(labels):
        x = 8 + i * group
        for k, values in enumerate(series):
            tall = values[i] / most * (HEIGHT - 14)
            yield f'<rect x="{x + k * width}" y="{HEIGHT - tall:.1f}" width="{width - 1}" height="{tall:.1f}" fill="{COLOURS[k]}"/>'
        x += width * len(series) / 2
        yield f'<text x="{x:.1f}" y="{HEIGHT + 14}" text-anchor="end" transform="rotate(-50 {x:.1f} {HEIGHT + 14})">{label}</text>'
    yield f'<line class="axis" x1="4" x2="{group * len(labels) + 10}" y1="{HEIGHT}" y2="{HEIGHT}"/>'


def heat_map(matrix):
    """White to blue by the logarithm of the bytes."""
    most = math.log(max(size for size, _ in matrix.values()))
    for (a, b), (size, _) in sorted(matrix.items()):
        shade = round(92 - 62 * math.log(max(size, 1)) / most)
        yield f'<rect x="{MARGIN + b * CELL}" y="{MARGIN + a * CELL}" width="{CELL - 1}" height="{CELL - 1}" fill="hsl(214 65% {shade}%)"/>'
    for rank in range(1 + max(max(pair) for pair in matrix)):
        middle = MARGIN + (rank + 0.5) * CELL
        yield f'<text x="{middle}" y="{MARGIN - 6}" text-anchor="middle">{rank}</text>'
        yield f'<text x="{MARGIN - 6}" y="{middle + 4}" text-anchor="end">{rank}</text>'


def panel(x, heading, drawing):
    """A drawing below a heading."""
    return (f'<g transform="translate({x} 0)"><text class="head" x="4" y="16">{heading}</text>'
            f'<g transform="translate(0 30)">{"".join(drawing)}</g></g>')


def picture(path):
    """The picture of a file that ARMCI_STATS=FILE.json wrote."""
    stats = tool()
    job = stats.Job(path, [stats.read(path)])
    sums = {}
    for f in job.functions():
        if f["bytes"] or f["family"] in ("fence", "barrier"):
            sums[f["name"]] = sums.get(f["name"], 0) + f["calls"]
    calls = sorted(((count, name) for name, count in sums.items()), reverse=True)[:NAMES]
    families = ("get", "put", "acc")
    sizes = {family: job.buckets("sizes", (family,)) for family in families}
    keys = [f'<tspan fill="{COLOURS[k]}">{family}</tspan>' for k, family in enumerate(families)]
    steps = [1 << power for power in range(3, 21) if any(1 << power in found for found in sizes.values())]
    panels = [
        panel(0, f"bytes, row to column: {stats.of_bytes(job.sum('bytes'))}", heat_map(job.matrix)),
        panel(250, f"calls, most: {calls[0][0]}", bars([name for _, name in calls], [[count for count, _ in calls]])),
        panel(500, "transfers by bytes: " + ", ".join(keys),
              bars([stats.of_bytes(step) for step in steps], [[sizes[family].get(step, 0) for step in steps] for family in families]))]
    width = 540 + len(steps) * 34
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 260" width="{width}" height="260">'
            f"<style>{STYLE}</style>{''.join(panels)}</svg>\n")
