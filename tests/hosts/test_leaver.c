/* test_leaver.c - jobs that span nodes: a process starts transfers and leaves the library, to
 * compute or to wait by loads, or calls direct transfers only. What it started completes without
 * it. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../mpi/harness.h"

/* The leaver is the last process, on the second node; the observer is the first one there; the
 * server is on the first node. The observer and the leaver are one process where each node has
 * one: then there is nothing to try. */
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

/* The bytes that the row changes last become visible at the server; then the observer puts the flag
 * that the leaver looks for. */
static bool has_changed(const char *remote, const struct row *row, double seconds)
{
    char seen = 0;
    bool strided = row->start == put_strided,
         vector = !strided && row->start != acc && row->start != put;
    size_t last = (size_t)row->kib << 10;
    if (strided) last = (size_t)(row->kib / 2 - 1) * 4096 + 2048;
    if (vector)
        last = (size_t)(row->kib - 1) * 2 * SEGMENT +
               (size_t)((row->kib - 1) * (row->kib - 1) % 97) * 8 + SEGMENT;
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
    check(atomic_load(flag),
          "%s of %d KiB: it is not seen by others while its caller is outside of the library",
          row->name, row->kib);
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
            check(has_changed((char *)base[SERVED] + 4096, row, 9),
                  "%s of %d KiB: it does not arrive", row->name, row->kib);
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
        check(*slice != 0,
              "the last of %d small puts is not seen while its caller is outside of the library",
              PUTS);
    }
    if (test_rank() == observer() && observer() != leaver()) {
        for (double until = now() + 9; value != PUTS && now() < until;)
            ARMCI_Get((long *)base[SERVED] + PUTS - 1, &value, sizeof value, SERVED);
        check_long(value, PUTS, "the last of many small puts");
        ARMCI_Put(&value, base[leaver()], sizeof value, leaver());
    }
    region_done(base);
}

/* ---- the caller calls direct transfers without pause ----
 *
 * They advance nothing, so the progress thread must, or the next to leave the global lock. Without
 * that an operation is delivered when the loop has ended, or by luck. */

enum { PIECE = 32 << 10, PIECES = 60, AREA = PIECES * PIECE, COPY = 8 << 20, DELIVERIES = 5 };
/* Seconds. Two threads of the leaver that never wait, and the progress threads, are more than two
 * processors: Linux with autogroups was seen to leave a runnable progress thread without a
 * processor for 1.3 s. */
static const double GIVEN_UP = 20, LATE[2] = {0.5, 10}; /* [has_thread] */

static void start_puts(char *remote, char *local, armci_hdl_t *handle)
{
    (void)handle;
    for (int i = 0; i < 2; i++) /* the second is sent when the first is acknowledged */
        ARMCI_Put(local, remote + 8 * i, 8, SERVED);
}

static void start_nonblocking_puts(char *remote, char *local, armci_hdl_t *handle)
{
    (void)handle;
    for (int i = 0; i < 2; i++)
        ARMCI_NbPut(local, remote + 8 * i, 8, SERVED, NULL);
}

/* More than a server grants at once. */
static void start_accumulates(char *remote, char *local, armci_hdl_t *handle)
{
    (void)handle;
    for (int i = 0; i < PIECES; i++)
        ARMCI_Acc(ARMCI_ACC_DBL, (void *)&one, local, remote + i * PIECE, PIECE, SERVED);
}

static void start_rendezvous(char *remote, char *local, armci_hdl_t *handle)
{
    ARMCI_NbPut(local, remote, LONGEST, SERVED, handle);
}

/* The reply is packed: the leaver must unpack it. */
static void start_strided_get(char *remote, char *local, armci_hdl_t *handle)
{
    int far[1] = {4096}, near[1] = {2048}, count[2] = {2048, 64};
    ARMCI_NbGetS(remote, far, local, near, count, 1, SERVED, handle);
}

static const struct delivery {
    const char *name;
    void (*start)(char *remote, char *local, armci_hdl_t *handle);
    int last; /* offset of the double that is delivered last: at the server, or in the leaver's
                 buffer */
    bool is_get;
} deliveries[] = {
    {"two puts", start_puts, 8},
    {"two nonblocking puts", start_nonblocking_puts, 8},
    {"accumulates", start_accumulates, AREA - 8},
    {"a nonblocking put of 1 MiB", start_rendezvous, LONGEST - 8},
    {"a nonblocking strided get", start_strided_get, 64 * 2048 - 8, true},
};

/* Direct transfers of the leaver within its own memory, in a loop. */
struct copies {
    char *to, *from;
    double longest; /* seconds */
    atomic_bool enough;
};

static void copy_once(struct copies *c)
{
    double begun = now();
    ARMCI_Put(c->from, c->to, COPY, leaver());
    if (now() - begun > c->longest) c->longest = now() - begun;
}

static void *copy_until_told(void *copies)
{
    struct copies *c = copies;
    while (!atomic_load(&c->enough))
        copy_once(c);
    return NULL;
}

/* Wait by loads for the value, between direct transfers or, if another thread makes those, without
 * any call. Seconds. */
static double wait_for(const volatile double *cell, double value, struct copies *copies,
                       bool has_thread)
{
    double begun = now();
    while (*cell != value && now() < begun + GIVEN_UP) {
        if (!has_thread) copy_once(copies);
    }
    return now() - begun;
}

/* The caller, the leaver, starts the operation; the server answers in the leaver's `cell`. */
static void deliver(const struct delivery *d, char *remote, char *local, volatile double *cell,
                    double value, struct copies *copies, bool has_thread)
{
    armci_hdl_t handle;
    pthread_t thread;
    ARMCI_INIT_HANDLE(&handle);
    copies->longest = 0;
    atomic_store(&copies->enough, false);
    if (has_thread && pthread_create(&thread, NULL, copy_until_told, copies) != 0) abort();
    d->start(remote, local, &handle);
    double took = wait_for(d->is_get ? (volatile double *)(void *)(local + d->last) : cell, value,
                           copies, has_thread);
    atomic_store(&copies->enough, true);
    if (has_thread) pthread_join(thread, NULL);
    ARMCI_Wait(&handle);
    check(took < GIVEN_UP, "%s: not delivered", d->name);
    check_time(took, LATE[has_thread] + 10 * copies->longest,
               "%s: delivery; the longest direct transfer took %.1f ms", d->name,
               1e3 * copies->longest);
}

static void answer(const struct delivery *d, const char *slice, double *answers, double value)
{
    const volatile double *cell = (const volatile double *)(const void *)(slice + d->last);
    if (d->is_get) return;
    for (double until = now() + 2 * GIVEN_UP; *cell != value && now() < until;)
        usleep(100);
    ARMCI_Put(&value, answers, sizeof value, leaver());
}

static void fill_doubles(char *to, size_t bytes, double value)
{
    for (size_t i = 0; i < bytes; i += sizeof value)
        memcpy(to + i, &value, sizeof value);
}

/* The slices: an area that the operations go to or come from, the cell for the server's answers,
 * room for direct transfers. */
static void try_delivery(const struct delivery *d, void **base, char *local, struct copies *copies,
                         bool has_thread)
{
    char *slice = base[test_rank()], *remote = base[SERVED],
         *answers = (char *)base[leaver()] + AREA;
    memset(slice, 0, AREA + 8);
    for (int round = 1; round <= DELIVERIES; round++) {
        double value = round;
        if (d->is_get && test_rank() == SERVED) fill_doubles(slice, AREA, value);
        fill_doubles(local, LONGEST, d->start == start_accumulates ? 1 : d->is_get ? 0 : value);
        ARMCI_Barrier();
        if (test_rank() == leaver())
            deliver(d, remote, local, (volatile double *)(void *)answers, value, copies,
                    has_thread);
        if (test_rank() == SERVED) answer(d, slice, (double *)(void *)answers, value);
        ARMCI_Barrier();
    }
}

static void completes_beside_direct_transfers(const void *row)
{
    const bool has_thread = *(const bool *)row;
    struct copies copies = {.from = NULL};
    if (has_thread && !needs_threads()) return;
    void **base = region_create(AREA + 64 + COPY);
    char *local = need_memory(LONGEST);
    copies.from = need_zeroed(COPY);
    copies.to = (char *)base[test_rank()] + AREA + 64;
    for (size_t i = 0; i < sizeof deliveries / sizeof deliveries[0]; i++)
        try_delivery(&deliveries[i], base, local, &copies, has_thread);
    free(local);
    free(copies.from);
    region_free(base);
}

static const struct test tests[] = {
    {"operations complete while their caller calls direct transfers",
     ONE_ROW(completes_beside_direct_transfers, bool, false)},
    {"operations complete while another thread calls direct transfers",
     ONE_ROW(completes_beside_direct_transfers, bool, true)},
    {"what a blocking call started completes while its caller computes",
     completes_without_its_caller},
    {"small puts complete while their caller computes", small_puts_complete_without_their_caller},
};
SUITE();
