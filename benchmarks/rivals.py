"""Other libraries: those of ARMCI are built once in the cache folder, and armci-bench is linked with each of them, its source unchanged; OpenSHMEM and UCX
have programs of their own with rows of the same names."""
import dataclasses
import glob
import os
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "tests" / "ga"))
import gasource  # noqa: E402  its folder comes first
from gasource import Problem  # noqa: E402

BUILD_LIMIT = 900  # seconds for one step of a build
DEBIAN = gasource.Source("ARMCI-MPI 0.3.1~beta-7", "libarmci-mpi-dev_0.3.1~beta-7_amd64.deb",
                         "c2cfb61498f991418d71859a0b6fab0b0383a16c55cd50d351687662bf7c4ead", ".", pool="a/armci-mpi")
OSHMEM, FLOOR = "oshmem", "ucx"  # no ARMCI; the floor is no rival
COMEX_FLAGS = "CFLAGS=-std=gnu99 -O2 -pthread"


@dataclasses.dataclass(frozen=True)
class Mpi:
    """An MPI library, as a build folder of this project was configured for it."""
    folder: pathlib.Path
    family: str
    cc: str
    mpiexec: str


@dataclasses.dataclass(frozen=True)
class Rival:
    """A library: its key in files, its name, what it costs, and how it is built."""
    key: str
    name: str
    prepare: object             # function of the rival and the MPI library: flags for the compiler and the linker, or the program if it has words
    source: object = None       # a gasource.Source, or
    checkout: str = ""          # a git checkout
    back_end: str = ""          # of ComEx
    options: tuple = ()         # more, for its configure
    extra_ranks: int = 0        # on each node, which the program does not see
    words: tuple = ()           # of a library with a program of its own: those that it knows


def read_build(folder):
    """The MPI library of a build folder of this source; None if it is no such folder."""
    makefile = pathlib.Path(folder) / "Makefile"
    if not makefile.exists():
        return None
    values = dict(re.findall(r"^(\w+) = (.*)$", makefile.read_text(errors="replace"), re.M))
    source = (makefile.parent / values.get("srcdir", "")).resolve()
    if source != TOP or not values.get("MPI_FAMILY"):
        return None
    return Mpi(makefile.parent.resolve(), values["MPI_FAMILY"], values["CC"], values["MPIEXEC"])


def find_builds(folder):
    """This build folder, then those beside it that have another MPI library."""
    found = {}
    for place in [folder, *sorted(glob.glob(str(pathlib.Path(folder).resolve().parent / "*")))]:
        mpi = read_build(place)
        if mpi and mpi.family not in found:
            found[mpi.family] = mpi
    return list(found.values())


def step(command, name, cwd=None):
    """One step of a build, with a time limit."""
    gasource.run_logged(["timeout", "-k", "10", str(BUILD_LIMIT), *command], gasource.log_of(name), cwd=cwd)


def git(checkout, *words):
    shown = subprocess.run(["git", "-C", checkout, *words], capture_output=True, text=True)
    if shown.returncode != 0:
        raise Problem(f"{checkout}: git {words[0]} failed: {shown.stderr.strip()}")
    return shown.stdout.strip()


def unpack(rival, folder):
    """Put the sources into the folder; return their top."""
    if rival.checkout:
        archive = folder / "checkout.tar"
        git(rival.checkout, "archive", "-o", str(archive), "HEAD")
        gasource.unpack(archive, folder)
        return folder
    gasource.unpack(gasource.fetch(rival.source), folder)
    return folder / rival.source.tree


def built(rival, mpi, build):
    """The folder with the installed library, built by the function `build` where the cache has none."""
    version = rival.source.sha256[:12] if rival.source else git(rival.checkout, "rev-parse", "HEAD")[:12]
    top = gasource.cache_dir() / f"rival-{rival.key}-{mpi.family}-{version}"
    with gasource.locked(top.name):
        if not (top / "built").exists():
            print(f"building {rival.name} for {mpi.family}", flush=True)
            with gasource.whole(top):
                build(unpack(rival, top), top)
                (top / "built").touch()
    return top / "installed"


def debian_package(rival, mpi):
    """Debian's package has a static library for each MPI library, which need not be installed."""
    folder = gasource.cache_dir() / f"rival-{rival.key}-{rival.source.sha256[:12]}"
    with gasource.locked(folder.name):
        if not (folder / "built").exists():
            gasource.need("dpkg-deb")
            archive = gasource.fetch(rival.source)
            with gasource.whole(folder):
                step(["dpkg-deb", "-x", str(archive), str(folder)], folder.name)
                (folder / "built").touch()
    library = next(folder.rglob(f"libarmci-{mpi.family}.a"), None)
    header = next((path for path in folder.rglob("armci.h")), None)
    if not library or not header:
        raise Problem(f"{rival.name}: the package has no library for {mpi.family}")
    return [f"-I{header.parent}"], [str(library)]


def configured(rival, mpi, folder, options):
    """Build by autotools in a folder beside the sources."""
    gasource.need("autoreconf", "make", mpi.cc.split()[0])

    def build(tree, top):
        tree = tree / folder
        name = f"{top.name}"
        step(["autoreconf", "-vif"], name + "-autoreconf", cwd=tree)
        place = top / "build"
        place.mkdir()
        step([str(tree / "configure"), f"--prefix={top / 'installed'}", *options], name + "-configure", cwd=place)
        step(["make", f"-j{os.environ.get('MAKE_JOBS') or min(4, os.cpu_count() or 1)}", "install"], name + "-make", cwd=place)

    return built(rival, mpi, build)


def armci_mpi(rival, mpi):
    prefix = configured(rival, mpi, ".", [f"CC={mpi.cc}", "--disable-shared"])
    return [f"-I{prefix / 'include'}"], [str(prefix / "lib" / "libarmci.a")]


def comex(rival, mpi):
    prefix = configured(rival, mpi, "comex", [f"--with-{rival.back_end}", "CC=gcc", f"MPICC={mpi.cc}", COMEX_FLAGS, "LIBS=-lpthread", *rival.options])
    text = (prefix.parent / "build" / "Makefile").read_text(errors="replace")
    blas = re.search(r"^BLAS_LIBS = (.*)$", text, re.M)
    libraries = [str(prefix / "lib" / name) for name in ("libarmci.a", "libcomex.a")]
    return [f"-I{prefix / 'include'}"], libraries + (blas[1].split() if blas else [])


def openshmem(rival, mpi):
    """Open MPI has it."""
    if mpi.family != "openmpi":
        raise Problem(f"{rival.name}: needs Open MPI")
    gasource.need("oshcc")
    program = mpi.folder / "benchmarks" / "oshmem"
    step(["oshcc", "-O2", "-D_GNU_SOURCE", str(TOP / "benchmarks" / "oshmem.c"), "-o", str(program)], "oshmem")
    return program


def ucx(rival, mpi):
    gasource.need("ucx_perftest")
    return TOP / "benchmarks" / "floor.py"


def of_checkout(folder):
    """The libraries that a git checkout of Global Arrays or of ARMCI-MPI has."""
    folder = str(pathlib.Path(folder).resolve())
    version = git(folder, "describe", "--always", "--tags")
    if (pathlib.Path(folder) / "comex" / "configure.ac").exists():
        return [Rival(f"checkout-{end}", f"ComEx {end.upper()}, checkout {version}", comex, checkout=folder, back_end=end,
                      extra_ranks=end == "mpi-pr") for end in ("mpi-ts", "mpi-pr")]
    if (pathlib.Path(folder) / "src" / "armci.h").exists():
        return [Rival("checkout-armci-mpi", f"ARMCI-MPI, checkout {version}", armci_mpi, checkout=folder)]
    raise Problem(f"{folder}: a checkout neither of Global Arrays nor of ARMCI-MPI")


def rivals(checkout=""):
    """All of them."""
    ga = gasource.GA["5.9.2"]
    known = [Rival("comex-pr", "ComEx MPI-PR, GA 5.9.2", comex, ga, back_end="mpi-pr", extra_ranks=1),
             Rival("comex-ts", "ComEx MPI-TS, GA 5.9.2", comex, ga, back_end="mpi-ts"),
             Rival("armci-mpi-0.4", gasource.ARMCI_MPI.name, armci_mpi, gasource.ARMCI_MPI),
             Rival("armci-mpi-0.3.1", DEBIAN.name, debian_package, DEBIAN),
             Rival(OSHMEM, "OpenSHMEM of Open MPI", openshmem, words=("latency", "bandwidth", "remote")),
             Rival(FLOOR, "UCX alone, ucx_perftest", ucx, words=("latency", "bandwidth", "remote"))]
    return known + (of_checkout(checkout) if checkout else [])


def check_program(program):
    """Raise Problem unless the program contains another libarmci than this project's."""
    shown = subprocess.run(["nm", str(program)], capture_output=True, text=True, check=True).stdout
    symbols = {line.split()[-1] for line in shown.splitlines() if re.search(r" [TW] ", line)}
    if "PARMCI_Put" not in symbols:
        raise Problem(f"{program}: no ARMCI was linked into it")
    if any(re.match(r"armcii_(?!json)|ARMCI_RMA_Version$", name) for name in symbols):
        raise Problem(f"{program}: was linked with this project's libarmci")


def program(rival, mpi):
    """armci-bench with this library, in the build folder, or the library's own program."""
    if rival.words:
        return rival.prepare(rival, mpi)
    flags, libraries = rival.prepare(rival, mpi)
    target = mpi.folder / "benchmarks" / f"armci-bench-{rival.key}"
    commit = target.parent / "bench-commit.c"
    step([str(TOP / "tools" / "commit"), str(commit)], "bench-commit")
    sources = sorted(str(path) for path in (TOP / "benchmarks").glob("*.c") if path.name not in ("oshmem.c", "examples_start.c")) + [str(TOP / "tools" / "lib" / "json.c"), str(commit)]
    inputs = [*sources, *map(str, (TOP / "benchmarks").glob("*.h")), *(name for name in libraries if name.startswith("/"))]
    if target.exists() and target.stat().st_mtime > max(os.stat(name).st_mtime for name in inputs):
        return target
    step([*mpi.cc.split(), "-O2", "-D_GNU_SOURCE", *flags, f"-I{TOP / 'src'}", f"-I{TOP / 'tools' / 'lib'}", *sources, "-o", str(target), *libraries,
          "-lpthread", "-lm", "-ldl"], f"rival-{rival.key}-{mpi.family}-bench")
    check_program(target)
    return target


def own_program(mpi):
    """armci-bench of the build folder, up to date."""
    step(["make", "-C", str(mpi.folder), "-s", "benchmarks/armci-bench"], f"bench-{mpi.family}")
    return mpi.folder / "benchmarks" / "armci-bench"
