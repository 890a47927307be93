/* make_joint.c - random operations in which several processes take part. All share a unit, and are
 * appended in an order in which they can happen. */
#include "maker.h"
#include "model.h"

/* ---- sections under a mutex ---- */

static bool same_mutex(const struct area *a, const struct area *b)
{
    return a->mutex == b->mutex && a->node == b->node;
}

/* A second locked area under another mutex, for those who may use the first. */
static int second_area(struct maker *m, const struct area *a)
{
    int i = rng_chance(&m->rng, 30) ? make_find_area(m, RULE_LOCKED, -1) : -1;
    if (i < 0) return -1;
    const struct area *b = &m->ph->area[i];
    return same_mutex(a, b) || m->p->region[a->region].group != m->p->region[b->region].group ? -1
                                                                                              : i;
}

/* Everyone at once, a few times each: each section is a separate unit. */
void make_sections(struct maker *m)
{
    int i = make_find_area(m, RULE_LOCKED, -1);
    if (i < 0) return;
    const struct area *a = &m->ph->area[i];
    const struct group *group = &m->p->group[m->p->region[a->region].group];
    int second = second_area(m, a);
    for (int n = rng_between(&m->rng, 1, 5) * group->n; n > 0; n--) {
        struct op *op = make_op(m, group->member[n % group->n], OP_SECTION);
        op->area = i;
        op->second = rng_chance(&m->rng, 50) ? second : -1;
        op->variant = (int)rng_below(&m->rng, 3);
        m->p->units++;
    }
}

/* ---- mailboxes ---- */

/* Cut the next part off the mailbox. */
static bool take_part(struct maker *m, struct area *box, struct area *part)
{
    long left = box->width - box->taken, n = rng_range(&m->rng, 32, 32 + rng_below(&m->rng, 300));
    n -= n % 16; /* whole elements of any type */
    if (left < 32) return false;
    if (n > left) n = left - left % 16;
    *part = *box;
    part->start = box->start + box->taken;
    part->width = part->period = n;
    box->taken += n;
    return true;
}

static enum telling choose_telling(struct maker *m, bool owner_is_target)
{
    static const enum telling all[] = {BY_NOTIFY, BY_FLAG, BY_FENCE, BY_ALL_FENCE, BY_GROUP_FENCE};
    for (;;) {
        enum telling how = all[rng_below(&m->rng, 5)];
        if (how == BY_NOTIFY && !has(FAMILY_NOTIFY)) continue;
        if (how == BY_FLAG && (!has(FAMILY_FLAG) || owner_is_target)) continue;
        if (how >= BY_FENCE && !has(FAMILY_FENCE)) continue;
        if (how == BY_GROUP_FENCE && !has(FAMILY_GROUP_FENCE)) continue;
        return how;
    }
}

/* Who is told: the target itself, or with a fence and a message anyone else who reaches the memory.
 */
static int choose_hearer(struct maker *m, const struct area *box, enum telling how)
{
    const struct group *group = &m->p->group[m->p->region[box->region].group];
    if (how < BY_FENCE) return box->rank;
    for (int tries = 0; tries < 10; tries++) {
        int hearer = group->member[rng_below(&m->rng, group->n)];
        if (hearer != box->owner) return hearer;
    }
    return -1;
}

static bool can_tell(const struct area *box)
{
    return (has(FAMILY_NOTIFY) || has(FAMILY_FENCE) ||
            (has(FAMILY_FLAG) && box->owner != box->rank)) &&
           has(FAMILY_PUT);
}

static enum form choose_form(struct maker *m, enum telling how)
{
    enum form form = (enum form)rng_below(&m->rng, how == BY_FLAG ? 2 : 3);
    if (form == STRIDED && !has(FAMILY_STRIDED)) return CONTIGUOUS;
    return form == VECTOR && !has(FAMILY_VECTOR) ? CONTIGUOUS : form;
}

/* The putting half; the flag is the first int of the part. */
static bool tell(struct maker *m, struct op *op, int area, const struct area *part,
                 enum telling how)
{
    struct area data = *part;
    op->variant = (int)how;
    op->offset = part->start;
    op->bytes = part->width;
    op->region = part->region;
    op->area = area;
    op->group = m->p->region[part->region].group;
    op->operand = (int)(op->seed >> 33) | 1;
    if (how == BY_FLAG) {
        data.start += 16;
        data.width = data.period = part->width - 16;
    }
    op->mode =
        how != BY_FLAG && has(FAMILY_NONBLOCKING) && rng_chance(&m->rng, 40) ? EXPLICIT : BLOCKING;
    struct wish wish = {.origin = op->rank,
                        .fresh = true,
                        .area = &data,
                        .index = -1,
                        .verb = PUT,
                        .form = choose_form(m, how)};
    if (area_is_typed(part) && how != BY_FLAG && rng_chance(&m->rng, 70)) wish.verb = ACC;
    wish.content = (struct content){op->seed, part->type, 0};
    if (!shape_transfer(m->p, m->ph, &m->rng, &wish, &op->t)) return false;
    op->t.scale[0] = rng_between(&m->rng, 1, 3);
    return true;
}

void make_telling(struct maker *m)
{
    int i = make_find_area(m, RULE_MAILBOX, -1);
    struct area part;
    if (i < 0 || !can_tell(&m->ph->area[i])) return;
    struct area *box = &m->ph->area[i];
    enum telling how = choose_telling(m, box->owner == box->rank);
    int hearer = choose_hearer(m, box, how), teller = box->owner;
    if (hearer < 0 || !take_part(m, box, &part)) return;
    struct op *op = make_op(m, teller, OP_TELL);
    op->peer = hearer;
    if (!tell(m, op, i, &part, how)) {
        make_undo(m, teller);
        return;
    }
    int position = m->ph->stream[teller].n - 1;
    struct op *hear = make_op(m, hearer, OP_HEAR);
    const struct op *told = &m->ph->stream[teller].op[position];
    long unit = hear->unit, sequence = hear->sequence;
    *hear = *told;
    hear->kind = OP_HEAR;
    hear->rank = hearer;
    hear->unit = unit;
    hear->sequence = sequence;
    hear->peer = teller;
    hear->handle = (int)rng_below(&m->rng, 2); /* how it looks */
    hear->landing = shape_landing(&m->rng, part.width);
}

/* ---- messages ---- */

void make_message(struct maker *m)
{
    int from = make_random_rank(m), to = make_random_rank(m);
    if (from == to) return;
    struct op *send = make_op(m, from, OP_SEND);
    send->peer = to;
    send->bytes = rng_below(&m->rng, rng_chance(&m->rng, 80) ? 200 : 5000);
    send->operand = (int)rng_below(&m->rng, 1000); /* the tag */
    send->variant = (int)rng_below(&m->rng, 2);
    struct op copy = *send, *receive = make_op(m, to, OP_RECEIVE);
    receive->peer = from;
    receive->bytes = copy.bytes;
    receive->operand = copy.operand;
    receive->variant = copy.variant;
    receive->seed = copy.seed;
}

/* One operation of the same seed for each member. */
static void make_for_members(struct maker *m, const struct group *group, const struct op *like)
{
    for (int i = 0; i < group->n; i++) {
        struct op *op = phase_append(m->p, m->ph, group->member[i], like->kind);
        op->seed = like->seed;
        op->group = like->group;
        op->region = like->region;
        op->variant = like->variant;
        op->bytes = like->bytes;
        op->operand = like->operand;
    }
}

static int random_group(struct maker *m)
{
    for (int tries = 0; tries < 10; tries++) {
        int g = (int)rng_below(&m->rng, m->p->groups);
        if (m->p->group[g].alive) return g;
    }
    return WORLD;
}

void make_reduce(struct maker *m)
{
    struct op op = {.kind = OP_REDUCE,
                    .seed = rng_next(&m->rng),
                    .group = rng_chance(&m->rng, 50) ? random_group(m) : WORLD};
    op.variant = (int)rng_below(&m->rng, 8);
    op.operand = (int)rng_below(&m->rng, 1000);
    op.bytes = rng_range(&m->rng, 1, 20); /* elements */
    make_for_members(m, &m->p->group[op.group], &op);
}

void make_barrier(struct maker *m)
{
    struct op op = {.kind = OP_BARRIER, .variant = (int)rng_below(&m->rng, 2)};
    make_for_members(m, &m->p->group[WORLD], &op);
}

/* ---- groups ---- */

void make_group(struct maker *m)
{
    struct program *p = m->p;
    int order[MAX_RANKS];
    if (p->groups == MAX_GROUPS) return;
    struct op op = {
        .kind = OP_GROUP_CREATE, .group = p->groups, .variant = (int)rng_below(&m->rng, 2)};
    int parent = random_group(m);
    const struct group *of = &p->group[parent];
    struct group *group = &p->group[p->groups++];
    *group = (struct group){.alive = true, .parent = parent, .n = rng_between(&m->rng, 1, of->n)};
    rng_permutation(&m->rng, of->n, order);
    for (int i = 0; i < group->n; i++)
        group->member[i] = of->member[order[i]];
    bool all = !has(FAMILY_NONCOLLECTIVE) || rng_chance(&m->rng, 30);
    make_for_members(m, all ? of : group, &op);
}

static bool is_used(const struct program *p, int g)
{
    for (int r = 0; r < p->regions; r++)
        if (p->region[r].alive && p->region[r].group == g) return true;
    return false;
}

void make_group_end(struct maker *m)
{
    int g = random_group(m);
    if (g == WORLD || is_used(m->p, g)) return;
    struct op op = {.kind = OP_GROUP_FREE, .group = g};
    m->p->group[g].alive = false;
    make_for_members(m, &m->p->group[g], &op);
}

/* ---- regions ---- */

static void choose_bytes(struct maker *m, struct region *region, const struct group *group)
{
    long total = 0;
    for (int i = 0; i < group->n; i++) {
        long bytes = rng_range(&m->rng, 64, options->bytes) >> rng_below(&m->rng, 4);
        if (has(FAMILY_ZERO) && rng_chance(&m->rng, 10)) bytes = 0;
        total += region->bytes[group->member[i]] = bytes;
    }
    if (total == 0) region->bytes[group->member[0]] = 64;
}

void make_region(struct maker *m, int g)
{
    struct program *p = m->p;
    if (p->regions == MAX_REGIONS) return;
    if (g < 0) g = rng_chance(&m->rng, 60) ? random_group(m) : WORLD;
    struct op op = {.kind = OP_REGION_CREATE,
                    .region = p->regions,
                    .group = g,
                    .variant = (int)rng_below(&m->rng, 3)};
    struct region *region = &p->region[p->regions++];
    *region = (struct region){.alive = true, .group = g, .seed = rng_next(&m->rng)};
    choose_bytes(m, region, &p->group[g]);
    region_shadow(p, op.region);
    make_for_members(m, &p->group[g], &op);
    layout_region(p, m->ph, op.region, &m->rng);
}

void make_region_end(struct maker *m)
{
    struct program *p = m->p;
    int r = (int)rng_below(&m->rng, p->regions);
    if (!p->region[r].alive) return;
    struct op op = {.kind = OP_REGION_FREE,
                    .region = r,
                    .group = p->region[r].group,
                    .variant = (int)rng_below(&m->rng, 2)};
    p->region[r].alive = false;
    make_for_members(m, &p->group[op.group], &op);
}

void make_mutexes(struct maker *m)
{
    struct op op = {.kind = OP_MUTEXES};
    make_for_members(m, &m->p->group[WORLD], &op);
}
