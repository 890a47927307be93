/* test_stall.c - jobs that span nodes: a process that starts a long transfer and then leaves the
 * library stops nobody else; a flag that it puts leaves.
 *
 * The last process, which is no server, starts the transfer and calls nothing for a time. The
 * first process of its node times 8-byte operations on the memory that the transfer goes to; each
 * must be short. So must they be beside direct transfers or short puts without pause, of the
 * server's process, or of another thread of the timing one. How long a process that wants nothing
 * but the processor has to wait for it is measured at the same time, by another process: the bound
 * allows for that. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <message.h>

#include "../mpi/harness.h"
#include "../../benchmarks/load.h"

/* Seconds. An operation consists of several steps of two processes, each of which may have to wait
 * for the processor. */
static const double AWAY = 1.2, SETTLING = 0.6, BOUND = 0.1;
enum { WAITS = 5, PIECES = 6144, SERVER = 0 };

/* No call into MPI or ARMCI. */
static void be_away(double seconds)
{
    for (double until = now() + seconds; now() < until;)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static const char *name_of(enum small_operation operation)
{
    static const char *const names[] = {"get", "put + fence", "acc + fence", "rmw",
                                        "lock + unlock"};
    return names[operation];
}

/* The longest time between two looks at the clock of a process that only wants the processor. */
static double longest_wait_for_processor(double seconds)
{
    double begun = now(), last = begun, worst = 0;
    while (last < begun + seconds) {
        sched_yield();
        double t = now();
        if (t - last > worst) worst = t - last;
        last = t;
    }
    return worst;
}

static void time_small(struct load_worker *w, double seconds, double worst[SMALL_OPERATIONS])
{
    int operation = 0;
    for (double until = now() + seconds; now() < until;
         operation = (operation + 1) % SMALL_OPERATIONS) {
        double begun = now();
        load_small(w, (enum small_operation)operation, SERVER);
        double took = now() - begun;
        if (took > worst[operation]) worst[operation] = took;
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

static void start_and_leave(struct load_worker *w, enum long_transfer transfer, double seconds)
{
    armci_hdl_t handle;
    load_start(w, transfer, SERVER, &handle);
    be_away(seconds);
    ARMCI_Wait(&handle);
    ARMCI_Fence(SERVER);
}

/* The first long transfer on a connection makes it, which takes time. */
static void use_connections(struct load_worker *w, enum long_transfer transfer)
{
    double unused[SMALL_OPERATIONS] = {0};
    if (test_rank() != SERVER) {
        start_and_leave(w, transfer, 0);
        time_small(w, 0.05, unused);
    }
    ARMCI_Barrier();
    be_away(SETTLING); /* until all threads of the library sleep */
}

/* ---- short puts without pause ---- */

/* At a pace at which acknowledgements keep up, so that no put waits. */
static void stream_for(void **base, double seconds)
{
    const double apart = 5e-6, begun = now();
    const int to = test_ranks() - 1;
    long value = 1;
    for (double next = begun; next < begun + seconds; next = now() + apart) {
        ARMCI_Put(&value, base[to], sizeof value, to);
        while (now() < next)
            ;
    }
}

/* ---- direct transfers without pause ---- */

struct copies {
    struct load_worker worker;
    double longest; /* seconds */
    atomic_bool enough;
};

static void copy_once(struct copies *c)
{
    double begun = now();
    load_direct(&c->worker);
    if (now() - begun > c->longest) c->longest = now() - begun;
}

static void copy_for(struct copies *c, double seconds)
{
    for (double until = now() + seconds; now() < until;)
        copy_once(c);
}

static void *copy_until_told(void *copies)
{
    struct copies *c = copies;
    while (!atomic_load(&c->enough))
        copy_once(c);
    return NULL;
}

static void time_beside_thread(struct load_worker *w, struct copies *copies, double seconds,
                               double worst[SMALL_OPERATIONS])
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, copy_until_told, copies) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    time_small(w, seconds, worst);
    atomic_store(&copies->enough, true);
    pthread_join(thread, NULL);
}

/* ---- tests ---- */

/* longest: of the direct transfers. A small operation waits for a few of those, in each of its
 * steps. */
static void judge(double worst[SMALL_OPERATIONS], double wait, double longest)
{
    enum { STEPS = 5 };
    double longer[2] = {wait, longest};
    armci_msg_dgop(worst, SMALL_OPERATIONS, "max");
    armci_msg_dgop(longer, 2, "max");
    double bound = BOUND + WAITS * longer[0] + STEPS * longer[1];
    for (int i = 0; i < SMALL_OPERATIONS && test_rank() == 0; i++)
        check(worst[i] < bound,
              "%s: the worst took %.0f ms, more than %.0f ms; the processor was waited for up to "
              "%.0f ms",
              name_of((enum small_operation)i), 1e3 * worst[i], 1e3 * bound, 1e3 * longer[0]);
}

static bool may_run(void)
{
    if (!on_all_ranks(test_has_server())) {
        skip("no server: MPI decides who waits for whom");
        return false;
    }
    return needs_ranks(4); /* 2 on each node */
}

static void open_load(struct load *load, struct load_worker *worker)
{
    if (!load_open(load) || !load_worker_open(worker, load, 0, PIECES))
        MPI_Abort(MPI_COMM_WORLD, 1);
    ARMCI_Create_mutexes(1);
}

static void close_load(struct load *load, struct load_worker *worker)
{
    check(load_is_right(load, worker->done), "the counters");
    ARMCI_Destroy_mutexes();
    load_worker_close(worker);
    load_close(load);
}

static int timer(void)
{
    return test_ranks() / 2;
}

static void leave_after(const void *row)
{
    enum long_transfer transfer = *(const enum long_transfer *)row;
    double worst[SMALL_OPERATIONS] = {0}, wait = 0;
    struct load load;
    struct load_worker worker;
    int me = test_rank(), last = test_ranks() - 1;
    if (!may_run()) return;
    open_load(&load, &worker);
    use_connections(&worker, transfer);
    ARMCI_Barrier();
    if (me == last)
        start_and_leave(&worker, transfer, AWAY);
    else if (me == timer())
        time_small(&worker, AWAY, worst);
    else if (me != SERVER)
        wait = longest_wait_for_processor(AWAY);
    judge(worst, wait, 0);
    close_load(&load, &worker);
}

static void copy_beside(const void *row)
{
    const bool by_thread = *(const bool *)row;
    double worst[SMALL_OPERATIONS] = {0}, wait = 0;
    struct load load;
    struct load_worker worker;
    struct copies copies = {.longest = 0};
    int me = test_rank();
    if (!may_run() || (by_thread && !needs_threads())) return;
    open_load(&load, &worker);
    if (!load_worker_open(&copies.worker, &load, 1, PIECES) || !load_prepare_direct(&copies.worker))
        MPI_Abort(MPI_COMM_WORLD, 1);
    use_connections(&worker, LONG_ACC);
    ARMCI_Barrier();
    if (me == timer() && by_thread)
        time_beside_thread(&worker, &copies, AWAY, worst);
    else if (me == timer())
        time_small(&worker, AWAY, worst);
    else if (me == SERVER && !by_thread)
        copy_for(&copies, AWAY);
    else if (me != SERVER)
        wait = longest_wait_for_processor(AWAY);
    judge(worst, wait, copies.longest);
    load_worker_close(&copies.worker);
    close_load(&load, &worker);
}

static void stream_beside(void)
{
    double worst[SMALL_OPERATIONS] = {0}, wait = 0;
    struct load load;
    struct load_worker worker;
    int me = test_rank();
    if (!may_run()) return;
    void **base = region_zeroed(sizeof(long));
    open_load(&load, &worker);
    use_connections(&worker, LONG_ACC);
    ARMCI_Barrier();
    if (me == timer())
        time_small(&worker, AWAY, worst);
    else if (me == SERVER)
        stream_for(base, AWAY);
    else
        wait = longest_wait_for_processor(AWAY);
    judge(worst, wait, 0);
    close_load(&load, &worker);
    region_done(base);
}

/* Messages of the program fill the connection before the flag leaves. The sender calls nothing
 * until its target, which has seen the flag, says so in the sender's memory. */
static void flag_behind_messages(void)
{
    enum { MESSAGES = 2000, BYTES = 16 << 10, TAG = 7 };
    enum { DATA, FLAG, SEEN, WORDS };
    static const double LATEST = 10; /* seconds */
    static MPI_Request requests[MESSAGES];
    static char buffer[BYTES];
    int me = test_rank(), sender = test_ranks() - 1, one = 1;
    if (!may_run()) return;
    if (getenv("ARMCI_PROGRESS")) {
        skip("no thread of the library");
        return;
    }
    void **base = region_zeroed(WORDS * sizeof(int));
    volatile int *mine = base[me];
    int *server = base[SERVER];
    if (me == sender) ARMCI_PutValueInt(0, server, SERVER); /* makes the connection */
    ARMCI_Barrier();
    double begun = now();
    if (me == sender) {
        for (int i = 0; i < MESSAGES; i++)
            MPI_Isend(buffer, BYTES, MPI_BYTE, SERVER, TAG, test_comm(), &requests[i]);
        ARMCI_Put_flag(&one, server + DATA, sizeof one, server + FLAG, 1, SERVER);
        while (!mine[SEEN] && now() < begun + LATEST)
            be_away(0.001);
        check(mine[SEEN], "no flag within %g s", LATEST);
        for (int i = 0; i < MESSAGES; i++)
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    } else if (me == SERVER) {
        while (!mine[FLAG] && now() < begun + 2 * LATEST)
            be_away(0.001);
        check_long(mine[DATA], 1, "data behind the flag");
        ARMCI_PutValueInt(1, (int *)base[sender] + SEEN, sender);
        ARMCI_Fence(sender);
        for (int i = 0; i < MESSAGES; i++)
            MPI_Recv(buffer, BYTES, MPI_BYTE, sender, TAG, test_comm(), MPI_STATUS_IGNORE);
    }
    region_done(base);
}

static const struct test tests[] = {
    {"a process that leaves after a long uneven vector get stops nobody",
     ONE_ROW(leave_after, enum long_transfer, LONG_GET_VECTOR)},
    {"a process that leaves after a long accumulate stops nobody",
     ONE_ROW(leave_after, enum long_transfer, LONG_ACC)},
    {"a process that leaves after a long strided put stops nobody",
     ONE_ROW(leave_after, enum long_transfer, LONG_PUT_STRIDED)},
    {"a server's process that calls direct transfers stops nobody",
     ONE_ROW(copy_beside, bool, false)},
    {"a server's process that puts short data without pause stops nobody", stream_beside},
    {"a thread that calls direct transfers stops no other", ONE_ROW(copy_beside, bool, true)},
    {"a flag leaves behind messages of the program, though its sender computes",
     flag_behind_messages},
};
SUITE();
