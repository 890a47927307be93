"""The examples with Global Arrays, linked with an installed one and with this library, as the link maps tell; each checks its own result."""
import subprocess

import pytest

from common import compiler, need_ranks, output, run_job, made_with

RIGHT = "^verdict: the product is RIGHT"
OPTIONS = [("-n 1024 -t 128", 0, RIGHT), ("-n 301 -t 64", 0, RIGHT), ("-n 40 -t 3", 0, RIGHT), ("-n 1", 0, RIGHT), ("--help", 0, "^usage: "),
           ("-n 5 -t 6", 2, "must not exceed"), ("-n 5x", 2, "must be a whole number"), ("-t 0", 2, "must be a whole number"),
           ("-n 5 extra", 2, "unexpected argument")]


@pytest.fixture(scope="module", autouse=True)
def examples():
    if "/" not in output(*compiler(), "-print-file-name=libga-%s.a" % made_with("MPI_FAMILY")):
        pytest.skip("Global Arrays is not installed: apt-get install libglobalarrays-dev")
    done = subprocess.run(["make", "-s", "example-ga"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("options, status, text", OPTIONS, ids=[options for options, _, _ in OPTIONS])
def test_product(options, status, text):
    job = run_job(2, "examples/ga_matmul", *options.split())
    assert job.status == status and job.count(text) == 1, "status %d\n%s" % (job.status, job.all)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_fortran(ranks):
    need_ranks(ranks)
    job = run_job(ranks, "examples/ga_fortran")
    assert job.status == 0 and job.count("^ga_fortran: %d ranks.*: right$" % ranks) == 1, "status %d\n%s" % (job.status, job.all)
