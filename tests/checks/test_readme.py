"""Is README.md short, and does everything in it exist?

- README.md has at most 100 lines and 800 words;
- commands of this project in its indented blocks exist: scripts, configure and its options, words of quickstart, installed programs and their
  options; each environment variable is known;
"""
import os
import re

import pytest

from common import SOURCE, makefile, none_of, output, read

LONGEST, WORDS = 100, 800
VARIABLES = ("ARMCI_NETWORK", "EXTERNAL_ARMCI_PATH", "CC", "HOME", "LD_LIBRARY_PATH")  # NWChem's, configure's, the shell's
TEXT = read("README.md")


def commands(text):
    """Lines of indented blocks without their comments."""
    return [re.sub(r"\s+#.*", "", line.strip()) for line in text.splitlines() if line.startswith("    ") and line.strip()]


def missing_options(program, words, known):
    return ["%s has no option %s" % (program, option) for option in words if option.startswith("-") and len(option) > 1
            and not re.search(re.escape(option.split("=")[0]) + r"(?![\w-])", known)]


def faults_of_installed(name, arguments):
    path = next((os.path.join(folder, name) for folder in ("tools", "benchmarks", os.path.join(SOURCE, "tools"))
                 if os.path.exists(os.path.join(folder, name))), None)
    installed = re.search(r"^bin_(?:PROGRAMS|SCRIPTS) = .*\b%s\b|^dist_bin_SCRIPTS = .*\b%s\b" % (name, name), makefile(), re.M)
    return ([] if installed else ["%s is not installed" % name]) + \
        missing_options(name, arguments, output(path, "--help") if path and arguments else "")


def faults_of_script(name, arguments):
    path = os.path.join(SOURCE, name)
    if not os.access(path, os.X_OK):
        return ["%s is no program of the source" % name]
    known = output(path, "--help") if arguments else ""
    return missing_options(name, arguments, known) + ["%s has no command %s" % (name, word) for word in arguments if
                                                      re.fullmatch(r"[a-z]+", word) and not re.search(r"%s %s\b" % (name, word), known)]


@pytest.mark.parametrize("command", commands(TEXT))
def test_command(command):
    """A pipeline, or a list of commands; words before our program's (srun and its options) belong to others."""
    faults = []
    for part in re.split(r"&&|\|", command):
        words = part.split()
        program = next((i for i, word in enumerate(words) if re.match(r"\.\.?/", word) or re.search(r"^(?!-)(?:[^=]*/)?armci-\w+$", word)), None)
        if program is not None:
            name = os.path.basename(words[program])
            faults += (faults_of_installed if name.startswith("armci-") else faults_of_script)(name, words[program + 1:])
    none_of(faults)


def test_there_are_commands():
    assert len(commands(TEXT)) > 5


def test_length():
    assert len(TEXT.splitlines()) <= LONGEST
    assert len(TEXT.split()) <= WORDS


def test_variables():
    known = read("doc", "reference", "variables.md")
    none_of(["%s is no environment variable" % name
             for name in sorted(set(re.findall(r"\b([A-Z][A-Z_]+)=", TEXT) + re.findall(r"\$\{?([A-Z][A-Z_]+)", TEXT)))
             if name not in VARIABLES and not re.search(r"^\| %s \|" % name, known, re.M)])
    for name, value in re.findall(r"\b(ARMCI_[A-Z_]+)=([\w-]+)", TEXT):
        row = re.search(r"^\| %s \| (\S+(?: or \S+)*) \|" % name, known, re.M)
        assert not row or "|" not in row[1] or value in row[1].replace("\\", "").split("|"), "%s=%s is no value" % (name, value)
