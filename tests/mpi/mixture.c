/* mixture.c - draws operations, issues them and applies them to the model. */
#include <unistd.h>

#include "mixture.h"

/* Pieces are small where the lane is: all operations meet there. */
enum { SEGMENTS = 12, MOST_PIECES = 20, LEAST_ROOM = 4096 };

struct mixture mixture_create(int type, size_t bytes, uint64_t stream)
{
    struct mixture m = {.lanes = lanes_create(bytes, 16),
                        .type = type,
                        .room = bytes / 4 * 3 > LEAST_ROOM ? bytes / 4 * 3 : LEAST_ROOM};
    m.rng = rng_stream(stream + (uint64_t)test_rank());
    m.local = need_memory(m.room);
    m.expected = need_memory(m.room);
    for (int i = 0; i < MIXTURE_OPEN; i++)
        m.open[i].handle = new_handle();
    element_fill(type, &m.rng, m.lanes.mirror, (size_t)test_ranks() * bytes);
    lanes_load(&m.lanes);
    element_fill(type, &m.rng, m.local, m.room);
    memcpy(m.expected, m.local, m.room);
    return m;
}

void mixture_end(struct mixture *m, const char *what)
{
    for (int i = 0; i < MIXTURE_OPEN; i++)
        ARMCI_Wait(&m->open[i].handle);
    lanes_end(&m->lanes, what);
    free(m->local);
    free(m->expected);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static struct sides sides_of(const struct mixture *m, int target)
{
    return (struct sides){m->local, m->expected, lanes_remote(&m->lanes, target),
                          lanes_mirror(&m->lanes, target), target};
}

/* 1 to `most` elements, no more than fit into the lane, in bytes. */
static size_t draw_bytes(struct mixture *m, int most)
{
    size_t unit = element_size(m->type);
    return unit * (size_t)rng_between(&m->rng, 1, (int)least((size_t)most, m->lanes.bytes / unit));
}

/* Where n bytes may begin. */
static size_t draw_place(struct mixture *m, size_t room, size_t n)
{
    size_t unit = element_size(m->type);
    return unit * (size_t)rng_between(&m->rng, 0, (int)((room - n) / unit));
}

/* Strided and vector operations meet in a part of a large lane. */
static size_t crowded_part(const struct mixture *m)
{
    return m->lanes.bytes > LEAST_ROOM ? m->lanes.bytes / 4 : m->lanes.bytes;
}

static void contiguous(struct mixture *m, struct op *op)
{
    size_t n = draw_bytes(m, rng_chance(&m->rng, 10) ? 1400 : 60);
    struct sides sides = sides_of(m, m->target);
    armci_hdl_t handle = new_handle();
    op_bytes(op, &sides, draw_place(m, m->room, n), draw_place(m, m->lanes.bytes, n), n, &handle);
    op_wait(op, &handle);
}

static void strided(struct mixture *m, struct op *op)
{
    struct patch_wish wish = {
        .kind = {(enum patch_kind)rng_between(&m->rng, 0, PATCH_INTERLEAVED),
                 (enum patch_kind)rng_between(&m->rng, 0, PATCH_NEGATIVE)},
        .room = {m->room, crowded_part(m)},
        .max_bytes = least(3000, crowded_part(m)),
        .min_levels = 1,
        .max_levels = 3,
        .unit = (int)element_size(m->type),
    };
    struct patch p = patch_draw(&m->rng, &wish);
    struct sides sides = sides_of(m, m->target);
    armci_hdl_t handle = new_handle();
    op_patch(op, &sides, &p, &handle);
    op_wait(op, &handle);
}

static void vector(struct mixture *m, struct op *op)
{
    size_t n = draw_bytes(m, 6), from[SEGMENTS], to[SEGMENTS];
    struct sides sides = sides_of(m, m->target);
    armci_hdl_t handle = new_handle();
    for (size_t i = 0; i < SEGMENTS; i++) {
        from[i] = 2 * n * i;
        to[i] = draw_place(m, crowded_part(m), n);
    }
    op_segments(op, &sides, SEGMENTS, n, from, to, &handle);
}

static int put_value(int type, const void *value, void *remote, int target)
{
    switch (type) {
    case ARMCI_ACC_INT: return ARMCI_PutValueInt(*(const int *)value, remote, target);
    case ARMCI_ACC_LNG: return ARMCI_PutValueLong(*(const long *)value, remote, target);
    case ARMCI_ACC_FLT: return ARMCI_PutValueFloat(*(const float *)value, remote, target);
    default: return ARMCI_PutValueDouble(*(const double *)value, remote, target);
    }
}

static union scale get_value(int type, void *remote, int target)
{
    switch (type) {
    case ARMCI_ACC_INT: return (union scale){.i = ARMCI_GetValueInt(remote, target)};
    case ARMCI_ACC_LNG: return (union scale){.l = ARMCI_GetValueLong(remote, target)};
    case ARMCI_ACC_FLT: return (union scale){.f = {ARMCI_GetValueFloat(remote, target)}};
    default: return (union scale){.d = {ARMCI_GetValueDouble(remote, target)}};
    }
}

static void value(struct mixture *m, struct op *op)
{
    size_t size = element_size(m->type), at = draw_place(m, crowded_part(m), size);
    void *remote = lanes_remote(&m->lanes, m->target) + at,
         *mirror = lanes_mirror(&m->lanes, m->target) + at;
    if (op->kind == OP_GET) {
        union scale seen = get_value(m->type, remote, m->target);
        check_bytes(&seen, mirror, size, "a %s by value from %d", element_name(m->type), m->target);
        return;
    }
    check_long(put_value(m->type, m->local, remote, m->target), 0, "a %s by value to %d: code",
               element_name(m->type), m->target);
    memcpy(mirror, m->local, size);
}

static void read_modify_write(struct mixture *m, struct op *op)
{
    static const int operations[2][2] = {{ARMCI_SWAP, ARMCI_FETCH_AND_ADD},
                                         {ARMCI_SWAP_LONG, ARMCI_FETCH_AND_ADD_LONG}};
    size_t at = draw_place(m, crowded_part(m), element_size(m->type));
    unsigned char *mirror = lanes_mirror(&m->lanes, m->target) + at;
    bool wide = m->type == ARMCI_ACC_LNG, adds = op->kind == OP_ACC;
    long number = rng_between(&m->rng, -1000, 1000), old = element_load(m->type, mirror),
         seen_long = number;
    int seen = (int)number;
    check_long(ARMCI_Rmw(operations[wide][adds], wide ? (void *)&seen_long : &seen,
                         lanes_remote(&m->lanes, m->target) + at, (int)number, m->target),
               0, "ARMCI_Rmw %d with %d: code", operations[wide][adds], m->target);
    check_long(wide ? seen_long : seen, old, "what ARMCI_Rmw %d found in %d",
               operations[wide][adds], m->target);
    element_store(m->type, mirror, adds ? old + number : number);
}

/* Elements with gaps, by one aggregate handle. */
static void aggregate(struct mixture *m, struct op *op)
{
    size_t unit = element_size(m->type),
           n = least((size_t)rng_between(&m->rng, 1, MOST_PIECES), m->lanes.bytes / unit / 2);
    size_t first = draw_place(m, m->lanes.bytes, 2 * n * unit);
    struct sides sides = sides_of(m, m->target);
    armci_hdl_t handle = new_aggregate();
    op->how = OP_HANDLE;
    for (size_t i = 0; i < n; i++)
        op_bytes(op, &sides, i * unit, first + 2 * i * unit, unit, &handle);
    op_wait(op, &handle);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
}

/* Complete what was issued with that handle or the implicit one, by any of the calls for that. */
static void complete(struct mixture *m, const struct op *op, armci_hdl_t *handle)
{
    if (op->how == OP_HANDLE && rng_chance(&m->rng, 50))
        while (ARMCI_Test(handle) != 0)
            usleep(1);
    if (op->how != OP_IMPLICIT || rng_chance(&m->rng, 30)) {
        op_wait(op, handle);
    } else if (rng_chance(&m->rng, 50)) {
        check_long(ARMCI_WaitAll(), 0, "ARMCI_WaitAll: code");
    } else {
        for (int p = 0; p < test_ranks(); p++)
            check_long(ARMCI_WaitProc(p), 0, "ARMCI_WaitProc(%d): code", p);
    }
}

/* To or from all processes at once, by one handle or none. */
static void everywhere(struct mixture *m, struct op *op)
{
    size_t unit = element_size(m->type), part = m->room / (size_t)test_ranks() / unit * unit,
           n = draw_bytes(m, (int)least(60, part / unit));
    armci_hdl_t handle = new_handle();
    for (int p = 0; p < test_ranks(); p++) {
        struct sides sides = sides_of(m, p);
        op_bytes(op, &sides, (size_t)p * part, draw_place(m, m->lanes.bytes, n), n, &handle);
    }
    complete(m, op, &handle);
}

/* An accumulate that is waited for before its handle is used again; now and then a put, which is
 * waited for at once. */
static void leave_open(struct mixture *m, struct op *op)
{
    int i = rng_between(&m->rng, 0, MIXTURE_OPEN - 1);
    unsigned char *local = m->open[i].local;
    size_t unit = element_size(m->type), n = draw_bytes(m, (int)(MIXTURE_OPEN_BYTES / unit));
    struct sides sides = {local, local, lanes_remote(&m->lanes, m->target),
                          lanes_mirror(&m->lanes, m->target), m->target};
    struct patch elements = {
        .levels = 1, .count = {(int)unit, (int)(n / unit)}, .stride = {{(int)unit}, {(int)unit}}};
    op->kind = rng_chance(&m->rng, 70) ? OP_ACC : OP_PUT;
    op->how = OP_HANDLE;
    ARMCI_Wait(&m->open[i].handle);
    element_fill(m->type, &m->rng, local, n);
    elements.start[REMOTE] = draw_place(m, m->lanes.bytes, n);
    if (rng_chance(&m->rng, 50))
        op_patch(op, &sides, &elements, &m->open[i].handle);
    else
        op_bytes(op, &sides, 0, elements.start[REMOTE], n, &m->open[i].handle);
    if (op->kind == OP_PUT) op_wait(op, &m->open[i].handle);
}

static void fence(struct mixture *m, struct op *op)
{
    if (op->kind == OP_ACC)
        ARMCI_AllFence();
    else
        ARMCI_Fence(m->target);
}

void mixture_step(struct mixture *m)
{
    static const struct {
        int share, last_type;
        void (*step)(struct mixture *, struct op *);
    } steps[] = {
        {25, ARMCI_ACC_DCP, contiguous},
        {20, ARMCI_ACC_DCP, strided},
        {15, ARMCI_ACC_DCP, vector},
        {12, ARMCI_ACC_DBL, value},
        {8, ARMCI_ACC_LNG, read_modify_write},
        {5, ARMCI_ACC_DCP, aggregate},
        {5, ARMCI_ACC_DCP, everywhere},
        {7, ARMCI_ACC_DCP, leave_open},
        {3, ARMCI_ACC_DCP, fence},
    };
    int draw = rng_between(&m->rng, 0, 99), i = 0;
    struct op op = {.kind = (enum op_kind)rng_between(&m->rng, OP_PUT, OP_ACC),
                    .how = (enum op_how)rng_between(&m->rng, OP_BLOCKING, OP_IMPLICIT),
                    .type = m->type};
    op.scale = rng_chance(&m->rng, 50) ? scale_one(m->type) : scale_other(m->type, &m->rng);
    while (draw >= steps[i].share)
        draw -= steps[i++].share;
    if (m->type > steps[i].last_type) i = 0;
    if (rng_chance(&m->rng, 30)) m->target = rng_between(&m->rng, 0, test_ranks() - 1);
    if (op.kind != OP_GET) {
        element_fill(m->type, &m->rng, m->local, m->room);
        memcpy(m->expected, m->local, m->room);
    }
    steps[i].step(m, &op);
    check_bytes(m->local, m->expected, m->room,
                "%s (step %d) with %d among other operations: local buffer", op_name(&op, ""), i,
                m->target);
}
