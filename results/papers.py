"""The 40 figures and tables of five papers as data: what the authors found, which rows here show the same thing, and claims about those rows.

A claim is a measure and a bound, so a verdict is computed. The bound is the weakest figure that the authors give; 1 where they say faster or slower
only, and 1.1 where they say as fast. doc/reference/papers.md is made of this table and the records.
"""
import dataclasses
import itertools
import textwrap

import pictures
from pictures import MPIS
from records import OURS, PLACES, RIVALS, amount, nwchem_walls, place_text, slug, time_of

PAPERS = {
    "A": "J. Nieplocha and others: ARMCI, 2006", "B": "The protocols of ARMCI on Myrinet GM and VIA, 2002",
    "C": "ARMCI over the one-sided calls of MPI, 2012", "D": "Host-assisted zero-copy transfers on InfiniBand, 2004",
    "E": "Cooperative server clustering, 2010",
}
NETWORK = "TCP between two namespaces of one machine stands for the authors' network"
NO_NETWORK = "this machine has one network, TCP; it stands for one of the authors' networks, not for several"
NO_REGISTRATION = "the MPI library registers memory, and this library never does"
# How long `make report` takes with a word, in seconds, and what it measures: with its rivals where they have the word.
COSTS = {("hosts", "overlap"): 240, ("hosts", "sparse"): 280, ("nodes", "fences"): 30, ("hosts", "remote"): 400, ("hosts", "methods"): 240,
         ("hosts", "passive"): 60, ("hosts", "cold"): 30, ("hosts", "foreign"): 20}


def ratio_text(value):
    """Three digits, so that a reader sees on which side of its bound it is."""
    return f"{value:.3g}" if value < 99.5 else f"{value:,.0f}"


# ---- measures: of a library, a place and an MPI library, the number that a claim is about, and its text

@dataclasses.dataclass(frozen=True)
class Ratio:
    """Time of a row / time of another row of the same library, from turns if they were measured so; of what it was measured in turns with if none is
    named."""
    word: str
    row: str
    of: str = ""

    def rows(self):
        return [self.row] + [self.of] * bool(self.of)

    def label(self, facts, place):
        return f"{self.row} / {self.of or self.versus(facts, place)}"

    def versus(self, facts, place):
        rows = (facts.row(OURS, place, mpi, self.word, self.row) for mpi in MPIS)
        return next((row["versus"] for row in rows if row and "versus" in row), "what it is measured in turns with")

    def value(self, facts, library, place, mpi):
        row = facts.row(library, place, mpi, self.word, self.row)
        time, other = time_of(row), facts.row(library, place, mpi, self.word, self.of) if self.of else None
        in_turns = time and (not self.of or row.get("versus") == self.of)
        value = row.get("versus_median_ratio") if in_turns else time and time_of(other) and time / time_of(other)
        return value and (value, f"{amount(time, 'ns')}, {ratio_text(value)}")


@dataclasses.dataclass(frozen=True)
class Against(Ratio):
    """Time of a row of any library / its time of this one."""

    def label(self, facts, place):
        return f"{self.row} / the same of ARMCI-RMA"

    def value(self, facts, library, place, mpi):
        time, ratio = time_of(facts.row(library, place, mpi, self.word, self.row)), facts.ratio(library, place, mpi, self.word, self.row)
        return ratio and (ratio, f"{amount(time, 'ns')}, {ratio_text(ratio)}")


@dataclasses.dataclass(frozen=True)
class Gap:
    """How much longer a strided transfer takes than a contiguous one, divided by the same of another way to carry out both."""
    word: str
    row: str
    plain: str
    way: str

    def rows(self):
        return [self.row, self.plain, f"{self.row} [{self.way}]", f"{self.plain} [{self.way}]"]

    def label(self, facts, place):
        return f"({self.row} / {self.plain}) / the same of {self.way}"

    def value(self, facts, library, place, mpi):
        times = [time_of(facts.row(library, place, mpi, self.word, name)) for name in self.rows()]
        value = all(times) and times[0] / times[1] / (times[2] / times[3])
        return value and (value, f"{amount(times[0], 'ns')}, {ratio_text(value)}")


@dataclasses.dataclass(frozen=True)
class Hidden:
    """The part of a transfer that computation hides; without the same of another row if one is named."""
    word: str
    row: str
    less: str = ""

    def rows(self):
        return [self.row] + [self.less] * bool(self.less)

    def label(self, facts, place):
        return f"{self.row}, hidden" + (f", less that of {self.less}" if self.less else "")

    def value(self, facts, library, place, mpi):
        parts = [row.get("hidden") if time_of(row) else None for row in (facts.row(library, place, mpi, self.word, name) for name in self.rows())]
        return None if None in parts else (parts[0] - sum(parts[1:]), f"{100 * parts[0]:.0f} %" + (f", {100 * (parts[0] - parts[1]):+.0f}" if self.less else ""))


# ---- claims

@dataclasses.dataclass(frozen=True)
class Instance:
    """A claim for one row in one place: what the cells of the page are, and whether the claim holds (None: no record)."""
    label: str
    where: str
    run: str            # an id of doc/reference/results.md, or empty
    cells: dict         # text by library
    holds: object
    needs: tuple = ()   # place and word


@dataclasses.dataclass(frozen=True)
class Claim:
    """At most, or at least, so much for each of these measures, in each place with each MPI library."""
    text: str
    measures: tuple
    bound: float
    at_least: bool = False
    places: tuple = ("hosts",)
    judged: str = OURS  # the library that the claim is about

    def instances(self, facts):
        return [self.instance(facts, measure, place, mpi) for measure, place, mpi in itertools.product(self.measures, self.places, MPIS)]

    def instance(self, facts, measure, place, mpi):
        cells, values = {}, {}
        for library in (OURS, *RIVALS):
            values[library] = measure.value(facts, library, place, mpi)
            cells[library] = values[library][1] if values[library] else facts.problem(library, place, mpi, measure.word, measure.rows()[0])
        value = values[self.judged]
        holds = (value[0] >= self.bound if self.at_least else value[0] <= self.bound) if value else False if cells[self.judged] else None
        run = facts.run_id(OURS, place, mpi, measure.word)
        return Instance(measure.label(facts, place), f"{PLACES[place]}, {MPIS[mpi]}", run, cells, holds, (place, measure.word))

    def limit(self):
        return f"at {'least' if self.at_least else 'most'} {self.bound:g}"


@dataclasses.dataclass(frozen=True)
class Values:
    """One of values.json is at most another one."""
    text: str
    pairs: tuple

    def instances(self, facts):
        values = {one["id"]: one["value"] for one in facts.data["values"]}
        return [Instance(facts.all[key].what + " / " + facts.all[other].what, facts.all[key].record.get("mpi", ""), key,
                         {OURS: f"{facts.all[key].text}, {ratio_text(values[key] / values[other])}"}, values[key] <= values[other]) for key, other in self.pairs]

    def limit(self):
        return "at most 1"


@dataclasses.dataclass(frozen=True)
class Nwchem:
    """Time of one library / time of the other over the inputs whose names have one of these words, for each layout that has both: at most so much."""
    text: str
    words: tuple
    bound: float
    times: tuple = ("armci-mpi-0.3.1", OURS)

    def instances(self, facts):
        found = []
        for mpi, place in itertools.product(MPIS, ("1", "2", "3", "4", "2x1", "2x2")):
            walls = nwchem_walls(facts.data["nwchem"][mpi], place, self.words)
            if walls.keys() >= {*self.times}:
                seconds = {library: sum(each) for library, each in walls.items()}
                texts, ratio = {library: f"{time:.1f} s" for library, time in seconds.items()}, seconds[self.times[0]] / seconds[self.times[1]]
                texts[self.times[0]] += f", {ratio_text(ratio)}"
                found.append(Instance(f"{len(walls[OURS])} inputs", f"{place_text(place)}, {MPIS[mpi]}", f"nwchem-7-0-2-{mpi}-{place}", texts, ratio <= self.bound))
        return found

    def limit(self):
        return f"at most {self.bound:g}"


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure or a table: what the authors found, in a sentence; scope: what these rows do not have of theirs, so that it is shown in part at most."""
    paper: str
    name: str
    subject: str
    found: str
    claims: tuple = ()
    picture: str = ""
    scope: str = ""
    why: str = ""       # what explains a claim that does not hold
    cannot: str = ""    # why this library, or this machine, cannot show it
    counted: bool = True

    def key(self):
        return f"{self.paper} {self.name}"

    def instances(self, facts):
        return [one for claim in self.claims for one in claim.instances(facts)]

    def parts(self, facts):
        """The claims that hold for at least half of their rows, each with where it does."""
        return [where + claim.text.rstrip(".") for claim in self.claims for where in [where_held(claim.instances(facts))] if where is not None]

    def verdict(self, facts):
        """One of five, and what belongs to it."""
        if self.cannot:
            return "cannot", self.cannot
        rows_held = held_of(self.instances(facts))
        if all(one.holds is None for one in self.instances(facts)):
            return "not measured", ""
        if not self.parts(facts):
            return "not reproduced", rows_held
        if all(one.holds for one in self.instances(facts)) and not self.scope:
            return "shown", rows_held
        return "shown in part", "; ".join([rows_held] + [self.scope] * bool(self.scope))


def held_of(instances):
    """How many rows hold, in words; those without a record by themselves."""
    known = [one.holds for one in instances if one.holds is not None]
    lacking = len(instances) - len(known)
    return f"{sum(known)} of {len(known)} rows hold" + (f", {lacking} {'have' if lacking > 1 else 'has'} no record" if lacking else "")


def where_held(instances):
    """Where a claim holds, as the beginning of a sentence: empty for all of its rows, None for less than half."""
    held = sum(one.holds is True for one in instances)
    if instances and held == len(instances):
        return ""
    for mpi in MPIS.values():
        own = [one.holds for one in instances if mpi in one.where]
        if own and all(own):
            return f"with {mpi}: "
    return f"{held} of {len(instances)} rows: " if instances and 2 * held >= len(instances) else None


def rows(kind, *args):
    """A measure for each of these names."""
    word, *names = args
    return tuple(kind(word, name) for name in names)


def pairs(word, *names):
    return tuple(Ratio(word, name, of) for name, of in names)


SIZES = ("1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB", "64 MiB")
LONG = ("64 KiB", "256 KiB", "1 MiB", "4 MiB")
OVERLAPPED = ("1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1024 KiB")
COLD_GETS = ("2048 cold gets of 16 KiB", "512 cold gets of 64 KiB", "32 cold gets of 1024 KiB")
SMALL_WINDOWS = "windows of 9,600"
SCALE = "1 to 4 ranks and small inputs, where start-up is a large part"
MG_WHY = "between nodes an exchange is a put and a flag, which a server applies; MPI's is one message. Four ranks share two processors"
OVERLAP_WHY = "two ranks, their servers and the network's work share two cores"
LATENCY = (Claim("A get takes as long as the network's own round trip.", rows(Ratio, "remote", "get 8 B"), 1.1),
           Claim("A put and a fence take as long as that, too.", rows(Ratio, "remote", "put 8 B + fence"), 1.1),
           Claim("A put alone takes less time than a get.", pairs("remote", ("put 8 B", "get 8 B")), 1))


def mg(bound, *classes):
    return (Claim("MG takes less time by puts with flags than by messages of MPI.",
                  rows(Ratio, "mg", *(f"MG {name}{ranks}" for ranks in ("", " [4 ranks]") for name in classes)), bound),)


def overlap(bound, *kinds):
    return tuple(Claim(f"Computation hides most of a transfer ({kind}).",
                       rows(Hidden, "overlap", *(f"{kind} {size}" for size in OVERLAPPED[0 if kind == "nbget" else 3:])), bound, at_least=True) for kind in kinds)


FIGURES = [
    Figure("A", "table 1", "latency of put and get", "A put takes 12.8 µs and a get 17.8 µs on Myrinet, 7.4 and 16.0 µs on InfiniBand: near to the network's own times.",
           LATENCY, "hosts", NETWORK),
    Figure("A", "14", "bandwidth of put and get, beside the native interface and MPI", "The bandwidth of put and get is very close to the native one.",
           (Claim("A put takes no more time than MPI_Send of as many bytes.", pairs("bandwidth", *((f"put {size}", f"MPI_Send {size}") for size in SIZES)), 1.1),
            Claim("A long get takes no more time either.", pairs("bandwidth", *((f"get {size}", f"MPI_Send {size}") for size in SIZES[4:])), 1.1)),
           "papers-bandwidth", NETWORK),
    *(Figure("A", str(number_), "the same on three further networks", "The same on the other networks.", picture="papers-bandwidth", cannot=NO_NETWORK) for number_ in (15, 16, 17)),
    Figure("A", "18", "patches of n x n: a strided get, and n contiguous non-blocking ones", "The strided get is far ahead while n is small.",
           (Claim("One strided get takes less time than n contiguous ones.", rows(Ratio, "many", *(f"getS {n} x {n} doubles" for n in (8, 32, 128, 512))), 1),),
           "papers-patches", NETWORK),
    Figure("A", "19", "overlap against size", "Direct transfers hide more than 99 % of their time, and buffered ones about 90 %; MPI hides less from 16 KiB on.",
           (*overlap(0.9, "nbget", "away: nbget"),
            Claim("A get hides no less than a receive of MPI.", tuple(Hidden("overlap", f"nbget {size}", f"MPI_Irecv {size}") for size in OVERLAPPED[2:]), 0, at_least=True)),
           "papers-overlap", NETWORK, OVERLAP_WHY),
    Figure("A", "20", "1000 doubles: non-blocking, aggregate and vector calls", "An aggregate is almost as fast as a vector call, and both are far ahead of single calls.",
           (Claim("An aggregate takes as long as the vector call.", rows(Ratio, "many", "1000 gets, aggregate", "1000 puts, aggregate + fence"), 1.1),
            Claim("Single non-blocking calls take several times as long as it.", rows(Ratio, "many", "1000 nb gets + WaitAll", "1000 nb puts + WaitAll + fence"), 2, at_least=True)),
           "papers-many", NETWORK, "the vector call has its list of addresses ready; an aggregate collects it call by call"),
    Figure("A", "21", "NAS MG on InfiniBand", "Class A takes 14 to 25 % less time than with MPI, class B 14 to 27 %.", mg(0.86, "S", "W", "A"), "papers-mg", NETWORK, MG_WHY),
    Figure("A", "22", "NAS MG on Myrinet", "Class A takes 28 to 46 % less time than with MPI, B 30 to 45 %, C 30 to 40 %.", mg(0.72, "S", "W", "A"), "papers-mg", NETWORK, MG_WHY),
    Figure("A", "23", "sparse matrix-vector product, single and aggregate gets", "Aggregation makes the product significantly faster than non-blocking single gets.",
           (Claim("An aggregate takes less time than non-blocking single gets.", pairs("sparse", ("sparse: aggregate", "sparse: non-blocking gets")), 1),),
           "papers-sparse", "two ranks, and a made matrix of the size of theirs"),
    Figure("A", "24", "the same, time of each rank", "The gain is the same on each rank.",
           (Claim("An aggregate takes less time than non-blocking single gets, for the slowest rank.", pairs("sparse", ("sparse: aggregate", "sparse: non-blocking gets")), 1),),
           "papers-sparse", "the time of two ranks together, not of each"),

    Figure("B", "table 2", "get, lock, unlock and read-modify-write, in a node and between nodes",
           "In a node a get takes 0.38 µs, a lock 1.1 and an update 0.8; on Myrinet 35.4, 35.6 and 41.3 µs.",
           (Claim("A lock takes as long as a get.", pairs("remote", ("lock + unlock, free", "get 8 B")), 1.1),
            Claim("A read-modify-write takes hardly longer than a get.", pairs("remote", ("rmw fetch-and-add long", "get 8 B")), 1.17),
            Claim("In a node, a lock and an unlock take at most five times as long as a get.", pairs("latency", ("lock + unlock, free", "get 8 B")), 5, places=("node",)),
            Claim("In a node, a read-modify-write takes about twice as long as a get.", pairs("latency", ("rmw fetch-and-add long", "get 8 B")), 2.1, places=("node",))),
           "node", "lock and unlock are one row; " + NETWORK),
    Figure("B", "2", "registration of memory against copying", "Copying is cheaper for short transfers.", cannot=NO_REGISTRATION),
    Figure("B", "6", "protocols for a get", "Which protocol is best depends on the network: zero-copy on VIA, streaming on GM.",
           (Claim("The protocol that is chosen by itself takes no more time than the other one, MPI's windows.",
                  pairs("remote", *((f"get {size}", f"get {size} [rma]") for size in ("8 B", "16 KiB", *LONG))), 1.1),), "papers-protocols",
           "two protocols of three; " + NETWORK),
    Figure("B", "7", "the same on the other network", "The same, with another order.", picture="papers-protocols", cannot=NO_NETWORK),
    Figure("B", "8", "get, contiguous and strided, against MPI", "Strided transfers fall behind contiguous ones less than with datatypes of MPI.",
           (Claim("A strided get falls behind less than by MPI's datatypes.",
                  (Gap("remote", "getS 1024 x 16 B", "get 16 KiB", "rma"), Gap("remote", "getS 64 x 512 B", "get 32 KiB", "rma"),
                   Gap("remote", "getS 1024 x 1 KiB", "get 1 MiB", "rma")), 1),
            Claim("Gets of data that are in no cache, as the authors measured, take as long as others.", rows(Ratio, "cold", *COLD_GETS), 1.1)),
           "papers-strided", NETWORK),
    Figure("B", "9", "put, contiguous and strided, against MPI", "The same for puts.",
           (Claim("A strided put falls behind less than by MPI's datatypes.",
                  (Gap("remote", "putS 1024 x 16 B + fence", "put 16 KiB + fence", "rma"), Gap("remote", "putS 64 x 512 B + fence", "put 32 KiB + fence", "rma")), 1),
            Claim("Puts of data that are in no cache take as long as others.", rows(Ratio, "cold", *(name.replace("gets", "puts + fence") for name in COLD_GETS)), 1.1)),
           "papers-strided", NETWORK),
    *(Figure("B", str(number_), "the same on the other network", "The same.", picture="papers-strided", cannot=NO_NETWORK) for number_ in (10, 11)),
    Figure("B", "12", "fences with several servers", "Fences of 3, 5 or 7 servers together take less time than one after another.",
           (Claim("One fence of all takes less time than a fence of each.", rows(Ratio, "fences", *(f"AllFence after puts to {k}" for k in (3, 5, 7))), 1, places=("nodes",)),),
           "papers-fences", "eight ranks that pretend to be nodes share two cores",
           "each put asks for its acknowledgement, so fences one after another overlap as well, and there is nothing to gain"),

    Figure("C", "3", "contiguous get, put and accumulate, native and over MPI, four machines", "Over MPI they have half of the native bandwidth or more, but for long accumulates.",
           (Claim("ARMCI-MPI takes at most twice the time of this library.",
                  rows(Against, "bandwidth", *(f"{kind} {size}" for kind in ("put", "get", "acc") for size in LONG)), 2, judged="armci-mpi-0.4"),),
           "papers-over-mpi", "one machine of four; " + NETWORK),
    Figure("C", "4", "methods for strided transfers, 1 to 1,024 segments of 16 B and 1 KiB", "One datatype is best for few segments, a batch of calls for many.",
           (Claim("A datatype takes less time for 8 segments.", pairs("methods", *((f"{kind} 8 x {size} [rma, direct]", f"{kind} 8 x {size} [rma, batched]")
                  for kind in ("getV", "putV + fence") for size in ("16 B", "1 KiB"))), 1),
            Claim("A batch takes less time for 1,000.", pairs("methods", *((f"{kind} 1000 x {size} [rma, batched]", f"{kind} 1000 x {size} [rma, direct]")
                  for kind in ("getV", "putV + fence") for size in ("16 B", "1 KiB"))), 1)), "papers-methods", NETWORK),
    Figure("C", "5", "transfers of MPI and ARMCI on memory of each other", "Registration on demand makes the first use of foreign memory the slowest.",
           (Claim("The first use takes longer than the second.", pairs("foreign", *((f"put + fence from {kind}, first", f"put + fence from {kind}, second")
                  for kind in ("malloc", "MPI_Alloc_mem"))), 1.1, at_least=True),), "papers-foreign", "256 KiB, and TCP registers nothing"),
    Figure("C", "6", "NWChem CCSD(T), up to 5,952 processes", "Over MPI it takes 30 % less time than natively on one machine, and at most twice as long on another.",
           (Nwchem("CCSD(T) takes at most twice as long on ARMCI-MPI.", ("CCSD(T)",), 2),), "papers-nwchem", "the weaker of two statements; " + SCALE),

    Figure("D", "table 1", "latency of ARMCI, MPI and the network", "A put takes 6.2 µs (the network 5.46, MPI 6.3), a get 12.3 (12.2).", LATENCY, "hosts", NETWORK),
    Figure("D", "2", "cost of registration", "Strategies differ by how often buffers are used again.", cannot=NO_REGISTRATION),
    Figure("D", "3", "bandwidth of put", "A put reaches 830 MB/s, the network's own.",
           (Claim("A long put takes no more time than MPI_Send.", rows(Ratio, "remote", *(f"put {size}" for size in LONG)), 1.1),), "papers-bandwidth", NETWORK),
    Figure("D", "4", "bandwidth of get", "A get reaches 765 MB/s.",
           (Claim("A long get takes at most 830/765 of the time of a put.", pairs("remote", *((f"get {size}", f"put {size}") for size in LONG)), 1.085),),
           "papers-bandwidth", NETWORK),
    Figure("D", "5", "contiguous: zero-copy, buffered, pipelined", "Zero-copy is ahead of protocols with buffers.",
           (Claim("Long transfers by messages without copies take less time than by MPI's windows.",
                  pairs("remote", *((f"{kind} {size}", f"{kind} {size} [rma]") for kind in ("get", "put") for size in LONG)), 1),), "papers-protocols",
           "the other protocol is MPI's, and not one with buffers"),
    Figure("D", "6", "bandwidth while the target computes, contiguous", "Zero-copy transfers are virtually immune to a busy target.",
           (Claim("A transfer takes as long as with a target that waits.", pairs("remote", *((f"{kind} {size}, computing", f"{kind} {size}")
                  for kind in ("get", "put") for size in ("64 KiB", "1 MiB", "4 MiB"))), 1.1),), "papers-busy", NETWORK,
           "the target's computation and its server share a core with each other"),
    Figure("D", "7", "overlap, contiguous and not", "99 % of contiguous transfers are hidden, 95 % of the others.", overlap(0.95, "nbget", "nbgetS"), "papers-overlap", NETWORK, OVERLAP_WHY),
    Figure("D", "9", "not contiguous: host-assisted, buffered, datatypes of MPI", "Host-assisted transfers are ahead of MPI's datatypes.",
           (Claim("Packing by the servers takes less time than a datatype of MPI.", pairs("remote", *((name, f"{name} [rma]") for name in
                  ("getS 1024 x 16 B", "getS 64 x 512 B", "getS 1024 x 1 KiB", "putS 1024 x 16 B + fence", "putS 64 x 512 B + fence"))), 1),), "papers-strided", NETWORK),
    Figure("D", "10", "bandwidth while the target computes, not contiguous", "Host-assisted transfers are hardly slower with a busy target.",
           (Claim("A transfer takes as long as with a target that waits.", pairs("remote", ("getS 64 x 512 B, computing", "getS 64 x 512 B"),
                  ("accS 64 x 512 B, computing", "accS 64 x 512 B + fence")), 1.1),), "papers-busy", NETWORK),
    Figure("D", "11", "NAS MG", "With zero-copy class A takes 14 to 25 % less time than with MPI, B 14 to 27 %.", mg(0.86, "A"), "papers-mg", NETWORK, MG_WHY),
    Figure("D", "12", "matrix product, SRUMMA against SUMMA", "With host-assisted transfers it is 18 to 80 % faster than SUMMA.",
           (Claim("SRUMMA takes less time than SUMMA.", rows(Ratio, "matmul", *(f"SRUMMA {n}" for n in (128, 256, 512, 1000, 2000))), 0.85),), "papers-matmul",
           "two ranks of eight; " + NETWORK, "the ranks, the network's work and dgemm share two cores"),
    Figure("D", "4.3", "read-modify-write by a server and by the network (text)", "The network's own atomics take 17.1 µs, a server 22.1 µs.",
           (Claim("MPI's atomics take less time than the server.", pairs("remote", ("rmw fetch-and-add long [rma]", "rmw fetch-and-add long")), 1),), "papers-protocols", NETWORK,
           "over TCP MPI's atomics are messages, too, which its own progress serves", counted=False),

    Figure("E", "6", "latency of direct and forwarded requests", "Forwarding, which saves memory, costs no latency.",
           (Claim("The small windows of a large job, which save memory here, cost no latency.",
                  tuple(Ratio("remote", f"{name} [{SMALL_WINDOWS}]", name) for name in ("get 8 B", "put 8 B + fence", "put 16 KiB + fence", "get 16 KiB")), 1.1),),
           "papers-windows", "no requests are forwarded here; the price of the windows of 9,600 processes stands for it"),
    Figure("E", "7", "bandwidth of direct and forwarded requests", "Forwarding costs no bandwidth.",
           (Claim("The small windows cost no bandwidth.", tuple(Ratio("remote", f"{kind} {size} [{SMALL_WINDOWS}]", f"{kind} {size}") for kind in ("get", "put") for size in LONG), 1.1),),
           "papers-windows", "as E 6"),
    Figure("E", "8", "memory of a server, up to 9,600 processes", "A server takes 169.7 MB without clusters of servers, and 34.7 MB with them.",
           (Values("A server takes no more than theirs with clusters.", tuple((f"server-9600-{mpi}", "server-9600-clusters-published") for mpi in MPIS)),), "server-memory",
           "the protocol's part: a few processes stand for all, so MPI's memory for thousands of connections is not in it"),
    Figure("E", "9", "NWChem DFT, 2,400 processes", "It takes 45 % less time with clusters of servers.",
           (Nwchem("DFT takes 45 % less time than on ARMCI-MPI, which stands for servers without clusters.", ("dft", "B3LYP", "b3lyp"), 0.55, (OURS, "armci-mpi-0.3.1")),),
           "papers-nwchem", "another library stands for servers without clusters; " + SCALE, "most of the time is NWChem's own work"),
]


# ---- the page

HEAD = """# Forty figures of five papers

Generated from `results/` by `make update-generated`. Five papers describe ARMCI and libraries like it. Each of their 40 figures and tables with
measurements has a section: what the authors found, claims about rows of this project, and a verdict, computed from the records.

A claim has a bound: the weakest figure that the authors give, 1 where they say faster or slower only, 1.1 where they say as fast. A cell has a
time, and the ratio that the claim is about; the columns of other libraries have theirs. A place is a link to the record of the run. Times are medians
([how they are measured](../measurements.md)).

- *shown*, %d: all claims hold in all rows
- *shown in part*, %d: a claim holds in at least half of its rows, or all claims in a smaller scope than the authors'; its section says what part
- *not reproduced*, %d: no claim holds in half of its rows
- *not measured*, %d: there is no record
- *cannot*, %d: this library does not do it, or this machine cannot show it
"""


def paragraph(text):
    return textwrap.fill(text, 118, break_long_words=False, break_on_hyphens=False)


def table(facts, claim):
    """The rows of a claim; columns of rivals that have a cell."""
    instances = claim.instances(facts)
    libraries = [OURS, *(key for key in RIVALS if any(one.cells.get(key) for one in instances))]
    lines = ["| row | where | holds | " + " | ".join(facts.name(key) for key in libraries) + " |", "|---" * (3 + len(libraries)) + "|"]
    for one in instances:
        where = f"[{one.where}](results.md#{one.run})" if one.run in facts.all else one.where
        holds = {True: "yes", False: "**no**", None: "no record"}[one.holds]
        lines.append(f"| {one.label} | {where} | {holds} | " + " | ".join(one.cells.get(key) or "" for key in libraries) + " |")
    return lines


def drawn(facts, figure):
    """The picture, or where it is: figures that show the same thing share one."""
    first = next(one for one in FIGURES if one.picture == figure.picture)
    if not figure.picture:
        return []
    if first is not figure:
        return ["", f"Picture: [{first.key()}](#{anchor(first)})"]
    if figure.picture in pictures.PAPERS:
        title, panels = pictures.PAPERS[figure.picture](facts)
        return ["", f"![{title}](../img/{figure.picture}.svg)"] if pictures.series_of(panels) else []
    return ["", f'<picture><source media="(prefers-color-scheme: dark)" srcset="../img/{figure.picture}-dark.svg">',
            f'<img width="540" src="../img/{figure.picture}-light.svg"', f'alt="{pictures.PICTURES[figure.picture](facts)[0]}"></picture>']


def anchor(figure):
    """Of its heading."""
    return slug(figure.key().replace(".", ""))


def section(facts, figure):
    verdict, more = figure.verdict(facts)
    lines = [f"### {figure.key()}", "", paragraph(f"{figure.subject[0].upper()}{figure.subject[1:]}. **{verdict[0].upper()}{verdict[1:]}**" + (f": {more}." if more else "."))]
    details = ["", paragraph(f"*{figure.found}*")]
    if figure.parts(facts):
        details += ["", paragraph(f"What holds: {'; '.join(figure.parts(facts))}.")]
    if figure.why and any(one.holds is False for one in figure.instances(facts)):
        details += ["", paragraph(f"Where it does not hold: {figure.why}.")]
    details += drawn(facts, figure)
    for claim in figure.claims:
        details += ["", paragraph(f"{claim.text} ({claim.limit()}: {held_of(claim.instances(facts))})"), "", *table(facts, claim)]
    # Folded, so that forty verdicts are one page.
    return [*lines, "", '<details markdown="1">', f"<summary>Findings and rows of {figure.key()}</summary>", *details, "", "</details>"]


def verdicts(facts):
    """How many of the counted figures have each verdict."""
    found = dict.fromkeys(("shown", "shown in part", "not reproduced", "not measured", "cannot"), 0)
    for figure in FIGURES:
        found[figure.verdict(facts)[0]] += figure.counted
    return found


def page(facts):
    """doc/reference/papers.md"""
    counts = verdicts(facts)
    assert sum(counts.values()) == 40, counts
    lines = [HEAD % tuple(counts.values()), "| figure | subject | verdict | rows that hold |", "|---|---|---|---|"]
    for figure in FIGURES:
        known = [one.holds for one in figure.instances(facts) if one.holds is not None]
        lines.append(f"| [{figure.key()}](#{anchor(figure)}) | {figure.subject} | {figure.verdict(facts)[0]} | "
                     f"{f'{sum(known)} of {len(known)}' if known else ''} |")
    for paper, title in PAPERS.items():
        lines += ["", f"## {paper}. {title}"]
        for figure in (one for one in FIGURES if one.paper == paper):
            lines += ["", *section(facts, figure)]
    return "\n".join(lines) + "\n"


def missing(facts):
    """What to run for the rows without a record, the most valuable first."""
    wanted = {}
    for figure in FIGURES:
        for one in figure.instances(facts):
            if one.holds is None:
                wanted.setdefault(one.needs, []).append(figure.key())
    order = list(COSTS)
    return [f"make report PLACES={place} WORDS={word}    # {COSTS.get((place, word), '?')} s: {', '.join(dict.fromkeys(wanted[place, word]))}"
            for place, word in sorted(wanted, key=lambda needs: order.index(needs) if needs in order else len(order))]
