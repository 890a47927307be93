/* test_aggregate.c - aggregate handles: which requests are queued, and when and as what they are
 * issued. */
#include "handle_steps.h"
#include "unit.h"

static const int three = 3;

TEST(requests_become_one_vector)
{
    armci_hdl_t h = aggregate();
    for (int i = 0; i < 10; i++)
        start(&h, put_int(i, THEM, 16 * (size_t)i));
    fake_expect("queued", "");
    wait_for(&h);
    fake_expect("issued at the wait", "shape-put 0/1 0+40 in 10; flush-local 0/1");
    armcii_fence(THEM);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(int_there(THEM, 16 * (size_t)i), 1000 + i);
    fake_forget();
    start(&h, put_int(20, THEM, 4));
    fake_expect("still an aggregate", "");
    wait_for(&h);
    fake_expect("a single request", "put 0/1 4+4; flush-local 0/1");
    wait_for(&h);
    fake_expect("empty queue", "");
}

TEST(requests_of_any_length)
{
    enum { REQUESTS = 3000 };
    armci_hdl_t h = aggregate();
    size_t at = 0;
    static char seen[STEP_BYTES], source[64];
    for (int i = 0; i < 64; i++)
        source[i] = (char)(i + 1);
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
        ck_assert_msg(memcmp(seen + at, source, bytes) == 0 && seen[at + bytes] == 0, "request %zu",
                      i);
        at += bytes + 1;
    }
}

/* The fast path appends requests that match the queue. */
TEST(the_fast_path_queues_matching_requests_only)
{
    enum { ROOM = 12 };
    static int source[ROOM];
    armci_hdl_t h = aggregate(), plain;
    armcii_handle_clear(&plain);
    for (int i = 0; i < ROOM; i++)
        source[i] = 500 + i;
    ck_assert_msg(!armcii_handle_queue_next(&h, OP_PUT, THEM, source, there(THEM, 0), 4),
                  "empty queue");
    start(&h, job_put(THEM, source, there(THEM, 0), 4));
    for (int i = 1; i < ROOM; i++)
        ck_assert_msg(
            armcii_handle_queue_next(&h, OP_PUT, THEM, source + i, there(THEM, 8 * (size_t)i), 4),
            "put %d", i);
    ck_assert_msg(!armcii_handle_queue_next(&h, OP_GET, THEM, source, there(THEM, 0), 4),
                  "a get after puts");
    ck_assert_msg(!armcii_handle_queue_next(&h, OP_PUT, THIRD, source, there(THIRD, 0), 4),
                  "another process");
    ck_assert_msg(!armcii_handle_queue_next(&h, OP_PUT, THEM, source, source, 4),
                  "memory of no region");
    ck_assert_msg(
        !armcii_handle_queue_next(&h, OP_PUT, THEM, source, there(THEM, STEP_BYTES - 2), 4),
        "beyond the region");
    ck_assert_msg(!armcii_handle_queue_next(&plain, OP_PUT, THEM, source, there(THEM, 0), 4),
                  "a plain handle");
    ck_assert_msg(!armcii_handle_queue_next(NULL, OP_PUT, THEM, source, there(THEM, 0), 4),
                  "the implicit handle");
    fake_expect("queued", "");
    wait_for(&h);
    ck_assert_uint_eq(fake_count(FAKE_SHAPE_PUT), 1);
    armcii_fence(THEM);
    for (int i = 0; i < ROOM; i++)
        ck_assert_int_eq(int_there(THEM, 8 * (size_t)i), 500 + i);
}

/* A lookup from before a change of the directory is stale. */
TEST(the_fast_path_needs_a_current_lookup)
{
    armci_hdl_t h = aggregate();
    static int source[2] = {1, 2};
    start(&h, job_put(THEM, source, there(THEM, 0), 4));
    armcii_directory_add(THIRD, there(THIRD, 0), 4, NULL, false);
    ck_assert(!armcii_handle_queue_next(&h, OP_PUT, THEM, source + 1, there(THEM, 4), 4));
    armcii_directory_remove(THIRD, there(THIRD, 0), NULL);
    wait_for(&h);
}

TEST(gets_bring_their_data)
{
    armci_hdl_t h = aggregate();
    int seen[20] = {0};
    for (int i = 0; i < 20; i++) {
        memcpy(there(THEM, 8 * (size_t)i), &step_value[i], sizeof(int));
        start(&h, job_get(THEM, &seen[i], there(THEM, 8 * (size_t)i), sizeof(int)));
    }
    wait_for(&h);
    fake_expect("one vector", "shape-get 0/1 0+80 in 20; flush 0/1");
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(seen[i], 1000 + i);
}

/* Kinds, targets, elements and scales may alternate: each has a queue, up to six. */
TEST(requests_that_differ_are_queued_apart)
{
    static const int one = 1;
    static const long long_one = 1; /* begins with the same bytes as one */
    armci_hdl_t h = aggregate();
    int seen[2] = {0};
    struct op longs = scaled(NULL, 168, &step_value[0], 8);
    longs.verb.element = ELEMENT_LONG;
    longs.scale = &long_one;
    for (size_t i = 0; i < 2; i++) {
        start(&h, put_int((int)i, THEM, 8 * i));
        start(&h, put_int(2, THIRD, 8 * i));
        start(&h, job_get(THIRD, &seen[i], there(THIRD, 64 + 8 * i), 4));
        start(&h, scaled(&one, 128 + 8 * i, &step_value[0], 4));
        start(&h, scaled(&three, 144 + 8 * i, &step_value[0], 4));
        start(&h, longs);
    }
    fake_expect("six queues", "");
    start(&h, job_acc(ELEMENT_DOUBLE, THEM, &step_value[0], there(THEM, 160), 8));
    fake_expect("a seventh", "shape-put 0/2 0+8 in 2");
    wait_for(&h);
    fake_forget();
    armcii_fence_all();
    ck_assert_int_eq(int_there(THEM, 8), 1001);
    ck_assert_int_eq(int_there(THIRD, 8), 1002);
    ck_assert_int_eq(int_there(THEM, 136), 1000);
    ck_assert_int_eq(int_there(THEM, 152), 3000);
}

/* The program may change the scale once the request is started. */
TEST(scales_are_copied)
{
    armci_hdl_t h = aggregate();
    int scale = 3;
    start(&h, scaled(&scale, 0, &step_value[0], 4));
    start(&h, scaled(&scale, 8, &step_value[1], 4));
    scale = 100;
    wait_for(&h);
    armcii_fence(THEM);
    ck_assert_int_eq(int_there(THEM, 0), 3000);
    ck_assert_int_eq(int_there(THEM, 8), 3003);
}

TEST(values_are_copied)
{
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
    fake_expect("aggregate", "");
    ck_assert_int_eq(armcii_aggregates_flush(THEM), 0); /* the copies must stay */
    fake_expect("issued", "shape-put 0/1 8+400 in 100");
    wait_for(&h);
    armcii_fence_all();
    ck_assert_int_eq(int_there(THEM, 0), 11);
    ck_assert_int_eq(int_there(THEM, 4), 11);
    for (size_t i = 0; i < 100; i++)
        ck_assert_int_eq(int_there(THEM, 8 + 8 * i), 100 + (int)i);
}

TEST(unset_issues)
{
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
    fake_expect("the wait", "put 0/1 24+4; flush-local 0/1");
    ck_assert_int_eq(armcii_handle_unset_aggregate(&h), 0);
    start(&h, put_int(4, THEM, 32));
    fake_expect("unset while empty", "put 0/1 32+4");
}

TEST(other_requests_are_not_queued)
{
    armci_hdl_t h = aggregate();
    struct op strided = job_put(THEM, NULL, NULL, 0),
              empty = job_put(THEM, step_value, there(THEM, 0), 0);
    int stride[] = {8}, count[] = {4, 3};
    ck_assert_int_eq(
        armcii_shape_strided(&strided.shape, step_value, stride, there(THEM, 64), stride, count, 1),
        SHAPE_OK);
    start(&h, put_int(0, THEM, 0));
    start(&h, empty);
    start(&h, strided);
    fake_expect("strided", "shape-put 0/1 64+12 in 3");
    wait_for(&h);
    fake_expect("the wait", "put 0/1 0+4; flush-local 0/1");
}

/* Of requests that write the same bytes, the last one wins. */
TEST(overlapping_requests)
{
    armci_hdl_t h = aggregate();
    for (int i = 0; i < 5; i++)
        start(&h, put_int(i, THEM, 2 * (size_t)i));
    wait_for(&h);
    armcii_fence(THEM);
    char want[12];
    for (int i = 0; i < 5; i++)
        memcpy(want + 2 * i, &step_value[i], sizeof(int));
    ck_assert_mem_eq(there(THEM, 0), want, sizeof want);
}

TEST(fences_flush_queues)
{
    armci_hdl_t a = aggregate(), b = aggregate();
    start(&a, put_int(0, THEM, 0));
    start(&b, put_int(1, THIRD, 0));
    ck_assert_int_eq(armcii_aggregates_flush(THEM), 0);
    fake_expect("to one", "put 0/1 0+4");
    ck_assert_int_eq(armcii_aggregates_flush(THEM), 0);
    fake_expect("again", "");
    ck_assert_int_eq(armcii_aggregates_flush(-1), 0);
    fake_expect("to all", "put 0/2 0+4");
    wait_for(&a);
    wait_for(&b);
    fake_expect("both", "flush-local 0/1; flush-local 0/2");
}

TEST(refused_requests)
{
    armci_hdl_t h = aggregate(), plain = fresh();
    start(&h, put_int(0, THEM, 0));
    struct op nowhere = job_put(THEM, step_value, step_value, 4),
              beyond = job_put(THEM, step_value, there(THEM, STEP_BYTES - 2), 4);
    ck_assert_int_eq(armcii_handle_start(&h, &nowhere), ARMCI_ERR_ADDRESS);
    ck_assert_int_eq(armcii_handle_start(&h, &beyond), ARMCI_ERR_RANGE);
    ck_assert_int_eq(armcii_handle_start_value(&h, &nowhere), ARMCI_ERR_ADDRESS);
    ck_assert_int_eq(armcii_handle_start(&plain, &nowhere), ARMCI_ERR_ADDRESS);
    ck_assert_int_eq(armcii_handle_start(NULL, &beyond), ARMCI_ERR_RANGE);
    fake_expect("refused", "");
    wait_for(&h);
    wait_for(&plain);
    fake_expect("earlier requests are not lost", "put 0/1 0+4; flush-local 0/1");
}

const struct unit unit = {.begin = steps_begin, .end = job_end};
