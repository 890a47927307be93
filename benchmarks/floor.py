#!/usr/bin/env python3
"""floor.py WORD --json FILE: what UCX alone needs, by its own program ucx_perftest, in rows named as those of armci-bench.

A launcher of MPI starts two: rank 1 runs the servers, rank 0 the clients. WORD is latency, remote or bandwidth; other arguments are left out.
On the two nodes of tests/hosts UCX uses their TCP; UCX tries every device of the machine there unless it is named, and does not end.
"""
import json
import os
import re
import socket
import subprocess
import sys
import time

PORT, TRIES, LIMIT = 14000, 20, 20  # of the first row; to reach the server; seconds for a row
NODE = re.fullmatch(r"(armci-\d+-)[12]", socket.gethostname())
SERVER = NODE[1] + "2" if NODE else "127.0.0.1"
SHORT = [("get 8 B", "ucp_get", 8), ("rmw fetch-and-add long", "ucp_fadd", 8)]
SIZES = {"latency": [], "remote": [64, 256, 1024, 4096], "bandwidth": [1, 4, 16, 64, 256, 1024, 4096, 16384]}  # KiB


def rows(word):
    """Name of the row, test of ucx_perftest, bytes."""
    sizes = [(f"{size} KiB" if size < 1024 else f"{size >> 10} MiB", size << 10) for size in SIZES[word]]
    return (SHORT if word != "bandwidth" else []) + [(f"{kind} {text}", test, size) for text, size in sizes
                                                     for kind, test in (("put", "ucp_put_bw"), ("get", "ucp_get"))]


def perftest(port, *options):
    """The last line of its output; empty if it fails."""
    ran = subprocess.run(["timeout", str(LIMIT), "ucx_perftest", *options, "-p", str(port)], capture_output=True, text=True)
    return ran.stdout.strip().split("\n")[-1] if ran.returncode == 0 else ""


def client(port, test, size):
    """Nanoseconds for each transfer, or None."""
    count = max(20, min(2000, (64 << 20) // size))
    for _ in range(TRIES):
        time.sleep(0.1)
        numbers = perftest(port, SERVER, "-t", test, "-s", str(size), "-n", str(count), "-w", str(count // 10), "-f", "-v").split(",")
        if len(numbers) > 2 and numbers[1].strip().replace(".", "").isdigit():
            return 1000 * float(numbers[2 if test.endswith("bw") else 1])
    return None


def main(words):
    word, out = words[0], words[words.index("--json") + 1]
    if NODE:
        os.environ |= {"UCX_TLS": "tcp", "UCX_NET_DEVICES": "eth0"}
    serves = os.environ.get("PMI_RANK", os.environ.get("OMPI_COMM_WORLD_RANK")) == "1"
    found = []
    for number, (name, test, size) in enumerate(rows(word)):
        if serves:
            perftest(PORT + number)
            continue
        taken = client(PORT + number, test, size)
        found += [{"group": word, "name": name, "valid": True, "best_ns": taken, "median_ns": taken, "spread": 0}] if taken else []
    if not serves:
        with open(out, "w") as file:
            json.dump({"armci": "UCX", "mpi": "no MPI", "rows": found}, file)


if __name__ == "__main__":
    main(sys.argv[1:])
