/* progress_rank.c - progress ranks: who they are, what they are told, and what they do with their time. */
#define _GNU_SOURCE
#include "transport/am/progress_rank.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/config.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/backoff.h"
#include "transport/am/server.h"
#include "progress/thread.h"
#include "transport/am/proto.h"

/* From the first start until MPI ends. */
static MPI_Comm kept = MPI_COMM_NULL; /* the program's processes and, behind them, the progress ranks */
static MPI_Comm peers;                /* of progress rank: all of them */
static int count_progress_ranks, size;         /* those set progress_ranks, the program's processes */
static int here;                      /* processes of the program on this node */
static bool is_first;                 /* of them */
static int server;                     /* the progress rank on this node, its rank in kept */
static const char *remark;

/* What the processes of a node tell the progress rank there; it answers ORDER_MAP by the address. */
enum order_kind { ORDER_START, ORDER_MAP, ORDER_UNMAP, ORDER_DISMISS, ORDER_GOODBYE };
struct order {
    enum order_kind kind;
    struct segment_handle segment; /* to map */
    size_t bytes;
    char *memory;              /* to unmap */
};
enum { TAG_ORDER = 1, TAG_ANSWER };

/* ---- who is set progress_ranks ---- */

/* What is asked of all processes; the least counts. */
struct census {
    int on_node; /* processes */
    int memfd;   /* the node shares memory by files */
    int fresh;   /* nobody was set aside before */
};

static struct census take_census(MPI_Comm comm, MPI_Comm node)
{
    struct census mine = {.fresh = kept == MPI_COMM_NULL}, least;
    enum shm_policy shm = armcii_config->shm;
    MPI_Comm_size(node, &mine.on_node);
    mine.memfd = (shm == SHM_AUTO || shm == SHM_MEMFD) && armcii_segment_try(SEGMENT_MEMFD, node);
    MPI_Allreduce(&mine, &least, (int)(sizeof mine / sizeof(int)), MPI_INT, MPI_MIN, comm);
    return least;
}

static const char *why_nobody(MPI_Comm comm, const struct census *least)
{
    int all;
    MPI_Comm_size(comm, &all);
    if (!least->fresh) return "ranks were set aside at an earlier start on other processes";
    return least->on_node == all ? "all processes are on one node, where nothing needs a server" : NULL;
}

static const char *why_impossible(const struct census *least)
{
    if (armcii_config->transport == TRANSPORT_RMA) return "a progress rank serves requests, and with ARMCI_TRANSPORT=rma there are none";
    if (!least->memfd) return "a progress rank serves memory that its node shares by memfd, and there is none (ARMCI_SHM, containers?)";
    return least->on_node < 2 ? "there must be two processes on each node, since one of them is set aside" : NULL;
}

/* The last process of each node is. */
static void become_progress_ranks(MPI_Comm comm, MPI_Comm node)
{
    int rank, on_node, all;
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &on_node);
    MPI_Comm_size(comm, &all);
    here = on_node - 1;
    is_first = rank == 0;
    bool mine = rank == here;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split(comm, 0, mine ? INT_MAX : rank, &kept);
    MPI_Comm_split(comm, mine, rank, &peers);
    MPI_Comm_size(peers, &size);
    if (mine) size = all - size;
    count_progress_ranks = all - size;
    if (!mine) MPI_Comm_free(&peers);
    MPI_Comm_rank(kept, &server);
    MPI_Bcast(&server, 1, MPI_INT, here, node);
}

static const char *choose_first(MPI_Comm comm)
{
    int rank;
    MPI_Comm node;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    struct census least = take_census(comm, node);
    remark = why_nobody(comm, &least);
    const char *obstacle = remark ? NULL : why_impossible(&least);
    if (!remark && !obstacle) become_progress_ranks(comm, node);
    MPI_Comm_free(&node);
    return obstacle;
}

/* ---- starting again ---- */

/* All of kept come together, the program's processes in the order of their keys. */
static void gather(int key, MPI_Comm *all, int *progress_ranks)
{
    MPI_Comm_split(kept, 0, key, all);
    *progress_ranks = count_progress_ranks;
}

void armcii_progress_rank_join(MPI_Comm *all, int *progress_ranks)
{
    gather(INT_MAX, all, progress_ranks);
}

enum membership { OTHERS, THE_SAME, PART_OF_THEM };

static int size_of(MPI_Group g)
{
    int n;
    MPI_Group_size(g, &n);
    return n;
}

/* Those set aside cannot be asked for anything but to serve all that they served before: does comm mean these?  It may include those set
 * progress_ranks, as MPI_COMM_WORLD does.  PART_OF_THEM: it includes some that are set progress_ranks, but is not the same otherwise. */
static enum membership membership_of(MPI_Comm comm)
{
    MPI_Group asked, all, program, progress_ranks, left;
    int same, range[1][3] = {{0, size - 1, 1}};
    MPI_Comm_group(comm, &asked);
    MPI_Comm_group(kept, &all);
    MPI_Group_range_incl(all, 1, range, &program);
    MPI_Group_range_excl(all, 1, range, &progress_ranks);
    MPI_Group_difference(asked, progress_ranks, &left);
    MPI_Group_compare(left, program, &same);
    bool any_progress_ranks = size_of(left) < size_of(asked);
    if (left != MPI_GROUP_EMPTY) MPI_Group_free(&left);
    MPI_Group_free(&progress_ranks);
    MPI_Group_free(&program);
    MPI_Group_free(&all);
    MPI_Group_free(&asked);
    return same != MPI_UNEQUAL ? THE_SAME : any_progress_ranks ? PART_OF_THEM : OTHERS;
}

static void tell(const struct order *o)
{
    MPI_Send(o, (int)sizeof *o, MPI_BYTE, server, TAG_ORDER, kept);
}

static void start_again(MPI_Comm comm, MPI_Comm *all, int *progress_ranks)
{
    int rank;
    if (is_first) tell(&(struct order){.kind = ORDER_START});
    MPI_Comm_rank(comm, &rank);
    gather(rank, all, progress_ranks);
    remark = NULL;
}

const char *armcii_progress_rank_select(MPI_Comm comm, MPI_Comm *all, int *progress_ranks)
{
    enum membership m = kept == MPI_COMM_NULL ? OTHERS : membership_of(comm);
    *all = comm;
    *progress_ranks = 0;
    remark = NULL;
    if (m == PART_OF_THEM) armcii_fatal("a start on a communicator with ranks that were progress ranks for other processes");
    if (m == THE_SAME) {
        start_again(comm, all, progress_ranks);
        return NULL;
    }
    if (armcii_config->progress != PROGRESS_RANK) return NULL;
    const char *obstacle = choose_first(comm);
    if (!remark && !obstacle) {
        int rank;
        MPI_Comm_rank(kept, &rank);
        gather(rank < size ? rank : INT_MAX, all, progress_ranks);
    }
    return obstacle;
}

bool armcii_progress_rank_is_enabled(void)
{
    return kept != MPI_COMM_NULL;
}

const char *armcii_progress_rank_reason(void)
{
    return remark;
}

/* ---- what the program's processes tell ---- */

static int say_goodbye(MPI_Comm self, int key, void *value, void *extra)
{
    static bool said;
    (void)self, (void)key, (void)value, (void)extra;
    if (!said) tell(&(struct order){.kind = ORDER_GOODBYE});
    said = true;
    return MPI_SUCCESS;
}

void armcii_progress_rank_hook_finalize(void)
{
    int key;
    if (kept == MPI_COMM_NULL) return;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, say_goodbye, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_free_keyval(&key); /* when the attribute has gone */
}

void armcii_progress_rank_stop(void)
{
    if (is_first) tell(&(struct order){.kind = ORDER_DISMISS});
}

static void wait_for(MPI_Request *request)
{
    struct backoff p = {0};
    int done;
    unsigned entries = armcii_lock_suspend(); /* answers come in the order of the orders */
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE)) armcii_backoff_yield(&p);
    armcii_lock_resume(entries);
}

char *armcii_progress_rank_map(const struct segment_handle *segment, size_t bytes)
{
    char *memory;
    MPI_Request answer;
    MPI_Irecv(&memory, (int)sizeof memory, MPI_BYTE, server, TAG_ANSWER, kept, &answer);
    tell(&(struct order){.kind = ORDER_MAP, .segment = *segment, .bytes = bytes});
    wait_for(&answer);
    return memory;
}

void armcii_progress_rank_unmap(char *memory, size_t bytes)
{
    tell(&(struct order){.kind = ORDER_UNMAP, .memory = memory, .bytes = bytes});
}

/* ---- the life of a progress rank ---- */

static struct order order;
static MPI_Request order_request = MPI_REQUEST_NULL;
static enum { NOT_EXPECTED, EXPECTED, ARRIVED } order_state;
static int order_sender;

static struct am_receive orders(void)
{
    return (struct am_receive){kept, TAG_ORDER, (int)sizeof order};
}

static bool receive_order(void)
{
    struct am_receive inbox = orders();
    if (order_state != EXPECTED || !armcii_am_receive_test(&inbox, &order, &order_request, &order_sender)) return false;
    order_state = ARRIVED;
    return true;
}

static enum progress_work poll_once(void)
{
    bool any = armcii_server_serve();
    any |= receive_order();
    return any ? WORK_REMOTE : WORK_NONE;
}

/* Orders arrive by shared memory and raise no event: WAIT_POLL. */
static const struct loop_policy policy = {
    .poll = poll_once,
    .polls = 3,
    .idle_us = IDLE_US,
    .events = EVENTS_HINT,
    .yields = true,
};

/* Serve until the next order. */
static void await_order(void)
{
    struct am_receive inbox = orders();
    if (order_request == MPI_REQUEST_NULL) armcii_am_receive_post(&inbox, &order, &order_request);
    order_state = EXPECTED;
    while (order_state != ARRIVED)
        armcii_progress_loop_step();
}

/* All processes of this node have come to MPI_Finalize: those of others may still ask for its memory. */
static void serve_until_all_end(void)
{
    int done;
    MPI_Request request;
    MPI_Ibarrier(peers, &request);
    order_state = NOT_EXPECTED;
    do {
        armcii_progress_loop_step();
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    } while (!done);
    armcii_server_end();
    armcii_progress_loop_end();
}

static void map(void)
{
    char *memory = armcii_segment_open(&order.segment, order.bytes);
    MPI_Send(&memory, (int)sizeof memory, MPI_BYTE, order_sender, TAG_ANSWER, kept);
}

enum progress_rank_event armcii_progress_rank_serve(void)
{
    static bool started;
    static int goodbyes;
    if (!started) armcii_progress_loop_start(&policy);
    started = true;
    for (;;) {
        await_order();
        switch (order.kind) {
        case ORDER_MAP:
            map();
            break;
        case ORDER_UNMAP:
            armcii_server_release(order.memory, order.memory + order.bytes);
            munmap(order.memory, order.bytes);
            break;
        case ORDER_START: return PROGRESS_RANK_STARTED;
        case ORDER_DISMISS: return PROGRESS_RANK_STOPPED;
        case ORDER_GOODBYE:
            if (++goodbyes < here) break;
            serve_until_all_end();
            return PROGRESS_RANK_FINALIZE;
        }
    }
}
