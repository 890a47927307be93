"""Debian's NWChem: fetched, checked, unpacked, and its calls of ARMCI led to another library.

Debian's program has Global Arrays 5.8.2 and ARMCI-MPI 0.3.1 linked into it. The same program runs on both libraries here, so
nothing else differs, and nothing of NWChem, which takes an hour, has to be compiled."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "ga"))
import gasource  # noqa: E402
from elfcode import find_functions  # noqa: E402
from gabuild import digest  # noqa: E402
from gasource import Problem, Source, Unavailable, run_logged  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = [Source(name, f"{name}_{version}.deb", sha256, "", pool=pool) for name, version, pool, sha256 in (
    ("libarmci-mpi-dev", "0.3.1~beta-7_amd64", "a/armci-mpi", "c2cfb61498f991418d71859a0b6fab0b0383a16c55cd50d351687662bf7c4ead"),
    ("nwchem-data", "7.0.2-4_all", "n/nwchem", "2f64cf115fe1aff48becdee51ba9a0e463da220049ce59478e46a55eef534ec5"),
    ("nwchem-mpich", "7.0.2-4_amd64", "n/nwchem", "5cc31e1bddde8e15ce576f7748c1f1c3b08a0e6d3c0c335f9821c1d79a1492f7"),
    ("nwchem-openmpi", "7.0.2-4_amd64", "n/nwchem", "684859b122a700b54c8ca506595b451924d4379582b37e2cc0a9b3376f1c7408"))]
NWCHEM = Source("NWChem 7.0.2", "nwchem_7.0.2.orig.tar.gz", "d63cf8c6e9df591ae8b542175999c16219757cc75fb6a528c06e7590a7f63271",
                "nwchem-7.0.2-release", pool="n/nwchem")
JUMP = 14                        # bytes that lead_calls.c writes over the beginning of a function


def unpack(target, tests):
    """The programs with their data, and those of NWChem's own tests that are run."""
    log = gasource.log_of("nwchem-unpack")
    for package in PACKAGES:
        run_logged(["dpkg-deb", "-x", gasource.fetch(package), target], log)
    wanted = [f"{NWCHEM.tree}/QA/tests/{test}{ending}" for test in tests for ending in (".nw", ".out")]
    run_logged(["tar", "xf", gasource.fetch(NWCHEM), "-C", target, "--strip-components=1", *wanted], log)


class Nwchem:
    """Debian's program for one MPI library. What was unpacked is in `tree`, in the cache."""

    def __init__(self, family, tests):
        self.family, self.tests = family, sorted(tests)
        self.tree = gasource.cache_dir() / f"nwchem-7.0.2-{digest((), *self.tests)}"
        self.program = self.tree / f"usr/bin/nwchem.{family}"

    def prepare(self):
        """Fetch and unpack what is not there yet."""
        gasource.need("cc", "nm", "tar", "dpkg-deb")
        with gasource.locked("nwchem"):
            if not self.tree.exists():
                gasource.need_room(disk=2, memory=1)
                partial = self.tree.with_name("nwchem.partial")
                with gasource.whole(partial):
                    unpack(partial, self.tests)
                    partial.rename(self.tree)
        absent = re.findall(r"(\S+) => not found", subprocess.run(["ldd", self.program], capture_output=True, text=True, check=True).stdout)
        if absent:
            raise Unavailable(f"libraries are missing that Debian's package nwchem-{self.family} needs: {' '.join(absent)}")

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
        run_logged(["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f'-DPROGRAM="{self.program}"', f"-I{folder}",
                    HERE / "lead_calls.c", "-o", made, f"-L{library.parent}", f"-Wl,-rpath,{library.parent}", "-larmci"], folder / "lead_calls.log")
        return made
