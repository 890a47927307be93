"""What NWChem is asked to calculate: four inputs of our own, and names of inputs in the QA folder of its source."""
import dataclasses
import pathlib

WATER = """start water
geometry units angstroms
  O   0.000000   0.000000   0.117790
  H   0.000000   0.755453  -0.471161
  H   0.000000  -0.755453  -0.471161
end
basis spherical
  * library aug-cc-pvdz
end
scf; thresh 1e-9; tol2e 1e-12; end
dft; xc b3lyp; grid fine; convergence energy 1e-10 density 1e-8; tolerances tight; end
mp2; tight; end
ccsd; thresh 1e-9; end
{task}
"""


@dataclasses.dataclass(frozen=True)
class Input:
    """One input. steps: the files that are run one after another in one folder; reference: the outputs they are compared with."""
    name: str
    shows: str
    steps: tuple = ()            # names in the QA folder; empty: text is the input
    text: str = ""
    agree: float = 1e-5          # between numbers of ranks, Hartree

    def written_to(self, folder, source):
        """The input file of each step; one of our own is written into that folder."""
        if self.steps:
            return [qa_file(source, step, ".nw") for step in self.steps]
        own = pathlib.Path(folder) / "water.nw"
        own.write_text(self.text)
        return [own]

    def references(self, source):
        """The text of each step's reference output; None where there is none."""
        return [qa_file(source, step, ".out").read_text(errors="replace") for step in self.steps] or [None]


def qa_file(source, step, ending):
    return pathlib.Path(source) / "QA/tests" / (step + ending)


def water(method, task):
    return Input(f"water {method}", "energies converged to 1e-9", text=WATER.format(task=task), agree=1e-8)


def quality(name, shows, *steps):
    return Input(name, shows, steps or (f"{name}/{name}",))


INPUTS = (
    water("SCF", "task scf gradient"),
    water("MP2", "task mp2 gradient"),
    water("CCSD(T)", "task ccsd(t)"),
    water("B3LYP", "task dft gradient"),
    quality("h2o", "ROHF gradient"),
    quality("be", "four SCF energies of an atom"),
    quality("startag", "two SCF energies"),
    quality("tagcheck", "SCF gradients, two geometries"),
    quality("h2o_dk", "Douglas-Kroll, SCF gradient"),
    quality("h2o_opt", "four SCF optimisations"),
    quality("c2h4", "RHF, UHF and DFT of ethene"),
    quality("propene", "DFT of propene"),
    quality("hess_h2o", "SCF optimisation, frequencies"),
    quality("autosym", "SCF frequencies, five symmetries"),
    quality("cosmo_h2o", "SCF in a solvent"),
    quality("dft_he2+", "DFT gradients of an ion, many functionals"),
    quality("h2o_diag_to_cg", "LDA, diagonalisation, then conjugate gradients"),
    quality("h2o_cg_to_diag_ub3lyp", "open-shell B3LYP, conjugate gradients, then diagonalisation"),
    quality("h2o_diag_opt", "DFT optimisation"),
    quality("h2o_cg_opt", "DFT optimisation by conjugate gradients"),
    quality("geom_zmatrix", "DFT, two Z-matrices"),
    quality("dft_ozone", "DFT energies and gradients, several functionals"),
    quality("dft_mpwb1khf", "mPWB1K, optimisation"),
    quality("h2o-lcpbe", "range-separated LC-PBE, direct"),
    quality("o2_hfattn", "range-separated exchange, open shell"),
    quality("m11_h2o", "M11"),
    quality("sogga_h2o", "SOGGA"),
    quality("fh_m06", "M06, optimisation"),
    quality("h2o-b3lyp-disp", "B3LYP with dispersion, frequencies"),
    quality("dft_hess_start, dft_hess_rest", "DFT frequencies, then a restart from its database", "dft_hess_start/dft_hess_start",
            "dft_hess_rest/dft_hess_rest"),
    quality("h2mp2", "MP2 gradient, analytic and numerical"),
    quality("auh2o", "MP2 with effective core potentials"),
    quality("He_scf-mp2_cc-vqz", "semidirect, direct and RI-MP2"),
    quality("Ne_scf-mp2_cc-vqz", "semidirect, direct and RI-MP2"),
    quality("He_b2plyp_cc-vqz", "double hybrid, semidirect, direct and RI-MP2"),
    quality("rimp2_ne", "RI-MP2 of a dimer"),
)
