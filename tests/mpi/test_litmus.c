/* test_litmus.c - who sees what when: after a barrier, a fence, a flag; and with TEST_THREADS=multiple, that a thread which waits lets the
 * others of its process in.  Each is tried as often as some tenths of a second allow (ARMCI_TEST_LONG=1: a second), since what
 * is wrong here goes wrong seldom. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <armcix.h>

#include "harness.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Is it before `until` by the clock of process 0?  Collective. */
static bool is_before(double until)
{
    int left = now() < until;

    MPI_Bcast(&left, 1, MPI_INT, 0, test_comm());
    return left;
}

/* Zeroed memory of `bytes` bytes on everybody. */
static void **zeroed_region(size_t bytes)
{
    void **base = region_create(bytes);

    ARMCI_Access_begin(base[test_rank()]);
    memset(base[test_rank()], 0, bytes);
    ARMCI_Access_end(base[test_rank()]);
    ARMCI_Barrier();
    return base;
}

/* Each rank announces a round by a store of its own, then all meet: after the barrier everybody's announcement is there. */
static void barriers(void)
{
    int n = test_ranks(), me = test_rank();
    void **base = zeroed_region(64);
    long rounds = 0, last = 1L << 40;

    for (double until = now() + trial_time(1); rounds < last; rounds++) {
        int p = (int)((me + 1 + rounds) % n);
        ARMCI_PutValueLong(rounds + 1, base[me], me);
        if (now() > until && me == 0 && last > rounds + 2)
            ARMCI_PutValueLong(last = rounds + 2, (long *)base[0] + 1, 0);
        ARMCI_Barrier();
        long seen = ARMCI_GetValueLong(base[p], p), end = ARMCI_GetValueLong((long *)base[0] + 1, 0);
        check(seen == rounds + 1 || seen == rounds + 2, "after barrier %ld, rank %d stands at %ld", rounds + 1, p, seen);
        if (end)
            last = end;
    }
    ARMCI_Barrier();
    region_free(base);
}

/* Wait until the long at `there` of rank p is at least `value`; false where that takes too long.  The other one may wait for the
 * processor, and between hosts without an agent MPI wants to be entered. */
static bool wait_for(long *there, int p, long value)
{
    double until = now() + 10;

    for (int turns = 0; ARMCI_GetValueLong(there, p) < value; turns++) {
        if (turns > 500) {
            ARMCIX_Progress();
            sched_yield();
        }
        if (now() > until)
            return check(false, "rank %d did not come to %ld", p, value);
    }
    return true;
}

/* How a rank writes in the next test. */
enum way { BY_PUT, BY_ACC, BY_RMW, BY_PROCESSOR, WAYS };

/* Write 1 to `there` of rank p, and be sure that it is there.  false: this way does not exist here. */
static bool write_one(enum way way, long *there, int p)
{
    static long one = 1;
    long seen, *here;

    switch (way) {
    case BY_PUT:
        ARMCI_Put(&one, there, sizeof one, p);
        break;
    case BY_ACC:
        ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, there, sizeof one, p);
        break;
    case BY_RMW:
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen, there, 1, p);
        break;
    default:
        here = ARMCIX_Local_address(there, p);
        if (!here)
            return false;
        *(volatile long *)here = 1;
    }
    ARMCI_Fence(p);
    return true;
}

/* Ranks 2k and 2k + 1 write a cell each at the same time, fence, and read the other's: one of them at least must see a 1. */
static void look_after_fence(enum way way)
{
    static const char *const names[] = { "ARMCI_Put", "ARMCI_Acc", "ARMCI_Rmw", "a store at the local address" };
    enum { CELLS = 2000 };
    int me = test_rank(), other = me ^ 1;
    void **base = zeroed_region((2 * CELLS + 8) * sizeof(long));
    long *mine = base[me], *theirs = other < test_ranks() ? base[other] : NULL, blind = 0, *saw = calloc(CELLS, sizeof *saw);
    long *answers = calloc(CELLS, sizeof *answers), cells = 0;
    bool works = theirs != NULL;

    /* cell c of the pair is in the slice of the rank that reads it: mine[c] is written by the other */
    for (long last = test_ranks() > 2 ? CELLS / 20 : CELLS; works && cells < last; cells++) {
        ARMCI_PutValueLong(cells + 1, mine + 2 * CELLS, me);
        ARMCI_Fence(me);
        if (!wait_for(theirs + 2 * CELLS, other, cells + 1))
            break;
        works = write_one(way, theirs + cells, other);
        saw[cells] = ARMCI_GetValueLong(mine + cells, me);
    }
    if (theirs)
        MPI_Sendrecv(saw, CELLS, MPI_LONG, other, 0, answers, CELLS, MPI_LONG, other, 0, test_comm(), MPI_STATUS_IGNORE);
    for (long c = 0; works && c < cells; c++)
        blind += !saw[c] && !answers[c];
    check_long(blind, 0, "%s and fence by two ranks, each then looks at the other's: how often neither saw it", names[way]);
    ARMCI_Barrier();
    region_free(base);
    free(saw);
    free(answers);
}

static void fences(void)
{
    if (test_ranks() < 2) {
        skip("it takes two");
        return;
    }
    for (enum way way = BY_PUT; way < WAYS; way++) {
        double until = now() + trial_time(0.25);
        do
            look_after_fence(way);
        while (is_before(until));
    }
}

/* A note to the next rank: data, then the fence, then the number of the round, where the flag is.  One from the rank before, who learns
 * that it was read.  Counts the words that were not there when their flag was; false where somebody does not come. */
enum { WORDS = 40, FLAG = WORDS, READ = WORDS + 1 };
static bool pass_note(void **base, long round, long *wrong)
{
    int me = test_rank(), n = test_ranks(), next = (me + 1) % n, before = (me + n - 1) % n;
    long *mine = base[me], *theirs = base[next], note[WORDS];

    for (int w = 0; w < WORDS; w++)
        note[w] = 1000 * round + w;
    ARMCI_Put(note, theirs, sizeof note, next);
    ARMCI_Fence(next);
    ARMCI_PutValueLong(round, theirs + FLAG, next);
    if (!wait_for(mine + FLAG, me, round))
        return false;
    ARMCI_Get(mine, note, sizeof note, me);
    for (int w = 0; w < WORDS; w++)
        *wrong += note[w] != 1000 * round + w;
    ARMCI_PutValueLong(round, (long *)base[before] + READ, before);
    return wait_for(mine + READ, me, round);
}

/* A ring of notes. */
static void data_before_flag(void)
{
    void **base = zeroed_region((WORDS + 2) * sizeof(long));
    long wrong = 0, round = 0;
    double until = now() + trial_time(1);

    do {
        bool goes_on = true;
        for (int i = 0; i < effort(1000) && goes_on; i++)
            goes_on = pass_note(base, ++round, &wrong);
        if (!on_all_ranks(goes_on))
            break;
    } while (is_before(until));
    check_long(wrong, 0, "words of %ld notes that were not there when their flag was", round);
    ARMCI_Barrier();
    region_free(base);
}

/* ------------------------------------------------------------------ data and flag by every way */

/* Rank 1 writes a word of data, fences, and raises a flag; rank 0 looks at the flag until it is up, and then at the data.  Both lie in rank
 * 0's slice, a cache line apart. */
enum { DATA = 0, UP = 16, LITMUS_WORDS = 32 };

static void put_word(long *there, long value)
{
    ARMCI_Put(&value, there, sizeof value, 0);
}

static void put_word_strided(long *there, long value)
{
    int near[] = { 4 }, count[] = { 4, 2 };

    ARMCI_PutS(&value, near, there, near, count, 1, 0);
}

static void put_word_by_value(long *there, long value)
{
    ARMCI_PutValueLong(value, there, 0);
}

static void put_word_and_wait(long *there, long value)
{
    armci_hdl_t handle;

    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbPut(&value, there, sizeof value, 0, &handle);
    ARMCI_Wait(&handle);
}

/* Words count up by one. */
static void add_one(long *there, long value)
{
    long one = 1;

    (void)value;
    ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, there, sizeof one, 0);
}

static void swap_word(long *there, long value)
{
    ARMCI_Rmw(ARMCI_SWAP_LONG, &value, there, 0, 0);
}

typedef void write_function(long *there, long value);
static const struct {
    write_function *write;
    const char *what;
} writers[] = {
    { put_word, "ARMCI_Put" },           { put_word_strided, "ARMCI_PutS" },  { put_word_by_value, "ARMCI_PutValueLong" },
    { put_word_and_wait, "ARMCI_NbPut" }, { add_one, "ARMCI_Acc" },            { swap_word, "ARMCI_Rmw" },
};
enum { WRITERS = sizeof writers / sizeof *writers };

static long get_word(long *there)
{
    long seen = -1;

    ARMCI_Get(there, &seen, sizeof seen, 0);
    return seen;
}

static long get_word_strided(long *there)
{
    long seen = -1;
    int near[] = { 4 }, count[] = { 4, 2 };

    ARMCI_GetS(there, near, &seen, near, count, 1, 0);
    return seen;
}

static long get_word_by_vector(long *there)
{
    long seen = -1;
    void *from[] = { there }, *to[] = { &seen };
    armci_giov_t iov = { from, to, sizeof seen, 1 };

    ARMCI_GetV(&iov, 1, 0);
    return seen;
}

static long get_word_by_value(long *there)
{
    return ARMCI_GetValueLong(there, 0);
}

static long get_word_and_wait(long *there)
{
    long seen = -1;

    ARMCI_NbGet(there, &seen, sizeof seen, 0, NULL);
    ARMCI_Wait(NULL);
    return seen;
}

static long add_nothing(long *there)
{
    long seen = -1;

    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen, there, 0, 0);
    return seen;
}

typedef long read_function(long *there);
static const struct {
    read_function *read;
    const char *what;
} readers[] = {
    { get_word, "ARMCI_Get" },             { get_word_strided, "ARMCI_GetS" },  { get_word_by_vector, "ARMCI_GetV" },
    { get_word_by_value, "ARMCI_GetValueLong" }, { get_word_and_wait, "ARMCI_NbGet" }, { add_nothing, "ARMCI_Rmw" },
};
enum { READERS = sizeof readers / sizeof *readers };

/* Rank 0: the flag by one way, then the data by another.  false where the flag does not come. */
static bool look_at_word(long *slice, long round, int flag, int data)
{
    double until = now() + 10;

    for (int turns = 0; readers[flag].read(slice + UP) < round; turns++) {
        if (turns > 500) { /* as in wait_for */
            ARMCIX_Progress();
            sched_yield();
        }
        if (now() > until)
            return check(false, "the flag of round %ld did not come", round);
    }
    long seen = readers[data].read(slice + DATA);
    return check_long(seen, round, "data by %s behind a flag by %s", readers[data].what, readers[flag].what);
}

/* Every way of writing data and flag against every way of reading them; a round each, and an answer. */
static void every_way(void)
{
    void **base = zeroed_region(LITMUS_WORDS * sizeof(long));
    long *slice = base[0], round = 0;
    bool goes_on = test_ranks() >= 2;

    if (!goes_on)
        skip("it takes two");
    for (int way = 0; goes_on && test_rank() < 2 && way < WRITERS * WRITERS * READERS * READERS; way++) {
        int data = way % WRITERS, flag = way / WRITERS % WRITERS, pair = way / WRITERS / WRITERS;
        if (readers[pair % READERS].read == add_nothing && writers[flag].write != swap_word)
            continue; /* a read-modify-write is atomic against its like alone: it might undo a put */
        round++;
        if (test_rank() == 1) {
            writers[data].write(slice + DATA, round);
            ARMCI_Fence(0);
            writers[flag].write(slice + UP, round);
            ARMCI_Fence(0);
            goes_on = wait_for(base[1], 1, round);
        } else {
            goes_on = look_at_word(slice, round, pair % READERS, pair / READERS);
            ARMCI_PutValueLong(round, base[1], 1);
            ARMCI_Fence(1);
        }
    }
    ARMCI_Barrier();
    region_free(base);
}

/* Two numbers that differ in every byte; adding the one to 0 and the other to it goes back and forth between 0 and -1. */
enum { ELEMENTS = 600, LEAST = 17, GETS = 200 };

/* Rank 1: change all elements of rank 0's slice, over and over, until it says that it has seen enough. */
static void change_all(void **base)
{
    static long minus[ELEMENTS], plus[ELEMENTS], one = 1;

    for (int i = 0; i < ELEMENTS; i++) {
        minus[i] = -1;
        plus[i] = 1;
    }
    while (!ARMCI_GetValueLong((long *)base[0] + ELEMENTS, 0)) {
        ARMCI_Acc(ARMCI_ACC_LNG, &one, minus, base[0], sizeof minus, 0);
        ARMCI_Acc(ARMCI_ACC_LNG, &one, plus, base[0], sizeof plus, 0);
    }
}

/* How many of n elements, at any address, are neither 0 nor -1? */
static long halves(const char *at, int n)
{
    long found = 0, element;

    for (int i = 0; i < n; i++) {
        memcpy(&element, at + (size_t)i * sizeof element, sizeof element);
        found += element != 0 && element != -1;
    }
    return found;
}

/* Rank 0: get pieces of any length to any address. */
static void look_for_halves(void **base)
{
    static char seen[(ELEMENTS + 1) * sizeof(long)];
    long *mine = base[0], round = 0;

    for (double until = now() + trial_time(1); now() < until;)
        for (int i = 0; i < GETS; i++, round++) {
            size_t shift = (size_t)round % sizeof(long);
            int first = (int)(round % 29), n = LEAST + (int)(round * 7 % (ELEMENTS - LEAST - 29));
            ARMCI_Get(mine + first, seen + shift, n * (int)sizeof(long), 0);
            long wrong = halves(seen + shift, n);
            if (!check_long(wrong, 0, "elements that were neither 0 nor -1, of %d from element %d to an address %zu modulo 8", n, first,
                            shift))
                goto end;
        }
end:
    ARMCI_PutValueLong(1, mine + ELEMENTS, 0);
}

static void whole_elements(void)
{
    void **base = zeroed_region((ELEMENTS + 1) * sizeof(long));

    if (test_ranks() < 2 || !on_all_ranks(ARMCIX_Local_address(base[0], 0) != NULL))
        skip("it takes two that share memory");
    else if (test_rank() == 0)
        look_for_halves(base);
    else if (test_rank() == 1)
        change_all(base);
    ARMCI_Barrier();
    region_free(base);
}

/* ------------------------------------------------------------------ threads */

static bool threads_wanted(void)
{
    const char *value = getenv("TEST_THREADS");

    return value && strcmp(value, "multiple") == 0;
}

static int level;

static void start_maybe_threaded(int *argc, char ***argv)
{
    int wanted = threads_wanted() ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;

    MPI_Init_thread(argc, argv, wanted, &level);
    if (ARMCI_Init_thread(wanted) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A thread that waits for mutex 1, which rank 1 has until rank 0's other thread gives mutex 0 away. */
static void *wait_for_lock(void *argument)
{
    ARMCI_Lock(1, 0);
    ARMCI_Unlock(1, 0);
    *(volatile int *)argument = 1;
    return NULL;
}

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
}

/* Rank 0: while one thread waits for a lock, the other must get into the library and out again. */
static double give_while_waiting(void)
{
    volatile int done = 0;
    pthread_t waiter;

    ARMCI_Lock(0, 0);
    MPI_Barrier(test_comm()); /* rank 1 has mutex 1 */
    pthread_create(&waiter, NULL, wait_for_lock, (void *)&done);
    pause_briefly();
    double begun = now();
    ARMCI_Unlock(0, 0);
    double took = now() - begun;
    pthread_join(waiter, NULL);
    check_long(done, 1, "the thread that waited");
    return took;
}

static void threads_let_in(void)
{
    double worst = 0;

    if (level < MPI_THREAD_MULTIPLE || test_ranks() < 2) {
        skip(test_ranks() < 2 ? "it takes two" : "TEST_THREADS is not multiple, or MPI gives no MPI_THREAD_MULTIPLE");
        return;
    }
    ARMCI_Create_mutexes(test_rank() == 0 ? 2 : 0);
    for (int i = 0; i < 40; i++) {
        if (test_rank() == 1)
            ARMCI_Lock(1, 0);
        if (test_rank() == 0) {
            double took = give_while_waiting();
            worst = took > worst ? took : worst;
        } else {
            MPI_Barrier(test_comm());
        }
        if (test_rank() == 1) {
            ARMCI_Lock(0, 0); /* rank 0 holds it, and one of its threads waits for mutex 1 */
            ARMCI_Unlock(0, 0);
            ARMCI_Unlock(1, 0);
        }
        ARMCI_Barrier();
    }
    check(worst < 1, "an unlock took %.3f s while another thread of the process waited for another lock", worst);
    ARMCI_Destroy_mutexes();
}

static const struct test tests[] = {
    { "a barrier lets nobody ahead", barriers },
    { "after a fence, one of two who write and look sees the other", fences },
    { "who sees the flag sees the data", data_before_flag },
    { "who sees the flag sees the data, by every way of writing and reading them", every_way },
    { "a get beside accumulates sees whole elements", whole_elements },
    { "a thread that waits for a lock lets others in", threads_let_in },
    { NULL, NULL },
};

const struct suite suite = { .tests = tests, .start = start_maybe_threaded };
