/* verify.c - reads back and checks every transfer. */
#include "observe/verify.h"

#include <armcix.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/log.h"
#include "mem/directory.h"
#include "mem/region.h"
#include "core/op.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "transport/shm/shm.h"

enum { PART = 1 << 18 }; /* bytes checked at a time, which fit in the cache */

bool armcii_verify_is_on;
static long checked, unclear; /* operations; those that differed, possibly since other processes changed the bytes */
static bool has_threads;      /* the program may have threads: the level is not MPI_THREAD_SINGLE */

/* ---- comparison ---- */

/* Do both sides of s hold the same bytes?  seen: room for s->bytes bytes. */
static bool is_same_part(const struct raddr *raddr, int target, const struct shape *s, char *seen)
{
    struct shape_iter it;
    struct segment seg;
    armcii_readback(raddr, target, s, seen);
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); seen += seg.bytes)
        if (memcmp(seen, seg.local, seg.bytes) != 0) return false;
    return true;
}

static bool is_same(const struct op *op, const struct raddr *raddr)
{
    const struct shape *s = &op->shape;
    size_t room = s->form == SHAPE_VECTOR || s->bytes < PART ? s->bytes : PART, position = 0;
    struct shape part;
    char *seen = malloc(room);
    bool same = true;
    if (!seen) return true; /* no memory: not checked */
    if (room == s->bytes)
        same = is_same_part(raddr, op->target, s, seen);
    else
        while (same && armcii_shape_part(s, PART, &position, &part))
            same = is_same_part(raddr, op->target, &part, seen);
    free(seen);
    return same;
}

/* The expected result of an accumulate, unless other processes add meanwhile; the caller frees it.  NULL: no memory. */
static char *expected_sums(const struct op *op, const struct raddr *raddr)
{
    enum element e = op->verb.element;
    char *sums = malloc(op->shape.bytes), *addends = malloc(op->shape.bytes);
    if (sums && addends) {
        armcii_readback(raddr, op->target, &op->shape, sums);
        armcii_scale_pack(e, op->scale ? op->scale : armcii_element_one(e), &op->shape, addends);
        armcii_reference_add(e, sums, addends, op->shape.bytes);
    } else {
        free(sums);
        sums = NULL;
    }
    free(addends);
    return sums;
}

static bool is_sum(const struct op *op, const struct raddr *raddr, const char *sums)
{
    char *seen = sums ? malloc(op->shape.bytes) : NULL;
    if (!seen) return true;
    armcii_readback(raddr, op->target, &op->shape, seen);
    bool same = armcii_reference_compare(op->verb.element, seen, sums, op->shape.bytes, 0) == op->shape.bytes;
    free(seen);
    return same;
}

/* ---- possible writers ---- */

/* May only this process access the remote bytes while it is in the library?  Then a difference is a proof. */
static bool is_exclusive(const struct raddr *raddr)
{
    return raddr->region->team->size == 1 && !raddr->region->memget && !has_threads;
}

/* Does the access mode (ARMCIX_Mode_set) exclude concurrent writes to these bytes? */
static bool is_promised(const struct op *op, const struct raddr *raddr)
{
    enum { CONFLICT_FREE = ARMCIX_MODE_CONFLICT_FREE | ARMCIX_MODE_NO_LOAD_STORE };
    int mode = raddr->region->mode;
    if (op->verb.kind == RMA_ACC || raddr->region->memget || has_threads) return false; /* other processes may accumulate */
    return (mode & CONFLICT_FREE) == CONFLICT_FREE || (op->verb.kind == RMA_GET && (mode & ARMCIX_MODE_READ_ONLY) != 0);
}

/* Is the local side outside global memory, so that no other process can write to it? */
static bool is_local_side_private(const struct shape *s)
{
    struct shape_iter it;
    struct segment seg;
    struct raddr raddr;
    if (armcii_program_stores) return false;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);) {
        if (armcii_region_locate(armcii_world->rank, seg.local, &raddr)) return false;
        if (armcii_region_locate(armcii_world->rank, seg.local + seg.bytes - 1, &raddr)) return false;
    }
    return true;
}

/* Segments that overlap leave bytes that depend on their order. */
static bool has_disjoint_sides(const struct shape *s)
{
    return armcii_shape_is_disjoint(s, SHAPE_LOCAL) && armcii_shape_is_disjoint(s, SHAPE_REMOTE);
}

static void check_suspect(const struct op *op, const struct raddr *raddr, enum path path)
{
    bool exclusive = is_exclusive(raddr) || is_promised(op, raddr), disjoint = has_disjoint_sides(&op->shape);
    if (exclusive && disjoint && is_local_side_private(&op->shape))
        armcii_report_op(op, path, "unexpected bytes, and no other process may access them");
    armcii_replay(op, path);
    if (disjoint) unclear++;
}

/* ---- verified transfers ---- */

int armcii_verify_op(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi, struct request *req)
{
    bool adds = op->verb.kind == RMA_ACC;
    armcii_fence(op->target);
    char *sums = adds ? expected_sums(op, raddr) : NULL;
    int rc = armcii_op_issue(op, raddr, lo, hi, req);
    if (rc == 0) {
        enum path path = req->path;
        armcii_op_finish(req);
        req->path = path;
        armcii_fence(op->target);
        checked++;
        if (!(adds ? is_sum(op, raddr, sums) : is_same(op, raddr))) check_suspect(op, raddr, path);
    }
    free(sums);
    return rc;
}

void armcii_verify_start(void)
{
    int level;
    checked = unclear = 0;
    armcii_verify_is_on = armcii_config->verify;
    if (!armcii_verify_is_on) return;
    MPI_Query_thread(&level);
    has_threads = level > MPI_THREAD_SINGLE;
    armcii_replay_start();
    armcii_addr_cache_enable(false);
}

void armcii_verify_end(void)
{
    long mine[2] = {checked, unclear}, all[2];
    if (!armcii_verify_is_on) return;
    armcii_verify_is_on = false;
    armcii_addr_cache_enable(true);
    armcii_coll_reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, armcii_world->comm);
    if (!armcii_config->verbose || armcii_world->rank != 0) return;
    armcii_say("ARMCI_VERIFY: %ld operations verified, none proved wrong; %ld differed, but their replay was correct: other processes "
               "changed the bytes meanwhile, or the failure is intermittent",
               all[0], all[1]);
}

/* ---- verification of a new region ---- */

enum { MARKS = 2, PARTNERS = 3 };

/* The first and the last 8 bytes of a slice; the whole slice if it is shorter. */
struct marks {
    char *at[MARKS];
    size_t bytes;
};

static struct marks marks_of(const struct region *r, int member)
{
    size_t slice = armcii_slice_bytes(r, member), bytes = slice < sizeof(uint64_t) ? slice : sizeof(uint64_t);
    char *base = armcii_region_base(r, member);
    return (struct marks){{base, slice >= 2 * sizeof(uint64_t) ? base + slice - bytes : base}, bytes};
}

/* The value that `writer` writes to mark i of `owner`. */
static uint64_t mark_value(const struct region *r, int writer, int owner, int i)
{
    uint64_t x = (uint64_t)(uintptr_t)armcii_region_base(r, owner) ^ ((uint64_t)writer << 40) ^ ((uint64_t)owner << 20) ^ (uint64_t)i;
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x ^= x >> 29;
    return x * 0x94d049bb133111ebu | 0x0101010101010101u; /* no byte is 0 */
}

/* Index of the first distinct mark: the two marks of a short slice coincide. */
static int first_mark(const struct marks *m)
{
    return m->at[0] == m->at[1] ? 1 : 0;
}

static void sync_members(const struct region *r)
{
    armcii_region_sync((struct region *)r);
    armcii_coll_barrier(r->team->comm);
    armcii_region_sync((struct region *)r);
}

static enum path path; /* of the last put or get */

/* Put or get `bytes` bytes and complete the operation remotely. */
static struct op execute(const char *caller, enum rma_kind kind, int process, void *local, char *remote, size_t bytes)
{
    struct raddr raddr;
    struct op op = {.caller = caller, .verb = {.kind = kind}, .target = process};
    struct request req = {0};
    armcii_shape_contiguous(&op.shape, local, remote, bytes);
    armcii_region_locate(process, remote, &raddr);
    armcii_op_issue(&op, &raddr, remote, remote + bytes, &req);
    path = req.path;
    armcii_op_finish(&req);
    armcii_fence(process);
    return op;
}

static void get_marks(const char *caller, const struct region *r, int member)
{
    struct marks m = marks_of(r, member);
    for (int i = first_mark(&m); m.bytes > 0 && i < MARKS; i++) {
        uint64_t seen = 0, expected = mark_value(r, member, member, i);
        struct op op = execute(caller, RMA_GET, r->team->to_world[member], &seen, m.at[i], m.bytes);
        if (memcmp(&seen, &expected, m.bytes) != 0)
            armcii_report_op(&op, path, "the %s bytes of a slice of the new region differ from what the owner stored",
                             i == 0 ? "first" : "last");
    }
}

static void put_marks(const char *caller, const struct region *r, int member)
{
    struct marks m = marks_of(r, member);
    for (int i = first_mark(&m); m.bytes > 0 && i < MARKS; i++) {
        uint64_t mark = mark_value(r, r->team->rank, member, i);
        execute(caller, RMA_PUT, r->team->to_world[member], &mark, m.at[i], m.bytes);
    }
}

/* Check by loads the marks that `writer` put into this process's slice. */
static void check_own_marks(const char *caller, const struct region *r, int writer)
{
    struct marks m = marks_of(r, r->team->rank);
    for (int i = first_mark(&m); m.bytes > 0 && i < MARKS; i++) {
        uint64_t expected = mark_value(r, writer, r->team->rank, i);
        if (memcmp(m.at[i], &expected, m.bytes) == 0) continue;
        struct op op = {.caller = caller, .verb = {.kind = RMA_PUT}, .target = armcii_world->rank};
        armcii_shape_contiguous(&op.shape, &expected, m.at[i], m.bytes);
        armcii_report_op(&op, path, "process %d put %s bytes of this slice of the new region, and they did not arrive",
                         r->team->to_world[writer], i == 0 ? "the first" : "the last");
    }
}

static void store_own_marks(const struct region *r)
{
    struct marks m = marks_of(r, r->team->rank);
    for (int i = first_mark(&m); m.bytes > 0 && i < MARKS; i++) {
        uint64_t mark = mark_value(r, r->team->rank, r->team->rank, i);
        memcpy(m.at[i], &mark, m.bytes);
    }
}

static void copy_marks(const struct region *r, char saved[MARKS][sizeof(uint64_t)], bool back)
{
    struct marks m = marks_of(r, r->team->rank);
    for (int i = first_mark(&m); m.bytes > 0 && i < MARKS; i++) {
        if (back)
            memcpy(m.at[i], saved[i], m.bytes);
        else
            memcpy(saved[i], m.at[i], m.bytes);
    }
}

void armcii_verify_region(const char *caller, struct region *r)
{
    int n = r->team->size, me = r->team->rank;
    char saved[MARKS][sizeof(uint64_t)];
    copy_marks(r, saved, false);
    store_own_marks(r);
    sync_members(r);
    for (int k = 0; k <= PARTNERS && k < n; k++)
        get_marks(caller, r, (me + k) % n);
    sync_members(r);
    put_marks(caller, r, (me + 1) % n);
    sync_members(r);
    check_own_marks(caller, r, (me + n - 1) % n);
    copy_marks(r, saved, true);
    sync_members(r);
}

/* ---- verified read-modify-write ---- */

struct update {
    enum rmw_update kind;
    size_t bytes;
    long operand;
};

struct outcome {
    long before, after; /* readback */
    long returned;
    long expected; /* value of after, derived from before */
};

/* The number of the update's type at an address. */
static long load_number(const struct update *u, const void *at)
{
    int small;
    long large;
    memcpy(&small, at, sizeof small);
    if (u->bytes == sizeof small) return small;
    memcpy(&large, at, sizeof large);
    return large;
}

static long read_number(const struct update *u, const struct raddr *raddr, int target, void *remote)
{
    char seen[sizeof(long)];
    struct shape s;
    armcii_fence(target);
    armcii_shape_contiguous(&s, NULL, remote, u->bytes);
    armcii_readback(raddr, target, &s, seen);
    return load_number(u, seen);
}

/* Sums wrap around. */
static long expected_number(const struct update *u, long before)
{
    long operand = load_number(u, &u->operand);
    if (u->kind == RMW_REPLACE) return operand;
    unsigned long sum = (unsigned long)before + (unsigned long)operand;
    return u->bytes == sizeof(int) ? (long)(int)sum : (long)sum;
}

static struct outcome update_and_read(const struct update *u, const struct raddr *raddr, int target, void *remote)
{
    struct outcome o;
    o.before = read_number(u, raddr, target, remote);
    o.returned = armcii_rmw_issue(raddr, target, u->kind, u->bytes, remote, u->operand);
    o.after = read_number(u, raddr, target, remote);
    o.expected = expected_number(u, o.before);
    return o;
}

static bool is_right(const struct outcome *o)
{
    return o->returned == o->before && o->after == o->expected;
}

static void report_unless_right(const struct raddr *raddr, int target, const struct outcome *o, const char *why)
{
    if (is_right(o)) return;
    armcii_report_rmw(raddr->route->atomic->rmw_path, target, "%s: %ld before, %ld returned, %ld after, expected %ld", why, o->before,
                      o->returned, o->after, o->expected);
}

/* Repeat the update on a number in this process's scratch buffer. */
static void replay_rmw(const struct update *u, int target)
{
    struct raddr raddr;
    char *address;
    if (!armcii_scratch_acquire(target, &address, &raddr)) return;
    struct outcome o = update_and_read(u, &raddr, target, address);
    report_unless_right(&raddr, target, &o, "wrong, and wrong again in a replay in memory that no other process accesses");
    armcii_scratch_release();
}

long armcii_verify_rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes, void *remote, long operand)
{
    struct update u = {update, bytes, operand};
    struct outcome o = update_and_read(&u, raddr, target, remote);
    checked++;
    if (is_right(&o)) return o.returned;
    if (is_exclusive(raddr)) report_unless_right(raddr, target, &o, "wrong, and no other process may access the number");
    replay_rmw(&u, target);
    unclear++;
    return o.returned;
}
