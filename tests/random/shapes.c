/* shapes.c - random shapes: runs, patches with strides that need not nest, vectors over several
 * areas. */
#include "maker.h"
#include "model.h"

enum { MOST_SEGMENTS = 256, ALIGNMENT = 8 };

/* Bytes for the local side of a transfer, with gaps. */
static long local_room(void)
{
    return 2 * options->longest;
}

static long at_most(long a, long b)
{
    return a < b ? a : b;
}

/* ---- do segments meet? ---- */

static bool stamp_range(uint32_t *stamp, uint32_t value, long n)
{
    bool met = false;
    for (long i = 0; i < n; i++) {
        met |= stamp[i] == value;
        stamp[i] = value;
    }
    return met;
}

static uint32_t *stamp_of(struct program *p, int rank, int memory)
{
    return is_region(memory) ? p->region[memory - ARENAS].stamp[rank] : p->arena_stamp[memory];
}

bool shape_remote_overlaps(struct program *p, const struct transfer *t)
{
    struct walk w;
    struct segment s;
    bool met = false;
    p->stamp++;
    for (walk_begin(&w, t); walk_next(&w, &s);)
        met |= stamp_range(stamp_of(p, t->target, s.memory) + s.remote, p->stamp, s.bytes);
    return met;
}

bool shape_local_overlaps(struct program *p, int origin, const struct transfer *t)
{
    struct walk w;
    struct segment s;
    bool met = false;
    p->stamp++;
    for (walk_begin(&w, t); walk_next(&w, &s);)
        met |= stamp_range(stamp_of(p, origin, t->local.memory) + s.local, p->stamp, s.bytes);
    return met;
}

/* ---- where things lie ---- */

struct spot shape_landing(struct rng *rng, long n)
{
    long room = rng_chance(rng, 50) ? at_most(arena_bytes(), n + 2048)
                                    : arena_bytes(); /* oversubscribed, so that transfers meet */
    return (struct spot){(int)rng_below(rng, ARENAS), rng_below(rng, room - n + 1)};
}

/* An area of the origin's own for local buffers with room for n bytes. */
static bool find_local_area(const struct program *p, const struct phase *ph, struct rng *rng,
                            int origin, long n, struct spot *spot)
{
    for (int tries = 0; tries < 12; tries++) {
        const struct area *a = &ph->area[rng_below(rng, ph->areas)];
        if (a->rule != RULE_LOCAL || a->rank != origin || a->width < n ||
            !p->region[a->region].alive)
            continue;
        *spot = (struct spot){ARENAS + a->region, a->start + rng_below(rng, a->width - n + 1)};
        return true;
    }
    return false;
}

/* Where a local range of n bytes lies. What comes from shared areas is not known beforehand: only
 * private memory takes it. */
static struct spot place_local(const struct program *p, const struct phase *ph, struct rng *rng,
                               const struct wish *wish, long n)
{
    struct spot spot;
    bool private = wish->fresh || (wish->verb == GET && wish->area->rule == RULE_SHARED_ACC);
    if (private || !rng_chance(rng, 25) ||
        !find_local_area(p, ph, rng, wish->origin, n + ALIGNMENT, &spot))
        spot = shape_landing(rng, n + ALIGNMENT);
    bool aligned =
        wish->content.type != TYPE_BYTES && !(has(FAMILY_UNALIGNED) && rng_chance(rng, 15));
    if (aligned) spot.offset = (spot.offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return spot;
}

/* Everything is a multiple of this on the remote side; on the local side. */
static long remote_unit(const struct wish *wish)
{
    bool whole = wish->verb != GET || wish->area->rule == RULE_SHARED_ACC;
    return area_is_typed(wish->area) && whole ? size_of(wish->area->type) : 1;
}

static long local_unit(const struct wish *wish)
{
    return size_of(wish->content.type);
}

/* A length in bytes up to `most`, mostly short, now and then the most. */
static long random_length(struct rng *rng, long unit, long most)
{
    long n = most / unit;
    if (rng_chance(rng, 10)) return unit * n;
    if (rng_chance(rng, 50)) n = at_most(n, 4);
    return unit * rng_range(rng, 1, n);
}

/* ---- strided ---- */

enum side { WITHIN, ACROSS, EVERY }; /* levels inside a tooth, from tooth to tooth, all */

struct axes {
    int levels;
    long count[MAX_LEVELS];
    enum side side[MAX_LEVELS];
};

/* Strides under which no two segments meet: in random order each level beyond what those before it
 * cover, with gaps where there is room.  `first` is what one segment covers; the extent of all is
 * returned. */
static long spread(struct rng *rng, const struct axes *x, enum side side, long first, long unit,
                   long room, long stride[])
{
    int order[MAX_LEVELS];
    rng_permutation(rng, x->levels, order);
    for (bool gaps = rng_chance(rng, 70);; gaps = false) {
        long cover = first;
        for (int i = 0; i < x->levels; i++) {
            int level = order[i];
            if (side != EVERY && x->side[level] != side) continue;
            stride[level] = cover + (gaps ? unit * rng_below(rng, 6) : 0);
            cover += stride[level] * (x->count[level] - 1);
        }
        if (cover <= room || !gaps) return cover;
    }
}

/* Counts that fit: the segments are `run` bytes. */
static void choose_axes(struct rng *rng, const struct area *a, long run, struct axes *x)
{
    static const int levels[] = {0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 12, 16};
    long room[2] = {a->width / run, a->teeth};
    long segments = at_most(MOST_SEGMENTS, options->longest / run);
    x->levels = levels[rng_below(rng, sizeof levels / sizeof levels[0])];
    for (int i = 0; i < x->levels; i++) {
        x->side[i] = room[ACROSS] > 1 && rng_chance(rng, 50) ? ACROSS : WITHIN;
        long most = at_most(room[x->side[i]], segments);
        x->count[i] = rng_chance(rng, 20)
                          ? 1
                          : rng_range(rng, 1, at_most(most, rng_chance(rng, 80) ? 4 : most));
        room[x->side[i]] /= x->count[i];
        segments /= x->count[i];
    }
}

/* Turn some levels round: they begin at their far end. */
static void turn(struct rng *rng, const struct axes *x, long stride[], long *base)
{
    if (!has(FAMILY_NEGATIVE) || !rng_chance(rng, 15)) return;
    for (int i = 0; i < x->levels; i++) {
        if (!rng_chance(rng, 50)) continue;
        *base += (x->count[i] - 1) * stride[i];
        stride[i] = -stride[i];
    }
}

/* Make one stride shorter, whatever that does; the range only shrinks. */
static void squeeze(struct rng *rng, const struct axes *x, long unit, long stride[])
{
    if (x->levels == 0) return;
    int level = (int)rng_below(rng, x->levels);
    stride[level] = unit * rng_range(rng, 0, stride[level] / unit);
}

static void set_strides(int levels, const long from[], int to[])
{
    for (int i = 0; i < levels; i++)
        to[i] = (int)from[i];
}

static void strided_remote(struct program *p, struct rng *rng, const struct wish *wish,
                           const struct axes *x, struct transfer *t)
{
    const struct area *a = wish->area;
    long unit = remote_unit(wish), stride[MAX_LEVELS], across[MAX_LEVELS];
    long within = spread(rng, x, WITHIN, t->count[0], unit, a->width, stride);
    long teeth = spread(rng, x, ACROSS, 1, 1, a->teeth, across);
    long base = a->start + unit * rng_below(rng, (a->width - within) / unit + 1) +
                a->period * rng_below(rng, a->teeth - teeth + 1);
    for (int i = 0; i < x->levels; i++)
        if (x->side[i] == ACROSS) stride[i] = across[i] * a->period;
    long kept[MAX_LEVELS];
    memcpy(kept, stride, sizeof kept);
    bool squeezed = a->teeth == 1 && rng_chance(rng, 15);
    if (squeezed) squeeze(rng, x, unit, stride);
    set_strides(x->levels, stride, t->remote_stride);
    t->remote = (struct spot){ARENAS + a->region, base};
    if (squeezed && wish->verb == PUT && shape_remote_overlaps(p, t))
        memcpy(stride, kept, sizeof kept);
    turn(rng, x, stride, &t->remote.offset);
    set_strides(x->levels, stride, t->remote_stride);
}

static void strided_local(const struct program *p, const struct phase *ph, struct rng *rng,
                          const struct wish *wish, const struct axes *x, struct transfer *t)
{
    long unit = local_unit(wish), stride[MAX_LEVELS];
    long range = spread(rng, x, EVERY, t->count[0], unit, local_room(), stride);
    t->local = place_local(p, ph, rng, wish, range);
    if (wish->verb != GET && rng_chance(rng, 15)) squeeze(rng, x, unit, stride);
    turn(rng, x, stride, &t->local.offset);
    set_strides(x->levels, stride, t->local_stride);
}

static bool make_strided(struct program *p, struct phase *ph, struct rng *rng,
                         const struct wish *wish, struct transfer *t)
{
    struct axes x;
    long run = random_length(rng, remote_unit(wish), wish->area->width);
    choose_axes(rng, wish->area, run, &x);
    t->levels = x.levels;
    t->count[0] = (int)run;
    for (int i = 0; i < x.levels; i++)
        t->count[i + 1] = (int)x.count[i];
    strided_remote(p, rng, wish, &x, t);
    strided_local(p, ph, rng, wish, &x, t);
    if (has(FAMILY_ZERO) && rng_chance(rng, 2)) t->count[rng_below(rng, t->levels + 1)] = 0;
    return true;
}

/* ---- contiguous, values ---- */

static struct spot place_remote(struct rng *rng, const struct area *a, long unit, long n)
{
    long offset = a->start + a->period * rng_below(rng, a->teeth) +
                  unit * rng_below(rng, (a->width - n) / unit + 1);
    return (struct spot){ARENAS + a->region, offset};
}

static bool make_contiguous(const struct program *p, const struct phase *ph, struct rng *rng,
                            const struct wish *wish, struct transfer *t)
{
    long unit = remote_unit(wish),
         n = random_length(rng, unit, at_most(wish->area->width, options->longest));
    t->count[0] = (int)n;
    t->remote = place_remote(rng, wish->area, unit, n);
    t->local = place_local(p, ph, rng, wish, n);
    if (has(FAMILY_ZERO) && rng_chance(rng, 2)) t->count[0] = 0;
    return true;
}

/* A value has no local memory; its offset there only says which value. */
static bool make_value(struct rng *rng, const struct wish *wish, struct transfer *t)
{
    static const int types[] = {ARMCI_ACC_INT, ARMCI_ACC_LNG, ARMCI_ACC_FLT, ARMCI_ACC_DBL};
    const struct area *a = wish->area;
    t->type = area_is_typed(a) ? a->type : types[rng_below(rng, 4)];
    long n = size_of(t->type);
    if (t->type > ARMCI_ACC_DBL || a->width < n) return false;
    t->count[0] = (int)n;
    t->content.type = t->type;
    t->remote = place_remote(rng, a, area_is_typed(a) ? n : 1, n);
    t->local = (struct spot){0, ALIGNMENT * rng_below(rng, 100)};
    return true;
}

/* ---- vector ---- */

static bool is_like(const struct program *p, const struct wish *wish, const struct area *b)
{
    const struct area *a = wish->area;
    if (a == b) return true;
    return p->region[b->region].alive && b->rule == a->rule && a->rule != RULE_SHARED_ACC &&
           b->rank == a->rank && b->owner == a->owner && b->type == a->type &&
           group_has(&p->group[p->region[b->region].group], wish->origin);
}

/* Another area that the transfer may also touch, for segments of n bytes. */
static const struct area *another(const struct program *p, const struct phase *ph, struct rng *rng,
                                  const struct wish *wish, long n)
{
    for (int tries = 0; tries < 8 && rng_chance(rng, 60); tries++) {
        const struct area *b = &ph->area[rng_below(rng, ph->areas)];
        if (is_like(p, wish, b) && b->width >= n && !wish->fresh) return b;
    }
    return wish->area;
}

/* May segments overlap where they write? */
static bool may_overwrite(const struct wish *wish)
{
    bool ordered = (wish->blocking || wish->verb == PUT) && has(FAMILY_OVERLAP) &&
                   wish->area->rule != RULE_SHARED_ACC;
    return wish->verb == ACC || ordered;
}

/* Remote places for the segments, in the order of the entries. A put that must not overwrite
 * itself loses what does. */
static void vector_remote(struct program *p, struct phase *ph, struct rng *rng,
                          const struct wish *wish, struct transfer *t)
{
    bool free_choice = wish->verb == GET || (may_overwrite(wish) && rng_chance(rng, 40));
    int made = 0;
    p->stamp++;
    for (int e = 0; e < t->entries; e++) {
        int wanted = t->entry[e].n;
        t->entry[e].first = made;
        t->entry[e].n = 0;
        for (int i = 0; i < wanted; i++) {
            long n = t->entry[e].bytes;
            const struct area *a = another(p, ph, rng, wish, n);
            struct spot at = place_remote(rng, a, remote_unit(wish), n);
            uint32_t *stamp = stamp_of(p, a->rank, at.memory) + at.offset;
            bool taken = false;
            for (long b = 0; b < n; b++)
                taken |= stamp[b] == p->stamp;
            if (taken && !free_choice) continue;
            stamp_range(stamp, p->stamp, n);
            t->segment[made++] = (struct segment){at.memory, at.offset, 0, n};
            t->entry[e].n++;
        }
    }
}

/* Local places: slots in random order; or anywhere, where segments may overlap. */
static void vector_local(const struct program *p, const struct phase *ph, struct rng *rng,
                         const struct wish *wish, long longest, int segments, struct transfer *t)
{
    int order[MOST_SEGMENTS];
    long unit = local_unit(wish), slot = longest + unit * rng_below(rng, 4),
         range = slot * segments;
    bool anywhere =
        wish->verb == GET ? may_overwrite(wish) && rng_chance(rng, 40) : rng_chance(rng, 30);
    bool in_order = rng_chance(rng, 30);
    rng_permutation(rng, segments, order);
    t->local = place_local(p, ph, rng, wish, range);
    for (int i = 0; i < segments; i++) {
        long at = slot * (in_order ? i : order[i]);
        if (anywhere) at = unit * rng_below(rng, (range - t->segment[i].bytes) / unit + 1);
        t->segment[i].local = t->local.offset + at;
    }
}

static bool make_vector(struct program *p, struct phase *ph, struct rng *rng,
                        const struct wish *wish, struct transfer *t)
{
    enum { MOST_ENTRIES = 4 };
    long unit = remote_unit(wish), longest = 1, bytes = options->longest;
    int segments = 0;
    t->entries = rng_between(rng, has(FAMILY_ZERO) && rng_chance(rng, 3) ? 0 : 1, MOST_ENTRIES);
    t->entry = phase_memory(ph, MOST_ENTRIES * sizeof *t->entry);
    for (int e = 0; e < t->entries; e++) {
        long n = random_length(rng, unit, at_most(wish->area->width, 256)),
             most = at_most(bytes / n, MOST_SEGMENTS / MOST_ENTRIES);
        long wanted =
            rng_range(rng, has(FAMILY_ZERO) ? 0 : 1, at_most(most, rng_chance(rng, 80) ? 6 : most));
        long longer = n > longest ? n : longest;
        wanted = at_most(most < 1 ? 0 : wanted,
                         local_room() / longer - segments); /* each gets a slot for the longest */
        if (wanted > 0) longest = longer;
        t->entry[e] = (struct entry){.bytes = (int)n, .n = wanted < 0 ? 0 : (int)wanted};
        segments += t->entry[e].n;
        bytes -= n * t->entry[e].n;
        if (has(FAMILY_ZERO) && rng_chance(rng, 2)) t->entry[e].bytes = 0;
    }
    t->segment = phase_memory(ph, (size_t)segments * sizeof *t->segment);
    t->remote = (struct spot){ARENAS + wish->area->region, 0};
    vector_remote(p, ph, rng, wish, t);
    vector_local(p, ph, rng, wish, longest, segments, t);
    return true;
}

bool shape_transfer(struct program *p, struct phase *ph, struct rng *rng, const struct wish *wish,
                    struct transfer *t)
{
    *t = (struct transfer){.verb = wish->verb,
                           .form = wish->form,
                           .target = wish->area->rank,
                           .type = wish->area->type,
                           .area = wish->area->rule == RULE_SHARED_ACC ? wish->index : -1,
                           .content = wish->content,
                           .fill = true};
    switch (wish->form) {
    case CONTIGUOUS: return make_contiguous(p, ph, rng, wish, t);
    case STRIDED: return make_strided(p, ph, rng, wish, t);
    case VECTOR: return make_vector(p, ph, rng, wish, t);
    default: return make_value(rng, wish, t);
    }
}
