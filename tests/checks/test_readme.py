"""Is README.md short, and does everything in it exist?

- README.md has at most 100 lines and 800 words, and in no cell more than 120 characters;
- each command line of the pages is run, or has a reason why not: tests/commands/list is complete and has no other lines;
- commands of this project in indented blocks, of all pages, exist: scripts, configure and its options, words of quickstart, installed programs
  and their options; each environment variable of README.md is known;
"""
import os
import re
import shlex
import sys

import pytest

from common import SOURCE, makefile, none_of, output, read

sys.path.append(os.path.join(SOURCE, "tests", "commands"))
import pages  # noqa: E402  its folder comes first

LONGEST, WORDS, CELL = 100, 800, 120
VARIABLES = ("ARMCI_NETWORK", "EXTERNAL_ARMCI_PATH", "CC", "HOME", "LD_LIBRARY_PATH")  # NWChem's, configure's, the shell's
TEXT = read("README.md")
THEIRS = ("program", "hello", "libtool", "armci-rma")  # programs of users, the module, what a build makes


def commands(page):
    """Lines of indented blocks without their comments, continued lines as one. Blocks that build programs of others are left out: make check-ga
    and check-nwchem run their lines."""
    for block in re.findall(r"(?:^    .*\n)+", read(page), re.M):
        if "tar xf" not in block:
            for line in re.sub(r"\\\n", " ", block).splitlines():
                yield re.sub(r"(?:^|\s+)#.*", "", line.strip())


def missing_options(program, words, known):
    return ["%s has no option %s" % (program, option) for option in words if option.startswith("-") and len(option) > 1
            and not re.search(re.escape(option.split("=")[0]) + r"(?![\w-])", known)]


def help_of(path, arguments):
    return output(path, "--help") if path and any(word.startswith("-") for word in arguments) else ""


def faults_of_installed(name, arguments):
    path = next((os.path.join(folder, name) for folder in ("tools", "tools/prof", "benchmarks", os.path.join(SOURCE, "tools"))
                 if os.path.exists(os.path.join(folder, name))), None)
    installed = re.search(r"^(?:dist_)?bin_(?:PROGRAMS|SCRIPTS) = .*\b%s\b" % name, makefile(), re.M)
    return ([] if installed else ["%s is not installed" % name]) + missing_options(name, arguments, help_of(path, arguments))


def faults_of_script(path, arguments):
    name, path = os.path.basename(path), os.path.join(SOURCE, re.sub(r"^(?:\.\.?/)+", "", path))
    if not os.access(path, os.X_OK):
        return ["%s is no program of the source" % name]
    known = output(path, "--help") if name == "quickstart" else help_of(path, arguments)
    return missing_options(name, arguments, known) + ["%s has no command %s" % (name, word) for word in arguments if name == "quickstart" and
                                                      re.fullmatch(r"[a-z]+", word) and not re.search(r"%s %s\b" % (name, word), known)]


def words_of(command):
    """As a shell divides it; none of a line that is no command."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def faults_of_list(blocks, parts):
    """What the list of command lines lacks, and what it has beyond these blocks."""
    run = {pages.line_of(line.removeprefix("? ")) for part in parts if part.kind == "run" for line in part.lines if line[:2] not in ("+ ", "= ")}
    heads, used, faults = {line for part in parts if part.kind != "run" for line in part.lines}, set(), []
    for page, lines in blocks:
        if lines[0] in heads:
            used.add(lines[0])
            continue
        used |= set(lines)
        faults += ["%s: in no part of tests/commands/list: %s" % (page, line) for line in lines if line not in run | heads]
    return faults + ["tests/commands/list: on no page: " + line for line in sorted(run | heads) if line not in used]


def test_lines_are_run():
    none_of(faults_of_list([(page, lines) for page in pages.PAGES for lines in pages.blocks(page)], pages.parts()))


def test_lines_that_nothing_runs():
    """A line that the list lacks is found, and one that no page has."""
    part = pages.Part("run one")
    part.lines = ["+ cd there", "make one", "make three"]
    assert faults_of_list([("a.md", ["make one", "make two"])], [part]) == ["a.md: in no part of tests/commands/list: make two",
                                                                           "tests/commands/list: on no page: make three"]


@pytest.mark.parametrize("page", pages.PAGES)
def test_commands(page):
    """Pipelines, or lists of commands; words before our program's (srun and its options) belong to others."""
    faults = []
    for part in (part for command in commands(page) for part in re.split(r"&&|\|", command)):
        words = words_of(part.strip(" ()"))
        program = next((i for i, word in enumerate(words) if re.match(r"\.\.?/", word) or re.search(r"^(?!-)(?:[^=]*(?:bin|tools)/)?armci-\w+$", word)), None)
        if program is not None and words[0] != "cd" and os.path.basename(words[program]) not in THEIRS:
            name = os.path.basename(words[program])
            faults += faults_of_installed(name, words[program + 1:]) if name.startswith("armci-") else faults_of_script(words[program], words[program + 1:])
    none_of(faults)


def test_there_are_commands():
    assert len(list(commands("README.md"))) > 5


def test_length():
    assert len(TEXT.splitlines()) <= LONGEST
    assert len(TEXT.split()) <= WORDS
    none_of([cell for cell in re.findall(r"(?<=\| )[^|\n]+(?= \|)", TEXT) if len(cell) > CELL])


def test_variables():
    known = read("doc", "reference", "variables.md")
    none_of(["%s is no environment variable" % name
             for name in sorted(set(re.findall(r"\b([A-Z][A-Z_]+)=", TEXT) + re.findall(r"\$\{?([A-Z][A-Z_]+)", TEXT)))
             if name not in VARIABLES and not re.search(r"^\| %s \|" % name, known, re.M)])
    for name, value in re.findall(r"\b(ARMCI_[A-Z_]+)=([\w-]+)", TEXT):
        row = re.search(r"^\| %s \| (\S+(?: or \S+)*) \|" % name, known, re.M)
        assert not row or "|" not in row[1] or value in row[1].replace("\\", "").split("|"), "%s=%s is no value" % (name, value)
