/* index.c - map from addresses to regions. */
#include "mem/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"

struct list {
    struct interval *at; /* ascending */
    size_t n, room;
};

struct index {
    int processes;
    int last_process; /* -1: nothing cached */
    struct interval last;
    struct list list[]; /* [processes] */
};

struct index *armcii_index_create(int processes)
{
    struct index *x = calloc(1, sizeof *x + (size_t)processes * sizeof x->list[0]);
    if (!x) return NULL;
    x->processes = processes;
    x->last_process = -1;
    return x;
}

void armcii_index_free(struct index *x)
{
    if (!x) return;
    for (int p = 0; p < x->processes; p++)
        free(x->list[p].at);
    free(x);
}

static void invalidate_last_hit(struct index *x)
{
    if (armcii_fault("stale-last-hit")) return;
    x->last_process = -1;
}

/* Position of the first interval that ends above `address`. */
static size_t find_position(const struct list *l, uintptr_t address)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->at[middle].hi <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(struct list *l)
{
    if (l->n < l->room) return true;
    size_t room = l->room ? 2 * l->room : 8;
    struct interval *at = realloc(l->at, room * sizeof *at);
    if (!at) return false;
    l->at = at;
    l->room = room;
    return true;
}

bool armcii_index_insert(struct index *x, int process, struct interval interval)
{
    struct list *l = &x->list[process];
    if (!make_room(l)) return false;
    size_t i = find_position(l, interval.lo);
    memmove(&l->at[i + 1], &l->at[i], (l->n - i) * sizeof l->at[0]);
    l->at[i] = interval;
    l->n++;
    return true;
}

void armcii_index_remove(struct index *x, int process, uintptr_t lo, uintptr_t hi)
{
    struct list *l = &x->list[process];
    size_t i = find_position(l, lo), end = i;
    while (end < l->n && l->at[end].lo < hi)
        end++;
    if (end == i) return;
    memmove(&l->at[i], &l->at[end], (l->n - end) * sizeof l->at[0]);
    l->n -= end - i;
    invalidate_last_hit(x);
}

const struct interval *armcii_index_find(struct index *x, int process, uintptr_t address)
{
    if (process == x->last_process && address >= x->last.lo && address < x->last.hi) return &x->last;
    const struct list *l = &x->list[process];
    size_t i = find_position(l, address);
    if (i == l->n || l->at[i].lo > address) return NULL;
    x->last_process = process;
    x->last = l->at[i];
    return &x->last;
}
