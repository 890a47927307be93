/* model.c - operations applied to what memory should hold; counting in shared areas. */
#include "model.h"

enum { LONGEST_PART = 512 };

void model_begin_phase(struct program *p, const struct phase *ph)
{
    for (int i = 0; i < ph->areas; i++) {
        const struct area *a = &ph->area[i];
        const struct region *region = &p->region[a->region];
        if (region->kept && area_is_typed(a)) area_refresh(a, region->shadow[a->rank]);
    }
}

void model_fill(const struct op *op, char *local)
{
    struct walk w;
    struct segment s;
    for (walk_begin(&w, &op->t); walk_next(&w, &s);)
        pattern_store(local + s.local, s.local, s.bytes, op->t.content);
}

static void accumulate(const struct transfer *t, char *dst, const char *src, long n)
{
    union scale scale = scale_of(t->type, t->scale[0], t->scale[1]);
    element_accumulate(t->type, &scale, src, dst, (size_t)n);
}

/* Put and accumulate from `local`, get into it. */
static void move(const struct program *p, const struct op *op, char *local)
{
    struct walk w;
    struct segment s;
    const struct transfer *t = &op->t;
    for (walk_begin(&w, t); walk_next(&w, &s);) {
        char *remote = memory_shadow(p, t->target, s.memory) + s.remote;
        if (t->verb == ACC)
            accumulate(t, remote, local + s.local, s.bytes);
        else if (t->verb == PUT)
            memmove(remote, local + s.local, (size_t)s.bytes);
        else
            memmove(local + s.local, remote, (size_t)s.bytes);
    }
}

/* Data that have no place in local memory. */
static void put_filled(struct program *p, const struct op *op)
{
    struct walk w;
    struct segment s;
    for (walk_begin(&w, &op->t); walk_next(&w, &s);)
        pattern_store(memory_shadow(p, op->t.target, s.memory) + s.remote, s.local, s.bytes,
                      op->t.content);
}

static void apply_transfer(struct program *p, const struct op *op)
{
    if (!op_has_local(op)) {
        if (op->t.verb == PUT) put_filled(p, op);
        return;
    }
    char *local = memory_shadow(p, op->rank, op->t.local.memory);
    if (op->t.fill) model_fill(op, local);
    move(p, op, local);
}

static void apply_tell(struct program *p, const struct op *op)
{
    apply_transfer(p, op);
    if (op->variant == BY_FLAG)
        memcpy(p->region[op->region].shadow[op->t.target] + op->offset, &op->operand,
               sizeof op->operand);
}

/* The shadow does not tell: it has what the owner did there, or not yet. Each part is used once,
 * so it can be made anew. */
void model_told(struct program *p, const struct phase *ph, const struct op *op, char *part)
{
    struct walk w;
    struct segment s;
    const struct area *a = &ph->area[op->area];
    char *slice = p->region[a->region].shadow[a->rank];
    memcpy(part, slice + op->offset, (size_t)op->bytes);
    if (area_is_typed(a)) {
        char *fresh = need(malloc((size_t)p->region[a->region].bytes[a->rank]));
        area_refresh(a, fresh);
        memcpy(part, fresh + op->offset, (size_t)op->bytes);
        free(fresh);
    }
    for (walk_begin(&w, &op->t); walk_next(&w, &s);) {
        char data[LONGEST_PART], *to = part + (s.remote - op->offset);
        pattern_store(data, s.local, s.bytes, op->t.content);
        if (op->t.verb == ACC)
            accumulate(&op->t, to, data, s.bytes);
        else
            memcpy(to, data, (size_t)s.bytes);
    }
    if (op->variant == BY_FLAG) memcpy(part, &op->operand, sizeof op->operand);
}

/* ---- cells ---- */

static char *cell_of(const struct program *p, const struct op *op)
{
    return p->region[op->region].shadow[op->peer] + op->offset;
}

long model_cell(const struct program *p, const struct phase *ph, const struct op *op)
{
    return element_load(ph->area[op->area].type, cell_of(p, op));
}

/* Where processes swap, only the end of the phase tells what remains. */
static void apply_rmw(struct program *p, const struct phase *ph, const struct op *op)
{
    const struct area *a = &ph->area[op->area];
    if (a->rule == RULE_SHARED_RMW && a->swaps) return;
    bool swap = op->rmw == ARMCI_SWAP || op->rmw == ARMCI_SWAP_LONG;
    long number = swap ? op->operand : model_cell(p, ph, op) + op->operand;
    element_store(a->type, cell_of(p, op), number);
}

static void apply_section(struct program *p, const struct area *a)
{
    char *slice = p->region[a->region].shadow[a->rank];
    for (long i = 0; i < area_cells(a); i++) {
        char *cell = slice + area_cell_offset(a, i);
        element_store(a->type, cell, element_load(a->type, cell) + 1);
    }
}

void model_apply(struct program *p, const struct phase *ph, const struct op *op)
{
    switch (op->kind) {
    case OP_TRANSFER:
    case OP_PACK:
    case OP_ACCESS: apply_transfer(p, op); break;
    case OP_TELL: apply_tell(p, op); break;
    case OP_RMW: apply_rmw(p, ph, op); break;
    case OP_SECTION:
        apply_section(p, &ph->area[op->area]);
        if (op->second >= 0) apply_section(p, &ph->area[op->second]);
        break;
    default: break;
    }
}

void model_replay(struct program *p, const struct phase *ph, struct replay *replay, int rank,
                  long sequence)
{
    const struct stream *s = &ph->stream[rank];
    while (replay->at[rank] < s->n && s->op[replay->at[rank]].sequence < sequence)
        model_apply(p, ph, &s->op[replay->at[rank]++]);
}

/* ---- counting in shared areas ---- */

/* Add sign * what the accumulate adds, up to the segment `last` (inclusive, -1: all). Returns the
 * segment that passed the budget, or -1. */
static int add(const struct program *p, const struct area *a, const struct transfer *t, int sign,
               int last, unsigned char counts[])
{
    struct walk w;
    struct segment s;
    long part = part_of(a->type);
    int at = 0, over = -1;
    for (walk_begin(&w, t); over < 0 && (last < 0 || at <= last) && walk_next(&w, &s); at++)
        for (long i = 0; i < s.bytes; i += part) {
            unsigned char *count = &counts[area_part_at(a, s.remote + i)];
            *count = (unsigned char)(*count + sign * t->scale[0] *
                                                  pattern_number(t->content.seed, s.local + i, 1));
            if (*count > area_budget(p)) over = at;
        }
    return over;
}

/* A segment adds at most 6 to a part: no counter wraps before it is seen to be too large. */
bool shared_add(const struct program *p, const struct area *a, const struct transfer *t,
                unsigned char counts[])
{
    int over = add(p, a, t, 1, -1, counts);
    if (over >= 0) add(p, a, t, -1, over, counts);
    return over < 0;
}

static bool is_shared_acc(const struct op *op)
{
    return op->kind == OP_TRANSFER && op->t.verb == ACC && op->t.area >= 0;
}

void shared_recount(struct program *p, struct phase *ph)
{
    for (int i = 0; i < ph->areas; i++)
        if (ph->area[i].totals)
            memset(ph->area[i].totals, 0, (size_t)(area_parts(&ph->area[i]) * p->ranks));
    for (int rank = 0; rank < p->ranks; rank++)
        for (int i = 0; i < ph->stream[rank].n; i++) {
            const struct op *op = &ph->stream[rank].op[i];
            if (!is_shared_acc(op)) continue;
            const struct area *a = &ph->area[op->t.area];
            add(p, a, &op->t, 1, -1, a->totals + rank * area_parts(a));
        }
}

bool shared_may_be(const struct program *p, const struct area *a, long part, long seen, long *least,
                   int *rank)
{
    long start = area_start_number(a, area_part_offset(a, part)), rest = seen - start,
         base = area_budget(p) + 1;
    *least = start + a->done[part] * area_unit(p, p->me);
    *rank = p->me;
    for (int r = 0; r < p->ranks; r++) {
        long digit = rest % base;
        rest /= base;
        long total = a->totals[r * area_parts(a) + part];
        if (digit >= 0 && digit <= total && (r != p->me || digit == a->done[part])) continue;
        *rank = r;
        return false;
    }
    return rest == 0;
}
