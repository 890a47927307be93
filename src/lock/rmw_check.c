/* rmw_check.c - is what a read-modify-write returns, and what it leaves, plausible?  Others may update the number meanwhile: where it looks
 * wrong, the same is done with a number that only this process knows. */
#include "lock/rmw_check.h"

#include <stdint.h>
#include <string.h>

#include "base/config.h"
#include "lock/rmw.h"
#include "xfer/check.h"
#include "xfer/look.h"
#include "xfer/pending.h"
#include "xfer/twin.h"
#include "xfer/verdict.h"

int (*armcii_rmw_way)(const char *caller, int op, void *local, void *remote, int value, int target) = armcii_rmw;

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

static long look(int op, const struct place *place, int target, void *remote)
{
    char seen[sizeof(long)];
    struct shape s;
    armcii_pending_fence(target);
    armcii_shape_contiguous(&s, NULL, remote, armcii_rmw_bytes(op));
    armcii_look(place, target, &s, seen);
    return number(op, seen);
}

/* They wrap. */
static long sum(int op, long a, int b)
{
    if (is_int(op)) return (int)((unsigned)a + (unsigned)b);
    return (long)((unsigned long)a + (unsigned long)(long)b);
}

static int try(const char *caller, int op, void *local, void *remote, int value, int target, const struct place *place, struct outcome *o)
{
    long operand = number(op, local);
    o->before = look(op, place, target, remote);
    int rc = armcii_rmw(caller, op, local, remote, value, target);
    if (rc) return rc;
    o->returned = number(op, local);
    o->after = look(op, place, target, remote);
    o->expected = armcii_rmw_swaps(op) ? operand : sum(op, o->before, value);
    return 0;
}

static bool is_right(const struct outcome *o)
{
    return o->returned == o->before && o->after == o->expected;
}

static void accuse(const char *caller, const struct place *place, int target, const struct outcome *o, const char *why)
{
    if (is_right(o)) return;
    armcii_verdict_rmw(caller, place, target, "%s: %ld was there, %ld was returned, and %ld is there now instead of %ld", why, o->before,
                       o->returned, o->after, o->expected);
}

/* The same with a number in this process's lane. */
static void try_twin(const char *caller, int op, const void *local, int value, int target)
{
    struct place place;
    struct outcome o;
    char *address;
    long operand;
    memcpy(&operand, local, armcii_rmw_bytes(op));
    if (!armcii_twin_borrow(target, &address, &place)) return;
    if (try(caller, op, &operand, address, value, target, &place, &o) == 0)
        accuse(caller, &place, target, &o, "wrong, and wrong again with a number that no other process touches");
    armcii_twin_give_back();
}

static int rmw_and_look(const char *caller, int op, void *local, void *remote, int value, int target)
{
    size_t bytes = armcii_rmw_bytes(op);
    struct place place;
    struct outcome o;
    char operand[sizeof(long)];
    if ((uintptr_t)remote % bytes != 0) return armcii_rmw(caller, op, local, remote, value, target);
    int rc = armcii_transfer_locate(caller, "prem", target, remote, bytes, &place);
    memcpy(operand, local, bytes);
    if (!rc) rc = try(caller, op, local, remote, value, target, &place, &o);
    if (rc) return rc;
    armcii_check_counts.checked++;
    if (is_right(&o)) return 0;
    if (armcii_check_is_alone(&place)) accuse(caller, &place, target, &o, "wrong, and no other process may touch the number");
    try_twin(caller, op, operand, value, target);
    armcii_check_counts.unclear++;
    return 0;
}

void armcii_rmw_check_start(void)
{
    armcii_rmw_way = armcii_check_is_on ? rmw_and_look : armcii_rmw;
}
