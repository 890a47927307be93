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

/* The fast paths of the public functions. */
static bool append_next(const armci_hdl_t *h, enum op_kind kind, int target, void *local,
                        void *remote, size_t bytes)
{
    return armcii_aggregate_append_next(h, kind, target, local, remote, bytes);
}

static bool append_row(const armci_hdl_t *h, enum op_kind kind, int target, void *local,
                       void *remote, size_t bytes)
{
    const struct aggregate_key key = {target, {kind, ELEMENT_INT}, NULL};
    struct aggregate *a = armcii_handle_list(h, &key, remote);
    return a &&
           armcii_aggregate_append_rows(a, &(struct aggregate_rows){local, remote, 0, 0, bytes, 1});
}

static bool append_list(const armci_hdl_t *h, enum op_kind kind, int target, void *local,
                        void *remote, size_t bytes)
{
    const struct aggregate_key key = {target, {kind, ELEMENT_INT}, NULL};
    struct aggregate *a = armcii_handle_list(h, &key, remote);
    return a && armcii_aggregate_append_list(a, &(struct vector_run){&local, &remote, bytes, 1});
}

enum { FAST_PATHS = 3 };
static bool (*const append[FAST_PATHS])(const armci_hdl_t *, enum op_kind, int, void *, void *,
                                        size_t) = {append_next, append_row, append_list};

ROW_TEST(the_fast_paths_queue_matching_requests_only, FAST_PATHS)
{
    enum { ROOM = 12 };
    static int source[ROOM];
    armci_hdl_t h = aggregate(), plain = fresh(), other = aggregate();
    for (int i = 0; i < ROOM; i++)
        source[i] = 500 + i;
    ck_assert_msg(!append[_i](&h, OP_PUT, THEM, source, there(THEM, 0), 4), "empty queue");
    start(&h, job_put(THEM, source, there(THEM, 0), 4));
    for (int i = 1; i < ROOM; i++)
        ck_assert_msg(append[_i](&h, OP_PUT, THEM, source + i, there(THEM, 8 * (size_t)i), 4),
                      "put %d", i);
    ck_assert_msg(!append[_i](&h, OP_GET, THEM, source, there(THEM, 0), 4), "a get after puts");
    ck_assert_msg(!append[_i](&h, OP_PUT, THIRD, source, there(THIRD, 0), 4), "another process");
    ck_assert_msg(!append[_i](&h, OP_PUT, -1, source, there(THEM, 0), 4), "no process");
    ck_assert_msg(!append[_i](&h, OP_PUT, THEM, source, source, 4), "memory of no region");
    ck_assert_msg(!append[_i](&h, OP_PUT, THEM, source, there(THEM, STEP_BYTES - 2), 4),
                  "beyond the region");
    ck_assert_msg(!append[_i](&h, OP_PUT, THEM, source, there(THEM, 0) - 1, 4),
                  "before the region");
    ck_assert_msg(!append[_i](&plain, OP_PUT, THEM, source, there(THEM, 0), 4), "a plain handle");
    ck_assert_msg(!append[_i](&other, OP_PUT, THEM, source, there(THEM, 0), 4), "another handle");
    fake_expect("queued", "");
    wait_for(&h);
    ck_assert_msg(!append[_i](&h, OP_PUT, THEM, source, there(THEM, 0), 4), "after the wait");
    ck_assert_uint_eq(fake_count(FAKE_SHAPE_PUT), 1);
    armcii_fence(THEM);
    for (int i = 0; i < ROOM; i++)
        ck_assert_int_eq(int_there(THEM, 8 * (size_t)i), 500 + i);
}

/* A lookup from before a change of the index is stale. */
ROW_TEST(the_fast_paths_need_a_current_lookup, FAST_PATHS)
{
    armci_hdl_t h = aggregate();
    static int source[2] = {1, 2};
    start(&h, job_put(THEM, source, there(THEM, 0), 4));
    armcii_lookup_add(THIRD, there(THIRD, 0), 4, NULL, false);
    ck_assert(!append[_i](&h, OP_PUT, THEM, source + 1, there(THEM, 4), 4));
    armcii_lookup_remove(THIRD, there(THIRD, 0), NULL);
    wait_for(&h);
}

/* Rows that leave the region at either end, of another length, and more than a list has. */
TEST(the_fast_path_of_rows)
{
    armci_hdl_t h = aggregate();
    const struct aggregate_key key = {THEM, {OP_PUT, ELEMENT_INT}, NULL};
    char *from = (char *)step_value;
    start(&h, put_int(0, THEM, 0));
    struct aggregate *a = armcii_handle_list(&h, &key, there(THEM, 0));
    ck_assert_ptr_nonnull(a);
    ck_assert(armcii_aggregate_append_rows(
        a, &(struct aggregate_rows){from + 4, there(THEM, 8), 4, 16, 4, 5}));
    ck_assert(armcii_aggregate_append_rows(
        a, &(struct aggregate_rows){from + 64, there(THEM, 600), -16, -32, 8, 4}));
    ck_assert(!armcii_aggregate_append_rows(
        a, &(struct aggregate_rows){from, there(THEM, 16), 4, -16, 4, 3}));
    ck_assert(!armcii_aggregate_append_rows(
        a, &(struct aggregate_rows){from, there(THEM, STEP_BYTES - 32), 4, 16, 4, 3}));
    ck_assert(!armcii_aggregate_append_rows(
        a, &(struct aggregate_rows){from, there(THEM, 1024), 4, 8, 4, AGGREGATE_SEGMENTS}));
    fake_expect("queued", "");
    wait_for(&h);
    fake_expect("issued", "shape-put 0/1 0+56 in 10; flush-local 0/1");
    armcii_fence(THEM);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(int_there(THEM, 8 + 16 * (size_t)i), 1001 + i);
    for (int i = 0; i < 4; i++)
        ck_assert_mem_eq(there(THEM, 600 - 32 * (size_t)i), from + 64 - 16 * i, 8);
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

/* Kinds, targets, regions, elements and scales may alternate. */
TEST(requests_that_differ_are_queued_apart)
{
    static const int one = 1;
    static const long long_one = 1; /* begins with the same bytes as one */
    armci_hdl_t h = aggregate();
    int seen[4] = {0};
    for (size_t i = 0; i < 2; i++) {
        struct op longs = scaled(NULL, 168 + 8 * i, &step_value[0], 8);
        longs.verb.element = ELEMENT_LONG;
        longs.scale = &long_one;
        start(&h, put_int((int)i, THEM, 8 * i));
        start(&h, put_int(2, THIRD, 8 * i));
        start(&h, job_get(THIRD, &seen[i], there(THIRD, 64 + 8 * i), 4));
        start(&h, job_get(3, &seen[2 + i], there(3, 64 + 8 * i), 4));
        start(&h, scaled(&one, 128 + 8 * i, &step_value[0], 4));
        start(&h, scaled(&three, 144 + 8 * i, &step_value[0], 4));
        start(&h, job_put(THEM, &step_value[5], job_address(step_other, THEM, 8 * i), 4));
        start(&h, longs);
    }
    fake_expect("eight lists", "");
    wait_for(&h);
    ck_assert_uint_eq(fake_count(FAKE_SHAPE_PUT), 3);
    ck_assert_uint_eq(fake_count(FAKE_SHAPE_GET), 2);
    ck_assert_uint_eq(fake_count(FAKE_SHAPE_ACC), 3);
    ck_assert_uint_eq(fake_count(FAKE_PUT) + fake_count(FAKE_GET) + fake_count(FAKE_ACC), 0);
    fake_forget();
    armcii_fence_all();
    ck_assert_int_eq(int_there(THEM, 8), 1001);
    ck_assert_int_eq(int_there(THIRD, 8), 1002);
    ck_assert_int_eq(int_there(THEM, 136), 1000);
    ck_assert_int_eq(int_there(THEM, 152), 3000);
    ck_assert_mem_eq(job_address(step_other, THEM, 8), &step_value[5], 4);
}

/* More lists than a handle has: one of them is issued, and nothing is lost. */
TEST(more_lists_than_there_are)
{
    enum { SCALES = 100 };
    armci_hdl_t h = aggregate();
    int scale[SCALES];
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < SCALES; i++) {
            scale[i] = i;
            start(&h, scaled(&scale[i], 4 * (size_t)i, &step_value[0], 4));
        }
    ck_assert_uint_gt(fake_count(FAKE_ACC) + fake_count(FAKE_SHAPE_ACC), SCALES / 4);
    wait_for(&h);
    fake_forget();
    armcii_fence_all();
    for (int i = 0; i < SCALES; i++)
        ck_assert_int_eq(int_there(THEM, 4 * (size_t)i), 2 * i * 1000);
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
    ck_assert_int_eq(armcii_aggregates_flush(THEM, false), 0); /* the copies must stay */
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

/* ---- strided and vector requests ---- */

static struct op strided(struct op t, int local_stride, int remote_stride, int bytes, int rows)
{
    int from[] = {local_stride}, to[] = {remote_stride}, count[] = {bytes, rows};
    ck_assert_int_eq(
        armcii_shape_strided(&t.shape, t.shape.local, from, t.shape.remote, to, count, 1),
        SHAPE_OK);
    return t;
}

TEST(strided_and_vector_requests_are_queued)
{
    armci_hdl_t h = aggregate();
    void *local[] = {&step_value[7], &step_value[9]},
         *remote[] = {there(THEM, 100), there(THEM, 92)};
    struct vector_run run = {local, remote, 4, 2};
    struct op vector = put_int(0, THEM, 0);
    ck_assert_int_eq(armcii_shape_vector(&vector.shape, &run, 1), SHAPE_OK);
    start(&h, put_int(0, THEM, 0));
    start(&h, job_put(THEM, step_value, there(THEM, 0), 0));
    start(&h, strided(put_int(1, THEM, 8), 4, 8, 4, 3));
    start(&h, vector);
    /* the arrays of a request are not needed after the call */
    local[0] = local[1] = remote[0] = remote[1] = NULL;
    run = (struct vector_run){NULL, NULL, 0, 0};
    fake_expect("queued", "");
    wait_for(&h);
    fake_expect("the wait", "shape-put 0/1 0+24 in 6; flush-local 0/1");
    armcii_fence(THEM);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(int_there(THEM, 8 * (size_t)i), 1000 + i);
    ck_assert_int_eq(int_there(THEM, 100), 1007);
    ck_assert_int_eq(int_there(THEM, 92), 1009);
}

TEST(strided_gets_and_accumulates_are_queued)
{
    armci_hdl_t h = aggregate();
    int seen[8] = {0}, scale = 3;
    for (int i = 0; i < 8; i++)
        memcpy(there(THEM, 512 + 8 * (size_t)i), &step_value[i], 4);
    for (size_t i = 0; i < 2; i++) {
        start(&h, strided(scaled(&scale, 32 * i, &step_value[4 * i], 0), 4, 8, 4, 4));
        start(&h, strided(job_get(THEM, &seen[4 * i], there(THEM, 512 + 32 * i), 0), 4, 8, 4, 4));
    }
    scale = 100;
    fake_expect("queued", "");
    wait_for(&h);
    ck_assert_uint_eq(fake_count(FAKE_SHAPE_ACC), 1);
    ck_assert_uint_eq(fake_count(FAKE_SHAPE_GET), 1);
    armcii_fence(THEM);
    fake_forget();
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(int_there(THEM, 8 * (size_t)i), 3 * (1000 + i));
        ck_assert_int_eq(seen[i], 1000 + i);
    }
}

/* What gains nothing by company is issued at once, a put behind those that wait. */
TEST(long_requests_are_not_queued)
{
    static char local[2 * AGGREGATE_REQUEST_BYTES];
    armci_hdl_t h = aggregate();
    start(&h, put_int(0, THEM, 0));
    start(&h, job_put(THIRD, local, there(THIRD, 0), AGGREGATE_REQUEST_BYTES + 4));
    fake_expect("another process", "put 0/2 0+16388");
    start(&h, job_put(THEM, local, there(THEM, 0), AGGREGATE_REQUEST_BYTES + 4));
    fake_expect("overlapping", "put 0/1 0+4; flush 0/1; put 0/1 0+16388");
    start(&h, strided(job_put(THEM, local, there(THEM, 32768), 0), 8, 16, 4, AGGREGATE_ROWS + 1));
    fake_expect("many rows", "shape-put 0/1 32768+260 in 65");
    wait_for(&h);
    armcii_fence_all();
    ck_assert_int_eq(int_there(THEM, 0), 0);
    fake_forget();
}

/* Memory is bounded. */
TEST(full_lists_are_issued)
{
    static char local[AGGREGATE_REQUEST_BYTES];
    armci_hdl_t h = aggregate();
    for (int i = 0; i < AGGREGATE_SEGMENTS; i++)
        start(&h, put_int(i % 100, THEM, 4 * (size_t)i));
    fake_expect("full", "");
    start(&h, put_int(1, THEM, 0));
    ck_assert_uint_eq(fake_call(0)->segments, AGGREGATE_SEGMENTS);
    wait_for(&h);
    fake_forget();
    for (int i = 0; i < AGGREGATE_BYTES / AGGREGATE_REQUEST_BYTES; i++)
        start(&h, job_put(THEM, local, there(THEM, 0), AGGREGATE_REQUEST_BYTES));
    fake_expect("as many bytes as a list has", "");
    start(&h, put_int(1, THEM, 0));
    ck_assert_uint_gt(fake_count(FAKE_PUT) + fake_count(FAKE_SHAPE_PUT), 0);
    wait_for(&h);
    armcii_fence(THEM);
    fake_forget();
    ck_assert_int_eq(int_there(THEM, 0), 1001);
}

/* Of requests that write the same bytes, the last one wins. */
TEST(overlapping_requests)
{
    armci_hdl_t h = aggregate();
    for (int i = 0; i < 4; i++)
        start(&h, put_int(i, THEM, 2 * (size_t)i));
    start(&h, strided(put_int(4, THEM, 8), 4, 2, 4, 3));
    wait_for(&h);
    armcii_fence(THEM);
    char want[16];
    for (int i = 0; i < 7; i++)
        memcpy(want + 2 * i, &step_value[i], sizeof(int));
    ck_assert_mem_eq(there(THEM, 0), want, sizeof want);
}

TEST(fences_flush_queues)
{
    armci_hdl_t a = aggregate(), b = aggregate();
    start(&a, put_int(0, THEM, 0));
    start(&b, put_int(1, THIRD, 0));
    ck_assert_int_eq(armcii_aggregates_flush(THEM, false), 0);
    fake_expect("to one", "put 0/1 0+4");
    ck_assert_int_eq(armcii_aggregates_flush(THEM, false), 0);
    fake_expect("again", "");
    ck_assert_int_eq(armcii_aggregates_flush(-1, false), 0);
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
    struct op rows = job_ranged(strided(put_int(0, THEM, STEP_BYTES - 32), 4, 16, 4, 3));
    ck_assert_int_eq(armcii_handle_start(&h, &rows), ARMCI_ERR_RANGE);
    ck_assert_int_eq(armcii_handle_start(&plain, &nowhere), ARMCI_ERR_ADDRESS);
    ck_assert_int_eq(armcii_handle_start(NULL, &beyond), ARMCI_ERR_RANGE);
    fake_expect("refused", "");
    wait_for(&h);
    wait_for(&plain);
    fake_expect("earlier requests are not lost", "put 0/1 0+4; flush-local 0/1");
}

const struct unit unit = {.begin = steps_begin, .end = job_end};
