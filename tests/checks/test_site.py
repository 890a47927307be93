"""Is the web site of the documentation built without a warning or a broken link? Only where MkDocs is (make site installs it)."""
import os
import subprocess
import sys

import pytest

from common import SOURCE

CACHE = os.environ.get("ARMCI_CACHE") or os.path.expanduser("~/.cache/armci-rma")


def python_with_mkdocs():
    for python in (os.path.join(CACHE, "doc-tools", "bin", "python"), sys.executable):
        try:
            done = subprocess.run([python, "-c", "import mkdocs, material"], stderr=subprocess.DEVNULL, check=False)
        except FileNotFoundError:
            continue
        if done.returncode == 0:
            return python
    return pytest.skip("no MkDocs: make site")


def test_is_built(tmp_path):
    done = subprocess.run([os.path.join(SOURCE, "doc", "make-site"), str(tmp_path), python_with_mkdocs()], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
