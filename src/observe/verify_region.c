/* verify_region.c - a new region, while nobody uses it: do puts and gets reach the right bytes of the right process? */
#include <stdint.h>
#include <string.h>

#include "base/config.h"
#include "mem/region.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "observe/verify.h"
#include "observe/report.h"

enum { MARKS = 2, PARTNERS = 3 };

/* The first and the last 8 bytes of a slice; all of it, where it has no more than 8. */
struct marks {
    char *at[MARKS];
    size_t bytes;
};

static struct marks marks_of(const struct region *r, int member)
{
    size_t bytes = r->bytes[member] < sizeof(uint64_t) ? r->bytes[member] : sizeof(uint64_t);
    bool apart = r->bytes[member] >= 2 * sizeof(uint64_t);
    return (struct marks){{r->base[member], apart ? r->base[member] + r->bytes[member] - bytes : r->base[member]}, bytes};
}

/* What `writer` writes into mark i of `owner`. */
static uint64_t sign(const struct region *r, int writer, int owner, int i)
{
    uint64_t x = (uint64_t)(uintptr_t)r->base[owner] ^ ((uint64_t)writer << 40) ^ ((uint64_t)owner << 20) ^ (uint64_t)i;
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x ^= x >> 29;
    return x * 0x94d049bb133111ebu | 0x0101010101010101u; /* no byte is 0 */
}

/* The mark that counts: both are one where a slice is short. */
static int first_mark(const struct marks *m)
{
    return m->at[0] == m->at[1] ? 1 : 0;
}

static void synchronise(const struct region *r)
{
    armcii_region_sync((struct region *)r);
    armcii_coll_barrier(r->team->comm);
    armcii_region_sync((struct region *)r);
}

static enum path path; /* of the last put or get */

/* Put or get `bytes` bytes, completely. */
static struct op carry_out(const char *caller, enum rma_kind kind, int process, void *local, char *remote, size_t bytes,
                                 struct raddr *raddr)
{
    struct op op = {.caller = caller, .verb = {.kind = kind}, .target = process};
    struct request req = {0};
    armcii_shape_contiguous(&op.shape, local, remote, bytes);
    armcii_region_locate(process, remote, raddr);
    armcii_op_issue_unverified(&op, raddr, remote, remote + bytes, &req);
    path = req.path;
    armcii_op_finish(&req);
    armcii_fence(process);
    return op;
}

static void get_marks(const char *caller, const struct region *r, int member)
{
    struct marks m = marks_of(r, member);
    struct raddr raddr;
    for (int i = first_mark(&m); m.bytes > 0 && i < MARKS; i++) {
        uint64_t seen = 0, expected = sign(r, member, member, i);
        struct op op = carry_out(caller, RMA_GET, r->team->to_world[member], &seen, m.at[i], m.bytes, &raddr);
        if (memcmp(&seen, &expected, m.bytes) != 0)
            armcii_report_op(&op, path, "the %s bytes of a slice of the new region are not what their owner stored there",
                                    i == 0 ? "first" : "last");
    }
}

static void put_marks(const char *caller, const struct region *r, int member)
{
    struct marks m = marks_of(r, member);
    struct raddr raddr;
    for (int i = first_mark(&m); m.bytes > 0 && i < MARKS; i++) {
        uint64_t mark = sign(r, r->team->rank, member, i);
        carry_out(caller, RMA_PUT, r->team->to_world[member], &mark, m.at[i], m.bytes, &raddr);
    }
}

/* The owner looks by loads. */
static void expect_marks(const char *caller, const struct region *r, int writer)
{
    struct marks m = marks_of(r, r->team->rank);
    for (int i = first_mark(&m); m.bytes > 0 && i < MARKS; i++) {
        uint64_t expected = sign(r, writer, r->team->rank, i);
        if (memcmp(m.at[i], &expected, m.bytes) == 0) continue;
        struct raddr raddr;
        struct op op = {.caller = caller, .verb = {.kind = RMA_PUT}, .target = armcii_world->rank};
        armcii_shape_contiguous(&op.shape, &expected, m.at[i], m.bytes);
        armcii_region_locate(op.target, m.at[i], &raddr);
        armcii_report_op(&op, path, "process %d put %s bytes into this slice of the new region, and they are not there",
                                r->team->to_world[writer], i == 0 ? "the first" : "the last");
    }
}

static void store_own_marks(const struct region *r)
{
    struct marks m = marks_of(r, r->team->rank);
    for (int i = first_mark(&m); m.bytes > 0 && i < MARKS; i++) {
        uint64_t mark = sign(r, r->team->rank, r->team->rank, i);
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
    if (!armcii_verify_is_on) return;
    copy_marks(r, saved, false);
    store_own_marks(r);
    synchronise(r);
    for (int k = 0; k <= PARTNERS && k < n; k++) get_marks(caller, r, (me + k) % n);
    synchronise(r);
    put_marks(caller, r, (me + 1) % n);
    synchronise(r);
    expect_marks(caller, r, (me + n - 1) % n);
    copy_marks(r, saved, true);
    synchronise(r);
}
