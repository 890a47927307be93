"""The tool of doc/tuning.md works at link time and by LD_PRELOAD."""
import os

import pytest

from common import LIBRARIES, SHARED, SOURCE, STATIC, compile_program, run_job

HELLO, TRACE = (os.path.join(SOURCE, "examples", name) for name in ("hello.c", "trace.c"))
LINKED = ["-L" + LIBRARIES, "-larmci", "-Wl,-rpath," + LIBRARIES]
# One put and one get of 64 bytes for each rank.
LINE = r"^trace: rank [01]: 1 puts of 64 bytes in [0-9.]* s, 1 gets of 64 bytes in [0-9.]* s$"


def judge(lines, *command):
    """The program must end well, with that many lines of the tool."""
    job = run_job(2, *command)
    assert job.status == 0 and job.count("^hello: right$"), job.all
    assert job.count(LINE) == lines, job.all


def need(library):
    if not os.path.exists(library):
        pytest.skip("%s was not built" % library)


def test_some_library_is_built():
    assert os.path.exists(STATIC) or os.path.exists(SHARED)


def test_link_order_static(tmp_path):
    need(STATIC)
    compile_program(HELLO, TRACE, STATIC, "-lpthread", "-o", str(tmp_path / "program"))
    judge(2, str(tmp_path / "program"))


def test_link_order_shared(tmp_path):
    need(SHARED)
    compile_program(HELLO, TRACE, *LINKED, "-o", str(tmp_path / "program"))
    judge(2, str(tmp_path / "program"))


def test_preloaded(tmp_path):
    """The program is not compiled again."""
    need(SHARED)
    program, tool = str(tmp_path / "program"), str(tmp_path / "libtrace.so")
    compile_program(HELLO, *LINKED, "-o", program)
    compile_program("-shared", "-fPIC", TRACE, "-o", tool)
    judge(2, "env", "LD_PRELOAD=" + tool, program)
    judge(0, program)
