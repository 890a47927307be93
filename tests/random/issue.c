/* issue.c - transfers and read-modify-write by the calls of ARMCI, and the check of what gets
 * bring. */
#include "../../tools/lib/call.h"
#include "options.h"
#include "run.h"

/* ---- calls ---- */

static char *remote_of(const struct run *run, const struct transfer *t)
{
    return memory_real(run->p, t->target, t->remote.memory) + t->remote.offset;
}

static char *local_of(const struct run *run, const struct transfer *t)
{
    return memory_real(run->p, run->p->me, t->local.memory) + t->local.offset;
}

/* The arrays live until the call returns, no longer. */
static int vector(const struct run *run, const struct call *c, const struct transfer *t)
{
    int segments = 0;
    for (int e = 0; e < t->entries; e++)
        segments += t->entry[e].n;
    void **pointer = need(calloc((size_t)segments * 2 + 1, sizeof *pointer));
    armci_giov_t *iov = need(calloc((size_t)t->entries + 1, sizeof *iov));
    char *local = memory_real(run->p, run->p->me, t->local.memory);
    for (int e = 0, at = 0; e < t->entries; e++) {
        const struct entry *entry = &t->entry[e];
        void **here = pointer + at, **there = pointer + segments + at;
        for (int i = 0; i < entry->n; i++) {
            const struct segment *s = &t->segment[entry->first + i];
            here[i] = local + s->local;
            there[i] = memory_real(run->p, t->target, s->memory) + s->remote;
        }
        iov[e] = (armci_giov_t){t->verb == GET ? there : here, t->verb == GET ? here : there,
                                entry->bytes, entry->n};
        at += entry->n;
    }
    int status = call_vector(c, iov, t->entries);
    free(iov);
    free(pointer);
    return status;
}

static int call(const struct run *run, struct transfer *t, bool blocking, armci_hdl_t *handle)
{
    union scale scale = scale_of(t->type, t->scale[0], t->scale[1]);
    struct call c = {(unsigned)t->verb, blocking, handle, t->type, &scale, t->target};
    if (t->form == VECTOR) return vector(run, &c, t);
    if (t->form == CONTIGUOUS)
        return call_contiguous(&c, local_of(run, t), remote_of(run, t), t->count[0]);
    return call_strided(&c, local_of(run, t), t->local_stride, remote_of(run, t), t->remote_stride,
                        t->count, t->levels);
}

static int put_value(struct transfer *t, void *dst, bool blocking, armci_hdl_t *handle)
{
    char value[16];
    int i, to = t->target;
    long l;
    float f;
    double d;
    pattern_store(value, t->local.offset, t->count[0], t->content);
    memcpy(&i, value, sizeof i);
    memcpy(&l, value, sizeof l);
    memcpy(&f, value, sizeof f);
    memcpy(&d, value, sizeof d);
    switch (t->type) {
    case ARMCI_ACC_INT:
        return blocking ? ARMCI_PutValueInt(i, dst, to) : ARMCI_NbPutValueInt(i, dst, to, handle);
    case ARMCI_ACC_LNG:
        return blocking ? ARMCI_PutValueLong(l, dst, to) : ARMCI_NbPutValueLong(l, dst, to, handle);
    case ARMCI_ACC_FLT:
        return blocking ? ARMCI_PutValueFloat(f, dst, to)
                        : ARMCI_NbPutValueFloat(f, dst, to, handle);
    default:
        return blocking ? ARMCI_PutValueDouble(d, dst, to)
                        : ARMCI_NbPutValueDouble(d, dst, to, handle);
    }
}

static void get_value(const struct transfer *t, void *src, char *value)
{
    switch (t->type) {
    case ARMCI_ACC_INT:
        memcpy(value, &(int){ARMCI_GetValueInt(src, t->target)}, sizeof(int));
        break;
    case ARMCI_ACC_LNG:
        memcpy(value, &(long){ARMCI_GetValueLong(src, t->target)}, sizeof(long));
        break;
    case ARMCI_ACC_FLT:
        memcpy(value, &(float){ARMCI_GetValueFloat(src, t->target)}, sizeof(float));
        break;
    default: memcpy(value, &(double){ARMCI_GetValueDouble(src, t->target)}, sizeof(double));
    }
}

/* ---- what gets bring ---- */

/* What is seen in a shared area cannot be told beforehand: take it over. Without the family `whole`
 * it may be parts of several sums. */
static void check_shared(struct run *run, const struct op *op, const struct segment *s,
                         const char *seen)
{
    const struct area *a = &run->ph->area[op->t.area];
    for (long i = 0; i < s->bytes && has(FAMILY_WHOLE); i += part_of(a->type))
        check_part(run, op, a, s->remote + i, seen + i);
}

static void check_get(struct run *run, const struct op *op)
{
    struct walk w;
    struct segment s;
    const struct transfer *t = &op->t;
    char *real = memory_real(run->p, run->p->me, t->local.memory),
         *shadow = memory_shadow(run->p, run->p->me, t->local.memory);
    for (walk_begin(&w, t); walk_next(&w, &s);) {
        run->bytes += s.bytes;
        if (t->area < 0) {
            check_bytes(run, op, "what a get brought", t->target, s.memory, s.remote,
                        shadow + s.local, real + s.local, s.bytes);
            continue;
        }
        check_shared(run, op, &s, real + s.local);
        memcpy(shadow + s.local, real + s.local, (size_t)s.bytes);
    }
}

static void check_value(struct run *run, const struct op *op, const char *seen)
{
    const struct transfer *t = &op->t;
    struct segment s = {t->remote.memory, t->remote.offset, 0, t->count[0]};
    const char *expected = memory_shadow(run->p, t->target, s.memory) + s.remote;
    run->bytes += s.bytes;
    if (t->area >= 0)
        check_shared(run, op, &s, seen);
    else
        check_bytes(run, op, "the value that was fetched", t->target, s.memory, s.remote, expected,
                    seen, s.bytes);
}

static void remember_get(struct run *run, const struct op *op)
{
    if (run->gets == run->get_room) {
        run->get_room = run->get_room ? 2 * run->get_room : 64;
        run->getting = need(realloc(run->getting, (size_t)run->get_room * sizeof *run->getting));
    }
    run->getting[run->gets++] = op;
}

void issue_completed(struct run *run, const struct op *wait)
{
    int left = 0;
    for (int i = 0; i < run->gets; i++) {
        if (op_is_completed_by(run->p, run->getting[i], wait))
            check_get(run, run->getting[i]);
        else
            run->getting[left++] = run->getting[i];
    }
    run->gets = left;
}

/* ---- transfers ---- */

static void issue_value(struct run *run, const struct op *op, armci_hdl_t *handle)
{
    struct transfer t = op->t;
    void *remote = remote_of(run, &t);
    char seen[16];
    if (t.verb == PUT) {
        model_apply(run->p, run->ph, op);
        check_status(run, op, put_value(&t, remote, op->mode == BLOCKING, handle));
        return;
    }
    get_value(&t, remote, seen);
    check_value(run, op, seen);
}

/* What the own accumulates have added to a shared area. */
static void note_done(const struct area *a, const struct transfer *t)
{
    struct walk w;
    struct segment s;
    for (walk_begin(&w, t); walk_next(&w, &s);)
        for (long i = 0; i < s.bytes; i += part_of(a->type)) {
            unsigned char *done = &a->done[area_part_at(a, s.remote + i)];
            *done = (unsigned char)(*done +
                                    t->scale[0] * pattern_number(t->content.seed, s.local + i, 1));
        }
}

void issue_transfer(struct run *run, const struct op *op, armci_hdl_t *handle)
{
    struct transfer t =
        op->t; /* a copy: strides and counts go to functions that take them as changeable */
    bool blocking = op->mode == BLOCKING;
    if (t.form == VALUE) {
        issue_value(run, op, handle);
        return;
    }
    if (t.fill) model_fill(op, memory_real(run->p, run->p->me, t.local.memory));
    model_apply(run->p, run->ph, op);
    check_status(run, op, call(run, &t, blocking, handle));
    if (t.verb == ACC && t.area >= 0) note_done(&run->ph->area[t.area], &t);
    if (t.verb != GET) return;
    if (blocking)
        check_get(run, op);
    else
        remember_get(run, op);
}

void issue_pack(struct run *run, const struct op *op)
{
    struct transfer t = op->t;
    char *src = remote_of(run, &t), *dst = local_of(run, &t);
    char *packed = need(malloc((size_t)transfer_bytes(&t) + 1));
    if (t.fill) model_fill(op, memory_real(run->p, run->p->me, t.local.memory));
    model_apply(run->p, run->ph, op);
    ARMCI_Access_begin(memory_real(run->p, run->p->me, t.remote.memory));
    if (t.form == CONTIGUOUS)
        ARMCI_Copy(src, dst, t.count[0]);
    else
        armci_write_strided(src, t.levels, t.remote_stride, t.count, packed);
    ARMCI_Access_end(memory_real(run->p, run->p->me, t.remote.memory));
    if (t.form == STRIDED) armci_read_strided(dst, t.levels, t.local_stride, t.count, packed);
    free(packed);
    check_get(run, op);
}

/* ---- read-modify-write. What all processes were told must fit into one order of events: from the
 * number at the beginning each operation finds what the one before it left, and those of one
 * process come in its own order ---- */

static long call_rmw(struct run *run, const struct op *op)
{
    char *cell = run->p->region[op->region].base[op->peer] + op->offset;
    bool wide = op->rmw == ARMCI_FETCH_AND_ADD_LONG || op->rmw == ARMCI_SWAP_LONG;
    int old = op->operand;
    long old_long = op->operand;
    check_status(
        run, op,
        ARMCI_Rmw(op->rmw, wide ? (void *)&old_long : (void *)&old, cell, op->operand, op->peer));
    return wide ? old_long : old;
}

static void note_outcome(struct run *run, const struct op *op, long old)
{
    if (run->outcomes == run->outcome_room) {
        run->outcome_room = run->outcome_room ? 2 * run->outcome_room : 64;
        run->outcome =
            need(realloc(run->outcome, (size_t)run->outcome_room * sizeof *run->outcome));
    }
    bool swap = op->rmw == ARMCI_SWAP || op->rmw == ARMCI_SWAP_LONG;
    run->outcome[run->outcomes++] =
        (struct outcome){op->area, op->offset, op->rank, op->sequence, old, op->operand, swap};
}

void cells_rmw(struct run *run, const struct op *op)
{
    const struct area *a = &run->ph->area[op->area];
    long expected = model_cell(run->p, run->ph, op);
    long old = call_rmw(run, op);
    model_apply(run->p, run->ph, op);
    if (a->rule == RULE_OWN_ELEMENTS)
        check_number(run, op, "the old value that rmw returned", expected, old);
    else
        note_outcome(run, op, old);
}

/* ---- at the end of a phase ---- */

static int compare_outcomes(const void *left, const void *right)
{
    const struct outcome *a = left, *b = right;
    if (a->area != b->area) return a->area < b->area ? -1 : 1;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static bool same_cell(const struct outcome *a, const struct outcome *b)
{
    return a->area == b->area && a->offset == b->offset;
}

/* Find an order for the n outcomes of one cell, sorted by process. Returns how many could be put
 * in order; *number: what is left in the cell after them. */
static int put_in_order(const struct program *p, const struct outcome *o, int n, long *number)
{
    int next[MAX_RANKS], end[MAX_RANKS], done = 0;
    for (int r = 0; r < p->ranks; r++)
        next[r] = end[r] = 0;
    for (int i = 0; i < n; i++) {
        if (i == 0 || o[i].rank != o[i - 1].rank) next[o[i].rank] = i;
        end[o[i].rank] = i + 1;
    }
    for (bool found = true; found && done < n;) {
        found = false;
        for (int r = 0; r < p->ranks && !found; r++) {
            if (next[r] == end[r] || o[next[r]].old != *number) continue;
            *number = o[next[r]].swaps ? o[next[r]].operand : *number + o[next[r]].operand;
            next[r]++;
            done++;
            found = true;
        }
    }
    return done;
}

static void settle_cell(struct run *run, const struct outcome *o, int n)
{
    const struct area *a = &run->ph->area[o->area];
    const struct region *region = &run->p->region[a->region];
    long number = area_start_number(a, o->offset);
    struct op about = {.kind = OP_RMW,
                       .rank = (int)o->rank,
                       .region = a->region,
                       .peer = a->rank,
                       .offset = o->offset,
                       .area = (int)o->area,
                       .unit = -1,
                       .rmw = (int)o->swaps * 2,
                       .operand = (int)o->operand};
    check_number(
        run, &about,
        "rmw operations on one cell that fit into one order of events, from its first value on", n,
        put_in_order(run->p, o, n, &number));
    if (a->swaps && region->shadow[a->rank])
        element_store(a->type, region->shadow[a->rank] + o->offset, number);
}

void cells_settle(struct run *run)
{
    enum { LONGS = sizeof(struct outcome) / sizeof(long) };
    int count[MAX_RANKS], begin[MAX_RANKS], total = 0, mine = run->outcomes * LONGS;
    MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, run->comm);
    for (int r = 0; r < run->p->ranks; r++) {
        begin[r] = total;
        total += count[r];
    }
    if (total == 0) return;
    struct outcome *all = need(malloc((size_t)total * sizeof(long)));
    MPI_Allgatherv(run->outcome, mine, MPI_LONG, all, count, begin, MPI_LONG, run->comm);
    total /= LONGS;
    qsort(all, (size_t)total, sizeof *all, compare_outcomes);
    for (int i = 0, n; i < total; i += n) {
        for (n = 1; i + n < total && same_cell(&all[i], &all[i + n]); n++)
            continue;
        settle_cell(run, &all[i], n);
    }
    free(all);
    run->outcomes = 0;
}
