"""programs.py LAUNCHER...: the programs of examples/python, and the same with mpi4py beside this file, as whole jobs in turns; ms, the best of a few.

LAUNCHER starts a job of 2 ranks, such as `tests/launch 2 60`; the environment has armci and an mpi4py for the same MPI library. Each job must end with
"right"."""
import pathlib
import subprocess
import sys
import time

ROUNDS, NAMES = 7, ("pi", "halo", "histogram")
HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = {"armci": HERE.parents[1] / "examples" / "python", "mpi4py": HERE}


def milliseconds(launcher, program):
    begin = time.perf_counter()
    done = subprocess.run([*launcher, sys.executable, "-B", program], stdout=subprocess.PIPE, text=True, check=True)
    took = 1e3 * (time.perf_counter() - begin)
    if not done.stdout.rstrip().endswith(": right"):
        sys.exit(f"{program}: {done.stdout}")
    return took


def main(launcher):
    for name in NAMES:
        best = dict.fromkeys(FOLDERS, float("inf"))
        for _ in range(ROUNDS):
            for module, folder in FOLDERS.items():
                best[module] = min(best[module], milliseconds(launcher, folder / f"{name}.py"))
        print(f"{name:12s}" + "".join(f" {module} {took:8.0f} ms" for module, took in best.items()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or sys.exit(__doc__))
