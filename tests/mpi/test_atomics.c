/* test_atomics.c - ARMCI_Rmw: every draw distinct and without gap, the old value returned, on
 * regions of any group. */
#include <limits.h>

#include "harness.h"

enum { DRAWS = 200, SLOTS = 4, UNTOUCHED = 0x5a };

/* A word that everybody draws from or swaps with: an int, or a long whose upper half holds
 * something as well. */
struct word {
    bool is_long;
    int add, swap; /* operations */
    long start, lowest;
    bool of_the_last; /* rank, whose word is swapped; else of rank 0 */
};
static const struct word int_word = {false, ARMCI_FETCH_AND_ADD, ARMCI_SWAP, 0, INT_MIN, false};
static const struct word long_word = {
    true, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP_LONG, (1L << 40) + 7, LONG_MIN, true};

static long read_modify_write(const struct word *w, int op, long local, void *at, int add, int p)
{
    int small = (int)local;
    check_long(ARMCI_Rmw(op, w->is_long ? (void *)&local : &small, at, add, p), 0,
               "ARMCI_Rmw, operation %d", op);
    return w->is_long ? local : small;
}

static long value_of(const struct word *w, void *at, int p)
{
    return w->is_long ? ARMCI_GetValueLong(at, p) : ARMCI_GetValueInt(at, p);
}

/* What all ranks together saw, as fast as they could for a while: a race that is lost seldom shows.
 */
struct tally {
    int most;  /* turns of a rank */
    int *seen; /* [most * ranks + 1]: how often a number came back */
    int turns; /* of the caller */
    double until;
};

static struct tally tally_create(void)
{
    int n = test_ranks(), most = (1 << 20) / (n > 4 ? n : 1);
    return (struct tally){most, need_zeroed(((size_t)n * (size_t)most + 1) * sizeof(int)),
                          .until = now() + trial_time(0.7)};
}

static bool next_turn(struct tally *t)
{
    bool more = t->turns < effort(DRAWS) || (t->turns < t->most && now() < t->until);
    t->turns += more;
    return more;
}

static void count(struct tally *t, long number, const char *what)
{
    if (check(number >= 0 && number <= (long)test_ranks() * t->most, "%s gave %ld", what, number))
        t->seen[number]++;
}

/* Add what all ranks counted. */
static void tally_sum(struct tally *t)
{
    MPI_Allreduce(MPI_IN_PLACE, t->seen, test_ranks() * t->most + 1, MPI_INT, MPI_SUM, test_comm());
}

static void tickets(const void *row)
{
    const struct word *w = row;
    struct tally tally = tally_create();
    void **base = region_zeroed(2 * sizeof(long)), *counter = (long *)base[0] + 1;
    long last = w->lowest, total;
    if (test_rank() == 0 && w->is_long) ARMCI_PutValueLong(w->start, counter, 0);
    ARMCI_Barrier();
    while (next_turn(&tally)) {
        long ticket = read_modify_write(w, w->add, w->lowest, counter, 1, 0);
        check(ticket > last, "draw %d gave %ld after %ld", tally.turns, ticket, last);
        count(&tally, ticket - w->start, "fetch-and-add, less the start,");
        last = ticket;
    }
    ARMCI_Barrier();
    total = tally.turns;
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_LONG, MPI_SUM, test_comm());
    tally_sum(&tally);
    for (long i = 0; i < total; i++)
        check_long(tally.seen[i], 1, "how often ticket %ld of %ld was drawn", i, total);
    check_long(value_of(w, counter, 0), w->start + total, "counter at the end");
    check_long(ARMCI_GetValueLong(base[0], 0), 0, "the long before the counter");
    region_done(base);
    free(tally.seen);
}

/* A token changes both halves of a long. */
static long token_of(const struct word *w, long number)
{
    return w->is_long ? number << 33 | number : number;
}

/* Token 0 is there at first; every one comes back once, except the last. */
static void swap_chain(const void *row)
{
    const struct word *w = row;
    struct tally tally = tally_create();
    int home = w->of_the_last ? test_ranks() - 1 : 0,
        *turns = need_memory((size_t)test_ranks() * sizeof *turns);
    void **base = region_zeroed(2 * sizeof(long)), *word = (long *)base[home] + 1;
    while (next_turn(&tally)) {
        long token = read_modify_write(
            w, w->swap, token_of(w, (long)test_rank() * tally.most + tally.turns), word, 0, home);
        check_long(token, token_of(w, token & 0x7fffffff),
                   "swap %d gave halves that do not belong together:", tally.turns);
        count(&tally, token & 0x7fffffff, "swap");
    }
    ARMCI_Barrier();
    if (test_rank() == 0)
        count(&tally, value_of(w, word, home) & 0x7fffffff, "the token that stays");
    MPI_Allgather(&tally.turns, 1, MPI_INT, turns, 1, MPI_INT, test_comm());
    tally_sum(&tally);
    check_long(tally.seen[0], 1, "how often the first token came back");
    for (int p = 0; p < test_ranks(); p++)
        for (int i = 1; i <= tally.most; i++)
            check_long(tally.seen[p * tally.most + i], i <= turns[p],
                       "how often token %d of rank %d came back", i, p);
    region_done(base);
    free(tally.seen);
    free(turns);
}

/* One process alone on a counter: increments of every kind against a local sum; neighbours of the
 * counter untouched. */
static void increments(void)
{
    const int steps[] = {0,       -1,       1,     1000000007,  -2000000014,
                         INT_MAX, -INT_MAX, 12345, INT_MIN + 1, 5};
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
    int *draws = calloc((size_t)(2 * slots), sizeof *draws),
        *all = calloc((size_t)(2 * slots), sizeof *all);
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

/* A counter in a region of some of the processes, hosted by the member of the highest process
 * number. */
static void on_group_region(void)
{
    int n = test_ranks(), members = (n + 1) / 2, total = members * effort(DRAWS), list[MOST_RANKS];
    int *tally = need_zeroed((size_t)total * sizeof *tally);
    ARMCI_Group group;
    list_ranks(0, 2, list);
    ARMCI_Group_create(members, list, &group);
    if (test_rank() % 2 == 0) {
        void *base[MOST_RANKS] = {NULL};
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
    MPI_Allreduce(MPI_IN_PLACE, tally, total, MPI_INT, MPI_SUM, test_comm());
    for (int i = 0; i < total; i++)
        check_long(tally[i], 1, "how often ticket %d was drawn in a group region", i);
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
