"""Are the files that are made from others up to date?"""
import difflib
import os
import subprocess

import pytest

from common import INCLUDE, SOURCE, doc_tools, read


@pytest.mark.parametrize("name, command", [
    ("include/parmci.h", [os.path.join(SOURCE, "tools", "gen-parmci"), INCLUDE]),
    ("doc/scaling.md", [os.path.join(SOURCE, "doc", "make-scaling"), SOURCE]),
    ("doc/variables.md", [os.environ.get("ARMCI_INFO", "tools/armci-info"), "--markdown"]),
], ids=["parmci.h", "scaling.md", "variables.md"])
def test_is_up_to_date(name, command):
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    difference = "\n".join(difflib.unified_diff(read(name).split("\n"), made.split("\n"), name, command[0], lineterm=""))
    assert not difference, "%s is out of date: make update-generated\n%s" % (name, difference)


def test_picture_of_scaling(tmp_path):
    """It is drawn from the data, and no point is outside of it."""
    subprocess.run([doc_tools(), os.path.join(SOURCE, "doc", "make-scaling"), SOURCE, str(tmp_path)], stdout=subprocess.DEVNULL, check=True)
    for name in ("scaling-light.svg", "scaling-dark.svg"):
        assert (tmp_path / name).read_text() == read("doc", "img", name), "%s is out of date: make update-generated" % name
