/* probe.c - the probe. In each pair of nodes one process is the origin, the other the target. For
 * each operation the target confirms that it is about to call no MPI function for a time (the
 * silence). An operation that the origin completes before the silence can have ended needed nothing
 * of the target. */
#include "transport/route.h"

#include <mpi.h>

#include "mpi/coll.h"
#include "transport/rma/window.h"
#include "mpi/world.h"

enum {
    ROUND_TRIPS = 8, /* of messages, the first of which connect */
    TRIES = 2,       /* of an operation, and completions that prove it; the fastest counts */
    MOST_TRIES = 6   /* of one that is not proved: the processes may have lost their processors */
};

const char *const armcii_probe_names[PROBE_OPS] = {"put", "get", "accumulate", "fetch-and-op"};

static struct {
    struct probe_result result;
    int partner;
    _Alignas(64) double memory[PROBE_OPS]; /* of the window: see armcii_window_create_over */
} probe;
const struct probe_result *const armcii_probe = &probe.result;

/* ---- messages of a pair ---- */

static void send_time(double seconds)
{
    MPI_Send(&seconds, 1, MPI_DOUBLE, probe.partner, CONTROL_PROBE, armcii_world->control);
}

static double recv_time(void)
{
    double seconds;
    MPI_Recv(&seconds, 1, MPI_DOUBLE, probe.partner, CONTROL_PROBE, armcii_world->control,
             MPI_STATUS_IGNORE);
    return seconds;
}

/* A longer round trip means that the ranks are oversubscribed. The probe would measure the
 * scheduler, so it does not wait longer than for this one. */
static const double LONGEST = 0.02; /* seconds */

/* Several times as long as an operation by RDMA takes, and longer than one that a signal or an
 * interrupt delays. */
static double quiet_seconds(double round_trip)
{
    return 8 * (round_trip < LONGEST ? round_trip : LONGEST) + 100e-6;
}

/* ---- the target ---- */

/* MPI_Wtime makes no progress. */
static void spin_without_mpi(double seconds)
{
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        ;
}

static void be_target(void)
{
    for (int i = 0; i < ROUND_TRIPS; i++)
        send_time(recv_time());
    for (double seconds; (seconds = recv_time()) > 0;) {
        send_time(seconds);
        spin_without_mpi(seconds);
        send_time(0); /* the operation completes in this MPI call or the next, if not before */
    }
}

/* ---- the origin ---- */

static void do_op(enum probe_op op, struct window *w, int rank)
{
    double value = 1, old;
    static const struct op_verb verb[] = {
        [PROBE_PUT] = {.kind = OP_PUT},
        [PROBE_GET] = {.kind = OP_GET},
        [PROBE_ACC] = {.kind = OP_ACC, .element = ELEMENT_DOUBLE}};
    const long add = 1;
    if (op == PROBE_FETCH)
        armcii_window_fetch_and_op(w, RMW_ADD, rank, PROBE_FETCH * (MPI_Aint)sizeof(double),
                                   sizeof(long), &add, &old);
    else
        armcii_window_transfer(w, verb[op], rank, op == PROBE_GET ? &old : &value,
                               op * (MPI_Aint)sizeof(double), sizeof value);
    armcii_window_flush(w, rank);
}

static double measure_round_trip(void)
{
    double best = 1;
    for (int i = 0; i < ROUND_TRIPS; i++) {
        double begin = MPI_Wtime();
        send_time(0);
        recv_time();
        double seconds = MPI_Wtime() - begin;
        if (seconds < best) best = seconds;
    }
    return best;
}

/* The silence begins after the request for it. The first operation of a kind may make connections:
 * it runs before, while the target waits in MPI. */
static bool measure_op(enum probe_op op, struct window *w, int rank, struct probe_result *p)
{
    double seconds = quiet_seconds(p->round_trip);
    do_op(op, w, rank);
    double asked = MPI_Wtime();
    send_time(seconds);
    recv_time();
    double begin = MPI_Wtime();
    do_op(op, w, rank);
    double end = MPI_Wtime();
    recv_time(); /* the silence has ended */
    if (p->seconds[op] == 0 || end - begin < p->seconds[op]) p->seconds[op] = end - begin;
    return end < asked + seconds;
}

static void be_origin(struct window *w, int rank, struct probe_result *p)
{
    p->round_trip = measure_round_trip();
    const int most = p->round_trip < LONGEST ? MOST_TRIES : 1;
    for (enum probe_op op = 0; op < PROBE_OPS; op++) {
        int complete = 0;
        for (int try = 0; try < most && complete < TRIES; try++)
            complete += measure_op(op, w, rank, p);
        p->complete[op] = complete == TRIES;
    }
    send_time(0);
}

/* ---- all pairs ---- */

/* Of n leaders, the one that leader i probes with in a round; i: none. The distance is half of the
 * nodes, since neighbours may be on one machine. With an odd number the last one is left for a
 * second round. */
static int other_leader(int i, int n, int round)
{
    int half = n / 2;
    if (round == 0) return i < half ? i + half : i < 2 * half ? i - half : i;
    if (n % 2 == 0 || n == 1) return i;
    return i == 0 ? n - 1 : i == n - 1 ? 0 : i;
}

/* The partner of this process in a round; -1: none. */
static int find_partner(int round)
{
    const struct world *w = armcii_world;
    int other = other_leader(w->node, w->nodes, round);
    return w->leaders[w->node] == w->rank && other != w->node ? w->leaders[other] : -1;
}

static MPI_Comm pair_comm(void)
{
    int lower = probe.partner < armcii_world->rank ? probe.partner : armcii_world->rank,
        ranks[] = {lower, probe.partner + armcii_world->rank - lower};
    MPI_Comm comm;
    armcii_coll_create(armcii_world->control, 2, ranks, CONTROL_PROBE, &comm);
    return comm;
}

/* A window that the other side lacks cannot be freed, so its memory stays. */
static void probe_pair(struct probe_result *p)
{
    struct window w;
    MPI_Comm comm = pair_comm();
    p->measured = armcii_coll_all(
        armcii_window_create_over(&w, probe.memory, sizeof probe.memory, comm) == 0, comm);
    if (p->measured) {
        if (probe.partner < armcii_world->rank)
            be_target();
        else
            be_origin(&w, 1, p);
        armcii_window_free(&w);
    }
    MPI_Comm_free(&comm);
}

/* Join the result of a round with the worst of all pairs. */
static void agree(const struct probe_result *mine, bool is_origin, struct probe_result *all)
{
    enum { FAILED = PROBE_OPS, WORDS };
    int incomplete[WORDS], any[WORDS];
    double slow[WORDS], slowest[WORDS];
    incomplete[FAILED] = probe.partner >= 0 && !mine->measured;
    slow[FAILED] = mine->round_trip;
    for (int op = 0; op < PROBE_OPS; op++) {
        incomplete[op] = is_origin && !mine->complete[op];
        slow[op] = mine->seconds[op];
    }
    armcii_coll_allreduce(incomplete, any, WORDS, MPI_INT, MPI_MAX, armcii_world->comm);
    armcii_coll_allreduce(slow, slowest, WORDS, MPI_DOUBLE, MPI_MAX, armcii_world->comm);
    all->measured = all->measured && !any[FAILED];
    if (slowest[FAILED] > all->round_trip) all->round_trip = slowest[FAILED];
    for (int op = 0; op < PROBE_OPS; op++) {
        all->complete[op] = all->complete[op] && all->measured && !any[op];
        if (slowest[op] > all->seconds[op]) all->seconds[op] = slowest[op];
    }
}

void armcii_probe_run(void)
{
    int rounds = armcii_world->nodes % 2 == 0 ? 1 : 2;
    probe.result = (struct probe_result){.measured = true, .complete = {true, true, true, true}};
    for (int round = 0; round < rounds; round++) {
        struct probe_result mine = {0};
        probe.partner = find_partner(round);
        if (probe.partner >= 0) probe_pair(&mine);
        agree(&mine, probe.partner > armcii_world->rank, &probe.result);
    }
}

void armcii_probe_end(void)
{
    probe.result = (struct probe_result){0};
}

bool armcii_probe_finds_rdma(const struct probe_result *p)
{
    enum { SLOW = 3 }; /* round trips of a message */
    return p->measured && p->complete[PROBE_PUT] && p->complete[PROBE_GET] &&
           p->seconds[PROBE_PUT] <= SLOW * p->round_trip &&
           p->seconds[PROBE_GET] <= SLOW * p->round_trip;
}
