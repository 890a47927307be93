"""Did a program pass? Its exit status and what it printed decide; many of them print a failure and exit 0."""
import re

# Words of failure in the output of GA's and ARMCI's test programs.
BAD = re.compile(r"""\b(?: wrong | mismatch\w* | incorrect\w* | errors? | fail(?:s|ed|ing|ure|ures)? | invalid
                     | not\ (?:ok|identical|symmetric|equal|match) | unsuccessful\w* | expected | disagree\w*
                     | different | inconsistent | problem\ | abort\w* | segmentation | nan | inf )\b""",
                 re.IGNORECASE | re.VERBOSE)

NUMBER = r"([-+.\dEeDd]+)"

# What Open MPI's launcher says where a process has begun its program before its group was set.
LAUNCHER = re.compile(r"plm:rsh: Warning: setpgid.*")


class Expect:
    """What the output of one program may and must hold.

    harmless: patterns removed before the words of failure are looked for;
    must:     patterns that have to be there;
    small:    patterns with one group, a number of at most `limit` in size;
    same:     patterns with two groups, equal numbers (relative difference at most `limit`);
    check:    a function that is given the output and returns what is wrong with it, or None;
    ends:     a pattern of the error with which the program has to end; then nothing else is looked at.
    Every pattern of must, small and same has to be there."""

    def __init__(self, harmless=(), must=(), small=(), same=(), limit=1e-8, check=None, ends=None):
        self.harmless = [re.compile(p, re.IGNORECASE) for p in harmless]
        self.must = [re.compile(p) for p in must]
        self.small = [re.compile(p) for p in small]
        self.same = [re.compile(p) for p in same]
        self.limit, self.check, self.ends = limit, check, ends


def number(text):
    """A number as C or Fortran prints it."""
    return float(text.replace("D", "E").replace("d", "e"))


def why_status(status):
    """Text for an exit status that is not zero."""
    if status == 124:
        return "time ran out"
    return f"exit status {status}"


def absent(output, expect):
    """The first pattern that has to be in the output and is not, as text, or None."""
    for pattern in expect.must + expect.small + expect.same:
        if not pattern.search(output):
            return f"nothing like '{pattern.pattern}' in the output"
    return None


def bad_number(output, expect):
    """The first number that is not what it should be, as text, or None."""
    for pattern in expect.small:
        for text in pattern.findall(output):
            if not abs(number(text)) <= expect.limit:
                return f"{text} is more than {expect.limit}"
    for pattern in expect.same:
        for left, right in pattern.findall(output):
            if not abs(number(left) - number(right)) <= expect.limit * max(1.0, abs(number(right))):
                return f"{left} is not {right}"
    return None


def bad_word(output, expect):
    """The first line with a word of failure, as text, or None."""
    rest = LAUNCHER.sub(" ", output)
    for pattern in expect.harmless + expect.small + expect.same:
        rest = pattern.sub(" ", rest)
    for line in rest.splitlines():
        if BAD.search(line):
            return "says: " + " ".join(line.split())[:100]
    return None


def fault(status, output, expect):
    """The first reason why this is not a pass, or None."""
    if expect.ends:
        return None if status not in (0, 124) and re.search(expect.ends, output) else "it did not end with the error that it should"
    if status != 0:
        return why_status(status)
    reason = bad_word(output, expect) or bad_number(output, expect) or absent(output, expect)
    return reason or (expect.check(output) if expect.check else None)
