"""NWChem: Debian's 7.0.2, fetched, checked, unpacked, and its calls of ARMCI led to another library; or 7.3.1, compiled.

Debian's program has Global Arrays 5.8.2 and ARMCI-MPI 0.3.1 linked into it. The same program runs on all libraries here, so
nothing else differs, and nothing of it has to be compiled. 7.3.1 is compiled on this library, by the lines of doc/applications.md."""
import dataclasses
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "ga"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import gasource  # noqa: E402
import rivals  # noqa: E402
from elfcode import find_functions  # noqa: E402
from gabuild import PAGES, digest, jobs, lines_for, page_lines, wrapper  # noqa: E402
from gasource import Problem, Source, Unavailable, run_logged  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = [Source(name, f"{name}_{version}.deb", sha256, "", pool=pool) for name, version, pool, sha256 in (
    ("libarmci-mpi-dev", "0.3.1~beta-7_amd64", "a/armci-mpi", "c2cfb61498f991418d71859a0b6fab0b0383a16c55cd50d351687662bf7c4ead"),
    ("nwchem-data", "7.0.2-4_all", "n/nwchem", "2f64cf115fe1aff48becdee51ba9a0e463da220049ce59478e46a55eef534ec5"),
    ("nwchem-mpich", "7.0.2-4_amd64", "n/nwchem", "5cc31e1bddde8e15ce576f7748c1f1c3b08a0e6d3c0c335f9821c1d79a1492f7"),
    ("nwchem-openmpi", "7.0.2-4_amd64", "n/nwchem", "684859b122a700b54c8ca506595b451924d4379582b37e2cc0a9b3376f1c7408"))]
NWCHEM = Source("NWChem 7.0.2", "nwchem_7.0.2.orig.tar.gz", "d63cf8c6e9df591ae8b542175999c16219757cc75fb6a528c06e7590a7f63271",
                "nwchem-7.0.2-release", pool="n/nwchem")
COMPILED = Source("NWChem 7.3.1", "nwchem_7.3.1.orig.tar.bz2", "02e42a62dcf4f0cbf165956c64e260884ad76681a81caa34018f3404c03c8b69",
                  "nwchem-7.3.1", pool="n/nwchem")
JUMP = 14                        # bytes that lead_calls.c writes over the beginning of a function
# By the name of the library. Position-independent, since an object that is preloaded contains it.
COMEX = {rival.key: dataclasses.replace(rival, key=f"{rival.key}-pic", options=("--with-pic",)) for rival in rivals.rivals() if rival.back_end}


def defined(*words):
    """The names of the functions that nm, given those words, finds in a library or an object."""
    listing = subprocess.run(["nm", "--defined-only", *words], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^[0-9a-f]+ [TWi] ([^@\s]+)", listing, re.MULTILINE))


def compile_object(compiler, words, made):
    """Compile, or link, position-independent code."""
    run_logged([*compiler.split(), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", *words, "-o", made], made.with_suffix(".log"))


def unpack(target, tests):
    """The programs with their data, and those of NWChem's own tests that are run."""
    log = gasource.log_of("nwchem-unpack")
    for package in PACKAGES:
        run_logged(["dpkg-deb", "-x", gasource.fetch(package), target], log)
    wanted = [f"{NWCHEM.tree}/QA/tests/{test}{ending}" for test in tests for ending in (".nw", ".out")]
    run_logged(["tar", "xf", gasource.fetch(NWCHEM), "-C", target, "--strip-components=1", *wanted], log)


class DebianNwchem:
    """Debian's program for one MPI library. What was unpacked is in `tree`, in the cache."""

    def __init__(self, args, tests):
        self.family, self.prefix, self.tests = args.family, args.prefix, sorted(tests)
        self.mpicc, self.libraries = args.cc, args.libraries.split()
        self.title = self.family  # of its results
        self.tree = gasource.cache_dir() / f"nwchem-7.0.2-{digest((), *self.tests)}"
        self.program = self.tree / f"usr/bin/nwchem.{self.family}"
        self.archive = self.tree / f"usr/lib/x86_64-linux-gnu/libarmci-{self.family}.a"  # which is in the program
        self.basis = self.tree / "usr/share/nwchem/libraries"

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

    def calls(self, functions):
        """Where each function of ARMCI is in the program, and where its calls go: (where, name). functions: by the name of ARMCI's."""
        found = find_functions(self.program, self.archive)
        # ARMCI_Put and PARMCI_Put are one function there: the first name is the public one.
        by_address = {address: functions[name] for name, address in sorted(found.items(), reverse=True) if name in functions}
        addresses = sorted(by_address)
        if not addresses or any(after - before < JUMP for before, after in zip(addresses, addresses[1:])):
            raise Problem(f"the functions of ARMCI cannot be told apart in {self.program}")
        return sorted(by_address.items())

    def variables(self, folder):
        """What starts the program on each library. The second is ARMCI-MPI with the work-around of nwchemgit/nwchem#633."""
        objects = {"armci-rma": self.lead_to_this(folder / "lead-armci-rma")}
        objects.update((key, self.lead_to_comex(folder / f"lead-{key}", rival)) for key, rival in COMEX.items() if key in self.libraries)
        return {"armci-mpi": "", "armci-mpi-0": "ARMCI_USE_WIN_ALLOCATE=0",
                **{key: f'LD_PRELOAD="{made}:$LD_PRELOAD"' for key, made in objects.items()}}

    def lead_to_this(self, folder):
        """Make the object that leads the program's calls to this library; return it."""
        library = pathlib.Path(self.prefix).resolve() / "lib/libarmci.so"
        if not library.exists():
            raise Problem(f"{library} is missing; --disable-shared?")
        folder.mkdir(exist_ok=True)
        return self.lead(folder, "cc", {name: name for name in defined("-D", library)},
                         [f"-L{library.parent}", f"-Wl,-rpath,{library.parent}", "-larmci"])

    def lead_to_comex(self, folder, rival):
        """The same for ComEx, whose functions those of comex_calls.c replace where it has them."""
        includes, libraries = rivals.comex(rival, rivals.Mpi(folder, self.family, self.mpicc, ""))
        folder.mkdir(exist_ok=True)
        translated = folder / "comex_calls.o"
        compile_object(self.mpicc, [*includes, "-c", HERE / "comex_calls.c"], translated)
        functions = {name: "led_absent" for name in defined(self.archive) if re.match("ARMCIX?_|armci_", name)}
        functions.update((name, name) for name in defined(libraries[0]))
        functions.update((name.removeprefix("led_"), name) for name in defined(translated))
        return self.lead(folder, self.mpicc, functions, [translated, *libraries, "-lpthread", "-lm"])

    def lead(self, folder, compiler, functions, linked):
        """Make the object, in that folder, that leads the program's calls to those functions, which are in what is linked."""
        (folder / "calls.inc").write_text("".join(f"CALL({address:#x}, {name})\n" for address, name in self.calls(functions)))
        made = folder / "lead_calls.so"
        compile_object(compiler, ["-shared", f'-DPROGRAM="{self.program}"', f"-I{folder}", HERE / "lead_calls.c", *linked], made)
        return made


class CompiledNwchem:
    """NWChem 7.3.1 on Global Arrays 5.9.2, compiled with one MPI library; its sources are in `tree`, in the cache."""

    def __init__(self, args, _tests):
        self.prefix, self.mpicc = pathlib.Path(args.prefix).resolve(), args.cc
        self.family, self.title = args.family, f"{args.family}, {COMPILED.name}"
        lines = lines_for(self.mpicc, self.prefix, page_lines("nwchem", "7.3.1"), PAGES["nwchem"][0])
        self.top = gasource.cache_dir() / f"nwchem-7.3.1-{self.family}-{digest((self.prefix / 'include').glob('*.h'), lines)}"
        self.script = f"set -e\n{lines}"
        self.tree = self.top / COMPILED.tree
        self.program, self.basis = self.tree / "bin/LINUX64/nwchem", self.tree / "src/basis/libraries"

    def prepare(self):
        """Compile it, with Global Arrays, unless that was done."""
        gasource.need("make", "autoreconf", "gfortran", "m4", "bzip2", self.mpicc.split()[0], wrapper(self.mpicc, "mpif90"))
        with gasource.locked(self.top.name):
            if (self.top / "built").exists():
                return
            gasource.need_room(disk=4, memory=2)
            archives = [gasource.fetch(source) for source in (gasource.GA["5.9.2"], COMPILED)]
            print(f"compiling {COMPILED.name} for {self.family} in {self.top}", flush=True)
            with gasource.whole(self.top):
                for archive in archives:
                    (self.top / archive.name).symlink_to(archive)
                run_logged(["sh", "-c", self.script, "sh", jobs()], gasource.log_of(self.top.name), cwd=self.top)
                (self.top / "built").touch()

    def variables(self, _folder):
        """What starts the program: the library is shared."""
        return {"armci-rma": f"LD_LIBRARY_PATH={self.prefix}/lib"}
