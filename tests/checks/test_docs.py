"""Do the pages say what is there?

- every public function has a page or points to one, and every program that is installed has one;
- every page goes through groff, and the comments of the headers through Doxygen, without a warning (where they are installed);
- every option that a program's --help lists is in its page;
- doc/troubleshooting.md explains each warning;
- messages that the Markdown pages quote, and what doc/troubleshooting.md tells to look for, are texts of the source;
- the doctor's rows name variables that exist;
- the Markdown pages are written for those who read them: no commit, date or processor, short lines, paragraphs and cells;
- a measured time or rate on the pages of results names its record;
- the Markdown pages name files, make targets, functions of the library and environment variables that exist, and their links lead somewhere.
"""
import glob
import os
import re
import shutil

import pytest

from common import SOURCE, makefile, none_of, output, public_functions, read

FOLDERS = "src|tests|doc|tools|include|examples|benchmarks|packaging"
OTHERS = ("ARMCI_NETWORK", "ARMCI_USE_WIN_ALLOCATE")  # variables of NWChem and ARMCI-MPI
ELSEWHERE = ("src/config/makefile.h",)  # files of NWChem
EXTENSIONS = ("", ".c", ".h", ".F90", ".md", ".in")


def markdown():
    pages = sorted(os.path.relpath(path, SOURCE) for folder in ("doc", "doc/reference") for path in glob.glob(os.path.join(SOURCE, folder, "*.md")))
    pages.remove("doc/reference/results.md")  # records: what they name need not be there any more
    return ["README.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", *pages]


# ---- manual pages ----

@pytest.fixture(scope="module", name="pages")
def manual_pages():
    """The manual pages of the build folder or of an archive, by file name without folder."""
    paths = glob.glob("doc/man/made/*.[137]") or glob.glob(os.path.join(SOURCE, "doc", "man", "made", "*.[137]"))
    if not re.search("^made_pages = ", makefile(), re.M):
        pytest.skip("no doxygen, help2man and pandoc, which make the manual pages")
    return {os.path.basename(path): os.path.abspath(path) for path in sorted(paths)}


def test_pages_have_dates(pages):
    """Each has the day of the last change, so that it can be made again with the same bytes."""
    heads = {name: re.search(r"^\.TH (.*)$", read(path), re.M) for name, path in pages.items() if not read(path).startswith(".so ")}
    none_of(["%s has no date: %s" % (name, head and head[1]) for name, head in heads.items() if not head or not re.search(r'"(\d{4}-\d\d-\d\d|[A-Z]\w+ \d{4})"', head[1])])


def test_pages_refer_to_pages(pages):
    """Each page that SEE ALSO names is there."""
    named = {(name, "%s.%s" % other) for name, path in pages.items() for other in re.findall(r"^(?:, )?\\f\[B\](\S+?)\\f\[R\]\((\d)\)|^\.BR (\S+) \((\d)\)",
             read(path).partition("SEE ALSO")[2].replace("\\-", "-"), re.M) for other in [tuple(filter(None, other))]}
    assert len(named) > len(pages) / 10
    none_of(["%s names %s, which is no page" % pair for pair in sorted(named) if pair[1] not in pages])


def test_functions_have_pages(pages):
    names, faults = public_functions(), []
    assert names, "no public functions"
    for name in names:
        text = read(pages[name + ".3"]) if name + ".3" in pages else ""
        link = re.match(r"\.so man3/(\S+)\n$", text)
        if name not in (read(pages[link.group(1)]) if link else text):
            faults.append("%s has no manual page" % name)
    none_of(faults)


def test_pages_have_examples(pages):
    texts = {name: read(path) for name, path in pages.items()}
    none_of(["%s has no example" % name for name, text in texts.items() if not text.startswith(".so ") and ".SH EXAMPLES" not in text])


def test_groff_takes_the_pages(pages):
    if not shutil.which("groff"):
        pytest.skip("no groff to look at the manual pages with")
    said = {name: output("groff", "-ww", "-man", "-Tutf8", "-z", path) for name, path in pages.items()
            if not read(path).startswith(".so ")}
    none_of(["%s: %s" % (name, text.strip()) for name, text in said.items() if text])


def programs():
    """Installed programs, as the Makefile has them; scripts among them too."""
    for variable in ("bin_PROGRAMS", "dist_bin_SCRIPTS", "bin_SCRIPTS"):
        for value in re.findall(r"^%s = (.*)$" % variable, makefile(), re.M):
            yield from (word.replace("$(EXEEXT)", "") for word in value.split() if not word.startswith("$("))


def test_options_of_programs(pages):
    assert set(programs()), "no programs"
    faults = []
    for program in sorted(set(programs())):
        name = os.path.basename(program)
        page = pages.get(name + ".1")
        if not page:
            faults.append("%s has no manual page %s.1" % (program, name))
            continue
        path = program if os.path.exists(program) else os.path.join(SOURCE, program)
        listed = re.findall(r"(?<![\w-])--[a-z][\w-]*", output(path, "--help")) if os.path.exists(path) else []
        text = read(page).replace("\\-", "-")
        faults += ["%s.1 does not tell %s, which --help lists" % (name, option) for option in sorted(set(listed)) if option not in text]
    none_of(faults)


def test_reference(tmp_path, monkeypatch):
    if not shutil.which("doxygen"):
        pytest.skip("no doxygen to look at the comments of the headers with")
    monkeypatch.setenv("SOURCE", SOURCE)
    monkeypatch.setenv("REFERENCE", str(tmp_path))
    said = output("doxygen", os.path.join(SOURCE, "doc", "Doxyfile"))
    assert not said and (tmp_path / "html" / "index.html").exists(), said


# ---- what the Markdown pages name ----

def exists(path):
    """In the source, or made in a build folder."""
    path = re.sub(r"[.,:;]+$", "", path)
    if path in ELSEWHERE or re.search(r"(?<![\w/])%s(?![\w/])" % re.escape(path), makefile()):
        return True
    if "*" in path:
        return bool(glob.glob(os.path.join(SOURCE, path)))
    return any(os.path.exists(os.path.join(SOURCE, path + ending)) for ending in EXTENSIONS)


def layers():
    """The names of the folders in src, of whatever depth."""
    return sorted({os.path.basename(folder) for folder, _, _ in os.walk(os.path.join(SOURCE, "src"))} - {"src"})


@pytest.mark.parametrize("page", markdown())
def test_links(page):
    """Links to files, and to headings and anchors of Markdown pages."""
    faults = []
    for target in set(re.findall(r"\]\((?!https?:)([^)\s]+)\)", read(page))):
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(os.path.join(SOURCE, path)):
            faults.append("%s links to %s, which does not exist" % (page, target))
        elif anchor:
            headings = re.findall(r"^#+ (.*)$", read(path), re.M)
            if f'<a id="{anchor}">' not in read(path) and anchor not in [re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings]:
                faults.append("%s links to %s, which is no heading" % (page, target))
    none_of(faults)


def test_links_of_installed_pages():
    """They lead to what is installed, too."""
    words = re.search(r"^nobase_dist_doc_DATA = (.*)$", makefile(), re.M)[1]
    pictures = re.search(r"^pictures = (.*)$", makefile(), re.M)[1].split()
    for begin, end in re.findall(r"\$\(pictures:%=(\S*?)%(\S*?)\)", words):
        words += "".join(" %s%s%s" % (begin, name, end) for name in pictures)
    installed, faults = set(words.split()), []
    for page in (page for page in markdown() if page in installed):
        targets = re.findall(r"\]\((?!https?:)([^)#\s]+)", read(page)) + re.findall(r'src(?:set)?="([^"]+)"', read(page))
        faults += ["%s links to %s, which is not installed" % (page, target) for target in targets
                   if os.path.normpath(os.path.join(os.path.dirname(page), target)) not in installed]
    assert len(installed) > 30
    none_of(faults)


@pytest.mark.parametrize("page", markdown())
def test_paths(page):
    text = read(page)
    missing = [path for path in set(re.findall(r"(?<![\w/.$-])(?:%s)/[\w./*-]+" % FOLDERS, text)) if not exists(path)]
    missing += [path for path in set(re.findall(r"(?<![\w/.$-])(?:%s)/\w+\.[ch]\b" % "|".join(layers()), text))
                if not glob.glob(os.path.join(SOURCE, "src", "**", path), recursive=True) and not exists(path)]
    none_of(["%s names %s, which does not exist" % (page, path) for path in missing])


@pytest.fixture(scope="module", name="source")
def source_text():
    return "".join(map(read, sources()))


def sources():
    return glob.glob(os.path.join(SOURCE, "src", "**", "*.[ch]"), recursive=True)


@pytest.mark.parametrize("page", markdown())
def test_names(page, source):
    text, rules, variables = read(page), makefile(), read("doc", "reference", "variables.md") + "| ARMCI_STATS | ARMCI_HANG_REPORT |"  # the latter of the profiler
    none_of(["%s names %s, which is not in src" % (page, name) for name in set(re.findall(r"\barmcii_\w+", text)) if name not in source])
    none_of(["%s names make %s, which is no target" % (page, target)
             for target in set(re.findall(r"(?:`|^ {4,})make ([a-z][\w-]+)", text, re.M))
             if not re.search(r"^(?:[\w-]+ )*%s(?: [\w-]+)*:" % target, rules, re.M)])
    none_of(["%s sets %s, which is no variable" % (page, name) for name in set(re.findall(r"\bARMCI_[A-Z_]{3,}\b(?==)", text))
             if name not in variables and name not in OTHERS and not name.startswith("ARMCI_TEST_")])


def test_warnings_are_explained():
    """Each name of the table of warnings."""
    names = re.findall(r'^    \{"([a-z-]+)", ', read("src", "api", "warnings.c"), re.M)
    assert {"alone", "unknown-mpi"} <= set(names), "no table of warnings"
    page = read("doc", "troubleshooting.md")
    none_of(["doc/troubleshooting.md does not explain the warning [%s]" % name for name in names if "| `[%s]` |" % name not in page])


def test_variables_of_the_doctor():
    """In the titles of the rows "..." stands for ARMCI_."""
    variables, faults = read("doc", "reference", "variables.md"), []
    for name in ("probes.c", "forced.c"):
        for variable in re.findall(r'"ARMCI_(\w+)=|"\.\.\. (?:\w+, )?([A-Z_]+)=', read("tools", "doctor", name)):
            variable = "ARMCI_" + "".join(variable)
            if "| %s |" % variable not in variables:
                faults.append("tools/doctor/%s names %s, which is no variable" % (name, variable))
    none_of(faults)


# ---- messages that the pages quote ----

def normal(text):
    """Formats, numbers, addresses and names of functions and variables as %."""
    text = re.sub(r"%[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|j|z|t)?[a-zA-Z]", "%", text)
    return re.sub(r"\b0x[0-9a-f]+|\bARMCIX?_\w+|\b\d+(?:\.\d+)?", "%", text)


@pytest.fixture(scope="module", name="texts")
def source_texts():
    """All strings of src and of the profiler, one a line; adjacent ones are one."""
    found = []
    for path in sources() + glob.glob(os.path.join(SOURCE, "tools", "prof", "*.c")):
        code = re.sub(r'"\s*\n\s*"', "", read(path))
        found += [normal(text) for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code)]
    return "\n".join(found)


def unknown_parts(text, texts, between=r"[:;,] |\.\.\.| \("):
    """The parts of two words and more of a message that are not in the source."""
    parts = [part.strip(" .):%") for part in re.split(between, normal(text))]
    return ['"%s", which no string of src contains (of: %s)' % (part, text) for part in parts
            if len(re.findall(r"[A-Za-z]{2,}", part)) > 1 and part not in texts]


@pytest.mark.parametrize("page", [page for page in markdown() if page.startswith("doc/")])
def test_quoted_messages(page, texts):
    text, faults = read(page), []
    for message in re.findall(r"ARMCI warning: (?:rank \d+: )?(?:\[[a-z-]+\] )?([^`\n]*)", text):
        if not message.startswith("ARMCI_Error: "):  # the program's own words
            faults += unknown_parts(message, texts)
    for reason in re.findall(r"ARMCI error: (?:[^`\n]*: )?([^`\n]*)", text):
        faults += unknown_parts(reason, texts)
    for line in re.findall(r"ARMCI hang report: ([^`\n]*)", text):  # written piece by piece, without formats
        faults += unknown_parts(line, texts, r"[:;,] | ?%")
    none_of(faults)


def test_texts_to_look_for(texts):
    faults = []
    for row in re.findall(r"^\|(?:[^|\n]*\|)+$", read("doc/troubleshooting.md"), re.M):
        for text in re.findall(r'"([^"]+)"', row):
            faults += unknown_parts(text, texts)
    none_of(faults)


# ---- how the pages are written

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
NEVER = {  # for records, not for those who read
    "a commit": r"(?<![\w/.#-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])",
    "a date": r"\b20\d\d-\d\d-\d\d\b|\b(?:%s) 20\d\d\b" % MONTHS,
    "a processor": r"\b(?:EPYC|Xeon)\b|\bfamily \d|\bmodel \d+\b",
    "a laboratory's note": r"(?i)\bnot (?:yet )?(?:run|tried|measured)\b|\bbeside other work\b|\bon a (?:busy|quiet) machine\b",
}
LINE, PARAGRAPH, CELL = 120, 90, 200  # characters, words, characters


def hand_written():
    return [page for page in markdown() if not page.startswith("doc/reference/")]


def prose(page):
    """The lines of a page without code blocks: an empty line in the place of each."""
    fenced = False
    for line in read(page).splitlines():
        fenced ^= line.startswith("```")
        yield "" if fenced or line.startswith(("    ", "```")) else line


def paragraphs(lines):
    """Paragraphs and items of lists; tables and headings are none."""
    words = []
    for line in lines:
        starts = re.match(r"\s*(?:- |\d+\. )", line)
        if starts or not line.strip() or line.startswith(("|", "#", "<")):
            yield words
            words = []
        if line.strip() and not line.startswith(("|", "#", "<")):
            words = words + line.split()
    yield words


@pytest.mark.parametrize("page", hand_written())
def test_style(page):
    lines = list(prose(page))
    faults = ["%s: %s: %s" % (what, found[0], line) for line in lines for what, pattern in NEVER.items() for found in [re.search(pattern, line)] if found]
    faults += ["%d characters: %s" % (len(line), line) for line in lines if len(line) > LINE and not line.startswith(("|", "<"))]
    faults += ["a cell of %d characters: %s" % (len(cell), cell) for line in lines if line.startswith("|") for cell in line.split(" | ") if len(cell) > CELL]
    faults += ["a paragraph of %d words: %s" % (len(words), " ".join(words[:12])) for words in paragraphs(lines) if len(words) > PARAGRAPH]
    none_of(["%s: %s" % (page, fault) for fault in faults])


RESULTS = ("README.md", "doc/applications.md", "doc/guide.md", "doc/mpi-libraries.md", "doc/packaging.md", "doc/performance.md", "doc/python.md", "doc/roadmap.md")
MEASURED = r"(?<![\w.])\d[\d.,]*\s?(?:ns|µs|ms|[kMG]B/s)(?!\w)"


def unnamed_figures(text):
    """Times and rates that are no link to a record; what is in code marks is the program's."""
    return re.findall(MEASURED, re.sub(r"\[[^\[\]]*\]\([\w./-]*results\.md#[a-z0-9-]+\)|`[^`]*`", "", text))


@pytest.mark.parametrize("page", RESULTS)
def test_figures_name_records(page):
    text = "\n".join(prose(page))
    assert unnamed_figures("a put takes 4.3 ns, [5 µs](x/results.md#a-b), [6 ms](#here)") == ["4.3 ns", "6 ms"]
    none_of(["%s: %s is no link to a record of doc/reference/results.md" % (page, figure) for figure in unnamed_figures(text)])


def test_papers_have_no_figures_of_ours(monkeypatch):
    """What is written by hand about the papers' figures has no time or rate but the authors', in what they found."""
    monkeypatch.syspath_prepend(os.path.join(SOURCE, "results"))
    import papers
    texts = [text for one in papers.FIGURES for text in (one.subject, one.scope, one.why, one.cannot, *(claim.text for claim in one.claims))]
    assert len(texts) > 100
    none_of(["results/papers.py: %s" % text for text in texts if unnamed_figures(text)])
