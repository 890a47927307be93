/* test_pending.c - order and completion: the MPI calls of transfers and fences. */

#include <armci.h>

#include "fake_job.h"
#include "core/op.h"
#include "unit.h"

enum { BYTES = 256, THEM = 1, THIRD = 2 };

static struct region *one, *two; /* windows 0 and 1 */
static char memory[8][64];       /* local buffers */

static void begin_with(struct job job)
{
    job_start(job);
    one = job_region(0, 4, BYTES);
    two = job_region(0, 4, BYTES);
}

static void begin(void)
{
    begin_with((struct job){0});
}

static struct op put(struct region *r, size_t offset, size_t bytes)
{
    return job_put(THEM, memory[0], job_address(r, THEM, offset), bytes);
}

static struct op get(struct region *r, size_t offset, size_t bytes)
{
    return job_get(THEM, memory[1], job_address(r, THEM, offset), bytes);
}

/* ---- order ---- */

enum what { PUT, GET, ACC_INT, ACC_DOUBLE };
static const char *const what_names[] = {"put", "get", "acc", "acc"};

static struct op make(enum what what, int target, size_t offset)
{
    char *there = job_address(one, target, offset);
    switch (what) {
    case PUT: return job_put(target, memory[PUT], there, 8);
    case GET: return job_get(target, memory[GET], there, 8);
    case ACC_INT: return job_acc(ELEMENT_INT, target, memory[ACC_INT], there, 8);
    default: return job_acc(ELEMENT_DOUBLE, target, memory[ACC_DOUBLE], there, 8);
    }
}

/* Must the library order this pair on the same bytes? */
static bool must_wait(enum what first, enum what second)
{
    if (first == GET) return second != GET;
    return first == PUT || first != second;
}

/* Two nonblocking operations at offsets 16 and `second_offset`: expects their calls and, if
 * `flush`, one flush between them. */
static void expect_pair(enum what first, enum what second, int second_target, size_t second_offset,
                        bool flush)
{
    char where[80], want[120];
    begin();
    job_nonblocking(make(first, THEM, 16));
    job_nonblocking(make(second, second_target, second_offset));
    snprintf(where, sizeof where, "%s (%d), then %s (%d) at %zu", what_names[first], first,
             what_names[second], second, second_offset);
    snprintf(want, sizeof want, "%s 0/1 16+8; %s%s 0/%d %zu+8", what_names[first],
             flush ? "flush 0/1; " : "", what_names[second], second_target, second_offset);
    fake_expect(where, want);
}

TEST(pairs_on_the_same_bytes)
{
    for (enum what first = PUT; first <= ACC_DOUBLE; first++)
        for (enum what second = PUT; second <= ACC_DOUBLE; second++)
            expect_pair(first, second, THEM, 16, must_wait(first, second));
}

TEST(pairs_on_bytes_that_meet)
{
    expect_pair(PUT, GET, THEM, 9,
                true); /* the last byte of the second is the first of the first */
    expect_pair(PUT, GET, THEM, 23, true);
    expect_pair(ACC_INT, GET, THEM, 20, true);
    expect_pair(GET, PUT, THEM, 23, true);
}

TEST(pairs_on_disjoint_bytes)
{
    for (enum what first = PUT; first <= ACC_DOUBLE; first++)
        for (enum what second = PUT; second <= ACC_DOUBLE; second++) {
            expect_pair(first, second, THEM, 8, false); /* touching */
            expect_pair(first, second, THEM, 24, false);
            expect_pair(first, second, THEM, 200, false);
            expect_pair(first, second, THIRD, 16, false); /* the same bytes of another process */
        }
}

TEST(blocking_put_then_get)
{
    job_blocking(put(one, 16, 8));
    job_blocking(get(one, 16, 8));
    fake_expect("same bytes", "put 0/1 16+8; flush-local 0/1; flush 0/1; get 0/1 16+8; flush 0/1");
    job_blocking(get(one, 16, 8));
    fake_expect("again", "get 0/1 16+8; flush 0/1");
}

TEST(regions_are_apart)
{
    job_nonblocking(put(one, 16, 8));
    job_nonblocking(get(two, 16, 8));
    fake_expect("two regions", "put 0/1 16+8; get 1/1 16+8");
    job_nonblocking(get(one, 16, 8));
    fake_expect("first region", "flush 0/1; get 0/1 16+8");
    ck_assert(armcii_pending_is_dirty(two, THEM));
}

/* After a flush, accumulates of one type need no order again. */
TEST(mixed_writes)
{
    job_nonblocking(make(PUT, THEM, 0));
    job_nonblocking(make(ACC_INT, THEM, 32));
    fake_expect("disjoint", "put 0/1 0+8; acc 0/1 32+8");
    job_nonblocking(make(ACC_INT, THEM, 0));
    fake_expect("acc where a put is", "flush 0/1; acc 0/1 0+8");
    job_nonblocking(make(ACC_INT, THEM, 4));
    fake_expect("acc where only accs are", "acc 0/1 4+8");
    job_nonblocking(make(ACC_DOUBLE, THEM, 64));
    job_nonblocking(make(ACC_INT, THEM, 64));
    fake_expect("acc where another type is", "acc 0/1 64+8; flush 0/1; acc 0/1 64+8");
}

TEST(rmw_is_in_order)
{
    int value = 40, old = 0, seen = 0;
    char *there = job_address(one, THEM, 16);
    job_blocking(job_put(THEM, &value, there, sizeof value));
    ck_assert_int_eq(armcii_rmw("ARMCI_Rmw", ARMCI_FETCH_AND_ADD, &old, there, 2, THEM), 0);
    fake_expect("after a put",
                "put 0/1 16+4; flush-local 0/1; flush 0/1; fetch-and-op 0/1 16+4; flush 0/1");
    ck_assert_int_eq(old, 40);
    job_blocking(job_get(THEM, &seen, there, sizeof seen));
    fake_expect("before a get", "get 0/1 16+4; flush 0/1");
    ck_assert_int_eq(seen, 42);
    seen = 7;
    ck_assert_int_eq(armcii_rmw("ARMCI_Rmw", ARMCI_SWAP, &seen, there, 0, THEM), 0);
    ck_assert_int_eq(seen, 42);
    memcpy(&seen, there, sizeof seen);
    ck_assert_int_eq(seen, 7);
}

/* ---- fences ---- */

TEST(fence_with_nothing_pending)
{
    armcii_fence(THEM);
    armcii_fence_all();
    armcii_fence_region(one, -1);
    armcii_wait_all(THEM);
    armcii_wait_all(-1);
    armcii_fence_region(one, THEM);
    fake_expect("nothing was ever pending", "");
    job_blocking(put(one, 0, 8));
    armcii_fence(THEM);
    fake_expect("one put", "put 0/1 0+8; flush-local 0/1; flush 0/1");
    armcii_fence(THEM);
    armcii_fence_all();
    armcii_wait_all(-1);
    fake_expect("nothing is pending any more", "");
    job_blocking(get(one, 0, 8));
    fake_forget();
    armcii_fence_all();
    fake_expect("a blocking get leaves nothing", "");
}

/* Something on two regions towards two processes, in five places. */
static void scatter_puts(void)
{
    begin();
    job_nonblocking(put(one, 0, 8));
    job_nonblocking(put(one, 32, 8));
    job_nonblocking(put(two, 0, 8));
    job_nonblocking(job_put(THIRD, memory[0], job_address(one, THIRD, 0), 8));
    fake_forget();
}

static void expect_dirty(const char *where, bool one_them, bool two_them, bool one_third)
{
    bool seen[] = {armcii_pending_is_dirty(one, THEM), armcii_pending_is_dirty(two, THEM),
                   armcii_pending_is_dirty(one, THIRD)};
    bool want[] = {one_them, two_them, one_third};
    for (int i = 0; i < 3; i++)
        ck_assert_msg(seen[i] == want[i], "%s: dirty mark %d: expected %d, seen %d", where, i,
                      want[i], seen[i]);
    ck_assert(!armcii_pending_is_dirty(two, THIRD) && !armcii_pending_is_dirty(one, 0));
}

TEST(fence_touches_what_is_dirty)
{
    scatter_puts();
    expect_dirty("before", true, true, true);
    armcii_fence(THEM);
    ck_assert_uint_eq(fake_count(FAKE_FLUSH), 2);
    fake_expect("fence of one process", "flush 1/1; flush 0/1");
    expect_dirty("fence of one process", false, false, true);
    armcii_fence_all();
    fake_expect("then of all", "flush 0/2");
    expect_dirty("then of all", false, false, false);

    scatter_puts();
    armcii_fence_all();
    fake_expect("fence of all", "flush 0/2; flush 1/1; flush 0/1");
    expect_dirty("fence of all", false, false, false);

    scatter_puts();
    armcii_fence_region(one, -1);
    fake_expect("fence of a region", "flush 0/2; flush 0/1");
    expect_dirty("fence of a region", false, true, false);

    scatter_puts();
    armcii_fence_region(one, THEM);
    fake_expect("fence of a region and process", "flush 0/1");
    expect_dirty("fence of a region and process", false, true, true);
}

TEST(waiting_is_local)
{
    scatter_puts();
    armcii_wait_all(THEM);
    fake_expect("one process", "flush-local 1/1; flush-local 0/1");
    expect_dirty("one process", true, true, true);
    armcii_wait_all(-1);
    fake_expect("all: the rest", "flush-local 0/2");
    armcii_wait_all(-1);
    fake_expect("again", "");
    armcii_fence_all();
    fake_expect("all remotely", "flush 0/2; flush 1/1; flush 0/1");

    scatter_puts();
    job_nonblocking(get(two, 64, 8));
    fake_forget();
    armcii_wait_all(-1);
    fake_expect("a get among them", "flush-local 0/2; flush 1/1; flush-local 0/1");
}

/* ---- local completion ---- */

TEST(completing_one_operation)
{
    struct request op = job_nonblocking(put(one, 0, 8));
    fake_forget();
    armcii_op_wait(&op);
    fake_expect("put", "flush-local 0/1");
    ck_assert_uint_eq(op.id, 0);
    armcii_op_wait(&op);
    fake_expect("finished twice", "");
    op = job_nonblocking(get(one, 64, 8));
    fake_forget();
    armcii_op_wait(&op);
    fake_expect("get", "flush 0/1");
    op = job_nonblocking(put(one, 0, 8));
    job_nonblocking(put(two, 0, 8));
    fake_forget();
    armcii_op_wait(&op);
    fake_expect("its region, not another", "flush-local 0/1");
}

TEST(a_completed_ticket_costs_nothing)
{
    struct request a = job_nonblocking(put(one, 0, 8)), b = job_nonblocking(put(one, 32, 8));
    fake_forget();
    armcii_op_wait(&b);
    fake_expect("the newer", "flush-local 0/1");
    armcii_op_wait(&a);
    fake_expect("the older came with it", "");

    a = job_nonblocking(put(one, 64, 8));
    armcii_fence(THEM);
    fake_forget();
    armcii_op_wait(&a);
    fake_expect("after a fence", "");

    a = job_nonblocking(put(one, 64, 8));
    job_nonblocking(get(one, 64, 8)); /* completes it */
    fake_forget();
    armcii_op_wait(&a);
    fake_expect("after a flush for order", "");
}

TEST(no_local_completion)
{
    begin_with((struct job){.setting = {"ARMCI_QUIRKS=+remote-flush"}});
    job_blocking(put(one, 0, 8));
    fake_expect("switched off", "put 0/1 0+8; flush 0/1");
    begin_with((struct job){.me = THEM});
    job_blocking(put(one, 0, 8));
    fake_expect("to the process itself", "put 0/1 0+8; flush 0/1");
}

/* If MPI's flush returns early, a fence reads back what was written; a fence of gets needs no
 * readback. */
TEST(a_fence_reads_back)
{
    begin_with((struct job){.setting = {"ARMCI_QUIRKS=+flush-readback"}});
    job_nonblocking(put(one, 16, 8));
    job_nonblocking(put(one, 8, 4));
    fake_expect("puts", "put 0/1 16+8; put 0/1 8+4");
    armcii_fence(THEM);
    fake_expect("their fence", "flush 0/1; get 0/1 8+1; flush 0/1");
    armcii_fence(THEM);
    fake_expect("another fence", "");
    job_nonblocking(get(one, 16, 8));
    armcii_fence(THEM);
    fake_expect("a get and its fence", "get 0/1 16+8; flush 0/1");
    job_nonblocking(put(one, 16, 8));
    job_nonblocking(job_put(THIRD, memory[0], job_address(one, THIRD, 24), 8));
    fake_forget();
    armcii_fence_all();
    fake_expect("a fence of two targets",
                "flush 0/2; get 0/2 24+1; flush 0/1; get 0/1 16+1; flush 0/2; flush 0/1");
}

TEST(a_region_goes)
{
    struct region *third = job_region(0, 4, BYTES);
    struct request op = job_nonblocking(put(third, 0, 8)), copy = op;
    job_nonblocking(put(one, 0, 8));
    fake_forget();
    armcii_fence_region(third, -1);
    job_region_free(third);
    fake_expect("freed", "flush 2/1; free 2/0");
    armcii_op_wait(&op);
    fake_expect("its operation", "");
    struct region *fourth = job_region(0, 4, BYTES);
    job_nonblocking(put(fourth, 0, 8));
    armcii_pending_wait(&copy);
    fake_expect("its operation, and a new region", "put 3/1 0+8");
}

/* A region on processes 2 and 3: ranks in its window differ from world ranks. */
TEST(a_region_of_a_group)
{
    struct region *r = job_region(2, 2, BYTES);
    job_blocking(job_put(3, memory[0], job_address(r, 3, 8), 8));
    armcii_fence(3);
    fake_expect("group", "put 2/1 8+8; flush-local 2/1; flush 2/1");
}

/* Slices that begin at a different displacement on every member. */
TEST(slices_with_padding)
{
    fake_mpi.pad = 24;
    struct region *r = job_region(0, 4, BYTES);
    char *there = job_address(r, THIRD, 8);
    job_blocking(job_put(THIRD, memory[0], there, 8));
    fake_expect("put", "put 2/2 80+8; flush-local 2/2");
    job_blocking(job_get(THEM, memory[1], job_address(r, THEM, 0), 8));
    fake_expect("get", "get 2/1 48+8; flush 2/1");
    struct op t = job_put(THIRD, NULL, NULL, 0);
    int stride = 16, count[] = {4, 3};
    ck_assert_int_eq(armcii_shape_strided(&t.shape, memory[0], &stride, there, &stride, count, 1),
                     SHAPE_OK);
    job_blocking(t);
    fake_expect("strided", "flush 2/2; shape-put 2/2 80+12 in 3; flush-local 2/2");
}

/* A record is of one region, also where regions share a window. */
TEST(regions_share_a_window)
{
    struct region *extent = job_region(0, 4, 2 * BYTES);
    struct region *low = job_region_within(extent, 0, BYTES),
                  *high = job_region_within(extent, BYTES, BYTES);
    job_nonblocking(put(high, 8, 8));
    job_nonblocking(put(low, 0, 8));
    job_nonblocking(job_put(THIRD, memory[0], job_address(low, THIRD, 16), 8));
    fake_expect("puts", "put 2/1 264+8; put 2/1 0+8; put 2/2 16+8");
    armcii_fence_all();
    fake_expect("a fence", "flush 2/2; flush 2/1; flush 2/1");
    ck_assert(armcii_transports_are_quiet());
    job_nonblocking(put(low, 0, 8));
    job_nonblocking(put(high, 0, 8));
    fake_forget();
    armcii_fence_region(low, -1);
    fake_expect("a fence of one region", "flush 2/1");
    ck_assert(armcii_pending_is_dirty(high, THEM));
}

/* ---- operations in flight ---- */

static void many_puts(const struct job *job, int n, size_t most)
{
    begin_with(*job);
    struct region *wide = job_region(0, 4, 8192);
    for (int i = 0; i < n; i++)
        job_nonblocking(job_put(THEM, memory[0], job_address(wide, THEM, 8 * (size_t)i), 8));
    ck_assert_uint_eq(fake_count(FAKE_PUT), (size_t)n);
    ck_assert_msg(fake_most_in_flight() == most, "in flight at most: expected %zu, seen %zu", most,
                  fake_most_in_flight());
    ck_assert_uint_eq(fake_count(FAKE_FLUSH_LOCAL), ((size_t)n - 1) / most);
    ck_assert_uint_eq(fake_count(FAKE_FLUSH), 0);
}

TEST(flight_limit)
{
    struct job job = {.setting = {"ARMCI_OUTSTANDING_LIMIT=4"}};
    many_puts(&job, 10, 4);
    job.setting[0] = "ARMCI_OUTSTANDING_LIMIT=1";
    many_puts(&job, 3, 1);
    job.setting[0] = "ARMCI_OUTSTANDING_LIMIT=1000000";
    many_puts(&job, 500, 500);
    job.library = "Open MPI v5.0.11, package: Open MPI"; /* a quirk lowers the limit */
    many_puts(&job, 500, 128);
    many_puts(&(struct job){0}, 500, 128);
}

/* The limit is per process, not per window. */
TEST(flight_limit_over_regions)
{
    begin_with((struct job){.setting = {"ARMCI_OUTSTANDING_LIMIT=4"}});
    for (size_t i = 0; i < 10; i++) {
        job_nonblocking(put(one, 8 * i, 8));
        job_nonblocking(put(two, 8 * i, 8));
        job_nonblocking(job_put(THIRD, memory[0], job_address(one, THIRD, 8 * i), 8));
    }
    ck_assert_uint_eq(fake_most_in_flight(), 4);
}

TEST(flight_limit_with_gets)
{
    begin_with((struct job){.setting = {"ARMCI_OUTSTANDING_LIMIT=2"}});
    for (size_t i = 0; i < 5; i++)
        job_nonblocking(get(one, 8 * i, 8));
    fake_expect(
        "gets",
        "get 0/1 0+8; get 0/1 8+8; flush 0/1; get 0/1 16+8; get 0/1 24+8; flush 0/1; get 0/1 32+8");
}

/* Vectors of `segments` ints that go one call a segment. */
static void many_vectors(int vectors, size_t segments)
{
    enum { MOST = 200 };
    static int value[MOST];
    void *local[MOST], *remote[MOST];
    for (int v = 0; v < vectors; v++) {
        for (size_t i = 0; i < segments; i++) {
            local[i] = &value[i];
            remote[i] = job_address(one, THEM, 4 * (i % 50));
        }
        struct vector_run run = {local, remote, sizeof(int), segments};
        struct op t = job_acc(ELEMENT_INT, THEM, NULL, NULL, 0);
        ck_assert_int_eq(armcii_shape_vector(&t.shape, &run, 1), SHAPE_OK);
        job_nonblocking(t);
    }
}

/* The limit counts calls. */
TEST(flight_limit_with_many_calls)
{
    static const size_t segments[] = {2, 60, 100, 200};
    for (size_t i = 0; i < sizeof segments / sizeof segments[0]; i++) {
        begin_with((struct job){.setting = {"ARMCI_IOV_METHOD=batched"}});
        many_vectors(20, segments[i]);
        job_nonblocking(make(ACC_INT, THEM, 0));
        ck_assert_uint_eq(fake_count(FAKE_ACC), 20 * segments[i] + 1);
        ck_assert_msg(fake_most_in_flight() <= 128,
                      "vectors of %zu segments: in flight at most: expected 128, seen %zu",
                      segments[i], fake_most_in_flight());
    }
}

const struct unit unit = {.begin = begin, .end = job_end};
