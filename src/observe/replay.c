/* replay.c - doing a transfer once more in private memory. */
#include "observe/replay.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mem/region.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "observe/report.h"
#include "observe/reference.h"

/* A slice of the area: bytes that its owner writes once and everybody may get, then a lane for each process. */
enum { SMALLEST_LANE = 1 << 14, LARGEST_LANE = 1 << 20, SLICE = 1 << 23, PAGE = 4096 };
enum { MARGIN = 64 }; /* looked at on both sides of what a twin writes */
enum { SOURCE_NUMBERS = 13, TARGET_NUMBERS = 97 };

static struct region *area;
static size_t lane;
static bool busy;         /* a thread left the global lock while it waits for a server */
static uint64_t state = 1; /* of the random bytes */

static unsigned char known_byte(int owner, size_t offset)
{
    return (unsigned char)(offset * 7 + (offset >> 8) * 13 + (size_t)owner * 31 + 1);
}

void armcii_replay_start(void)
{
    size_t slices = (size_t)armcii_world->size + 1;
    bool nothing;
    lane = SLICE / slices / PAGE * PAGE;
    if (lane < SMALLEST_LANE) lane = SMALLEST_LANE;
    if (lane > LARGEST_LANE) lane = LARGEST_LANE;
    area = armcii_region_create(armcii_team_world(), (long)(lane * slices), &nothing);
    if (!area) armcii_fatal("ARMCI_VERIFY: no memory for %zu lanes of %zu bytes", slices, lane);
    char *mine = area->base[armcii_world->rank];
    for (size_t i = 0; i < lane; i++) mine[i] = (char)known_byte(armcii_world->rank, i);
    armcii_region_sync(area);
    armcii_coll_barrier(armcii_world->comm);
}

static char *known_bytes_of(int target)
{
    return area->base[target];
}

static char *my_lane_in(int target)
{
    return area->base[target] + lane * (size_t)(armcii_world->rank + 1);
}

static unsigned char random_byte(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned char)(state >> 56);
}

/* Whole numbers from 1 to most, of the numbers that elements consist of. */
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
    for (size_t i = 0; i < bytes; i++) memory[i] = (char)random_byte();
}

/* Elements on the local side may lie anywhere. */
static void fill_sources(enum element e, const struct shape *s)
{
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);) fill_numbers(e, seg.local, seg.bytes, SOURCE_NUMBERS);
}

/* What every step of a twin needs. */
struct scene {
    const struct op *accused; /* for the verdict */
    enum path path;           /* that it took */
    struct raddr raddr;             /* of the twin */
    char *lo, *hi;                  /* the range of its remote side */
    char *image;                    /* what the lane must hold from lo - MARGIN on */
    char *seen;
    size_t bytes;                   /* of both */
};

/* Where a segment's remote side is in the image. */
static size_t offset_of(const struct scene *c, const struct segment *seg)
{
    return (size_t)(seg->remote - c->lo) + MARGIN;
}

static struct op twin_of(const struct scene *c, const struct shape *s)
{
    struct op op = *c->accused;
    op.shape = *s;
    return op;
}

/* Carry it out as the library does without ARMCI_VERIFY, completely. */
static bool carry_out(const struct scene *c, const struct op *op)
{
    struct request req = {0};
    char *lo, *hi;
    armcii_shape_range(&op->shape, SHAPE_REMOTE, &lo, &hi);
    if (armcii_op_issue_unverified(op, &c->raddr, lo, hi, &req)) return false;
    armcii_op_finish(&req);
    armcii_fence(op->target);
    return true;
}

static void look_at_lane(const struct scene *c)
{
    struct shape all;
    armcii_shape_contiguous(&all, NULL, c->lo - MARGIN, c->bytes);
    armcii_readback(&c->raddr, c->accused->target, &all, c->seen);
}

static size_t first_difference(const char *a, const char *b, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && a[i] == b[i]) i++;
    return i;
}

_Noreturn static void accuse(const struct scene *c, const char *what, size_t at, const char *seen, const char *expected)
{
    while (seen[at] == expected[at]) at++; /* a number differs from `at` on */
    armcii_report_op(c->accused, c->path,
                            "other bytes than expected; done again in memory that no other process touches, %s: "
                            "byte %zu is 0x%02x instead of 0x%02x",
                            what, at, (unsigned char)seen[at], (unsigned char)expected[at]);
}

static void demand_lane(const struct scene *c, const char *what)
{
    look_at_lane(c);
    size_t at = first_difference(c->seen, c->image, c->bytes);
    if (at < c->bytes) accuse(c, what, at, c->seen, c->image);
}

static void try_get(const struct scene *c, struct replay_shape *w)
{
    char *expected = malloc(w->local_bytes);
    struct op op = twin_of(c, &w->shape);
    if (!expected) return;
    fill_bytes(w->local, w->local_bytes);
    memcpy(expected, w->local, w->local_bytes);
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, &w->shape); armcii_shape_next(&it, &seg);)
        for (size_t i = 0; i < seg.bytes; i++)
            expected[seg.local - w->local + (ptrdiff_t)i] =
                (char)known_byte(op.target, (size_t)(seg.remote - known_bytes_of(op.target)) + i);
    if (carry_out(c, &op)) {
        size_t at = first_difference(w->local, expected, w->local_bytes);
        if (at < w->local_bytes) accuse(c, "a get of bytes that never change was wrong", at, w->local, expected);
    }
    free(expected);
}

static void try_put(const struct scene *c, struct replay_shape *w)
{
    struct op op = twin_of(c, &w->shape);
    fill_bytes(w->local, w->local_bytes);
    look_at_lane(c);
    memcpy(c->image, c->seen, c->bytes);
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, &w->shape); armcii_shape_next(&it, &seg);)
        memcpy(c->image + offset_of(c, &seg), seg.local, seg.bytes);
    if (carry_out(c, &op)) demand_lane(c, "a put was wrong");
}

/* Known numbers into the lane, by a contiguous put; elements of the shape may lie at any address. */
static bool put_numbers(const struct scene *c, const struct shape *s)
{
    enum element e = c->accused->verb.element;
    struct shape_iter it;
    struct segment seg;
    struct op op = *c->accused;
    op.verb = (struct rma_verb){.kind = RMA_PUT};
    op.scale = NULL;
    fill_bytes(c->image, c->bytes);
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);)
        fill_numbers(e, c->image + offset_of(c, &seg), seg.bytes, TARGET_NUMBERS);
    armcii_shape_contiguous(&op.shape, c->image, c->lo - MARGIN, c->bytes);
    if (!carry_out(c, &op)) return false;
    demand_lane(c, "a contiguous put of known numbers was wrong");
    return true;
}

static void add_to_image(const struct scene *c, const struct shape *s, const char *product)
{
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); product += seg.bytes)
        armcii_reference_add(c->accused->verb.element, c->image + offset_of(c, &seg), product, seg.bytes);
}

/* Do elements overlap one another in part?  Their sums depend on the order then.  The range begins with an element. */
static bool overlap_in_part(const struct scene *c, const struct shape *s)
{
    size_t size = armcii_element_align(c->accused->verb.element), beside = 0;
    struct shape_iter it;
    struct segment seg;
    if (armcii_shape_is_disjoint(s, SHAPE_REMOTE)) return false;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);)
        beside |= (size_t)(seg.remote - c->lo) % size;
    return beside != 0;
}

/* The first byte of the lane that is not as in the image, where sums may be off by the slack; c->bytes: none. */
static size_t first_wrong_sum(const struct scene *c, const struct shape *s, double slack)
{
    enum element e = c->accused->verb.element;
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);) {
        size_t at = offset_of(c, &seg), wrong = armcii_reference_compare(e, c->seen + at, c->image + at, seg.bytes, slack);
        if (wrong < seg.bytes) return at + wrong;
    }
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);)
        memcpy(c->image + offset_of(c, &seg), c->seen + offset_of(c, &seg), seg.bytes);
    return first_difference(c->seen, c->image, c->bytes);
}

static void try_accumulate(const struct scene *c, struct replay_shape *w)
{
    enum element e = c->accused->verb.element;
    struct op op = twin_of(c, &w->shape);
    char *product = overlap_in_part(c, &w->shape) ? NULL : malloc(w->shape.bytes);
    if (!product) return;
    fill_sources(e, &w->shape);
    armcii_scale_pack(e, op.scale ? op.scale : armcii_element_one(e), &w->shape, product);
    if (put_numbers(c, &w->shape)) {
        double repeats = armcii_shape_is_disjoint(&w->shape, SHAPE_REMOTE) ? 1 : (double)w->shape.nsegs;
        double slack = 4 * repeats * (TARGET_NUMBERS + repeats * armcii_reference_largest(e, product, w->shape.bytes));
        add_to_image(c, &w->shape, product);
        bool done = carry_out(c, &op);
        look_at_lane(c);
        size_t at = first_wrong_sum(c, &w->shape, slack);
        if (done && at < c->bytes) accuse(c, "an accumulate was wrong", at, c->seen, c->image);
    }
    free(product);
}

static void set_scene(struct scene *c, const struct replay_shape *w)
{
    armcii_shape_range(&w->shape, SHAPE_REMOTE, &c->lo, &c->hi);
    c->bytes = (size_t)(c->hi - c->lo) + 2 * MARGIN;
    armcii_region_locate(c->accused->target, c->lo, &c->raddr);
    c->image = malloc(c->bytes);
    c->seen = malloc(c->bytes);
}

/* Looking must be right before it can tell anything; else it is the look that is accused. */
static void try_looking(const struct scene *c)
{
    struct op op = *c->accused;
    op.verb = (struct rma_verb){.kind = RMA_GET};
    armcii_shape_contiguous(&op.shape, c->seen, known_bytes_of(op.target), c->bytes);
    armcii_readback(&c->raddr, op.target, &op.shape, c->seen);
    for (size_t i = 0; i < c->bytes; i++) c->image[i] = (char)known_byte(op.target, i);
    if (memcmp(c->seen, c->image, c->bytes) != 0)
        armcii_report_op(&op, c->path, "what was read to verify the operation is wrong: these bytes never change");
}

static void run(const struct op *op, enum path path, struct replay_shape *w)
{
    static void (*const attempts[])(const struct scene *c, struct replay_shape *w) = {
        [RMA_PUT] = try_put, [RMA_GET] = try_get, [RMA_ACC] = try_accumulate};
    struct scene c = {.accused = op, .path = path};
    set_scene(&c, w);
    if (c.image && c.seen) {
        try_looking(&c);
        attempts[op->verb.kind](&c, w);
    }
    free(c.image);
    free(c.seen);
}

void armcii_replay(const struct op *op, enum path path)
{
    struct replay_shape w;
    char *base = op->verb.kind == RMA_GET ? known_bytes_of(op->target) : my_lane_in(op->target);
    if (busy || !armcii_replay_shape_make(&w, &op->shape, base + MARGIN, lane - 2 * MARGIN)) return;
    busy = true;
    run(op, path, &w);
    busy = false;
    armcii_replay_shape_free(&w);
}

bool armcii_replay_borrow(int target, char **address, struct raddr *raddr)
{
    if (busy) return false;
    busy = true;
    *address = my_lane_in(target);
    armcii_region_locate(target, *address, raddr);
    return true;
}

void armcii_replay_give_back(void)
{
    busy = false;
}

/* ---- replay shape ---- */

enum { ALIGNMENT = 64, MOST_LOCAL = 1 << 26, MOST_SEGMENTS = 1 << 16, UNIT = 16 };

static size_t hull_bytes(const struct shape *s, enum shape_side side)
{
    char *lo, *hi;
    return armcii_shape_range(s, side, &lo, &hi) == SHAPE_OK ? (size_t)(hi - lo) : SIZE_MAX;
}

static bool fits(const struct shape *s, size_t room)
{
    return hull_bytes(s, SHAPE_REMOTE) <= room && hull_bytes(s, SHAPE_LOCAL) <= MOST_LOCAL;
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

/* By how much to move an address so that the range that begins at lo begins in `room`, as far from a multiple of the alignment. */
static ptrdiff_t way(const char *lo, const char *room)
{
    size_t apart = (uintptr_t)lo - (uintptr_t)room;
    return (ptrdiff_t)((uintptr_t)room + apart % ALIGNMENT - (uintptr_t)lo);
}

static void *moved(void *address, ptrdiff_t by)
{
    return (void *)((uintptr_t)address + (uintptr_t)by);
}

/* Private memory for the local side; *by: the way there. */
static bool make_local(struct replay_shape *w, ptrdiff_t *by)
{
    char *lo, *hi;
    armcii_shape_range(&w->shape, SHAPE_LOCAL, &lo, &hi);
    w->local_bytes = (size_t)(hi - lo);
    w->memory = malloc(w->local_bytes + ALIGNMENT);
    if (!w->memory) return false;
    *by = way(lo, w->memory);
    w->local = moved(lo, *by);
    return true;
}

static bool move_strides(struct replay_shape *w, const struct shape *s, char *room, size_t bytes)
{
    char *lo, *hi;
    ptrdiff_t by;
    w->shape = *s;
    while (!fits(&w->shape, bytes)) halve(&w->shape);
    armcii_shape_range(&w->shape, SHAPE_REMOTE, &lo, &hi);
    if (!make_local(w, &by)) return false;
    w->shape.local = moved(w->shape.local, by);
    w->shape.remote = moved(w->shape.remote, way(lo, room));
    return true;
}

/* The first n segments of s, as they are: runs of those of one length. */
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

/* The first segments, as many as fit; 0: not even the first. */
static size_t list_those_that_fit(struct replay_shape *w, const struct shape *s, size_t bytes)
{
    size_t n = s->nsegs < MOST_SEGMENTS ? s->nsegs : MOST_SEGMENTS;
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
    size_t most = s->nsegs < MOST_SEGMENTS ? s->nsegs : MOST_SEGMENTS;
    w->addresses = malloc(2 * most * sizeof *w->addresses);
    w->runs = malloc(most * sizeof *w->runs);
    if (!w->addresses || !w->runs) return false;
    size_t n = list_those_that_fit(w, s, bytes);
    if (n < 2) return move_first_segment(w, s, room, bytes);
    armcii_shape_range(&w->shape, SHAPE_REMOTE, &lo, &hi);
    if (!make_local(w, &by)) return false;
    for (size_t i = 0; i < n; i++) {
        w->addresses[i] = moved(w->addresses[i], by);
        w->addresses[n + i] = moved(w->addresses[n + i], way(lo, room));
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
