/* test_contiguous.c - contiguous put, get and accumulate: sizes, alignments, every target. */
#include <math.h>

#include "lanes.h"
#include "op.h"

enum { LANE = 3 * 1024 * 1024 + 17, MARGIN = 32 };

static const int large[] = {255,  256,   257,   1023,  4096,   8191,    8192,
                            8193, 16385, 65535, 65537, 262144, 1048584, 1572869};
enum {
    SMALL_SIZES = 200,
    LARGE_SIZES = sizeof large / sizeof *large,
    SIZES = SMALL_SIZES + LARGE_SIZES
};

/* Bytes for each pair of ranks. */
static size_t lane(void)
{
    return test_ranks() <= 8 ? LANE : 32 * 1024;
}

/* Every size that fits well, once, in random order. Returns how many to use. */
static int draw_sizes(struct rng *r, int sizes[SIZES])
{
    int n = 0;
    for (int size = 1; size <= SMALL_SIZES; size++)
        sizes[n++] = size;
    for (int i = 0; i < LARGE_SIZES && (size_t)large[i] <= lane() / 2; i++)
        sizes[n++] = large[i];
    rng_shuffle(r, sizes, n);
    return test_ranks() <= 2 ? n : n / 3;
}

/* A put of every size into this target's lane, one behind the other, at any alignment of both
 * sides. */
static void put_all_sizes(struct rng *r, const struct lanes *l, int target, char *source)
{
    struct op put = {.kind = OP_PUT};
    int sizes[SIZES], n_sizes = draw_sizes(r, sizes);
    size_t at = 0;
    for (int i = 0; i < n_sizes; i++) {
        size_t n = (size_t)sizes[i], from = (size_t)rng_between(r, 0, 15);
        at += (size_t)rng_between(r, 0, 9);
        if (at + n > l->bytes) at = 0;
        op_contiguous(&put, source + from, lanes_remote(l, target) + at, n, target, NULL);
        memcpy(lanes_mirror(l, target) + at, source + from, n);
        at += n;
    }
}

static void test_put_sizes(void)
{
    struct lanes l = lanes_create(lane(), 5);
    struct rng r = rng_stream((uint64_t)test_rank());
    char *source = need_memory(LANE);
    for (int t = 0; t < test_ranks(); t = next_distance(t)) {
        rng_bytes(&r, source, l.bytes);
        put_all_sizes(&r, &l, (test_rank() + t) % test_ranks(), source);
    }
    lanes_end(&l, "ARMCI_Put");
    free(source);
}

/* A get of every size from this target's lane; the bytes around the buffer stay. */
static void get_all_sizes(struct rng *r, const struct lanes *l, int target, unsigned char *seen,
                          unsigned char *expected)
{
    struct op get = {.kind = OP_GET};
    int sizes[SIZES], n_sizes = draw_sizes(r, sizes);
    for (int i = 0; i < n_sizes; i++) {
        size_t n = (size_t)sizes[i], to = MARGIN + (size_t)rng_between(r, 0, 15);
        size_t at = (size_t)rng_between(r, 0, (int)(l->bytes - n));
        memset(seen, 0x5a, to + n + MARGIN);
        memset(expected, 0x5a, to + n + MARGIN);
        op_contiguous(&get, seen + to, lanes_remote(l, target) + at, n, target, NULL);
        memcpy(expected + to, lanes_mirror(l, target) + at, n);
        check_bytes(seen, expected, to + n + MARGIN,
                    "ARMCI_Get of %zu bytes at %zu from %d to alignment %zu", n, at, target, to);
    }
}

static void test_get_sizes(void)
{
    struct lanes l = lanes_create(lane(), 3);
    struct rng r = rng_stream(100 + (uint64_t)test_rank());
    unsigned char *seen = need_memory(LANE), *expected = need_memory(LANE);
    rng_bytes(&r, l.mirror, (size_t)test_ranks() * l.bytes);
    lanes_load(&l);
    for (int t = 0; t < test_ranks(); t = next_distance(t))
        get_all_sizes(&r, &l, (test_rank() + t) % test_ranks(), seen, expected);
    lanes_end(&l, "after ARMCI_Get");
    free(seen);
    free(expected);
}

/* Accumulates of many sizes of one type at one alignment of the target: `shift` bytes behind a
 * multiple of 64. */
static void acc_sizes(struct rng *r, int type, size_t shift)
{
    static const int counts[] = {1, 2, 3, 5, 8, 17, 100, 513, 1025, 5000};
    size_t size = element_size(type), bytes = 12000 * size;
    struct lanes l = lanes_create(bytes, shift ? 64 + shift : 64);
    char *source = need_memory(bytes), *kept = need_memory(bytes);
    element_fill(type, r, l.mirror, (size_t)test_ranks() * bytes);
    lanes_load(&l);
    for (int i = 0; i < 2 * 10; i++) {
        struct op acc = {
            .kind = OP_ACC, .type = type, .scale = i % 2 ? scale_other(type, r) : scale_one(type)};
        size_t n = size * (size_t)counts[i / 2],
               at = size * (size_t)rng_between(r, 0, (int)((bytes - n) / size));
        int target = (test_rank() + i) % test_ranks();
        element_fill(type, r, source, n);
        memcpy(kept, source, n);
        op_contiguous(&acc, source, lanes_remote(&l, target) + at, n, target, NULL);
        op_model(&acc, source, lanes_mirror(&l, target) + at, n);
        check_bytes(source, kept, n, "source of %s", op_name(&acc, ""));
    }
    lanes_end(&l, element_name(type));
    free(source);
    free(kept);
}

static void test_acc_sizes(void)
{
    struct rng r = rng_stream(200 + (uint64_t)test_rank());
    for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type)) {
        acc_sizes(&r, type, 0);
        acc_sizes(&r, type, element_size(type) / (size_t)element_parts(type));
    }
}

static void test_zero_bytes(void)
{
    struct lanes l = lanes_create(64, 64);
    double local = 1, scale = 1;
    for (int t = 0; t < test_ranks(); t++) {
        char *remote = lanes_remote(&l, t);
        check_long(ARMCI_Put(&local, remote, 0, t), 0, "ARMCI_Put of 0 bytes");
        check_long(ARMCI_Get(remote, &local, 0, t), 0, "ARMCI_Get of 0 bytes");
        check_long(ARMCI_Acc(ARMCI_ACC_DBL, &scale, &local, remote, 0, t), 0,
                   "ARMCI_Acc of 0 bytes");
    }
    check_double(local, 1, "local buffer after transfers of 0 bytes");
    lanes_end(&l, "transfers of 0 bytes");
}

/* ---- long transfers by load and store against memcpy of the same bytes ---- */

enum { PUT, GET, MEMCPY_OUT, MEMCPY_IN, MOVES };
static const char *const move_name[] = {"put", "get"};

/* The target's slice has two addresses: for ARMCI, and for the caller's stores. */
struct ends {
    char *local, *remote, *direct;
    int target;
};

static void move_bytes(int move, const struct ends *e, size_t bytes)
{
    switch (move) {
    case PUT: ARMCI_Put(e->local, e->remote, (int)bytes, e->target); break;
    case GET: ARMCI_Get(e->remote, e->local, (int)bytes, e->target); break;
    case MEMCPY_OUT: memcpy(e->direct, e->local, bytes); break;
    default: memcpy(e->local, e->direct, bytes);
    }
}

/* Shorten the best times by one more round of all moves. */
static void time_moves(const struct ends *e, size_t bytes, double best[MOVES])
{
    const int times = bytes < 1 << 20 ? 20 : 1;
    for (int move = 0; move < MOVES; move++) {
        double begin = now();
        for (int k = 0; k < times; k++)
            move_bytes(move, e, bytes);
        double time = (now() - begin) / times;
        if (time < best[move]) best[move] = time;
    }
}

/* Bounds on the best times: against memcpy between the same addresses, and against the same
 * transfer between addresses that are equal modulo a page. Where memcpy itself is slow for
 * addresses a few bytes apart modulo a page, transfers are not. */
static void compare_with_memcpy(const struct ends *e, size_t bytes)
{
    enum { ROUNDS = 3, SLOWER = 2, SHIFTED = 5 };
    static const int shift[] = {0, 8, -8};
    double even[MOVES] = {0};
    for (size_t i = 0; i < sizeof shift / sizeof *shift; i++) {
        struct ends shifted = *e;
        double best[MOVES] = {1, 1, 1, 1};
        shifted.local += shift[i];
        for (int round = 0; round < ROUNDS; round++)
            time_moves(&shifted, bytes, best);
        if (i == 0) memcpy(even, best, sizeof even);
        for (int move = PUT; move <= GET; move++)
            check_time(best[move], fmin(SLOWER * best[move + 2], SHIFTED * even[move]),
                       "%s of %zu bytes, %d bytes apart modulo a page; memcpy %.1f us, 0 bytes "
                       "apart %.1f us",
                       move_name[move], bytes, shift[i], 1e6 * best[move + 2], 1e6 * even[move]);
    }
}

/* Only the ranks that measure have memory of their own; the others sleep in a barrier. */
static void test_against_memcpy(void)
{
    enum { LONGEST = 16 << 20, PAGE = 4096 };
    static const size_t sizes[] = {64 << 10, 256 << 10, 1 << 20, LONGEST};
    const int target = test_ranks() > 1 ? 1 : 0;
    void **base = region_create(test_rank() == target ? LONGEST : 0);
    struct ends e = {.remote = base[target],
                     .direct = ARMCIX_Local_address(base[target], target),
                     .target = target};
    if (!on_all_ranks(test_rank() != 0 || e.direct != NULL)) {
        skip("rank 0 cannot store into the memory of rank %d", target);
    } else if (test_rank() == 0) {
        char *room = need_memory(LONGEST + 3 * PAGE);
        memset(room, 1, LONGEST + 3 * PAGE);
        memset(e.direct, 1, LONGEST);
        /* both at the same offset in a page */
        e.local = room + PAGE + ((uintptr_t)e.direct - (uintptr_t)room) % PAGE;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            compare_with_memcpy(&e, sizes[i]);
        free(room);
    }
    region_done(base);
}

static const struct test tests[] = {
    {"put of every size reaches every rank", test_put_sizes},
    {"get of every size from every rank", test_get_sizes},
    {"accumulate of every type and many sizes", test_acc_sizes},
    {"a transfer of 0 bytes does nothing", test_zero_bytes},
    {"long transfers take no longer than memcpy", test_against_memcpy},
};
SUITE();
