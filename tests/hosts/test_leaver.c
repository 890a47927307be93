/* test_leaver.c - jobs that span nodes: a process starts transfers and leaves the library, to compute or to wait by loads.  What it started
 * completes without it. */
#include <stdatomic.h>

#include "../mpi/harness.h"

/* The leaver is the last process, on the second node; the observer is the first one there; the server is on the first node.  The observer
 * and the leaver are one process where each node has one: then there is nothing to try. */
enum { SERVED = 0, SLICE = 4 << 20, LONGEST = 1 << 20 };

static int leaver(void)
{
    return test_ranks() - 1;
}

static int observer(void)
{
    return test_ranks() / 2;
}

/* Segments of 1 KiB that no patch describes. */
enum { SEGMENT = 1 << 10, SEGMENTS = LONGEST / SEGMENT };
static void *there[SEGMENTS], *here[SEGMENTS];

static armci_giov_t uneven(char *remote, char *local, int kib)
{
    for (int i = 0; i < kib; i++) {
        there[i] = remote + (size_t)i * 2 * SEGMENT + (size_t)(i * i % 97) * 8;
        here[i] = local + (size_t)i * SEGMENT;
    }
    return (armci_giov_t){here, there, SEGMENT, kib};
}

static const double one = 1.0;

static void acc(char *remote, char *local, int kib)
{
    ARMCI_Acc(ARMCI_ACC_DBL, (void *)&one, local, remote, kib << 10, SERVED);
}

static void put(char *remote, char *local, int kib)
{
    ARMCI_Put(local, remote, kib << 10, SERVED);
}

static void put_strided(char *remote, char *local, int kib)
{
    int far[1] = {4096}, near[1] = {2048}, count[2] = {2048, kib / 2};
    ARMCI_PutS(local, near, remote, far, count, 1, SERVED);
}

static void put_vector(char *remote, char *local, int kib)
{
    armci_giov_t v = uneven(remote, local, kib);
    ARMCI_PutV(&v, 1, SERVED);
}

/* Small segments behind a long one, which is sent separately. */
static void put_mixed(char *remote, char *local, int kib)
{
    void *from = local, *to = remote + (2 << 20);
    armci_giov_t v[2] = {{&from, &to, 256 << 10, 1}, uneven(remote, local, kib)};
    ARMCI_PutV(v, 2, SERVED);
}

static void acc_vector(char *remote, char *local, int kib)
{
    armci_giov_t v = uneven(remote, local, kib);
    ARMCI_AccV(ARMCI_ACC_DBL, (void *)&one, &v, 1, SERVED);
}

typedef void (*starter)(char *remote, char *local, int kib);
static const struct row {
    const char *name;
    starter start;
    int kib;
} rows[] = {
    {"accumulate", acc, 96},
    {"accumulate", acc, 200},
    {"accumulate", acc, 1024},
    {"strided put", put_strided, 96},
    {"strided put", put_strided, 200},
    {"vector put", put_vector, 200},
    {"vector put of long and short segments", put_mixed, 30},
    {"vector accumulate", acc_vector, 200},
    {"put", put, 1024},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* The bytes that the row changes last become visible at the server; then the observer puts the flag that the leaver looks for. */
static bool has_changed(const char *remote, const struct row *row, double seconds)
{
    char seen = 0;
    bool strided = row->start == put_strided, vector = !strided && row->start != acc && row->start != put;
    size_t last = (size_t)row->kib << 10;
    if (strided) last = (size_t)(row->kib / 2 - 1) * 4096 + 2048;
    if (vector) last = (size_t)(row->kib - 1) * 2 * SEGMENT + (size_t)((row->kib - 1) * (row->kib - 1) % 97) * 8 + SEGMENT;
    for (double until = now() + seconds; !seen && now() < until;)
        ARMCI_Get((void *)(remote + last - 1), &seen, 1, SERVED);
    return seen != 0;
}

static void leave_until_told(void **base, char *local, const struct row *row, atomic_int *flag)
{
    row->start((char *)base[SERVED] + 4096, local, row->kib);
    double until = now() + 10;
    while (!atomic_load(flag) && now() < until) {
    }
    check(atomic_load(flag), "%s of %d KiB: it is not seen by others while its caller is outside of the library", row->name, row->kib);
}

static void completes_without_its_caller(void)
{
    void **base = region_create(SLICE);
    char *local = need_memory(LONGEST);
    const int seen = 1;
    for (int i = 0; i < LONGEST; i += (int)sizeof one)
        memcpy(local + i, &one, sizeof one);
    for (int i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        memset(base[test_rank()], 0, SLICE);
        ARMCI_Barrier();
        if (test_rank() == leaver()) leave_until_told(base, local, row, base[leaver()]);
        if (test_rank() == observer() && observer() != leaver()) {
            check(has_changed((char *)base[SERVED] + 4096, row, 9), "%s of %d KiB: it does not arrive", row->name, row->kib);
            ARMCI_Put((void *)&seen, base[leaver()], sizeof seen, leaver());
        }
        ARMCI_Barrier();
    }
    free(local);
    region_free(base);
}

/* The last of many small puts, which may be sent together. */
static void small_puts_complete_without_their_caller(void)
{
    enum { PUTS = 2000 };
    void **base = region_zeroed(PUTS * sizeof(long));
    long *slice = base[test_rank()], value = 0;
    if (test_rank() == leaver()) {
        for (long i = 0; i < PUTS; i++)
            ARMCI_Put(&(long){i + 1}, (long *)base[SERVED] + i, sizeof(long), SERVED);
        double until = now() + 10;
        while (!atomic_load((_Atomic long *)slice) && now() < until) {
        }
        check(*slice != 0, "the last of %d small puts is not seen while its caller is outside of the library", PUTS);
    }
    if (test_rank() == observer() && observer() != leaver()) {
        for (double until = now() + 9; value != PUTS && now() < until;)
            ARMCI_Get((long *)base[SERVED] + PUTS - 1, &value, sizeof value, SERVED);
        check_long(value, PUTS, "the last of many small puts");
        ARMCI_Put(&value, base[leaver()], sizeof value, leaver());
    }
    region_done(base);
}

static const struct test tests[] = {
    {"what a blocking call started completes while its caller computes", completes_without_its_caller},
    {"small puts complete while their caller computes", small_puts_complete_without_their_caller},
};
SUITE();
