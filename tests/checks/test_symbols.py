"""Do libarmci.so and libarmci.a export the public interface and nothing else?

- the .so exports the functions that the public headers declare, MPI_Finalize, _exit, _Exit, and only those;
- every PARMCI_X has its ARMCI_X, which is weak and stands at the same address;
- the .a shows other objects nothing else; its hidden names begin with armcii_;
- what Global Arrays needs (tests/ga-needed-symbols.txt) is there.
"""
import os
import re
import subprocess

import pytest

from common import SHARED, STATIC, none_of, public_functions, read

# Names that the linker or an instrumenting compiler adds.
NOT_OURS = re.compile(r"_init$|_fini$|__bss_start$|_edata$|_end$|ARMCI_RMA_\d+$|__odr_asan|__asan|__ubsan|__gcov|__start_"
                      r"|__stop_|lto_priv")
# MPI_Finalize ends ARMCI where the program forgets ARMCI_Finalize; the others end the job.
INTERPOSED = {"MPI_Finalize": "WEAK", "_exit": "WEAK", "_Exit": "WEAK"}


@pytest.fixture(scope="module", name="functions")
def declared():
    """The names of the headers, each with its profiling name: {name: profiling name}."""
    return {name: ("P" if name.startswith("ARMCI") else "p") + name for name in public_functions()}


def symbols(path):
    """What the file defines for others: (name, binding, visibility, section and value) of each."""
    table = "--dyn-syms" if path.endswith(".so") else "--syms"
    listed = subprocess.run(["readelf", "-W", table, path], check=True, stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "LC_ALL": "C"}).stdout
    member = ""
    for line in listed.split("\n"):
        if line.startswith("File: "):
            member = line[6:]
        fields = line.split()
        if len(fields) < 8 or fields[4] not in ("GLOBAL", "WEAK", "UNIQUE") or fields[6] == "UND":
            continue
        name = fields[7].split("@")[0]
        if not NOT_OURS.match(name):
            yield name, fields[4], fields[5], (member, fields[6], fields[1])


@pytest.fixture(scope="module", name="library", params=[SHARED, STATIC], ids=os.path.basename)
def library_file(request):
    if not os.path.exists(request.param):
        pytest.skip("not built")
    return list(symbols(request.param))


def visible(library):
    return {name: (binding, place) for name, binding, visibility, place in library if visibility not in ("HIDDEN", "INTERNAL")}


def test_some_library_is_built():
    assert os.path.exists(SHARED) or os.path.exists(STATIC)


def test_profiling_header(functions):
    assert functions, "no functions in the headers"
    profiling = set(re.findall(r"\b(?:PARMCIX?_|parmci_)\w+(?=\()", read("include", "parmci.h")))
    assert profiling == set(functions.values()), "not the same in parmci.h and in the headers that it is made from"


def test_nothing_else_is_visible(library, functions):
    public = set(functions) | set(functions.values())
    none_of(["%s is not public" % name for name, (binding, _) in visible(library).items()
             if name not in public and INTERPOSED.get(name) != binding])
    none_of(["%s is missing" % name for name, binding in INTERPOSED.items() if visible(library).get(name, ("",))[0] != binding])


def test_hidden_names(library):
    none_of(["%s is shared between files, but does not begin with armcii_" % name for name, _, visibility, _ in library
             if visibility in ("HIDDEN", "INTERNAL") and not name.startswith("armcii_")])


def test_profiling_names(library, functions):
    """Public names and their profiling names: there, weak and strong, one function."""
    found, faults = visible(library), []
    for name, p_name in sorted(functions.items()):
        missing = [n for n in (name, p_name) if n not in found]
        faults += ["%s is missing" % n for n in missing]
        if missing:
            continue
        if found[name][0] != "WEAK":
            faults.append("%s is not weak" % name)
        if found[p_name][0] != "GLOBAL":
            faults.append("%s is not strong" % p_name)
        if found[name][1] != found[p_name][1]:
            faults.append("%s is not the same function as %s" % (name, p_name))
    none_of(faults)
    print("%d public functions" % len(functions))


def test_names_that_global_arrays_needs(library):
    needed = read("tests", "ga-needed-symbols.txt").split()
    assert needed, "ga-needed-symbols.txt is empty"
    none_of(sorted(set(needed) - set(visible(library))))


def test_debian_lists_them(functions):
    """Debian's build ends where the library has a symbol that its file does not name."""
    listed = {line.split("@")[0].strip() for line in read("packaging/debian/armci-rma.symbols").splitlines() if line.startswith(" ")}
    should = {*functions, *functions.values(), *INTERPOSED}
    listed = {name for name in listed if not NOT_OURS.match(name)}
    assert listed == should, "packaging/debian/armci-rma.symbols: missing %s, too many %s" % (sorted(should - listed), sorted(listed - should))
