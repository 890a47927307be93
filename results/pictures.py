"""The pictures of the pages: SVG for light and dark pages, to be read at a width of 400 pixels. Drawing needs matplotlib, comparing does not.

A picture is a plan: a message, and panels of rows, each with a value and its text for each series. The SVG carries the digest of its plan.
"""
import hashlib
import json
import re

from records import OURS, TOP, amount, nwchem_times, number, time_of

IMAGES = TOP / "doc" / "img"
THEMES = {"light": ("#1c1c1c", "#ffffff", "#d0d0d0"), "dark": ("#e6e6e6", "#16181b", "#4a4d52")}  # ink, paper, lines
# Colours that both themes can show, and a mark each: no reader needs the colour alone.
BLUE, ORANGE, GREEN, GREY = ("#2f81f7", "o"), ("#d9752b", "s"), ("#2da44e", "^"), ("#8a8a8a", "D")
WAITS = "waits until the target calls the library"
COMPUTING = [(f"{name}, computing", label) for name, label in (("get 8 B", "get, 8 bytes"), ("put 8 B + fence", "put + fence, 8 bytes"),
                                                               ("rmw", "fetch-and-add"), ("get 4 MiB", "get, 4 MiB"))]
IDLE = [(name, label) for name, (_, label) in zip(("get 8 B", "put 8 B + fence", "rmw fetch-and-add long", "get 4 MiB"), COMPUTING)]
NODE = [("latency", "put 8 B", "put, 8 bytes"), ("latency", "acc 8 B + fence", "accumulate + fence"), ("latency", "rmw fetch-and-add long", "fetch-and-add"),
        ("latency", "lock + unlock, free", "lock + unlock"), ("strided", "getS 64 x 512 B", "get, 64 x 512 bytes"), ("bandwidth", "put 16 MiB", "put, 16 MiB")]
SIZES = ("16 KiB", "256 KiB", "4 MiB", "64 MiB")
# Where another library is faster: the row, its label, and the library.
FASTER = [("hosts", "mpich", "remote", "get 8 B", "comex-ts", "get, 8 bytes, MPICH"), ("hosts", "openmpi", "bandwidth", "get 16 MiB", "armci-mpi-0.4", "get, 16 MiB, Open MPI"),
          ("hosts", "mpich", "many", "1000 gets of 8 B", "armci-mpi-0.4", "1000 gets, MPICH"), ("hosts", "mpich", "remote", "lock + unlock, free", "comex-ts", "lock + unlock, MPICH"),
          ("hosts", "openmpi", "bandwidth", "acc 16 MiB", "armci-mpi-0.4", "acc, 16 MiB, Open MPI"), ("node", "openmpi", "bandwidth", "acc 16 MiB", "armci-mpi-0.4", "the same inside a node")]
LOOKS = {"ARMCI-RMA": BLUE, "ComEx MPI-PR": ORANGE, "ComEx MPI-TS": ORANGE, "ARMCI-MPI 0.4": GREEN, "ARMCI-MPI 0.3.1": GREEN, "MPI_Send": ORANGE, "MPI_Put": GREEN, "memcpy": GREY,
         "published for other servers": GREY}


def short(facts, library):
    return re.split("[,~]", facts.name(library))[0]


def cells(facts, where, libraries, missing=None):
    """The times of a row, by library, each with its text; of a row that a library lacks, the text `missing`."""
    found = {}
    for library in libraries:
        time = time_of(facts.row(library, *where))
        if time or missing:
            found[short(facts, library)] = [time, amount(time, "ns") if time else missing]
    return found


def node(facts):
    # A progress rank of ComEx MPI-PR serves its counters and locks; it had no processor of its own.
    rows = [[label, cells(facts, ("node", "mpich", word, name), [OURS] + ["comex-pr"] * (not name.startswith(("rmw", "lock"))) + ["armci-mpi-0.4"])]
            for word, name, label in NODE]
    put, counter = (facts.all[f"node-mpich-latency-{name}"].text for name in ("put-8-b", "rmw-fetch-and-add-long"))
    return [f"A put inside a node takes {put}, a counter {counter}", [["time of a call (MPICH); less is better", [1, 4e9], rows]]]


def hosts(facts):
    libraries = [OURS, "comex-ts", "armci-mpi-0.4"]
    panels = [[title, [3e3, 4e8], [[label, cells(facts, ("hosts", "mpich", "remote", name), libraries, WAITS)] for name, label in rows]]
              for title, rows in (("the target waits in the library (MPICH)", IDLE), ("the target computes (MPICH)", COMPUTING))]
    return ["Between nodes, data arrive while the target computes", panels]


def bandwidth(facts):
    panels = []
    for place, title, limits, kinds in (("node", "inside a node", [0.3, 700], (("put", "ARMCI-RMA"), ("MPI_Send", "MPI_Send"), ("MPI_Put", "MPI_Put"), ("memcpy to shared", "memcpy"))),
                                        ("hosts", "between nodes", [0.3, 700], (("put", "ARMCI-RMA"), ("MPI_Send", "MPI_Send"), ("MPI_Put", "MPI_Put")))):
        rows = []
        for size in SIZES:
            found = {name: facts.row(OURS, place, "mpich", "bandwidth", f"{kind} {size}") for kind, name in kinds}
            rates = {name: row["bytes"] / time_of(row) for name, row in found.items()}
            rows.append([size, {name: [rate, f"{number(rate)} GB/s"] for name, rate in rates.items()}])
        panels.append([f"put {title} (MPICH); more is better", limits, rows])
    return ["Inside a node a long put is as fast as memcpy", panels]


def faster(facts):
    rows = [[label, cells(facts, where, [OURS, library])] for *where, library, label in FASTER]
    return ["Where another library is faster", [["between nodes, the last inside one; less is better", [5e3, 3e10], rows]]]


def server(facts):
    values = {one["id"]: one["value"] for one in facts.data["values"]}
    rows = [[f"{clients}, {label}", {"ARMCI-RMA": [values[f"server-{count}-{mpi}"], amount(values[f"server-{count}-{mpi}"], "B")]}]
            for clients, count in (("450", 450), ("9,600", 9600)) for mpi, label in (("mpich", "MPICH"), ("openmpi", "Open MPI"))]
    rows += [[label, {"published for other servers": [values[key], amount(values[key], "B")]}]
             for key, label in (("server-9600-clusters-published", "9,600, servers in clusters"), ("server-9600-published", "9,600, one server a node"))]
    most = amount(max(values["server-9600-mpich"], values["server-9600-openmpi"]), "B")
    return [f"A server takes {most} for 9,600 processes", [["memory, by the processes that address it at once", [4e5, 2e9], rows]]]


def nwchem(facts):
    rows = []
    for family, mpi in (("mpich", "MPICH"), ("openmpi", "Open MPI")):
        for place, label in (("2", "2 ranks"), ("2x1", "two nodes")):
            both = nwchem_times(facts.data["nwchem"][family], place)
            rows.append([f"{label}, {mpi}", {name: [both[key], f"{both[key]:.0f} s"] for key, name in (("ours", "ARMCI-RMA"), ("theirs", "ARMCI-MPI 0.3.1"))}])
    right = {facts.all[f"nwchem-7-0-2-{family}"].text for family in ("mpich", "openmpi")}
    count = len(facts.data["nwchem"]["mpich"]["inputs"])
    assert all(len(set(text.split(" of "))) == 1 for text in right), "an input of NWChem does not end right"
    return [f"NWChem: all {count} inputs right, and no slower", [["ten of them, wall time in all; less is better", [5, 500], rows]]]


PICTURES = {"node": node, "hosts": hosts, "bandwidth": bandwidth, "faster": faster, "server-memory": server, "nwchem": nwchem}


def digest(plan):
    return hashlib.sha256(json.dumps(plan).encode()).hexdigest()[:16]


def outdated(facts):
    """Pictures that were not drawn from the data, one sentence each."""
    wrong = []
    for name, plan in PICTURES.items():
        for theme in THEMES:
            path = IMAGES / f"{name}-{theme}.svg"
            if not path.exists() or f"results {digest(plan(facts))}<" not in path.read_text(encoding="utf-8"):
                wrong.append(f"doc/img/{path.name} was not drawn from the data in results/: make site, then make update-generated")
    return wrong


def draw_rows(axes, limits, rows, lines):
    names = list(dict.fromkeys(name for _, found in rows for name in found))
    for position, (_, found) in enumerate(rows):
        for name, (value, text) in found.items():
            y = position + (0.8 / len(names)) * (list(found).index(name) - (len(found) - 1) / 2)
            colour, mark = LOOKS[name]
            at = value or limits[0]
            if value:
                axes.plot([limits[0], value], [y, y], color=lines, linewidth=1, zorder=1)
                axes.plot(value, y, mark, color=colour)
            axes.annotate(text, (at, y), xytext=(8 if value else 2, 0), textcoords="offset points", va="center", fontsize=9.5, color=colour)
    axes.set(xscale="log", xlim=limits, ylim=(len(rows) - 0.4, -0.6))
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.get_xaxis().set_visible(False)
    axes.spines["left"].set_color(lines)


def draw(name, plan, theme):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    ink, paper, lines = THEMES[theme]
    plt.style.use(TOP / "results" / "style.mplstyle")
    plt.rcParams.update({"text.color": ink, "ytick.color": ink, "axes.facecolor": paper, "figure.facecolor": paper})
    title, panels = plan
    series = list(dict.fromkeys(one for _, _, rows in panels for _, found in rows for one in found))
    heights = [sum(max(0.5, 0.21 * len(found)) for _, found in rows) for _, _, rows in panels]
    total = sum(heights) + 0.45 * len(panels) + 0.75
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(5.4, total), squeeze=False, gridspec_kw={"height_ratios": heights})
    for axes, (what, limits, rows) in zip(all_axes[:, 0], panels):
        draw_rows(axes, limits, rows, lines)
        axes.set_title(what, x=0, fontsize=9.5, fontweight="normal")
    figure.suptitle(title, x=0.01, y=1 - 0.06 / total, ha="left", va="top", fontsize=11.5, fontweight="bold")
    handles = [plt.Line2D([], [], linestyle="", marker=LOOKS[one][1], color=LOOKS[one][0], label=one) for one in series]
    figure.legend(handles=handles, loc="lower center", ncols=len(series))
    figure.subplots_adjust(left=0.345, right=0.99, top=1 - 0.62 / total, bottom=0.36 / total, hspace=0.45 * len(panels) / sum(heights))
    path = IMAGES / f"{name}-{theme}.svg"
    figure.savefig(path, metadata={"Date": None, "Creator": None, "Title": title, "Source": f"results {digest(plan)}"})
    plt.close(figure)
    path.write_text(re.sub(r"[ \t]+$", "", path.read_text(encoding="utf-8"), flags=re.M), encoding="utf-8")


def draw_all(facts):
    for name, plan in PICTURES.items():
        for theme in THEMES:
            draw(name, plan(facts), theme)
