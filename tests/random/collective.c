/* collective.c - barriers, reductions, broadcasts, selections of the message family, against what they must give. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { MOST_ELEMENTS = 20, OPERATORS = 5 };
static char *const operators[OPERATORS] = {"+", "max", "min", "absmax", "absmin"};

/* ARMCI_INT ... ARMCI_DOUBLE */
enum { TYPES = 5 };
static const size_t type_size[TYPES] = {sizeof(int), sizeof(long), sizeof(long long), sizeof(float), sizeof(double)};

union numbers {
    int i[MOST_ELEMENTS];
    long l[MOST_ELEMENTS];
    long long ll[MOST_ELEMENTS];
    float f[MOST_ELEMENTS];
    double d[MOST_ELEMENTS];
};

static long load(const union numbers *x, int type, int at)
{
    switch (type) {
    case ARMCI_INT: return x->i[at];
    case ARMCI_LONG: return x->l[at];
    case ARMCI_LONG_LONG: return (long)x->ll[at];
    case ARMCI_FLOAT: return (long)x->f[at];
    default: return (long)x->d[at];
    }
}

static void store(union numbers *x, int type, int at, long value)
{
    switch (type) {
    case ARMCI_INT: x->i[at] = (int)value; break;
    case ARMCI_LONG: x->l[at] = value; break;
    case ARMCI_LONG_LONG: x->ll[at] = value; break;
    case ARMCI_FLOAT: x->f[at] = (float)value; break;
    default: x->d[at] = (double)value;
    }
}

/* What `rank` brings. */
static long input(const struct op *op, int rank, int at)
{
    return pattern_number(op->seed + (uint64_t)rank * 7919u, at, 0);
}

static int type_of(const struct op *op)
{
    return op->operand % TYPES;
}

static int operator_of(const struct op *op)
{
    return op->operand / TYPES % OPERATORS;
}

static long combine(int which, long a, long b)
{
    switch (which) {
    case 0: return a + b;
    case 1: return a > b ? a : b;
    case 2: return a < b ? a : b;
    case 3: return labs(a) > labs(b) ? labs(a) : labs(b);
    default: return labs(a) < labs(b) ? labs(a) : labs(b);
    }
}

static long reduced(const struct op *op, const struct group *group, int at)
{
    int which = operator_of(op);
    long result = input(op, group->member[0], at);
    if (which >= 3) result = labs(result);
    for (int i = 1; i < group->n; i++)
        result = combine(which, result, input(op, group->member[i], at));
    return result;
}

static void typed_gop(const struct op *op, union numbers *x, ARMCI_Group *group)
{
    char *name = operators[operator_of(op)];
    int n = (int)op->bytes;
    switch (type_of(op)) {
    case ARMCI_INT: group ? armci_msg_group_igop(x->i, n, name, group) : armci_msg_igop(x->i, n, name); break;
    case ARMCI_LONG: group ? armci_msg_group_lgop(x->l, n, name, group) : armci_msg_lgop(x->l, n, name); break;
    case ARMCI_LONG_LONG: group ? armci_msg_group_llgop(x->ll, n, name, group) : armci_msg_llgop(x->ll, n, name); break;
    case ARMCI_FLOAT: group ? armci_msg_group_fgop(x->f, n, name, group) : armci_msg_fgop(x->f, n, name); break;
    default: group ? armci_msg_group_dgop(x->d, n, name, group) : armci_msg_dgop(x->d, n, name);
    }
}

static void check_numbers(struct run *run, const struct op *op, const union numbers *x, const struct group *group)
{
    for (int i = 0; i < (int)op->bytes; i++)
        check_number(run, op, "an element of a reduction", reduced(op, group, i), load(x, type_of(op), i));
}

static void fill(const struct run *run, const struct op *op, union numbers *x)
{
    for (int i = 0; i < (int)op->bytes; i++)
        store(x, type_of(op), i, input(op, run->p->me, i));
}

static void reduce(struct run *run, const struct op *op, struct group *group)
{
    union numbers x;
    char *name = operators[operator_of(op)];
    bool world = op->group == WORLD;
    fill(run, op, &x);
    if (op->variant == 0)
        typed_gop(op, &x, world ? NULL : &group->handle);
    else if (!world)
        armci_msg_group_gop_scope(SCOPE_ALL, &x, (int)op->bytes, name, type_of(op), &group->handle);
    else if (op->variant == 1)
        armci_msg_gop_scope(SCOPE_ALL, &x, (int)op->bytes, name, type_of(op));
    else
        armci_msg_reduce(&x, (int)op->bytes, name, type_of(op));
    if (world && op->variant == 2 && run->p->me != 0) return; /* only the first one has the result */
    check_numbers(run, op, &x, group);
}

static void broadcast(struct run *run, const struct op *op, struct group *group)
{
    union numbers x;
    int root = group->member[op->operand % group->n], bytes = (int)(op->bytes * (long)type_size[type_of(op)]);
    fill(run, op, &x);
    if (op->group != WORLD)
        armci_msg_group_bcast_scope(SCOPE_ALL, &x, bytes, root, &group->handle);
    else if (op->variant == 3)
        armci_msg_brdcst(&x, bytes, root);
    else
        armci_msg_bcast_scope(SCOPE_ALL, &x, bytes, root);
    for (int i = 0; i < (int)op->bytes; i++)
        check_number(run, op, "an element of a broadcast", input(op, root, i), load(&x, type_of(op), i));
}

/* The record with the largest (smallest) first element; of equal ones that of the lowest process. */
static void select_record(struct run *run, const struct op *op)
{
    union numbers x;
    bool largest = op->operand % 2;
    int best = 0;
    fill(run, op, &x);
    for (int r = 1; r < run->p->ranks; r++) {
        long a = input(op, r, 0), b = input(op, best, 0);
        if (largest ? a > b : a < b) best = r;
    }
    armci_msg_sel(&x, (int)(op->bytes * (long)type_size[type_of(op)]), largest ? "max" : "min", type_of(op), 1);
    for (int i = 0; i < (int)op->bytes; i++)
        check_number(run, op, "an element of the selected record", input(op, best, i), load(&x, type_of(op), i));
}

static void exchange(struct run *run, const struct op *op, struct group *group)
{
    void *address[MAX_RANKS] = {NULL};
    bool world = op->group == WORLD;
    if (world ? !armci_exchange_address : !armci_exchange_address_grp) return;
    for (int i = 0; i < group->n; i++)
        if (group->member[i] == run->p->me) address[i] = (void *)(uintptr_t)(op->seed / 2 + (uint64_t)i);
    if (world)
        armci_exchange_address(address, group->n);
    else
        armci_exchange_address_grp(address, group->n, &group->handle);
    for (int i = 0; i < group->n; i++)
        check_number(run, op, "an exchanged address", (long)(op->seed / 2) + i, (long)(uintptr_t)address[i]);
}

void collective_reduce(struct run *run, const struct op *op)
{
    struct group *group = &run->p->group[op->group];
    bool world = op->group == WORLD;
    switch (op->variant) {
    case 0:
    case 1:
    case 2: reduce(run, op, group); break;
    case 3:
    case 4: broadcast(run, op, group); break;
    case 5:
        if (world)
            select_record(run, op);
        else
            reduce(run, op, group);
        break;
    case 6: exchange(run, op, group); break;
    default:
        if (world)
            armci_msg_barrier();
        else
            armci_msg_group_barrier(&group->handle);
    }
}
