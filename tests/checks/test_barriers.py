"""Compiled for aarch64, which reorders loads, has every get by loads its barrier behind them, and the fence a full one?

doc/semantics.md, "Who sees what", has the contract.
"""
import os
import re
import shutil
import subprocess

import pytest

from common import INCLUDE, SOURCE, compiler

CC = os.environ.get("AARCH64_CC", "aarch64-linux-gnu-gcc")
OBJDUMP = os.environ.get("AARCH64_OBJDUMP", "aarch64-linux-gnu-objdump")
LOADS, FULL = r"dmb.*ishld", r"dmb.*ish$"
# Static functions stay what they are, so that each is found by its name.
OPTIONS = ["-std=gnu11", "-O2", "-fno-inline-small-functions", "-fno-inline-functions", "-fno-inline-functions-called-once",
           "-fno-ipa-cp", "-fno-reorder-blocks-and-partition", "-I" + os.path.join(SOURCE, "src"), "-I" + INCLUDE, "-Isrc"]


@pytest.mark.parametrize("source, barrier, functions", [
    ("src/api/transfers.c", LOADS, ["PARMCI_Get", "PARMCI_NbGet", "get_value"]),
    ("src/transport/shm/apply.c", LOADS, ["armcii_apply_get"]),
    ("src/api/sync.c", FULL, ["complete_process", "armcii_complete_all", "fence_group", "armcii_complete_region"]),
    ("src/api/mutexes.c", FULL, ["destroy_set"]),
    ("src/transport/transport.c", FULL, ["armcii_fence_others"]),
    ("src/node/node.c", FULL, ["armcii_node_barrier"]),
], ids=["transfers.c", "apply.c", "sync.c", "mutexes.c", "transport.c", "node.c"])
def test_barrier(source, barrier, functions, tmp_path):
    for tool in (CC, OBJDUMP):
        if not shutil.which(tool):
            pytest.skip("there is no " + tool)
    shown = subprocess.run([*compiler(), "-show", "-c"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    include = [word for word in shown.split() if word.startswith("-I")]
    header = subprocess.run([CC, *include, "-fsyntax-only", "-xc", "-"], input="#include <mpi.h>\n", stderr=subprocess.DEVNULL, text=True, check=False)
    if header.returncode != 0:
        pytest.skip("mpi.h is not for this processor")
    code = tmp_path / "code.o"
    subprocess.run([CC, *OPTIONS, *include, "-c", os.path.join(SOURCE, source), "-o", code], check=True)
    dump = subprocess.run([OBJDUMP, "-d", code], stdout=subprocess.PIPE, text=True, check=True).stdout
    for name in functions:
        function = re.search(r"<%s>:\n(?:.+\n)*" % name, dump)
        assert function and re.search(barrier, function[0], re.M), "%s: %s has no %s" % (source, name, barrier)
