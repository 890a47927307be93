"""Is every C file that is not generated formatted as clang-format 14 does it by .clang-format?"""
import shutil
import subprocess

import pytest

from common import SOURCE, output


def test_c_files():
    if not shutil.which("clang-format") or "version 14." not in output("clang-format", "--version"):
        pytest.skip("there is no clang-format 14")
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h", "*.h.in", ":!include/parmci.h"], cwd=SOURCE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("this is no checkout")
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *listed.stdout.split()], cwd=SOURCE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout[:4000]
