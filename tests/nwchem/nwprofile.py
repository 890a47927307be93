"""An SVG picture of what a job on nodes moved.

Counts and bytes only: they are those of the program, while times are those of the machine. The drawings are armci-stats's."""
import importlib.machinery
import importlib.util
import pathlib
import re

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/armci-stats"
STYLE = ("svg{color:#222}text{font:11px system-ui,sans-serif;fill:currentColor}.head{font-weight:600;font-size:12px}"
         ".axis{stroke:#8884}@media(prefers-color-scheme:dark){svg{color:#ddd}}")
NAMES = 8                        # functions shown


def tool():
    """armci-stats as a module."""
    loader = importlib.machinery.SourceFileLoader("armci_stats", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("armci_stats", loader))
    loader.exec_module(module)
    return module


def panel(x, heading, drawing):
    """A drawing of armci-stats, without its own caption, below a heading."""
    inner = re.search(r"<svg[^>]*>(.*)</svg>", drawing, re.DOTALL).group(1)
    return f'<g transform="translate({x} 0)"><text class="head" x="4" y="16">{heading}</text><g transform="translate(0 30)">{inner}</g></g>'


def picture(path):
    """The picture of a file that ARMCI_STATS=FILE.json wrote."""
    stats = tool()
    job = stats.Job(path, stats.read(path))
    calls = sorted(((f["calls"], f["name"]) for f in job.functions() if f["bytes"] or f["family"] in ("fence", "barrier")), reverse=True)[:NAMES]
    families = ("get", "put", "acc")
    sizes = {family: job.buckets("sizes", (family,)) for family in families}
    keys = [f'<tspan fill="{stats.colour(k)}">{family}</tspan>' for k, family in enumerate(families)]
    steps = [1 << power for power in range(3, 21) if any(1 << power in found for found in sizes.values())]
    panels = [
        panel(0, f"bytes, row to column: {stats.of_bytes(job.sum('bytes'))}", stats.heat_map(job, "bytes", stats.of_bytes)),
        panel(250, f"calls, most: {calls[0][0]}", stats.bars([name for _, name in calls], [[count for count, _ in calls]], stats.of_count)),
        panel(500, "transfers by bytes: " + ", ".join(keys), stats.bars([stats.of_bytes(step) for step in steps],
              [[sizes[family].get(step, 0) for step in steps] for family in families], stats.of_count))]
    width = 540 + len(steps) * 34
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 260" width="{width}" height="260">'
            f"<style>{STYLE}</style>{''.join(panels)}</svg>\n")
