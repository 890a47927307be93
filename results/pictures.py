"""The pictures of the pages: SVG for light and dark pages, to be read at a width of 400 pixels. Drawing needs matplotlib, comparing does not.

A picture is a plan: a message, and panels of rows, each with a value and its text for each series, or of curves. The SVG carries the digest of its plan.
Those of doc/reference/papers.md are one file for both kinds of pages.
"""
import hashlib
import itertools
import json
import re

from records import MPIS, OURS, RIVALS, TOP, amount, losses, number, nwchem_walls, time_of

IMAGES = TOP / "doc" / "img"
THEMES = {"light": ("#1c1c1c", "#ffffff", "#d0d0d0"), "dark": ("#e6e6e6", "#16181b", "#4a4d52")}  # ink, paper, lines
# Colours that both themes can show, and a mark each: no reader needs the colour alone.
BLUE, ORANGE, GREEN, GREY = ("#2f81f7", "o"), ("#d9752b", "s"), ("#2da44e", "^"), ("#8a8a8a", "D")
VIOLET, RED = ("#a371f7", "v"), ("#d1495b", "X")
BOTH = ("#777c84", "none", "#8a8f9866")  # ink, paper and lines that both kinds of pages can show
WAITS = "waits until the target calls the library"
COMPUTING = [(f"{name}, computing", label) for name, label in (("get 8 B", "get, 8 bytes"), ("put 8 B + fence", "put + fence, 8 bytes"),
                                                               ("rmw", "fetch-and-add"), ("get 4 MiB", "get, 4 MiB"))]
IDLE = [(name, label) for name, (_, label) in zip(("get 8 B", "put 8 B + fence", "rmw fetch-and-add long", "get 4 MiB"), COMPUTING)]
NODE = [("latency", "put 8 B", "put, 8 bytes"), ("latency", "acc 8 B + fence", "accumulate + fence"), ("latency", "rmw fetch-and-add long", "fetch-and-add"),
        ("latency", "lock + unlock, free", "lock + unlock"), ("strided", "getS 64 x 512 B", "get, 64 x 512 bytes"), ("bandwidth", "put 16 MiB", "put, 16 MiB")]
SIZES = ("16 KiB", "256 KiB", "4 MiB", "64 MiB")
SHOWN_LOSSES = 6
LOOKS = {"ARMCI-RMA": BLUE, "ComEx MPI-PR": ORANGE, "ComEx MPI-TS": ORANGE, "ARMCI-MPI 0.4": GREEN, "ARMCI-MPI 0.3.1": GREEN, "MPI_Send": ORANGE, "MPI_Put": GREEN, "memcpy": GREY,
         "MPI_Isend": ORANGE,
         "first use": ORANGE, "second use": BLUE}


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
    between = [one for one in losses(facts) if one[2] == "hosts"][:SHOWN_LOSSES]
    rows = [[f"{name}, {MPIS[mpi]}", cells(facts, (place, mpi, word, name), [OURS, library])] for _, library, place, mpi, word, name in between]
    return ["Where another library is faster", [["between nodes; less is better", [5e3, 3e10], rows]]]


def values_of(facts, pattern, unit):
    """The points of a series of values.json whose ids have a count where the pattern has {}: the count, and so many units."""
    found = {one["id"]: one["value"] for one in facts.data["values"]}
    parts = pattern.split("{}")
    counts = (key[len(parts[0]):len(key) - len(parts[1])] for key in found if key.startswith(parts[0]) and key.endswith(parts[1]))
    return [[count, float(f"{found[pattern.format(count)] / unit:.3g}")] for count in sorted(int(text) for text in counts if text.isdigit())]


def server(facts):
    measured = {label: values_of(facts, f"server-{{}}-{mpi}", 1e6) for mpi, label in MPIS.items()}
    one, each = (facts.all[name].record["value"] for name in ("server-bound", "server-bound-client"))
    bound = [[count, float(f"{(one + each * count) / 1e6:.3g}")] for count, _ in measured["MPICH"]]
    published = {"published: a server a node": "server-{}-published", "published: servers in clusters": "server-{}-clusters-published"}
    series = measured | {"bound that a test asserts": bound} | {name: values_of(facts, pattern, 1e6) for name, pattern in published.items()}
    most = amount(1e6 * max(points[-1][1] for points in measured.values()), "B")
    return [f"A server takes {most} for 9,600 processes", [panel("memory of a server", "processes that address it at once", "MB", series)]]


def start(facts):
    return ["ARMCI_Init takes less time than MPI_Init",
            [panel(f"start of a job on two cores, {label}", "ranks", "ms", {name: values_of(facts, f"{key}-{{}}-{mpi}", 1e6) for key, name in (("start", "ARMCI_Init"), ("mpi-start", "MPI_Init"))})
             for mpi, label in MPIS.items()]]


def requests(facts):
    return ["A server carries out millions of requests a second",
            [panel(f"time of a request at a server, {label}", "clients", "ns", {name: values_of(facts, f"server-{key}-{{}}-{mpi}", 1) for key, name in (("put", "put, 8 bytes"), ("puts", "put, 8 x 64 bytes"), ("rmw", "fetch-and-add"))})
             for mpi, label in MPIS.items()]]


def seconds(facts, mpi, place, words=("",)):
    """The times of NWChem's inputs with such a word in all, by library, each with its text."""
    walls = nwchem_walls(facts.data["nwchem"][mpi], place, words)
    return {short(facts, library): [sum(each), f"{sum(each):.1f} s"] for library, each in walls.items()}


def nwchem(facts):
    rows = [[f"{label}, {name}", seconds(facts, mpi, place)] for mpi, name in MPIS.items() for place, label in (("2", "2 ranks"), ("2x1", "two nodes"))]
    right = {facts.all[f"nwchem-7-0-2-{family}"].text for family in ("mpich", "openmpi")}
    count = len(facts.data["nwchem"]["mpich"]["inputs"])
    assert all(len(set(text.split(" of "))) == 1 for text in right), "an input of NWChem does not end right"
    faster = all(times[short(facts, OURS)] == min(times.values()) for _, times in rows)
    return [f"NWChem: all {count} inputs right{', and faster' * faster}", [["ten of them, wall time in all; less is better", [5, 500], rows]]]


PICTURES = {"node": node, "hosts": hosts, "bandwidth": bandwidth, "faster": faster, "server-memory": server, "start": start, "requests": requests, "nwchem": nwchem}


# ---- the papers' figures: their axes and series

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
ALL_SIZES = [f"{number_} {unit}" for unit, numbers in (("B", (1, 8, 64, 256)), ("KiB", (1, 4, 16, 32, 64, 256)), ("MiB", (1, 4, 16, 64))) for number_ in numbers]


def in_bytes(size):
    count, unit = size.split()
    return int(count) * UNITS[unit]


def curve(facts, where, pattern, points, what="time"):
    """The points of a series that have a record: x, and microseconds, MB/s or percent. The pattern has {} for the point's name."""
    found = []
    for x, name in points:
        row = facts.row(*where, pattern.format(name))
        time = time_of(row)
        if what == "versus":
            time = time and row.get("versus_median_ns")
        if time and (what != "hidden" or "hidden" in row):
            y = 1e3 * x / time if what == "rate" else 100 * row["hidden"] if what == "hidden" else time / 1e3
            found.append([x, float(f"{y:.3g}")])
    return found


def panel(title, x, y, series):
    return {"title": title, "x": x, "y": y, "series": {name: points for name, points in series.items() if points}}


def by_size(sizes=ALL_SIZES):
    return [(in_bytes(size), size) for size in sizes]


def panels_of_mpis(facts, word, x, y, series, place="hosts"):
    """A panel for each MPI library; of a series the library, the pattern, the points and what."""
    return [panel(name, x, y, {label: curve(facts, (library, place, mpi, word), *rest) for label, (library, *rest) in series.items()}) for mpi, name in MPIS.items()]


def papers_bandwidth(facts):
    series = {label: (library, pattern, by_size(), "rate") for label, library, pattern in (
        ("put", OURS, "put {}"), ("get", OURS, "get {}"), ("MPI_Send", OURS, "MPI_Send {}"), ("MPI_Put", OURS, "MPI_Put {}"),
        ("put, ARMCI-MPI 0.4", "armci-mpi-0.4", "put {}"), ("put, ComEx MPI-TS", "comex-ts", "put {}"))}
    return ["Bandwidth between two nodes", panels_of_mpis(facts, "bandwidth", "bytes", "MB/s", series)]


def papers_over_mpi(facts):
    libraries = (OURS, "armci-mpi-0.4", "comex-ts", "comex-pr")
    return ["Contiguous transfers, native and over MPI", [
        panel(f"{title}, two nodes, MPICH", "bytes", "MB/s", {short(facts, library): curve(facts, (library, "hosts", "mpich", "bandwidth"), kind + " {}", by_size(), "rate")
                                                              for library in libraries}) for kind, title in (("put", "put"), ("get", "get"), ("acc", "accumulate"))]]


def papers_patches(facts):
    points = [(n, f"{n} x {n}") for n in (8, 32, 128, 512)]
    series = {"one strided get": (OURS, "getS {} doubles", points), "n non-blocking gets": (OURS, "getS {} doubles", points, "versus"),
              "strided get, ARMCI-MPI 0.4": ("armci-mpi-0.4", "getS {} doubles", points), "strided get, ComEx MPI-TS": ("comex-ts", "getS {} doubles", points)}
    return ["A patch of n x n doubles between two nodes", panels_of_mpis(facts, "many", "n", "µs", series)]


def papers_overlap(facts):
    points = [(in_bytes(size), size) for size in ("1 B", "64 B", "1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB")] + [(1 << 20, "1024 KiB")]
    series = {label: (library, pattern, points, "hidden") for label, library, pattern in (
        ("get", OURS, "nbget {}"), ("put + fence", OURS, "nbput + fence {}"), ("get, rank away", OURS, "away: nbget {}"), ("strided get", OURS, "nbgetS {}"),
        ("MPI_Irecv", OURS, "MPI_Irecv {}"), ("get, ARMCI-MPI 0.4", "armci-mpi-0.4", "nbget {}"))}
    return ["What computation hides of a transfer", panels_of_mpis(facts, "overlap", "bytes", "% hidden", series)]


def bars(facts, place, mpi, word, names, title, limits=(1e4, 1e10), libraries=(OURS, *RIVALS[1:3])):
    return [title, list(limits), [[label, cells(facts, (place, mpi, word, name), libraries)] for name, label in names]]


def papers_many(facts):
    gets = (("1000 nb gets + WaitAll", "non-blocking"), ("1000 gets, aggregate", "aggregate"), ("getV 1000 x 8 B", "vector"))
    puts = (("1000 nb puts + WaitAll + fence", "non-blocking"), ("1000 puts, aggregate + fence", "aggregate"), ("putV 1000 x 8 B + fence", "vector"))
    return ["1000 doubles between two nodes", [bars(facts, "hosts", mpi, "many", names, f"{kind} ({name}); less is better")
                                               for mpi, name in MPIS.items() for kind, names in (("gets", gets), ("puts", puts))]]


def papers_sparse(facts):
    names = [(f"sparse: {name}", name) for name in ("single gets", "non-blocking gets", "aggregate", "vector")] + [("sparse: product, x at hand", "the product itself")]
    return ["Gets of a sparse product between two nodes", [bars(facts, "hosts", mpi, "sparse", names, f"{name}; less is better", (1e5, 1e12)) for mpi, name in MPIS.items()]]


def papers_mg(facts):
    rows = []
    for mpi, name in MPIS.items():
        for letter, ranks in itertools.product("SWA", ("", " [4 ranks]")):
            row = facts.row(OURS, "hosts", mpi, "mg", f"MG {letter}{ranks}")
            if time_of(row):
                rows.append([f"class {letter}{ranks}, {name}", {"ARMCI-RMA": [time_of(row), amount(time_of(row), "ns")],
                                                                "MPI_Isend": [row["versus_median_ns"], amount(row["versus_median_ns"], "ns")]}])
    return ["NAS MG between two nodes", [["time of all iterations; less is better", [3e6, 4e9], rows]]]


def papers_protocols(facts):
    points = by_size(("8 B", "16 KiB", "32 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB"))
    series = {"get by messages": (OURS, "get {}", points), "get by MPI's windows": (OURS, "get {} [rma]", points),
              "put by messages": (OURS, "put {}", points[3:]), "put by MPI's windows": (OURS, "put {} [rma]", points[3:])}
    return ["Two protocols between two nodes", panels_of_mpis(facts, "remote", "bytes", "µs", series)]


def papers_windows(facts):
    points = by_size(("8 B", "16 KiB", "32 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB"))
    series = {"get": (OURS, "get {}", points), "get, small windows": (OURS, "get {} [windows of 9,600]", points),
              "put": (OURS, "put {}", points[3:]), "put, small windows": (OURS, "put {} [windows of 9,600]", points[3:])}
    return ["The price of the windows of 9,600 processes", panels_of_mpis(facts, "remote", "bytes", "µs", series)]


def papers_strided(facts):
    plain, shaped = by_size(("16 KiB", "32 KiB", "1 MiB")), [(16 << 10, "1024 x 16 B"), (32 << 10, "64 x 512 B"), (1 << 20, "1024 x 1 KiB")]
    series = {"contiguous get": (OURS, "get {}", plain), "strided get": (OURS, "getS {}", shaped), "contiguous, MPI's windows": (OURS, "get {} [rma]", plain),
              "datatypes of MPI": (OURS, "getS {} [rma]", shaped), "strided, ARMCI-MPI 0.4": ("armci-mpi-0.4", "getS {}", shaped)}
    return ["Strided and contiguous gets between two nodes", panels_of_mpis(facts, "remote", "bytes", "µs", series)]


def papers_methods(facts):
    ways = {"messages": "", "one by one": " [rma, consrv]", "batch": " [rma, batched]", "datatype": " [rma, direct]"}
    return ["Gets of 1 to 1000 segments between two nodes", [
        panel(f"segments of {size}, {name}", "segments", "µs", {label: curve(facts, (OURS, "hosts", mpi, "methods"), "getV {}" + way, [
            (count, f"{count} x {size}" if count > 1 else size) for count in (1, 8, 64, 1000)]) for label, way in ways.items()})
        for mpi, name in MPIS.items() for size in ("16 B", "1 KiB")]]


def papers_foreign(facts):
    rows = []
    for memory in ("malloc", "MPI_Alloc_mem", "ARMCI_Malloc_local", "ARMCI_Malloc"):
        for call in ("put + fence", "MPI_Send"):
            times = {use: time_of(facts.row(OURS, "hosts", "mpich", "foreign", f"{call} from {memory}, {use}")) for use in ("first", "second")}
            rows.append([f"{call}, {memory}", {f"{use} use": [time, amount(time, "ns")] for use, time in times.items() if time}])
    return ["256 KiB from memory of each library", [["two nodes, MPICH; less is better", [1e4, 1e7], rows]]]


def papers_fences(facts):
    points = [(count, count) for count in (1, 3, 5, 7)]
    series = {"one fence of all": (OURS, "AllFence after puts to {}", points), "a fence of each": (OURS, "AllFence after puts to {}", points, "versus")}
    return ["Puts to several nodes, and fences", panels_of_mpis(facts, "fences", "nodes", "µs", series, "nodes")]


def papers_busy(facts):
    points = by_size(("64 KiB", "1 MiB", "4 MiB"))
    series = {label: (library, pattern, points, "rate") for label, library, pattern in (
        ("get", OURS, "get {}"), ("get, busy target", OURS, "get {}, computing"), ("put", OURS, "put {}"), ("put, busy target", OURS, "put {}, computing"),
        ("get, busy, ARMCI-MPI 0.4", "armci-mpi-0.4", "get {}, computing"), ("get, busy, ComEx MPI-TS", "comex-ts", "get {}, computing"))}
    return ["Bandwidth while the target computes", panels_of_mpis(facts, "remote", "bytes", "MB/s", series)]


def papers_matmul(facts):
    points = [(n, n) for n in (128, 256, 512, 1000, 2000)]
    series = {"SRUMMA": (OURS, "SRUMMA {}", points), "SUMMA": (OURS, "SRUMMA {}", points, "versus"), "pdgemm": (OURS, "pdgemm {}", points)}
    return ["Matrix product of two ranks on two nodes", panels_of_mpis(facts, "matmul", "n", "µs", series)]


def papers_nwchem(facts):
    rows = []
    for words, label in ((("CCSD(T)",), "CCSD(T)"), (("dft", "B3LYP", "b3lyp"), "DFT")):
        for mpi, name in MPIS.items():
            for place, layout in (("2", "2 ranks"), ("2x1", "two nodes")):
                times = seconds(facts, mpi, place, words)
                if times:
                    rows.append([f"{label}, {layout}, {name}", times])
    return ["NWChem", [["wall time; less is better", [1, 500], rows]]]


PAPERS = {f"papers-{name}": plan for name, plan in (
    ("bandwidth", papers_bandwidth), ("busy", papers_busy), ("fences", papers_fences), ("foreign", papers_foreign), ("many", papers_many), ("matmul", papers_matmul),
    ("methods", papers_methods), ("mg", papers_mg), ("nwchem", papers_nwchem), ("over-mpi", papers_over_mpi), ("overlap", papers_overlap), ("patches", papers_patches),
    ("protocols", papers_protocols), ("sparse", papers_sparse), ("strided", papers_strided), ("windows", papers_windows))}


# ---- drawing

def digest(plan):
    return hashlib.sha256(json.dumps(plan).encode()).hexdigest()[:16]


def files(facts):
    """Each file with its plan and its colours."""
    for name, plan in PICTURES.items():
        for theme, colours in THEMES.items():
            yield f"{name}-{theme}.svg", plan(facts), colours
    for name, plan in PAPERS.items():
        yield f"{name}.svg", plan(facts), BOTH


def outdated(facts):
    """Pictures that were not drawn from the data, one sentence each."""
    wrong = []
    for name, plan, _ in files(facts):
        path = IMAGES / name
        if not path.exists() or f"results {digest(plan)}<" not in path.read_text(encoding="utf-8"):
            wrong.append(f"doc/img/{name} was not drawn from the data in results/: make site, then make update-generated")
    return wrong


def draw_curves(axes, plan, lines, series):
    """Both axes are logarithmic, but for percent."""
    percent = plan["y"].startswith("%")
    for name, points in plan["series"].items():
        colour, mark = (BLUE, ORANGE, GREEN, GREY, VIOLET, RED)[series.index(name)]
        axes.plot(*zip(*points), marker=mark, color=colour, linewidth=1.4, markersize=4.5, label=name)
    axes.set(xscale="log", xlabel=plan["x"], yscale="linear" if percent else "log", ylabel=plan["y"])
    if percent:
        axes.set_ylim(0, 105)
    xs = sorted({x for points in plan["series"].values() for x, _ in points})
    names = {in_bytes(size): size.replace("iB", "") for size in ALL_SIZES} if plan["x"] == "bytes" else {}
    xs = xs if len(xs) < 9 else xs[::2]
    axes.set_xticks(xs, [names.get(x, str(x)) for x in xs])
    axes.minorticks_off()
    ys = [y for points in plan["series"].values() for _, y in points]
    if ys and not percent and max(ys) < 10 * min(ys):
        ticks = [one * 10 ** k for k in range(-3, 8) for one in (1, 2, 5) if min(ys) <= one * 10 ** k * 2 and one * 10 ** k <= 2 * max(ys)]
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.grid(color=lines, linewidth=0.6)
    axes.tick_params(length=0, labelsize=8.5)
    axes.spines["left"].set_visible(False)
    if not xs:
        axes.set_yticks([])
        axes.text(0.5, 0.5, "no record", transform=axes.transAxes, ha="center")


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


def series_of(panels):
    """Names, each once."""
    return list(dict.fromkeys(name for one in panels for name in (one["series"] if isinstance(one, dict) else [name for row in one[2] for name in row[1]])))


def height(one):
    return 2.1 if isinstance(one, dict) else sum(max(0.5, 0.21 * len(found)) for _, found in one[2])


def draw(name, plan, colours):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    ink, paper, lines = colours
    plt.style.use(TOP / "results" / "style.mplstyle")
    plt.rcParams.update({"text.color": ink, "xtick.color": ink, "ytick.color": ink, "axes.labelcolor": ink, "axes.facecolor": paper, "figure.facecolor": paper})
    title, panels = plan
    curves, series = isinstance(panels[0], dict), series_of(panels)
    heights = [height(one) for one in panels]
    space, columns = (0.75, 2) if curves else (0.45, max(1, len(series)))
    legend = 0.2 * -(-len(series) // columns)
    total = sum(heights) + space * len(panels) + 0.55 + legend
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(5.4, total), squeeze=False, gridspec_kw={"height_ratios": heights})
    for axes, one in zip(all_axes[:, 0], panels):
        what = one["title"] if curves else one[0]
        if curves:
            draw_curves(axes, one, lines, series)
        else:
            draw_rows(axes, one[1], one[2], lines)
        axes.set_title(what, x=0, fontsize=9.5, fontweight="normal")
    figure.suptitle(title, x=0.01, y=1 - 0.06 / total, ha="left", va="top", fontsize=11.5, fontweight="bold")
    looks = dict(zip(series, (BLUE, ORANGE, GREEN, GREY, VIOLET, RED))) if curves else LOOKS
    handles = [plt.Line2D([], [], linestyle="", marker=looks[one][1], color=looks[one][0], label=one) for one in series]
    figure.legend(handles=handles, loc="lower center", ncols=columns)
    figure.subplots_adjust(left=0.12 if curves else 0.345, right=0.99, top=1 - 0.62 / total, bottom=(0.16 + legend + (0.4 if curves else 0)) / total,
                           hspace=space * len(panels) / sum(heights))
    path = IMAGES / name
    figure.savefig(path, metadata={"Date": None, "Creator": None, "Title": title, "Source": f"results {digest(plan)}"})
    plt.close(figure)
    path.write_text(re.sub(r"[ \t]+$", "", path.read_text(encoding="utf-8"), flags=re.M), encoding="utf-8")


def draw_all(facts):
    """Those that are not drawn from the data."""
    for name, plan, colours in files(facts):
        path = IMAGES / name
        if not path.exists() or f"results {digest(plan)}<" not in path.read_text(encoding="utf-8"):
            draw(name, plan, colours)
