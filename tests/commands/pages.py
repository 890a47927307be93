"""The command lines of the pages, and the list of what runs them."""
import glob
import os
import re

SOURCE = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGES = ["README.md", "CONTRIBUTING.md", *sorted(os.path.relpath(path, SOURCE) for path in glob.glob(os.path.join(SOURCE, "doc", "*.md")))]


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def line_of(text):
    """A line without its comment and with single blanks."""
    return " ".join(re.sub(r"(?:^|\s+)(?:#(?!!)|/\*).*", "", text).split())


def blocks(page):
    """The lines of each indented block, continued lines as one; fenced blocks are none."""
    text = re.sub(r"^```.*?^```$", "", read(page), flags=re.M | re.S)
    for block in re.findall(r"(?:^    .*\n)+", text, re.M):
        lines = [line for line in map(line_of, re.sub(r"\\\n", " ", block).splitlines()) if line]
        if lines:
            yield lines


class Part:
    """A part of the list: its kind (run, else, text), what is said of it, and its lines."""

    def __init__(self, head):
        self.kind, _, self.head = head.partition(" ")
        self.lines = []


def parts():
    found = []
    for line in read("tests", "commands", "list").splitlines():
        if re.match(r"(?:run|else) |text$", line):
            found.append(Part(line))
        elif line and (not line.startswith("#") or line.startswith("#!")):
            found[-1].lines.append(line)
    return found
