"""The GA source distribution: fetched once into the cache folder, checked, unpacked, made ready to configure."""
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

RELEASE = "globalarrays==5.7.1b0"
TARBALL = "globalarrays-5.7.1b0.tar.gz"
SHA256 = "eab9de32a71c8e9a681764d5dcc3faded0683947880928abc1536c7b0b14cfc9"


class Problem(Exception):
    """Something the suite needs could not be had; the message says what and where to look."""


def cache_dir():
    """The folder outside the tree that keeps what was fetched and built: ARMCI_CACHE or ~/.cache/armci-rma."""
    folder = pathlib.Path(os.environ.get("ARMCI_CACHE") or "~/.cache/armci-rma").expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def locked(name):
    """Keep two runs from working on the same part of the cache at once."""
    with open(cache_dir() / (name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


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


def fetch():
    """Return the path of the checked source archive, downloading it when the cache has none."""
    folder = cache_dir() / "download"
    archive = folder / TARBALL
    if not archive.exists():
        folder.mkdir(exist_ok=True)
        print(f"fetching {RELEASE} into {folder}", flush=True)
        run_logged([sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:",
                    "--dest", str(folder), RELEASE], cache_dir() / "download.log")
    found = file_digest(archive)
    if found != SHA256:
        archive.unlink()
        raise Problem(f"{archive}: SHA-256 is {found}, not {SHA256}; the file was removed")
    return archive


def unpack(archive, target):
    """Unpack the archive and generate GA's configure; target appears only when all of it worked."""
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(partial)
    print("generating GA's configure script", flush=True)
    run_logged(["autoreconf", "-vif"], cache_dir() / "autoreconf.log", cwd=ga_tree(partial))
    partial.rename(target)


def ga_tree(folder):
    """Where the GA sources are inside the unpacked archive."""
    return folder / TARBALL[:-len(".tar.gz")] / "ga-master"


def sources():
    """Return the folder of the GA sources, ready to configure."""
    target = cache_dir() / ("source-" + SHA256[:12])
    with locked("source"):
        if not target.exists():
            unpack(fetch(), target)
    return ga_tree(target)
