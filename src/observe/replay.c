/* replay.c - repeats a transfer in scratch memory and checks every byte. */
#include "observe/verify.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "core/op.h"
#include "mem/directory.h"
#include "mem/region.h"
#include "mpi/coll.h"
#include "mpi/world.h"

/* Layout of a slice: constant bytes written by the owner, then a scratch buffer for each process. */
enum { MIN_SCRATCH = 1 << 14, MAX_SCRATCH = 1 << 20, SLICE = 1 << 23, PAGE = 4096 };
enum { MARGIN = 64 }; /* bytes checked on both sides of the range that a replay writes */
enum { SOURCE_NUMBERS = 13, TARGET_NUMBERS = 97 };

static struct region *area;
static size_t scratch_bytes; /* of one scratch buffer */
static bool busy;            /* another thread waits for a server without the global lock */
static uint64_t state = 1;   /* of the random number generator */

static unsigned char constant_byte(int owner, size_t offset)
{
    return (unsigned char)(offset * 7 + (offset >> 8) * 13 + (size_t)owner * 31 + 1);
}

void armcii_replay_start(void)
{
    size_t slices = (size_t)armcii_world->size + 1;
    bool is_empty;
    scratch_bytes = SLICE / slices / PAGE * PAGE;
    if (scratch_bytes < MIN_SCRATCH) scratch_bytes = MIN_SCRATCH;
    if (scratch_bytes > MAX_SCRATCH) scratch_bytes = MAX_SCRATCH;
    area = armcii_region_create(armcii_team_world(), (long)(scratch_bytes * slices), &is_empty);
    if (!area) armcii_fatal("ARMCI_VERIFY: no memory for %zu scratch buffers of %zu bytes", slices, scratch_bytes);
    char *mine = area->own;
    for (size_t i = 0; i < scratch_bytes; i++)
        mine[i] = (char)constant_byte(armcii_world->rank, i);
    armcii_region_sync(area);
    armcii_coll_barrier(armcii_world->comm);
}

static char *constants_of(int target)
{
    return armcii_region_base(area, target);
}

static char *my_scratch_in(int target)
{
    return armcii_region_base(area, target) + scratch_bytes * (size_t)(armcii_world->rank + 1);
}

static unsigned char random_byte(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned char)(state >> 56);
}

/* Fill memory with whole numbers from 1 to most. */
static void fill_numbers(enum element e, char *memory, size_t bytes, unsigned most)
{
    size_t size = armcii_element_align(e);
    for (size_t i = 0; i < bytes; i += size) {
        int n = 1 + random_byte() % (int)most;
        switch (e) {
        case ELEMENT_INT: memcpy(memory + i, &n, sizeof n); break;
        case ELEMENT_LONG: memcpy(memory + i, &(long){n}, sizeof(long)); break;
        case ELEMENT_FLOAT:
        case ELEMENT_COMPLEX: memcpy(memory + i, &(float){(float)n}, sizeof(float)); break;
        default: memcpy(memory + i, &(double){(double)n}, sizeof(double)); break;
        }
    }
}

static void fill_bytes(char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (char)random_byte();
}

static void fill_sources(enum element e, const struct shape *s)
{
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);)
        fill_numbers(e, seg.local, seg.bytes, SOURCE_NUMBERS);
}

struct context {
    const struct op *suspect; /* the operation to report */
    enum path path;           /* of the suspect */
    struct raddr raddr;       /* of the replay */
    char *lo, *hi;            /* range of its remote side */
    char *image;              /* expected bytes of the scratch buffer, from lo - MARGIN */
    char *seen;               /* readback of these bytes */
    size_t bytes;             /* of image and seen */
};

/* Offset of a segment's remote side in the image. */
static size_t image_offset(const struct context *c, const struct segment *seg)
{
    return (size_t)(seg->remote - c->lo) + MARGIN;
}

static struct op replay_op(const struct context *c, const struct shape *s)
{
    struct op op = *c->suspect;
    op.shape = *s;
    return op;
}

/* Issue op and complete it remotely; the scratch buffers are not observed. */
static bool execute(const struct context *c, const struct op *op)
{
    struct request req = {0};
    char *lo, *hi;
    armcii_shape_range(&op->shape, SHAPE_REMOTE, &lo, &hi);
    if (armcii_op_issue(op, &c->raddr, lo, hi, &req)) return false;
    armcii_op_finish(&req);
    armcii_fence(op->target);
    return true;
}

static void read_scratch(const struct context *c)
{
    struct shape all;
    armcii_shape_contiguous(&all, NULL, c->lo - MARGIN, c->bytes);
    armcii_readback(&c->raddr, c->suspect->target, &all, c->seen);
}

static size_t find_difference(const char *a, const char *b, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && a[i] == b[i])
        i++;
    return i;
}

_Noreturn static void report_suspect(const struct context *c, const char *what, size_t at, const char *seen, const char *expected)
{
    while (seen[at] == expected[at])
        at++; /* `at` is the first byte of a number */
    armcii_report_op(c->suspect, c->path,
                     "unexpected bytes; in a replay in memory that no other process accesses, %s: "
                     "byte %zu is 0x%02x, expected 0x%02x",
                     what, at, (unsigned char)seen[at], (unsigned char)expected[at]);
}

static void check_scratch(const struct context *c, const char *what)
{
    read_scratch(c);
    size_t at = find_difference(c->seen, c->image, c->bytes);
    if (at < c->bytes) report_suspect(c, what, at, c->seen, c->image);
}

static void replay_get(const struct context *c, struct replay_shape *w)
{
    char *expected = malloc(w->local_bytes);
    struct op op = replay_op(c, &w->shape);
    if (!expected) return;
    fill_bytes(w->local, w->local_bytes);
    memcpy(expected, w->local, w->local_bytes);
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, &w->shape); armcii_shape_next(&it, &seg);)
        for (size_t i = 0; i < seg.bytes; i++)
            expected[seg.local - w->local + (ptrdiff_t)i] =
                (char)constant_byte(op.target, (size_t)(seg.remote - constants_of(op.target)) + i);
    if (execute(c, &op)) {
        size_t at = find_difference(w->local, expected, w->local_bytes);
        if (at < w->local_bytes) report_suspect(c, "a get of constant bytes was wrong", at, w->local, expected);
    }
    free(expected);
}

static void replay_put(const struct context *c, struct replay_shape *w)
{
    struct op op = replay_op(c, &w->shape);
    fill_bytes(w->local, w->local_bytes);
    read_scratch(c);
    memcpy(c->image, c->seen, c->bytes);
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, &w->shape); armcii_shape_next(&it, &seg);)
        memcpy(c->image + image_offset(c, &seg), seg.local, seg.bytes);
    if (execute(c, &op)) check_scratch(c, "a put was wrong");
}

/* Put random numbers to the elements of the shape by one contiguous put of the whole scratch range. */
static bool put_numbers(const struct context *c, const struct shape *s)
{
    enum element e = c->suspect->verb.element;
    struct shape_iter it;
    struct segment seg;
    struct op op = *c->suspect;
    op.verb = (struct rma_verb){.kind = RMA_PUT};
    op.scale = NULL;
    fill_bytes(c->image, c->bytes);
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);)
        fill_numbers(e, c->image + image_offset(c, &seg), seg.bytes, TARGET_NUMBERS);
    armcii_shape_contiguous(&op.shape, c->image, c->lo - MARGIN, c->bytes);
    if (!execute(c, &op)) return false;
    check_scratch(c, "a contiguous put was wrong");
    return true;
}

static void add_to_image(const struct context *c, const struct shape *s, const char *product)
{
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); product += seg.bytes)
        armcii_reference_add(c->suspect->verb.element, c->image + image_offset(c, &seg), product, seg.bytes);
}

/* Do elements overlap partially?  Then the sums depend on the order.  The range begins with an element. */
static bool has_partial_overlap(const struct context *c, const struct shape *s)
{
    size_t size = armcii_element_align(c->suspect->verb.element), misaligned = 0;
    struct shape_iter it;
    struct segment seg;
    if (armcii_shape_is_disjoint(s, SHAPE_REMOTE)) return false;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);)
        misaligned |= (size_t)(seg.remote - c->lo) % size;
    return misaligned != 0;
}

/* The first byte that differs from the image, where sums may differ by the slack; c->bytes: none. */
static size_t find_wrong_sum(const struct context *c, const struct shape *s, double slack)
{
    enum element e = c->suspect->verb.element;
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);) {
        size_t at = image_offset(c, &seg), wrong = armcii_reference_compare(e, c->seen + at, c->image + at, seg.bytes, slack);
        if (wrong < seg.bytes) return at + wrong;
    }
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);)
        memcpy(c->image + image_offset(c, &seg), c->seen + image_offset(c, &seg), seg.bytes);
    return find_difference(c->seen, c->image, c->bytes);
}

static void replay_accumulate(const struct context *c, struct replay_shape *w)
{
    enum element e = c->suspect->verb.element;
    struct op op = replay_op(c, &w->shape);
    char *product = has_partial_overlap(c, &w->shape) ? NULL : malloc(w->shape.bytes);
    if (!product) return;
    fill_sources(e, &w->shape);
    armcii_scale_pack(e, op.scale ? op.scale : armcii_element_one(e), &w->shape, product);
    if (put_numbers(c, &w->shape)) {
        double repeats = armcii_shape_is_disjoint(&w->shape, SHAPE_REMOTE) ? 1 : (double)w->shape.nsegs;
        double slack = 4 * repeats * (TARGET_NUMBERS + repeats * armcii_reference_largest(e, product, w->shape.bytes));
        add_to_image(c, &w->shape, product);
        bool done = execute(c, &op);
        read_scratch(c);
        size_t at = find_wrong_sum(c, &w->shape, slack);
        if (done && at < c->bytes) report_suspect(c, "an accumulate was wrong", at, c->seen, c->image);
    }
    free(product);
}

static void init_context(struct context *c, const struct replay_shape *w)
{
    armcii_shape_range(&w->shape, SHAPE_REMOTE, &c->lo, &c->hi);
    c->bytes = (size_t)(c->hi - c->lo) + 2 * MARGIN;
    armcii_region_locate(c->suspect->target, c->lo, &c->raddr);
    c->image = malloc(c->bytes);
    c->seen = malloc(c->bytes);
}

/* Readback must be correct before its result counts; otherwise report the readback. */
static void check_readback(const struct context *c)
{
    struct op op = *c->suspect;
    op.verb = (struct rma_verb){.kind = RMA_GET};
    armcii_shape_contiguous(&op.shape, c->seen, constants_of(op.target), c->bytes);
    armcii_readback(&c->raddr, op.target, &op.shape, c->seen);
    for (size_t i = 0; i < c->bytes; i++)
        c->image[i] = (char)constant_byte(op.target, i);
    if (memcmp(c->seen, c->image, c->bytes) != 0)
        armcii_report_op(&op, c->path, "the get that verifies the operation returned wrong bytes: these bytes are constant");
}

static void run(const struct op *op, enum path path, struct replay_shape *w)
{
    static void (*const attempts[])(const struct context *c, struct replay_shape *w) = {
        [RMA_PUT] = replay_put, [RMA_GET] = replay_get, [RMA_ACC] = replay_accumulate};
    struct context c = {.suspect = op, .path = path};
    init_context(&c, w);
    if (c.image && c.seen) {
        check_readback(&c);
        attempts[op->verb.kind](&c, w);
    }
    free(c.image);
    free(c.seen);
}

void armcii_replay(const struct op *op, enum path path)
{
    struct replay_shape w;
    char *base = op->verb.kind == RMA_GET ? constants_of(op->target) : my_scratch_in(op->target);
    if (busy || !armcii_replay_shape_make(&w, &op->shape, base + MARGIN, scratch_bytes - 2 * MARGIN)) return;
    busy = true;
    run(op, path, &w);
    busy = false;
    armcii_replay_shape_free(&w);
}

bool armcii_scratch_acquire(int target, char **address, struct raddr *raddr)
{
    if (busy) return false;
    busy = true;
    *address = my_scratch_in(target);
    armcii_region_locate(target, *address, raddr);
    return true;
}

void armcii_scratch_release(void)
{
    busy = false;
}

/* ---- replay shape ---- */

enum { ALIGNMENT = 64, MAX_LOCAL = 1 << 26, MAX_SEGMENTS = 1 << 16, UNIT = 16 };

static size_t range_bytes(const struct shape *s, enum shape_side side)
{
    char *lo, *hi;
    return armcii_shape_range(s, side, &lo, &hi) == SHAPE_OK ? (size_t)(hi - lo) : SIZE_MAX;
}

static bool fits(const struct shape *s, size_t room)
{
    return range_bytes(s, SHAPE_REMOTE) <= room && range_bytes(s, SHAPE_LOCAL) <= MAX_LOCAL;
}

static void halve(struct shape *s)
{
    size_t *outermost = &s->count[s->levels];
    if (s->levels == 0) {
        size_t half = *outermost / 2;
        *outermost = half > UNIT ? half / UNIT * UNIT : UNIT;
    } else {
        *outermost /= 2;
        if (*outermost == 1) s->levels--;
    }
    s->bytes = s->nsegs = 1;
    for (int level = 0; level <= s->levels; level++) {
        s->bytes *= s->count[level];
        if (level > 0) s->nsegs *= s->count[level];
    }
    if (s->levels == 0) s->form = SHAPE_CONTIGUOUS;
}

/* Displacement that moves a range from lo into `room` and preserves its alignment. */
static ptrdiff_t displacement(const char *lo, const char *room)
{
    size_t distance = (uintptr_t)lo - (uintptr_t)room;
    return (ptrdiff_t)((uintptr_t)room + distance % ALIGNMENT - (uintptr_t)lo);
}

static void *moved(void *address, ptrdiff_t by)
{
    return (void *)((uintptr_t)address + (uintptr_t)by);
}

/* Allocate private memory for the local side; *by: its displacement. */
static bool alloc_local(struct replay_shape *w, ptrdiff_t *by)
{
    char *lo, *hi;
    armcii_shape_range(&w->shape, SHAPE_LOCAL, &lo, &hi);
    w->local_bytes = (size_t)(hi - lo);
    w->memory = malloc(w->local_bytes + ALIGNMENT);
    if (!w->memory) return false;
    *by = displacement(lo, w->memory);
    w->local = moved(lo, *by);
    return true;
}

static bool move_strides(struct replay_shape *w, const struct shape *s, char *room, size_t bytes)
{
    char *lo, *hi;
    ptrdiff_t by;
    w->shape = *s;
    while (!fits(&w->shape, bytes))
        halve(&w->shape);
    armcii_shape_range(&w->shape, SHAPE_REMOTE, &lo, &hi);
    if (!alloc_local(w, &by)) return false;
    w->shape.local = moved(w->shape.local, by);
    w->shape.remote = moved(w->shape.remote, displacement(lo, room));
    return true;
}

/* The first n segments of s, as runs of equal length. */
static void list_segments(struct replay_shape *w, const struct shape *s, size_t n)
{
    struct shape_iter it;
    struct segment seg;
    void **local = w->addresses, **remote = w->addresses + n;
    size_t runs = 0, i = 0;
    for (armcii_shape_begin(&it, s); i < n && armcii_shape_next(&it, &seg); i++) {
        local[i] = seg.local;
        remote[i] = seg.remote;
        if (runs > 0 && w->runs[runs - 1].bytes == seg.bytes)
            w->runs[runs - 1].n++;
        else
            w->runs[runs++] = (struct vector_run){local + i, remote + i, seg.bytes, 1};
    }
    armcii_shape_vector(&w->shape, w->runs, runs);
}

/* List as many of the first segments as fit; 0: none fits. */
static size_t list_fitting_segments(struct replay_shape *w, const struct shape *s, size_t bytes)
{
    size_t n = s->nsegs < MAX_SEGMENTS ? s->nsegs : MAX_SEGMENTS;
    for (; n > 0; n /= 2) {
        list_segments(w, s, n);
        if (fits(&w->shape, bytes)) return n;
    }
    return 0;
}

static bool move_first_segment(struct replay_shape *w, const struct shape *s, char *room, size_t bytes)
{
    struct shape_iter it;
    struct segment seg;
    struct shape first;
    armcii_shape_begin(&it, s);
    armcii_shape_next(&it, &seg);
    armcii_shape_contiguous(&first, seg.local, seg.remote, seg.bytes);
    return move_strides(w, &first, room, bytes);
}

static bool move_segments(struct replay_shape *w, const struct shape *s, char *room, size_t bytes)
{
    char *lo, *hi;
    ptrdiff_t by;
    size_t most = s->nsegs < MAX_SEGMENTS ? s->nsegs : MAX_SEGMENTS;
    w->addresses = malloc(2 * most * sizeof *w->addresses);
    w->runs = malloc(most * sizeof *w->runs);
    if (!w->addresses || !w->runs) return false;
    size_t n = list_fitting_segments(w, s, bytes);
    if (n < 2) return move_first_segment(w, s, room, bytes);
    armcii_shape_range(&w->shape, SHAPE_REMOTE, &lo, &hi);
    if (!alloc_local(w, &by)) return false;
    for (size_t i = 0; i < n; i++) {
        w->addresses[i] = moved(w->addresses[i], by);
        w->addresses[n + i] = moved(w->addresses[n + i], displacement(lo, room));
    }
    return true;
}

bool armcii_replay_shape_make(struct replay_shape *w, const struct shape *s, char *room, size_t bytes)
{
    *w = (struct replay_shape){0};
    bytes -= ALIGNMENT;
    bool made = s->form == SHAPE_VECTOR ? move_segments(w, s, room, bytes) : move_strides(w, s, room, bytes);
    if (!made) armcii_replay_shape_free(w);
    return made;
}

void armcii_replay_shape_free(struct replay_shape *w)
{
    free(w->memory);
    free(w->addresses);
    free(w->runs);
    *w = (struct replay_shape){0};
}
