"""By default a wrong argument ends the job with a nonzero status and one line on standard error,
    ARMCI error: rank R: FUNCTION: ARGUMENT = VALUE: why
(before the start without the rank). Tries the first case of each kind of error in test_errors on 2 ranks; ARMCI_TEST_EACH=N: the first N.
"""
import os
import re
import subprocess

import pytest

from common import environment, public_functions, run_job

PROGRAM = "tests/mpi/test_errors.mpi"
EACH = int(os.environ.get("ARMCI_TEST_EACH") or 1)


@pytest.fixture(scope="module", name="cases")
def all_cases():
    """(code, name, function, argument, value) of each."""
    listed = subprocess.run([PROGRAM], env=environment({"TEST_ERRORS_CASE": "list"}), stdout=subprocess.PIPE, text=True, check=True)
    return [line.split("|", 4) for line in listed.stdout.splitlines()]


def test_every_function_of_the_headers_is_tried(cases):
    assert public_functions()
    assert {function for _, _, function, _, _ in cases} == set(public_functions())


def first_of_each(cases):
    chosen = {}
    for case in cases:
        if int(case[0]) > 0:
            chosen.setdefault(case[0], []).append(case)
    return [case for same in chosen.values() for case in same[:EACH]]


def faults_of(job, code, function, argument, value):
    rank = "" if code == "1" else r"rank [01]: "
    line = r"^ARMCI error: %s%s: %s.* = %s.*: [^ ].*" % (rank, re.escape(function), re.escape(argument), re.escape("2" if value == "n" else value))
    if job.status in (0, 124):
        yield "the job ended with status %d" % job.status
    if job.count(line, job.err) == 0:
        yield "no line like " + line
    yield from ("another line: " + text for text in job.err.splitlines() if text.startswith("ARMCI error") and not re.match(line, text))
    if max(job.count("ARMCI error: rank %d" % r, job.err) for r in (0, 1)) > 1:
        yield "a rank printed more than one line"


def test_wrong_arguments_end_the_job(cases):
    assert first_of_each(cases)
    wrong = []
    for code, name, function, argument, value in first_of_each(cases):
        for _ in range(3):  # Some launchers lose what a job that aborts has just printed: all of it, now and then.
            job = run_job(2, PROGRAM, "--only=every", seconds=30, unset=("ARMCI_ERRORS",), TEST_ERRORS_CASE=name)
            if job.count("^ARMCI error", job.err):
                break
            print("nothing was printed: " + name)
        faults = list(faults_of(job, code, function, argument, value))
        wrong += ["%s (code %s): %s\n%s" % (name, code, "; ".join(faults), job.all[:2000])] * bool(faults)
        print("%s (code %s)" % (name, code))
    assert not wrong, "\n".join(wrong)
