/* aggregate.h - a list of small requests of an aggregate handle that are issued together, as one
 * vector transfer: of one kind, to one slice of a process; accumulates of one type and scale. */
#ifndef ARMCII_AGGREGATE_H
#define ARMCII_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <armci.h>

#include "core/op.h"
#include "mem/lookup.h"
#include "shape/shape.h"

/* What the requests of a list have in common, except for the slice. */
struct aggregate_key {
    int target;
    struct op_verb verb;
    const void *scale; /* accumulate: one element */
};

/* Bounds of one list: a request that does not fit lets the others be issued first. And of one
 * request; and of a strided one, whose segments share one description if it is alone. */
enum {
    AGGREGATE_SEGMENTS = 4096,
    AGGREGATE_BYTES = 256 << 10,
    AGGREGATE_REQUEST_BYTES = 16 << 10,
    AGGREGATE_ROWS = 64
};

struct aggregate {
    size_t n, limit;     /* segments; how many there may be before armcii_aggregate_add is needed: 0
                            if n is 0, and all below is invalid */
    uint64_t course;     /* armcii_aggregate_course of all */
    uint64_t cookie;     /* of the handle */
    size_t bytes;        /* of each segment of the last run */
    uintptr_t lo;        /* the slice begins */
    uintptr_t last;      /* the last place for such a segment, from there */
    uint64_t generation; /* of the lookup of the slice */
    bool joins;          /* the list is for more than contiguous requests */
    void **local, **remote; /* [room] */
    size_t room;
    int target;
    struct op_verb verb;
    struct vector_run *runs; /* of segments of equal length; only `bytes` is valid, and n of all but
                                the last, until armcii_aggregate_make_op */
    size_t run_count, run_room;
    size_t run_begin;  /* the first segment of the last run */
    size_t bytes_left; /* of AGGREGATE_BYTES when the last run began */
    struct raddr raddr;
    struct buffer *copies; /* local bytes of requests added with `copy` */
    const char *caller;    /* of the first request, for messages */
    char scale[16];        /* accumulate */
};

/* ---- fast path ----
 *
 * Segments that match a list and lie in the slice of its last lookup. */

/* The lists that were last used, by kind and target; they may be empty. */
enum { AGGREGATE_RECENT = 16 };
extern struct aggregate *armcii_aggregate_recent[AGGREGATE_RECENT];
/* When lists are freed. */
void armcii_aggregate_forget(void);

/* A kind and a target in one word. */
static inline uint64_t armcii_aggregate_course(enum op_kind kind, int target)
{
    return (uint64_t)kind << 32 | (unsigned)target;
}

static inline struct aggregate **armcii_aggregate_recent_of(uint64_t course)
{
    return &armcii_aggregate_recent[(4 * course + (course >> 32)) % AGGREGATE_RECENT];
}

static inline uint64_t armcii_aggregate_cookie(const armci_hdl_t *handle)
{
    uint64_t cookie;
    _Static_assert(sizeof cookie == sizeof *handle, "a handle has 8 bytes");
    memcpy(&cookie, handle, sizeof cookie);
    return cookie;
}

/* Add a put or get; false, with nothing added, if it does not match the list of the last one. */
static inline bool armcii_aggregate_append_next(const armci_hdl_t *handle, enum op_kind kind,
                                                int target, void *local, void *remote, size_t bytes)
{
    const uint64_t course = armcii_aggregate_course(kind, target);
    struct aggregate *a = *armcii_aggregate_recent_of(course);
    const size_t n = a->n;
    if (n >= a->limit || a->course != course || a->cookie != armcii_aggregate_cookie(handle) ||
        a->bytes != bytes || (uintptr_t)remote - a->lo > a->last ||
        a->generation != armcii_lookup_generation)
        return false;
    a->local[n] = local;
    a->remote[n] = remote;
    a->n = n + 1;
    return true;
}

static inline bool armcii_aggregate_same_scale(enum element e, const void *x, const void *y)
{
    const size_t size = armcii_elements[e].size;
    return size == 8   ? memcmp(x, y, 8) == 0
           : size == 4 ? memcmp(x, y, 4) == 0
                       : memcmp(x, y, 16) == 0;
}

/* True if the list has requests like these; their slice may be another one. */
static inline bool armcii_aggregate_is_like(const struct aggregate *a,
                                            const struct aggregate_key *key)
{
    if (a->n == 0 || a->course != armcii_aggregate_course(key->verb.kind, key->target))
        return false;
    if (key->verb.kind != OP_ACC) return true;
    return a->verb.element == key->verb.element &&
           armcii_aggregate_same_scale(key->verb.element, a->scale, key->scale);
}

/* The same, with the address in the slice of the list. */
static inline bool armcii_aggregate_is_for(const struct aggregate *a,
                                           const struct aggregate_key *key, const void *remote)
{
    return armcii_aggregate_is_like(a, key) && a->generation == armcii_lookup_generation &&
           (uintptr_t)remote - a->lo < (uintptr_t)a->raddr.hi - a->lo;
}

/* The list of the last request of that kind to that target, if it is for these and belongs to that
 * handle; else NULL. */
static inline struct aggregate *armcii_aggregate_recent_for(const armci_hdl_t *handle,
                                                            const struct aggregate_key *key,
                                                            const void *remote)
{
    const uint64_t course = armcii_aggregate_course(key->verb.kind, key->target);
    struct aggregate *a = *armcii_aggregate_recent_of(course);
    if (a->cookie != armcii_aggregate_cookie(handle) || !armcii_aggregate_is_for(a, key, remote))
        return NULL;
    return a;
}

/* n segments of `bytes` bytes, at distances of local_stride and remote_stride. */
struct aggregate_rows {
    char *local, *remote;
    ptrdiff_t local_stride, remote_stride;
    size_t bytes, n;
};
/* Add segments to a list that is for them; false, with nothing added: use armcii_aggregate_add. */
bool armcii_aggregate_append_rows(struct aggregate *a, const struct aggregate_rows *rows);
bool armcii_aggregate_append_list(struct aggregate *a, const struct vector_run *segments);

/* ---- any request ---- */

/* True if op, in the slice of *raddr, is cheaper together with others than at once. */
bool armcii_aggregate_accepts(const struct op *op, const struct raddr *raddr);
/* True if the list has requests like op to the same slice. */
bool armcii_aggregate_matches(const struct aggregate *a, const struct op *op,
                              const struct raddr *raddr);
/* True if the list is empty, or matches and op fits. */
bool armcii_aggregate_has_room(const struct aggregate *a, const struct op *op,
                               const struct raddr *raddr);
/* Add op, which armcii_aggregate_accepts, to a list that has room; with `copy`, copy its local
 * bytes (a contiguous put of at most 16). The arrays that describe op are not needed any more. */
void armcii_aggregate_add(struct aggregate *a, const armci_hdl_t *handle, const struct op *op,
                          const struct raddr *raddr, bool copy);
/* True if a request for the target is in the list (-1: for any). */
static inline bool armcii_aggregate_has(const struct aggregate *a, int target)
{
    return a->n > 0 && (target < 0 || a->target == target);
}
/* Describe all requests as one transfer, which refers to *a; false if the list is empty. */
bool armcii_aggregate_make_op(struct aggregate *a, struct op *op);
/* After the transfer of *sent was started and took over its copies: reuse the arrays of *sent in
 * *a, or free them if *a has arrays. */
void armcii_aggregate_recycle(struct aggregate *sent, struct aggregate *a);
void armcii_aggregate_free(struct aggregate *a);

#endif
