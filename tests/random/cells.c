/* cells.c - read-modify-write.  What all processes were told must fit into one order of events: from the number at the beginning
 * each operation finds what the one before it left, and those of one process come in its own order. */
#include <stdlib.h>

#include "layout.h"
#include "run.h"

static long call_rmw(struct run *run, const struct op *op)
{
    char *cell = run->p->region[op->region].base[op->peer] + op->offset;
    bool wide = op->rmw == ARMCI_FETCH_AND_ADD_LONG || op->rmw == ARMCI_SWAP_LONG;
    int old = op->operand;
    long old_long = op->operand;
    check_status(run, op, ARMCI_Rmw(op->rmw, wide ? (void *)&old_long : (void *)&old, cell, op->operand, op->peer));
    return wide ? old_long : old;
}

static void note_outcome(struct run *run, const struct op *op, long old)
{
    if (run->outcomes == run->outcome_room) {
        run->outcome_room = run->outcome_room ? 2 * run->outcome_room : 64;
        run->outcome = need(realloc(run->outcome, (size_t)run->outcome_room * sizeof *run->outcome));
    }
    bool swap = op->rmw == ARMCI_SWAP || op->rmw == ARMCI_SWAP_LONG;
    run->outcome[run->outcomes++] = (struct outcome){op->area, op->offset, op->rank, op->sequence, old, op->operand, swap};
}

void cells_rmw(struct run *run, const struct op *op)
{
    const struct area *a = &run->ph->area[op->area];
    long expected = model_cell(run->p, run->ph, op);
    long old = call_rmw(run, op);
    model_apply(run->p, run->ph, op);
    if (a->rule == RULE_OWN_ELEMENTS)
        check_number(run, op, "the old value that rmw returned", expected, old);
    else
        note_outcome(run, op, old);
}

/* ---- at the end of a phase ---- */

static int compare_outcomes(const void *left, const void *right)
{
    const struct outcome *a = left, *b = right;
    if (a->area != b->area) return a->area < b->area ? -1 : 1;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static bool same_cell(const struct outcome *a, const struct outcome *b)
{
    return a->area == b->area && a->offset == b->offset;
}

/* Find an order for the n outcomes of one cell, sorted by process.  Returns how many could be put in order; *number: what is left
 * in the cell after them. */
static int put_in_order(const struct program *p, const struct outcome *o, int n, long *number)
{
    int next[MAX_RANKS], end[MAX_RANKS], done = 0;
    for (int r = 0; r < p->ranks; r++)
        next[r] = end[r] = 0;
    for (int i = 0; i < n; i++) {
        if (i == 0 || o[i].rank != o[i - 1].rank) next[o[i].rank] = i;
        end[o[i].rank] = i + 1;
    }
    for (bool found = true; found && done < n;) {
        found = false;
        for (int r = 0; r < p->ranks && !found; r++) {
            if (next[r] == end[r] || o[next[r]].old != *number) continue;
            *number = o[next[r]].swaps ? o[next[r]].operand : *number + o[next[r]].operand;
            next[r]++;
            done++;
            found = true;
        }
    }
    return done;
}

static void settle_cell(struct run *run, const struct outcome *o, int n)
{
    const struct area *a = &run->ph->area[o->area];
    const struct region *region = &run->p->region[a->region];
    long number = area_start_number(a, o->offset);
    struct op about = {.kind = OP_RMW,
                       .rank = (int)o->rank,
                       .region = a->region,
                       .peer = a->rank,
                       .offset = o->offset,
                       .area = (int)o->area,
                       .unit = -1,
                       .rmw = (int)o->swaps * 2,
                       .operand = (int)o->operand};
    check_number(run, &about, "rmw operations on one cell that fit into one order of events, from its first value on", n,
                 put_in_order(run->p, o, n, &number));
    if (a->swaps && region->shadow[a->rank]) element_store(a->type, region->shadow[a->rank] + o->offset, number);
}

void cells_settle(struct run *run)
{
    enum { LONGS = sizeof(struct outcome) / sizeof(long) };
    int count[MAX_RANKS], begin[MAX_RANKS], total = 0, mine = run->outcomes * LONGS;
    MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, run->comm);
    for (int r = 0; r < run->p->ranks; r++) {
        begin[r] = total;
        total += count[r];
    }
    if (total == 0) return;
    struct outcome *all = need(malloc((size_t)total * sizeof(long)));
    MPI_Allgatherv(run->outcome, mine, MPI_LONG, all, count, begin, MPI_LONG, run->comm);
    total /= LONGS;
    qsort(all, (size_t)total, sizeof *all, compare_outcomes);
    for (int i = 0, n; i < total; i += n) {
        for (n = 1; i + n < total && same_cell(&all[i], &all[i + n]); n++)
            continue;
        settle_cell(run, &all[i], n);
    }
    free(all);
    run->outcomes = 0;
}
