"""Words of variables and files of statistics do not depend on the program's locale: a Turkish one, where i is not the small letter of I, and a
German one, which has a decimal comma."""
import json
import os
import shutil
import subprocess

import pytest

from common import LIBRARIES, compile_program, run_job

# MPI may refuse a locale, so that the program sets it between MPI_Init and ARMCI_Init.
PROGRAM = r"""
#include <armci.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (!setlocale(LC_ALL, argv[1])) MPI_Abort(MPI_COMM_WORLD, 3);
    printf("%.1f %s\n", 1.5, strcasecmp("DIRECT", "direct") == 0 ? "same" : "different");
    ARMCI_Init();
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
"""
SETTINGS = {"ARMCI_IOV_METHOD": "DIRECT", "ARMCI_STRIDED_METHOD": "IOV", "ARMCI_QUIRKS": "+SPLIT-NEGATIVE-STRIDES,-FLUSH-READBACK",
            "ARMCI_EAGER_MAX": "16K", "ARMCI_TRANSPORT": "AUTO", "ARMCI_VERBOSE": "1"}


@pytest.mark.parametrize("name, mark", [("tr_TR", "1,5 different"), ("de_DE", "1,5 same")])
def test_locale(name, mark, tmp_path):
    if not shutil.which("localedef") or not os.path.exists("/usr/share/i18n/locales/" + name):
        pytest.skip("no localedef, or no source of " + name)
    subprocess.run(["localedef", "-i", name, "-f", "UTF-8", str(tmp_path / (name + ".UTF-8"))], check=True, stdout=subprocess.DEVNULL)
    program, file = str(tmp_path / "program"), str(tmp_path / "stats.json")
    compile_program("-L" + LIBRARIES, "-larmci", "-Wl,-rpath," + LIBRARIES, "-o", program, text=PROGRAM)
    job = run_job(1, program, name + ".UTF-8", LOCPATH=str(tmp_path), ARMCI_STATS=file,
                  LD_PRELOAD=os.path.join(LIBRARIES, "libarmci-prof.so"), **SETTINGS)
    assert job.status == 0 and mark in job.out, job.all
    assert job.count("is invalid|no effect") == 0, job.all
    for line in ("ARMCI_IOV_METHOD=direct", "ARMCI_STRIDED_METHOD=iov", "ARMCI_EAGER_MAX=16k",
                 r"ARMCI_QUIRKS=\+split-negative-strides,-flush-readback"):
        assert job.count("^ARMCI: settings: .*" + line + "(,|$)") == 1, line + job.all
    with open(file, encoding="utf-8") as text:
        assert json.load(text)
