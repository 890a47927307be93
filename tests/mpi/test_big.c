/* test_big.c - transfers of more than 2 GiB, and addresses more than 2 and 4 GiB into a slice. Rank
 * 0 transfers, rank 1 owns. */
#include <limits.h>
#include <sys/statvfs.h>

#include "harness.h"

static const size_t MiB = 1024 * 1024, GiB = 1024 * 1024 * 1024;

/* Bytes that shared memory can still take: MPI libraries keep windows there. */
static size_t shared_memory_available(void)
{
    struct statvfs v;
    if (statvfs("/dev/shm", &v) != 0) return 0;
    return (size_t)v.f_bavail * v.f_frsize;
}

/* Skip the test, on all ranks, unless there are `memory` bytes in all and `shared` of shared
 * memory, and 2 ranks. */
static bool may_run(size_t memory, size_t shared)
{
    if (!needs_ranks(2)) return false;
    if (on_all_ranks(memory_available() >= memory && shared_memory_available() >= shared))
        return true;
    skip("needs %zu MiB of memory, %zu MiB of them in /dev/shm; there are %zu and %zu",
         memory / MiB, shared / MiB, memory_available() / MiB, shared_memory_available() / MiB);
    return false;
}

/* ROWS rows of 16 MiB, 64 bytes apart at the target: 2.03 GiB.  Row i of the source begins 8 bytes
 * behind row i - 1. */
enum { ROWS = 130, ROW = 16 * 1024 * 1024, GAP = 64 };

struct big {
    void **base;
    char *source;
    int count[2], source_stride[1], target_stride[1];
};

static struct big big_create(void)
{
    struct big b = {.count = {ROW, ROWS}, .source_stride = {8}, .target_stride = {ROW + GAP}};
    struct rng r = rng_stream(1);
    char *mine;
    b.base = region_create(test_rank() == 1 ? (size_t)ROWS * (ROW + GAP) : 64);
    b.source = need_memory(ROW + 8 * ROWS);
    rng_bytes(&r, b.source, ROW + 8 * ROWS);
    mine = b.base[test_rank()];
    ARMCI_Access_begin(mine);
    for (size_t i = 0; test_rank() == 1 && i < ROWS; i++)
        memset(mine + i * (ROW + GAP) + ROW, 0x11, GAP);
    ARMCI_Access_end(mine);
    ARMCI_Barrier();
    return b;
}

/* Rank 1 stores the rows of the source in its slice. */
static void big_load(const struct big *b)
{
    char *mine = b->base[test_rank()];
    ARMCI_Access_begin(mine);
    for (size_t i = 0; test_rank() == 1 && i < ROWS; i++)
        memcpy(mine + i * (ROW + GAP), b->source + 8 * i, ROW);
    ARMCI_Access_end(mine);
    ARMCI_Barrier();
}

static void big_free(struct big *b)
{
    ARMCI_Barrier();
    region_free(b->base);
    free(b->source);
}

/* Rank 1 looks at its own slice; each element is `times` that of the source. */
static void big_verify(const struct big *b, unsigned times, const char *what)
{
    char *mine = b->base[test_rank()], gap[GAP];
    unsigned *row = need_memory(ROW);
    memset(gap, 0x11, GAP);
    ARMCI_Barrier();
    ARMCI_Access_begin(mine);
    for (size_t i = 0; test_rank() == 1 && i < ROWS; i++) {
        memcpy(row, b->source + 8 * i, ROW);
        for (size_t k = 0; k < ROW / sizeof *row; k++)
            row[k] *= times;
        check_bytes(mine + i * (ROW + GAP), row, ROW, "%s of %d rows of 16 MiB, row %zu", what,
                    ROWS, i);
        check_bytes(mine + i * (ROW + GAP) + ROW, gap, GAP, "%s: gap behind row %zu", what, i);
    }
    ARMCI_Access_end(mine);
    ARMCI_Barrier();
    free(row);
}

static void test_strided_put(void)
{
    struct big b;
    if (!may_run(8 * GiB, 3 * GiB)) return;
    b = big_create();
    if (test_rank() == 0)
        check_long(ARMCI_PutS(b.source, b.source_stride, b.base[1], b.target_stride, b.count, 1, 1),
                   0, "ARMCI_PutS: code");
    big_verify(&b, 1, "ARMCI_PutS");
    big_free(&b);
}

static void test_strided_acc(void)
{
    int one = 1;
    struct big b;
    if (!may_run(8 * GiB, 3 * GiB)) return;
    b = big_create();
    big_load(&b);
    if (test_rank() == 0)
        check_long(ARMCI_AccS(ARMCI_ACC_INT, &one, b.source, b.source_stride, b.base[1],
                              b.target_stride, b.count, 1, 1),
                   0, "ARMCI_AccS: code");
    big_verify(&b, 2, "ARMCI_AccS");
    big_free(&b);
}

static void test_strided_get(void)
{
    int packed[1] = {ROW};
    struct big b;
    if (!may_run(10 * GiB, 3 * GiB)) return;
    b = big_create();
    big_load(&b);
    if (test_rank() == 0) {
        char *all = need_memory((size_t)ROWS * ROW);
        armci_hdl_t handle = new_handle();
        check_long(ARMCI_NbGetS(b.base[1], b.target_stride, all, packed, b.count, 1, 1, &handle), 0,
                   "ARMCI_NbGetS: code");
        check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait: code");
        for (size_t i = 0; i < ROWS; i++)
            check_bytes(all + i * ROW, b.source + 8 * i, ROW,
                        "ARMCI_NbGetS of %d rows of 16 MiB, row %zu", ROWS, i);
        free(all);
    }
    big_free(&b);
}

/* The largest contiguous transfer there can be: INT_MAX bytes, from and to odd addresses. */
static void test_contiguous(void)
{
    const size_t n = INT_MAX;
    void **base;
    if (!may_run(8 * GiB, 3 * GiB)) return;
    base = region_create(test_rank() == 1 ? n + 64 : 64);
    if (test_rank() == 0) {
        unsigned char *local = need_memory(n + 1), last[3] = {0, 0, 0};
        memset(local, 0x42, n);
        local[1] = 1;
        local[n] = 3;
        local[n / 2] = 2;
        check_long(ARMCI_Put(local + 1, (char *)base[1] + 3, (int)n, 1), 0,
                   "ARMCI_Put of INT_MAX bytes: code");
        ARMCI_Get((char *)base[1] + 3, last, 1, 1);
        ARMCI_Get((char *)base[1] + 3 + n / 2 - 1, last + 1, 1, 1);
        ARMCI_Get((char *)base[1] + 3 + n - 1, last + 2, 1, 1);
        check(last[0] == 1 && last[1] == 2 && last[2] == 3,
              "ARMCI_Put of INT_MAX bytes: first, middle, last expected 1 2 3, seen %d %d %d",
              last[0], last[1], last[2]);
        memset(local, 0, n + 1);
        check_long(ARMCI_Get((char *)base[1] + 3, local + 1, (int)n, 1), 0,
                   "ARMCI_Get of INT_MAX bytes: code");
        check(local[1] == 1 && local[n / 2] == 2 && local[n] == 3 && local[n - 1] == 0x42,
              "ARMCI_Get of INT_MAX bytes: expected 1 2 3 66, seen %d %d %d %d", local[1],
              local[n / 2], local[n], local[n - 1]);
        free(local);
    }
    region_done(base);
}

static const size_t far[] = {0,           2147483640u, 2147484672u,
                             4294967288u, 4294968320u, 4831838208u - 128};
enum { FAR = sizeof far / sizeof *far, PIECE = 64 };
static const size_t SLICE = 4831838208u; /* 4.5 GiB */

/* Rank 1 expects piece i to hold the doubles value + i. */
static void verify_far(void **base, double value, const char *what)
{
    char *mine = base[test_rank()];
    ARMCI_Barrier();
    ARMCI_Access_begin(mine);
    for (int i = 0; test_rank() == 1 && i < FAR; i++)
        for (size_t k = 0; k < PIECE / sizeof(double); k++) {
            double seen;
            memcpy(&seen, mine + far[i] + k * sizeof seen, sizeof seen);
            check_double(seen, value + i, "%s, %zu bytes into the slice", what, far[i]);
        }
    ARMCI_Access_end(mine);
    ARMCI_Barrier();
}

static void fill(double piece[], double value)
{
    for (size_t k = 0; k < PIECE / sizeof(double); k++)
        piece[k] = value;
}

static void far_contiguous(void **base)
{
    double piece[PIECE / sizeof(double)], seen[PIECE / sizeof(double)], scale = 10;
    for (int i = 0; i < FAR; i++) {
        char *remote = (char *)base[1] + far[i];
        fill(piece, 1 + i);
        check_long(ARMCI_Put(piece, remote, PIECE, 1), 0, "ARMCI_Put: code");
        ARMCI_Get(remote, seen, PIECE, 1);
        check_bytes(seen, piece, PIECE, "ARMCI_Get %zu bytes into the slice", far[i]);
        fill(piece, 1);
        check_long(ARMCI_Acc(ARMCI_ACC_DBL, &scale, piece, remote, PIECE, 1), 0, "ARMCI_Acc: code");
        check_double(ARMCI_GetValueDouble(remote + 8, 1), 11 + i,
                     "ARMCI_GetValueDouble %zu bytes into the slice", far[i]);
    }
}

static void far_vector(void **base)
{
    double piece[FAR][PIECE / sizeof(double)], seen[FAR][PIECE / sizeof(double)], scale = 2;
    void *here[FAR], *back[FAR], *there[FAR];
    armci_giov_t out = {here, there, PIECE, FAR}, in = {there, back, PIECE, FAR};
    for (int i = 0; i < FAR; i++) {
        fill(piece[i], 100 + i);
        here[i] = piece[i];
        back[i] = seen[i];
        there[i] = (char *)base[1] + far[i];
    }
    check_long(ARMCI_PutV(&out, 1, 1), 0, "ARMCI_PutV: code");
    check_long(ARMCI_GetV(&in, 1, 1), 0, "ARMCI_GetV: code");
    check_bytes(seen, piece, sizeof seen, "ARMCI_GetV of segments up to 4.5 GiB apart");
    for (int i = 0; i < FAR; i++)
        fill(piece[i], 50);
    check_long(ARMCI_AccV(ARMCI_ACC_DBL, &scale, &out, 1, 1), 0, "ARMCI_AccV: code");
}

/* 2 x 4 segments of 8 bytes, 1 GiB + 40 bytes and 72 bytes apart. */
static void far_strided(void **base)
{
    int count[3] = {8, 2, 4}, here[2] = {8, 16}, there[2] = {72, (int)GiB + 40};
    long out[8] = {1, 2, 3, 4, 5, 6, 7, 8}, in[8] = {0}, far_one = 0;
    check_long(ARMCI_PutS(out, here, (char *)base[1] + 4096, there, count, 2, 1), 0,
               "ARMCI_PutS: code");
    check_long(ARMCI_GetS((char *)base[1] + 4096, there, in, here, count, 2, 1), 0,
               "ARMCI_GetS: code");
    check_bytes(in, out, sizeof in, "ARMCI_GetS of rows 1 GiB apart");
    ARMCI_Get((char *)base[1] + 4096 + 3 * (GiB + 40) + 72, &far_one, 8, 1);
    check_long(far_one, 8, "last segment of an ARMCI_PutS of rows 1 GiB apart");
}

static void test_far(void)
{
    void **base;
    if (!may_run(6 * GiB, 5 * GiB)) return;
    base = region_create(test_rank() == 1 ? SLICE : 64);
    if (test_rank() == 0) far_contiguous(base);
    verify_far(base, 11, "ARMCI_Put and ARMCI_Acc");
    if (test_rank() == 0) far_vector(base);
    verify_far(base, 200, "ARMCI_PutV and ARMCI_AccV");
    if (test_rank() == 0) far_strided(base);
    region_done(base);
}

static const struct test tests[] = {
    {"addresses beyond 2 and 4 GiB in a slice", test_far},
    {"strided put of more than 2 GiB", test_strided_put},
    {"strided accumulate of more than 2 GiB", test_strided_acc},
    {"strided get of more than 2 GiB", test_strided_get},
    {"contiguous transfers of INT_MAX bytes", test_contiguous},
};
SUITE();
