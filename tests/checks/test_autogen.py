"""Do autogen.sh, without pkg-config's macros, and configure, on other systems than Linux, end with a line that says what is wrong?"""
import glob
import os
import shutil
import subprocess

import pytest

from common import SOURCE, environment


def test_autogen_without_pkg_config(tmp_path):
    if not shutil.which("aclocal"):
        pytest.skip("there is no aclocal")
    macros = subprocess.run(["aclocal", "--print-ac-dir"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if not os.path.exists(os.path.join(macros, "libtool.m4")):
        pytest.skip("libtool.m4 is not in %s" % macros)
    for folder in ("macros", "m4"):
        (tmp_path / folder).mkdir()
    for name in ("autogen.sh", "configure.ac", "VERSION"):
        shutil.copy(os.path.join(SOURCE, name), tmp_path)
    for path in glob.glob(os.path.join(macros, "*.m4")):
        if os.path.basename(path) != "pkg.m4":
            os.symlink(path, tmp_path / "macros" / os.path.basename(path))
    variables = {"ACLOCAL_PATH": "", "ACLOCAL": "aclocal --system-acdir=%s" % (tmp_path / "macros")}
    done = subprocess.run(["./autogen.sh"], cwd=tmp_path, env=environment(variables), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode != 0, "it succeeds without pkg.m4"
    assert "pkg-config is not installed" in done.stdout
    assert not (tmp_path / "configure").exists(), "it makes a configure"


@pytest.mark.parametrize("host", ["x86_64-apple-darwin23", "aarch64-apple-darwin23", "amd64-unknown-freebsd14"])
def test_configure_on_another_system(host, tmp_path):
    done = subprocess.run([os.path.join(SOURCE, "configure"), "--host=" + host], cwd=tmp_path, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode != 0, "it succeeds"
    assert "ARMCI-RMA runs on Linux only" in done.stdout
