# The Spack package of ARMCI-RMA; doc/packaging.md says how to use it. A release archive has a
# configure script; in a checkout Spack makes it.
from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *


class ArmciRma(AutotoolsPackage):
    """The ARMCI one-sided communication library over MPI-3: a libarmci for Global Arrays, NWChem
    and other programs. It uses shared memory inside nodes and works around known defects of MPI
    libraries by itself."""

    homepage = "https://armci-rma.invalid"
    git = "https://armci-rma.invalid/armci-rma.git"

    version("0.2.0.dev")

    license("BSD-3-Clause")

    provides("armci")

    variant("shared", default=True, description="Build the shared library too")
    variant("debug", default=False, description="Internal checks, no optimisation")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("m4", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.8:", type=("build", "run", "test"))  # armci-stats
    depends_on("check@0.13:", type="test")
    depends_on("mpi@3:")

    def configure_args(self):
        args = ["CC=" + self.spec["mpi"].mpicc, "--enable-static"]
        args.extend(self.enable_or_disable("shared"))
        args.extend(self.enable_or_disable("debug"))
        return args

    def setup_dependent_build_environment(self, env, dependent_spec):
        # NWChem and scripts written for ARMCI-MPI look here.
        env.set("EXTERNAL_ARMCI_PATH", self.prefix)
        env.set("ARMCIMPI_DIR", self.prefix)
