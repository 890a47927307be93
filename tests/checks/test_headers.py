"""Does each public header alone compile in C99 and in C++ without a warning, also inside extern "C" as programs for the original ARMCI have it,
and do the types that GA was compiled with keep their sizes?"""
import glob
import os
import shutil
import subprocess

import pytest

from common import INCLUDE, compiler, output

STANDARDS = ["c++98", "c++11", "c++14", "c++17", "c++20", "c++2b"]
HEADERS = sorted(os.path.basename(path) for path in glob.glob(os.path.join(INCLUDE, "*.h")))
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-local-typedefs", "-Wno-cast-function-type"]
SIZES = """
typedef char handle_size[sizeof(armci_hdl_t) == 8 ? 1 : -1];
typedef char vector_size[sizeof(armci_giov_t) == 8 + 2 * sizeof(void *) ? 1 : -1];
typedef char group_size[sizeof(ARMCI_Group) >= 32 && sizeof(ARMCI_Group) <= 40 ? 1 : -1];
typedef char size_size[sizeof(armci_size_t) == sizeof(long) ? 1 : -1];
typedef char domain_size[sizeof(armci_domain_t) == 4 ? 1 : -1];
typedef char numbers[ARMCI_ACC_DCP == 5 && ARMCI_SWAP_LONG == 3 && SCOPE_MASTERS == 2 && ARMCI_DOUBLE == 4 && ARMCI_MPI == 3 ? 1 : -1];
"""


def compile_header(command, header):
    """Included twice, with what must hold."""
    source = "#include <%s>\n" % header * 2 + (SIZES if header != "mp3.h" else "") + "int main(void) { return 0; }\n"
    return subprocess.run([*command, *WARNINGS, "-I" + INCLUDE, "-fsyntax-only", "-"], input=source, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)


@pytest.fixture(scope="module", name="cxx")
def cxx_compiler():
    """One that knows mpi.h: $CXX, the one behind the MPI compiler, or that compiler itself."""
    for command in (os.environ.get("CXX", "").split(), [word.replace("mpicc", "mpicxx") for word in compiler()], compiler()):
        try:
            done = command and subprocess.run([*command, "-x", "c++", "-fsyntax-only", "-"], input="#include <mpi.h>\nint main() { return 0; }\n",
                                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, check=False)
        except FileNotFoundError:
            continue
        if done and done.returncode == 0:
            return [*command, "-x", "c++", "-std=c++11"]
    return pytest.skip("no C++ compiler")


def test_there_are_headers():
    assert "armci.h" in HEADERS


@pytest.mark.parametrize("header", HEADERS)
def test_c99(header):
    done = compile_header([*compiler(), "-x", "c", "-std=c99", "-Wstrict-prototypes"], header)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("header", HEADERS)
def test_cxx(header, cxx):
    done = compile_header(cxx, header)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("behind", ["g++", "clang++"])
@pytest.mark.parametrize("standard", STANDARDS)
def test_within_extern_c(standard, behind, cxx):
    """All headers, another one first for each standard."""
    if not shutil.which(behind):
        pytest.skip(f"no {behind}")
    first = STANDARDS.index(standard) % len(HEADERS)
    source = 'extern "C" {\n%s}\nint main() { return ARMCI_Init() + armci_msg_me(); }\n' % "".join(
        f"#include <{header}>\n" for header in HEADERS[first:] + HEADERS[:first])
    done = subprocess.run([*cxx[:-1], f"-std={standard}", "-pedantic", *WARNINGS, "-Wno-long-long", "-Wno-unused-command-line-argument",
                           "-I" + INCLUDE, "-fsyntax-only", "-"], input=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, env={**os.environ, "MPICH_CXX": behind, "OMPI_CXX": behind, "I_MPI_CXX": behind})
    assert done.returncode == 0, done.stdout


OLD = """
int main(int argc, char **argv)
{
    armci_req_t handle;
    char to, from = 7;
    ARMCI_INIT_HANDLE(&handle);
    dassert(1, ARMCI_ACC_INT > ARMCI_ACC_OFF && ARMCI_ACC_DCP > ARMCI_ACC_OFF);
    dassert1(argc, argv != NULL, argc);
    dassertp(0, argc == FAIL, ("%d\\n", argc));
    if (ARMCI_Put1(&from, &to, 1, 0) == FAIL8) armci_die("no put", FAIL2);
    if (argc < 0) armci_die2("no arguments", argc, FAIL3);
    return to - from;
}
"""


@pytest.mark.parametrize("language", ["c", "c++"])
def test_old_names(language, cxx):
    """Names of the original ARMCI are there, unless the program has them itself."""
    command = cxx if language == "c++" else [*compiler(), "-x", "c", "-std=c99"]
    for options, source in (([], OLD), (["-DARMCI_NO_OLD_NAMES"], "enum { FAIL, dassert, armci_die };\nint main(void) { return FAIL; }\n")):
        done = subprocess.run([*command, *WARNINGS, *options, "-I" + INCLUDE, "-fsyntax-only", "-"], input="#include <armci.h>\n" + source,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("command", [["-x", "c", "-std=c90"], ["-x", "c++", "-std=c++98"]], ids=["c90", "cxx98"])
def test_pedantic(command):
    """Of the strictest compiler, the library's own lines: those of MPI are a system's."""
    of_mpi = [word.replace("-I", "-isystem") for word in output(*compiler(), "-show").split() if word.startswith("-I")]
    cc = "g++" if "c++" in command else "gcc"
    if not shutil.which(cc):
        pytest.skip(f"no {cc}")
    done = subprocess.run([cc, *command, "-pedantic-errors", *WARNINGS, *of_mpi, "-I" + INCLUDE, "-fsyntax-only", "-"],
                          input="".join(f"#include <{header}>\n" for header in HEADERS), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    assert done.returncode == 0, done.stdout
