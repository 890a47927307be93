"""Debian's NWChem: fetched, checked, unpacked, and its calls of ARMCI led to another library.

Debian's program has Global Arrays 5.8.2 and ARMCI-MPI 0.3.1 linked into it. The same program runs on both libraries here, so
nothing else differs, and nothing of NWChem, which takes an hour, has to be compiled."""
import contextlib
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "ga"))
from elfcode import find_functions  # noqa: E402
from gabuild import digest  # noqa: E402
from gasource import Problem, cache_dir, file_digest, locked, run_logged  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = {  # name -> what apt-get download gets, and its SHA-256
    "libarmci-mpi-dev": ("0.3.1~beta-7_amd64", "c2cfb61498f991418d71859a0b6fab0b0383a16c55cd50d351687662bf7c4ead"),
    "nwchem-data": ("7.0.2-4_all", "2f64cf115fe1aff48becdee51ba9a0e463da220049ce59478e46a55eef534ec5"),
    "nwchem-mpich": ("7.0.2-4_amd64", "5cc31e1bddde8e15ce576f7748c1f1c3b08a0e6d3c0c335f9821c1d79a1492f7"),
    "nwchem-openmpi": ("7.0.2-4_amd64", "684859b122a700b54c8ca506595b451924d4379582b37e2cc0a9b3376f1c7408"),
}
SOURCE = "nwchem_7.0.2.orig.tar.gz", "d63cf8c6e9df591ae8b542175999c16219757cc75fb6a528c06e7590a7f63271"
SPACE, MEMORY = 2 << 30, 1 << 30
TOOLS = {"gcc": "gcc", "nm": "binutils", "tar": "tar", "apt-get": "apt", "dpkg-deb": "dpkg"}
JUMP = 14                        # bytes that lead_calls.c writes over the beginning of a function


class NotHere(Problem):
    """This machine lacks something; the check is skipped."""


def require():
    """Say in one sentence what is missing."""
    packages = [package for tool, package in TOOLS.items() if not shutil.which(tool)]
    if packages:
        raise NotHere(f"these packages are missing: {' '.join(packages)}")
    available = re.search(r"MemAvailable:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text())
    if int(available.group(1)) << 10 < MEMORY:
        raise NotHere(f"less than {MEMORY >> 30} GiB of memory is free")


def require_space():
    if shutil.disk_usage(cache_dir()).free < SPACE:
        raise NotHere(f"less than {SPACE >> 30} GiB of disk space is free in {cache_dir()}")


@contextlib.contextmanager
def kept_when_done(folder):
    """A new folder that stays only if all that was done in it worked."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def apt(folder, *words):
    """Run apt-get in that folder, with a configuration of its own that has source packages: nothing of the system's is changed."""
    (folder / "lists/partial").mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text("".join(f"{kind} http://deb.debian.org/debian bookworm main\n" for kind in ("deb", "deb-src")))
    options = {"Dir::Etc::SourceList": folder / "sources.list", "Dir::Etc::SourceParts": "-", "Dir::State::Lists": folder / "lists",
               "Dir::Cache": folder / "cache", "APT::Sandbox::User": "root", "Acquire::Retries": 2, "Acquire::http::Timeout": 30}
    log = cache_dir() / "nwchem-download.log"
    try:
        run_logged(["apt-get", "-q", *(f"-o{name}={value}" for name, value in options.items()), *words], log, cwd=folder)
    except Problem as problem:
        raise NotHere(f"{words[-1]} could not be fetched from Debian, see {log}") from problem


def fetch():
    """The checked archives, by package; "source" is NWChem's own."""
    folder = cache_dir() / "download"
    wanted = {package: (f"{package}_{version}.deb", sha256) for package, (version, sha256) in PACKAGES.items()}
    wanted["source"] = SOURCE
    folder.mkdir(exist_ok=True)
    if not all((folder / name).exists() for name, _ in wanted.values()):
        print(f"fetching Debian's NWChem and its source, 220 MB, into {folder}", flush=True)
        with kept_when_done(cache_dir() / "nwchem-apt") as work:
            apt(work, "update")
            apt(work, "download", *(f"{package}={version.split('_')[0]}" for package, (version, _) in PACKAGES.items()))
            apt(work, "source", "--download-only", "nwchem=7.0.2-4")
            for name, _ in wanted.values():
                shutil.move(work / name, folder / name)
        shutil.rmtree(cache_dir() / "nwchem-apt")
    for name, sha256 in wanted.values():
        found = file_digest(folder / name)
        if found != sha256:
            (folder / name).unlink()
            raise Problem(f"{folder / name}: SHA-256 is {found}, not {sha256}; the file was removed")
    return {package: folder / name for package, (name, _) in wanted.items()}


def unpack(target, tests):
    """The programs with their data, and those of NWChem's own tests that are run."""
    archives, log = fetch(), cache_dir() / "nwchem-unpack.log"
    for package in PACKAGES:
        run_logged(["dpkg-deb", "-x", archives[package], target], log)
    wanted = [f"nwchem-7.0.2-release/QA/tests/{test}{ending}" for test in tests for ending in (".nw", ".out")]
    run_logged(["tar", "xf", archives["source"], "-C", target, "--strip-components=1", *wanted], log)


class Nwchem:
    """Debian's program for one MPI library. What was unpacked is in `tree`, in the cache."""

    def __init__(self, family, tests):
        self.family, self.tests = family, sorted(tests)
        self.tree = cache_dir() / f"nwchem-7.0.2-{digest((), *self.tests)}"
        self.program = self.tree / f"usr/bin/nwchem.{family}"

    def prepare(self):
        """Fetch and unpack what is not there yet."""
        require()
        with locked("nwchem"):
            if not self.tree.exists():
                require_space()
                partial = self.tree.with_name("nwchem.partial")
                with kept_when_done(partial):
                    unpack(partial, self.tests)
                    partial.rename(self.tree)
        absent = re.findall(r"(\S+) => not found", subprocess.run(["ldd", self.program], capture_output=True, text=True, check=True).stdout)
        if absent:
            raise NotHere(f"libraries are missing that Debian's package nwchem-{self.family} needs: {' '.join(absent)}")

    def calls(self, library):
        """The functions of ARMCI in the program that the library has, too: (where, name)."""
        archive = self.tree / f"usr/lib/x86_64-linux-gnu/libarmci-{self.family}.a"
        listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
        own = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
        found = find_functions(self.program, archive)
        # ARMCI_Put and PARMCI_Put are one function there: the first name is the public one.
        by_address = {address: name for name, address in sorted(found.items(), reverse=True) if name in own}
        addresses = sorted(by_address)
        if not addresses or any(after - before < JUMP for before, after in zip(addresses, addresses[1:])):
            raise Problem(f"the functions of ARMCI cannot be told apart in {self.program}")
        return sorted(by_address.items())

    def lead_to(self, prefix, folder):
        """Make the object that leads the program's calls to the library in prefix; return it."""
        library = pathlib.Path(prefix).resolve() / "lib/libarmci.so"
        if not library.exists():
            raise Problem(f"{library} is missing; --disable-shared?")
        (folder / "calls.inc").write_text("".join(f"CALL({address:#x}, {name})\n" for address, name in self.calls(library)))
        made = folder / "lead_calls.so"
        run_logged(["gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f'-DPROGRAM="{self.program}"', f"-I{folder}",
                    HERE / "lead_calls.c", "-o", made, f"-L{library.parent}", f"-Wl,-rpath,{library.parent}", "-larmci"], folder / "lead_calls.log")
        return made
