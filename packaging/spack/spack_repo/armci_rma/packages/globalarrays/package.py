# Spack's Global Arrays with one more value of its variant: armci=armci-rma.
from spack_repo.builtin.packages.globalarrays.package import Globalarrays as BuiltinGlobalarrays

from spack.package import *


class Globalarrays(BuiltinGlobalarrays):
    __doc__ = BuiltinGlobalarrays.__doc__

    variant(
        "armci",
        values=("mpi-ts", "mpi-pr", "mpi3", "openib", "ofi", "armci-rma"),
        default="armci-rma",
        description="ARMCI runtime",
    )

    depends_on("armci-rma", when="armci=armci-rma")

    def configure_args(self):
        args = super().configure_args()
        if self.spec.satisfies("armci=armci-rma"):
            args.remove("--with-armci-rma")
            args.append(f"--with-armci={self.spec['armci-rma'].prefix}")
        return args
