/* apply.c - transfers by load and store. */
#include "transport/shm/shm.h"

#include <stdint.h>
#include <string.h>

#include "shape/accumulate.h"
#include "node/node.h"

bool armcii_program_stores;

/* An accumulate to memory of one process. */
struct update {
    enum element element;
    const void *scale;
    int process;
    size_t unit; /* bytes of an element */
};

static struct stripe *stripe_of(const struct update *u, uintptr_t at)
{
    return armcii_stripe_of(armcii_node->stripes, u->process, armcii_stripe_block(at));
}

/* An element across two blocks: under both locks, taken in address order. */
static void add_across(const struct update *u, uintptr_t remote, const char *local)
{
    struct stripe *a = stripe_of(u, remote), *b = stripe_of(u, remote + u->unit - 1);
    struct stripe *first = a < b ? a : b, *second = a < b ? b : a;
    armcii_stripe_lock(first);
    if (second != first) armcii_stripe_lock(second);
    armcii_accumulate(u->element, u->scale, (char *)remote, local, u->unit);
    if (second != first) armcii_stripe_unlock(second);
    armcii_stripe_unlock(first);
}

static void add_contiguous(const struct update *u, uintptr_t remote, const char *local,
                           size_t bytes)
{
    while (bytes > 0) {
        size_t n = STRIPE_BLOCK - remote % STRIPE_BLOCK;
        n = n < bytes ? n - n % u->unit : bytes;
        if (n > 0) {
            struct stripe *s = stripe_of(u, remote);
            armcii_stripe_lock(s);
            armcii_accumulate(u->element, u->scale, (char *)remote, local, n);
            armcii_stripe_unlock(s);
        } else {
            n = u->unit;
            add_across(u, remote, local);
        }
        remote += n;
        local += n;
        bytes -= n;
    }
}

/* The number of rows, of n rows of `bytes` a stride apart, that the lock of the first row's block
 * covers; 0: not even the first row. */
static size_t rows_in_block(uintptr_t remote, size_t bytes, ptrdiff_t stride, size_t n)
{
    size_t in = remote % STRIPE_BLOCK, rows = n;
    if (in + bytes > STRIPE_BLOCK) return 0;
    if (stride >= STRIPE_BLOCK || stride <= -STRIPE_BLOCK) return 1;
    if (stride > 0) rows = (STRIPE_BLOCK - in - bytes) / (size_t)stride + 1;
    if (stride < 0) rows = in / (size_t)-stride + 1;
    size_t most = STRIPE_BLOCK / bytes; /* bounds the time of a hold, even if rows overlap */
    rows = rows < most ? rows : most;
    return rows < n ? rows : n;
}

static void add_rows(const struct update *u, uintptr_t remote, ptrdiff_t remote_stride,
                     const char *local, ptrdiff_t local_stride, size_t bytes, size_t n)
{
    while (n > 0) {
        size_t rows = rows_in_block(remote, bytes, remote_stride, n);
        if (rows > 0) {
            struct stripe *s = stripe_of(u, remote);
            armcii_stripe_lock(s);
            armcii_accumulate_rows(u->element, u->scale, (char *)remote, remote_stride, local,
                                   local_stride, bytes, rows);
            armcii_stripe_unlock(s);
        } else {
            rows = 1;
            add_contiguous(u, remote, local, bytes);
        }
        remote += (uintptr_t)((ptrdiff_t)rows * remote_stride);
        local += (ptrdiff_t)rows * local_stride;
        n -= rows;
    }
}

/* Recurses over the levels down to rows. */
static void add_levels(const struct update *u, const struct shape *s, int level, uintptr_t remote,
                       const char *local)
{
    const ptrdiff_t local_stride = s->stride[SHAPE_LOCAL][level - 1],
                    remote_stride = s->stride[SHAPE_REMOTE][level - 1];
    if (level == 1) {
        add_rows(u, remote, remote_stride, local, local_stride, s->count[0], s->count[1]);
        return;
    }
    for (size_t i = 0; i < s->count[level]; i++) {
        add_levels(u, s, level - 1, remote, local);
        remote += (uintptr_t)remote_stride;
        local += local_stride;
    }
}

/* The lock held for consecutive segments in one block, for at most STRIPE_BLOCK bytes. */
struct hold {
    struct stripe *stripe; /* NULL: none */
    uintptr_t block;
    size_t bytes;
};

static void release_hold(struct hold *h)
{
    if (h->stripe) armcii_stripe_unlock(h->stripe);
    *h = (struct hold){0};
}

static void acquire_hold(const struct update *u, struct hold *h, uintptr_t remote, size_t bytes)
{
    uintptr_t block = armcii_stripe_block(remote);
    h->bytes += bytes;
    if (h->stripe && h->block == block && h->bytes <= STRIPE_BLOCK) return;
    release_hold(h);
    *h = (struct hold){stripe_of(u, remote), block, bytes};
    armcii_stripe_lock(h->stripe);
}

static void add_segments(const struct update *u, const struct shape *s)
{
    struct hold h = {0};
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);) {
        uintptr_t remote = (uintptr_t)seg.remote;
        if (remote % STRIPE_BLOCK + seg.bytes > STRIPE_BLOCK) {
            release_hold(&h);
            add_contiguous(u, remote, seg.local, seg.bytes);
            continue;
        }
        acquire_hold(u, &h, remote, seg.bytes);
        armcii_accumulate(u->element, u->scale, seg.remote, seg.local, seg.bytes);
    }
    release_hold(&h);
}

static struct update update_of(enum element e, const void *scale, int process)
{
    if (!scale) scale = armcii_elements[e].one;
    return (struct update){e, scale, process, armcii_elements[e].size};
}

void armcii_apply_accumulate_segment(enum element e, const void *scale, int process,
                                     const void *remote, const void *local, size_t bytes)
{
    struct update u = update_of(e, scale, process);
    add_contiguous(&u, (uintptr_t)remote, local, bytes);
    armcii_stores_pending = true;
}

void armcii_apply_accumulate(enum element e, const void *scale, int process, const struct shape *s)
{
    struct update u = update_of(e, scale, process);
    if (s->form == SHAPE_CONTIGUOUS)
        add_contiguous(&u, (uintptr_t)s->remote, s->local, s->bytes);
    else if (s->form == SHAPE_STRIDED)
        add_levels(&u, s, s->levels, (uintptr_t)s->remote, s->local);
    else
        add_segments(&u, s);
}

void armcii_apply_put(const struct shape *s)
{
    armcii_copy_shape(s, SHAPE_REMOTE);
}

void armcii_apply_get(const struct shape *s)
{
    armcii_copy_shape(s, SHAPE_LOCAL);
    atomic_thread_fence(memory_order_acquire); /* later loads and stores of the caller follow its
                                                  loads; no instruction on x86 */
}

long armcii_apply_rmw(enum rmw_update update, size_t bytes, void *there, long operand)
{
    int small;
    memcpy(&small, &operand, sizeof small);
    if (bytes == sizeof(int))
        return update == RMW_ADD ? __atomic_fetch_add((int *)there, small, __ATOMIC_SEQ_CST)
                                 : __atomic_exchange_n((int *)there, small, __ATOMIC_SEQ_CST);
    return update == RMW_ADD ? __atomic_fetch_add((long *)there, operand, __ATOMIC_SEQ_CST)
                             : __atomic_exchange_n((long *)there, operand, __ATOMIC_SEQ_CST);
}
