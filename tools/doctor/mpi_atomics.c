/* mpi_atomics.c - which operations are atomic against each other: all ranks add to one number, and
 * no addition may be lost. */
#include "probes.h"

#include <stdatomic.h>
#include <string.h>

#include "area.h"

/* ARMCI does not use Win_create here, and it would end this job. */
static bool known_bad_create(void)
{
    return job->careful && !use.quirks.window_over_own_memory;
}

/* How one rank adds 1 to a number in rank 0's slice. */
enum adder { ADD_ACCUMULATE, ADD_FETCH, ADD_SWAP, ADD_CPU };

struct raddr {
    MPI_Win win;
    MPI_Aint at;       /* in rank 0's slice */
    atomic_long *here; /* the same in this process; NULL: not mapped */
};

static void add_by_swap(struct raddr p)
{
    long expected = 0, desired, old = 0;
    do {
        expected = old;
        desired = expected + 1;
        MPI_Compare_and_swap(&desired, &expected, &old, MPI_LONG, 0, p.at, p.win);
        MPI_Win_flush(0, p.win);
    } while (old != expected);
}

static void add_one(enum adder how, struct raddr p)
{
    static const long one = 1;
    long old;
    switch (how) {
    case ADD_ACCUMULATE:
        MPI_Accumulate(&one, 1, MPI_LONG, 0, p.at, 1, MPI_LONG, MPI_SUM, p.win);
        return;
    case ADD_FETCH:
        MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, p.at, MPI_SUM, p.win);
        MPI_Win_flush_local(0, p.win);
        return;
    case ADD_SWAP: add_by_swap(p); return;
    case ADD_CPU: atomic_fetch_add(p.here, 1); return;
    }
}

/* Rank 0 adds by one call, the others by another, in rounds for `seconds`; reports lost additions.
 */
static long lost(enum adder first, enum adder others, struct raddr mine, atomic_long *number,
                 double seconds, long *added)
{
    enum adder how = job->rank == 0 ? first : others;
    double begun = now();
    long own = 0, seen;
    if (job->rank == 0) atomic_store(number, 0);
    MPI_Barrier(job->comm);
    do {
        for (int i = 0; i < (how == ADD_CPU ? 200000 : 200); i++, own++) {
            if (i % 8 == 0 && how != ADD_CPU && now() - begun >= seconds)
                break; /* an addition may take milliseconds if ranks share cores */
            add_one(how, mine);
        }
        if (how != ADD_CPU) MPI_Win_flush(0, mine.win);
    } while (!over(begun, seconds));
    MPI_Barrier(job->comm);
    if (job->rank == 0) MPI_Win_sync(mine.win);
    seen = job->rank == 0 ? atomic_load(number) : 0;
    MPI_Bcast(&seen, 1, MPI_LONG, 0, job->comm);
    MPI_Allreduce(&own, added, 1, MPI_LONG, MPI_SUM, job->comm);
    return *added - seen;
}

static const char *adder_name(enum adder a)
{
    static const char *const names[] = {"MPI_Accumulate", "MPI_Fetch_and_op",
                                        "MPI_Compare_and_swap", "the processor"};
    return names[a];
}

static void try_pair(struct finding *f, enum adder first, enum adder others, struct raddr mine,
                     atomic_long *number, const char *where, double seconds)
{
    long added = 0, n = lost(first, others, mine, number, seconds, &added);
    if (job->rank == 0)
        found(f, n == 0, "%ld of %ld additions lost, %s against %s%s", n, added, adder_name(first),
              adder_name(others), where);
}

/* ---------------------------------------------------------------- MPI alone -------- */

static void try_mpi_alone(struct finding *f, enum area_kind kind)
{
    static const enum adder pairs[][2] = {
        {ADD_ACCUMULATE, ADD_ACCUMULATE}, {ADD_FETCH, ADD_FETCH}, {ADD_FETCH, ADD_SWAP}};
    struct area a;
    if (!area_possible(f) || !area_open(&a, kind, 4096, f)) return;
    MPI_Aint origin = 0;
    if (kind == AREA_DYNAMIC) MPI_Get_address(a.slice, &origin);
    MPI_Bcast(&origin, 1, MPI_AINT, 0, job->comm);
    struct raddr p = {.win = a.win, .at = origin + 64};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        try_pair(f, pairs[i][0], pairs[i][1], p, (atomic_long *)(void *)(a.slice + 64), "", 0.2);
    tell(f, "accumulate, fetch-and-op, compare-and-swap: no addition lost");
    area_close(&a);
}

void probe_atomic(struct finding *f)
{
    try_mpi_alone(f, area_used());
}

void probe_atomic_allocate(struct finding *f)
{
    try_mpi_alone(f, AREA_ALLOCATE);
}

void probe_atomic_create(struct finding *f)
{
    try_mpi_alone(f, AREA_CREATE);
}

/* ---------------------------------------------------------------- mixed ------------ */

/* The address of rank 0's slice of a shared window in this process. */
static char *first_slice(MPI_Win win)
{
    MPI_Aint bytes;
    int unit;
    char *base = NULL;
    MPI_Win_shared_query(win, 0, &bytes, &unit, &base);
    return base;
}

void probe_atomic_mixed(struct finding *f)
{
    static const enum adder pairs[][2] = {{ADD_ACCUMULATE, ADD_CPU},
                                          {ADD_CPU, ADD_ACCUMULATE},
                                          {ADD_FETCH, ADD_CPU},
                                          {ADD_CPU, ADD_FETCH}};
    struct area a;
    MPI_Win over_it;
    if (!area_possible(f)) return;
    if (job->nodes > 1) {
        leave_out(f, "the ranks are on several nodes");
        return;
    }
    if (!area_open(&a, AREA_SHARED, 4096, f)) return;
    char *first = first_slice(a.win);
    struct raddr p = {.win = a.win, .at = 64, .here = (atomic_long *)(void *)(first + 64)};
    int rc = known_bad_create()
                 ? MPI_ERR_WIN
                 : MPI_Win_create(a.slice, 4096, 1, MPI_INFO_NULL, job->comm, &over_it);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        try_pair(f, pairs[i][0], pairs[i][1], p, p.here, "", 0.3);
    if (rc == MPI_SUCCESS) {
        MPI_Win_lock_all(0, over_it);
        p.win = over_it;
        for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
            try_pair(f, pairs[i][0], pairs[i][1], p, p.here, " (MPI_Win_create)", 0.3);
        MPI_Win_unlock_all(over_it);
        MPI_Win_free(&over_it);
    }
    tell(f, "no addition lost");
    area_close(&a);
}

/* Two windows over the same memory: rank 0 uses one, the others use the other. */
void probe_atomic_windows(struct finding *f)
{
    struct area a;
    MPI_Win second;
    if (known_bad_create()) {
        leave_out(f, "MPI_Win_create is known to crash with this library (--probe tries it)");
        return;
    }
    if (!area_possible(f) || !area_open(&a, AREA_ALLOCATE, 4096, f)) return;
    if (area_call(f, MPI_Win_create(a.slice, 4096, 1, MPI_INFO_NULL, job->comm, &second),
                  "MPI_Win_create")) {
        MPI_Win_lock_all(0, second);
        struct raddr p = {.win = job->rank == 0 ? a.win : second, .at = 64};
        try_pair(f, ADD_ACCUMULATE, ADD_ACCUMULATE, p, (atomic_long *)(void *)(a.slice + 64),
                 " through two windows", 0.5);
        MPI_Win_unlock_all(second);
        MPI_Win_free(&second);
    }
    tell(f, "no addition lost");
    area_close(&a);
}

/* ---------------------------------------------------------------- datatypes -------- */

enum { SUM_ELEMENTS = 64, SUM_ROUNDS = 40 };

/* All ranks add to the same scattered elements of rank 0 by an accumulate with this datatype. */
static void try_sum(struct finding *f, struct area *a, MPI_Datatype type, const char *name)
{
    double *sum = (double *)(void *)a->slice, ones[2 * SUM_ELEMENTS];
    for (int i = 0; i < 2 * SUM_ELEMENTS; i++) {
        ones[i] = 1;
        sum[i] = 0;
    }
    MPI_Type_commit(&type);
    MPI_Win_sync(a->win);
    MPI_Barrier(job->comm);
    for (int i = 0; i < SUM_ROUNDS; i++)
        MPI_Accumulate(ones, 1, type, 0, 0, 1, type, MPI_SUM, a->win);
    MPI_Win_flush(0, a->win);
    MPI_Barrier(job->comm);
    MPI_Win_sync(a->win);
    for (int i = 0; i < SUM_ELEMENTS && job->rank == 0; i++)
        found(f, sum[2 * i] == SUM_ROUNDS * job->size && sum[2 * i + 1] == 0,
              "%s: element %d is %g, not %d", name, i, sum[2 * i], SUM_ROUNDS * job->size);
    MPI_Type_free(&type);
}

void probe_atomic_vector(struct finding *f)
{
    struct area a;
    MPI_Datatype type;
    if (!area_possible(f) || !area_open(&a, area_used(), 4096, f)) return;
    MPI_Type_vector(SUM_ELEMENTS, 1, 2, MPI_DOUBLE, &type);
    try_sum(f, &a, type, "vector");
    area_close(&a);
    tell(f, "accumulates of all ranks on the same elements");
}

void probe_atomic_indexed(struct finding *f)
{
    struct area a;
    MPI_Datatype type;
    int places[SUM_ELEMENTS];
    if (!area_possible(f) || !area_open(&a, area_used(), 4096, f)) return;
    for (int i = 0; i < SUM_ELEMENTS; i++)
        places[i] = 2 * i;
    MPI_Type_create_indexed_block(SUM_ELEMENTS, 1, places, MPI_DOUBLE, &type);
    try_sum(f, &a, type, "indexed");
    area_close(&a);
    tell(f, "accumulates of all ranks on the same elements");
}
