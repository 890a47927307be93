/* test_handle.c - non-blocking handles: garbage, reuse, copies, aggregates, waiting for all. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <armci.h>

#include "fake_job.h"
#include "shape_model.h"

enum { BYTES = 1 << 16, THEM = 1, THIRD = 2 };

static struct region *region, *other; /* windows 0 and 1 */
static int value[1024];

static void begin(void)
{
    job_start((struct job){0});
    region = job_region(0, 4, BYTES);
    other = job_region(0, 4, BYTES);
    for (int i = 0; i < 1024; i++) value[i] = 1000 + i;
}

static char *there(int process, size_t offset)
{
    return job_address(region, process, offset);
}

static int int_there(int process, size_t offset)
{
    int seen;
    memcpy(&seen, there(process, offset), sizeof seen);
    return seen;
}

static void start(armci_hdl_t *handle, struct transfer t)
{
    ck_assert_int_eq(armcii_handle_start(handle, &t), 0);
}

static void start_value(armci_hdl_t *handle, struct transfer t)
{
    ck_assert_int_eq(armcii_handle_start_value(handle, &t), 0);
}

static void wait_for(armci_hdl_t *handle)
{
    ck_assert_int_eq(armcii_handle_wait(handle), 0);
}

/* As ARMCI_WaitAll. */
static void wait_all(void)
{
    ck_assert_int_eq(armcii_handles_issue(-1), 0);
    armcii_pending_wait_all();
    armcii_handles_release_all();
}

static armci_hdl_t fresh(void)
{
    armci_hdl_t h;
    armcii_handle_clear(&h);
    return h;
}

static armci_hdl_t aggregate(void)
{
    armci_hdl_t h = fresh();
    armcii_handle_set_aggregate(&h);
    return h;
}

static struct transfer put_int(int i, int process, size_t offset)
{
    return job_put(process, &value[i], there(process, offset), sizeof(int));
}

/* ---- plain handles ---- */

START_TEST(one_operation)
{
    begin();
    armci_hdl_t h = fresh();
    wait_for(&h);
    fake_expect("nothing outstanding", "");
    start(&h, put_int(0, THEM, 0));
    wait_for(&h);
    fake_expect("a put", "put 0/1 0+4; flush-local 0/1");
    wait_for(&h);
    fake_expect("waited twice", "");
    int seen = 0;
    start(&h, job_get(THEM, &seen, there(THEM, 0), sizeof seen));
    wait_for(&h);
    ck_assert_int_eq(seen, 1000);
    fake_expect("used again: a get", "flush 0/1; get 0/1 0+4; flush 0/1");
    job_end();
}
END_TEST

START_TEST(many_operations)
{
    begin();
    armci_hdl_t h = fresh();
    int seen[2] = {0};
    for (size_t i = 0; i < 3; i++) start(&h, put_int(0, THEM, 4 * i));
    start(&h, put_int(0, THIRD, 0));
    start(&h, job_put(THEM, &value[1], job_address(other, THEM, 0), 4));
    start(&h, job_get(3, seen, there(3, 0), sizeof seen));
    fake_forget();
    wait_for(&h);
    fake_expect("each target and region once", "flush-local 0/1; flush-local 0/2; flush-local 1/1; flush 0/3");
    job_end();
}
END_TEST

/* Waiting completes the handle's own operations, also where others came after them. */
START_TEST(two_handles)
{
    begin();
    armci_hdl_t a = fresh(), b = fresh();
    start(&a, put_int(0, THEM, 0));
    start(&b, put_int(0, THIRD, 0));
    fake_forget();
    wait_for(&a);
    fake_expect("the first", "flush-local 0/1");
    wait_for(&b);
    fake_expect("the second", "flush-local 0/2");
    job_end();
}
END_TEST

START_TEST(implicit_handle)
{
    begin();
    start(NULL, put_int(0, THEM, 0));
    start(NULL, put_int(1, THIRD, 0));
    fake_forget();
    wait_for(NULL);
    fake_expect("both", "flush-local 0/1; flush-local 0/2");
    wait_for(NULL);
    fake_expect("nothing left", "");
    job_end();
}
END_TEST

START_TEST(garbage)
{
    enum { LIVE = 100, TRIES = 200000 };
    static armci_hdl_t live[LIVE];
    struct rng r = rng_start(1);
    begin();
    memset(live, 0xa5, sizeof live);
    for (size_t i = 0; i < LIVE; i++) start(&live[i], put_int((int)i, THEM, 4 * i));
    fake_forget();
    for (int i = 0; i < TRIES; i++) {
        armci_hdl_t h = {(unsigned)rng_between(&r, 0, 2 * LIVE), (unsigned)rng_between(&r, 0, INT32_MAX) << (i & 1)};
        if (i % 3 == 0) h.tag = (unsigned)i / 3;
        wait_for(&h);
        armcii_handle_unset_aggregate(&h);
    }
    fake_expect("waited for garbage", "");
    for (size_t i = 0; i < LIVE; i++)
        for (size_t k = 0; k < i; k++) ck_assert_int_ne(memcmp(&live[i], &live[k], sizeof live[i]), 0);
    wait_for(&live[LIVE / 2]);
    fake_expect("the handles are still there", "flush-local 0/1");
    armci_hdl_t ones = {UINT32_MAX, UINT32_MAX};
    start(&ones, put_int(0, THIRD, 0));
    fake_expect("started on garbage", "put 0/2 0+4");
    wait_for(&ones);
    fake_expect("waited", "flush-local 0/2");
    job_end();
}
END_TEST

START_TEST(copies)
{
    begin();
    armci_hdl_t h = fresh();
    start(&h, put_int(0, THEM, 0));
    armci_hdl_t copy = h, stale = h;
    fake_forget();
    wait_for(&copy);
    fake_expect("the copy", "flush-local 0/1");
    wait_for(&h);
    fake_expect("the original", "");
    armci_hdl_t next = fresh();
    start(&next, put_int(0, THIRD, 0)); /* likely in the same slot */
    fake_forget();
    wait_for(&stale);
    fake_expect("a stale copy is not another's handle", "");
    start(&stale, put_int(0, THEM, 8));
    wait_for(&next);
    fake_expect("nor joins it", "put 0/1 8+4; flush-local 0/2");
    wait_for(&stale);
    fake_expect("it has become one of its own", "flush-local 0/1");
    job_end();
}
END_TEST

START_TEST(ten_thousand)
{
    enum { MANY = 10000, STEP = 3571 /* no common divisor with MANY */ };
    static armci_hdl_t h[MANY];
    static int seen[MANY];
    begin();
    for (size_t i = 0; i < MANY; i++) {
        int stored = (int)(7 * i);
        memcpy(there(THEM, 4 * i), &stored, sizeof stored);
        start(&h[i], job_get(THEM, &seen[i], there(THEM, 4 * i), sizeof seen[i]));
    }
    for (size_t i = 0; i < MANY; i++) {
        size_t k = i * STEP % MANY;
        wait_for(&h[k]);
        ck_assert_msg(seen[k] == (int)(7 * k), "handle %zu: expected %zu, seen %d", k, 7 * k, seen[k]);
    }
    /* 128 in flight make one flush. */
    ck_assert_uint_eq(fake_count(FAKE_FLUSH), (MANY + 127) / 128);
    job_end();
}
END_TEST

START_TEST(waiting_for_all)
{
    begin();
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
    job_end();
}
END_TEST

START_TEST(regions_may_go_before_the_wait)
{
    begin();
    struct region *third = job_region(0, 4, BYTES);
    armci_hdl_t h = fresh();
    start(&h, job_put(THEM, &value[0], job_address(third, THEM, 0), 4));
    start(&h, put_int(1, THEM, 0));
    armcii_pending_fence_region(third);
    job_region_free(third);
    fake_forget();
    wait_for(&h);
    fake_expect("what is left", "flush-local 0/1");
    job_end();
}
END_TEST

/* ---- scaled accumulates keep a copy until they are complete ---- */

static const int three = 3;

static struct transfer scaled(const int *scale, size_t offset, void *local, size_t bytes)
{
    struct transfer t = job_acc(ELEMENT_INT, THEM, local, there(THEM, offset), bytes);
    t.scale = scale;
    return t;
}

START_TEST(scaled_data)
{
    begin();
    armci_hdl_t h = fresh();
    start(&h, scaled(&three, 0, &value[0], 4));
    start(&h, scaled(&three, 4, &value[1], 4));
    start(&h, put_int(2, THEM, 8));
    start(&h, scaled(&three, 0, &value[1], 4));
    wait_for(&h);
    value[0] = value[1] = value[2] = 0;
    armcii_pending_fence(THEM);
    ck_assert_int_eq(int_there(THEM, 0), 3 * 1000 + 3 * 1001);
    ck_assert_int_eq(int_there(THEM, 4), 3 * 1001);
    ck_assert_int_eq(int_there(THEM, 8), 1002);
    job_end();
}
END_TEST

static void limit_memory(size_t more)
{
#ifndef __SANITIZE_ADDRESS__ /* that finds leaks itself, and needs the address space */
    struct rlimit limit = {more, more};
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &limit), 0);
#else
    (void)more;
#endif
}

enum { MIB = 1 << 20 };
static armci_hdl_t single, collecting;

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
    start(&collecting, scaled(&three, 0, local, MIB / 2));
    start(&collecting, scaled(&three, MIB / 2, local, MIB / 2));
    wait_for(&collecting);
}

/* Copies of 300 MiB, in a process that may not have so much. */
START_TEST(scaled_copies_are_freed)
{
    static void (*const ways[])(int *) = {by_blocking, by_handle, by_implicit_handle, by_waiting_for_all, by_aggregate};
    job_start((struct job){.at_once = true});
    region = job_region(0, 4, MIB);
    int *local = calloc(1, MIB);
    ck_assert_ptr_nonnull(local);
    limit_memory((size_t)64 * MIB);
    single = fresh();
    collecting = aggregate();
    for (int i = 0; i < 300; i++) {
        ways[_i](local);
        armcii_pending_fence(THEM); /* frees what the fake keeps */
        fake_forget();
    }
    start(&single, scaled(&three, 0, local, MIB)); /* not waited for: the end frees it */
    job_end();
    free(local);
}
END_TEST

/* ---- aggregate handles ---- */

START_TEST(requests_become_one_vector)
{
    begin();
    armci_hdl_t h = aggregate();
    for (int i = 0; i < 10; i++) start(&h, put_int(i, THEM, 16 * (size_t)i));
    fake_expect("kept", "");
    wait_for(&h);
    fake_expect("issued at the wait", "shape-put 0/1 0+40 in 10; flush-local 0/1");
    armcii_pending_fence(THEM);
    for (int i = 0; i < 10; i++) ck_assert_int_eq(int_there(THEM, 16 * (size_t)i), 1000 + i);
    fake_forget();
    start(&h, put_int(20, THEM, 4));
    fake_expect("still an aggregate", "");
    wait_for(&h);
    fake_expect("a single request", "put 0/1 4+4; flush-local 0/1");
    wait_for(&h);
    fake_expect("nothing kept", "");
    job_end();
}
END_TEST

START_TEST(requests_of_any_length)
{
    enum { REQUESTS = 3000 };
    begin();
    armci_hdl_t h = aggregate();
    size_t at = 0;
    static char seen[BYTES], source[64];
    for (int i = 0; i < 64; i++) source[i] = (char)(i + 1);
    for (size_t i = 0; i < REQUESTS; i++) {
        size_t bytes = 1 + i / 7 % 20;
        start(&h, job_put(THEM, source, there(THEM, at), bytes));
        at += bytes + 1;
    }
    wait_for(&h);
    ck_assert_uint_eq(fake_count(FAKE_SHAPE_PUT), 1);
    ck_assert_uint_eq(fake_call(0)->segments, REQUESTS);
    job_blocking(job_get(THEM, seen, there(THEM, 0), at));
    at = 0;
    for (size_t i = 0; i < REQUESTS; i++) {
        size_t bytes = 1 + i / 7 % 20;
        ck_assert_msg(memcmp(seen + at, source, bytes) == 0 && seen[at + bytes] == 0, "request %zu", i);
        at += bytes + 1;
    }
    job_end();
}
END_TEST

START_TEST(gets_bring_their_data)
{
    begin();
    armci_hdl_t h = aggregate();
    int seen[20] = {0};
    for (int i = 0; i < 20; i++) {
        memcpy(there(THEM, 8 * (size_t)i), &value[i], sizeof(int));
        start(&h, job_get(THEM, &seen[i], there(THEM, 8 * (size_t)i), sizeof(int)));
    }
    wait_for(&h);
    fake_expect("one vector", "shape-get 0/1 0+80 in 20; flush 0/1");
    for (int i = 0; i < 20; i++) ck_assert_int_eq(seen[i], 1000 + i);
    job_end();
}
END_TEST

START_TEST(another_kind_or_target_issues)
{
    static const int one = 1;
    static const long long_one = 1; /* begins with the same bytes */
    begin();
    armci_hdl_t h = aggregate(), g = aggregate();
    int seen = 0;
    start(&h, put_int(0, THEM, 0));
    start(&h, put_int(1, THEM, 8));
    start(&h, put_int(2, THIRD, 0));
    fake_expect("another target", "shape-put 0/1 0+8 in 2");
    start(&h, job_get(THIRD, &seen, there(THIRD, 64), 4));
    fake_expect("another kind", "put 0/2 0+4");
    start(&h, scaled(&one, 128, &value[0], 4));
    fake_expect("accumulate", "get 0/2 64+4");
    start(&h, scaled(&one, 136, &value[0], 4));
    start(&h, scaled(&three, 144, &value[0], 4));
    fake_expect("another scale", "shape-acc 0/1 128+8 in 2");
    start(&h, job_acc(ELEMENT_DOUBLE, THEM, &value[0], there(THEM, 152), 8));
    fake_expect("another element and scale", "acc 0/1 144+4");
    wait_for(&h);
    fake_forget();
    start(&g, scaled(&one, 160, &value[0], 4));
    struct transfer longs = scaled(NULL, 168, &value[0], 8);
    longs.verb.element = ELEMENT_LONG;
    longs.scale = &long_one;
    start(&g, longs);
    fake_expect("another element", "acc 0/1 160+4");
    wait_for(&g);
    fake_expect("the rest", "acc 0/1 168+8; flush-local 0/1");
    armcii_pending_fence_all();
    ck_assert_int_eq(int_there(THEM, 136), 1000);
    ck_assert_int_eq(int_there(THEM, 144), 3000);
    job_end();
}
END_TEST

/* The scale of a request may go as soon as it is started. */
START_TEST(scales_are_copied)
{
    begin();
    armci_hdl_t h = aggregate();
    int scale = 3;
    start(&h, scaled(&scale, 0, &value[0], 4));
    start(&h, scaled(&scale, 8, &value[1], 4));
    scale = 100;
    wait_for(&h);
    armcii_pending_fence(THEM);
    ck_assert_int_eq(int_there(THEM, 0), 3000);
    ck_assert_int_eq(int_there(THEM, 8), 3003);
    job_end();
}
END_TEST

START_TEST(values_are_copied)
{
    begin();
    armci_hdl_t plain = fresh(), h = aggregate();
    int v = 11;
    start_value(&plain, job_put(THEM, &v, there(THEM, 0), sizeof v));
    fake_expect("plain handle: complete at once", "put 0/1 0+4; flush-local 0/1");
    start_value(NULL, job_put(THEM, &v, there(THEM, 4), sizeof v));
    fake_expect("implicit handle", "put 0/1 4+4; flush-local 0/1");
    for (size_t i = 0; i < 100; i++) {
        v = 100 + (int)i;
        start_value(&h, job_put(THEM, &v, there(THEM, 8 + 8 * i), sizeof v));
    }
    v = 0;
    start_value(&h, job_put(THIRD, &v, there(THIRD, 0), sizeof v)); /* issues; the values must live on */
    fake_expect("aggregate", "shape-put 0/1 8+400 in 100");
    wait_for(&h);
    armcii_pending_fence_all();
    ck_assert_int_eq(int_there(THEM, 0), 11);
    ck_assert_int_eq(int_there(THEM, 4), 11);
    for (size_t i = 0; i < 100; i++) ck_assert_int_eq(int_there(THEM, 8 + 8 * i), 100 + (int)i);
    job_end();
}
END_TEST

START_TEST(unset_issues)
{
    begin();
    armci_hdl_t h = aggregate();
    start(&h, put_int(0, THEM, 0));
    start(&h, put_int(1, THEM, 8));
    ck_assert_int_eq(armcii_handle_unset_aggregate(&h), 0);
    fake_expect("unset", "shape-put 0/1 0+8 in 2");
    start(&h, put_int(2, THEM, 16));
    fake_expect("a plain handle now", "put 0/1 16+4");
    armcii_handle_set_aggregate(&h);
    start(&h, put_int(3, THEM, 24));
    fake_expect("an aggregate again", "");
    wait_for(&h);
    fake_expect("all of it", "put 0/1 24+4; flush-local 0/1");
    ck_assert_int_eq(armcii_handle_unset_aggregate(&h), 0);
    start(&h, put_int(4, THEM, 32));
    fake_expect("unset while empty", "put 0/1 32+4");
    job_end();
}
END_TEST

START_TEST(other_requests_go_at_once)
{
    begin();
    armci_hdl_t h = aggregate();
    struct transfer strided = job_put(THEM, NULL, NULL, 0), empty = job_put(THEM, value, there(THEM, 0), 0);
    int stride[] = {8}, count[] = {4, 3};
    ck_assert_int_eq(armcii_shape_strided(&strided.shape, value, stride, there(THEM, 64), stride, count, 1), SHAPE_OK);
    start(&h, put_int(0, THEM, 0));
    start(&h, empty);
    start(&h, strided);
    fake_expect("strided", "shape-put 0/1 64+12 in 3");
    wait_for(&h);
    fake_expect("the wait", "put 0/1 0+4; flush-local 0/1");
    job_end();
}
END_TEST

/* Requests that write the same bytes: the later stays. */
START_TEST(overlapping_requests)
{
    begin();
    armci_hdl_t h = aggregate();
    for (int i = 0; i < 5; i++) start(&h, put_int(i, THEM, 2 * (size_t)i));
    wait_for(&h);
    armcii_pending_fence(THEM);
    char want[12];
    for (int i = 0; i < 5; i++) memcpy(want + 2 * i, &value[i], sizeof(int));
    ck_assert_mem_eq(there(THEM, 0), want, sizeof want);
    job_end();
}
END_TEST

START_TEST(fences_issue_what_is_kept)
{
    begin();
    armci_hdl_t a = aggregate(), b = aggregate();
    start(&a, put_int(0, THEM, 0));
    start(&b, put_int(1, THIRD, 0));
    ck_assert_int_eq(armcii_handles_issue(THEM), 0);
    fake_expect("towards one", "put 0/1 0+4");
    ck_assert_int_eq(armcii_handles_issue(THEM), 0);
    fake_expect("again", "");
    ck_assert_int_eq(armcii_handles_issue(-1), 0);
    fake_expect("towards all", "put 0/2 0+4");
    wait_for(&a);
    wait_for(&b);
    fake_expect("both", "flush-local 0/1; flush-local 0/2");
    job_end();
}
END_TEST

START_TEST(refused_requests)
{
    begin();
    armci_hdl_t h = aggregate(), plain = fresh();
    start(&h, put_int(0, THEM, 0));
    struct transfer nowhere = job_put(THEM, value, value, 4), beyond = job_put(THEM, value, there(THEM, BYTES - 2), 4);
    ck_assert_int_eq(armcii_handle_start(&h, &nowhere), ARMCI_ERR_ADDRESS);
    ck_assert_int_eq(armcii_handle_start(&h, &beyond), ARMCI_ERR_RANGE);
    ck_assert_int_eq(armcii_handle_start_value(&h, &nowhere), ARMCI_ERR_ADDRESS);
    ck_assert_int_eq(armcii_handle_start(&plain, &nowhere), ARMCI_ERR_ADDRESS);
    ck_assert_int_eq(armcii_handle_start(NULL, &beyond), ARMCI_ERR_RANGE);
    fake_expect("refused", "");
    wait_for(&h);
    wait_for(&plain);
    fake_expect("what came before is not lost", "put 0/1 0+4; flush-local 0/1");
    job_end();
}
END_TEST

static void add_plain_tests(TCase *tests)
{
    tcase_add_test(tests, one_operation);
    tcase_add_test(tests, many_operations);
    tcase_add_test(tests, two_handles);
    tcase_add_test(tests, implicit_handle);
    tcase_add_test(tests, garbage);
    tcase_add_test(tests, copies);
    tcase_add_test(tests, ten_thousand);
    tcase_add_test(tests, waiting_for_all);
    tcase_add_test(tests, regions_may_go_before_the_wait);
    tcase_add_test(tests, scaled_data);
    tcase_add_loop_test(tests, scaled_copies_are_freed, 0, 5);
}

static void add_aggregate_tests(TCase *tests)
{
    tcase_add_test(tests, requests_become_one_vector);
    tcase_add_test(tests, requests_of_any_length);
    tcase_add_test(tests, gets_bring_their_data);
    tcase_add_test(tests, another_kind_or_target_issues);
    tcase_add_test(tests, scales_are_copied);
    tcase_add_test(tests, values_are_copied);
    tcase_add_test(tests, unset_issues);
    tcase_add_test(tests, other_requests_go_at_once);
    tcase_add_test(tests, overlapping_requests);
    tcase_add_test(tests, fences_issue_what_is_kept);
    tcase_add_test(tests, refused_requests);
}

int main(void)
{
    Suite *suite = suite_create("handle");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    add_plain_tests(tests);
    add_aggregate_tests(tests);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
