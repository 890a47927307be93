/* test_handle.c - nonblocking handles: garbage, reuse, copies, many handles, waiting for all;
 * copies of scaled data; other threads. */
#include <malloc.h>
#include <sys/resource.h>

#include "handle_steps.h"
#include "shape_model.h"
#include "unit.h"

/* ---- plain handles ---- */

TEST(one_operation)
{
    armci_hdl_t h = fresh();
    wait_for(&h);
    fake_expect("nothing outstanding", "");
    start(&h, put_int(0, THEM, 0));
    wait_for(&h);
    fake_expect("a put", "put 0/1 0+4; flush-local 0/1");
    wait_for(&h);
    fake_expect("second wait", "");
    int seen = 0;
    start(&h, job_get(THEM, &seen, there(THEM, 0), sizeof seen));
    wait_for(&h);
    ck_assert_int_eq(seen, 1000);
    fake_expect("used again: a get", "flush 0/1; get 0/1 0+4; flush 0/1");
}

TEST(many_operations)
{
    armci_hdl_t h = fresh();
    int seen[2] = {0};
    for (size_t i = 0; i < 3; i++)
        start(&h, put_int(0, THEM, 4 * i));
    start(&h, put_int(0, THIRD, 0));
    start(&h, job_put(THEM, &step_value[1], job_address(step_other, THEM, 0), 4));
    start(&h, job_get(3, seen, there(3, 0), sizeof seen));
    fake_forget();
    wait_for(&h);
    fake_expect("each target and region once",
                "flush-local 0/1; flush-local 0/2; flush-local 1/1; flush 0/3");
}

/* A wait completes the operations of its handle, although operations of another handle follow them.
 */
TEST(two_handles)
{
    armci_hdl_t a = fresh(), b = fresh();
    start(&a, put_int(0, THEM, 0));
    start(&b, put_int(0, THIRD, 0));
    fake_forget();
    wait_for(&a);
    fake_expect("the first", "flush-local 0/1");
    wait_for(&b);
    fake_expect("the second", "flush-local 0/2");
}

TEST(implicit_handle)
{
    start(NULL, put_int(0, THEM, 0));
    start(NULL, put_int(1, THIRD, 0));
    fake_forget();
    wait_for(NULL);
    fake_expect("both", "flush-local 0/1; flush-local 0/2");
    wait_for(NULL);
    fake_expect("nothing left", "");
}

TEST(garbage)
{
    enum { LIVE = 100, TRIES = 200000 };
    static armci_hdl_t live[LIVE];
    struct rng r = rng_start(1);
    memset(live, 0xa5, sizeof live);
    for (size_t i = 0; i < LIVE; i++)
        start(&live[i], put_int((int)i, THEM, 4 * i));
    fake_forget();
    for (int i = 0; i < TRIES; i++) {
        armci_hdl_t h = {(unsigned)rng_between(&r, 0, 2 * LIVE),
                         (unsigned)rng_between(&r, 0, INT32_MAX) << (i & 1)};
        if (i % 3 == 0) h.tag = (unsigned)i / 3;
        wait_for(&h);
        armcii_handle_unset_aggregate(&h);
    }
    fake_expect("waited for garbage", "");
    for (size_t i = 0; i < LIVE; i++)
        for (size_t k = 0; k < i; k++)
            ck_assert_int_ne(memcmp(&live[i], &live[k], sizeof live[i]), 0);
    wait_for(&live[LIVE / 2]);
    fake_expect("the handles are still there", "flush-local 0/1");
    armci_hdl_t ones = {UINT32_MAX, UINT32_MAX};
    start(&ones, put_int(0, THIRD, 0));
    fake_expect("started on garbage", "put 0/2 0+4");
    wait_for(&ones);
    fake_expect("waited", "flush-local 0/2");
}

TEST(copies)
{
    armci_hdl_t h = fresh();
    start(&h, put_int(0, THEM, 0));
    armci_hdl_t copy = h, stale = h;
    fake_forget();
    wait_for(&copy);
    fake_expect("the copy", "flush-local 0/1");
    wait_for(&h);
    fake_expect("the original", "");
    armci_hdl_t next = fresh();
    start(&next, put_int(0, THIRD, 0)); /* probably in the same slot */
    fake_forget();
    wait_for(&stale);
    fake_expect("a stale copy does not name the next handle", "");
    start(&stale, put_int(0, THEM, 8));
    wait_for(&next);
    fake_expect("an operation on the stale copy leaves the next handle alone",
                "put 0/1 8+4; flush-local 0/2");
    wait_for(&stale);
    fake_expect("the stale copy is a handle again", "flush-local 0/1");
}

TEST(ten_thousand)
{
    enum { MANY = 10000, STEP = 3571 /* no common divisor with MANY */ };
    static armci_hdl_t h[MANY];
    static int seen[MANY];
    for (size_t i = 0; i < MANY; i++) {
        int stored = (int)(7 * i);
        memcpy(there(THEM, 4 * i), &stored, sizeof stored);
        start(&h[i], job_get(THEM, &seen[i], there(THEM, 4 * i), sizeof seen[i]));
    }
    for (size_t i = 0; i < MANY; i++) {
        size_t k = i * STEP % MANY;
        wait_for(&h[k]);
        ck_assert_msg(seen[k] == (int)(7 * k), "handle %zu: expected %zu, seen %d", k, 7 * k,
                      seen[k]);
    }
    /* one flush for every 128 outstanding operations */
    ck_assert_uint_eq(fake_count(FAKE_FLUSH), (MANY + 127) / 128);
}

TEST(waiting_for_all)
{
    armci_hdl_t a = fresh(), b = fresh(), c = aggregate();
    int seen = 0;
    start(&a, put_int(0, THEM, 0));
    start(&b, job_get(THIRD, &seen, there(THIRD, 0), sizeof seen));
    start(&c, put_int(1, 3, 0));
    start(&c, put_int(2, 3, 8));
    start(NULL, put_int(3, THEM, 8));
    fake_forget();
    wait_all();
    fake_expect("all", "shape-put 0/3 0+8 in 2; flush-local 0/3; flush 0/2; flush-local 0/1");
    wait_for(&a);
    wait_for(&b);
    wait_for(&c);
    wait_for(NULL);
    wait_all();
    fake_expect("afterwards", "");
    start(&a, put_int(4, THEM, 16));
    wait_for(&a);
    fake_expect("used again", "put 0/1 16+4; flush-local 0/1");
}

TEST(regions_may_go_before_the_wait)
{
    struct region *third = job_region(0, 4, STEP_BYTES);
    armci_hdl_t h = fresh();
    start(&h, job_put(THEM, &step_value[0], job_address(third, THEM, 0), 4));
    start(&h, put_int(1, THEM, 0));
    armcii_fence_region(third, -1);
    job_region_free(third);
    fake_forget();
    wait_for(&h);
    fake_expect("what is left", "flush-local 0/1");
}

/* ---- scaled accumulates hold a copy until they are complete ---- */

static const int three = 3;

TEST(scaled_data)
{
    armci_hdl_t h = fresh();
    start(&h, scaled(&three, 0, &step_value[0], 4));
    start(&h, scaled(&three, 4, &step_value[1], 4));
    start(&h, put_int(2, THEM, 8));
    start(&h, scaled(&three, 0, &step_value[1], 4));
    wait_for(&h);
    step_value[0] = step_value[1] = step_value[2] = 0;
    armcii_fence(THEM);
    ck_assert_int_eq(int_there(THEM, 0), 3 * 1000 + 3 * 1001);
    ck_assert_int_eq(int_there(THEM, 4), 3 * 1001);
    ck_assert_int_eq(int_there(THEM, 8), 1002);
}

static void limit_memory(size_t more)
{
#ifndef __SANITIZE_ADDRESS__ /* the address sanitizer needs the address space, and finds leaks     \
                                itself */
    struct rlimit limit = {more, more};
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &limit), 0);
#else
    (void)more;
#endif
}

enum { MIB = 1 << 20 };
static armci_hdl_t single, aggregating;

static void by_blocking(int *local)
{
    job_blocking(scaled(&three, 0, local, MIB));
}
static void by_handle(int *local)
{
    start(&single, scaled(&three, 0, local, MIB / 2));
    start(&single, scaled(&three, 0, local, MIB / 2));
    wait_for(&single);
}
static void by_implicit_handle(int *local)
{
    start(NULL, scaled(&three, 0, local, MIB));
    wait_for(NULL);
}
static void by_waiting_for_all(int *local)
{
    start(&single, scaled(&three, 0, local, MIB / 2));
    start(NULL, scaled(&three, 0, local, MIB / 2));
    wait_all();
}
static void by_aggregate(int *local)
{
    start(&aggregating, scaled(&three, 0, local, MIB / 2));
    start(&aggregating, scaled(&three, MIB / 2, local, MIB / 2));
    wait_for(&aggregating);
}

static void by_fences(int *local)
{
    armci_hdl_t never_waited_for = fresh();
    start(&never_waited_for, scaled(&three, 0, local, MIB));
}

/* Copies of 100 MiB in all, with a limit of 64 MiB. */
ROW_TEST(scaled_copies_are_freed, 6)
{
    static void (*const uses[])(int *) = {by_blocking,        by_handle,    by_implicit_handle,
                                          by_waiting_for_all, by_aggregate, by_fences};
    job_start((struct job){.at_once = true});
    step_region = job_region(0, 4, MIB);
    int *local = calloc(1, MIB);
    ck_assert_ptr_nonnull(local);
    limit_memory((size_t)64 * MIB);
    single = fresh();
    aggregating = aggregate();
    for (int i = 0; i < 100; i++) {
        uses[_i](local);
        armcii_fence(THEM); /* frees the buffers of the fake */
        fake_forget();
    }
    start(&single, scaled(&three, 0, local, MIB)); /* not waited for: job_end frees it */
    job_end();
    free(local);
}

/* ---- handles without a wait ---- */

static void plain_put(void)
{
    armci_hdl_t h = fresh();
    start(&h, put_int(0, THEM, 0));
}
static void implicit_puts(void)
{
    start(NULL, put_int(0, THEM, 0));
    start(NULL, put_int(0, THIRD, 0));
}
static void queued_value(void)
{
    armci_hdl_t h = aggregate();
    start_value(&h, put_int(0, THEM, 0));
}
static void queued_value_of_plain_handle(void)
{
    armci_hdl_t h = aggregate();
    start_value(&h, put_int(0, THEM, 0));
    armcii_handle_unset_aggregate(&h);
}
static void queued_value_of_one_handle(void)
{
    static armci_hdl_t h;
    armcii_handle_set_aggregate(&h);
    start_value(&h, put_int(0, THEM, 0));
}

/* Memory does not grow after the first half of the rounds. */
ROW_TEST(operations_completed_by_fences_are_freed, 5)
{
    static void (*const uses[])(void) = {plain_put, implicit_puts, queued_value,
                                         queued_value_of_plain_handle, queued_value_of_one_handle};
    enum { MANY = 4096, SLACK = 4096 };
    size_t half = 0;
    for (int i = 0; i < MANY; i++) {
        uses[_i]();
        if (i % 16 < 15) continue;
        ck_assert_int_eq(armcii_aggregates_flush(-1, false), 0);
        armcii_fence_all();
        fake_forget();
        if (i < MANY / 2) half = mallinfo2().uordblks;
    }
    ck_assert_uint_le(mallinfo2().uordblks, half + SLACK);
}

TEST(an_aggregate_handle_stays_one)
{
    enum { OTHERS = 100 };
    armci_hdl_t h = aggregate(), copy, plain = aggregate(), other;
    start(&h, put_int(0, THEM, 0));
    start(&plain, put_int(1, THIRD, 0));
    copy = plain;
    armcii_handle_unset_aggregate(&plain);
    ck_assert_int_eq(armcii_aggregates_flush(-1, false), 0);
    armcii_fence_all();
    for (size_t i = 0; i < OTHERS; i++) { /* they reuse the slots of completed operations */
        other = fresh();
        start(&other, put_int(2, 3, 4 * i));
    }
    fake_forget();
    wait_for(&copy);
    fake_expect("complete already", "");
    start(&h, put_int(3, THEM, 8));
    start(&h, put_int(4, THEM, 16));
    fake_expect("queued", "");
    wait_for(&h);
    fake_expect("the aggregate handle", "shape-put 0/1 8+8 in 2; flush-local 0/1");
    start(&plain, put_int(5, THIRD, 8));
    fake_expect("the plain one", "put 0/2 8+4");
    wait_for(&plain);
}

TEST(a_copy_made_before_the_handle_was_unset)
{
    armci_hdl_t h = aggregate(), copy;
    start(&h, put_int(0, THEM, 0));
    copy = h;
    armcii_handle_unset_aggregate(&h);
    fake_forget();
    wait_for(&copy);
    fake_expect("waited for", "flush-local 0/1");
    wait_for(&h);
    fake_expect("waited again", "");
}

/* ---- tests ---- */

/* MPI offers no test for operations through windows. */
TEST(a_test_completes_operations_through_windows)
{
    armci_hdl_t h = fresh(), many = aggregate();
    int seen = 0;
    ck_assert_int_eq(armcii_handle_test(&h), 0);
    ck_assert_int_eq(armcii_handle_test(&many), 0);
    ck_assert_int_eq(armcii_handle_test(NULL), 0);
    fake_expect("nothing outstanding", "");
    start(&h, put_int(0, THEM, 0));
    start(&h, job_get(THIRD, &seen, there(THIRD, 0), sizeof seen));
    start(&many, put_int(1, 3, 0));
    start(&many, put_int(2, 3, 8));
    fake_forget();
    ck_assert_int_eq(armcii_handle_test(&h), 0);
    fake_expect("a put and a get", "flush-local 0/1; flush 0/2");
    ck_assert_int_eq(armcii_handle_test(&many), 0);
    fake_expect("the queue", "shape-put 0/3 0+8 in 2; flush-local 0/3");
    ck_assert_int_eq(armcii_handle_test(&h), 0);
    wait_for(&h);
    wait_for(&many);
    fake_expect("afterwards", "");
    start(&many, put_int(3, 3, 16));
    fake_expect("aggregate as before", "");
}

/* ---- other threads enter the library in the middle of a wait or a fence ---- */

static armci_hdl_t theirs[100];
static int got;
static size_t flushed;

static void get_with_implicit_handle(void)
{
    start(NULL, job_get(THIRD, &got, there(THIRD, 0), sizeof got));
}

TEST(operations_started_during_a_wait_stay_for_the_next_wait)
{
    got = -1;
    memcpy(there(THIRD, 0), &(int){77}, sizeof(int));
    start(NULL, put_int(0, THEM, 0));
    fake_meanwhile = get_with_implicit_handle;
    wait_for(NULL);
    fake_forget();
    wait_for(NULL);
    fake_expect("the second wait", "flush 0/2");
    ck_assert_int_eq(got, 77);
}

static void wait_for_implicit_handle(void)
{
    wait_for(NULL);
    flushed = fake_count(FAKE_FLUSH_LOCAL);
}

TEST(a_wait_during_another_threads_wait_completes_everything)
{
    start(NULL, put_int(0, THEM, 0));
    start(NULL, put_int(1, THIRD, 0));
    fake_forget();
    flushed = 0;
    fake_meanwhile = wait_for_implicit_handle;
    wait_for(NULL);
    ck_assert_msg(flushed >= 2,
                  "operations complete when the second one returns: expected 2, seen %zu", flushed);
    wait_for(NULL);
}

static void use_many_handles(void)
{
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        start(&theirs[i], put_int((int)i, THIRD, 4 * i));
}

TEST(slots_made_during_a_wait_leave_the_others_alone)
{
    armci_hdl_t mine = fresh();
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        theirs[i] = fresh();
    start(&mine, put_int(0, THEM, 0));
    fake_meanwhile = use_many_handles;
    wait_for(&mine);
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        wait_for(&theirs[i]);
    armcii_fence(THIRD);
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        ck_assert_int_eq(int_there(THIRD, 4 * i), 1000 + (int)i);
}

static void queue_more(void)
{
    for (size_t i = 10; i < 60; i++)
        start(&theirs[0], put_int((int)i, THEM, 8 * i));
}

TEST(requests_queued_during_a_flush_are_issued_later)
{
    theirs[0] = aggregate();
    for (size_t i = 0; i < 10; i++)
        start(&theirs[0], put_int((int)i, THEM, 8 * i));
    fake_meanwhile = queue_more;
    ck_assert_int_eq(armcii_aggregates_flush(THEM, false), 0);
    fake_expect("the fence", "shape-put 0/1 0+40 in 10");
    wait_for(&theirs[0]);
    fake_expect("the wait", "shape-put 0/1 80+200 in 50; flush-local 0/1");
    armcii_fence(THEM);
    for (size_t i = 0; i < 60; i++)
        ck_assert_int_eq(int_there(THEM, 8 * i), 1000 + (int)i);
}

TEST(a_wait_for_all_leaves_a_waiting_thread_its_handle)
{
    armci_hdl_t mine = fresh(), next = fresh();
    start(&mine, put_int(0, THEM, 0));
    fake_meanwhile = wait_all;
    wait_for(&mine);
    start(&mine, put_int(1, THEM, 4));
    start(&next, put_int(2, THEM, 8));
    ck_assert_msg(mine.slot != next.slot, "two handles, one slot: %u", mine.slot);
    wait_for(&mine);
    wait_for(&next);
}

const struct unit unit = {.begin = steps_begin, .end = job_end};
