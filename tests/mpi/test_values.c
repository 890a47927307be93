/* test_values.c - single values from and to registers, and the local helpers: pack, unpack, walk,
 * copy. */
#include <float.h>
#include <limits.h>
#include <sched.h>

#include "lanes.h"
#include "op.h"

static const int ints[] = {0, 1, -1, INT_MAX, INT_MIN, 0x01020304};
static const long longs[] = {0, 1, -1, LONG_MAX, LONG_MIN, 0x0102030405060708L};
static const float floats[] = {0, 1, -1, FLT_MAX, FLT_MIN, 3.25f};
static const double doubles[] = {0, 1, -1, DBL_MAX, DBL_MIN, 3.0000000001};
enum { VALUES = 6 };

/* try_int and so on: put each value at `shift` bytes past a multiple of 8, read it back by value;
 * the mirror says what is there. */
#define TRY(TYPE, NAME, VALUES_OF, CHECK, WIDE)                                                    \
    static void try_##TYPE(const struct lanes *l, int t, size_t shift)                             \
    {                                                                                              \
        for (int i = 0; i < VALUES; i++) {                                                         \
            char *at = lanes_remote(l, t) + 8 * (size_t)i + shift;                                 \
            check_long(ARMCI_PutValue##NAME(VALUES_OF[i], at, t), 0,                               \
                       "ARMCI_PutValue" #NAME ": code");                                           \
            memcpy(lanes_mirror(l, t) + 8 * (size_t)i + shift, &VALUES_OF[i], sizeof(TYPE));       \
            CHECK((WIDE)ARMCI_GetValue##NAME(at, t), (WIDE)VALUES_OF[i],                           \
                  "ARMCI_GetValue" #NAME " from %d, shift %zu", t, shift);                         \
        }                                                                                          \
    }
TRY(int, Int, ints, check_long, long)
TRY(long, Long, longs, check_long, long)
TRY(float, Float, floats, check_double, double)
TRY(double, Double, doubles, check_double, double)

struct values {
    void (*try)(const struct lanes *, int, size_t);
    const char *what;
};

static void run(const void *row)
{
    const struct values *values = row;
    struct lanes l = lanes_create(64, 16);
    for (size_t shift = 0; shift < 8; shift++) {
        for (int i = 0; i < test_ranks(); i++)
            values->try(&l, (test_rank() + i) % test_ranks(), shift);
    }
    lanes_end(&l, values->what);
}

/* write_strided writes a patch to a packed buffer, read_strided reads it back from one (as in the
 * original ARMCI, and as GA's ghost cell updates use them); bytes between the segments and behind
 * the buffer stay. */
static void try_pack(struct rng *r, unsigned char *room, unsigned char *expected, size_t size)
{
    struct patch_wish wish = {
        .kind = {(enum patch_kind)rng_between(r, 0, PATCH_NEGATIVE), PATCH_NESTED},
        .room = {size, size},
        .max_bytes = size / 4,
        .max_levels = 8,
        .unit = 1};
    struct patch p = patch_draw(r, &wish);
    size_t n = patch_segments(&p), bytes = n * (size_t)p.count[0];
    unsigned char *packed = need_memory(bytes + 8), *model = need_memory(bytes + 8);
    rng_bytes(r, room, size);
    memset(packed, 0x77, bytes + 8);
    memset(model, 0x77, bytes + 8);
    for (size_t i = 0; i < n; i++)
        memcpy(model + i * (size_t)p.count[0], room + patch_offset(&p, LOCAL, i),
               (size_t)p.count[0]);
    armci_write_strided(room + p.start[LOCAL], p.levels, p.stride[LOCAL], p.count, (char *)packed);
    check_bytes(packed, model, bytes + 8, "armci_write_strided, %s", patch_text(&p));
    rng_bytes(r, packed, bytes);
    memcpy(expected, room, size);
    for (size_t i = 0; i < n; i++)
        memcpy(expected + patch_offset(&p, LOCAL, i), packed + i * (size_t)p.count[0],
               (size_t)p.count[0]);
    armci_read_strided(room + p.start[LOCAL], p.levels, p.stride[LOCAL], p.count, (char *)packed);
    check_bytes(room, expected, size, "armci_read_strided, %s", patch_text(&p));
    free(packed);
    free(model);
}

static void test_pack(void)
{
    enum { SIZE = 8192, TIMES = 200 };
    struct rng r = rng_stream(40 + (uint64_t)test_rank());
    unsigned char *room = need_memory(SIZE), *expected = need_memory(SIZE);
    for (int i = 0; i < TIMES; i++)
        try_pack(&r, room, expected, SIZE);
    free(room);
    free(expected);
}

/* Segments of no bytes are segments, too. */
static int segments_of_walk(const struct patch *p)
{
    int n = 1;
    for (int i = 1; i <= p->levels; i++)
        n *= p->count[i];
    return n;
}

/* A walk comes to each segment once, in the order of the model, stays behind the last, and ends
 * early where it is told to. */
static void try_walk(struct rng *r, char *room, size_t size)
{
    struct patch_wish wish = {
        .kind = {(enum patch_kind)rng_between(r, 0, PATCH_KINDS - 1), PATCH_NESTED},
        .room = {size, size},
        .max_bytes = size / 4,
        .max_levels = ARMCI_MAX_STRIDE_LEVEL,
        .unit = 1};
    struct patch p = patch_draw(r, &wish);
    int n = segments_of_walk(&p), seen = 0;
    stride_info_t walk;
    armci_stride_info_init(&walk, room + p.start[LOCAL], p.levels, p.stride[LOCAL], p.count);
    check_long(armci_stride_info_size(&walk), n, "segments of a walk, %s", patch_text(&p));
    check_long(armci_stride_info_count(&walk), n, "count of a walk, %s", patch_text(&p));
    for (; armci_stride_info_has_more(&walk) && seen <= n; armci_stride_info_next(&walk), seen++) {
        size_t at = patch_offset(&p, LOCAL, (size_t)seen);
        check_long(armci_stride_info_pos(&walk), seen, "number of a segment, %s", patch_text(&p));
        check_long((char *)armci_stride_info_seg_ptr(&walk) - room, (long)at,
                   "address of segment %d, %s", seen, patch_text(&p));
        check_long(armci_stride_info_seg_off(&walk), (long)at - (long)p.start[LOCAL],
                   "offset of segment %d, %s", seen, patch_text(&p));
        check_long(armci_stride_info_seg_size(&walk), p.count[0], "bytes of segment %d, %s", seen,
                   patch_text(&p));
    }
    check_long(seen, n, "segments that a walk came to, %s", patch_text(&p));
    armci_stride_info_next(&walk);
    check_long(armci_stride_info_pos(&walk), n, "behind the last segment, %s", patch_text(&p));
    armci_stride_info_init(&walk, room, p.levels, p.stride[LOCAL], p.count);
    armci_stride_info_destroy(&walk);
    check(!armci_stride_info_has_more(&walk), "a walk that was ended has more, %s", patch_text(&p));
}

static void test_walk(void)
{
    enum { SIZE = 8192, TIMES = 200 };
    struct rng r = rng_stream(45 + (uint64_t)test_rank());
    char *room = need_memory(SIZE);
    for (int i = 0; i < TIMES; i++)
        try_walk(&r, room, SIZE);
    free(room);
}

static void test_copy(void)
{
    enum { SIZE = 4096 };
    struct rng r = rng_stream(50 + (uint64_t)test_rank());
    unsigned char *from = need_memory(SIZE), *to = need_memory(SIZE), *expected = need_memory(SIZE);
    for (int n = 0; n < 2000; n = n * 3 / 2 + 1) {
        size_t at = (size_t)rng_between(&r, 0, 500), source = (size_t)rng_between(&r, 0, 500);
        rng_bytes(&r, from, SIZE);
        rng_bytes(&r, to, SIZE);
        memcpy(expected, to, SIZE);
        memcpy(expected + at, from + source, (size_t)n);
        ARMCI_Copy(from + source, to + at, n);
        check_bytes(to, expected, SIZE, "ARMCI_Copy of %d bytes", n);
    }
    free(from);
    free(to);
    free(expected);
}

static long look_by_value(long *mine)
{
    return ARMCI_GetValueLong(mine, test_rank());
}

static long look_by_get(long *mine)
{
    long seen = -1;
    ARMCI_Get(mine, &seen, sizeof seen, test_rank());
    return seen;
}

/* Look at one's own value, with no other call, until it is there. */
static long look_for(long value, long *mine, long (*look)(long *mine))
{
    enum { LOOKS_AT_ONCE = 1000, SECONDS = 20 };
    double until = MPI_Wtime() + SECONDS;
    long seen = 0;
    while (seen != value && MPI_Wtime() < until)
        for (int i = 0; i < LOOKS_AT_ONCE && seen != value; i++) {
            seen = look(mine);
            sched_yield();
        }
    return seen;
}

/* A value goes round; a rank that waits for it only looks. */
static void go_round(const char *call, long (*look)(long *mine))
{
    enum { ROUNDS = 20 };
    int me = test_rank(), next = (me + 1) % test_ranks();
    void **base = region_create(sizeof(long));
    long *mine = base[me], added;
    *mine = 0;
    ARMCI_Barrier();
    for (long round = 1; round <= ROUNDS; round++) {
        if (me > 0) check_long(look_for(round, mine, look), round, "%s of one's own value", call);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &added, base[next], 1, next);
        check_long(added, round - 1, "FETCH_AND_ADD_LONG on rank %d", next);
        if (me == 0) check_long(look_for(round, mine, look), round, "%s of one's own value", call);
    }
    region_done(base);
}

static void test_looks(void)
{
    go_round("ARMCI_GetValueLong", look_by_value);
    go_round("ARMCI_Get", look_by_get);
}

/* A value is read when the call is made, however many are under way. */
static void test_changing_values(void)
{
    enum { MANY = 2000 };
    armci_hdl_t *handles = need_memory(MANY * sizeof *handles);
    void **base = region_zeroed(MANY * sizeof(double));
    int target = (test_rank() + 1) % test_ranks(),
        from = (test_rank() + test_ranks() - 1) % test_ranks();
    double value, *there = base[target], *here = base[test_rank()];
    for (int i = 0; i < MANY; i++) {
        handles[i] = new_handle();
        value = i + 0.5 * test_rank();
        ARMCI_NbPutValueDouble(value, there + i, target, i % 2 ? &handles[i] : NULL);
        value = -1;
    }
    for (int i = 1; i < MANY; i += 2)
        ARMCI_Wait(&handles[i]);
    ARMCI_WaitAll();
    ARMCI_Barrier();
    for (int i = 0; i < MANY; i++)
        check_double(here[i], i + 0.5 * from, "value %d", i);
    region_done(base);
    free(handles);
}

static const struct test tests[] = {
    {"int by value", ONE_ROW(run, struct values, try_int, "ARMCI_PutValueInt")},
    {"long by value", ONE_ROW(run, struct values, try_long, "ARMCI_PutValueLong")},
    {"float by value", ONE_ROW(run, struct values, try_float, "ARMCI_PutValueFloat")},
    {"double by value", ONE_ROW(run, struct values, try_double, "ARMCI_PutValueDouble")},
    {"armci_write_strided packs, armci_read_strided unpacks", test_pack},
    {"values may change when their put has begun", test_changing_values},
    {"a walk over a strided patch comes to each segment", test_walk},
    {"ARMCI_Copy copies", test_copy},
    {"a rank that only looks at its own value lets others change it", test_looks},
};
SUITE();
