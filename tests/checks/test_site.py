"""Is the web site of the documentation built without a warning or a broken link? Only where make site has installed MkDocs."""
import os
import re
import subprocess
import sys

from common import SOURCE, doc_tools


def test_is_built(tmp_path):
    done = subprocess.run([os.path.join(SOURCE, "doc", "make-site"), str(tmp_path), doc_tools()], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    # Figures that are older than the sources are marked, and no others.
    stale = subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "results", "records.py"), "stale", "doc/performance.md"], stdout=subprocess.PIPE, text=True,
                           check=False).stdout.splitlines()
    marked = set(re.findall(r'class="stale" href="[^"#]*#([a-z0-9-]+)"', (tmp_path / "html" / "performance.html").read_text()))
    assert marked == {line.split(": ")[1] for line in stale}
