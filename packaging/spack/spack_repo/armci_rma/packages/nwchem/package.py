# Spack's NWChem with one more value of its variant: armci=armci-rma.
from spack_repo.builtin.packages.nwchem.package import Nwchem as BuiltinNwchem

from spack.package import *


class Nwchem(BuiltinNwchem):
    __doc__ = BuiltinNwchem.__doc__

    variant(
        "armci",
        values=("mpi-ts", "mpi-pr", "armcimpi", "mpi3", "openib", "ofi", "armci-rma"),
        default="armci-rma",
        description="ARMCI runtime",
    )

    depends_on("armci-rma", when="armci=armci-rma")

    def setup_build_environment(self, env):
        super().setup_build_environment(env)
        if self.spec.satisfies("armci=armci-rma"):
            env.set("ARMCI_NETWORK", "ARMCI")
            env.set("EXTERNAL_ARMCI_PATH", self.spec["armci-rma"].prefix)
