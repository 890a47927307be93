/* rmw_verify.c - is what a read-modify-write returns, and what it leaves, plausible?  Others may update the number meanwhile: where it looks
 * wrong, the same is done with a number that only this process knows. */
#include "observe/rmw_verify.h"

#include <stdint.h>
#include <string.h>

#include "base/config.h"
#include "core/rmw.h"
#include "observe/verify.h"
#include "observe/readback.h"
#include "observe/replay.h"
#include "observe/report.h"

int (*armcii_rmw_fn)(const char *caller, int op, void *local, void *remote, int value, int target) = armcii_rmw;

/* An int or a long, as numbers. */
struct outcome {
    long before, returned, after; /* looked at, told, looked at */
    long expected;                /* after, from what was before */
};

static bool is_int(int op)
{
    return armcii_rmw_bytes(op) == sizeof(int);
}

static long number(int op, const void *at)
{
    int small;
    long large;
    memcpy(&small, at, sizeof small);
    if (is_int(op)) return small;
    memcpy(&large, at, sizeof large);
    return large;
}

static long look(int op, const struct raddr *raddr, int target, void *remote)
{
    char seen[sizeof(long)];
    struct shape s;
    armcii_fence(target);
    armcii_shape_contiguous(&s, NULL, remote, armcii_rmw_bytes(op));
    armcii_readback(raddr, target, &s, seen);
    return number(op, seen);
}

/* They wrap. */
static long sum(int op, long a, int b)
{
    if (is_int(op)) return (int)((unsigned)a + (unsigned)b);
    return (long)((unsigned long)a + (unsigned long)(long)b);
}

static int try(const char *caller, int op, void *local, void *remote, int value, int target, const struct raddr *raddr, struct outcome *o)
{
    long operand = number(op, local);
    o->before = look(op, raddr, target, remote);
    int rc = armcii_rmw(caller, op, local, remote, value, target);
    if (rc) return rc;
    o->returned = number(op, local);
    o->after = look(op, raddr, target, remote);
    o->expected = armcii_rmw_swaps(op) ? operand : sum(op, o->before, value);
    return 0;
}

static bool is_right(const struct outcome *o)
{
    return o->returned == o->before && o->after == o->expected;
}

static void accuse(const char *caller, const struct raddr *raddr, int target, const struct outcome *o, const char *why)
{
    if (is_right(o)) return;
    armcii_report_rmw(caller, raddr->route->atomic->rmw_path, target, "%s: %ld was there, %ld was returned, and %ld is there now instead of %ld", why, o->before,
                       o->returned, o->after, o->expected);
}

/* The same with a number in this process's lane. */
static void try_twin(const char *caller, int op, const void *local, int value, int target)
{
    struct raddr raddr;
    struct outcome o;
    char *address;
    long operand;
    memcpy(&operand, local, armcii_rmw_bytes(op));
    if (!armcii_replay_borrow(target, &address, &raddr)) return;
    if (try(caller, op, &operand, address, value, target, &raddr, &o) == 0)
        accuse(caller, &raddr, target, &o, "wrong, and wrong again with a number that no other process touches");
    armcii_replay_give_back();
}

static int rmw_and_look(const char *caller, int op, void *local, void *remote, int value, int target)
{
    size_t bytes = armcii_rmw_bytes(op);
    struct raddr raddr;
    struct outcome o;
    char operand[sizeof(long)];
    if ((uintptr_t)remote % bytes != 0) return armcii_rmw(caller, op, local, remote, value, target);
    int rc = armcii_op_resolve(caller, "prem", target, remote, bytes, &raddr);
    memcpy(operand, local, bytes);
    if (!rc) rc = try(caller, op, local, remote, value, target, &raddr, &o);
    if (rc) return rc;
    armcii_verify_counts.checked++;
    if (is_right(&o)) return 0;
    if (armcii_verify_is_alone(&raddr)) accuse(caller, &raddr, target, &o, "wrong, and no other process may touch the number");
    try_twin(caller, op, operand, value, target);
    armcii_verify_counts.unclear++;
    return 0;
}

void armcii_rmw_verify_start(void)
{
    armcii_rmw_fn = armcii_verify_is_on ? rmw_and_look : armcii_rmw;
}
