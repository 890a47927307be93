"""The pictures of report.py: SVG, for light and dark pages, to be read at a width of 400 pixels. Needs matplotlib."""
import re

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  the backend comes first

import report  # noqa: E402
from report import time_of  # noqa: E402

WIDTH = 3.6  # inches, without the names of rows
THEMES = {"light": {"ink": "#1c1c1c", "paper": "#ffffff", "grid": "#dddddd"}, "dark": {"ink": "#e6e6e6", "paper": "#16181b", "grid": "#3a3d42"}}
# Colours that both themes can show, and a mark each: no reader needs the colour alone.
LOOKS = (("#2f81f7", "o"), ("#e0823d", "s"), ("#b26ad1", "D"), ("#2da44e", "^"), ("#d1495b", "v"), ("#8a8a8a", "P"), ("#a68a00", "X"))
TICKS = [(10 ** power, f"{10 ** (power % 3)} {unit}") for power, unit in ((p, ("ns", "us", "ms", "s")[p // 3]) for p in range(10))]
MULTIPLES = [(0.1, "0.1"), (1, "1"), (10, "10"), (100, "100"), (1000, "1000"), (1e4, "10000"), (1e5, "100000"), (1e6, "10^6")]
OVERLAPS = ("nbget", "away: nbget", "nbput + fence", "MPI_Irecv")
SIZES = [(1, "1 B"), (1 << 10, "1 KiB"), (1 << 20, "1 MiB"), (64 << 20, "64 MiB")]


def look(data, library):
    return LOOKS[list(data.all["libraries"]).index(library) % len(LOOKS)]


def spread_of(row, at):
    """Half the distance of the deciles, for an error bar."""
    return at * row.get("spread", 0) / 2


def dots(axes, data, place, mpi, value):
    """One mark for each library and row, where value(row, library) says."""
    libraries = [key for key in data.libraries() if any(where[:3] == (key, mpi, place) for where in data.rows)]
    names = report.SHORT[place]
    for number, library in enumerate(libraries):
        colour, mark = look(data, library)
        for position, name in enumerate(names):
            row = data.row(library, mpi, place, data.group_of(place, name), name)
            at = value(row, library) if row else None
            if at:
                height = position + 0.14 * (number - (len(libraries) - 1) / 2)
                axes.errorbar(at, height, xerr=min(spread_of(row, at), 0.9 * at), fmt=mark, color=colour, markersize=5, elinewidth=1, zorder=3)
    for library in libraries:
        colour, mark = look(data, library)
        axes.plot([], [], mark, color=colour, label=data.name(library))
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.legend(loc="upper center", bbox_to_anchor=(0.35, -0.09), ncols=2, frameon=False, columnspacing=1, handletextpad=0.1)


def use_ticks(axis, ticks, limits):
    chosen = [(at, text) for at, text in ticks if limits[0] <= at <= limits[1]]
    axis.set_ticks([at for at, _ in chosen], [text for _, text in chosen])
    axis.set_minor_locator(matplotlib.ticker.NullLocator())


def draw_node(axes, data, mpi):
    dots(axes, data, "node", mpi, lambda row, library: time_of(row))
    use_ticks(axes.xaxis, TICKS[::2], axes.get_xlim())
    axes.set_title(f"One node, {data.versions(mpi)}: time, less is better", loc="left", x=-0.4)


def draw_hosts(axes, data, mpi):
    trip = time_of(data.row(report.OURS, mpi, "hosts", "remote", report.ROUND_TRIP))  # None: other words were measured
    dots(axes, data, "hosts", mpi, lambda row, library: (time_of(row) or 0) / trip if trip else None)
    axes.axvline(1, color=plt.rcParams["text.color"], linestyle="--", linewidth=1)
    use_ticks(axes.xaxis, MULTIPLES, axes.get_xlim())
    axes.set_title(f"Two nodes, {data.versions(mpi)}: time / MPI round trip", loc="left", x=-0.4)


def curve(data, library, mpi, place, kind):
    """Bytes and GB/s of the rows of one kind in the word bandwidth."""
    points = [(row["bytes"], row["bytes"] / time_of(row)) for (key, family, where, group, name), row in data.rows.items()
              if (key, family, where) == (library, mpi, place) and name.startswith(f"{kind} ")
              and group == "bandwidth" and row["valid"] and "bytes" in row and time_of(row)]
    return sorted(points)


def draw_curves(axes, data, mpi, place, kind, beside):
    """The bandwidth of one kind of transfer in every library, and of what it is compared with in this library's run."""
    lines = [(library, kind, "-", data.name(library)) for library in data.libraries()]
    lines += [(report.OURS, other, ":", other) for other in beside]
    for number, (library, what, style, label) in enumerate(lines):
        points = curve(data, library, mpi, place, what)
        colour, mark = LOOKS[number % len(LOOKS)] if style == ":" else look(data, library)
        if points:
            axes.plot(*zip(*points), style, marker=mark, markersize=3, color=colour, linewidth=1.3, label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    use_ticks(axes.xaxis, SIZES, (1, 64 << 20))
    axes.set_ylabel("GB/s")
    axes.set_title(f"{kind}, {'one node' if place == 'node' else 'two nodes'}, {data.versions(mpi)}: more is better", loc="left")
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.09), ncols=2, frameon=False, columnspacing=1, handletextpad=0.3)


def draw_overlap(axes, data, mpi):
    """How much of a transfer is hidden behind computation, by its bytes."""
    for number, kind in enumerate(OVERLAPS):
        points = sorted((row["bytes"], 100 * row["hidden"]) for (key, family, where, group, name), row in data.rows.items()
                        if (key, family, where, group) == (report.OURS, mpi, "hosts", "overlap") and name.startswith(kind + " ") and "hidden" in row)
        colour, mark = LOOKS[number]
        axes.plot(*zip(*points), marker=mark, markersize=4, color=colour, linewidth=1.3, label=kind)
    axes.set_xscale("log")
    use_ticks(axes.xaxis, SIZES, (1, 2 << 20))
    axes.set_ylim(-3, 103)
    axes.set_ylabel("% hidden")
    axes.set_title(f"Overlap, two nodes, {data.versions(mpi)}: more is better", loc="left")
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.09), ncols=2, frameon=False, columnspacing=1, handletextpad=0.3)


def planned(data):
    """Name, height in inches, and the function that draws it, of each picture that the data suffice for."""
    found = []
    for place, draw in (("node", draw_node), ("hosts", draw_hosts)):
        for mpi in report.MPIS:
            if any(where[:3] == (report.OURS, mpi, place) for where in data.rows):
                found.append((f"{place}-{mpi}", 5.2, lambda axes, draw=draw, mpi=mpi: draw(axes, data, mpi)))
    for place, beside in (("node", ("memcpy", "MPI_Put", "MPI_Send")), ("hosts", ("MPI_Put", "MPI_Send"))):
        for mpi in report.MPIS:
            for kind in ("put", "get", "acc"):
                if curve(data, report.OURS, mpi, place, kind):
                    others = [name.replace("Put", "Get") if kind == "get" else name for name in beside]
                    found.append((f"curve-{kind}-{place}-{mpi}", 4.4, lambda axes, mpi=mpi, place=place, kind=kind, others=others:
                                  draw_curves(axes, data, mpi, place, kind, others)))
    for mpi in report.MPIS:
        if all(data.row(report.OURS, mpi, "hosts", "overlap", f"{kind} 1024 KiB") for kind in OVERLAPS):
            found.append((f"overlap-hosts-{mpi}", 3.6, lambda axes, mpi=mpi: draw_overlap(axes, data, mpi)))
    return found


def draw(data, name, height, function, theme, folder):
    colours = THEMES[theme]
    plt.rcParams.update({"font.size": 10, "axes.titlesize": 10, "svg.hashsalt": name + theme, "svg.fonttype": "none", "axes.spines.top": False,
                         "axes.spines.right": False, "axes.axisbelow": True, "text.color": colours["ink"], "axes.labelcolor": colours["ink"],
                         "axes.edgecolor": colours["ink"], "xtick.color": colours["ink"], "ytick.color": colours["ink"],
                         "axes.facecolor": colours["paper"], "figure.facecolor": colours["paper"], "grid.color": colours["grid"]})
    figure, axes = plt.subplots(figsize=(WIDTH, height))
    axes.grid(axis="both" if name.startswith("curve") else "x")
    function(axes)
    path = folder / f"{name}-{theme}.svg"
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None, "Source": f"report.json {data.digest}"})
    plt.close(figure)
    path.write_text(re.sub(r"[ \t]+$", "", path.read_text(encoding="utf-8"), flags=re.M), encoding="utf-8")


def draw_all(data, folder):
    """Draw every picture into the folder; their names."""
    for name, height, function in planned(data):
        for theme in THEMES:
            draw(data, name, height, function, theme, folder)
    return [name for name, _, _ in planned(data)]
