/* test_transport.c - a transport unknown to core/: once it is registered and a route names it, it
 * gets every operation and fence. It only records calls. */
#include <stdarg.h>

#include <armci.h>

#include "core/op.h"
#include "fake_job.h"
#include "transport/rma/rma.h"
#include "transport/shm/shm.h"
#include "unit.h"

enum { ME = 0, THEM = 1, BYTES = 256 };

/* ---- the transport ---- */

static char calls[1024];
static const struct transport recorder;
static char kept_here[] = "kept";
static bool is_done; /* the outstanding request is complete */

__attribute__((format(printf, 1, 2))) static void record(const char *format, ...)
{
    size_t used = strlen(calls);
    va_list args;
    va_start(args, format);
    vsnprintf(calls + used, sizeof calls - used, format, args);
    va_end(args);
}

static void expect(const char *wanted)
{
    ck_assert_str_eq(calls, wanted);
    calls[0] = 0;
}

static bool refuses; /* to attach */

static int region_attach(struct region *r)
{
    if (refuses) return -1;
    r->attached = kept_here;
    return 0;
}

static void region_detach(struct region *r)
{
    record("detach %s; ", (char *)r->attached);
    r->attached = NULL;
}

static int start(const struct op *op, const struct raddr *raddr, struct request *req)
{
    static const char *const names[] = {[OP_PUT] = "put", [OP_GET] = "get", [OP_ACC] = "acc"};
    record("%s %zu/%zu to %d at %td-%td; ", names[op->verb.kind], op->shape.bytes, op->shape.nsegs,
           op->target, op->lo - raddr->lo, op->hi - raddr->lo);
    *req = (struct request){.transport = &recorder, .id = 7};
    is_done = false;
    return 0;
}

static void wait(const struct request *req)
{
    record("wait %d; ", (int)req->id);
    is_done = true;
}

static bool is_complete(const struct request *req)
{
    (void)req;
    return is_done;
}

static void push(void)
{
    record("push; ");
}

static void order(const struct raddr *raddr, int target, struct op_verb verb, const char *lo,
                  const char *hi)
{
    (void)raddr, (void)lo, (void)hi;
    record("order %d before kind %d; ", target, (int)verb.kind);
}

static void complete(const struct op_set *which, unsigned how)
{
    record("complete%s%s %d", how & COMPLETE_LOCAL ? " locally" : "",
           how & COMPLETE_REMOTE ? " remotely" : "", which->target);
    if (which->team) record(" of %d", which->team->size);
    record("%s; ", which->region ? " on a region" : "");
}

static bool is_quiet(void)
{
    return is_done;
}

static long rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes,
                void *remote, long operand)
{
    record("rmw %d %s %ld/%zu at %td; ", target, update == RMW_ADD ? "add" : "replace", operand,
           bytes, (char *)remote - raddr->lo);
    return 41;
}

static bool progress(void)
{
    record("progress; ");
    return true;
}

static const struct transport recorder = {
    .name = "recorder",
    .region_attach = region_attach,
    .region_detach = region_detach,
    .start = start,
    .wait = wait,
    .is_complete = is_complete,
    .test = is_complete,
    .push = push,
    .order = order,
    .complete = complete,
    .is_quiet = is_quiet,
    .rmw = rmw,
    .progress = progress,
};
static const struct route by_recorder = {"recorder", &recorder, &recorder, &recorder, false, NULL};

/* ---- the job ---- */

static struct region *region;
static char local[BYTES];

static void begin(void)
{
    job_start((struct job){0});
    armcii_transports[0] = NULL;
    armcii_transports_add(&recorder);
    armcii_transports_add(&armcii_rma); /* which has the memory of the fake job's regions */
    region = job_region(0, 4, BYTES);
    region->far = &by_recorder;
    calls[0] = 0;
    is_done = true;
}

TEST(blocking_operations_arrive)
{
    int stride[] = {16}, count[] = {8, 3};
    struct op strided = {.caller = "ARMCI_GetS", .verb = {.kind = OP_GET}, .target = THEM};
    job_blocking(job_put(THEM, local, job_address(region, THEM, 8), 16));
    expect("put 16/1 to 1 at 8-24; wait 7; ");
    ck_assert_int_eq(armcii_shape_strided(&strided.shape, local, stride,
                                          job_address(region, THEM, 0), stride, count, 1),
                     SHAPE_OK);
    job_blocking(strided);
    expect("get 24/3 to 1 at 0-40; wait 7; ");
    job_blocking(job_acc(ELEMENT_INT, THEM, local, job_address(region, THEM, 0), 8));
    expect("acc 8/1 to 1 at 0-8; wait 7; ");
}

TEST(nonblocking_operations_arrive)
{
    armci_hdl_t handle;
    struct op put = job_put(THEM, local, job_address(region, THEM, 0), 8);
    armcii_handle_clear(&handle);
    ck_assert_int_eq(armcii_handle_start(&handle, &put), 0);
    expect("put 8/1 to 1 at 0-8; push; ");
    ck_assert_int_eq(armcii_handle_test(&handle), 1);
    expect("progress; ");
    ck_assert_int_eq(armcii_handle_wait(&handle), 0);
    expect("wait 7; ");
}

TEST(fences_arrive)
{
    armcii_fence(THEM);
    armcii_fence_team(region->team);
    armcii_fence_all();
    armcii_fence_region(region, -1);
    armcii_wait_all(THEM);
    expect("complete remotely 1; complete remotely -1 of 4; complete remotely -1; "
           "complete locally remotely -1 on a region; complete locally 1; ");
    ck_assert(armcii_transports_are_quiet());
    is_done = false;
    ck_assert(!armcii_transports_are_quiet());
    is_done = true;
}

TEST(a_fence_of_other_transports)
{
    armcii_fence_others(&recorder, THEM);
    expect("");
    armcii_fence_others(&armcii_shm, THEM);
    expect("complete remotely 1; ");
}

TEST(atomics_arrive)
{
    long old = 0, value = 5;
    int small = 0;
    ck_assert_int_eq(armcii_rmw("ARMCI_Rmw", ARMCI_FETCH_AND_ADD_LONG, &old,
                                job_address(region, THEM, 16), 3, THEM),
                     0);
    ck_assert_int_eq(old, 41);
    expect("rmw 1 add 3/8 at 16; ");
    ck_assert_int_eq(
        armcii_rmw("ARMCI_Rmw", ARMCI_SWAP_LONG, &value, job_address(region, THEM, 24), 0, THEM),
        0);
    expect("rmw 1 replace 5/8 at 24; ");
    ck_assert_int_eq(armcii_rmw("ARMCI_Rmw", ARMCI_FETCH_AND_ADD, &small,
                                job_address(region, THEM, 16), 1, THEM),
                     0);
    ck_assert_int_eq(small, 41);
}

/* Puts are loads and stores, accumulates go through the recorder: each completes before the other
 * on the same bytes. */
TEST(transports_of_a_route_keep_order)
{
    static const struct route mixed = {"mixed", &armcii_shm, &armcii_shm, &recorder, false, NULL};
    region->near = &mixed;
    armcii_lookup_add(THEM, region->base[THEM], BYTES, region, true);
    job_blocking(job_put(THEM, local, job_address(region, THEM, 0), 8));
    expect("order 1 before kind 0; ");
    job_blocking(job_acc(ELEMENT_INT, THEM, local, job_address(region, THEM, 0), 8));
    expect("acc 8/1 to 1 at 0-8; wait 7; ");
}

TEST(a_transport_keeps_its_part_of_a_region)
{
    struct region other = {.near = &by_recorder, .far = &by_recorder};
    ck_assert_int_eq(armcii_region_attach(&other), 0);
    ck_assert_ptr_eq(other.attached, kept_here);
    armcii_region_detach(&other);
    expect("detach kept; ");
    ck_assert_ptr_null(other.attached);
}

TEST(a_region_goes_the_other_way_where_its_transport_cannot_attach)
{
    static const struct route other_way = {"shm",       &armcii_shm, &armcii_shm,
                                           &armcii_shm, true,        NULL};
    static const struct route mixed = {"mixed",     &recorder, &armcii_shm,
                                       &armcii_shm, false,     &other_way};
    struct region near = {.near = &by_recorder, .far = &other_way},
                  far = {.near = &other_way, .far = &mixed};
    refuses = true;
    ck_assert_int_ne(armcii_region_attach(&near), 0);
    ck_assert_int_eq(armcii_region_attach(&far), 0);
    refuses = false;
    ck_assert_ptr_eq(far.far, &other_way);
    armcii_region_detach(&far);
    expect("");
}

const struct unit unit = {.begin = begin, .end = job_end};
