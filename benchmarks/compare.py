#!/usr/bin/env python3
"""compare.py FIRST.json OTHER.json...: runs of armci-bench side by side.

Prints, for each row, the best time of each run and its ratio to the first run. Rows that only one run has are shown, too.
Exit status: 0; 1 if a row of the first run was wrong; 2 if a file cannot be read.
"""
import json
import math
import sys


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
        run["by_name"] = {(row["group"], row["name"]): row for row in run["rows"]}
        return run
    except (OSError, ValueError, KeyError, TypeError) as error:
        print("compare.py: %s: %s" % (path, error), file=sys.stderr)
        sys.exit(2)


def time_text(row):
    if row is None:
        return "-"
    if not row["valid"]:
        return "WRONG"
    if "best_ns" not in row:
        return "-"
    best = row["best_ns"]
    for unit, length in (("ns", 1), ("us", 1e3), ("ms", 1e6)):
        if best < 1000 * length:
            return "%.2f %s" % (best / length, unit)
    return "%.2f s " % (best / 1e9)


def ratio(first, other):
    """Best time of the other row divided by that of the first, or None."""
    if not first or not other or not first["valid"] or not other["valid"]:
        return None
    if not first.get("best_ns") or "best_ns" not in other:
        return None
    return other["best_ns"] / first["best_ns"]


def row_names(runs):
    """Group and name of every row, in the order of the first run, then of the others."""
    return list({(row["group"], row["name"]): None for run in runs for row in run["rows"]})


def print_head(runs):
    for run in runs:
        print("%-12s %s, on %s, %d ranks, %s" % (run["label"][:12], run["armci"], run["mpi"], run["ranks"], run.get("processor", "processor unknown")))
        if run["ranks_here"] > run["cores"]:
            print("%-12s WARNING: more ranks than cores" % "")
    cells = ["%12s" % run["label"][:12] for run in runs] + ["%9s" % ("ratio" if len(runs) == 2 else "ratio %d" % i)
                                                            for i in range(1, len(runs))]
    print("\n%-30s %s %8s" % ("best time", " ".join(cells), "memcpy"))


def print_row(name, rows):
    ratios = [ratio(rows[0], other) for other in rows[1:]]
    cells = ["%12s" % time_text(row) for row in rows] + ["%9s" % ("-" if r is None else "%.2f" % r) for r in ratios]
    memcpy = rows[0].get("memcpy_ratio") if rows[0] else None
    print("  %-28s %s %8s" % (name, " ".join(cells), "" if memcpy is None else "%.2f" % memcpy))
    return ratios


def print_means(all_ratios, count):
    for i in range(count):
        ratios = [r[i] for r in all_ratios if r[i]]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print("geometric mean of ratio %d over %d rows: %.2f" % (i + 1, len(ratios), mean))


def print_instructions(runs):
    names = {name: None for run in runs for name in run.get("instructions", {})}
    for name in names:
        cells = ["%12s" % run.get("instructions", {}).get(name, "-") for run in runs]
        print("%-30s %s" % ("instructions, " + name, " ".join(cells)))


def main(paths):
    if len(paths) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    runs = [read(path) for path in paths]
    print_head(runs)
    last, all_ratios = None, []
    for group, name in row_names(runs):
        if group != last:
            print(group)
        last = group
        ratios = print_row(name, [run["by_name"].get((group, name)) for run in runs])
        if not name.startswith("memcpy"):
            all_ratios.append(ratios)
    print_instructions(runs)
    print_means(all_ratios, len(runs) - 1)
    print("ratio: time of the other run / time of the first; memcpy: time of memcpy / time of the first run's row.")
    return 0 if all(row["valid"] for row in runs[0]["rows"]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
