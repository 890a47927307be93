#!/usr/bin/env python3
"""measure.py --build FOLDER --out FILE.json: armci-bench with this library and with its rivals, on one node and on two, in turns.

Every MPI library takes part that a build folder beside FOLDER was configured for. What was ended early, or had no time, goes on where it stopped if it
is started again with the same FILE and source. Whatever a rival lacks is a sentence in the file: a library
that cannot be fetched or built, a row in which it aborts, hangs or has wrong data. Exit status: 0; 1 if a row of this library failed.
"""
import argparse
import datetime
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time
import typing

import examples
import rivals
from rivals import Problem, TOP

sys.path.append(str(TOP / "results"))
from records import AS_NEAR, page_words, this_machine  # noqa: E402  its folder comes first

OURS = "armci-rma"
# What runs where: the words of armci-bench, each a launch of its own, so that one that fails does not end the others.
WORDS = {"node": ["latency", "bandwidth", "strided", "vector", "regions", "contention", "many", "matmul", "mg", "sparse", "mix", "pool", "methods", "cold",
                  "worst", "foreign", "examples", "ga-pool"],
         "hosts": ["remote", "bandwidth", "many", "overlap", "matmul", "mg", "sparse", "mix", "pool", "contention", "methods", "passive", "cold",
                   "worst", "foreign", "ga-pool"],
         "nodes": ["fences"]}
OURS_ONLY = ["fences", "matmul", "methods", "passive", "cold", "worst", "foreign"]  # words whose rivals are rows beside them, and those about this library
# Launches of a word with other settings: the last members of a Candidate.
RMA = {"ARMCI_TRANSPORT": "rma"}
LISTS = {**RMA, "ARMCI_STRIDED_METHOD": "iov"}
ROUTES = [(" [rma]", RMA), *((f" [rma, {method}]", {**LISTS, "ARMCI_IOV_METHOD": method}) for method in ("consrv", "batched", "direct"))]
VARIANTS = {("node", "methods"): [(name, {"ARMCI_SHM": "no", **settings}, []) for name, settings in ROUTES],
            ("hosts", "methods"): [(name, settings, []) for name, settings in [*ROUTES, (" [rdma]", {"ARMCI_TRANSPORT": "rdma"})]],
            ("hosts", "remote"): [(name, settings, ["*, computing", "*, first", "MPI*"]) for name, settings in
                                  [(" [rma]", RMA), (" [windows of 9,600]", {"ARMCI_CLIENTS": "9600"}),
                                   (" [eager to 32 KiB]", {"UCX_RNDV_THRESH": "64k", "ARMCI_EAGER_MAX": "32k"})]],  # as with Open MPI
            ("hosts", "passive"): [(" [no progress]", {"ARMCI_PROGRESS": "none"}, ["busy: [gpa]*"])],
            ("hosts", "mg"): [(" [4 ranks]", {}, [], 4)]}
NOT_THE_LIBRARY = ["MPI_Send*B", "MPI_Put*", "MPI_Get*", "memcpy*"]  # measured in the runs of this library only
RANKS = {"node": 2, "hosts": 2, "nodes": 8}
MOST_LAUNCHES = 4          # of a word: each behind the first has the rows that were measured with the processors apart
# Each rank is a node, as far as MPI tells (tests/mpi/pretended_nodes.h); MPI is asked for threads, as the library asks it where a job has nodes.
PRETENDED = {"ARMCI_TEST_NODE": "1", "MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE", "OMPI_MPI_THREAD_LEVEL": "3"}
LEFT_OUT = {"mg": ["MG B*"]}            # rows that take too long, and those that a rival leaves out as well
RIVALS_LEAVE_OUT = {"bandwidth": NOT_THE_LIBRARY, "mg": ["MG A*"]}
STALL, GRACE = 60, 10      # seconds without a new row after which a job is ended (half as many for a rival); for its end, and then until it is killed
LIMIT = 90                 # seconds for a launch: the rows that it has then are kept
MOST_RETRIES = 4           # launches of one word, each without the row in which the last one failed
QUIET = 0.1                # part of the processors' time that others may have, in nine of ten looks


def processor_times():
    """Busy and total time of all processors since the start, in ticks."""
    times = [int(word) for word in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return sum(times) - times[3] - times[4], sum(times)


def busy_share(seconds=0.5):
    """The part of the processors' time that others have while nothing of ours runs, after some time for the end of the last job."""
    time.sleep(seconds)
    before = processor_times()
    time.sleep(seconds)
    after = processor_times()
    return (after[0] - before[0]) / max(1, after[1] - before[1])


def commit():
    """The commit of this source, and whether something was changed since but kept measurements; empty outside of git."""
    git = ["git", "-C", str(TOP)]
    head = subprocess.run([*git, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True).stdout.strip()
    changed = subprocess.run([*git, "status", "--porcelain", "--untracked-files=no", "src", "include", "benchmarks"],
                             capture_output=True, text=True).stdout.strip()
    return head + (" and changes" if head and changed else "")


def progress(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def pretending(mpi):
    """Words before the program that let each rank be a node."""
    preloaded = mpi.folder / "benchmarks" / "pretended_nodes.so"
    rivals.step([*shlex.split(mpi.cc), "-x", "c", "-shared", "-fPIC", "-o", str(preloaded), str(TOP / "tests" / "mpi" / "pretended_nodes.h")], f"nodes-{mpi.family}")
    return ["env", f"LD_PRELOAD={preloaded}"]


class Job:
    """One launch of armci-bench; rows and their sentences go to the run."""

    def __init__(self, mpi, place, ranks, one, words, seconds):
        self.place, self.longest = place, one.longest
        self.output = mpi.folder / "benchmarks" / "report-run.json"
        self.log = mpi.folder / "benchmarks" / "report-run.log"
        launcher = [str(mpi.folder / "tests" / "launch")] if place != "hosts" else [str(TOP / "tests/hosts/two-hosts"), "launch"]
        self.command = [*launcher, str(ranks), "3600", *(pretending(mpi) if place == "nodes" else []), str(one.program), *words, "--seconds", str(seconds), "--json", str(self.output)]
        self.environment = {**os.environ, "MPI_FAMILY": mpi.family, "MPIEXEC": mpi.mpiexec, **(PRETENDED if place == "nodes" else {}), **one.settings}

    def read(self):
        try:
            return json.loads(self.output.read_text())
        except (OSError, ValueError):
            return {"rows": [], "running": "the start"}

    def end(self, process):
        """Ask the launcher, which ends its ranks; then end what it left of its session, as mpirun of Open MPI does if it is asked twice."""
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for number in (int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*")):
            try:
                if os.getsid(number) == process.pid:
                    os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def watch(self, process, stall):
        """Wait until the job ends. Why it had to be ended: no row began for so many seconds, it did not end behind the last row, the
        limit is over, or its first row says that the processors are apart; empty if it ended by itself."""
        last, longest, begin = None, self.longest, time.monotonic()
        since = begin
        while process.poll() is None:
            time.sleep(0.1)
            now = self.output.stat().st_mtime_ns if self.output.exists() else 0
            if now != last:
                last, since = now, time.monotonic()
                first = self.read()["rows"][:1] if longest else []
                if any(row.get("round_trip_ns", 0) > longest for row in first):
                    return "apart"
                longest = 0 if first else longest  # the file is not read again while rows are measured
            over = time.monotonic() - since
            if over > stall or over > GRACE and last and "running" not in self.read():
                return "hangs"
            if time.monotonic() - begin > LIMIT:
                return "too slow"
        return ""

    def run(self, without, stall):
        """The file of the run, and what went wrong in it: empty, or a word."""
        self.output.unlink(missing_ok=True)
        options = [word for name in without for word in ("--without", name)]
        with open(self.log, "w") as log:
            process = subprocess.Popen(self.command + options, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                       env=self.environment, start_new_session=True)
            try:
                ended = self.watch(process, stall)
            finally:
                self.end(process)
        found = self.read()
        if ended:
            return found, ended
        if process.returncode == 77:
            return found, self.log.read_text(errors="replace").strip().split("\n")[-1]
        return found, "aborts" if "running" in found else ""


def measure_word(job, run, word, left_out):
    """All rows of a word; a row in which the library fails is left out and the rest run again, a few times. False: the processors were apart."""
    ours, known = run["library"] == OURS, {}
    without = [*left_out] + LEFT_OUT.get(word, []) + ([] if ours else RIVALS_LEAVE_OUT.get(word, []))
    for _ in range(MOST_RETRIES):
        found, wrong = job.run(without, STALL if ours else STALL / 2)
        run.setdefault("head", {key: value for key, value in found.items() if key not in ("rows", "running", "label")})
        if wrong == "apart":
            return False
        for row in found["rows"]:
            known.setdefault(row["name"], row)
        if not wrong:
            break
        running = found.get("running", "the end") if wrong != "too slow" else "the end"
        run["problems"].append({"group": word, "name": running, "why": wrong})
        progress(f"    {run['library']}: {wrong} in {word}, {running}")
        if wrong not in ("hangs", "aborts") or running in ("the start", "the end"):
            break
        without = [*without, running, *(name for name in known if name not in without)]
    run["rows"] += known.values()
    run["problems"] += [{"group": word, "name": row["name"], "why": "wrong data"} for row in known.values() if not row["valid"]]
    return True


class Candidate(typing.NamedTuple):
    """A library, with other settings of it or without: what is behind the names of its rows, variables, rows left out, ranks, and the longest round trip."""
    library: str
    rival: object  # None: this library
    program: str
    variant: str = ""
    settings: dict = {}
    left_out: list = []
    ranks: int = 0  # 0: as RANKS and the rival say
    longest: float = 0  # ns: a launch that begins with a longer one is ended; 0: none is


def launch(args, mpi, place, word, one):
    """The rows of a word with a candidate, and what went wrong; None: it had the processors apart."""
    library, rival = one.library, one.rival
    ranks = one.ranks or RANKS[place] + (1 if place == "node" else 2) * (rival.extra_ranks if rival else 0)
    progress(f"{mpi.family}, {place}, {word}{one.variant}: {library} on {ranks} ranks")
    if word in (examples.WORD, examples.POOL):
        rows, problems = examples.measure(rival, mpi, ranks) if word == examples.WORD else examples.measure_pool(rival, mpi, place, ranks)
        return {"rows": rows, "problems": problems}
    part = {"library": library, "rows": [], "problems": [], "ranks_started": ranks}
    return part if measure_word(Job(mpi, place, ranks, one, [word], args.seconds), part, word, one.left_out) else None


def again(part, longest):
    """What another launch leaves out so that it has the rows whose round trip was longer, and those that they are compared with; None if there are none."""
    wanted = {row[key] for row in part["rows"] if row.get("round_trip_ns", 0) > longest for key in ("name", "versus") if key in row}
    return [one["name"] for one in part["rows"] + part["problems"] if one["name"] not in wanted] if wanted else None


def merged(old, new):
    """Two launches: each row of that in which its round trip was shorter."""
    rows = {row["name"]: row for row in old["rows"]}
    for row in new["rows"]:
        rows[row["name"]] = min(rows.get(row["name"], row), row, key=lambda one: one.get("round_trip_ns", 0))
    return {**old, "rows": [*rows.values()], "problems": old["problems"] + [one for one in new["problems"] if one not in old["problems"]]}


def measure_libraries(args, data, mpi, place, word, wanted):
    """The rows of a word with each library, by its key and what is behind the rows' names; those that were measured with the processors apart are repeated."""
    candidates = [Candidate(blank["library"], rival, path, *variant) for blank, rival, path in wanted
                  for variant in [(), *(VARIANTS.get((place, word), []) if blank["library"] == OURS else [])]]
    trips = [row["round_trip_ns"] for run in data["runs"] if (run["mpi"], run["place"]) == (mpi.family, place) for row in run["rows"] if "round_trip_ns" in row]
    parts = {}
    for turn in range(MOST_LAUNCHES):
        for one in candidates:
            key, longest = (one.library, one.variant), AS_NEAR * min(trips, default=0)
            without = again(parts[key], longest) if key in parts else []
            if without is None:
                continue
            part = launch(args, mpi, place, word, one._replace(left_out=one.left_out + without, longest=longest if turn < MOST_LAUNCHES - 1 else 0))
            if part:
                trips += [row["round_trip_ns"] for row in part["rows"] if "round_trip_ns" in row]
                parts[key] = merged(parts[key], part) if key in parts else part
    return parts


def titled(parts, variant):
    """Rows or problems, with the variables in their names."""
    return [one if one["name"] in ("the start", "the end") else {**one, "name": one["name"] + variant} for one in parts]


def sentence(problem):
    """What went wrong, without the output of the command, and without folders of this machine."""
    text = " ".join(str(problem).split("\n")[:2])
    for folder, name in ((str(rivals.gasource.cache_dir()), "CACHE"), (str(TOP), "SOURCE")):
        text = text.replace(folder, name)
    return text


def open_runs(mpi, checkout, only, words):
    """A library's run, still without rows, the library (None: this one) and its program (None: not built)."""
    runs = []
    for rival in [None, *rivals.rivals(checkout)]:
        library = rival.key if rival else OURS
        if only and library not in only or not any(takes_part(library, rival, word) for word in words):
            continue
        run = {"library": library, "mpi": mpi.family, "rows": [], "problems": []}
        try:
            path = rivals.program(rival, mpi) if rival else rivals.own_program(mpi)
        except Problem as problem:
            path = None
            if rival and rival.words:
                continue  # not an ARMCI
            run["problems"].append({"group": "", "name": "", "why": "not built: " + sentence(problem)})
            progress(f"{run['library']}: {run['problems'][0]['why']}")
        runs.append((run, rival, path))
    return runs


def takes_part(library, rival, word):
    """Has this library rows of that word?"""
    return library == OURS if word in OURS_ONLY else word in (rival and rival.words or [word])


def words_of(args, place):
    if args.short:
        return page_words().get(place, [])
    return [word for word in args.words if place != "nodes" or word in WORDS[place]] if args.words else WORDS[place]


def measure(args, builds, data):
    """All libraries in turns for each word; the file is written behind each word, so that nothing else is lost."""
    steps = [(mpi, place, word) for place in args.places for mpi in builds for word in words_of(args, place)]
    over = time.monotonic() + 60 * args.minutes
    programs = {mpi.family: open_runs(mpi, args.checkout, args.only, [word for other, _, word in steps if other is mpi]) for mpi in builds}
    runs = {(run["mpi"], run["place"], run["library"]): run for run in data["runs"]}
    run_of = lambda mpi, place, blank: runs.setdefault((mpi.family, place, blank["library"]),  # noqa: E731
                                                       {**blank, "place": place, "rows": [], "problems": [*blank["problems"]]})
    for mpi, place, word in steps:
        for blank in (blank for blank, rival, path in programs[mpi.family] if not path and takes_part(blank["library"], rival, word)):
            run_of(mpi, place, blank)  # that it is not built
        wanted = [(blank, rival, path) for blank, rival, path in programs[mpi.family] if path and takes_part(blank["library"], rival, word)
                  and [mpi.family, place, blank["library"], word] not in data["done"]]
        if wanted:
            data["busy"].append(round(busy_share(), 3))
        if wanted and time.monotonic() > over:
            progress(f"no time for {mpi.family}, {place}, {word}: start it again")
            return
        parts = measure_libraries(args, data, mpi, place, word, wanted)
        for blank, _, _ in wanted:
            run = run_of(mpi, place, blank)
            for (_, variant), part in ((key, part) for key, part in parts.items() if key[0] == blank["library"]):
                run["rows"] += titled(part["rows"], variant)
                run["problems"] += titled(part["problems"], variant)
                run |= {key: part[key] for key in ("head", "ranks_started") if key in part and not variant}
            data["done"].append([mpi.family, place, blank["library"], word])
        data["runs"] = [*runs.values()]
        data["quiet"] = not data["busy"] or sorted(data["busy"])[(9 * len(data["busy"]) + 9) // 10 - 1] <= QUIET  # all except a tenth
        write(data, args.out)
    data |= {"runs": [*runs.values()], "complete": True}


def unfinished(path, head):
    """What an earlier call with this file has measured, if it did not come to its end and had the same source and machine; else nothing."""
    try:
        found = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if not found.get("complete", True) and all(found[key] == head[key] for key in head) and " " not in head["commit"] else {}


def write(data, path):
    """One line for each row, so that two versions of the file can be compared."""
    text = json.dumps(data, indent=None, separators=(", ", ": "))
    for mark in ('{"library"', '{"group"'):
        text = text.replace(mark, "\n" + mark)
    pathlib.Path(path).write_text(text + "\n")


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="a build folder of this source")
    parser.add_argument("--out", required=True, help="the file for the results")
    parser.add_argument("--seconds", type=float, default=0.06, help="seconds per row, default 0.06")
    parser.add_argument("--minutes", type=float, default=20, help="begin no launch after that, default 20")
    parser.add_argument("--places", type=str.split, default=list(WORDS), help="node, hosts (two nodes), nodes (pretended ones); default: all")
    parser.add_argument("--words", type=str.split, default=[], help="the words of armci-bench, instead of those for the place")
    parser.add_argument("--short", action="store_true", help="the words whose rows README.md and the performance page name")
    parser.add_argument("--mpi", type=str.split, default=[], help="MPI libraries: mpich, openmpi; default: all that have a build folder")
    parser.add_argument("--only", type=str.split, default=[], help="the libraries, by their keys; default: all")
    parser.add_argument("--checkout", default="", help="a git checkout of Global Arrays or ARMCI-MPI, measured too")
    return parser.parse_args()


def main():
    args = options()
    begin = time.monotonic()
    head = {"date": datetime.date.today().isoformat(), "version": (TOP / "VERSION").read_text().strip(), "commit": commit(), "machine": this_machine(),
            "seconds_per_row": args.seconds}
    data = {**head, "busy": [], "done": [], "runs": [], **unfinished(args.out, head), "complete": False}
    data["libraries"] = {OURS: "ARMCI-RMA", **{rival.key: rival.name for rival in rivals.rivals(args.checkout)}}
    try:
        builds = [mpi for mpi in rivals.find_builds(args.build) if not args.mpi or mpi.family in args.mpi]
        if not builds:
            raise Problem(f"{args.build} is no build folder of {TOP}")
        with rivals.gasource.locked("report"):  # two at once would measure each other
            measure(args, builds, data)
    except Problem as problem:
        print(f"measure.py: {problem}", file=sys.stderr)
        return 2
    write(data, args.out)
    progress(f"done in {(time.monotonic() - begin) / 60:.1f} minutes; other work took at most {100 * max(data['busy'], default=0):.0f} % of the processors")
    return 1 if any(run["library"] == OURS and run["problems"] for run in data["runs"]) else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(main())
