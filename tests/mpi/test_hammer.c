/* test_hammer.c - all ranks at the same few elements, as fast as they can for half a second or so:
 * nothing is lost. That is worth it: a race that is lost once in a million times shows;
 * ARMCI_TEST_LONG=1 takes longer. */
#include "op.h"

/* Locks of accumulates belong to blocks of so many bytes, if the library has not changed: elements
 * across their borders are the ones to try. Shapes here reach over several. */
enum { BLOCK = 8192, SPAN = 3 * BLOCK + 512 };
/* Sums of floats are exact up to 2^24. */
enum { MOST_OF_FLOATS = 1 << 18, MOST = 1 << 24 };

/* What a rank adds in one round to SPAN bytes of rank 0, by up to three calls. */
struct blow {
    struct op op;
    char *there;
    char local[SPAN];
    char once[SPAN]; /* what one round adds, as elements of the type */
};

static void hit_contiguous(struct blow *b, size_t at, size_t bytes, bool count)
{
    if (count)
        op_model(&b->op, b->local, b->once + at, bytes);
    else
        op_contiguous(&b->op, b->local, b->there + at, bytes, 0, NULL);
}

static void hit_strided(struct blow *b, const struct patch *p, bool count)
{
    if (!count) op_strided(&b->op, b->local, b->there, p, 0, NULL);
    for (size_t i = 0; count && i < patch_segments(p); i++)
        op_model(&b->op, b->local + patch_offset(p, LOCAL, i), b->once + patch_offset(p, REMOTE, i),
                 (size_t)p->count[0]);
}

static void hit_vector(struct blow *b, const size_t at[], int segments, size_t bytes, bool count)
{
    void *here[64], *there[64];
    armci_giov_t iov = {here, there, (int)bytes, segments};
    for (int i = 0; i < segments; i++) {
        here[i] = b->local + 16 * i;
        there[i] = b->there + at[i];
        if (count) op_model(&b->op, here[i], b->once + at[i], bytes);
    }
    if (!count) op_vector(&b->op, &iov, 1, 0, NULL);
}

/* One round of each test: do it, or count what it adds. */
typedef void (*round_of)(struct blow *b, bool count);

static void few(struct blow *b, bool count)
{
    size_t size = element_size(b->op.type);
    hit_contiguous(b, 0, size, count);
    hit_contiguous(b, size, size, count);
    hit_contiguous(b, 0, 4 * size, count);
}

/* Pieces over two and more blocks; each rank's begins elsewhere. */
static void overlapping_pieces(struct blow *b, bool count)
{
    size_t size = element_size(b->op.type), shift = size * (size_t)test_rank();
    hit_contiguous(b, BLOCK - 320 + shift, 640, count);
    hit_contiguous(b, shift, 2 * BLOCK, count);
}

/* Two patches that cross each other's rows and the borders of blocks; each rank's begin elsewhere.
 */
static void overlapping_patches(struct blow *b, bool count)
{
    int size = (int)element_size(b->op.type);
    struct patch low = {.levels = 1, .count = {4 * size, 12}, .stride = {{4 * size}, {6 * size}}};
    struct patch high = {
        .levels = 2, .count = {size, 3, 16}, .stride = {{size, 3 * size}, {BLOCK, 2 * size}}};
    low.start[REMOTE] = (size_t)(BLOCK - 64 + size * (test_rank() % 4));
    high.start[REMOTE] = (size_t)(size * (test_rank() % 4));
    hit_strided(b, &low, count);
    hit_strided(b, &high, count);
}

/* Segments that meet one another and everybody's; one list from below, one from above. */
static void overlapping_lists(struct blow *b, bool count)
{
    size_t size = element_size(b->op.type), up[30], down[20];
    for (size_t i = 0; i < 30; i++)
        up[i] = BLOCK - 160 + size * (i * 7 % 20);
    for (size_t i = 0; i < 20; i++)
        down[i] = 2 * BLOCK - size * (i % 12);
    hit_vector(b, up, 30, 3 * size, count);
    hit_vector(b, down, 20, size, count);
}

/* Elements of which one half lies in a block and the other in the next. */
static void across_borders(struct blow *b, bool count)
{
    int size = (int)element_size(b->op.type);
    struct patch each = {.levels = 1, .count = {size, 3}, .stride = {{size}, {BLOCK}}};
    size_t list[3] = {0, BLOCK, 2 * BLOCK};
    hit_contiguous(b, 0, (size_t)size, count);
    hit_strided(b, &each, count);
    hit_vector(b, list, 3, (size_t)size, count);
    hit_contiguous(b, 0, 2 * BLOCK + (size_t)size, count);
}

/* The parts 1, 2, 1, 2 ... of elements of that type. */
static void fill_low(int type, char *at, size_t bytes)
{
    size_t part = element_part(type);
    for (size_t i = 0; i < bytes / part; i++)
        element_store(type, at + i * part, 1 + (long)(i % 2));
}

/* Everybody's rounds times what a round adds is what rank 0 holds. */
static void check_sums(const struct blow *b, long rounds, const char *what)
{
    size_t part = element_part(b->op.type), n = SPAN / part;
    long *sum = need_memory(n * sizeof *sum), lowest;
    char *seen = need_memory(SPAN);
    for (size_t i = 0; i < n; i++)
        sum[i] = rounds * element_load(b->op.type, b->once + i * part);
    MPI_Allreduce(MPI_IN_PLACE, sum, (int)n, MPI_LONG, MPI_SUM, test_comm());
    MPI_Allreduce(&rounds, &lowest, 1, MPI_LONG, MPI_MIN, test_comm());
    check(lowest > 0, "%s of %s: a rank got through no round", what, element_name(b->op.type));
    if (test_rank() == 0) {
        ARMCI_Get(b->there, seen, SPAN, 0);
        for (size_t i = 0; i < n; i++)
            check_long(element_load(b->op.type, seen + i * part), sum[i],
                       "%s of %s by %d ranks, at byte %zu", what, element_name(b->op.type),
                       test_ranks(), i * part);
    }
    free(sum);
    free(seen);
}

/* All ranks, rounds for that many seconds; the first element is `phase` bytes behind the beginning
 * of rank 0's slice. */
static void hammer_type(int type, round_of round, size_t phase, double seconds, const char *what)
{
    void **base = region_zeroed(phase + SPAN);
    struct blow *b = need_memory(sizeof *b);
    long rounds = 0, most = type == ARMCI_ACC_FLT || type == ARMCI_ACC_CPL ? MOST_OF_FLOATS : MOST;
    memset(b, 0, sizeof *b);
    b->op = (struct op){.kind = OP_ACC, .type = type, .scale = scale_one(type)};
    b->there = (char *)base[0] + phase;
    fill_low(type, b->local, SPAN);
    round(b, true);
    for (double until = now() + trial_time(seconds); rounds < most && now() < until; rounds++)
        round(b, false);
    ARMCI_Barrier();
    check_sums(b, rounds, what);
    region_done(base);
    free(b);
}

struct blows {
    round_of round;
    const char *what;
};

static void hammer_types(const void *row)
{
    for (const struct blows *b = row; b->round; b++)
        for (int type = 0; type < ELEMENT_TYPES; type++)
            hammer_type(type, b->round, 0, 0.2, b->what);
}

/* Slices begin on pages: an element that begins less than its size before a block ends goes on in
 * the next. */
static void across_two_blocks(void)
{
    static const struct {
        int type, before;
        double seconds;
    } elements[] = {{ARMCI_ACC_INT, 1, 0.3},
                    {ARMCI_ACC_DBL, 5, 0.3},
                    {ARMCI_ACC_DCP, 8, 0.6},
                    {ARMCI_ACC_CPL, 4, 0.6}};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        hammer_type(elements[i].type, across_borders, (size_t)(BLOCK - elements[i].before),
                    elements[i].seconds, "accumulate across borders");
}

#define BLOWS(...) ROWS(hammer_types, struct blows, __VA_ARGS__)

static const struct test tests[] = {
    {"contiguous accumulates lose nothing",
     BLOWS({few, "accumulate"}, {overlapping_pieces, "accumulate of overlapping pieces"})},
    {"strided accumulates of overlapping patches lose nothing",
     BLOWS({overlapping_patches, "strided accumulate"})},
    {"vector accumulates lose nothing", BLOWS({overlapping_lists, "vector accumulate"})},
    {"elements across two blocks lose nothing", across_two_blocks},
};
SUITE();
