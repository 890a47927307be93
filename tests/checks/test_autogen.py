"""Do autogen.sh, without pkg-config's macros, and configure, on other systems than Linux or where make or libtool cannot take the name of a
folder, end with a line that says what is wrong?"""
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


def configure(folder, *options, program=os.path.join(SOURCE, "configure")):
    """What configure prints in that folder, after which it must fail. Where no other line comes first, it is that of another system."""
    done = subprocess.run([program, "--host=x86_64-apple-darwin23", *options], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    assert done.returncode != 0, "it succeeds"
    return done.stdout


@pytest.mark.parametrize("host", ["x86_64-apple-darwin23", "aarch64-apple-darwin23", "amd64-unknown-freebsd14"])
def test_configure_on_another_system(host, tmp_path):
    assert "ARMCI-RMA runs on Linux only" in configure(tmp_path, "--host=" + host)


UNSAFE = {"blank": " ", "tab": "\t", "newline": "\n", **{c: c for c in "#$'\"`\\&;|<>()*?[]{}!~,:%^"}}


@pytest.mark.parametrize("character", UNSAFE)
def test_configure_with_an_unsafe_folder(character, tmp_path):
    name = "some%sprograms" % UNSAFE[character]
    refused = [configure(tmp_path, "--%s=/opt/%s" % (option, name)) for option in ("prefix", "libdir")]
    (tmp_path / name).mkdir()
    refused.append(configure(tmp_path / name))
    for text in refused:
        errors = [line for line in text.splitlines() if "error" in line]
        assert len(errors) == 1 and "letters, digits and / . _ - + = @ are safe" in errors[0], text
        assert "checking for gcc" not in text, text


def test_configure_with_an_unsafe_source(tmp_path):
    source = tmp_path / "the source"
    (source / "include").mkdir(parents=True)
    shutil.copy(os.path.join(SOURCE, "configure"), source)
    shutil.copytree(os.path.join(SOURCE, "build-aux"), source / "build-aux")
    shutil.copy(os.path.join(SOURCE, "include", "armci.h"), source / "include")
    (tmp_path / "build").mkdir()
    for program in (source / "configure", "../the source/configure"):
        text = configure(tmp_path / "build", program=program)
        assert "error: the source folder '%s'" % source in text, text


def test_configure_with_odd_but_safe_folders(tmp_path):
    folder = tmp_path / "a_build-of+MPI@4=\u00e4\u4e2d.x"
    folder.mkdir()
    assert "ARMCI-RMA runs on Linux only" in configure(folder, "--prefix=" + str(folder), "--libdir=${exec_prefix}/lib/x86_64")
