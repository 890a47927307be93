"""What is special about single GA test programs; all others are expected to print no word of failure."""
from runner import Program
from results import NUMBER, Expect

SUCCESS = "All tests successful"
DISTRIBUTIONS = r"testing with different distributions"
REFUSED = r"-- SHOULD FAIL\s+\(need[^)]*\)\s+failure"
PATCHES = r"(copy|dot) patch(es)? on different dimensions"

# Programs that end with this line when all went well; some of them go on after a failure.
ENDING = {
    SUCCESS: ("g2test", "g3test", "ghosts", "mmatrix", "mulmatpatch", "mulmatpatchc", "ndim", "nga-onesided",
              "nga-periodic", "nga-scatter", "nga-util", "ntestc", "patch", "testmatmult"),
    "[Ss]uccess": ("ga_lu", "testmult"),
    "Success": ("gemmtest", "getmem", "mtest", "ntestfc"),
    "Terminating": ("ga-mpi",),
    "Binning: successful": ("bin",),
    "GA_PATCH_ENUM successful": ("sparse",),
    "Regular array test succeeded": ("read_only",),
    "Successfully completed test of nga_add_patch": ("patch2",),
    "std eigensolver is OK": ("testeig",),
}

RESIDUALS = Expect(must=["Elapsed time in CG solver"], harmless=[rf"error:\s+{NUMBER}"])
SPECIAL = {
    # They multiply up to 4096 x 4096 integers, and 1024 x 1024 elements of seven types, by three plain loops.
    "cache_test": dict(seconds=1800),
    "sprs_test": dict(seconds=600),
    # Once in each half of the processes.
    "comm_init": dict(expect=Expect(must=[r"(?s)Test passed.*Test passed"])),
    "j_iter": dict(expect=RESIDUALS),
    "kaczmarz": dict(expect=RESIDUALS),
    "blktest": dict(expect=Expect(must=["Finished tests: success"], limit=1e-12,
                                  same=[rf"Value of DDOT(?:_PATCH)?:\s+{NUMBER} Expected value:\s+{NUMBER}"])),
    "perf": dict(seconds=300, expect=Expect(must=[SUCCESS])),
    "perfmod": dict(seconds=240, expect=Expect(must=[SUCCESS])),
    "perform": dict(seconds=240, expect=Expect(must=[SUCCESS])),
    "mir_perf2": dict(seconds=300, expect=Expect(must=[SUCCESS])),
    "jacobi": dict(expect=Expect(must=[SUCCESS], harmless=[rf"error=\s+{NUMBER}"])),
    "nga-patch": dict(expect=Expect(must=[SUCCESS], harmless=[DISTRIBUTIONS, PATCHES])),
    "ngatest": dict(expect=Expect(must=["OK"], harmless=[DISTRIBUTIONS, PATCHES])),
    "sprsmatmult": dict(expect=Expect(must=["Total time for sparse matrix-vector multiply"])),
    "test": dict(expect=Expect(must=[SUCCESS], harmless=[REFUSED])),
    "overlay": dict(expect=Expect(must=[SUCCESS], harmless=[REFUSED])),
    "pgtest": dict(expect=Expect(must=[SUCCESS], harmless=[REFUSED])),
    "pg2test": dict(expect=Expect(must=["All tests succes+ful"], harmless=[REFUSED])),
    # Their last part is 33 million fetch-and-adds, between two nodes half of them by messages.
    "thread_perf_contig": dict(seconds=900, expect=Expect(must=["Put test OK", "Get test OK", "Acc test OK"])),
    "thread_perf_strided": dict(seconds=900, expect=Expect(must=["Put test OK", "Get test OK", "Acc test OK"])),
    "threadsafec": dict(seconds=240),
    "gparrays/testing/testc": dict(expect=Expect(must=["Terminating"])),
    "gparrays/testing/transpose": dict(expect=Expect(must=["Terminating GA library"])),
    "ga++/testing/create_irreg_test": dict(ranks=(4,)),
    # Its names by autotools and by CMake.
    **{name: dict(expect=Expect(must=["Terminating"], small=[rf"Error={NUMBER}"])) for name in ("ga++/testing/testc", "ga++/testc_cpp")},
    # Its last line in GA 5.7, and in 5.9.
    "testc": dict(expect=Expect(must=[f"Terminating|{SUCCESS}"], small=[rf"Error={NUMBER}"])),
    "pario/dra/rate": dict(seconds=5),
    # Known failures that may hang; unit tests take up to 3 s.
    **{f"global/testing/unit-tests/{name}": dict(seconds=20) for name in ("ga_create_irreg2", "ga_dot", "ga_get_blockinfo")},
    "testmatmultc": dict(seconds=240, expect=Expect(must=[SUCCESS])),
}
SPECIAL.update({name: dict(expect=Expect(must=[line])) for line, names in ENDING.items() for name in names})


def program(name, path):
    """The Program for GA's test program of this name, for example global/testing/patch."""
    folder, _, short = name.rpartition("/")
    return Program(name, path, **SPECIAL.get(short if folder == "global/testing" else name, {}))
