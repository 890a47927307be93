"""Are the files that are made from others up to date?"""
import difflib
import os
import re
import shutil
import subprocess
import sys

import pytest

from common import INCLUDE, SOURCE, doc_tools, read


@pytest.mark.parametrize("name, command", [
    ("include/parmci.h", [os.path.join(SOURCE, "tools", "gen-parmci"), INCLUDE]),
    ("doc/scaling.md", [os.path.join(SOURCE, "doc", "make-scaling"), SOURCE]),
    ("doc/reference/defects.md", [os.environ.get("ARMCI_INFO", "tools/armci-info"), "--defects"]),
    ("doc/reference/variables.md", [os.environ.get("ARMCI_INFO", "tools/armci-info"), "--markdown"]),
], ids=["parmci.h", "scaling.md", "defects.md", "variables.md"])
def test_is_up_to_date(name, command):
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    difference = "\n".join(difflib.unified_diff(read(name).split("\n"), made.split("\n"), name, command[0], lineterm=""))
    assert not difference, "%s is out of date: make update-generated\n%s" % (name, difference)


def test_picture_of_scaling(tmp_path):
    """It is drawn from the data, and no point is outside of it."""
    subprocess.run([doc_tools(), os.path.join(SOURCE, "doc", "make-scaling"), SOURCE, str(tmp_path)], stdout=subprocess.DEVNULL, check=True)
    for name in ("scaling-light.svg", "scaling-dark.svg"):
        assert (tmp_path / name).read_text() == read("doc", "img", name), "%s is out of date: make update-generated" % name


def test_results():
    """The records are as their schema says, and the figures of the pages and the pictures are theirs."""
    done = subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "results", "results.py"), "check"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0 and not done.stdout, done.stdout


@pytest.mark.parametrize("file, old, new, complaint", [
    ("results/times.json", '"median_ns": 4.984', '"median_ns": 7.984', "(?s)doc/performance.md differs.*node-light.svg was not drawn"),
    ("results/times.json", '"name": "get 8 B", "valid": true', '"name": "put 8 B", "valid": true', "two values for node-mpich-latency-put-8-b"),
    ("results/tests.json", '"passed": 45', '"passed": -1', "less than the minimum"),
    ("results/tests.json", '"machine": "m4"', '"machine": "m99"', "no machine m99"),
    ("doc/performance.md", "#node-mpich-latency-put-8-b)", "#node-mpich-latency-put-9-b)", "no figure has the id node-mpich-latency-put-9-b"),
    ("doc/performance.md", "[5 ns](", "[4 ns](", "doc/performance.md differs from the data"),
], ids=["value", "twice", "schema", "machine", "id", "page"])
def test_wrong_results(tmp_path, file, old, new, complaint):
    """Each of these mistakes is found."""
    for folder in ("results", "doc"):
        shutil.copytree(os.path.join(SOURCE, folder), tmp_path / folder, ignore=shutil.ignore_patterns("man", "*.pyc"))
    for page in ("README.md", "CONTRIBUTING.md"):
        shutil.copy(os.path.join(SOURCE, page), tmp_path)
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new, 1))
    done = subprocess.run([sys.executable, "-B", tmp_path / "results" / "results.py", "check"], stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and re.search(complaint, done.stdout), done.stdout
