/* test_mixed.c - regions on several nodes: puts and gets of neighbours are loads and stores,
 * accumulates use MPI, and both stay in order on the same bytes. */

#include <armci.h>

#include "fake_job.h"
#include "transport/rma/rma.h"
#include "transport/shm/shm.h"
#include "core/op.h"
#include "unit.h"

enum { BYTES = 256, THEM = 1, FAR = 2 };

static struct region *region;

/* Process 1 is a neighbour: its simulated slice is in this process, so it is its own mapping. */
static void begin(void)
{
    job_start((struct job){.several_nodes = true});
    region = job_region(0, 4, BYTES);
    static const struct route near = {"shm+rma",   &armcii_shm, &armcii_shm,
                                      &armcii_rma, false,       NULL};
    region->near = &near;
    armcii_lookup_add(THEM, region->base[THEM], BYTES, region, true);
}

static char *at(size_t offset)
{
    return job_address(region, THEM, offset);
}

static int load(size_t offset)
{
    int value;
    memcpy(&value, at(offset), sizeof value);
    return value;
}

static void put(size_t offset, int value)
{
    job_blocking(job_put(THEM, &value, at(offset), sizeof value));
}

static int get(size_t offset)
{
    int value = -1;
    job_blocking(job_get(THEM, &value, at(offset), sizeof value));
    return value;
}

/* Nonblocking: the value must stay valid. */
static void acc(size_t offset, int value)
{
    static int values[8];
    static int next;
    int *v = &values[next++ % 8];
    *v = value;
    job_nonblocking(job_acc(ELEMENT_INT, THEM, v, at(offset), sizeof *v));
}

TEST(put_and_get_make_no_call)
{
    put(16, 5);
    ck_assert_int_eq(get(16), 5);
    ck_assert_int_eq(load(16), 5);
    fake_expect("a neighbour", "");
    static int value = 1; /* the put is complete when the job ends */
    job_nonblocking(job_put(FAR, &value, job_address(region, FAR, 16), sizeof value));
    fake_expect("another node", "put 0/2 16+4");
}

TEST(a_load_sees_the_accumulate_before_it)
{
    put(16, 5);
    acc(16, 2);
    fake_expect("accumulate", "acc 0/1 16+4");
    ck_assert_int_eq(get(16), 7);
    fake_expect("get of these bytes", "flush 0/1");
    ck_assert_int_eq(get(16), 7);
    fake_expect("again", "");
}

TEST(a_store_comes_after_the_accumulate_before_it)
{
    acc(16, 2);
    put(16, 100);
    fake_expect("put over an accumulate", "acc 0/1 16+4; flush 0/1");
    acc(16, 3);
    armcii_fence(THEM);
    ck_assert_int_eq(load(16), 103);
}

TEST(other_bytes_do_not_wait)
{
    acc(16, 2);
    put(24, 1);
    ck_assert_int_eq(get(8), 0);
    fake_expect("beside an accumulate", "acc 0/1 16+4");
}

TEST(rmw_uses_mpi)
{
    int old = -1;
    put(32, 40);
    ck_assert_int_eq(armcii_rmw("ARMCI_Rmw", ARMCI_FETCH_AND_ADD, &old, at(32), 2, THEM), 0);
    fake_expect("rmw on a neighbour", "fetch-and-op 0/1 32+4; flush 0/1");
    ck_assert_int_eq(old, 40);
    ck_assert_int_eq(get(32), 42);
}

const struct unit unit = {.begin = begin, .end = job_end};
