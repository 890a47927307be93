"""The page of the results that check_nwchem.py has kept: its tables."""
import collections

BEGIN, END = "<!-- results: made by tests/nwchem/nwpage.py -->\n", "<!-- end of results -->\n"
LIBRARIES = {"armci-rma": "ARMCI-RMA", "armci-mpi": "ARMCI-MPI", "armci-mpi-0": "ARMCI-MPI, `ARMCI_USE_WIN_ALLOCATE=0`"}
PLACES = {"1": "1 rank", "2": "2 ranks", "3": "3 ranks", "4": "4 ranks", "2x1": "two nodes x 1", "2x2": "two nodes x 2"}


def columns(own):
    """The libraries that were run."""
    return [library for library in LIBRARIES if any(library in libraries for libraries in own.values())]


def table(head, rows):
    """Lines of a table."""
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def count(kept):
    """How some runs ended, in words: "39 right", or "12 right, **27 aborted**"."""
    results = [one["result"] for one in kept]
    words = [f"{results.count('right')} right"] if "right" in results or not results else []
    words += [f"**{results.count(word)} {word}**" for word in ("wrong", "aborted") if word in results]
    return ", ".join(words)


def cells(own, library, place):
    """What is kept of that place, by input."""
    return {case: libraries[library][place] for case, libraries in own.items() if place in libraries.get(library, {})}


def how_they_ended(own):
    """One row for each place: how all inputs ended with each library."""
    rows = [[title, *(count(cells(own, library, place).values()) if cells(own, library, place) else "-" for library in columns(own))]
            for place, title in PLACES.items()]
    return table(["", *(LIBRARIES[library] for library in columns(own))], rows)


def times(own, place, rival):
    """Seconds of this library and of the other, over the inputs that ended right with both; None where no times are kept."""
    ours, theirs = cells(own, "armci-rma", place), cells(own, rival, place)
    both = [case for case in ours if case in theirs and ours[case]["result"] == theirs[case]["result"] == "right"
            and ours[case]["wall"] is not None and theirs[case]["wall"] is not None]
    if not both:
        return None
    return len(both), sum(ours[case]["wall"] for case in both), sum(theirs[case]["wall"] for case in both)


def time_table(own):
    """Sums of wall times, one row for each place and rival that has any."""
    rows = []
    for place, title in PLACES.items():
        for rival in columns(own)[1:]:
            found = times(own, place, rival)
            if found:
                inputs, ours, theirs = found
                rows.append([title, LIBRARIES[rival], str(inputs), f"{ours:.1f} s", f"{theirs:.1f} s", f"{ours / theirs:.2f}"])
    return rows and table(["", "compared with", "inputs that both end right", "ARMCI-RMA", "the other", "ratio"], rows)


def in_short(places):
    """One input with one library, all places: how it ended, and, where they were kept, seconds on 2 ranks and on two nodes."""
    seconds = [places[place]["wall"] if places.get(place, {}).get("result") == "right" else None for place in ("2", "2x1")]
    shown = "; " + " / ".join("-" if wall is None else f"{wall:.1f}" for wall in seconds) if any(seconds) else ""
    return count(places.values()) + shown if places else "-"


def input_table(own):
    rows = [[f"`{case}`", *(in_short(libraries.get(library, {})) for library in columns(own))] for case, libraries in own.items()]
    return table(["input", *(LIBRARIES[library] for library in columns(own))], rows)


def reasons(own):
    """Why runs did not end right: one line for each library and reason."""
    found = {}
    for case, libraries in own.items():
        for library, places in libraries.items():
            for place, kept in places.items():
                if kept["result"] != "right":
                    found.setdefault((library, kept["result"], kept["why"]), []).append(f"{case} on {place}")
    return [f"- {LIBRARIES[library]}, {result}: {why}: {len(where)} runs, the first is {where[0]}" for (library, result, why), where in found.items()]


def section(kept, release):
    """What was run with one MPI library, of a release of NWChem if it is not Debian's."""
    about, own = kept["about"], kept["inputs"]
    largest = max((one["deviation"] for libraries in own.values() for one in libraries.get("armci-rma", {}).values()), default=0.0)
    commits = collections.Counter(one["commit"] for libraries in own.values() for one in libraries.get("armci-rma", {}).values())
    runs = ", ".join(f"{times} at {commit}" for commit, times in commits.most_common())
    lines = [f"### {about['mpi']}{release and ', ' + release}", "", f"{about['processor']}, {about['cores']} cores. Runs of this library: {runs}.", "", *how_they_ended(own), "",
             f"The largest difference of an energy from that on one rank, with this library: {largest:.0e} Hartree.", ""]
    compared = time_table(own)
    if compared:
        lines += ["Wall times by NWChem's own clock:", "", *compared, ""]
    lines += ["Each input: how its runs ended; seconds on 2 ranks / on two nodes x 1, where they were kept.", "", *input_table(own), ""]
    why = reasons(own)
    return lines + (["Runs that did not end right:", "", *why, ""] if why else [])


def page(results, old):
    """The old page with new tables."""
    before, rest = old.split(BEGIN)
    lines = [line for family in sorted(results) for line in section(results[family], family.partition(", ")[2])]
    return before + BEGIN + "\n" + "\n".join(lines) + END + rest.split(END)[1]
