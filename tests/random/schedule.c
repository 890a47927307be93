/* schedule.c - waits. Non-blocking operations are unordered until they are waited for: no two of
 * them, and no later operation, may touch the same bytes, unless both read or both accumulate. Also
 * after shrinking has taken waits away. */
#include "model.h"
#include "options.h"

/* ---- what is left ---- */

static bool memory_is_kept(const struct program *p, int memory)
{
    return !is_region(memory) || p->region[memory - ARENAS].kept;
}

static bool transfer_is_kept(const struct program *p, const struct transfer *t)
{
    struct walk w;
    struct segment s;
    if (!memory_is_kept(p, t->local.memory) || !memory_is_kept(p, t->remote.memory)) return false;
    for (walk_begin(&w, t); walk_next(&w, &s);)
        if (!memory_is_kept(p, s.memory)) return false;
    return true;
}

static bool area_is_kept(const struct program *p, const struct phase *ph, int area)
{
    return area < 0 || p->region[ph->area[area].region].kept;
}

/* Also notes what comes into being. */
static bool is_kept(struct program *p, const struct phase *ph, const struct op *op)
{
    if (!options_keep(op->unit)) return false;
    switch (op->kind) {
    case OP_TRANSFER:
    case OP_ACCESS:
    case OP_PACK:
    case OP_TELL: return transfer_is_kept(p, &op->t);
    case OP_HEAR: return p->region[op->region].kept;
    case OP_RMW: return area_is_kept(p, ph, op->area);
    case OP_SECTION:
        return p->has_mutexes && area_is_kept(p, ph, op->area) && area_is_kept(p, ph, op->second);
    case OP_GROUP_FENCE:
    case OP_REDUCE:
    case OP_GROUP_FREE: return p->group[op->group].kept;
    case OP_GROUP_CREATE:
        return p->group[op->group].kept = p->group[p->group[op->group].parent].kept;
    case OP_REGION_CREATE: return p->region[op->region].kept = p->group[op->group].kept;
    case OP_REGION_FREE: return p->region[op->region].kept;
    case OP_MUTEXES: return p->has_mutexes = true;
    default: return true;
    }
}

long schedule_filter(struct program *p, struct phase *ph)
{
    long left = 0;
    for (int rank = 0; rank < p->ranks; rank++) {
        struct stream *s = &ph->stream[rank];
        int n = 0;
        for (int i = 0; i < s->n; i++)
            if (is_kept(p, ph, &s->op[i])) s->op[n++] = s->op[i];
        s->n = n;
        left += n;
    }
    return left;
}

/* ---- marks: the incomplete operations at each byte ---- */

enum use { READ, ADD, WRITE };
enum { MOST_UNDER_WAY = 1024 };

struct scheduler {
    struct program *p;
    struct phase *ph;
    int rank;
    struct stream *out;
    int under_way[MOST_UNDER_WAY], n; /* positions in out */
    struct rng rng;
};

bool op_transfers(const struct op *op)
{
    return op->kind == OP_TRANSFER || op->kind == OP_ACCESS || op->kind == OP_PACK ||
           op->kind == OP_TELL;
}

bool op_has_local(const struct op *op)
{
    return op->kind != OP_ACCESS && op->t.form != VALUE;
}

static struct mark *mark_of(const struct program *p, int rank, int memory)
{
    return is_region(memory) ? p->region[memory - ARENAS].mark[rank] : p->arena_mark[memory];
}

static enum use remote_use(const struct transfer *t)
{
    return t->verb == GET ? READ : t->verb == ACC ? ADD : WRITE;
}

static enum use local_use(const struct transfer *t)
{
    return t->verb == GET ? WRITE : READ;
}

/* Two reads do not conflict, nor do two accumulates. */
static bool range_conflicts(const struct mark *mark, long n, enum use use)
{
    for (long i = 0; i < n; i++) {
        if (mark[i].writes || (use != READ && mark[i].reads) || (use != ADD && mark[i].accs))
            return true;
    }
    return false;
}

/* What a source is filled with is written before the transfer begins. */
static bool transfer_conflicts(const struct program *p, const struct op *op)
{
    struct walk w;
    struct segment s;
    const struct transfer *t = &op->t;
    for (walk_begin(&w, t); walk_next(&w, &s);) {
        if (range_conflicts(mark_of(p, t->target, s.memory) + s.remote, s.bytes, remote_use(t)))
            return true;
        if (!op_has_local(op)) continue;
        if (range_conflicts(mark_of(p, op->rank, t->local.memory) + s.local, s.bytes,
                            t->fill ? WRITE : local_use(t)))
            return true;
    }
    return false;
}

static bool op_conflicts(const struct program *p, const struct phase *ph, const struct op *op)
{
    if (op->kind == OP_HEAR)
        return range_conflicts(p->arena_mark[op->landing.memory] + op->landing.offset, op->bytes,
                               WRITE);
    if (op->kind == OP_RMW)
        return range_conflicts(p->region[op->region].mark[op->peer] + op->offset,
                               size_of(ph->area[op->area].type), WRITE);
    return op_transfers(op) && transfer_conflicts(p, op);
}

static void change_range(struct mark *mark, long n, enum use use, int by)
{
    for (long i = 0; i < n; i++) {
        uint16_t *count = use == READ  ? &mark[i].reads
                          : use == ADD ? &mark[i].accs
                                       : &mark[i].writes;
        *count = (uint16_t)(*count + by);
    }
}

static void change_marks(const struct program *p, const struct op *op, int by)
{
    struct walk w;
    struct segment s;
    const struct transfer *t = &op->t;
    for (walk_begin(&w, t); walk_next(&w, &s);) {
        change_range(mark_of(p, t->target, s.memory) + s.remote, s.bytes, remote_use(t), by);
        if (op_has_local(op))
            change_range(mark_of(p, op->rank, t->local.memory) + s.local, s.bytes, local_use(t),
                         by);
    }
}

/* ---- what completes what ---- */

static bool fences(const struct program *p, const struct op *wait, int target)
{
    if (!has(FAMILY_LAZY)) return false;
    switch (wait->kind) {
    case OP_FENCE: return wait->peer == target;
    case OP_GROUP_FENCE: return group_has(&p->group[wait->group], target);
    case OP_ALL_FENCE: return true;
    case OP_BARRIER: return wait->variant == 0;
    default: return false;
    }
}

bool op_is_completed_by(const struct program *p, const struct op *op, const struct op *wait)
{
    switch (wait->kind) {
    case OP_WAIT:
    case OP_TEST: return op->handle == wait->handle;
    case OP_WAIT_PROC: return op->t.target == wait->peer;
    case OP_WAIT_ALL: return true;
    default: return op->t.verb != GET && fences(p, wait, op->t.target);
    }
}

static void append(struct scheduler *s, const struct op *op)
{
    *phase_append(s->p, s->ph, s->rank, op->kind) = *op;
}

static void complete(struct scheduler *s, const struct op *wait)
{
    int left = 0;
    for (int i = 0; i < s->n; i++) {
        const struct op *op = &s->out->op[s->under_way[i]];
        if (op_is_completed_by(s->p, op, wait))
            change_marks(s->p, op, -1);
        else
            s->under_way[left++] = s->under_way[i];
    }
    s->n = left;
}

static void insert(struct scheduler *s, enum kind kind, int handle, int peer,
                   const struct op *before)
{
    struct op op = {.kind = kind,
                    .rank = s->rank,
                    .unit = before->unit,
                    .sequence = before->sequence,
                    .handle = handle,
                    .peer = peer};
    append(s, &op);
    complete(s, &op);
}

/* Wait for an incomplete one: by its handle, or for its target, or for all. */
static void insert_wait(struct scheduler *s, const struct op *before)
{
    int handle, target, at = (int)rng_below(&s->rng, s->n);
    handle = s->out->op[s->under_way[at]].handle;
    target = s->out->op[s->under_way[at]].t.target;
    if (rng_chance(&s->rng, 20))
        insert(s, OP_WAIT_ALL, IMPLICIT_HANDLE, 0, before);
    else if (handle == IMPLICIT_HANDLE ? !has(FAMILY_WAIT_NULL) : rng_chance(&s->rng, 20))
        insert(s, OP_WAIT_PROC, IMPLICIT_HANDLE, target, before);
    else
        insert(s, OP_WAIT, handle, 0, before);
}

static bool handle_is_busy(const struct scheduler *s, int handle)
{
    for (int i = 0; i < s->n; i++)
        if (s->out->op[s->under_way[i]].handle == handle) return true;
    return false;
}

/* Must everything be complete before it? */
static bool wants_quiet(const struct op *op)
{
    return op->kind == OP_REGION_FREE || op->kind == OP_GROUP_FREE;
}

static void schedule_op(struct scheduler *s, const struct op *op)
{
    bool starts = op->kind == OP_TRANSFER && op->mode != BLOCKING;
    if (op->kind == OP_SET_AGGREGATE || op->kind == OP_UNSET_AGGREGATE)
        while (handle_is_busy(s, op->handle))
            insert(s, OP_WAIT, op->handle, 0, op);
    while (s->n > 0 && (wants_quiet(op) || op_conflicts(s->p, s->ph, op) || s->n == MOST_UNDER_WAY))
        insert_wait(s, op);
    append(s, op);
    complete(s, op);
    if (!starts) return;
    s->under_way[s->n++] = s->out->n - 1;
    change_marks(s->p, op, 1);
}

/* ---- what local memory holds ---- */

static void set_known(const struct program *p, const struct op *op, bool known)
{
    struct walk w;
    struct segment s;
    if (is_region(op->t.local.memory)) return;
    unsigned char *map = p->arena_known[op->rank][op->t.local.memory];
    for (walk_begin(&w, &op->t); walk_next(&w, &s);)
        memset(map + s.local, known, (size_t)s.bytes);
}

static bool is_known(const struct program *p, const struct op *op)
{
    struct walk w;
    struct segment s;
    if (is_region(op->t.local.memory)) return true;
    const unsigned char *map = p->arena_known[op->rank][op->t.local.memory];
    for (walk_begin(&w, &op->t); walk_next(&w, &s);)
        if (memchr(map + s.local, 0, (size_t)s.bytes)) return false;
    return true;
}

/* Only plain bytes that everyone can tell are sent unfilled. What comes from shared areas or
 * mailboxes depends on the course of events. */
static void settle_local(struct program *p, struct op *op)
{
    if (op->kind == OP_HEAR)
        memset(p->arena_known[op->rank][op->landing.memory] + op->landing.offset, 0,
               (size_t)op->bytes);
    if (!op_transfers(op) || !op_has_local(op)) return;
    if (op->t.verb != GET && !op->t.fill && !is_known(p, op)) op->t.fill = true;
    if (op->t.verb == GET)
        set_known(p, op, op->t.area < 0);
    else if (op->t.fill)
        set_known(p, op, true);
}

/* ---- the end of a phase ---- */

static bool may_be_left(const struct scheduler *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->out->op[s->under_way[i]].t.verb == GET) return false;
    return has(FAMILY_LAZY);
}

/* The barrier that ends the phase completes puts and accumulates that nobody waited for. */
static void end_stream(struct scheduler *s)
{
    struct op barrier = {.kind = OP_BARRIER},
              last = {.kind = OP_BARRIER, .rank = s->rank, .sequence = s->p->sequence};
    if (s->out->n > 0) last.unit = s->out->op[s->out->n - 1].unit;
    if (may_be_left(s) && rng_chance(&s->rng, 40)) complete(s, &barrier);
    while (s->n > 0)
        insert_wait(s, &last);
}

static void schedule_stream(struct program *p, struct phase *ph, int rank)
{
    struct stream in = ph->stream[rank];
    struct scheduler s = {.p = p,
                          .ph = ph,
                          .rank = rank,
                          .out = &ph->stream[rank],
                          .rng = rng_start(ph->seed + (uint64_t)rank)};
    *s.out = (struct stream){0};
    for (int i = 0; i < in.n; i++) {
        settle_local(p, &in.op[i]);
        schedule_op(&s, &in.op[i]);
    }
    end_stream(&s);
    free(in.op);
}

void schedule_phase(struct program *p, struct phase *ph)
{
    for (int rank = 0; rank < p->ranks; rank++)
        schedule_stream(p, ph, rank);
    shared_recount(p, ph);
}
