"""Are the files that are made from others up to date?"""
import difflib
import os
import shutil
import subprocess
import sys

import pytest

from common import INCLUDE, SOURCE, read


@pytest.mark.parametrize("name, command", [
    ("include/parmci.h", [os.path.join(SOURCE, "tools", "gen-parmci"), INCLUDE]),
    ("doc/reference/errors.md", [os.path.join(SOURCE, "doc", "make-errors"), SOURCE]),
    ("doc/reference/defects.md", [os.environ.get("ARMCI_INFO", "tools/armci-info"), "--defects"]),
    ("doc/reference/variables.md", [os.environ.get("ARMCI_INFO", "tools/armci-info"), "--markdown"]),
], ids=["parmci.h", "errors.md", "defects.md", "variables.md"])
def test_is_up_to_date(name, command):
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    difference = "\n".join(difflib.unified_diff(read(name).split("\n"), made.split("\n"), name, command[0], lineterm=""))
    assert not difference, "%s is out of date: make update-generated\n%s" % (name, difference)


def test_remedies(tmp_path):
    """A message of the source without a remedy is found, and a remedy without a message."""
    for folder in ("doc", "include", "src"):
        shutil.copytree(os.path.join(SOURCE, folder), tmp_path / folder)
    changed = tmp_path / "src" / "api" / "rmw.c"
    text = changed.read_text()
    assert '"invalid operation"' in text
    changed.write_text(text.replace('"invalid operation"', '"no such operation"'))
    done = subprocess.run([os.path.join(SOURCE, "doc", "make-errors"), tmp_path], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr == ("doc/errors.in has 0 rows for the message: no such operation\n"
                           "doc/errors.in: no message of src is: invalid operation\n")


def test_results():
    """The records are as their schema says, and the figures of the pages and the pictures are theirs."""
    pytest.importorskip("jsonschema")  # Debian: python3-jsonschema
    done = subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "results", "records.py"), "check"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0 and not done.stdout, done.stdout
