"""The test programs and examples of the original ARMCI, and those of ARMCI-MPI 0.4, compiled against an ARMCI installation."""
import math
import pathlib
import random
import re

import gasource
from gasource import Problem, run_logged
from runner import Program
from results import NUMBER, Expect

# They are old C: their headers come through configure tests that are not run here.
HEADERS = ("stdio", "stdlib", "stdarg", "string", "strings", "assert", "unistd", "math", "errno", "fcntl", "time", "sys/time",
           "sys/types", "sys/stat")
CFLAGS = ["-std=gnu99", "-O2", "-g", "-pthread", "-DSIZEOF_LONG=8", *(word for h in HEADERS for word in ("-include", h + ".h"))]
CG, LU, ACCESS = "examples/benchmarks/cg/armci_sharedmemory", "examples/benchmarks/lu", "examples/benchmarks/RandomAccess"
ORDER = 64                        # of the matrix that the LU programs factorise
ROWS = 1200                       # of the sparse matrix

TESTS = {
    "test": dict(seconds=180, expect=Expect(must=["All tests passed"])),
    "test2": dict(expect=Expect(must=["Accumulate and Collective tests passed"])),
    "test_groups": dict(ranks=(4,), expect=Expect(must=["Collective groups: Success!!"])),
    "testitr": dict(flags=["-I{armci}/src/include"], expect=Expect(must=["Success"])),
    "testnotify": dict(expect=Expect(must=[r"(?s)(\]--------\nOK\n.*){7}"])),
    "simple": dict(expect=Expect(must=[r"(?s)(Nb Get Latency.*){10}"])),
    "simplelock": dict(expect=Expect(must=["test passed"])),
    "msgcheck": dict(expect=Expect(must=["Test length = 131072 ... broadcast OK ...global sums OK", "per reduce"])),
    "perf": dict(seconds=180, expect=Expect(must=["Tests Completed"])),
    "perf2": dict(ranks=(2,), expect=Expect(must=[r"(?s)Accumulate.*1048576"])),
    "perf_aggr": dict(expect=Expect(must=["Success!!"])),
    "perf_nb": dict(seconds=180, expect=Expect(must=["Success!!"])),
    "perf_strided": dict(ranks=(2,), expect=Expect(must=[r"(?s)Accumulate Strided.*1048576.*1048576\s+1\n"])),
}


def wrong_factors(output):
    """What is wrong with a printed LU factorisation, or None: the product of the factors, U with ones, is the matrix."""
    # A warning of another rank may stand inside a row.
    output = re.sub(r"ARMCI warning: .*\n", "", output)
    tables = [[[float(word) for word in line.split()] for line in part.splitlines() if len(line.split()) == ORDER]
              for part in output.partition("after LU")[::2]]
    matrix, factors = tables
    if len(matrix) != ORDER or len(factors) != ORDER:
        return f"{len(matrix)} rows of the matrix and {len(factors)} of its factors, not {ORDER}, were printed"
    for i in range(ORDER):
        for j in range(ORDER):
            terms = [factors[i][k] * (factors[k][j] if k < j else 1) for k in range(min(i, j) + 1)]
            if abs(sum(terms) - matrix[i][j]) > 1e-6:
                return f"element {i},{j} of the product of the factors is {sum(terms):.9g}, not {matrix[i][j]:.9g}"
    return None


def wrong_solution(output):
    """What is wrong with the printed solution of cg, or None: the residual is small beside the right side."""
    pairs = [(float(b), float(ax)) for b, ax in re.findall(rf"bvec\[\d+\]={NUMBER} axvec\[\d+\]={NUMBER}", output)]
    if not pairs:
        return "no solution was printed"
    residual, size = (math.sqrt(sum(x * x for x in numbers)) for numbers in ([b - ax for b, ax in pairs], [b for b, _ in pairs]))
    return None if residual < 1e-3 * size else f"the residual is {residual:g}, the right side {size:g}"


def lu(name, *edits):
    """An LU program; it prints the matrix and its factors, with all digits."""
    edits = [("int doprint = 0", "int doprint = 1"), ('"%8.1f "', '"%.17g "'), *edits]
    return dict(files=[f"{LU}/{name}.c", f"{LU}/{pathlib.Path(name).parent}/timing.c"], args=(f"-n{ORDER}", "-b8"),
                edits=edits[1:] if name.endswith("lu_nb_get") else edits, expect=Expect(must=["after LU"], check=wrong_factors))


def sparse_matrix():
    """The rows of a sparse matrix, as {column: value}; the same in each run."""
    numbers = random.Random(1)
    return [{column: numbers.randint(-9, 9) for column in sorted(numbers.sample(range(ROWS), 7))} for _ in range(ROWS)]


def write_sparse_matrix(path):
    """The matrix in the order of the Harwell-Boeing format: sizes, where rows begin, columns, values; counted from 1."""
    rows = sparse_matrix()
    begins = [1 + sum(map(len, rows[:i])) for i in range(ROWS + 1)]
    columns = [column + 1 for row in rows for column in row]
    values = [value for row in rows for value in row.values()]
    path.write_text("\n".join(map(str, [ROWS, len(values), *begins, *columns, *values])) + "\n")


def wrong_product(output):
    """What is wrong with the printed product of the sparse matrix and the printed vector, or None."""
    vectors = {}
    for name in ("operand", "product"):
        found = re.findall(rf"{name}\[(\d+)\]={NUMBER}\n", output)
        vectors[name] = {int(index): float(value) for index, value in found}
        if len(vectors[name]) != ROWS:
            return f"{len(vectors[name])} elements of the {name}, not {ROWS}, were printed"
    for i, row in enumerate(sparse_matrix()):
        expected = sum(value * vectors["operand"][column] for column, value in row.items())
        if vectors["product"][i] != expected:
            return f"element {i} of the product is {vectors['product'][i]}, not {expected}"
    return None


FEATURES = "examples/features"
# Examples, and the test of threads: their sources below the folder armci of GA, and edits (old text, new text).
EXAMPLES = {
    # A variable is missing in 5.9.2, all threads write one buffer of debug output, and those that do not allocate return
    # a variable that nobody set.
    "test_mt": dict(files=["testing/test_mt.c", "src/common/utils.c"], args=("-t3", "-s500", "-i5"),
                    flags=["-DTHREAD_SAFE", "-DPOSIX_THREADS", "-include", "parmci.h", "-I{armci}/src/include"],
                    edits=[("rmt, int rmt_cnt)\n{", "rmt, int rmt_cnt)\n{\n  int check;"), ("#define DEBUG /*", "/*"),
                           ("int rc, th_size", "int rc = 0, th_size")],
                    expect=Expect(must=["Tests Completed"])),
    "aggregation/simple": dict(files=[f"{FEATURES}/aggregation/simple/simple.c"], expect=Expect(must=["Success!!"])),
    # It wants a matrix that nobody has, and prints neither operand nor product. Lines of other ranks would get into these.
    "aggregation/sparse_matvecmul": dict(
        files=[f"{FEATURES}/aggregation/sparse_matvecmul/sparse_matvecmul.c"],
        edits=[('  printf("num_elements', '  if (me == 0) printf("num_elements'), ('  printf("%d: %f + %f', '  if (me == 0) printf("%d: %f + %f'),
               ("    if(me==0) gather_solution_vector(svec);", """
            if (me == 0) for (int r = 0, o = 0; r < nproc; o = proc_row_list[r++]) {
                int rows = proc_row_list[r] - o;
                double x[rows], y[rows];
                ARMCI_Get(vec[r], x, rows * 8, r); ARMCI_Get(svec[r], y, rows * 8, r);
                for (int i = 0; i < rows; i++)
                    printf("operand[%d]=%.17g\\nproduct[%d]=%.17g\\n", o + i, x[i], o + i, y[i]);
            }""")],
        inputs=["Sparse-MPI/av41092.rua.data"], expect=Expect(must=["Success!!"], check=wrong_product)),
    "non-blocking/overlap": dict(files=[f"{FEATURES}/non-blocking/overlap/overlap.c"], ranks=(2,), seconds=120,
                                 expect=Expect(must=[r"1048352 \|"])),
    "transp1D": dict(files=["examples/simpleApps/transp1D-c.c"], 
                     expect=Expect(must=["1D transpose successful"], harmless=["No errors found"])),
    # ARMCI_ACC_RA, an exclusive or for this program, is in no armci.h of GA: addition takes its place.
    "RandomAccess": dict(files=[f"{ACCESS}/simple/simple.c", f"{ACCESS}/timing.c"], args=("16",),
                         flags=["-DARMCI_ACC_RA=ARMCI_ACC_LNG"], expect=Expect(must=["GUPs", "Terminating"])),
    # Rank 0 frees alone, but ARMCI_Free is collective, here as in ComEx and ARMCI-MPI. One element too many is written.
    "cg": dict(files=[f"{CG}/{name}.c" for name in ("cg", "compute", "read_input", "timing")],
               edits=[("    finalize_arrays(dopreconditioning);\n", ""), ("for(i=0;i<=na;i++)", "for(i=0;i<na;i++)")],
               args=("0", "0", "matrix_med.bin"), inputs=["matrix_med.bin"], shown=("cg_output.out",),
               expect=Expect(must=["Terminating"], check=wrong_solution)),
    # It factorises the matrix, then the factors, and so on: here the matrix only. Lines of other ranks would get into the rows.
    "lu/armci_blocking/lu": lu("armci_blocking/lu", ("int nloop=5", "int nloop=1"), ('    printf("%d: (ngets', '    if (0) printf("%d: (ngets'),
                               ("    lu(n, block_size, me); /* cold start */", "")),
    "lu/armci_blocking/lu-block": lu("armci_blocking/lu-block"),
    "lu/armci_blocking/lu-b-bc": lu("armci_blocking/lu-b-bc"),
    "lu/armci_nonblocking/lu_nb_get": lu("armci_nonblocking/lu_nb_get"),
    "lu/armci_nonblocking/lu_nb_put": lu("armci_nonblocking/lu_nb_put"),
}

PASS, SUCCESS = Expect(must=["Test complete: PASS"]), Expect(must=["Success"])
# Those of ARMCI-MPI that its `make check` runs, and three more that it only builds (cg, lu, overlap). Left out are those of its folders
# tests/mpi, which test MPI without ARMCI, and tests/ctree, which test a part of ARMCI-MPI.
ARMCI_MPI = {
    "tests/test_onesided": dict(expect=PASS),
    "tests/test_onesided_shared": dict(expect=PASS),
    "tests/test_onesided_shared_dla": dict(expect=PASS),
    "tests/test_mutex": dict(expect=PASS),
    "tests/test_mutex_rmw": dict(expect=PASS),
    "tests/test_mutex_trylock": dict(expect=PASS),
    "tests/test_malloc": dict(expect=PASS),
    "tests/test_malloc_irreg": dict(expect=PASS),
    "tests/ARMCI_PutS_latency": dict(),
    "tests/ARMCI_AccS_latency": dict(),
    "tests/test_groups": dict(),
    "tests/test_group_split": dict(),
    "tests/test_malloc_group": dict(),
    "tests/test_accs": dict(expect=SUCCESS),
    "tests/test_accs_dla": dict(expect=SUCCESS),
    "tests/test_puts": dict(expect=SUCCESS),
    "tests/test_puts_gets": dict(expect=SUCCESS),
    "tests/test_puts_gets_dla": dict(expect=SUCCESS),
    "tests/test_putv": dict(expect=SUCCESS),
    "tests/test_assert": dict(expect=Expect(ends="ARMCI_Get")),   # it gets from address 0, and is meant to be stopped
    "tests/test_igop": dict(),
    "tests/test_rmw_fadd": dict(expect=PASS),
    "tests/test_parmci": dict(files=["tests/test_parmci.c", "tests/test_parmci_lib.c"], expect=PASS),
    "tests/contrib/armci-perf": dict(),
    "tests/contrib/armci-test": dict(expect=Expect(must=["All tests passed"])),
    "tests/contrib/lu/lu": dict(files=["tests/contrib/lu/lu.c", "tests/contrib/lu/lu_timing.c"]),
    "tests/contrib/lu/lu-block": dict(files=["tests/contrib/lu/lu-block.c", "tests/contrib/lu/lu_timing.c"]),
    "tests/contrib/lu/lu-b-bc": dict(files=["tests/contrib/lu/lu-b-bc.c", "tests/contrib/lu/lu_timing.c"]),
    "tests/contrib/transp1D/transp1D-c": dict(expect=Expect(must=["1D transpose successful"], harmless=["No errors found"])),
    "tests/contrib/non-blocking/simple": dict(),
}


def edited(sources, program, edits):
    """The sources; those that hold an old text of edits are replaced by changed copies beside the program."""
    texts = {source: source.read_text() for source in sources}
    for old, new in edits:
        if not any(old in text for text in texts.values()):
            raise Problem(f"{sources[0]}: the text to be changed is not there: {old}")
        texts = {source: text.replace(old, new) for source, text in texts.items()}
    result = []
    for source, text in texts.items():
        if text != source.read_text():
            source = program.with_name(f"{program.name}-{source.name}")
            source.write_text(text)
        result.append(source)
    return result


def compile_program(args, tree, folder, name, files, flags=(), edits=()):
    """Compile and link one program, of files below the tree, into the folder."""
    prefix, program = pathlib.Path(args.prefix).resolve(), folder / name.replace("/", "_")
    # Headers of this library come first; the program's own folder is searched for what it includes beside itself.
    command = [*args.cc.split(), *CFLAGS, f"-I{prefix}/include", f"-I{(tree / files[0]).parent}",
               *(flag.format(armci=tree) for flag in flags), *edited([tree / file for file in files], program, edits),
               "-o", program, *(getattr(args, "link", None) or [f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-larmci"]), "-lm"]
    run_logged(command, folder / (program.name + ".compile.log"))


def compiled(args, tree, folder, programs):
    """Compile the programs of a table, whose sources are below the tree; one that does not compile is counted as failed when its turn comes."""
    made = []
    for name, special in programs.items():
        special = dict(special)
        built = {key: special.pop(key) for key in ("files", "flags", "edits") if key in special}
        made.append(Program(name, folder / name.replace("/", "_"), **special))
        try:
            compile_program(args, tree, folder, name, **built)
        except Problem as problem:
            print(problem)
    return made


def is_quick(name):
    """True if it is a test that does not measure."""
    return name in TESTS and not name.startswith("perf")


def prepare_original(args, folder, chosen=None):
    """Compile the programs of the original ARMCI: all, or those whose names are chosen."""
    armci = gasource.sources(gasource.GA[args.ga]) / "armci"
    matrix = folder / "sparse-matrix"
    write_sparse_matrix(matrix)
    where = {"Sparse-MPI/av41092.rua.data": matrix, "matrix_med.bin": armci / CG / "matrix_med.bin"}
    programs = {name: {"files": [f"testing/{name}.c"], **special, "inputs": {file: where[file] for file in special.get("inputs", ())}}
                for name, special in {**TESTS, **EXAMPLES}.items() if (name in chosen if chosen else not args.without_examples or is_quick(name))}
    return compiled(args, armci, folder, programs)


def prepare_armci_mpi(args, folder):
    """Compile the programs of ARMCI-MPI."""
    return compiled(args, gasource.sources(gasource.ARMCI_MPI), folder,
                    {name: {"files": [name + ".c"], **special} for name, special in ARMCI_MPI.items()})
