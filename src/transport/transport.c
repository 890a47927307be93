/* transport.c - what all transports share: their list, the transports of a region, scaled data. */
#include "transport/transport.h"

#include <stdlib.h>

#include <armcix.h>

#include "base/log.h"
#include "base/lock.h"
#include "node/heap.h"

const char *const armcii_path_names[PATHS] = {
    [PATH_SERVER] = "server",   [PATH_CONTIGUOUS] = "contiguous",     [PATH_DATATYPE] = "datatype",
    [PATH_BATCHED] = "batched", [PATH_CONSERVATIVE] = "conservative", [PATH_ATOMIC] = "atomic",
};

_Atomic(unsigned long) armcii_counters[COUNTERS];
const struct transport *armcii_transports[MAX_TRANSPORTS + 1];
_Thread_local bool armcii_stores_pending __attribute__((tls_model("initial-exec")));

/* The number of transports if it is not in the list. */
static size_t index_of(const struct transport *t)
{
    size_t n = 0;
    while (armcii_transports[n] && armcii_transports[n] != t)
        n++;
    return n;
}

void armcii_transports_add(const struct transport *t)
{
    size_t n = index_of(NULL);
    if (n == MAX_TRANSPORTS) armcii_fatal("more than %d transports", MAX_TRANSPORTS);
    armcii_transports[n] = t;
    armcii_transports[n + 1] = NULL;
}

bool armcii_transports_have(const struct transport *t)
{
    return armcii_transports[index_of(t)] != NULL;
}

/* ---- all transports ---- */

bool armcii_transports_are_quiet(void)
{
    for (const struct transport **t = armcii_transports; *t; t++)
        if ((*t)->is_quiet && !(*t)->is_quiet()) return false;
    return !armcii_stores_pending;
}

bool armcii_progress(void)
{
    bool any = false;
    for (const struct transport **t = armcii_transports; *t; t++)
        if ((*t)->progress) any |= (*t)->progress();
    return any;
}

void armcii_progress_wait(struct backoff *b)
{
    armcii_lock_backoff_after(armcii_progress(), b);
}

/* ---- the slices and the transports of a region ---- */

const struct slice_run *armcii_slice_run(const struct region *r, int member)
{
    int low = 0, high = r->runs->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (r->runs->run[middle].end <= member)
            low = middle + 1;
        else
            high = middle;
    }
    return &r->runs->run[low];
}

char *armcii_region_base(const struct region *r, int member)
{
    if (armcii_slice_bytes(r, member) == 0) return NULL;
    return r->range.stride
               ? armcii_heap_address(r->team->to_world[member], r->range.offset, r->range.stride)
               : r->base[member];
}

/* A read-modify-write counts as a put. */
unsigned armcii_region_refuses(const struct region *r)
{
    if (!armcii_config->debug_alloc || r->mode & ARMCIX_MODE_ALL) return 0;
    return (r->mode & ARMCIX_MODE_READ_ONLY ? 1u << OP_PUT | 1u << OP_ACC : 0) |
           (r->mode & ARMCIX_MODE_ACC_ONLY ? 1u << OP_PUT | 1u << OP_GET : 0);
}

static bool route_uses(const struct route *route, const struct transport *t)
{
    return route->contiguous == t || route->shaped == t || route->atomic == t;
}

bool armcii_region_uses(const struct region *r, const struct transport *t)
{
    return route_uses(r->near, t) || route_uses(r->far, t);
}

/* Where the far route has another way, a transport that cannot attach is not used. */
int armcii_region_attach(struct region *r)
{
    for (const struct transport **t = armcii_transports; *t; t++) {
        if (!(*t)->region_attach || !armcii_region_uses(r, *t)) continue;
        if ((*t)->region_attach(r) == 0) continue;
        if (*t != r->far->contiguous || !r->far->fallback) return -1;
        r->far = r->far->fallback;
    }
    return 0;
}

void armcii_region_detach(struct region *r)
{
    for (const struct transport **t = armcii_transports; *t; t++)
        if ((*t)->region_detach && armcii_region_uses(r, *t)) (*t)->region_detach(r);
}

void armcii_route_order(const struct raddr *raddr, const struct transport *chosen, int target,
                        struct op_verb verb, const char *lo, const char *hi)
{
    const struct route *route = raddr->route;
    const struct transport *const all[] = {route->contiguous, route->shaped, route->atomic};
    for (int i = 0; i < 3; i++)
        if (all[i] != chosen && (i == 0 || all[i] != all[i - 1]) && all[i]->order)
            all[i]->order(raddr, target, verb, lo, hi);
}

void armcii_fence_others(const struct transport *except, int target)
{
    armcii_drain_stores();
    for (const struct transport **t = armcii_transports; *t; t++)
        if (*t != except && (*t)->complete)
            (*t)->complete(&(struct op_set){.target = target}, COMPLETE_REMOTE);
}

/* ---- buffers and scaled data ---- */

struct buffer *armcii_buffer_new(size_t bytes)
{
    struct buffer *buffer =
        bytes <= PTRDIFF_MAX - sizeof *buffer ? malloc(sizeof *buffer + bytes) : NULL;
    if (buffer) *buffer = (struct buffer){.bytes = bytes};
    return buffer;
}

void armcii_buffers_free(struct buffer *list)
{
    while (list) {
        struct buffer *buffer = list;
        list = buffer->next;
        free(buffer);
    }
}

bool armcii_op_is_scaled(const struct op *op)
{
    if (op->verb.kind != OP_ACC || !op->scale) return false;
    return !armcii_scale_is_one(op->verb.element, op->scale);
}

int armcii_op_pack(const struct op *op, struct shape *packed, struct buffer **buffers)
{
    struct buffer *buffer = armcii_buffer_new(op->shape.bytes);
    if (!buffer)
        return armcii_error(ARMCI_ERR_MEMORY, op->caller, "scale",
                            "out of memory for the scaled copy", "%zu bytes", op->shape.bytes);
    if (armcii_op_is_scaled(op))
        armcii_scale_pack(op->verb.element, op->scale, &op->shape, buffer->data);
    else
        armcii_shape_pack(&op->shape, buffer->data);
    *packed = op->shape;
    armcii_shape_set_packed(packed, buffer->data);
    buffer->next = *buffers;
    *buffers = buffer;
    return 0;
}
