"""What a run of NWChem printed, judged by the output of one rank and by the reference output in NWChem's source."""
import dataclasses
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "ga"))
from results import number, why_status  # noqa: E402

NUMBER = r"-?\d+\.\d+(?:[DEde][-+]\d+)?"
# The lines that are read, and how far their numbers may be from the reference: a unit and a half of the last digit that NWChem's own
# QA/nwparse.pl compares.
QUANTITIES = {
    "energy": (rf"^ *Total \S*(?:SCF|DFT|MP2)\S* energy *[:=]? +{NUMBER}$", 1.5e-5),
    "coupled-cluster energy": (rf"^ *Total \S*CCSD\S* energy *[:=]? +{NUMBER}$", 1.5e-7),
    "gradient": (rf"^ +\d+ [A-Za-z]\S* +(?:{NUMBER} +){{5}}{NUMBER}$", 1.5e-3),
    "frequency": (rf"^ P\.Frequency(?: +{NUMBER})+$", 1.5),
}
PATTERNS = {quantity: re.compile(pattern, re.MULTILINE) for quantity, (pattern, _) in QUANTITIES.items()}
WALL = re.compile(r"^ Total times .*wall: +([\d.]+)s", re.MULTILINE)


@dataclasses.dataclass
class Outcome:
    """How one run ended: "right", "wrong" or "aborted", why, and the seconds that NWChem says it took."""
    result: str
    why: str = ""
    wall: float = 0.0
    deviation: float = 0.0       # of the energies, from those on one rank


def read(text):
    """All quantities of an output, in order: (quantity, value)."""
    lines = sorted((match.start(), quantity, match.group()) for quantity, pattern in PATTERNS.items() for match in pattern.finditer(text))
    return [(quantity, number(word)) for _, quantity, line in lines for word in re.findall(rf"(?<=\s){NUMBER}", line)]


def compare(values, wanted, limit_of):
    """The first difference between two readings that is beyond its limit, in words, or None."""
    if [quantity for quantity, _ in values] != [quantity for quantity, _ in wanted]:
        return f"{len(values)} numbers, not {len(wanted)}"
    for (quantity, value), (_, right) in zip(values, wanted):
        if not abs(value - right) <= limit_of(quantity):
            return f"{quantity} {value} is not {right}"
    return None


def deviation(values, wanted):
    """How far the energies of two readings of the same kind are from each other at most."""
    return max((abs(value - right) for (quantity, value), (_, right) in zip(values, wanted) if "energy" in quantity), default=0.0)


def judge(status, outputs, case, alone, references):
    """The outcome of a run: outputs and references are texts, one for each step; alone: what one rank printed (None: this is that run)."""
    walls = [float(WALL.findall(text)[-1]) for text in outputs if WALL.search(text)]
    if status != 0 or len(walls) < len(outputs):
        return Outcome("aborted", reason(status, outputs[-1]))
    values = [read(text) for text in outputs]
    why, far = None, 0.0
    for own, reference in zip(values, references):
        why = why or (reference and compare(own, read(reference), lambda quantity: QUANTITIES[quantity][1]))
    for own, text in zip(values, alone or ()):
        why = why or compare(own, read(text), lambda quantity: case.agree if "energy" in quantity else QUANTITIES[quantity][1])
        far = max(far, deviation(own, read(text)))
    if not any(values):
        why = "nothing to compare in the output"
    return Outcome("wrong" if why else "right", why or "", sum(walls), far)


def reason(status, text):
    """Why a run did not end well: what NWChem or the MPI library says, or the exit status."""
    for pattern in (r"sym_movecs_adapt: negative proj", r"^ *(?:There is an error|.*Segmentation).*$", r"^.*(?:ARMCI error|MPI_ERR|Fatal error).*$"):
        found = re.search(pattern, text, re.MULTILINE)
        if found:
            return " ".join(found.group().split())[:100]
    return why_status(status)
