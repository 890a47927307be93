"""Random programs: all ranks draw the same one, run their part of it, and compare all memory with a model in numpy."""
import os
import random

import numpy as np
import pytest

import armci

SHAPE, PHASES, OPERATIONS = (12, 7, 5), 6, 15
SEEDS = range(20 if os.environ.get("ARMCI_TEST_LONG") else 4)


def part(draw, rank, size, disjoint):
    """An index; where parts of ranks must be disjoint, of the rows of one rank."""
    rows = slice(rank, None, size) if disjoint else draw.choice((slice(None, None, -1), draw.randrange(SHAPE[0]), slice(2, 9, 2)))
    if not disjoint and draw.randrange(4) == 0:
        return [draw.randrange(SHAPE[0]) for _ in range(draw.randrange(6))]
    return (rows, *(draw.choice((slice(None), slice(None, None, -2), slice(1, 4), draw.randrange(length))) for length in SHAPE[1:]))


def operation(draw, kind, A, model, rank, me, requests):
    """One operation of a rank on a slice: in the model everywhere, for real at that rank."""
    target, index = draw.randrange(A.group.size), part(draw, rank, A.group.size, kind == "put")
    shape = model[target][index if isinstance(index, list) else (*index, ...)].shape if index != [] else (0, *SHAPE[1:])
    source = np.array([draw.randrange(-99, 99) for _ in range(int(np.prod(shape)))], "i8").reshape(shape)
    alpha, nb, fortran = draw.randrange(1, 4), draw.randrange(2) == 1, draw.randrange(2) == 1
    if rank == me:
        mine = np.array(source, order="F") if fortran and not isinstance(index, list) else source
        done = A.put(target, index, mine, nb=nb) if kind == "put" else A.acc(target, index, mine, alpha, nb=nb)
        requests.extend([done] * nb)
    if kind == "put":
        model[target][index] = source
    elif shape[0:1] != (0,):
        np.add.at(model[target], index, alpha * source)


def get(draw, A, model, rank, me):
    target, index = draw.randrange(A.group.size), part(draw, rank, A.group.size, False)
    if rank == me:
        assert np.array_equal(A.get(target, index), model[target][np.array(index, int) if isinstance(index, list) else index]), index


@pytest.mark.parametrize("seed", SEEDS)
def test_program(seed, world):
    draw, A = random.Random(seed), armci.zeros(SHAPE, "i8")
    model = np.zeros((world.size, *SHAPE), "i8")
    for _ in range(PHASES):
        kind, requests = draw.choice(("put", "acc")), []
        for _ in range(OPERATIONS):
            for rank in range(world.size):
                operation(draw, kind, A, model, rank, world.rank, requests)
                if kind == "put":
                    for request in requests:
                        request.wait()  # puts of one rank to the same place are in order once they are waited for
                    requests.clear()
        for request in requests:
            request.wait()
        armci.barrier()
        assert np.array_equal(A.local, model[world.rank])
        for _ in range(5):
            for rank in range(world.size):
                get(draw, A, model, rank, world.rank)
        armci.barrier()
