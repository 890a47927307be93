/* test_litmus.c - who sees what when: after a barrier, a fence, a flag; and with
 * TEST_THREADS=multiple, that a thread which waits lets the others of its process in. Each is
 * tried as often as some tenths of a second allow (ARMCI_TEST_LONG=1: a second), since what is
 * wrong here goes wrong seldom. */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "harness.h"

/* Is it before `until` by the clock of process 0?  Collective. */
static bool is_before(double until)
{
    int left = now() < until;
    MPI_Bcast(&left, 1, MPI_INT, 0, test_comm());
    return left;
}

/* Each rank announces a round by a store to its slice, then all meet: after the barrier everybody's
 * announcement is there. */
static void barriers(void)
{
    int n = test_ranks(), me = test_rank();
    void **base = region_zeroed(64);
    long rounds = 0, last = 1L << 40;
    for (double until = now() + trial_time(1); rounds < last; rounds++) {
        int p = (int)((me + 1 + rounds) % n);
        ARMCI_PutValueLong(rounds + 1, base[me], me);
        if (now() > until && me == 0 && last > rounds + 2)
            ARMCI_PutValueLong(last = rounds + 2, (long *)base[0] + 1, 0);
        ARMCI_Barrier();
        long seen = ARMCI_GetValueLong(base[p], p),
             end = ARMCI_GetValueLong((long *)base[0] + 1, 0);
        check(seen == rounds + 1 || seen == rounds + 2, "after barrier %ld, rank %d stands at %ld",
              rounds + 1, p, seen);
        if (end) last = end;
    }
    region_done(base);
}

enum { PUT, PUT_STRIDED, PUT_VALUE, PUT_AND_WAIT, ADD, SWAP, STORE, WRITERS };
static const char *const writers[WRITERS] = {
    [PUT] = "ARMCI_Put",
    [PUT_STRIDED] = "ARMCI_PutS",
    [PUT_VALUE] = "ARMCI_PutValueLong",
    [PUT_AND_WAIT] = "ARMCI_NbPut",
    [ADD] = "ARMCI_Acc",
    [SWAP] = "ARMCI_Rmw",
    [STORE] = "a store at the local address",
};

/* Words count up by one. */
static void write_word(int writer, long *there, long value, int p)
{
    int near[] = {4}, count[] = {4, 2};
    long one = 1;
    armci_hdl_t handle;
    volatile long *here;
    switch (writer) {
    case PUT_STRIDED: ARMCI_PutS(&value, near, there, near, count, 1, p); return;
    case PUT_VALUE: ARMCI_PutValueLong(value, there, p); return;
    case PUT_AND_WAIT:
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbPut(&value, there, sizeof value, p, &handle);
        ARMCI_Wait(&handle);
        return;
    case ADD: ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, there, sizeof one, p); return;
    case SWAP: ARMCI_Rmw(ARMCI_SWAP_LONG, &value, there, 0, p); return;
    case STORE: /* to another's memory on the same node, where there is such; else a put */
        here = p == test_rank() ? NULL : ARMCIX_Local_address(there, p);
        if (here) {
            *here = value;
            return;
        }
    }
    ARMCI_Put(&value, there, sizeof value, p);
}

enum { GET, GET_STRIDED, GET_VECTOR, GET_VALUE, GET_AND_WAIT, ADD_NOTHING, READERS };
static const char *const readers[READERS] = {
    [GET] = "ARMCI_Get",
    [GET_STRIDED] = "ARMCI_GetS",
    [GET_VECTOR] = "ARMCI_GetV",
    [GET_VALUE] = "ARMCI_GetValueLong",
    [GET_AND_WAIT] = "ARMCI_NbGet",
    [ADD_NOTHING] = "ARMCI_Rmw",
};

static long read_word(int reader, long *there, int p)
{
    long seen = -1;
    int near[] = {4}, count[] = {4, 2};
    void *from[] = {there}, *to[] = {&seen};
    armci_giov_t iov = {from, to, sizeof seen, 1};
    if (reader == GET) {
        ARMCI_Get(there, &seen, sizeof seen, p);
    } else if (reader == GET_STRIDED) {
        ARMCI_GetS(there, near, &seen, near, count, 1, p);
    } else if (reader == GET_VECTOR) {
        ARMCI_GetV(&iov, 1, p);
    } else if (reader == GET_VALUE) {
        seen = ARMCI_GetValueLong(there, p);
    } else if (reader == GET_AND_WAIT) {
        ARMCI_NbGet(there, &seen, sizeof seen, p, NULL);
        ARMCI_Wait(NULL);
    } else {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen, there, 0, p);
    }
    return seen;
}

/* Wait until the long at `there` of rank p, read by that operation, is at least `value`; false
 * where that takes too long. The other rank may wait for the processor, and between nodes without
 * a server MPI wants to be entered. */
static bool wait_by(int reader, long *there, int p, long value)
{
    double until = now() + 10;
    for (int turns = 0; read_word(reader, there, p) < value; turns++) {
        if (turns > 500) {
            ARMCIX_Progress();
            sched_yield();
        }
        if (now() > until) return check(false, "rank %d did not come to %ld", p, value);
    }
    return true;
}

static bool wait_for(long *there, int p, long value)
{
    return wait_by(GET_VALUE, there, p, value);
}

/* Ranks 2k and 2k + 1, each with one cell after another of two arrays, X in the slice of the even
 * rank and Y in that of the odd one. Both come to each cell together.  `first` and `second` are
 * what a rank does with its two cells. */
enum { CELLS = 200, ARRIVED = 2 * CELLS, PAIR_WORDS = 2 * CELLS + 16 };

struct pair {
    long *mine, *theirs; /* slices */
    int me, other;
    long round;
};

static bool open_pair(struct pair *pair, void **base)
{
    int me = test_rank(), other = me ^ 1;
    if (other >= test_ranks()) return false;
    *pair = (struct pair){.mine = base[me], .theirs = base[other], .me = me, .other = other};
    return true;
}

static bool meet(struct pair *pair)
{
    ARMCI_PutValueLong(++pair->round, pair->mine + ARRIVED, pair->me);
    ARMCI_Fence(pair->me);
    return wait_for(pair->theirs + ARRIVED, pair->other, pair->round);
}

static bool clear(struct pair *pair)
{
    ARMCI_Access_begin(pair->mine);
    memset(pair->mine, 0, CELLS * sizeof(long));
    ARMCI_Access_end(pair->mine);
    return meet(pair);
}

/* In how many cells did both see what `value` says? */
static long both_saw(const struct pair *pair, const long *saw, long value)
{
    long theirs[CELLS], found = 0;
    MPI_Sendrecv(saw, CELLS, MPI_LONG, pair->other, 0, theirs, CELLS, MPI_LONG, pair->other, 0,
                 test_comm(), MPI_STATUS_IGNORE);
    for (int c = 0; c < CELLS; c++)
        found += saw[c] == value && theirs[c] == value;
    return found;
}

/* What a rank does with its two cells, one of each slice. */
enum order { STORE_BUFFERING, LOAD_BUFFERING };

/* Store buffering: write a cell, fence, read the other; one rank at least sees a 1.  Load
 * buffering: read a cell, then write the other; what is read was written before, so that at most
 * one rank sees a 1.  `away`: what is written is the other rank's. */
static bool try_cells(struct pair *pair, enum order order, int writer, int reader, bool away)
{
    long saw[CELLS], *written = away ? pair->theirs : pair->mine,
                     *read = away ? pair->mine : pair->theirs;
    int writes = away ? pair->other : pair->me, reads = away ? pair->me : pair->other;
    if (!clear(pair)) return false;
    for (int c = 0; c < CELLS; c++) {
        if (!meet(pair)) return false;
        if (order == LOAD_BUFFERING) saw[c] = read_word(reader, read + c, reads);
        write_word(writer, written + c, 1, writes);
        if (order == LOAD_BUFFERING) continue;
        ARMCI_Fence(writes);
        saw[c] = read_word(reader, read + c, reads);
    }
    ARMCI_Fence(writes);
    return check_long(both_saw(pair, saw, order == LOAD_BUFFERING), 0,
                      "%s by %s to %s rank and %s: cells of which both saw a %d",
                      order == LOAD_BUFFERING ? "read, write" : "write, fence, read",
                      writers[writer], away ? "the other" : "one's own", readers[reader],
                      order == LOAD_BUFFERING);
}

/* Every operation that writes against every one that reads, on both slices. */
static bool each_pair(struct pair *pair, enum order order)
{
    for (int i = 0; i < WRITERS * READERS * 2; i++) {
        int writer = i % WRITERS, reader = i / WRITERS % READERS;
        if (reader == ADD_NOTHING && writer != SWAP) continue; /* as in every_pair */
        if (!try_cells(pair, order, writer, reader, i / WRITERS / READERS)) return false;
    }
    return true;
}

static void in_pairs(const void *row)
{
    enum order order = *(const enum order *)row;
    void **base = region_zeroed(PAIR_WORDS * sizeof(long));
    struct pair pair;
    bool paired = open_pair(&pair, base), right = true;
    needs_ranks(2);
    for (double until = now() + trial_time(0.5); on_all_ranks(right) && is_before(until);)
        right = !paired || each_pair(&pair, order);
    region_done(base);
}

/* A note to the next rank: data, then the fence, then the number of the round, where the flag is.
 * One from the rank before, who learns that it was read. Counts the words that were not there when
 * their flag was; false where somebody does not come. */
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
    if (!wait_for(mine + FLAG, me, round)) return false;
    ARMCI_Get(mine, note, sizeof note, me);
    for (int w = 0; w < WORDS; w++)
        *wrong += note[w] != 1000 * round + w;
    ARMCI_PutValueLong(round, (long *)base[before] + READ, before);
    return wait_for(mine + READ, me, round);
}

static void data_before_flag(void)
{
    void **base = region_zeroed((WORDS + 2) * sizeof(long));
    long wrong = 0, round = 0;
    double until = now() + trial_time(1);
    do {
        bool goes_on = true;
        for (int i = 0; i < effort(1000) && goes_on; i++)
            goes_on = pass_note(base, ++round, &wrong);
        if (!on_all_ranks(goes_on)) break;
    } while (is_before(until));
    check_long(wrong, 0, "words of %ld notes that were not there when their flag was", round);
    region_done(base);
}

/* Rank 1 writes a word of data, fences, and raises a flag; rank 0 looks at the flag until it is up,
 * and then at the data. Both lie in rank 0's slice, a cache line apart. */
enum { DATA = 0, UP = 16, LITMUS_WORDS = 32 };

/* Rank 0: reads the flag by one operation, then the data by another. Returns false if the flag
 * does not come. */
static bool look_at_word(long *slice, long round, int flag, int data)
{
    if (!wait_by(flag, slice + UP, 0, round)) return false;
    long seen = read_word(data, slice + DATA, 0);
    return check_long(seen, round, "data by %s behind a flag by %s", readers[data], readers[flag]);
}

/* Every operation that writes data and flag against every operation that reads them; a round each,
 * and an answer. */
static void every_pair(void)
{
    void **base = region_zeroed(LITMUS_WORDS * sizeof(long));
    long *slice = base[0], round = 0;
    bool goes_on = needs_ranks(2);
    for (int i = 0; goes_on && test_rank() < 2 && i < WRITERS * WRITERS * READERS * READERS; i++) {
        int data = i % WRITERS, flag = i / WRITERS % WRITERS, pair = i / WRITERS / WRITERS;
        if (pair % READERS == ADD_NOTHING && flag != SWAP)
            continue; /* a read-modify-write is atomic against its like alone: it might undo a put
                       */
        round++;
        if (test_rank() == 1) {
            write_word(data, slice + DATA, round, 0);
            ARMCI_Fence(0);
            write_word(flag, slice + UP, round, 0);
            ARMCI_Fence(0);
            goes_on = wait_for(base[1], 1, round);
        } else {
            goes_on = look_at_word(slice, round, pair % READERS, pair / READERS);
            ARMCI_PutValueLong(round, base[1], 1);
            ARMCI_Fence(1);
        }
    }
    region_done(base);
}

/* Two numbers that differ in every byte; adding the one to 0 and the other to it goes back and
 * forth between 0 and -1. */
enum { ELEMENTS = 600, LEAST = 17, GETS = 200 };

/* Rank 1: change all elements of rank 0's slice, over and over, until it says that it has seen
 * enough. */
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
            if (!check_long(wrong, 0,
                            "elements that were neither 0 nor -1, of %d from element %d to an "
                            "address %zu modulo 8",
                            n, first, shift))
                goto end;
        }
end:
    ARMCI_PutValueLong(1, mine + ELEMENTS, 0);
}

static void whole_elements(void)
{
    void **base = region_zeroed((ELEMENTS + 1) * sizeof(long));
    if (test_ranks() < 2 || !on_all_ranks(ARMCIX_Local_address(base[0], 0) != NULL))
        skip("needs 2 ranks that share memory");
    else if (test_rank() == 0)
        look_for_halves(base);
    else if (test_rank() == 1)
        change_all(base);
    region_done(base);
}

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
    if (ARMCI_Init_thread(wanted) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A thread that waits for mutex 1, which rank 1 has until rank 0's other thread gives mutex 0 away.
 */
static void *wait_for_lock(void *argument)
{
    ARMCI_Lock(1, 0);
    ARMCI_Unlock(1, 0);
    *(volatile int *)argument = 1;
    return NULL;
}

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
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
        skip(test_ranks() < 2
                 ? "needs 2 ranks"
                 : "TEST_THREADS is not multiple, or MPI gives no MPI_THREAD_MULTIPLE");
        return;
    }
    ARMCI_Create_mutexes(test_rank() == 0 ? 2 : 0);
    for (int i = 0; i < 40; i++) {
        if (test_rank() == 1) ARMCI_Lock(1, 0);
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
    check_time(worst, 1, "an unlock while another thread of the process waited for another lock");
    ARMCI_Destroy_mutexes();
}

static const struct test tests[] = {
    {"a barrier lets nobody ahead", barriers},
    {"store buffering: of two that write, fence and read, one sees the other's",
     ONE_ROW(in_pairs, enum order, STORE_BUFFERING)},
    {"load buffering: of two that read and write, at most one sees the other's",
     ONE_ROW(in_pairs, enum order, LOAD_BUFFERING)},
    {"a rank that sees the flag sees the data", data_before_flag},
    {"a rank that sees the flag sees the data, whatever operation writes and reads them",
     every_pair},
    {"a get beside accumulates sees whole elements", whole_elements},
    {"a thread that waits for a lock lets others in", threads_let_in},
};
SUITE(.start = start_maybe_threaded);
