/* test_atomics.c - ARMCI_Rmw: every draw distinct and without gap, the old value returned, on regions of any group. */
#include <limits.h>

#include "harness.h"

enum { DRAWS = 200, SLOTS = 4, UNTOUCHED = 0x5a };

/* tally[t] counted over all ranks is 1 for every t < n. */
static void check_each_once(int *tally, int n, const char *what)
{
    MPI_Allreduce(MPI_IN_PLACE, tally, n, MPI_INT, MPI_SUM, test_comm());
    for (int t = 0; t < n; t++)
        check_long(tally[t], 1, "%s: how often value %d came back", what, t);
}

/* A word that everybody draws from or swaps with: an int, or a long whose upper half holds something as well. */
struct word {
    bool is_long;
    int add, swap; /* operations */
    long start, lowest;
    bool of_the_last; /* rank, whose word is swapped; else of rank 0 */
};
static const struct word int_word = {false, ARMCI_FETCH_AND_ADD, ARMCI_SWAP, 0, INT_MIN, false};
static const struct word long_word = {true, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP_LONG, (1L << 40) + 7, LONG_MIN, true};

static long read_modify_write(const struct word *w, int op, long local, void *at, int add, int p)
{
    int small = (int)local;
    check_long(ARMCI_Rmw(op, w->is_long ? (void *)&local : &small, at, add, p), 0, "ARMCI_Rmw, operation %d", op);
    return w->is_long ? local : small;
}

static long value_of(const struct word *w, void *at, int p)
{
    return w->is_long ? ARMCI_GetValueLong(at, p) : ARMCI_GetValueInt(at, p);
}

/* A zeroed region whose second word is the start on rank `home`. */
static void **create_words(const struct word *w, int home)
{
    void **base = region_zeroed(2 * sizeof(long));
    if (test_rank() == home && w->is_long) ARMCI_PutValueLong(w->start, (long *)base[home] + 1, home);
    ARMCI_Barrier();
    return base;
}

static void tickets(const void *row)
{
    const struct word *w = row;
    int total = effort(DRAWS) * test_ranks(), *tally = need_zeroed((size_t)total * sizeof *tally);
    void **base = create_words(w, 0), *counter = (long *)base[0] + 1;
    long last = w->lowest;
    for (int i = 0; i < effort(DRAWS); i++) {
        long ticket = read_modify_write(w, w->add, w->lowest, counter, 1, 0);
        check(ticket > last, "draw %d gave %ld after %ld", i, ticket, last);
        if (check(ticket >= w->start && ticket < w->start + total, "draw %d gave %ld, not one of %d from %ld on", i, ticket, total,
                  w->start))
            tally[ticket - w->start]++;
        last = ticket;
    }
    ARMCI_Barrier();
    check_each_once(tally, total, "fetch-and-add");
    check_long(value_of(w, counter, 0), w->start + total, "counter at the end");
    check_long(ARMCI_GetValueLong(base[0], 0), 0, "the long before the counter");
    region_free(base);
    free(tally);
}

static void swap_chain(const void *row)
{
    const struct word *w = row;
    int total = effort(DRAWS) * test_ranks() + 1, home = w->of_the_last ? test_ranks() - 1 : 0;
    int *tally = need_zeroed((size_t)total * sizeof *tally);
    void **base = create_words(w, home), *word = (long *)base[home] + 1;
    for (int i = 0; i < effort(DRAWS); i++) {
        long token = read_modify_write(w, w->swap, w->start + 1 + test_rank() * effort(DRAWS) + i, word, 0, home);
        if (check(token >= w->start && token < w->start + total, "swap %d gave %ld", i, token)) tally[token - w->start]++;
    }
    ARMCI_Barrier();
    if (test_rank() == 0) {
        long stays = value_of(w, word, home);
        if (check(stays > w->start && stays < w->start + total, "the value that stays is %ld", stays)) tally[stays - w->start]++;
    }
    check_each_once(tally, total, "swap");
    region_free(base);
    free(tally);
}

/* One process alone on a counter: increments of every kind against a local sum; neighbours of the counter untouched. */
static void increments(void)
{
    const int steps[] = {0, -1, 1, 1000000007, -2000000014, INT_MAX, -INT_MAX, 12345, INT_MIN + 1, 5};
    int target = (test_rank() + 1) % test_ranks(), seen_int, model_int = -3;
    long seen_long, model_long = -(5L << 33);
    unsigned char expected[32], *slice;
    void **base = region_create(sizeof expected);
    memset(expected, UNTOUCHED, sizeof expected);
    ARMCI_Put(expected, base[target], sizeof expected, target);
    slice = base[target];
    ARMCI_Put(&model_int, slice + 4, sizeof model_int, target);
    ARMCI_Put(&model_long, slice + 16, sizeof model_long, target);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        bool fits = (long)model_int + steps[i] <= INT_MAX && (long)model_int + steps[i] >= INT_MIN;
        if (fits) {
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &seen_int, slice + 4, steps[i], target);
            check_long(seen_int, model_int, "int before step %d", steps[i]);
            model_int += steps[i];
        }
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen_long, slice + 16, steps[i], target);
        check_long(seen_long, model_long, "long before step %d", steps[i]);
        model_long += steps[i];
    }
    memcpy(expected + 4, &model_int, sizeof model_int);
    memcpy(expected + 16, &model_long, sizeof model_long);
    unsigned char seen[sizeof expected];
    ARMCI_Get(slice, seen, sizeof seen, target);
    check_bytes(seen, expected, sizeof seen, "get after the increments");
    region_done(base);
}

static void counters_everywhere(void)
{
    struct counters {
        long l[SLOTS];
        int i[SLOTS];
    } * mine;
    int n = test_ranks(), slots = n * SLOTS, old_int;
    int *draws = calloc((size_t)(2 * slots), sizeof *draws), *all = calloc((size_t)(2 * slots), sizeof *all);
    long old_long;
    struct rng r = rng_stream(100 + (uint64_t)test_rank());
    void **base = region_zeroed(sizeof *mine);
    for (int k = 0; k < effort(DRAWS); k++) {
        int p = rng_between(&r, 0, n - 1), s = rng_between(&r, 0, SLOTS - 1);
        struct counters *there = base[p];
        bool is_long = rng_chance(&r, 50);
        if (is_long)
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old_long, &there->l[s], 3, p);
        else
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old_int, &there->i[s], 3, p);
        draws[2 * (p * SLOTS + s) + is_long]++;
    }
    ARMCI_Barrier();
    MPI_Allreduce(draws, all, 2 * slots, MPI_INT, MPI_SUM, test_comm());
    mine = base[test_rank()];
    ARMCI_Access_begin(mine);
    for (int s = 0; s < SLOTS; s++) {
        check_long(mine->i[s], 3L * all[2 * (test_rank() * SLOTS + s)], "int counter %d", s);
        check_long(mine->l[s], 3L * all[2 * (test_rank() * SLOTS + s) + 1], "long counter %d", s);
    }
    ARMCI_Access_end(mine);
    region_free(base);
    free(draws);
    free(all);
}

static void ordered_with_transfers(void)
{
    int target = (test_rank() + 1) % test_ranks();
    void **base = region_create(sizeof(int));
    for (int i = 0; i < effort(50); i++) {
        int value = 10 * i, old = -1, seen = -1;
        ARMCI_Put(&value, base[target], sizeof value, target);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, base[target], 4, target);
        check_long(old, value, "rmw after put");
        ARMCI_Get(base[target], &seen, sizeof seen, target);
        check_long(seen, value + 4, "get after rmw");
        value = -i;
        ARMCI_Put(&value, base[target], sizeof value, target);
        old = 77;
        ARMCI_Rmw(ARMCI_SWAP, &old, base[target], 0, target);
        check_long(old, -i, "swap after put after rmw");
    }
    region_done(base);
}

/* A counter in a region of some of the processes, hosted by the member of the highest process number. */
static void on_group_region(void)
{
    int n = test_ranks(), members = (n + 1) / 2, total = members * effort(DRAWS), list[16];
    int *tally = need_zeroed((size_t)total * sizeof *tally);
    ARMCI_Group group;
    list_ranks(0, 2, list);
    ARMCI_Group_create(members, list, &group);
    if (test_rank() % 2 == 0) {
        void *base[16] = {NULL};
        int home = list[members - 1], ticket;
        ARMCI_Malloc_group(base, 64, &group);
        if (test_rank() == home) ARMCI_PutValueInt(0, base[members - 1], home);
        armci_msg_group_barrier(&group);
        for (int i = 0; i < effort(DRAWS); i++) {
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &ticket, base[members - 1], 1, home);
            if (check(ticket >= 0 && ticket < total, "draw %d gave %d", i, ticket)) tally[ticket]++;
        }
        armci_msg_group_barrier(&group);
        ARMCI_Free_group(base[group.rank], &group);
        ARMCI_Group_free(&group);
    }
    check_each_once(tally, total, "FETCH_AND_ADD on a group region");
    free(tally);
}

static const struct test tests[] = {
    {"int tickets are distinct and without gap", NULL, tickets, &int_word},
    {"long tickets are distinct and without gap", NULL, tickets, &long_word},
    {"int swap loses no value", NULL, swap_chain, &int_word},
    {"long swap loses no value", NULL, swap_chain, &long_word},
    {"increments of any sign and size, old value returned", increments},
    {"counters on all ranks at once", counters_everywhere},
    {"rmw keeps the order with put and get", ordered_with_transfers},
    {"a counter in a group region", on_group_region},
};
SUITE();
