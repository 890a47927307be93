"""setup.py - what pip does with the source: configure and make, with the MPI compiler in CC or PATH, and a wheel of what they install.

The library lies in the folder of the module: bin, lib, include and share."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

SOURCE = Path(__file__).resolve().parent


class BuildLibrary(build_py):
    """The module, and the library beside it."""

    def run(self):
        super().run()
        build = Path(self.get_finalized_command("build").build_temp).resolve()
        stage = build / "stage"
        build.mkdir(parents=True, exist_ok=True)
        steps = [[SOURCE / "configure", "--prefix=/armci"], ["make", f"-j{os.cpu_count()}"], ["make", "install-strip", f"DESTDIR={stage}"]]
        if not (SOURCE / "configure").exists():
            subprocess.run(["./autogen.sh"], cwd=SOURCE, check=True)
        for step in steps:
            subprocess.run(step, cwd=build, check=True)
        self.take(stage / "armci", Path(self.build_lib).resolve() / "armci")

    def take(self, installed, module):
        """Copy an installation; links become files. Its folders are found from where it is, and MPI's by its compiler wrapper."""
        ignored = shutil.ignore_patterns("python3", "*.la", "libarmci.so.0.*", "modulefiles", "bash-completion")
        for folder in ("bin", "include", "lib", "share"):
            shutil.copytree(installed / folder, module / folder, ignore=ignored, dirs_exist_ok=True)
        for name, pattern, text in (("pkgconfig/armci.pc", r"^prefix=.*", "prefix=${pcfiledir}/../.."),
                                    ("pkgconfig/armci.pc", r"^(Libs:.* -larmci|Cflags: -I\$\{includedir\}).*", r"\1"),
                                    ("cmake/armci/armci-config.cmake", r'^(set\(armci_MPI_C_COMPILER ").*"', r'\1"')):
            path = module / "lib" / name
            path.write_text(re.sub(pattern, text, path.read_text(), flags=re.M))


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    """The library is loaded, not linked with Python: one wheel for all versions."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(distclass=BinaryDistribution, cmdclass={"build_py": BuildLibrary, "bdist_wheel": AnyPython})
