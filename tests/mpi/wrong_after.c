/* wrong_after.c - small random programs that must work after a wrong call: puts, gets and accumulates of all shapes,
 * rmw, fences; each step is checked against a model.  Every process has one stripe in every slice, so that no
 * other changes it; one counter is everybody's. */
#include "wrong_calls.h"

enum { STRIPE = 48 }; /* longs */

static struct {
    void **base;           /* slices of n stripes, then the counter, and 4 bytes more: see SLICE */
    long (*model)[STRIPE]; /* [n]: what the caller's stripe in each slice must hold */
    int programs;          /* run here: each adds 1 to the counter of process 0 */
    struct rng r;
    const char *after;
} a;

static size_t slice_bytes(void)
{
    return ((size_t)test_ranks() * STRIPE + 8) * sizeof(long) + 4;
}

/* The caller's stripe in t. */
static long *stripe(int t)
{
    return (long *)a.base[t] + (size_t)test_rank() * STRIPE;
}

static long *counter(void)
{
    return (long *)a.base[0] + (size_t)test_ranks() * STRIPE;
}

void after_prepare(void)
{
    a.base = region_zeroed(slice_bytes());
    a.model = need_zeroed((size_t)test_ranks() * sizeof *a.model);
    a.programs = 0;
}

void after_end(void)
{
    free(a.model);
    region_free(a.base);
}

/* Steps; each leaves memory and model equal. */

/* A patch of rows x columns longs at `first` of a stripe, `stride` longs between its rows. */
struct patch {
    int first, rows, columns, stride;
};

static struct patch random_patch(void)
{
    struct patch p;
    p.rows = rng_between(&a.r, 1, 4);
    p.columns = rng_between(&a.r, 1, 5);
    p.stride = rng_between(&a.r, p.columns, 8);
    p.first = rng_between(&a.r, 0, STRIPE - (p.rows - 1) * p.stride - p.columns);
    return p;
}

static int cells(const struct patch *p)
{
    return p->rows * p->columns;
}

/* Where cell i of the patch is in its stripe. */
static int place(const struct patch *p, int i)
{
    return p->first + i / p->columns * p->stride + i % p->columns;
}

static void random_longs(long *values, int n)
{
    for (int i = 0; i < n; i++)
        values[i] = rng_between(&a.r, -1000000, 1000000);
}

static void put_patch(int t)
{
    struct patch p = random_patch();
    int count[2] = {p.columns * 8, p.rows}, packed = p.columns * 8, strided = p.stride * 8;
    long values[20];
    random_longs(values, cells(&p));
    check_long(ARMCI_PutS(values, &packed, stripe(t) + p.first, &strided, count, 1, t), 0, "PutS after %s", a.after);
    for (int i = 0; i < cells(&p); i++)
        a.model[t][place(&p, i)] = values[i];
}

static void accumulate_patch(int t)
{
    struct patch p = random_patch();
    int count[2] = {p.columns * 8, p.rows}, packed = p.columns * 8, strided = p.stride * 8;
    long values[20], scale = rng_between(&a.r, -2, 3);
    random_longs(values, cells(&p));
    check_long(ARMCI_AccS(ARMCI_ACC_LNG, &scale, values, &packed, stripe(t) + p.first, &strided, count, 1, t), 0, "AccS after %s", a.after);
    for (int i = 0; i < cells(&p); i++)
        a.model[t][place(&p, i)] += scale * values[i];
}

static void get_patch(int t)
{
    struct patch p = random_patch();
    int count[2] = {p.columns * 8, p.rows}, packed = p.columns * 8, strided = p.stride * 8;
    long values[20] = {0};
    check_long(ARMCI_GetS(stripe(t) + p.first, &strided, values, &packed, count, 1, t), 0, "GetS after %s", a.after);
    for (int i = 0; i < cells(&p); i++)
        check_long(values[i], a.model[t][place(&p, i)], "cell %d from GetS after %s", place(&p, i), a.after);
}

static void put_vector(int t)
{
    long values[3];
    void *local[3] = {values, values + 1, values + 2}, *remote[3];
    armci_giov_t iov = {local, remote, sizeof(long), 3};
    int first = rng_between(&a.r, 0, STRIPE - 15);
    random_longs(values, 3);
    for (int i = 0; i < 3; i++)
        remote[i] = stripe(t) + first + 7 * i;
    check_long(ARMCI_PutV(&iov, 1, t), 0, "PutV after %s", a.after);
    for (int i = 0; i < 3; i++)
        a.model[t][first + 7 * i] = values[i];
}

static void put_nonblocking(int t)
{
    armci_hdl_t hdl;
    long values[5];
    int n = rng_between(&a.r, 1, 5), first = rng_between(&a.r, 0, STRIPE - n);
    random_longs(values, n);
    ARMCI_INIT_HANDLE(&hdl);
    check_long(ARMCI_NbPut(values, stripe(t) + first, n * 8, t, &hdl), 0, "NbPut after %s", a.after);
    check_long(ARMCI_Wait(&hdl), 0, "Wait after %s", a.after);
    ARMCI_Fence(t);
    memcpy(a.model[t] + first, values, (size_t)n * sizeof(long));
}

static void read_modify_write(int t)
{
    int at = rng_between(&a.r, 0, STRIPE - 1), add = rng_between(&a.r, -9, 9);
    bool swap = rng_chance(&a.r, 50);
    long given = rng_between(&a.r, 1, 1000), old = given;
    check_long(ARMCI_Rmw(swap ? ARMCI_SWAP_LONG : ARMCI_FETCH_AND_ADD_LONG, &old, stripe(t) + at, add, t), 0, "Rmw after %s", a.after);
    check_long(old, a.model[t][at], "old value from Rmw after %s", a.after);
    a.model[t][at] = swap ? given : old + add;
}

static void get_stripe(int t)
{
    long values[STRIPE];
    ARMCI_Fence(t);
    check_long(ARMCI_Get(stripe(t), values, sizeof values, t), 0, "Get after %s", a.after);
    check_bytes(values, a.model[t], sizeof values, "the stripe in %d after %s", t, a.after);
}

void after_run(int number, const char *after)
{
    static void (*const steps[])(int) = {put_patch,       accumulate_patch,  get_patch, put_vector,
                                         put_nonblocking, read_modify_write, get_stripe};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    int t = 0;
    long old;
    a.after = after;
    a.r = rng_stream(0xaf7e4u + (uint64_t)number * (uint64_t)test_ranks() + (uint64_t)test_rank());
    for (int i = rng_between(&a.r, 4, 9); i > 0; i--) {
        t = rng_between(&a.r, 0, test_ranks() - 1);
        steps[rng_between(&a.r, 0, STEPS - 1)](t);
    }
    get_stripe(t);
    check_long(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, counter(), 1, 0), 0, "Rmw of the counter after %s", after);
    check(old >= a.programs, "the counter after %s: %ld, less than own %d", after, old, a.programs);
    a.programs++;
}

void after_check_sum(void)
{
    long sum;
    ARMCI_Barrier();
    check_long(ARMCI_Get(counter(), &sum, sizeof sum, 0), 0, "ARMCI_Get of the counter");
    check_long(sum, (long)a.programs * test_ranks(), "the counter after all");
    ARMCI_Barrier();
}
