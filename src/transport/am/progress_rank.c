/* progress_rank.c - progress ranks: their choice, their control messages, their loop. */
#define _GNU_SOURCE
#include "transport/progress_rank.h"

#include <limits.h>
#include <stdlib.h>

#include "base/config.h"
#include "base/log.h"
#include "base/lock.h"
#include "mpi/coll.h"
#include "progress/thread.h"
#include "node/segment.h"
#include "transport/am/am.h"
#include "transport/am/proto.h"
#include "transport/am/server.h"

/* What the program's processes send to their progress rank. */
struct control_msg {
    enum { CTRL_START, CTRL_STOP, CTRL_FINALIZE } kind;
};
enum { TAG_CONTROL = 1 };

/* From the first start until MPI ends. */
static struct {
    MPI_Comm everybody; /* the program's processes and, behind them, the progress ranks */
    MPI_Comm peers;     /* of a progress rank: all progress ranks */
    int program_size, progress_size; /* the members of each kind */
    int server; /* the caller's progress rank, or the caller if it is one: its rank in everybody */
    int served; /* the processes that it serves */
    bool is_first; /* of them */
    const char *reason;
    bool finalize_sent;
    /* Of a progress rank. */
    struct control_msg control;
    MPI_Request control_request;
    enum { NOT_EXPECTED, EXPECTED, ARRIVED } control_state;
    int control_sender;
    bool loop_started;
    int in_finalize; /* processes that this one serves */
} ranks = {.everybody = MPI_COMM_NULL, .control_request = MPI_REQUEST_NULL};

/* ---- choice ---- */

/* Of the process that has the least of each. */
struct conditions {
    int node_size; /* processes on the node */
    int has_memfd; /* the node shares memory by memfd */
    int is_new;    /* there was no earlier choice */
};

static struct conditions least_conditions(MPI_Comm comm, MPI_Comm node)
{
    struct conditions mine = {.is_new = ranks.everybody == MPI_COMM_NULL}, least;
    MPI_Comm_size(node, &mine.node_size);
    mine.has_memfd = armcii_config->shm == SHM_AUTO && armcii_segment_is_possible(node);
    armcii_coll_allreduce(&mine, &least, (int)(sizeof mine / sizeof(int)), MPI_INT, MPI_MIN, comm);
    return least;
}

static const char *why_unnecessary(MPI_Comm comm, const struct conditions *least)
{
    int all;
    MPI_Comm_size(comm, &all);
    if (!least->is_new) return "an earlier start on other processes chose the progress ranks";
    return least->node_size == all ? "all processes are on one node, where nothing needs a server"
                                   : NULL;
}

static const char *why_impossible(const struct conditions *least)
{
    if (armcii_config->transport == TRANSPORT_RMA)
        return "a progress rank serves requests, and with ARMCI_TRANSPORT=rma there are none";
    if (!least->has_memfd)
        return "a progress rank serves memory that its node shares by memfd, and there is none "
               "(ARMCI_SHM, containers?)";
    return (size_t)least->node_size < 2 * armcii_config->progress_ranks
               ? "there must be two processes on each node for each progress rank: the progress "
                 "rank and one that it serves"
               : NULL;
}

/* The last processes of a node become progress ranks, and each serves a contiguous part of the
 * others: the processes of the caller's part, then their progress rank. */
static MPI_Comm split_node(MPI_Comm node)
{
    int rank, size, progress_ranks = (int)armcii_config->progress_ranks;
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    int others = size - progress_ranks;
    MPI_Comm part;
    armcii_coll_split(node,
                      rank < others ? (int)((long)rank * progress_ranks / others) : rank - others,
                      rank, &part);
    return part;
}

static void choose_progress_ranks(MPI_Comm comm, MPI_Comm node)
{
    int rank, size, all;
    MPI_Comm part = split_node(node);
    MPI_Comm_rank(part, &rank);
    MPI_Comm_size(part, &size);
    MPI_Comm_size(comm, &all);
    ranks.served = size - 1;
    ranks.is_first = rank == 0;
    bool chosen = rank == ranks.served;
    MPI_Comm_rank(comm, &rank);
    armcii_coll_split(comm, 0, chosen ? INT_MAX : rank, &ranks.everybody);
    armcii_coll_split(comm, chosen, rank, &ranks.peers);
    MPI_Comm_size(ranks.peers, chosen ? &ranks.progress_size : &ranks.program_size);
    if (chosen)
        ranks.program_size = all - ranks.progress_size;
    else
        ranks.progress_size = all - ranks.program_size;
    if (!chosen) MPI_Comm_free(&ranks.peers);
    MPI_Comm_rank(ranks.everybody, &ranks.server);
    armcii_coll_bcast(&ranks.server, (int)sizeof ranks.server, ranks.served, part);
    MPI_Comm_free(&part);
}

static const char *choose_first(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm node = armcii_coll_split_by_node(comm, rank);
    struct conditions least = least_conditions(comm, node);
    ranks.reason = why_unnecessary(comm, &least);
    const char *error = ranks.reason ? NULL : why_impossible(&least);
    if (!ranks.reason && !error) choose_progress_ranks(comm, node);
    MPI_Comm_free(&node);
    return error;
}

/* ---- later starts ---- */

/* Collective over everybody: the program's processes in the order of their keys. */
static void split_everybody(int key, MPI_Comm *all, int *progress_ranks)
{
    armcii_coll_split(ranks.everybody, 0, key, all);
    *progress_ranks = ranks.progress_size;
}

void armcii_progress_rank_join(MPI_Comm *all, int *progress_ranks)
{
    split_everybody(INT_MAX, all, progress_ranks);
}

/* The processes of a communicator, without progress ranks. */
enum members {
    ALL_OF_PROGRAM, /* exactly the program's processes, of the first start */
    OTHERS,         /* others, and no progress rank among the members */
    MIXED,          /* others, and progress ranks */
};

static int size_of(MPI_Group g)
{
    int n;
    MPI_Group_size(g, &n);
    return n;
}

static enum members members_of(MPI_Comm comm)
{
    MPI_Group group, all, program, progress_ranks, rest;
    int relation, range[1][3] = {{0, ranks.program_size - 1, 1}};
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(ranks.everybody, &all);
    MPI_Group_range_incl(all, 1, range, &program);
    MPI_Group_range_excl(all, 1, range, &progress_ranks);
    MPI_Group_difference(group, progress_ranks, &rest);
    MPI_Group_compare(rest, program, &relation);
    bool has_progress_ranks = size_of(rest) < size_of(group);
    if (rest != MPI_GROUP_EMPTY) MPI_Group_free(&rest);
    MPI_Group_free(&progress_ranks);
    MPI_Group_free(&program);
    MPI_Group_free(&all);
    MPI_Group_free(&group);
    return relation != MPI_UNEQUAL ? ALL_OF_PROGRAM : has_progress_ranks ? MIXED : OTHERS;
}

static void send_control(const struct control_msg *m)
{
    MPI_Send(m, (int)sizeof *m, MPI_BYTE, ranks.server, TAG_CONTROL, ranks.everybody);
}

static void start_again(MPI_Comm comm, MPI_Comm *all, int *progress_ranks)
{
    int rank;
    if (ranks.is_first) send_control(&(struct control_msg){.kind = CTRL_START});
    MPI_Comm_rank(comm, &rank);
    split_everybody(rank, all, progress_ranks);
}

/* Progress ranks serve again exactly the processes that they served before. */
const char *armcii_progress_rank_select(MPI_Comm comm, MPI_Comm *all, int *progress_ranks)
{
    enum members m = ranks.everybody == MPI_COMM_NULL ? OTHERS : members_of(comm);
    *all = comm;
    *progress_ranks = 0;
    ranks.reason = NULL;
    if (m == MIXED)
        armcii_fatal(
            "a start on a communicator with ranks that were progress ranks for other processes");
    if (m == ALL_OF_PROGRAM) {
        start_again(comm, all, progress_ranks);
        return NULL;
    }
    if (armcii_config->progress != PROGRESS_RANK) return NULL;
    const char *error = choose_first(comm);
    if (!ranks.reason && !error) {
        int rank;
        MPI_Comm_rank(ranks.everybody, &rank);
        split_everybody(rank < ranks.program_size ? rank : INT_MAX, all, progress_ranks);
    }
    return error;
}

/* All communicators of a start have the progress ranks in the same order. */
int armcii_progress_rank_number(void)
{
    return ranks.server - ranks.program_size;
}

bool armcii_progress_rank_is_enabled(void)
{
    return ranks.everybody != MPI_COMM_NULL;
}

const char *armcii_progress_rank_reason(void)
{
    return ranks.reason;
}

/* ---- control messages ---- */

static int send_finalize(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    if (!ranks.finalize_sent) send_control(&(struct control_msg){.kind = CTRL_FINALIZE});
    ranks.finalize_sent = true;
    return MPI_SUCCESS;
}

void armcii_progress_rank_hook_finalize(void)
{
    int key;
    if (ranks.everybody == MPI_COMM_NULL) return;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, send_finalize, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_free_keyval(&key); /* takes effect when the attribute is deleted */
}

void armcii_progress_rank_stop(void)
{
    if (ranks.is_first) send_control(&(struct control_msg){.kind = CTRL_STOP});
}

/* ---- the loop of a progress rank ---- */

static struct am_receive control_receive(void)
{
    return (struct am_receive){ranks.everybody, TAG_CONTROL, (int)sizeof ranks.control};
}

static bool receive_control(void)
{
    struct am_receive receive = control_receive();
    if (ranks.control_state != EXPECTED ||
        !armcii_am_receive_test(&receive, &ranks.control, &ranks.control_request,
                                &ranks.control_sender))
        return false;
    ranks.control_state = ARRIVED;
    return true;
}

static enum progress_work poll_once(void)
{
    bool any = armcii_server_serve();
    any |= receive_control();
    return any ? WORK_REMOTE : WORK_NONE;
}

/* Control messages arrive by shared memory and raise no event: WAIT_POLL. */
static const struct loop_policy policy = {
    .poll = poll_once,
    .polls = 3,
    .idle_us = IDLE_US,
    .begin_sleep = armcii_am_begin_sleep,
    .end_sleep = armcii_am_end_sleep,
    .events = EVENTS_ARE_HINTS,
    .yields = true,
};

/* Serve until the next control message. */
static void await_control(void)
{
    struct am_receive receive = control_receive();
    if (ranks.control_request == MPI_REQUEST_NULL)
        armcii_am_receive_post(&receive, &ranks.control, &ranks.control_request);
    ranks.control_state = EXPECTED;
    while (ranks.control_state != ARRIVED)
        armcii_progress_loop_step();
}

/* All processes that this one serves are in MPI_Finalize. Others may still use their memory. */
static void serve_until_all_end(void)
{
    int done;
    MPI_Request request;
    MPI_Ibarrier(ranks.peers, &request);
    ranks.control_state = NOT_EXPECTED;
    do {
        armcii_progress_loop_step();
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    } while (!done);
    armcii_server_end();
    armcii_progress_loop_end();
}

enum progress_rank_event armcii_progress_rank_serve(void)
{
    if (!ranks.loop_started) armcii_progress_loop_start(&policy);
    ranks.loop_started = true;
    for (;;) {
        await_control();
        switch (ranks.control.kind) {
        case CTRL_START: return PROGRESS_RANK_STARTED;
        case CTRL_STOP: return PROGRESS_RANK_STOPPED;
        case CTRL_FINALIZE:
            if (++ranks.in_finalize < ranks.served) break;
            serve_until_all_end();
            return PROGRESS_RANK_FINALIZE;
        }
    }
}
