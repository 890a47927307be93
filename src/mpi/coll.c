/* coll.c - nonblocking collectives and messages with progress, reductions and selection. */
#include "mpi/coll.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <armci.h>

#include "base/config.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/processors.h"
#include "mpi/blocking.h"

static bool nonblocking = true;

void armcii_coll_start(bool wanted, MPI_Comm comm)
{
    nonblocking = !armcii_coll_all(!wanted, comm);
}

void armcii_coll_end(void)
{
    nonblocking = true;
}

static void progress_or_backoff(struct backoff *p)
{
    if (armcii_backoff.progress())
        *p = (struct backoff){0};
    else
        armcii_backoff_yield(p);
}

static void wait_request(MPI_Request *request)
{
    struct backoff p = {0};
    for (;;) {
        int done;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        progress_or_backoff(&p);
    }
}

void armcii_coll_wait(MPI_Request *request)
{
    unsigned entries = armcii_lock_suspend();
    wait_request(request);
    armcii_lock_resume(entries);
}

/* Calls the nonblocking function and waits with progress, or calls the blocking one. */
#define CALL(NONBLOCKING, BLOCKING, ...)                                                           \
    do {                                                                                           \
        unsigned entries = armcii_lock_suspend();                                                  \
        if (nonblocking) {                                                                         \
            MPI_Request request;                                                                   \
            NONBLOCKING(__VA_ARGS__, &request);                                                    \
            wait_request(&request);                                                                \
        } else {                                                                                   \
            BLOCKING(__VA_ARGS__);                                                                 \
        }                                                                                          \
        armcii_lock_resume(entries);                                                               \
    } while (0)

void armcii_coll_barrier(MPI_Comm comm)
{
    CALL(MPI_Ibarrier, MPI_Barrier, comm);
}

void armcii_coll_bcast(void *buffer, int bytes, int root, MPI_Comm comm)
{
    CALL(MPI_Ibcast, MPI_Bcast, buffer, bytes, MPI_BYTE, root, comm);
}

void armcii_coll_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm)
{
    CALL(MPI_Iallreduce, MPI_Allreduce, from, to, n, type, op, comm);
}

bool armcii_coll_all(bool mine, MPI_Comm comm)
{
    int good = mine, all;
    armcii_coll_allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}

void armcii_coll_sendrecv(const void *out, struct peer to, void *in, struct peer from, int bytes,
                          MPI_Comm comm)
{
    MPI_Request requests[2];
    unsigned entries = armcii_lock_suspend();
    MPI_Irecv(in, bytes, MPI_BYTE, from.rank, from.tag, comm, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, to.rank, to.tag, comm, &requests[1]);
    wait_request(&requests[0]);
    wait_request(&requests[1]);
    armcii_lock_resume(entries);
}

/* Bruck's algorithm: in round i each member sends what it has to the member 2^i ranks above, as in
 * a dissemination barrier.  Open MPI's nonblocking allgather sends to all members. */
void armcii_coll_allgather(const struct ring *r, const void *mine, void *all, int bytes)
{
    size_t item = (size_t)bytes, first = (size_t)(r->rank + 1) * item,
           size = (size_t)r->size * item;
    char *items = armcii_alloc((size_t)r->size, item, "tables of %d processes", r->size);
    /* items of the next member, the one after it, ..., the caller: collected from the end */
    memcpy(items + size - item, mine, item);
    for (int i = 0, n = 1; n < r->size; i++, n *= 2) {
        int above = (r->rank + n) % r->size, below = (r->rank - n + r->size) % r->size,
            missing = r->size - n;
        struct peer to = {r->process ? r->process[above] : above, r->tag};
        struct peer from = {r->process ? r->process[below] : below,
                            r->peer_tag ? r->peer_tag[i] : r->tag};
        size_t bytes_now = (size_t)(n < missing ? n : missing) * item;
        char *collected = items + size - (size_t)n * item;
        armcii_coll_sendrecv(items + size - bytes_now, to, collected - bytes_now, from,
                             (int)bytes_now, r->comm);
    }
    memcpy((char *)all + first, items, size - first);
    memcpy(all, items + size - first, first);
    free(items);
}

void armcii_coll_send(const void *buffer, int bytes, int to, int tag, MPI_Comm comm)
{
    CALL(MPI_Isend, MPI_Send, buffer, bytes, MPI_BYTE, to, tag, comm);
}

static void wait_for_message(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct backoff p = {0};
    int arrived = 0;
    for (;;) {
        MPI_Iprobe(from, tag, comm, &arrived, status);
        if (arrived) return;
        progress_or_backoff(&p);
    }
}

void armcii_coll_probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    unsigned entries = armcii_lock_suspend();
    if (nonblocking)
        wait_for_message(from, tag, comm, status);
    else
        MPI_Probe(from, tag, comm, status);
    armcii_lock_resume(entries);
}

/* Starts to receive the probed message if it fits; false: another thread received it.  Under the
 * global lock no other thread can receive between the probe and MPI_Irecv.  MPI_Mprobe is not an
 * option: it would remove a message that is too long. */
static bool start_receive(void *buffer, int room, int from, int tag, MPI_Comm comm,
                          MPI_Status *status, MPI_Request *request)
{
    int still = 1, length;
    if (armcii_lock_is_enabled()) MPI_Iprobe(from, tag, comm, &still, status);
    if (!still) return false;
    MPI_Get_count(status, MPI_BYTE, &length);
    *request = MPI_REQUEST_NULL;
    if (length <= room) MPI_Irecv(buffer, room, MPI_BYTE, status->MPI_SOURCE, tag, comm, request);
    return true;
}

bool armcii_coll_receive(void *buffer, int room, int from, int tag, MPI_Comm comm,
                         MPI_Status *status)
{
    MPI_Request request;
    bool started;
    do {
        armcii_coll_probe(from, tag, comm, status);
        armcii_lock_enter();
        started = start_receive(buffer, room, from, tag, comm, status, &request);
        armcii_lock_exit();
    } while (!started);
    if (request == MPI_REQUEST_NULL) return false;
    if (nonblocking)
        wait_request(&request);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return true;
}

/* ---- creation of communicators ---- */

int armcii_coll_dup(MPI_Comm comm, MPI_Comm *copy)
{
    MPI_Request request;
    int code = MPI_Comm_idup(comm, copy, &request);
    if (code == MPI_SUCCESS) armcii_coll_wait(&request);
    return code;
}

int armcii_coll_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    struct blocking call;
    armcii_blocking_begin(&call);
    int code = MPI_Comm_split(comm, color, key, part);
    armcii_blocking_end(&call);
    return code;
}

MPI_Comm armcii_coll_split_by_node(MPI_Comm comm, int key)
{
    MPI_Comm part;
    struct blocking call;
    armcii_blocking_begin(&call);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &part);
    armcii_blocking_end(&call);
    return part;
}

/* Variables of MPICH that make nodes of parts of a host. */
static bool is_host_divided(void)
{
    static const char *const names[] = {
        "MPIR_CVAR_NOLOCAL",          "MPIR_CVAR_CH3_NOLOCAL",          "MPIR_CVAR_NUM_CLIQUES",
        "MPIR_CVAR_ODD_EVEN_CLIQUES", "MPIR_CVAR_CH3_ODD_EVEN_CLIQUES", "MPICH_NOLOCAL",
        "MPICH_NUM_CLIQUES",          "MPICH_ODD_EVEN_CLIQUES"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (armcii_config_variable(names[i])) return true;
    return false;
}

/* The host of this process, where MPI_Comm_split_type is MPI's own and would make one node of it;
 * else 0.  MPI says who shares its memory; this library's is shared by whatever runs on a kernel.
 */
static uint64_t node_id(void)
{
    int (*volatile of_job)(MPI_Comm, int, int, MPI_Info, MPI_Comm *) = MPI_Comm_split_type;
    int (*volatile of_mpi)(MPI_Comm, int, int, MPI_Info, MPI_Comm *) = PMPI_Comm_split_type;
    bool is_one = of_job == of_mpi && !is_host_divided();
    return is_one ? armcii_host_id() : 0;
}

/* The complement turns MPI_MAX into a minimum. */
bool armcii_coll_is_one_node(MPI_Comm comm)
{
    uint64_t id = node_id(), mine[2] = {id, ~id}, highest[2];
    armcii_coll_allreduce(mine, highest, 2, MPI_UINT64_T, MPI_MAX, comm);
    return highest[0] == ~highest[1] && highest[0] != 0;
}

static MPI_Group group_of(MPI_Comm comm, int n, const int ranks[])
{
    MPI_Group all, some;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, n, ranks, &some);
    MPI_Group_free(&all);
    return some;
}

int armcii_coll_create(MPI_Comm comm, int n, const int ranks[], int tag, MPI_Comm *part)
{
    MPI_Group some = group_of(comm, n, ranks);
    struct blocking call;
    armcii_blocking_begin(&call);
    int code = MPI_Comm_create_group(comm, some, tag, part);
    armcii_blocking_end(&call);
    MPI_Group_free(&some);
    return code;
}

int armcii_coll_create_by_all(MPI_Comm comm, int n, const int ranks[], MPI_Comm *part)
{
    MPI_Group some = group_of(comm, n, ranks);
    struct blocking call;
    armcii_blocking_begin(&call);
    int code = MPI_Comm_create(comm, some, part);
    armcii_blocking_end(&call);
    MPI_Group_free(&some);
    return code;
}

/* ---- reductions and selection ---- */

size_t armcii_message_type_size(int type)
{
    switch (type) {
    case ARMCI_INT: return sizeof(int);
    case ARMCI_LONG: return sizeof(long);
    case ARMCI_LONG_LONG: return sizeof(long long);
    case ARMCI_FLOAT: return sizeof(float);
    case ARMCI_DOUBLE: return sizeof(double);
    default: return 0;
    }
}

static bool is_integer(int type)
{
    return type == ARMCI_INT || type == ARMCI_LONG || type == ARMCI_LONG_LONG;
}

static MPI_Datatype mpi_type(int type)
{
    switch (type) {
    case ARMCI_INT: return MPI_INT;
    case ARMCI_LONG: return MPI_LONG;
    case ARMCI_LONG_LONG: return MPI_LONG_LONG;
    case ARMCI_FLOAT: return MPI_FLOAT;
    default: return MPI_DOUBLE;
    }
}

/* Only the beginning of a name is compared: Fortran callers pass names that are padded or not
 * terminated. */
bool armcii_reduction_find(const char *op, int type, struct reduction *r)
{
    static const struct {
        const char *name;
        enum { SUM, PRODUCT, LARGEST, SMALLEST, BIT_OR, AND, OR } op;
        bool absolute, integers_only;
    } operators[] = {
        {"+", SUM, false, false},         {"*", PRODUCT, false, false},
        {"max", LARGEST, false, false},   {"min", SMALLEST, false, false},
        {"absmax", LARGEST, true, false}, {"absmin", SMALLEST, true, false},
        {"or", BIT_OR, false, true},      {"&&", AND, false, true},
        {"||", OR, false, true},          {"land", AND, false, true},
        {"lor", OR, false, true},
    };
    const MPI_Op mpi_op[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BOR, MPI_LAND, MPI_LOR};
    if (!op || armcii_message_type_size(type) == 0) return false;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (strncmp(op, operators[i].name, strlen(operators[i].name)) != 0) continue;
        if (operators[i].integers_only && !is_integer(type)) return false;
        *r = (struct reduction){mpi_op[operators[i].op], mpi_type(type), type,
                                operators[i].absolute};
        return true;
    }
    return false;
}

static void make_absolute(int type, void *x, int n)
{
    for (int i = 0; i < n; i++)
        switch (type) {
        case ARMCI_INT: ((int *)x)[i] = abs(((int *)x)[i]); break;
        case ARMCI_LONG: ((long *)x)[i] = labs(((long *)x)[i]); break;
        case ARMCI_LONG_LONG: ((long long *)x)[i] = llabs(((long long *)x)[i]); break;
        case ARMCI_FLOAT: ((float *)x)[i] = __builtin_fabsf(((float *)x)[i]); break;
        default: ((double *)x)[i] = __builtin_fabs(((double *)x)[i]); break;
        }
}

void armcii_reduce_all(MPI_Comm comm, const struct reduction *r, void *x, int n)
{
    if (r->absolute) make_absolute(r->armci_type, x, n);
    armcii_coll_allreduce(MPI_IN_PLACE, x, n, r->type, r->op, comm);
}

void armcii_reduce_root(MPI_Comm comm, const struct reduction *r, void *x, int n)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (r->absolute) make_absolute(r->armci_type, x, n);
    CALL(MPI_Ireduce, MPI_Reduce, rank == 0 ? MPI_IN_PLACE : x, x, n, r->type, r->op, 0, comm);
}

/* Does the caller contribute the best key of all contributors? */
static bool is_best_integer(MPI_Comm comm, const void *x, bool largest, int type, bool contribute)
{
    long long key = largest ? LLONG_MIN : LLONG_MAX, best;
    if (contribute && type == ARMCI_INT) key = *(const int *)x;
    if (contribute && type == ARMCI_LONG) key = *(const long *)x;
    if (contribute && type == ARMCI_LONG_LONG) key = *(const long long *)x;
    armcii_coll_allreduce(&key, &best, 1, MPI_LONG_LONG, largest ? MPI_MAX : MPI_MIN, comm);
    return contribute && key == best;
}

static bool is_best_real(MPI_Comm comm, const void *x, bool largest, int type, bool contribute)
{
    double key = largest ? -INFINITY : INFINITY, best;
    if (contribute) key = type == ARMCI_FLOAT ? (double)*(const float *)x : *(const double *)x;
    armcii_coll_allreduce(&key, &best, 1, MPI_DOUBLE, largest ? MPI_MAX : MPI_MIN, comm);
    return contribute && !(key < best) && !(key > best);
}

void armcii_select(MPI_Comm comm, void *x, int bytes, bool largest, int type, bool contribute)
{
    bool best = is_integer(type) ? is_best_integer(comm, x, largest, type, contribute)
                                 : is_best_real(comm, x, largest, type, contribute);
    int rank, candidate, winner;
    MPI_Comm_rank(comm, &rank);
    candidate = best ? rank : INT_MAX;
    armcii_coll_allreduce(&candidate, &winner, 1, MPI_INT, MPI_MIN, comm);
    if (winner != INT_MAX) armcii_coll_bcast(x, bytes, winner, comm);
}
