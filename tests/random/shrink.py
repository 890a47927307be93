#!/usr/bin/env python3
"""shrink.py: cut a failing program of armci-random down to a short one and list what is left.

  shrink.py --seed=N [--ranks=2] [--seconds=90] [--program=tests/random/armci-random] [--launch=tests/launch] [--out=FILE]
            [--units=LIST] [OPTION of armci-random]...

Units of operations are removed, large pieces first, as long as the program still fails (a wrong answer, a crash, a
hang).  --units: go on from those that an earlier run left. The environment is that of the caller.
"""
import os
import re
import subprocess
import sys
import tempfile
import time


class Tester:
    """Starts armci-random on some ranks."""

    def __init__(self, program, launch, ranks, options):
        self.program, self.launch, self.ranks, self.options = program, launch, ranks, list(options)

    def start(self, limit, *options):
        """Run with more options: exit status (124: out of time) and output."""
        command = [self.launch, str(self.ranks), str(limit), self.program, *self.options, *options]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit + 60,
                                  text=True, errors="replace", check=False)
        except subprocess.TimeoutExpired as late:
            return 124, str(late.stdout or "")
        return done.returncode, done.stdout

    def units(self, seed):
        """How many units the program of this seed has."""
        _, text = self.start(60, f"--seed={seed}", "--list")
        numbers = [int(n) for n in re.findall(r"^(\d+) \d+ rank", text, re.M)]
        return max(numbers, default=0) + 1


def ranges(units):
    """[1, 2, 3, 7] as '1-3,7'."""
    parts, first, last = [], None, None
    for unit in sorted(units):
        if last is not None and unit == last + 1:
            last = unit
            continue
        if first is not None:
            parts.append(f"{first}-{last}" if last > first else str(first))
        first = last = unit
    if first is not None:
        parts.append(f"{first}-{last}" if last > first else str(first))
    return ",".join(parts)


def listed(text):
    """'1-3,7' as [1, 2, 3, 7]."""
    units = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        units += range(int(first), int(last or first) + 1)
    return units


class Shrinker:
    """Removes units of one program while it fails."""

    HANG = 8  # seconds that one run may take

    def __init__(self, tester, seed, seconds):
        self.tester, self.seed = tester, seed
        self.end = time.time() + seconds
        self.repeat = 1
        self.runs = 0
        self.report = ""

    def fails(self, units):
        """Does the program with these units fail?"""
        self.runs += 1
        with tempfile.NamedTemporaryFile("w", prefix="armci-random.", delete=False) as names:
            names.write(ranges(units) or "0-0")
        try:
            status, text = self.tester.start(self.HANG * self.repeat + 15, f"--seed={self.seed}", "--programs=1",
                                             f"--hang={self.HANG}", f"--repeat={self.repeat}", f"--only-ops=@{names.name}")
        finally:
            os.unlink(names.name)
        if status == 0:
            return False
        self.report = text
        return True

    def settle_repeat(self, units):
        """Run it so many times in one launch that it fails reliably. False: it never fails."""
        for self.repeat in (1, 10, 40):
            results = [self.fails(units) for _ in range(2)]
            if all(results):
                return True
        return any(results)

    def shortest_beginning(self, units):
        """The shortest beginning that fails, if one can be found by halving."""
        low, high = 0, len(units)
        while high - low > 1 and time.time() < self.end:
            middle = (low + high) // 2
            if self.fails(units[:middle]):
                high = middle
            else:
                low = middle
        return units[:high]

    def without_pieces(self, units, size):
        """Take pieces of this size out, from the end on."""
        at = len(units)
        while at > 0 and time.time() < self.end:
            begin = max(0, at - size)
            rest = units[:begin] + units[at:]
            if rest and self.fails(rest):
                units = rest
            at = begin
        return units

    def shrink(self, units):
        """The units that are left; None where the failure does not come back."""
        if not self.settle_repeat(units):
            return None
        units = self.shortest_beginning(units)
        size = len(units) // 2
        while size >= 1 and time.time() < self.end:
            before = len(units)
            units = self.without_pieces(units, size)
            size = min(size, len(units)) // 2 if size > 1 or before == len(units) else 1
        return units


def shrink(tester, seed, seconds, out=None, units=None):
    """Shrink, print the report and the operations that are left; these into `out` too. Returns the units or None."""
    shrinker = Shrinker(tester, seed, seconds)
    units = shrinker.shrink(listed(units) if units else list(range(tester.units(seed))))
    if units is None:
        print(f"shrink: seed {seed} does not fail again")
        return None
    print(f"shrink: {len(units)} units left after {shrinker.runs} runs ({shrinker.repeat} repetitions): --only-ops={ranges(units)}")
    shrinker.fails(units)
    lines = [line for line in shrinker.report.splitlines() if line.strip()]
    print("\n".join("  | " + line[:300] for line in lines[:30]))
    _, text = tester.start(60, f"--seed={seed}", "--list", f"--only-ops={ranges(units)}")
    print("\n".join("  " + line[:200] for line in text.splitlines()[:150]))
    if out:
        with open(out, "w", encoding="utf-8") as file:
            file.write(f"--seed={seed} --only-ops={ranges(units)} {' '.join(tester.options)}\n{text}")
        print(f"shrink: the program is in {out}")
    return units


def main():
    """The command line."""
    known = {"seed": None, "ranks": "2", "seconds": "90", "program": "tests/random/armci-random",
             "launch": "tests/launch", "out": None, "units": None}
    options = []
    for word in sys.argv[1:]:
        name, _, value = word[2:].partition("=")
        if word.startswith("--") and name in known and value:
            known[name] = value
        else:
            options.append(word)
    if known["seed"] is None or "--help" in options:
        print(__doc__)
        return 2
    tester = Tester(known["program"], known["launch"], int(known["ranks"]), options)
    return 0 if shrink(tester, int(known["seed"]), float(known["seconds"]), known["out"], known["units"]) else 1


if __name__ == "__main__":
    sys.exit(main())
