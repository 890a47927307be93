"""Is the version in one place?

- VERSION holds a semantic version, with .dev until it is released, and configure takes it from there;
- the numbers of armci.h are those of it, and each tool says it and the commit it was built from;
- no other file that is compiled, installed or filled in names it;
- NEWS begins with an entry of it; the Debian changelog, the Spack package, the conda recipe, the easyconfigs and CITATION.cff have one too;
- packaging/publish gives each recipe an address, a sum and a name;
- the SONAME's number, which libtool makes of -version-info, is that of the symbol version.
"""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

import pytest

from common import SOURCE, none_of, output, read, run_job

# Where only VERSION may have it.
SILENT = ("configure.ac", "Makefile.am", "*.pc.in", "include/*.h", "src/**/*.[ch]", "src/*.am", "tools/**/*", "packaging/**/*.in", "packaging/*.am",
          "doc/*.am", "doc/man/*", "doc/Doxyfile")
VERSION = read("VERSION").strip()


def first(pattern, name):
    """The first group of the first match in a file."""
    match = re.search(pattern, read(name), re.M)
    assert match, "%s: nothing like %s" % (name, pattern)
    return match[1]


def test_version_is_semantic():
    assert re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(\.dev)?", VERSION)


def test_numbers_of_the_header():
    numbers = [first(r"^#define ARMCI_RMA_VERSION_%s (\d+)$" % part, "include/armci.h") for part in ("MAJOR", "MINOR", "PATCH")]
    assert VERSION.removesuffix(".dev") == ".".join(numbers)


@pytest.mark.parametrize("tool", ["armci-info", "armci-doctor", "armci-bench", "armci-prof"])
def test_tool_says_version_and_commit(tool):
    folder = {"armci-bench": "benchmarks", "armci-prof": "tools/prof"}.get(tool, "tools")
    with open("tools/lib/commit.c", encoding="utf-8") as built:
        commit = re.search(r'return "(.+)";', built.read())[1]
    job = run_job(1, os.path.abspath(os.path.join(folder, tool)), "--version")
    assert job.status == 0 and job.out == "%s (ARMCI-RMA) %s\ncommit %s\n" % (tool, VERSION, commit), job.all


def test_commit(tmp_path):
    """That of a checkout, of an archive by git, of an archive by make dist; a file is replaced if it changes, and stays without an answer."""
    if not shutil.which("git"):
        pytest.skip("no git")
    def git(*command, source=tmp_path / "source"):
        return subprocess.run(["git", "-C", source, "-c", "user.name=a", "-c", "user.email=a@b", *command], capture_output=True, check=True).stdout

    def commit(source, *file):
        return subprocess.run([source / "tools" / "commit", *file], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    source, unpacked, file = tmp_path / "source", tmp_path / "unpacked", tmp_path / "commit.c"
    (source / "tools").mkdir(parents=True)
    unpacked.mkdir()
    for name in ("COMMIT", ".gitattributes", "tools/commit"):
        shutil.copy(os.path.join(SOURCE, name), source / name)
    (source / "COMMIT").write_text("$Format:%H$\n")  # as in a checkout; this source can be an archive
    assert commit(source) == "unknown"
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "First")
    head = git("rev-parse", "HEAD").decode()[:12]
    assert commit(source) == head
    commit(source, file)
    assert 'return "%s";' % head in file.read_text()
    os.utime(file, (1, 1))
    commit(source, file)
    assert file.stat().st_mtime == 1, "written though nothing changed"
    subprocess.run(["tar", "x", "-C", unpacked], input=git("archive", "HEAD"), check=True)
    git("init", "-q", source=unpacked)  # the repository of a packager
    assert commit(unpacked) == head
    (unpacked / "COMMIT").write_text("v1.0-3-g%s-dirty\n" % head)
    assert commit(unpacked) == "v1.0-3-g%s-dirty" % head
    (source / "tools" / "more").write_text("")
    git("add", ".")
    assert commit(source) == head + "-dirty"
    os.rename(source / ".git", source / "away")
    commit(source, file)
    assert file.stat().st_mtime == 1 and commit(source) == "unknown"


def test_configure_reads_it():
    assert "m4_normalize(m4_include([VERSION]))" in read("configure.ac"), "configure.ac does not take the version from VERSION"


def named():
    """Files that must name the version, for those who read them do not have configure: the file, and where in it."""
    return (("NEWS", r"\AARMCI-RMA (\S+)"), ("packaging/debian/changelog", r"\Aarmci-rma \((\S+)-\d+\)"),
            ("packaging/spack/spack_repo/armci_rma/packages/armci_rma/package.py", r'^    version\("([0-9][^"]*)"'), ("CITATION.cff", r"^version: (\S+)"),
            ("packaging/conda/recipe.yaml", r'^  version: "([^"]*)"'), *easyconfigs())


def easyconfigs():
    """Those of this library have its version; those of programs on it depend on that version."""
    for path in sorted(glob.glob(os.path.join(SOURCE, "packaging/easybuild/*.eb"))):
        own = os.path.basename(path).startswith("ARMCI-RMA-")
        yield os.path.relpath(path, SOURCE), r"^version = '([^']*)'" if own else r"\('ARMCI-RMA', '([^']*)'\)"


@pytest.mark.parametrize("name, pattern", named(), ids=[name for name, _ in named()])
def test_others_say_the_same(name, pattern):
    assert first(pattern, name).replace("~dev", ".dev") == VERSION, name


def test_no_other_file_names_it():
    word, breaches = re.compile(r"(?<![\w.])" + re.escape(VERSION) + r"(?![\w.]*\d)"), []
    for pattern in SILENT:
        for path in filter(os.path.isfile, glob.glob(os.path.join(SOURCE, pattern), recursive=True)):
            with open(path, encoding="utf-8", errors="replace") as file:
                breaches += ["%s:%d: names the version: take it from VERSION" % (os.path.relpath(path, SOURCE), number)
                             for number, line in enumerate(file, 1) if word.search(line)]
    none_of(breaches)


def test_soname():
    """libtool's SONAME number is current - age; the symbol version bears it too."""
    current, _, age = map(int, first(r"-version-info (\d+:\d+:\d+)", "src/sources.am").split(":"))
    assert current - age == int(first(r"^ARMCI_RMA_(\d+) \{", "src/libarmci.map")), "the symbol version of src/libarmci.map"


def test_published_recipes(tmp_path):
    """With an archive, addresses and a name, no recipe lacks one of them."""
    archive, recipes = tmp_path / ("armci-rma-%s.tar.gz" % VERSION), tmp_path / "recipes"
    archive.write_bytes(b"an archive")
    said = output(sys.executable, "-B", os.path.join(SOURCE, "packaging", "publish"), str(archive), "https://example.org", "https://example.org/files/",
                  "Someone <one@example.org>", str(recipes))
    assert not said, said
    texts = {path.relative_to(recipes).as_posix(): path.read_text() for path in recipes.rglob("*")
             if path.is_file() and not path.name.startswith("GlobalArrays")}  # an archive of others
    none_of(["%s has a placeholder" % name for name, text in texts.items() if re.search(r"\.invalid|checksums = \[None\]|path: \.\./\.\.", text)])
    sha256, url = hashlib.sha256(b"an archive").hexdigest(), "https://example.org/files/" + archive.name
    spack = "spack/spack_repo/armci_rma/packages/armci_rma/package.py"
    for name in (spack, "conda/recipe.yaml"):
        assert sha256 in texts[name] and url in texts[name], name
    compile(texts[spack], "package.py", "exec")
    for name in texts:
        assert not name.startswith("easybuild/") or sha256 in texts[name] and "https://example.org/files'" in texts[name], name
    assert "Homepage: https://example.org\n" in texts["debian/control"] and "Someone <one@example.org>" in texts["debian/changelog"]
