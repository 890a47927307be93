"""Does the source keep the rules of the design?

- a layer of src includes only itself and layers below it; base and shape know no MPI;
- no two files include each other, directly or around a corner (a .c file and its .h count as one);
- RMA calls of MPI are named in src/transport/rma only; the environment is read in src/base/config.c only; only src/base/log.c prints
  (others may write to a stream that they are given or have opened by name);
- no #if asks which MPI library it is compiled with;
- variables that files share are those of a list, which may only shrink (constants and what each thread has for itself do not count);
- at most 70 variables outlive a call, the shared ones among them: a file keeps its state in one structure;
- at most 15 lines outside src/transport ask which transport is on;
- no function is longer than 60 lines, no file longer than 700, and the brace of a function stands on its own line
  (unless the whole function is one line);
- every test has a row in tests/suite, and every patch of tests/mutants applies.
"""
import collections
import glob
import os
import re
import shutil
import subprocess

import pytest

from common import SOURCE, none_of, read

LAYERS = ("base", "shape", "mpi", "node", "progress", "transport", "transport/shm", "transport/am", "transport/rma", "transport/route", "mem", "core", "api")  # from the ground
WITHOUT_MPI = ("base", "shape")
PUBLIC = ("armci.h", "armcix.h", "message.h", "parmci.h", "mpi.h")
SIZED = ("src", "include", "tools", "tests", "examples", "benchmarks")
LONGEST_FUNCTION, LONGEST_FILE = 60, 700

RMA = re.compile(r"\bMPI_(?:Win_\w+|(?:Put|Get|Accumulate|Get_accumulate|Rput|Rget|Raccumulate|Rget_accumulate)(?:_c)?"
                 r"|Fetch_and_op|Compare_and_swap)\b")
ENVIRONMENT = re.compile(r"\b(?:(?:secure_)?(?:get|put|set|unset)env|environ)\b")
PRINTING = re.compile(r"\b(?:v?d?printf|puts|putchar|perror|write|writev)\s*\(|\b(?:stdout|stderr|fdopen|freopen)\b")
LIBRARY = re.compile(r"^\s*#\s*(?:el)?if(?:n?def)?\b.*\b(?:MPICH|OPEN_MPI|OMPI|I_MPI|MVAPICH|CRAY_MPI|SPECTRUM_MPI)\w*",
                     re.M)
# Questions which transport is on, which only src/transport should ask.
DECISION = re.compile(r"armcii_transports_have|progress_needed|\barmcii_(?:am|rma|shm)\b|armcii_node->kind|->(?:am|rma|shm)\b"
                      r"|config->transport|in_force\.transport|(?:route|near|far)->direct|PATH_(?:DIRECT|SERVER)\b|armcii_route->is_asynchronous")
MOST_DECISIONS = 15
SHARED = {"armcii_aggregate_recent", "armcii_am_comm", "armcii_backoff", "armcii_lookup_generation", "armcii_entry", "armcii_handles_queued",
          "armcii_lock", "armcii_outstanding_buffers", "armcii_program_stores", "armcii_transports"}
VARIABLE = re.compile(r"^extern (?!const struct \w+ \w+[;\[]|_Thread_local|char \*\*environ)(?![^;(]*\bconst \w+[;\[])[^;(]*?\b(\w+)(?:\[[^;]*)?;", re.M)
STATIC = re.compile(r"^[ \t]*static (?!inline\b|_Noreturn\b)(?!const\b[^*;(={]*[;={])([^;(={]*)[;={]", re.M)
MOST_VARIABLES = 70
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)

breaches = collections.defaultdict(list)  # of each kind of rule
decisions, statics, lengths, graph = [], [], [], {}
shared = set()


def breach(kind, path, text, position, what):
    line = text.count("\n", 0, position) + 1
    breaches[kind].append("%s:%d: %s" % (path, line, what))


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def without_comments(text):
    """Comments become spaces; lines keep their numbers."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: m.group(0) if m.group(0)[0] in "\"'" else blank(m), text, flags=re.S)


def without_strings(text):
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text)


def c_files(folder):
    for where, folders, names in os.walk(os.path.join(SOURCE, folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith((".c", ".h")) and name != "config-build.h":
                yield os.path.relpath(os.path.join(where, name), SOURCE)


def layer_of(path):
    parts = path.split(os.sep)
    if os.path.splitext(path)[0] in (os.path.join("src", "transport", "route"), os.path.join("src", "transport", "probe")):
        return "transport/route"  # it knows all transports, and measures for the choice; they know transport.h
    return "/".join(parts[1:-1]) if parts[0] == "src" and len(parts) > 2 else None


def look_at_include(path, text, match):
    """Judge one #include of a file in src, and note it in the graph of files."""
    layer, name = layer_of(path), match.group(2)
    if layer in WITHOUT_MPI and os.path.basename(name) in PUBLIC:
        breach("includes", path, text, match.start(), "%s may not know MPI or the interface, but includes %s" % (layer, name))
    if match.group(1) == "<" or name == "config-build.h":
        return
    found = [p for p in (os.path.join(os.path.dirname(path), name), os.path.join("src", name))
             if os.path.isfile(os.path.join(SOURCE, p))]
    if not found:
        if not os.path.isfile(os.path.join(SOURCE, "include", name)):
            breach("includes", path, text, match.start(), "includes %s, which is nowhere" % name)
        return
    target = os.path.normpath(found[0])
    other = layer_of(target)
    if other in LAYERS and LAYERS.index(other) > LAYERS.index(layer):
        breach("includes", path, text, match.start(), "%s is below %s, but includes %s" % (layer, other, name))
    unit, other_unit = os.path.splitext(path)[0], os.path.splitext(target)[0]
    if unit != other_unit:
        graph.setdefault(unit, set()).add(other_unit)


def circles():
    state, found = {}, []

    def visit(unit, path):
        state[unit] = "open"
        for other in sorted(graph.get(unit, ())):
            if state.get(other) == "open":
                circle = (path + [unit])[(path + [unit]).index(other):] + [other]
                found.append(" -> ".join(circle))
            elif other not in state:
                visit(other, path + [unit])
        state[unit] = "done"

    for unit in sorted(graph):
        if unit not in state:
            visit(unit, [])
    return found


def look_at_names(path, code):
    """What may be named only in one place."""
    if layer_of(path) != "transport/rma":
        for match in RMA.finditer(code):
            breach("names", path, code, match.start(), "%s outside src/transport/rma" % match.group(0))
    if path != os.path.join("src", "base", "config.c"):
        for match in ENVIRONMENT.finditer(code):
            breach("names", path, code, match.start(), "%s outside src/base/config.c" % match.group(0))
    if path not in (os.path.join("src", "base", "log.c"), os.path.join("src", "mpi", "pmi.c")):  # it writes to the launcher
        for match in PRINTING.finditer(re.sub(r"format\s*\(\s*printf", blank, code)):
            breach("names", path, code, match.start(), "%s outside src/base/log.c" % match.group(0))
    if not (layer_of(path) or "").startswith("transport"):
        decisions.extend("%s:%d" % (path, number) for number, line in enumerate(code.split("\n"), 1) if DECISION.search(line))
    for match in LIBRARY.finditer(code):
        breach("names", path, code, match.start(), "asks for an MPI library at compile time: %s" % match.group(0).strip())


def function_lengths(path, code):
    """Lines of each function, from the line of its name to its closing brace."""
    lines = code.split("\n")
    opened = None
    for number, line in enumerate(lines):
        if line.rstrip() == "{":
            opened = number
            while opened > 0 and lines[opened - 1].strip() and not lines[opened - 1].startswith(("}", "#")):
                opened -= 1
        elif line.startswith("}") and opened is not None:
            yield opened + 1, number - opened + 1
            opened = None
        elif re.match(r"[A-Za-z_].*\)\s*\{.*\}$", line):
            yield number + 1, 1
        elif re.match(r"[A-Za-z_].*\)\s*\{", line):
            breaches["sizes"].append("%s:%d: the brace of a function stands on its own line" % (path, number + 1))


def look_at_sizes(path, text, code):
    lines = text.count("\n")
    if lines > LONGEST_FILE:
        breaches["sizes"].append("%s: %d lines, more than %d" % (path, lines, LONGEST_FILE))
    for line, length in function_lengths(path, code):
        lengths.append(length)
        if length > LONGEST_FUNCTION:
            breaches["sizes"].append("%s:%d: function of %d lines, more than %d" % (path, line, length, LONGEST_FUNCTION))


def look_at_source(path, text, code):
    """The rules for files of src."""
    layer = layer_of(path)
    if layer not in LAYERS:
        breaches["includes"].append("%s: in no layer (%s)" % (path, ", ".join(LAYERS)))
        return
    for match in INCLUDE.finditer(text):
        look_at_include(path, text, match)
    shared.update(VARIABLE.findall(code))
    statics.extend(path for declaration in STATIC.findall(code) if not re.search(r"\*\s*const\b", declaration))
    look_at_names(path, code)


@pytest.fixture(scope="module", autouse=True)
def look():
    """All files, once."""
    for folder in SIZED:
        for path in c_files(folder):
            text = without_comments(read(path))
            code = without_strings(text)
            look_at_sizes(path, text, code)
            if folder == "src":
                look_at_source(path, text, code)


def test_source_is_there():
    assert graph and lengths, "no source in %s" % SOURCE
    print("%d functions, median %d lines, longest %d, %d variables, %d transport decisions"
          % (len(lengths), sorted(lengths)[len(lengths) // 2], max(lengths), len(statics) + len(shared), len(decisions)))


@pytest.mark.parametrize("kind", ["includes", "names", "sizes"])
def test_rules(kind):
    none_of(breaches[kind])


def test_no_circle_of_includes():
    none_of(circles())


def test_shared_variables():
    none_of(["%s: %s" % (name, "a new variable that files share" if name in shared else "no longer shared: take it out of the list")
             for name in sorted(shared ^ SHARED)])


def test_number_of_variables():
    assert len(statics) + len(shared) <= MOST_VARIABLES, "variables outlive a call in: " + ", ".join(statics)


def test_questions_for_the_transport():
    assert len(decisions) <= MOST_DECISIONS, "lines outside src/transport ask which transport is on: " + ", ".join(decisions)


def test_every_test_has_a_row():
    rows = {line.split()[0] for line in read("tests", "suite").splitlines() if line.strip() and not line.startswith("#")}
    files = [path for folder in ("checks", "hosts") for path in glob.glob(os.path.join(SOURCE, "tests", folder, "test_*.py"))]
    files = [os.path.relpath(path, os.path.join(SOURCE, "tests")) for path in files]
    files += [os.path.basename(path)[:-2] for folder in ("mpi", "hosts") for path in glob.glob(os.path.join(SOURCE, "tests", folder, "test_*.c"))]
    none_of("tests/suite has no row for %s" % name for name in sorted(files) if name not in rows)


@pytest.mark.skipif(not shutil.which("patch"), reason="there is no patch")
@pytest.mark.parametrize("patch", sorted(glob.glob(os.path.join(SOURCE, "tests", "mutants", "*.patch"))), ids=os.path.basename)
def test_mutant_applies(patch):
    done = subprocess.run(["patch", "-p1", "--dry-run", "--force", "-d", SOURCE, "-i", patch], stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stdout
