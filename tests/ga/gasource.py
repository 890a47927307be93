"""What the suites build: source archives, fetched once into the cache folder and checked, and the tools for that."""
import contextlib
import dataclasses
import fcntl
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import zipfile

APT_HELPER = "/usr/lib/apt/apt-helper"
GIB = 1 << 30
DEBIAN = {"autoreconf": "autoconf automake libtool", "gfortran": "gfortran", "g++": "g++", "cmake": "cmake", "m4": "m4",
          "make": "make", "patch": "patch", "cc": "gcc",
          "nm": "binutils", "tar": "tar", "dpkg-deb": "dpkg"}


class Problem(Exception):
    """Something the suite needs went wrong; the message says what and where to look."""


class Unavailable(Problem):
    """Something the suite needs is not on this machine: the suite is skipped, and nothing failed."""


@dataclasses.dataclass(frozen=True)
class Source:
    """An archive, of sources or a wheel: its name in messages, its file and contents, and where it comes from."""
    name: str
    archive: str
    sha256: str
    tree: str                 # the folder of the sources inside the archive
    pool: str = ""            # the folder in Debian's pool, or
    requirement: str = ""     # what pip downloads

    @property
    def path(self):
        return cache_dir() / "download" / self.archive


GA = {
    "5.7.1b0": Source("Global Arrays 5.7.1b0", "globalarrays-5.7.1b0.tar.gz",
                      "eab9de32a71c8e9a681764d5dcc3faded0683947880928abc1536c7b0b14cfc9",
                      "globalarrays-5.7.1b0/ga-master", requirement="globalarrays==5.7.1b0"),
    "5.9.2": Source("Global Arrays 5.9.2", "ga_5.9.2.orig.tar.gz",
                    "6ccae41744e0a293be2ccd56b698c3919098c001c52fda489716d2cff0b44c02", "ga-5.9.2", pool="g/ga"),
}
ARMCI_MPI = Source("ARMCI-MPI 0.4", "armci-mpi_0.4.orig.tar.gz",
                   "bcc3bb189b23bf653dcc69bc469eb86eae5ebc5ad94ab5f83e52ddbdbbebf1b1", "armci-mpi-0.4", pool="a/armci-mpi")


def cache_dir():
    """The folder outside the tree that keeps what was fetched and built: ARMCI_CACHE or ~/.cache/armci-rma."""
    folder = pathlib.Path(os.environ.get("ARMCI_CACHE") or "~/.cache/armci-rma").expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def log_of(name):
    """The log file of this name; the logs outlive a build that fails and is removed."""
    folder = cache_dir() / "logs"
    folder.mkdir(exist_ok=True)
    return folder / (name + ".log")


@contextlib.contextmanager
def locked(name):
    """Keep two runs from working on the same part of the cache at once."""
    with open(cache_dir() / (name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def whole(folder):
    """A folder that the block fills; nothing of it stays if the block is left early, by SIGTERM as well."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def need(*commands):
    """Raise Unavailable, with the packages to install, unless these commands are there."""
    missing = [command for command in commands if shutil.which(command) is None]
    if missing:
        packages = sorted({DEBIAN.get(command, "the package of the MPI library") for command in missing})
        raise Unavailable(f"not found: {', '.join(missing)}; on Debian: {', '.join(packages)}")


def need_room(disk, memory):
    """Raise Unavailable unless the cache's disk and the memory have this many GiB left."""
    free = shutil.disk_usage(cache_dir()).free / GIB
    if free < disk:
        raise Unavailable(f"{cache_dir()}: {free:.1f} GiB are free on the disk, {disk} are needed")
    lines = (line.split() for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
    available = next(int(words[1]) for words in lines if words[0] == "MemAvailable:") * 1024 / GIB
    if available < memory:
        raise Unavailable(f"{available:.1f} GiB of memory are available, {memory} are needed")


def clean_environment():
    """The environment without what our own make hands to its children: GA's makefiles have the same names."""
    return {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}


def run(command, log, cwd=None):
    """Run a command with its output in the file log; return its exit status."""
    with open(log, "w") as out:
        return subprocess.run(command, cwd=cwd, env=clean_environment(), stdin=subprocess.DEVNULL, stdout=out,
                              stderr=subprocess.STDOUT).returncode


def run_logged(command, log, cwd=None):
    """Run a command with its output in the file log; raise Problem when it fails."""
    status = run(command, log, cwd)
    if status != 0:
        tail = "".join(open(log, errors="replace").readlines()[-15:])
        raise Problem(f"{' '.join(map(str, command))}\nended with status {status}, see {log}\n{tail}")


def file_digest(path):
    """SHA-256 of a file, as hexadecimal text."""
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def checked(path, source):
    """The file, unless its contents are not those of the source: then it is removed."""
    found = file_digest(path)
    if found != source.sha256:
        path.unlink()
        raise Unavailable(f"{path}: SHA-256 is {found}, not {source.sha256}; the file was removed")
    return path


def downloads(source, folder):
    """The commands that may bring the archive into the folder, one after another."""
    if source.requirement:
        kind = "--only-binary" if source.archive.endswith(".whl") else "--no-binary"
        return [[sys.executable, "-m", "pip", "download", "--no-deps", kind, ":all:", "--dest", str(folder), source.requirement]]
    if not pathlib.Path(APT_HELPER).exists():
        return []
    # Debian's pool, at the mirrors that this machine's apt is configured for.
    shown = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Label: Debian"],
                           capture_output=True, text=True).stdout.split()
    return [[APT_HELPER, "-o", "Acquire::http::Timeout=30", "-o", "APT::Sandbox::User=", "download-file",
             f"{site.rstrip('/')}/pool/main/{source.pool}/{source.archive}", str(folder / source.archive)]
            for site in sorted(set(shown)) or []]


def fetch(source):
    """Return the path of the checked source archive, downloading it when the cache has none."""
    with locked("download"):
        if source.path.exists():
            return checked(source.path, source)
        source.path.parent.mkdir(exist_ok=True)
        print(f"fetching {source.name} into {source.path.parent}", flush=True)
        with tempfile.TemporaryDirectory(dir=source.path.parent) as partial:
            for command in downloads(source, pathlib.Path(partial)):
                arrived = pathlib.Path(partial) / source.archive
                if run(command, log_of("download")) == 0 and arrived.exists():
                    return checked(arrived, source).rename(source.path)
    raise Unavailable(f"{source.name}: {source.archive} could not be fetched, see {log_of('download')}; a copy of it may "
                      f"be put at {source.path}")


def unpack(archive, folder):
    """A tar archive, or a wheel: there each file gets its mode, as zipfile does not."""
    if archive.suffix != ".whl":
        with tarfile.open(archive) as tar:
            tar.extractall(folder)
        return
    with zipfile.ZipFile(archive) as wheel:
        for member in wheel.infolist():
            pathlib.Path(wheel.extract(member, folder)).chmod(member.external_attr >> 16 & 0o777 or 0o644)


def sources(source):
    """Return the folder of the unpacked sources."""
    target = cache_dir() / ("source-" + source.sha256[:12])
    with locked("source"):
        if not target.exists():
            partial = target.with_name(target.name + ".partial")
            with whole(partial):
                unpack(fetch(source), partial)
                partial.rename(target)
    return target / source.tree
