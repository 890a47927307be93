"""Is the web site of the documentation built without a warning or a broken link? Only where make site has installed MkDocs."""
import os
import subprocess

from common import SOURCE, doc_tools


def test_is_built(tmp_path):
    done = subprocess.run([os.path.join(SOURCE, "doc", "make-site"), str(tmp_path), doc_tools()], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
