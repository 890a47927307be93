"""GA's test programs, linked with Debian's compiled libga (5.8.2 in Debian 12) and an ARMCI installation.

Debian's libga was compiled elsewhere against another ARMCI library: these programs show that this one takes its
place in a binary. Needs the packages libglobalarrays-dev, libscalapack-mpich-dev or libscalapack-openmpi-dev,
and a BLAS and LAPACK."""
import pathlib
import re
import subprocess

import gaprograms
import gasource
from gabuild import is_chosen
from gasource import Problem, Unavailable, run_logged

PROGRAMS = ("testc", "patch_enumc", "mtest", "ntestc", "packc", "unpackc", "scan_addc", "scan_copyc", "normc",
            "getmem", "testmult", "testmultrect", "testmatmultc", "gemmtest", "lock", "simple_groups_commc")
CFLAGS = ["-std=gnu99", "-O2", "-pthread", "-include", "stdlib.h"]


def debian_library(cc, name):
    """The full path of a library where the compiler looks for them; the static ARMCI must not be searched for."""
    found = subprocess.run([*cc.split(), "-print-file-name=" + name], capture_output=True, text=True).stdout.strip()
    if not found.startswith("/"):
        raise Unavailable(f"{name} is not installed; on Debian it is in the package libglobalarrays-dev")
    return found


def check_map(link_map, wanted):
    """Raise Problem unless every member of an ARMCI archive in the link map comes from the wanted one."""
    archives = set(re.findall(r"^(/\S*libarmci[^/\s]*)\(", link_map.read_text(), re.MULTILINE))
    resolved = {str(pathlib.Path(archive).resolve()) for archive in archives}
    if resolved != {str(wanted)}:
        raise Problem(f"{link_map}: ARMCI comes from {sorted(resolved) or 'nowhere'}, not from {wanted}")
    shared = re.findall(r"^LOAD (\S*libarmci\S*\.so\S*)", link_map.read_text(), re.MULTILINE)
    if shared:
        raise Problem(f"{link_map}: {shared[0]} is linked too")


def link(name, args, source, folder):
    """Compile one program, link it, look at the map; it takes its final name only when that is right."""
    armci = (pathlib.Path(args.prefix) / "lib" / "libarmci.a").resolve()
    testing, partial, link_map = source / "global" / "testing", folder / (name + ".partial"), folder / (name + ".map")
    # The installed headers of this library come first, then Debian's ga.h, which is in the compiler's own path.
    command = [*args.cc.split(), *CFLAGS, f"-I{args.prefix}/include", f"-I{testing}",
               f"-I{source}/LinAlg/lapack+blas", testing / (name + ".c"), "-o", partial, f"-Wl,-Map={link_map}",
               debian_library(args.cc, f"libga-{args.family}.a"), armci,
               f"-lscalapack-{args.family}", "-llapack", "-lblas", "-lgfortran", "-lm"]
    run_logged(command, folder / (name + ".compile.log"))
    check_map(link_map, armci)
    partial.rename(folder / name)


def prepare(args, folder):
    """Link each program; one that cannot be linked is counted as failed when its turn comes."""
    debian_library(args.cc, f"libga-{args.family}.a")
    source = gasource.sources(gasource.GA["5.7.1b0"])
    names = [name for name in PROGRAMS if not is_chosen(name, args.leave_out.split())]
    for name in names:
        try:
            link(name, args, source, folder)
        except Problem as problem:
            print(problem)
    return [gaprograms.program("global/testing/" + name, folder / name) for name in names]
