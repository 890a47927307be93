/* transport.h - the interface that every transport implements, and the data it works on. core/
 * resolves a remote address (struct raddr), and the route in it names the transport (route.h).
 * Unless stated otherwise, functions are called under the global lock, which they may suspend while
 * they wait for another process; sizes and lengths are in bytes; ranks are ranks in the world. */
#ifndef ARMCII_TRANSPORT_H
#define ARMCII_TRANSPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/lock.h"
#include "mpi/team.h"
#include "node/range.h"
#include "shape/accumulate.h"
#include "shape/shape.h"

struct route;
struct transport;

enum { MAX_TRANSPORTS = 4 };

/* Global memory: one slice per member of a team. */
struct region {
    struct team *team;
    size_t largest;          /* bytes of the largest slice */
    size_t *bytes;           /* [team size]; NULL: see runs */
    struct slice_runs *runs; /* of members with equal slices; NULL, where bytes is NULL, too: all
                                slices have `largest` bytes */
    struct range range;      /* of the heap; then base is NULL */
    char **base; /* [team size], in the owner's address space; NULL for a slice of 0 bytes */
    int mode;    /* access mode: ARMCIX_MODE_... */
    bool memget; /* the region of ARMCI_Memget: its slices are what single processes allocate */
    const struct route *near; /* to slices that are mapped here */
    const struct route *far;  /* to all others */
    void *attached;           /* by a transport: what that keeps; NULL: none has attached it */
};

/* The members from the end of the previous run up to, but not including, `end`. */
struct slice_run {
    int end;
    size_t bytes; /* of each slice */
};
struct slice_runs {
    int n;
    struct slice_run run[];
};
/* The run of a member, of a region that has runs. */
const struct slice_run *armcii_slice_run(const struct region *r, int member);

/* Bytes of a member's slice. */
static inline size_t armcii_slice_bytes(const struct region *r, int member)
{
    if (r->bytes) return r->bytes[member];
    return r->runs ? armcii_slice_run(r, member)->bytes : r->largest;
}

/* The address of a member's slice in that process; NULL for a slice of 0 bytes. */
char *armcii_region_base(const struct region *r, int member);

/* The kinds of operations, as bits, that break the access mode and are refused, which they are with
 * ARMCI_DEBUG_ALLOC only; slices are not accessed directly then. */
unsigned armcii_region_refuses(const struct region *r);

/* A resolved remote address: the slice it lies in, and its route. */
struct raddr {
    char *lo, *hi; /* the slice, in the target's address space */
    struct region *region;
    int rank;        /* of the target in the region's team */
    bool is_mapped;  /* it can be loaded and stored here, at the same addresses */
    bool is_assumed; /* it is as much of ARMCI_Memget's memory as the operation needs: where that
                        begins and ends is not known */
    const struct route *route;
};

/* A list of the library's buffers that an operation needs until it is complete locally. */
struct buffer {
    struct buffer *next;
    size_t bytes;
    _Alignas(16) char data[];
};
struct buffer *armcii_buffer_new(size_t bytes); /* NULL: out of memory */
void armcii_buffers_free(struct buffer *list);

/* The flag behind the data of a put. A transport that applies in order puts both and sets
 * is_carried: nobody sees the flag before the puts and accumulates that this process has started
 * towards the target, and it arrives without further calls. */
struct op_flag {
    int *address; /* at the target of the put */
    int value;
    bool is_carried;
};

/* A put, get or accumulate of any shape. */
struct op {
    const char *caller; /* the public function, for messages */
    struct op_verb verb;
    const void *scale; /* accumulate: one element; NULL: 1 */
    int target;
    char *lo, *hi; /* the remote side is within [lo, hi); if contiguous, hi may have wrapped */
    struct shape shape;
    struct op_flag *flag; /* NULL: none */
    bool more; /* the caller starts another operation towards the target, or a fence, at once: a
                  message with this one may wait for that */
};

/* True if an accumulate multiplies its data. */
bool armcii_op_is_scaled(const struct op *op);
/* Give the shape of op with its local side packed into a new buffer, scaled where the operation is;
 * the buffer is added to *buffers. 0 or ARMCI_ERR_MEMORY. */
int armcii_op_pack(const struct op *op, struct shape *packed, struct buffer **buffers);

/* The path of an operation that is no load or store of this process. */
enum path {
    PATH_SERVER,       /* requests to a server */
    PATH_CONTIGUOUS,   /* one RMA call */
    PATH_DATATYPE,     /* RMA calls with derived datatypes */
    PATH_BATCHED,      /* one RMA call per segment, completed in batches */
    PATH_CONSERVATIVE, /* one RMA call per segment, each complete before the next */
    PATH_ATOMIC,       /* an atomic RMA call */
    PATHS
};

/* A word for each, for messages. */
extern const char *const armcii_path_names[PATHS];

/* Operations that this process has issued, by enum path, then messages to servers and requests
 * served here: ARMCIX_Counters. */
enum counter { COUNTER_MESSAGES = PATHS, COUNTER_SERVED, COUNTERS };
extern _Atomic(unsigned long) armcii_counters[COUNTERS];

/* One thread at a time counts by each counter. */
static inline void armcii_count(unsigned counter)
{
    _Atomic(unsigned long) *c = &armcii_counters[counter];
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* A set of operations that this process has started: those that meet all conditions. */
struct op_set {
    int target;              /* towards one process; -1: towards all */
    const struct team *team; /* towards its members; NULL: towards all */
    struct region *region;   /* NULL: on all */
};

/* Sets of bits. */
enum completion {
    COMPLETE_LOCAL = 1, /* the local memory of all of them may be used */
    COMPLETE_REMOTE = 2 /* puts and accumulates are in place */
};

/* A started operation. */
struct request {
    const struct transport *transport; /* NULL: complete locally */
    uint64_t id;                       /* for the transport */
    uint64_t channel; /* not 0: a later request to the same target on the same channel completes
                         earlier ones, too */
    int target;
    struct buffer *buffers; /* to free when it is complete locally */
};

struct transport {
    const char *name;

    /* ---- regions; collective over the region's team ---- */

    /* Prepare for operations; of the transports of a region at most one does, and may use
     * r->attached. The slices of a region that is not in the heap are allocated here, and their
     * addresses set in r->base. 0, or nonzero on every member. NULL: there is nothing to prepare,
     * and no memory but the heap's. */
    int (*region_attach)(struct region *r);
    /* Undo region_attach, and all memget_attach. No operation is in flight on the region. */
    void (*region_detach)(struct region *r);
    /* Add memory of the caller to the region of ARMCI_Memget. Not collective. May be NULL. 0, or
     * nonzero. */
    int (*memget_attach)(struct region *r, char *memory, size_t bytes);

    /* ---- put, get, accumulate ---- */

    /* Start op, whose remote side is within *raddr. *req is zero on entry. 0, or an error code
     * with nothing transferred. */
    int (*start)(const struct op *op, const struct raddr *raddr, struct request *req);
    /* True if one vector costs less than the strided or vector operations that it is made of. NULL:
     * always. */
    bool (*joins)(struct op_verb verb);
    /* Return when the request is complete locally: a get's data are there, a put's buffer may be
     * changed. It may be complete already. */
    void (*wait)(const struct request *req);
    /* True if the request is known to be complete locally. Neither waits nor makes progress. */
    bool (*is_complete)(const struct request *req);
    /* True if the request is complete locally; makes the progress that is needed to find out. */
    bool (*test)(const struct request *req);
    /* A nonblocking operation returns incomplete: wake the progress thread if it sleeps. May be
     * NULL. */
    void (*push)(void);

    /* ---- order and remote completion ---- */

    /* Another transport is about to carry `verb` on [lo, hi) of the target: complete earlier
     * operations of this one that must come before it. May be NULL: operations are complete
     * remotely when they are complete locally. */
    void (*order)(const struct raddr *raddr, int target, struct op_verb verb, const char *lo,
                  const char *hi);
    /* Return when all of these that were started before the call are complete, as the bits `how`
     * say. The cost depends on what is outstanding, not on the number of processes. With a region,
     * towards this process: what others completed there is visible to the caller's loads, and the
     * caller's stores to others. NULL where operations, except for stores of this process, are
     * complete when they start. */
    void (*complete)(const struct op_set *which, unsigned how);
    /* True if nothing is left to complete remotely. NULL as `complete`. */
    bool (*is_quiet)(void);

    /* ---- atomics ---- */

    /* Update an int or long (`bytes` = sizeof) at `remote`, naturally aligned; the operand is in
     * the first bytes of `operand`. Returns the old value, sign-extended. Earlier operations of
     * the caller there complete first. */
    long (*rmw)(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes,
                void *remote, long operand);

    /* ---- progress ---- */

    /* Make progress on this process's operations and on requests of others; true when there was
     * any. May be NULL. */
    bool (*progress)(void);
};

/* A way to queue the processes that wait for mutexes (armcii_route_mutexes). */
struct mutexes {
    /* Collective over the team: count[i] mutexes owned by member i, in a set whose name no other
     * set has. NULL, on every member, where there is no memory. */
    void *(*create)(struct team *team, const int count[], unsigned long name);
    /* The members' unlocks are complete, as after a fence. */
    void (*free)(void *set);
    /* `owner` is a rank in the team. A process has one call at a time about a mutex. */
    void (*lock)(void *set, int owner, int mutex);
    bool (*trylock)(void *set, int owner, int mutex);
    void (*unlock)(void *set, int owner, int mutex);
};

/* The transports for operations on a slice. All atomic operations on a region belong to one domain,
 * the processor's (shm, am) or MPI's (rma): the two are not atomic to each other. */
struct route {
    const char *name;
    const struct transport *contiguous; /* contiguous put and get, and others with long segments */
    const struct transport *shaped;     /* other strided and vector put and get */
    const struct transport *atomic;     /* accumulate, read-modify-write */
    bool direct;                        /* all are loads and stores */
    const struct route
        *fallback; /* where `contiguous` cannot attach, and for ARMCI_Memget; NULL: none */
};

/* Bytes of the segments, on average, of a strided or vector transfer that goes as contiguous ones
 * would. */
enum { LONG_SEGMENT = 4096 };

static inline const struct transport *
armcii_route_transport(const struct route *route, struct op_verb verb, const struct shape *s)
{
    if (verb.kind == OP_ACC) return route->atomic;
    if (s->form == SHAPE_CONTIGUOUS || s->bytes / s->nsegs >= LONG_SEGMENT)
        return route->contiguous;
    return route->shaped;
}

/* Complete operations of the route's other transports on [lo, hi) that must come before one of
 * `chosen`. */
void armcii_route_order(const struct raddr *raddr, const struct transport *chosen, int target,
                        struct op_verb verb, const char *lo, const char *hi);
/* True if one transport carries everything: none carries `shaped` alone. Then what it carried
 * before needs no order with others. */
static inline bool armcii_route_is_uniform(const struct route *route)
{
    return route->contiguous == route->atomic;
}
/* Complete remotely what all transports but one have started towards the target. */
void armcii_fence_others(const struct transport *except, int target);

/* The transports of this job, NULL-terminated: fences, waits and progress concern all of them. */
extern const struct transport *armcii_transports[MAX_TRANSPORTS + 1];
void armcii_transports_add(const struct transport *t);
bool armcii_transports_have(const struct transport *t);

/* Stores of this thread for its own operations may not be visible yet. A server drains those for
 * others before it acknowledges them. initial-exec: access needs no function call. */
extern _Thread_local bool armcii_stores_pending __attribute__((tls_model("initial-exec")));

/* Make all stores so far visible to all. */
static inline void armcii_drain_stores(void)
{
    if (!armcii_stores_pending) return;
    armcii_stores_pending = false;
    atomic_thread_fence(memory_order_seq_cst);
}

/* True if a route of the region names the transport. */
bool armcii_region_uses(const struct region *r, const struct transport *t);

/* Complete operations on all transports that carry them; COMPLETE_REMOTE drains stores, too. */
static inline void armcii_complete(const struct op_set *which, unsigned how)
{
    const struct region *region = which->region;
    if (how & COMPLETE_REMOTE) armcii_drain_stores();
    for (const struct transport **t = armcii_transports; *t; t++)
        if ((*t)->complete && (!region || armcii_region_uses(region, *t)))
            (*t)->complete(which, how);
}

/* Complete remotely what was started towards one process, all, the members of a team. */
static inline void armcii_fence(int target)
{
    armcii_complete(&(struct op_set){.target = target}, COMPLETE_REMOTE);
}
static inline void armcii_fence_all(void)
{
    armcii_fence(-1);
}
static inline void armcii_fence_team(const struct team *team)
{
    armcii_complete(&(struct op_set){.target = -1, .team = team}, COMPLETE_REMOTE);
}
/* Complete everything on the region, towards one process or all (-1); then it may be freed. */
static inline void armcii_fence_region(struct region *r, int target)
{
    armcii_complete(&(struct op_set){.target = target, .region = r},
                    COMPLETE_LOCAL | COMPLETE_REMOTE);
}
/* Complete locally what was started towards one process or all (-1). */
static inline void armcii_wait_all(int target)
{
    armcii_complete(&(struct op_set){.target = target}, COMPLETE_LOCAL);
}
bool armcii_transports_are_quiet(void);
/* One round of waiting for another thread or process: make progress, back off, let other threads
 * in. */
void armcii_progress_wait(struct backoff *b);
/* Make progress on all transports; true when there was any. */
bool armcii_progress(void);

/* Call the functions of the same name of all transports of the region. Attach: 0, or nonzero with
 * none attached. */
int armcii_region_attach(struct region *r);
void armcii_region_detach(struct region *r);

#endif
