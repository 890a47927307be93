/* aside.c - ranks set aside as agents: who they are, what they are told, and what they do with their time. */
#define _GNU_SOURCE
#include "server/aside.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "base/config.h"
#include "base/error.h"
#include "base/guard.h"
#include "base/wait.h"
#include "server/agent.h"
#include "server/doze.h"
#include "server/wire.h"

/* From the first start until MPI ends. */
static MPI_Comm kept = MPI_COMM_NULL; /* the program's processes and, behind them, those set aside */
static MPI_Comm peers;                /* of one set aside: all of them */
static int count_aside, size;         /* those set aside, the program's processes */
static int here;                      /* processes of the program on this host */
static bool is_first;                 /* of them */
static int agent;                     /* the one set aside on this host, its rank in kept */
static const char *remark;

/* What the processes of a host tell the one set aside there; it answers ORDER_MAP by the address. */
enum order_kind { ORDER_START, ORDER_MAP, ORDER_UNMAP, ORDER_DISMISS, ORDER_GOODBYE };
struct order {
    enum order_kind kind;
    struct invitation segment; /* to map */
    size_t bytes;
    char *memory;              /* to unmap */
};
enum { TAG_ORDER = 1, TAG_ANSWER };

/* ---- who is set aside ---- */

/* What is asked of all processes; the least counts. */
struct census {
    int on_host; /* processes */
    int memfd;   /* the host shares memory by files */
    int fresh;   /* nobody was set aside before */
};

static struct census take_census(MPI_Comm comm, MPI_Comm host)
{
    struct census mine = {.fresh = kept == MPI_COMM_NULL}, least;
    enum shm_policy shm = armcii_config->shm;
    MPI_Comm_size(host, &mine.on_host);
    mine.memfd = (shm == SHM_AUTO || shm == SHM_MEMFD) && armcii_segment_try(SEGMENT_MEMFD, host);
    MPI_Allreduce(&mine, &least, (int)(sizeof mine / sizeof(int)), MPI_INT, MPI_MIN, comm);
    return least;
}

static const char *why_nobody(MPI_Comm comm, const struct census *least)
{
    int all;
    MPI_Comm_size(comm, &all);
    if (!least->fresh) return "ranks were set aside at an earlier start on other processes";
    return least->on_host == all ? "all processes are on one host, where nothing needs an agent" : NULL;
}

static const char *why_impossible(const struct census *least)
{
    if (armcii_config->transport == TRANSPORT_RMA) return "a rank set aside serves requests, and with ARMCI_TRANSPORT=rma there are none";
    if (!least->memfd) return "a rank set aside serves memory that its host shares by memfd, and there is none (ARMCI_SHM, containers?)";
    return least->on_host < 2 ? "there must be two processes on each host, since one of them is set aside" : NULL;
}

/* The last process of each host is. */
static void set_aside(MPI_Comm comm, MPI_Comm host)
{
    int rank, on_host, all;
    MPI_Comm_rank(host, &rank);
    MPI_Comm_size(host, &on_host);
    MPI_Comm_size(comm, &all);
    here = on_host - 1;
    is_first = rank == 0;
    bool mine = rank == here;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split(comm, 0, mine ? INT_MAX : rank, &kept);
    MPI_Comm_split(comm, mine, rank, &peers);
    MPI_Comm_size(peers, &size);
    if (mine) size = all - size;
    count_aside = all - size;
    if (!mine) MPI_Comm_free(&peers);
    MPI_Comm_rank(kept, &agent);
    MPI_Bcast(&agent, 1, MPI_INT, here, host);
}

static const char *choose_first(MPI_Comm comm)
{
    int rank;
    MPI_Comm host;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    struct census least = take_census(comm, host);
    remark = why_nobody(comm, &least);
    const char *obstacle = remark ? NULL : why_impossible(&least);
    if (!remark && !obstacle) set_aside(comm, host);
    MPI_Comm_free(&host);
    return obstacle;
}

/* ---- starting again ---- */

/* All of kept come together, the program's processes in the order of their keys. */
static void gather(int key, MPI_Comm *all, int *aside)
{
    MPI_Comm_split(kept, 0, key, all);
    *aside = count_aside;
}

void armcii_aside_join(MPI_Comm *all, int *aside)
{
    gather(INT_MAX, all, aside);
}

enum membership { OTHERS, THE_SAME, PART_OF_THEM };

static int size_of(MPI_Group g)
{
    int n;
    MPI_Group_size(g, &n);
    return n;
}

/* Those set aside cannot be asked for anything but to serve all that they served before: does comm mean these?  It may include those set
 * aside, as MPI_COMM_WORLD does.  PART_OF_THEM: it includes some that are set aside, but is not the same otherwise. */
static enum membership membership_of(MPI_Comm comm)
{
    MPI_Group asked, all, program, aside, left;
    int same, range[1][3] = {{0, size - 1, 1}};
    MPI_Comm_group(comm, &asked);
    MPI_Comm_group(kept, &all);
    MPI_Group_range_incl(all, 1, range, &program);
    MPI_Group_range_excl(all, 1, range, &aside);
    MPI_Group_difference(asked, aside, &left);
    MPI_Group_compare(left, program, &same);
    bool any_aside = size_of(left) < size_of(asked);
    if (left != MPI_GROUP_EMPTY) MPI_Group_free(&left);
    MPI_Group_free(&aside);
    MPI_Group_free(&program);
    MPI_Group_free(&all);
    MPI_Group_free(&asked);
    return same != MPI_UNEQUAL ? THE_SAME : any_aside ? PART_OF_THEM : OTHERS;
}

static void tell(const struct order *o)
{
    MPI_Send(o, (int)sizeof *o, MPI_BYTE, agent, TAG_ORDER, kept);
}

static void start_again(MPI_Comm comm, MPI_Comm *all, int *aside)
{
    int rank;
    if (is_first) tell(&(struct order){.kind = ORDER_START});
    MPI_Comm_rank(comm, &rank);
    gather(rank, all, aside);
    remark = NULL;
}

const char *armcii_aside_choose(MPI_Comm comm, MPI_Comm *all, int *aside)
{
    enum membership m = kept == MPI_COMM_NULL ? OTHERS : membership_of(comm);
    *all = comm;
    *aside = 0;
    remark = NULL;
    if (m == PART_OF_THEM) armcii_fatal("a start on a communicator with ranks that were set aside as agents for other processes");
    if (m == THE_SAME) {
        start_again(comm, all, aside);
        return NULL;
    }
    if (armcii_config->progress != PROGRESS_RANK) return NULL;
    const char *obstacle = choose_first(comm);
    if (!remark && !obstacle) {
        int rank;
        MPI_Comm_rank(kept, &rank);
        gather(rank < size ? rank : INT_MAX, all, aside);
    }
    return obstacle;
}

bool armcii_aside_is_somebody(void)
{
    return kept != MPI_COMM_NULL;
}

const char *armcii_aside_remark(void)
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

void armcii_aside_prepare_goodbye(void)
{
    int key;
    if (kept == MPI_COMM_NULL) return;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, say_goodbye, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_free_keyval(&key); /* when the attribute has gone */
}

void armcii_aside_dismiss(void)
{
    if (is_first) tell(&(struct order){.kind = ORDER_DISMISS});
}

static void wait_for(MPI_Request *request)
{
    struct patience p = {0};
    int done;
    unsigned entries = armcii_guard_release(); /* answers come in the order of the orders */
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE)) armcii_wait_turn(&p);
    armcii_guard_retake(entries);
}

char *armcii_aside_map(const struct invitation *segment, size_t bytes)
{
    char *memory;
    MPI_Request answer;
    MPI_Irecv(&memory, (int)sizeof memory, MPI_BYTE, agent, TAG_ANSWER, kept, &answer);
    tell(&(struct order){.kind = ORDER_MAP, .segment = *segment, .bytes = bytes});
    wait_for(&answer);
    return memory;
}

void armcii_aside_unmap(char *memory, size_t bytes)
{
    tell(&(struct order){.kind = ORDER_UNMAP, .memory = memory, .bytes = bytes});
}

/* ---- the life of one set aside ---- */

static struct order order;
static MPI_Request order_to_come = MPI_REQUEST_NULL;
static int goodbyes;

static struct wire_inbox orders(void)
{
    return (struct wire_inbox){kept, TAG_ORDER, (int)sizeof order};
}

static void map(const struct order *o, int client)
{
    char *memory = armcii_segment_open(&o->segment, o->bytes);
    MPI_Send(&memory, (int)sizeof memory, MPI_BYTE, client, TAG_ANSWER, kept);
}

static struct {
    long last;         /* when there was something to do, in microseconds */
    bool slept, heard; /* it has slept since; something came on a socket and ended the last sleep */
} mind;

/* It has a processor to itself, if there are enough; else it sleeps like the library's thread, but never as long as that one does where it
 * hears what comes: orders come by shared memory. */
static void rest(long idle)
{
    enum { BUSY = 100, WARM = 20000, NAP = 50, REST = 1000 };
    if (idle < BUSY) {
        armcii_pause();
    } else if (idle < WARM && armcii_wait_spins == WAIT_SPINS) {
        sched_yield();
    } else {
        mind.heard = armcii_doze(idle < WARM ? NAP : REST);
        mind.slept = true;
    }
}

/* After a look for something to do. */
static void go_on(bool any)
{
    long now = armcii_clock();
    if (!any) {
        rest(now - mind.last);
        return;
    }
    if (mind.slept) armcii_doze_found(mind.heard);
    mind.slept = false;
    mind.last = now;
}

/* MPI may need several looks for one message: the first reads it, the next hands it over. */
static bool work(bool *has_order, int *client)
{
    enum { LOOKS = 3 };
    bool any = false;
    struct wire_inbox inbox = orders();
    *has_order = false;
    for (int i = 0; i < LOOKS && !any && !*has_order; i++) {
        any = armcii_agent_serve();
        *has_order = armcii_wire_arrived(&inbox, &order, &order_to_come, client);
    }
    return any || *has_order;
}

/* Serve until the next order; returns whose it is. */
static int await_order(void)
{
    bool has_order;
    int client;
    struct wire_inbox inbox = orders();
    if (order_to_come == MPI_REQUEST_NULL) armcii_wire_expect(&inbox, &order, &order_to_come);
    for (;;) {
        go_on(work(&has_order, &client));
        if (has_order) return client;
    }
}

/* All processes of this host have come to MPI_Finalize: those of others may still ask for its memory. */
static void serve_until_all_end(void)
{
    int done;
    MPI_Request request;
    MPI_Ibarrier(peers, &request);
    do {
        go_on(armcii_agent_serve());
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    } while (!done);
    armcii_agent_end();
    armcii_doze_end();
}

static void begin_once(void)
{
    static bool begun;
    if (begun) return;
    begun = true;
    prctl(PR_SET_TIMERSLACK, 1000UL); /* nanoseconds: sleep is as long as asked for */
    armcii_doze_start();
}

enum aside_event armcii_aside_serve(void)
{
    begin_once();
    for (;;) {
        int client = await_order();
        switch (order.kind) {
        case ORDER_MAP: map(&order, client); break;
        case ORDER_UNMAP:
            armcii_agent_release(order.memory, order.memory + order.bytes);
            munmap(order.memory, order.bytes);
            break;
        case ORDER_START: return ASIDE_STARTED;
        case ORDER_DISMISS: return ASIDE_DISMISSED;
        case ORDER_GOODBYE:
            if (++goodbyes < here) break;
            serve_until_all_end();
            return ASIDE_MPI_ENDS;
        }
    }
}
