#!/usr/bin/env python3
"""api.py OUT: manual pages of the interface and of the environment variables in the folder OUT, by Doxygen and pandoc.

Doxygen reads the comments of the headers; this module turns its XML into Markdown, for pandoc here and for the web site (make-site).
Section 3: one page for each family (a Doxygen group) of functions, named after its first function, and armci.3 from the main page; every other
function has a page that points to its family's. armci-environment.7: from doc/reference/variables.md. The examples are those of doc/guide.md,
doc/semantics.md and doc/reference/examples.md, which are tested. The date is SOURCE_DATE_EPOCH, if that is set.
"""
import concurrent.futures
import glob
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
SYMBOLS = ("`me`, `left` and `right` are process numbers of `n`; `slice[p]` is memory of process p, from ARMCI_Malloc, and `local` is private "
           "memory, each of 1000 doubles that are 0; `check` is an assertion.")
ENVIRONMENT_EXAMPLES = """ARMCI_VERBOSE=1 mpiexec -n 4 ./program      # MPICH: passes the environment to all nodes
mpirun -x ARMCI_VERBOSE=1 -n 4 ./program    # Open MPI: passes what -x names
ARMCI_SHM=no armci-info --changed           # the variables that are set, and what they are taken for
"""


# ---- Doxygen's XML

def inline(node):
    """Running text of a paragraph as Markdown, without the sections and lists in it."""
    out = node.text or ""
    for child in node:
        if child.tag == "computeroutput":
            out += "`%s`" % "".join(child.itertext())
        elif child.tag not in ("simplesect", "itemizedlist"):
            out += inline(child)
        out += child.tail or ""
    return " ".join(out.split())


def blocks(node):
    """Paragraphs of a description, its lists, and its sections, which begin with a title in bold."""
    out = []
    for para in node.findall("para"):
        out += [inline(para)] if inline(para) else []
        for child in para:
            if child.tag == "itemizedlist":
                out.append("\n".join("- " + inline(item.find("para")) for item in child))
            elif child.tag == "simplesect":
                first, *rest = blocks(child) or [""]
                out += ["**%s.** %s" % (child.findtext("title"), first), *rest]
    return out


def description(node):
    """The brief and the detailed description as paragraphs: the first of the latter continues the former."""
    brief, detailed = (blocks(node.find(name)) for name in ("briefdescription", "detaileddescription"))
    return [brief[0] + " " + detailed[0], *detailed[1:]] if brief and detailed and not detailed[0].startswith(("**", "- ")) else brief + detailed


def text_of(node, name):
    """All text of a child; empty without that child."""
    child = node.find(name)
    return "" if child is None else " ".join("".join(child.itertext()).split())


def declared(node):
    """A constant, type or member of a structure as C declares it."""
    name, kind = text_of(node, "name") or text_of(node, "compoundname"), node.get("kind")
    before = {"variable": text_of(node, "type"), "typedef": "typedef " + text_of(node, "type"), "define": "#define"}.get(kind, kind)
    return " ".join(part for part in (before, name + text_of(node, "argsstring"), text_of(node, "initializer")) if part).replace("* ", "*")


def type_of(node):
    """A constant, type or structure: its declaration, and its description, with a list of values or members."""
    parts = node.findall("enumvalue") or [part for part in node.iter("memberdef") if part is not node]
    listed = "\n".join("- `%s`: %s" % (declared(part).replace("None ", ""), " ".join(description(part)).rstrip(".")) for part in parts)
    return declared(node), description(node) + [listed] * bool(parts)


class Family:
    """A group of a header: title, description, functions (name, prototype, description), constants and types (declaration, description)."""

    def __init__(self, group, xml_folder):
        self.title, self.text = group.findtext("title"), description(group)
        members = list(group.iter("memberdef"))
        structures = [parse(xml_folder, inner.get("refid")) for inner in group.iter("innerclass")]
        self.header = os.path.basename((members or structures)[0].find("location").get("file"))
        self.functions = [(m.findtext("name"), prototype(m), " ".join(description(m))) for m in members if m.get("kind") == "function"]
        self.types = [type_of(m) for m in [*members, *structures] if m.get("kind") != "function"]


def prototype(member):
    """The declaration as C writes it, wrapped after commas."""
    text = re.sub(r"\* (?=[\w*])", "*", "%s%s;" % (member.findtext("definition"), member.findtext("argsstring")))
    text = re.sub(r"(\w)(\*+)(?=\w)", r"\1 \2", text)
    first, *rest = text.split(", ")
    lines = [first]
    for parameter in rest:
        if len(lines[-1]) + len(parameter) > 96:
            lines[-1] += ","
            lines.append(" " * (text.index("(") + 1) + parameter)
        else:
            lines[-1] += ", " + parameter
    return "\n".join(lines)


def parse(folder, name):
    return xml.etree.ElementTree.parse(pathlib.Path(folder) / (name + ".xml")).getroot().find("compounddef")


def read():
    """The description of the main page, and all families in the order of the headers."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["doxygen", HERE / "Doxyfile"], env={**os.environ, "SOURCE": str(TOP), "REFERENCE": folder}, check=True)
        names = re.findall(r"@defgroup (\w+)", "".join((TOP / "include" / name).read_text(encoding="utf-8") for name in ("armci.h", "message.h", "armcix.h")))
        xml_folder = os.path.join(folder, "xml")
        return description(parse(xml_folder, "indexpage")), [Family(parse(xml_folder, "group__" + name), xml_folder) for name in names]


# ---- manual pages

def snippets():
    """The examples of these pages, the shortest first."""
    loader = importlib.machinery.SourceFileLoader("extract_snippets", str(HERE / "extract-snippets"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(script)
    return sorted((text for page in ("guide.md", "semantics.md", "reference/examples.md") for _, _, text in script.examples(str(HERE / page))), key=len)


def examples(family, known, programs):
    """The shortest example that calls a function of the family, the first ones preferred, and the names of programs that do."""
    calls = [re.compile(r"\b%s\(" % name) for name, _, _ in family.functions]
    example = next((text for call in calls for text in known if call.search(text)), None)
    names = [name for name, text in programs.items() if any(call.search(text) for call in calls)]
    out = ["# EXAMPLES"] if example or names else []
    out += [SYMBOLS, fenced(example.strip("\n"))] if example else []
    return out + (["Programs in the folder examples of the documentation: %s." % ", ".join(names)] if names else [])


def fenced(text):
    return "```\n%s\n```" % text


def see_also(*pages):
    return ["# SEE ALSO", ", ".join("**%s**(%s)" % tuple(page.rsplit(".", 1)) for page in pages)]


def definition(term, text):
    return "%s\n:   %s" % (term, text)


def headed(blocks):
    """The paragraphs with a title as sections of a manual page."""
    return [re.sub(r"\*\*(\w+)\.\*\* ", lambda title: "# %s\n\n" % title[1].upper(), block) for block in blocks]


def types_of(family):
    return [block for name, text in family.types for block in (fenced(name), *text)]


def family_page(family, known, programs, others):
    names = [name for name, _, _ in family.functions]
    sections = next((i for i, block in enumerate(family.text) if block.startswith("**")), len(family.text))
    return ["# NAME", "%s - %s" % (", ".join(names), family.title[0].lower() + family.title[1:]),
            "# SYNOPSIS", fenced("\n".join(["#include <%s>\n" % family.header, *(text for _, text, _ in family.functions)])),
            "# DESCRIPTION", *family.text[:sections], *(definition("**%s**" % name, text) for name, _, text in family.functions), *types_of(family),
            *headed(family.text[sections:]), "**armci**(3) has the titles of [A] to [D]." if re.search(r"\[[A-D]\]", " ".join(family.text[sections:])) else "",
            *examples(family, known, programs), *see_also("armci.3", "armci-environment.7", *others)]


def overview_page(text, families, program):
    functions = [definition("**%s**(3)" % family.functions[0][0], "%s: %s." % (family.title, ", ".join(name for name, _, _ in family.functions)))
                 for family in families if family.functions]
    return ["# NAME", "armci - one-sided communication", "# SYNOPSIS",
            fenced("#include <armci.h>\n#include <message.h>\n#include <armcix.h>\n\nmpicc ... `pkg-config --cflags --libs armci`"),
            "# DESCRIPTION", *headed(text), "# FUNCTIONS", *functions,
            "# CONSTANTS AND TYPES", *(block for family in families if not family.functions for block in types_of(family)),
            "# EXAMPLES", fenced(program.strip("\n")),
            *see_also("armci-bench.1", "armci-doctor.1", "armci-info.1", "armci-prof.1", "armci-stats.1", "armci-environment.7")]


def environment_page(markdown):
    """The page of the variables, its tables as lists."""
    out = ["# NAME", "armci-environment - environment variables of ARMCI-RMA", "# DESCRIPTION"]
    for block in re.split(r"\n\s*\n", markdown.split("\n", 1)[1].strip()):
        if block.startswith("|"):
            for row in block.split("\n")[2:]:
                cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip("|"))]
                out.append(definition("**%s**" % cells[0], cells[1] + ".") if len(cells) == 2 else
                           definition("**%s**=*%s*" % (cells[0], cells[1]), "%s. Default: %s." % (cells[3], cells[2])))
        elif not block.startswith("Written by"):
            out.append(block)
    return out + ["# EXAMPLES", fenced(ENVIRONMENT_EXAMPLES.strip()), *see_also("armci-info.1", "armci-doctor.1", "armci-stats.1", "armci.3")]


FILTER = """
function Code(code) return pandoc.Strong(pandoc.Str(code.text)) end
"""


def write(path, content):
    """A page by pandoc, from blocks of Markdown."""
    name, section = path.name.rsplit(".", 1)
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())))
    made = subprocess.run(["pandoc", "-s", "-f", "markdown-smart-tex_math_dollars-citations", "-t", "man", "--lua-filter", path.parent / "filter.lua", "-M", "title=" + name.upper(),
                           "-M", "section=" + section, "-M", "date=" + date, "-M", "header=ARMCI", "-M", "footer=ARMCI-RMA"],
                          input="\n\n".join(content), stdout=subprocess.PIPE, text=True, check=True).stdout
    path.write_text(made.replace("\\f[C]", "\\f[R]"), encoding="utf-8")


def main(out):
    out = pathlib.Path(out)
    main_text, families = read()
    pages = [family for family in families if family.functions]
    programs = {os.path.basename(path): pathlib.Path(path).read_text(encoding="utf-8") for path in sorted(glob.glob(str(TOP / "examples" / "*.c")))}
    known, first = snippets(), [family.functions[0][0] + ".3" for family in pages]
    contents = {"armci.3": overview_page(main_text, families, programs["hello.c"]),
                "armci-environment.7": environment_page((HERE / "reference" / "variables.md").read_text(encoding="utf-8"))}
    for i, family in enumerate(pages):
        contents[first[i]] = family_page(family, known, programs, first[max(0, i - 1):i] + first[i + 1:i + 2])
        for name, _, _ in family.functions[1:]:
            (out / (name + ".3")).write_text(".so man3/%s\n" % first[i], encoding="utf-8")
    (out / "filter.lua").write_text(FILTER)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda name: write(out / name, contents[name]), contents))
    (out / "filter.lua").unlink()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.dont_write_bytecode = True  # of the script beside this one
    main(sys.argv[1])
