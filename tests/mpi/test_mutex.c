/* test_mutex.c - mutexes: exclusion, fairness, order of arrival, several at once, sets over groups.
 */
#include "harness.h"

#include <limits.h>

enum { ROUNDS = 40 };

/* Read, change and write back a long at p, which only a lock makes safe. */
static long add_unsafely(long *counter, int p, long step)
{
    long value = -1;
    ARMCI_Get(counter, &value, sizeof value, p);
    long next = value + step;
    ARMCI_Put(&next, counter, sizeof next, p);
    ARMCI_Fence(p);
    return value;
}

/* The longs at home of everybody, after a barrier. */
static void check_counters(void **base, int longs, long expected, const char *what)
{
    ARMCI_Barrier();
    for (int p = 0; p < test_ranks(); p++)
        for (int i = 0; i < longs; i++) {
            long seen = -1;
            ARMCI_Get((long *)base[p] + i, &seen, sizeof seen, p);
            check_long(seen, expected, "%s: counter %d of process %d", what, i, p);
        }
    ARMCI_Barrier();
}

/* Let `seconds` pass without keeping the others waiting for this process. */
static void let_pass(double seconds)
{
    double until = MPI_Wtime() + seconds;
    while (MPI_Wtime() < until)
        ARMCIX_Progress();
}

/* The same by the processor, where it can reach the counter. */
static void add_by_processor(long *counter, int p)
{
    volatile long *here = ARMCIX_Local_address(counter, p);
    if (here)
        *here = *here + 1;
    else
        add_unsafely(counter, p, 1);
}

/* The caller's counts, and those of all others. */
static void add_counts(long counts[], int n)
{
    ARMCI_Barrier();
    MPI_Allreduce(MPI_IN_PLACE, counts, n, MPI_LONG, MPI_SUM, test_comm());
}

/* All ranks take mutexes at random, as fast as they can for a while. Mutex m of rank h protects a
 * counter on the rank after it. */
static void no_update_lost(void)
{
    enum { MUTEXES = 2, LINE = 8 /* longs */ };
    int n = test_ranks(), total = MUTEXES * n, rounds = 0;
    void **base = region_zeroed(MUTEXES * LINE * sizeof(long));
    long *counts = need_zeroed((size_t)total * sizeof *counts);
    struct rng r = rng_stream((uint64_t)test_rank());
    check_long(ARMCI_Create_mutexes(MUTEXES), 0, "ARMCI_Create_mutexes(%d)", MUTEXES);
    for (double until = now() + trial_time(1.5); rounds < effort(ROUNDS) || now() < until;
         rounds++) {
        int i = rounds % 4 ? rng_between(&r, 0, MUTEXES - 1) : rng_between(&r, 0, total - 1),
            owner = i / MUTEXES, mutex = i % MUTEXES;
        int p = (owner + 1) % n;
        long *counter = (long *)base[p] + LINE * mutex;
        ARMCI_Lock(mutex, owner);
        if (rounds % 2)
            add_by_processor(counter, p);
        else
            add_unsafely(counter, p, 1);
        ARMCI_Unlock(mutex, owner);
        counts[i]++;
    }
    add_counts(counts, total);
    for (int i = 0; i < total; i++) {
        int p = (i / MUTEXES + 1) % n, mutex = i % MUTEXES;
        check_long(ARMCI_GetValueLong((long *)base[p] + LINE * mutex, p), counts[i],
                   "counter under mutex %d of %d", mutex, i / MUTEXES);
    }
    check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
    region_done(base);
    free(counts);
}

static void counts_differ(void)
{
    int me = test_rank(), n = test_ranks(), expected = 0;
    void **base = region_zeroed(2 * sizeof(long));
    check_long(ARMCI_Create_mutexes(me % 3), 0, "ARMCI_Create_mutexes(%d)", me % 3);
    for (int i = 0; i < effort(10); i++)
        for (int p = 0; p < n; p++)
            for (int m = 0; m < p % 3; m++) {
                ARMCI_Lock(m, p);
                add_unsafely((long *)base[p] + m, p, 1);
                ARMCI_Unlock(m, p);
            }
    ARMCI_Barrier();
    for (int p = 0; p < n; p++)
        for (int m = 0; m < 2; m++) {
            expected = m < p % 3 ? effort(10) * n : 0;
            check_long(ARMCI_GetValueLong((long *)base[p] + m, p), expected, "counter %d in %d", m,
                       p);
        }
    check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
    check_long(ARMCI_Create_mutexes(0), 0, "ARMCI_Create_mutexes(0) on all");
    check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
    region_free(base);
}

static void several_held(void)
{
    int n = test_ranks();
    void **base = region_zeroed(2 * sizeof(long));
    ARMCI_Create_mutexes(2);
    for (int i = 0; i < effort(ROUNDS / 4); i++) {
        for (int k = 0; k < 2 * n; k++)
            ARMCI_Lock(k % 2, k / 2);
        for (int k = 0; k < 2 * n; k++)
            add_unsafely((long *)base[k / 2] + k % 2, k / 2, 1);
        for (int k = 0; k < 2 * n; k++) {
            int j = i % 2 ? k : 2 * n - 1 - k;
            ARMCI_Unlock(j % 2, j / 2);
        }
    }
    check_counters(base, 2, (long)n * effort(ROUNDS / 4), "under several locks");
    ARMCI_Destroy_mutexes();
    region_free(base);
}

/* The first, the last and some between, so that ranks meet. */
static void very_many(void)
{
    enum { MUTEXES = 100000, LOCKS = 2000, MOST_KIB = MUTEXES * 18L / 1024 };
    if (!needs_few_ranks(8)) return;
    int n = test_ranks();
    struct rng draws = rng_stream((uint64_t)test_rank());
    void **base = region_zeroed(MUTEXES * sizeof(long));
    long done = 0, least = LONG_MAX; /* MPI may touch shared memory of its own, once */
    struct held before = {0};
    for (int round = 0; round < 3; round++) {
        const long kib = kib_in("/proc/self/status", "RssShmem:");
        check_long(ARMCI_Create_mutexes(MUTEXES), 0, "ARMCI_Create_mutexes(%d)", MUTEXES);
        const long more = kib_in("/proc/self/status", "RssShmem:") - kib;
        if (more < least) least = more;
        for (int i = 0; i < effort(LOCKS); i++, done++) {
            int p = rng_between(&draws, 0, n - 1), m = rng_between(&draws, 0, 9);
            if (m > 0) m = MUTEXES / m - 1;
            ARMCI_Lock(m, p);
            add_unsafely((long *)base[p] + m, p, 1);
            ARMCI_Unlock(m, p);
        }
        ARMCI_Barrier();
        check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
        if (round == 0) before = held();
    }
    check_held(before);
    check(least <= MOST_KIB, "%d mutexes take %ld KiB, more than %d", MUTEXES, least, MOST_KIB);
    long *mine = base[test_rank()], sums[2] = {0, done};
    ARMCI_Access_begin(mine);
    for (int m = 0; m < MUTEXES; m++)
        sums[0] += mine[m];
    ARMCI_Access_end(mine);
    add_counts(sums, 2);
    check_long(sums[0], sums[1], "changes under %d mutexes of each rank", MUTEXES);
    region_done(base);
}

static void created_again(void)
{
    void **base = region_zeroed(sizeof(long));
    int rounds = effort(16);
    for (int i = 0; i < rounds; i++) {
        check_long(ARMCI_Create_mutexes(1 + i % 3), 0, "ARMCI_Create_mutexes, time %d", i);
        for (int p = 0; p < test_ranks(); p++) {
            ARMCI_Lock(i % 3, p);
            add_unsafely(base[p], p, 1);
            ARMCI_Unlock(i % 3, p);
        }
        check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes, time %d", i);
    }
    check_counters(base, 1, (long)rounds * test_ranks(), "mutexes created again");
    region_free(base);
}

static void unlock_completes(void)
{
    int n = test_ranks();
    void **base = region_zeroed(sizeof(long));
    ARMCI_Create_mutexes(1);
    for (int i = 0; i < effort(ROUNDS); i++) {
        long value = -1;
        ARMCI_Lock(0, 0);
        ARMCI_Get(base[n - 1], &value, sizeof value, n - 1);
        value++;
        ARMCI_Put(&value, base[n - 1], sizeof value, n - 1);
        ARMCI_Unlock(0, 0);
    }
    ARMCI_Barrier();
    check_long(ARMCI_GetValueLong(base[n - 1], n - 1), (long)n * effort(ROUNDS),
               "counter without a fence under the lock");
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    region_free(base);
}

static void uncontended(void)
{
    int me = test_rank(), p = (me + 1) % test_ranks();
    void **base = region_zeroed(sizeof(long));
    ARMCI_Create_mutexes(1);
    for (int i = 0; i < effort(60); i++) {
        ARMCI_Lock(0, p);
        check_long(add_unsafely(base[p], p, 1), i, "counter that nobody else changes");
        ARMCI_Unlock(0, p);
    }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    region_free(base);
}

/* All hammer one mutex until each has had a number of turns: those that come while a process waits
 * hardly ever pass it. How many did says the counter of turns, read before the process asks; one
 * that the scheduler takes out in between is passed by many, but not in one of ten turns. */
static void even_shares(void)
{
    enum { TURNS, CAME, SATED };
    const int n = test_ranks(), least = effort(400);
    int turns = 0, passed_by_many = 0;
    void **base = region_zeroed(3 * sizeof(long));
    long *words = base[0];
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    for (bool first = true, more = true; more; first = false) {
        const long before = ARMCI_GetValueLong(words + TURNS, 0);
        ARMCI_Lock(0, n - 1);
        const bool all_came = add_unsafely(words + CAME, 0, first) + first == n;
        const long turn = add_unsafely(words + TURNS, 0, 1);
        if (all_came && ++turns <= least) passed_by_many += turn - before > 2 * n;
        more = add_unsafely(words + SATED, 0, turns == least) < n - (turns == least);
        ARMCI_Unlock(0, n - 1);
    }
    ARMCI_Barrier();
    check(10 * passed_by_many <= least, "passed by more than %d others in %d of %d turns", 2 * n,
          passed_by_many, least);
    check_long(ARMCI_GetValueLong(words + SATED, 0), n, "processes that had their turns");
    ARMCI_Destroy_mutexes();
    region_free(base);
}

/* Many ask for one mutex again and again, from when the last of them came: as each request has its
 * place in line, each gets as many of the turns as any other, but for 10 %. */
static void equal_turns(void)
{
    enum { ROUNDS_COUNTED = 60, COUNTED = 0, CAME = 1 };
    if (!needs_ranks(16)) return;
    const int n = test_ranks(), all = ROUNDS_COUNTED * n;
    int turns = 0, most, least;
    void **base = region_zeroed(2 * sizeof(long));
    long *words = base[0];
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    const double begin = MPI_Wtime();
    for (bool first = true, more = true; more; first = false) {
        ARMCI_Lock(0, n - 1);
        const bool all_came = add_unsafely(words + CAME, 0, first) + first == n;
        more = !all_came || add_unsafely(words + COUNTED, 0, 1) < all;
        turns += all_came && more;
        ARMCI_Unlock(0, n - 1);
    }
    MPI_Allreduce(&turns, &most, 1, MPI_INT, MPI_MAX, test_comm());
    MPI_Allreduce(&turns, &least, 1, MPI_INT, MPI_MIN, test_comm());
    if (test_rank() == 0)
        printf("%d ranks, %d turns each: %d to %d, %.1f us a turn\n", n, ROUNDS_COUNTED, least,
               most, 1e6 * (MPI_Wtime() - begin) / all);
    check(10 * least >= 9 * ROUNDS_COUNTED && 10 * most <= 11 * ROUNDS_COUNTED,
          "%d to %d turns of %d ranks", least, most, n);
    MPI_Allreduce(MPI_IN_PLACE, &turns, 1, MPI_INT, MPI_SUM, test_comm());
    check_long(turns, all, "sum of the turns");
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    region_free(base);
}

/* Process 0 holds the mutex while the others ask for it one after another, `gap` seconds apart,
 * first process `first`; returns whether they got it in that order. */
static bool granted_in_order(int first, void **base, double gap)
{
    int me = test_rank(), n = test_ranks(), place = (me - 1 + first * (n - 2)) % (n - 1);
    long turn = 0;
    if (me == 0) {
        ARMCI_PutValueLong(0, base[0], 0);
        ARMCI_Lock(0, n - 1);
    }
    ARMCI_Barrier();
    if (me == 0) {
        let_pass(gap * (n + 1));
    } else {
        let_pass(gap * (place + 1));
        ARMCI_Lock(0, n - 1);
        turn = add_unsafely(base[0], 0, 1);
    }
    ARMCI_Unlock(0, n - 1);
    ARMCI_Barrier();
    return on_all_ranks(me == 0 || turn == place);
}

/* A slow machine may turn an order round, and does so less the longer the gaps are. */
static void first_come_first_served(void)
{
    enum { TRIES = 6 };
    static const double gaps[] = {0.03, 0.1, 0.3, 1};
    int ordered = 0;
    if (!needs_few_ranks(8))
        return; /* who shares a processor with more ranks that spin does not ask in time */
    if (!needs_ranks(3)) return;
    void **base = region_zeroed(sizeof(long));
    ARMCI_Create_mutexes(1);
    for (int i = 0; i < TRIES; i++) {
        bool is_ordered = false;
        for (size_t k = 0; k < sizeof gaps / sizeof *gaps && !is_ordered; k++)
            is_ordered = granted_in_order(i, base, gaps[k]);
        ordered += is_ordered;
    }
    check(ordered == TRIES, "granted in the order of the requests %d times of %d", ordered, TRIES);
    ARMCI_Destroy_mutexes();
    region_free(base);
}

static void trylock(void)
{
    int me = test_rank(), n = test_ranks(), got;
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, NULL);
    check(set != NULL, "ARMCIX_Create_mutexes_hdl(1, NULL) gave NULL");
    for (int holder = 0; holder < n; holder++) {
        if (me == holder) ARMCIX_Lock_hdl(set, 0, n - 1);
        ARMCI_Barrier();
        if (me != holder)
            check_long(ARMCIX_Trylock_hdl(set, 0, n - 1), 1, "trylock of a mutex that %d holds",
                       holder);
        ARMCI_Barrier();
        if (me == holder) ARMCIX_Unlock_hdl(set, 0, n - 1);
        ARMCI_Barrier();
        if (me == (holder + 1) % n) {
            check_long(ARMCIX_Trylock_hdl(set, 0, n - 1), 0, "trylock of a free mutex");
            ARMCIX_Unlock_hdl(set, 0, n - 1);
        }
        ARMCI_Barrier();
    }
    got = ARMCIX_Trylock_hdl(set, 0, 0);
    int winners = got == 0;
    MPI_Allreduce(MPI_IN_PLACE, &winners, 1, MPI_INT, MPI_SUM, test_comm());
    check_long(winners, 1, "how many trylocks succeed at once");
    if (got == 0) ARMCIX_Unlock_hdl(set, 0, 0);
    check_long(ARMCIX_Destroy_mutexes_hdl(set), 0, "ARMCIX_Destroy_mutexes_hdl");
}

/* Two mutexes held together, and one that is locked or tried in turn. */
static void trylock_excludes(void)
{
    enum { LINE = 8 /* longs */, MUTEXES = 3 };
    void **base = region_zeroed(MUTEXES * LINE * sizeof(long));
    long *counter = base[0], counts[MUTEXES] = {0};
    int rounds = 0;
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(test_rank() == 0 ? MUTEXES : 0, NULL);
    for (double until = now() + trial_time(1); rounds < effort(ROUNDS) || now() < until; rounds++) {
        ARMCIX_Lock_hdl(set, 0, 0);
        ARMCIX_Lock_hdl(set, 1, 0);
        add_by_processor(counter, 0);
        ARMCIX_Unlock_hdl(set, 0, 0); /* not the order in which they were taken */
        add_by_processor(counter + LINE, 0);
        ARMCIX_Unlock_hdl(set, 1, 0);
        counts[0]++;
        counts[1]++;
        if (rounds % 4 == 0)
            ARMCIX_Lock_hdl(set, 2, 0);
        else if (ARMCIX_Trylock_hdl(set, 2, 0))
            continue;
        add_unsafely(counter + 2 * LINE, 0, 1);
        ARMCIX_Unlock_hdl(set, 2, 0);
        counts[2]++;
    }
    add_counts(counts, MUTEXES);
    for (int i = 0; i < MUTEXES; i++)
        check_long(ARMCI_GetValueLong(counter + LINE * i, 0), counts[i], "counter under mutex %d",
                   i);
    ARMCI_Barrier();
    ARMCIX_Destroy_mutexes_hdl(set);
    region_free(base);
}

/* Two sets, one of them over a group, and the plain one, at the same time: a mutex of one is not
 * that of another. */
static void three_sets(void)
{
    int me = test_rank(), n = test_ranks(), members = (n + 1) / 2, list[MOST_RANKS];
    void **base = region_zeroed(3 * sizeof(long));
    ARMCI_Group even;
    armcix_mutex_hdl_t all = ARMCIX_Create_mutexes_hdl(1, NULL), some = NULL;
    list_ranks(0, 2, list);
    ARMCI_Group_create(members, list, &even);
    if (me % 2 == 0) some = ARMCIX_Create_mutexes_hdl(2, &even);
    ARMCI_Create_mutexes(1);
    for (int i = 0; i < effort(ROUNDS / 2); i++) {
        ARMCI_Lock(0, 0);
        add_unsafely(base[0], 0, 1);
        ARMCIX_Lock_hdl(all, 0, 0);
        add_unsafely((long *)base[0] + 1, 0, 1);
        if (me % 2 == 0) {
            ARMCIX_Lock_hdl(some, 1, members - 1);
            add_unsafely((long *)base[0] + 2, 0, 1);
            ARMCIX_Unlock_hdl(some, 1, members - 1);
        }
        ARMCI_Unlock(0, 0);
        ARMCIX_Unlock_hdl(all, 0, 0);
    }
    ARMCI_Barrier();
    check_long(ARMCI_GetValueLong(base[0], 0), n * effort(ROUNDS / 2),
               "counter under the plain mutex");
    check_long(ARMCI_GetValueLong((long *)base[0] + 1, 0), n * effort(ROUNDS / 2),
               "counter under the set of all");
    check_long(ARMCI_GetValueLong((long *)base[0] + 2, 0), members * effort(ROUNDS / 2),
               "counter under the set of some");
    ARMCIX_Destroy_mutexes_hdl(all);
    ARMCI_Destroy_mutexes();
    if (me % 2 == 0) {
        check_long(ARMCIX_Destroy_mutexes_hdl(some), 0, "ARMCIX_Destroy_mutexes_hdl of a group");
        ARMCI_Group_free(&even);
    }
    region_free(base);
}

/* Everybody counts under mutex 0 of process 0: of a set or, where that is NULL, of ARMCI's own. */
static void count_under(armcix_mutex_hdl_t set, void **base, const char *what)
{
    long before;
    ARMCI_Barrier();
    before = ARMCI_GetValueLong(base[0], 0);
    ARMCI_Barrier();
    for (int i = 0; i < effort(8); i++) {
        set ? ARMCIX_Lock_hdl(set, 0, 0) : ARMCI_Lock(0, 0);
        add_unsafely(base[0], 0, 1);
        set ? ARMCIX_Unlock_hdl(set, 0, 0) : ARMCI_Unlock(0, 0);
    }
    ARMCI_Barrier();
    check_long(ARMCI_GetValueLong(base[0], 0), before + test_ranks() * effort(8),
               "counter under %s", what);
    ARMCI_Barrier();
}

/* ARMCI's own mutexes come and go between two sets, a mutex of which is held meanwhile. */
static void own_destroyed_beside_sets(void **base)
{
    armcix_mutex_hdl_t older = ARMCIX_Create_mutexes_hdl(1, NULL), newer;
    ARMCI_Create_mutexes(1);
    newer = ARMCIX_Create_mutexes_hdl(1, NULL);
    if (test_rank() == 0) ARMCIX_Lock_hdl(older, 0, 0);
    ARMCI_Barrier();
    check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes beside sets");
    if (test_rank() != 0)
        check_long(ARMCIX_Trylock_hdl(older, 0, 0), 1, "trylock of a mutex of a set that 0 holds");
    ARMCI_Barrier();
    if (test_rank() == 0) ARMCIX_Unlock_hdl(older, 0, 0);
    count_under(older, base, "a set older than the mutexes that were destroyed");
    count_under(newer, base, "a set newer than the mutexes that were destroyed");
    check_long(ARMCIX_Destroy_mutexes_hdl(older), 0, "ARMCIX_Destroy_mutexes_hdl of the older set");
    check_long(ARMCIX_Destroy_mutexes_hdl(newer), 0, "ARMCIX_Destroy_mutexes_hdl of the newer set");
}

/* Two sets come and go while ARMCI's own mutexes stay, one of which is held meanwhile. */
static void sets_destroyed_beside_own(void **base)
{
    armcix_mutex_hdl_t older = ARMCIX_Create_mutexes_hdl(1, NULL), newer;
    long counted = ARMCI_GetValueLong(base[0], 0);
    ARMCI_Create_mutexes(1);
    newer = ARMCIX_Create_mutexes_hdl(1, NULL);
    if (test_rank() == 0) ARMCI_Lock(0, 0);
    ARMCI_Barrier();
    check_long(ARMCIX_Destroy_mutexes_hdl(older), 0,
               "ARMCIX_Destroy_mutexes_hdl beside ARMCI's own");
    check_long(ARMCIX_Destroy_mutexes_hdl(newer), 0,
               "ARMCIX_Destroy_mutexes_hdl beside ARMCI's own");
    if (test_rank() == 0)
        let_pass(0.02);
    else
        ARMCI_Lock(0, 0);
    long seen = add_unsafely(base[0], 0, 1);
    ARMCI_Unlock(0, 0);
    check(test_rank() > 0 || seen == counted,
          "others got a mutex that process 0 holds: counter %ld, then %ld", counted, seen);
    count_under(NULL, base, "ARMCI's own mutexes beside sets that were destroyed");
    check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes after the sets");
}

static void kinds_are_apart(void)
{
    void **base = region_zeroed(sizeof(long));
    own_destroyed_beside_sets(base);
    sets_destroyed_beside_own(base);
    region_free(base);
}

static const struct test tests[] = {
    {"no update is lost under a lock", no_update_lost},
    {"unlock completes what was put under the lock", unlock_completes},
    {"numbers of mutexes differ, some have none", counts_differ},
    {"a process holds several at once", several_held},
    {"create and destroy again", created_again},
    {"100,000 on every process", very_many},
    {"a lock that nobody else wants", uncontended},
    {"even shares when all want it", even_shares},
    {"equal turns of many that want it again and again", equal_turns},
    {"first come, first served", first_come_first_served},
    {"trylock says whether it has the mutex, and does not wait", trylock},
    {"mutexes held together, and trylock and lock of one, exclude", trylock_excludes},
    {"three sets at a time, one over a group", three_sets},
    {"destroying ARMCI's own mutexes leaves the sets, and vice versa", kinds_are_apart},
};
SUITE();
