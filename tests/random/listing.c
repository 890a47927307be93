/* listing.c - a program as text: one operation a line; or a C program that runs what is left of it and checks what it can. */
#include "listing.h"

#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "layout.h"
#include "model.h"
#include "options.h"
#include "prelude.h"
#include "print.h"
#include "run.h"
#include "schedule.h"

struct listing {
    FILE *to;
    struct program *p;
    struct phase *ph;
    int open;               /* the rank whose block is open, or -1 */
    int at[MAX_RANKS];      /* how much of each stream is printed */
    const struct op **getting; /* gets that nobody waited for, and what they must bring */
    uint64_t *hash;
    int gets;
    bool unknown[ARENAS + MAX_REGIONS][MAX_RANKS]; /* swaps by several processes left what only the course of events tells */
};

/* ---- blocks: who does what ---- */

static void close_block(struct listing *l)
{
    if (l->open >= 0) fputs("    }\n", l->to);
    l->open = -1;
}

static void open_block(struct listing *l, int rank)
{
    if (l->open == rank) return;
    close_block(l);
    fprintf(l->to, "    if (me == %d) {\n", rank);
    l->open = rank;
}

static void indent(struct listing *l)
{
    fputs("        ", l->to);
}

/* The statements of an operation, each on a line of its own. */
static void print_statements(struct listing *l, const struct op *op)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!need(memory)) return;
    print_op(memory, l->p, l->ph, op);
    fclose(memory);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        indent(l);
        fprintf(l->to, "%s\n", line);
    }
    free(text);
}

/* ---- sources and destinations ---- */

static void print_ints(struct listing *l, const int values[], int n)
{
    fputs("(int[]){", l->to);
    for (int i = 0; i < n; i++) fprintf(l->to, "%s%d", i ? ", " : "", values[i]);
    fputs(n ? "}" : "0}", l->to);
}

static void print_memory(struct listing *l, int rank, int memory)
{
    if (is_region(memory))
        fprintf(l->to, "slice[%d][%d]", memory - ARENAS, rank);
    else
        fprintf(l->to, "arena[%d]", memory);
}

/* memory, offset, strides, counts, levels; or memory, offsets, n, bytes of one entry. */
static void print_walk(struct listing *l, const struct op *op, int entry)
{
    const struct transfer *t = &op->t;
    print_memory(l, op->rank, t->local.memory);
    if (entry < 0) {
        fprintf(l->to, ", %ld, ", t->local.offset);
        print_ints(l, t->local_stride, t->levels);
        fputs(", ", l->to);
        print_ints(l, t->count, t->levels + 1);
        fprintf(l->to, ", %d", t->levels);
        return;
    }
    const struct entry *e = &t->entry[entry];
    fputs(", (long[]){", l->to);
    for (int i = 0; i < e->n; i++) fprintf(l->to, "%s%ld", i ? ", " : "", t->segment[e->first + i].local);
    fprintf(l->to, "}, %d, %d", e->n, e->bytes);
}

static void print_fill(struct listing *l, const struct op *op)
{
    const struct transfer *t = &op->t;
    const char *name = t->form == VECTOR ? "fill_each" : "fill";
    for (int e = t->form == VECTOR ? 0 : -1; e < (t->form == VECTOR ? t->entries : 0); e++) {
        if (e >= 0 && t->entry[e].n == 0) continue;
        indent(l);
        fprintf(l->to, "%s(", name);
        print_walk(l, op, e);
        fprintf(l->to, ", %#lxul, %d, %ld);\n", (unsigned long)t->content.seed, t->content.type, t->content.unit);
    }
}

static uint64_t hash_local(const struct listing *l, const struct op *op)
{
    struct walk w;
    struct segment s;
    uint64_t hash = pattern_hash_start;
    const char *local = memory_shadow(l->p, op->rank, op->t.local.memory);
    for (walk_begin(&w, &op->t); walk_next(&w, &s);) hash = pattern_hash(hash, local + s.local, s.bytes);
    return hash;
}

static void print_expectation(struct listing *l, const struct op *op, uint64_t hash)
{
    const struct transfer *t = &op->t;
    indent(l);
    if (t->form != VECTOR) {
        fprintf(l->to, "expect(\"unit %ld\", hash_strided(START, ", op->unit);
        print_walk(l, op, -1);
        fprintf(l->to, "), %#lxul);\n", (unsigned long)hash);
        return;
    }
    fputs("hash = START;\n", l->to);
    for (int e = 0; e < t->entries; e++) {
        if (t->entry[e].n == 0) continue;
        indent(l);
        fputs("hash = hash_each(hash, ", l->to);
        print_walk(l, op, e);
        fputs(");\n", l->to);
    }
    indent(l);
    fprintf(l->to, "expect(\"unit %ld\", hash, %#lxul);\n", op->unit, (unsigned long)hash);
}

/* ---- what is seen ---- */

static bool brings_known(const struct listing *l, const struct op *op)
{
    struct walk w;
    struct segment s;
    if ((op->kind != OP_TRANSFER && op->kind != OP_PACK) || op->t.verb != GET || op->t.area >= 0 || !op_has_local(op)) return false;
    for (walk_begin(&w, &op->t); walk_next(&w, &s);)
        if (l->unknown[s.memory][op->t.target]) return false;
    return true;
}

static void print_completed(struct listing *l, const struct op *wait)
{
    int left = 0;
    for (int i = 0; i < l->gets; i++) {
        const struct op *get = l->getting[i];
        if (get->rank == wait->rank && op_is_completed_by(l->p, get, wait)) {
            print_expectation(l, get, l->hash[i]);
            continue;
        }
        l->getting[left] = get;
        l->hash[left++] = l->hash[i];
    }
    l->gets = left;
}

static void print_get(struct listing *l, const struct op *op)
{
    uint64_t hash = hash_local(l, op);
    if (op->mode == BLOCKING) {
        print_expectation(l, op, hash);
        return;
    }
    l->getting = need(realloc(l->getting, ((size_t)l->gets + 1) * sizeof *l->getting));
    l->hash = need(realloc(l->hash, ((size_t)l->gets + 1) * sizeof *l->hash));
    l->getting[l->gets] = op;
    l->hash[l->gets++] = hash;
}

/* What a hearer has fetched: the part of the mailbox. */
static void print_heard(struct listing *l, const struct op *op)
{
    const char *part = l->p->region[op->region].shadow[op->t.target] + op->offset;
    indent(l);
    fprintf(l->to, "expect(\"unit %ld\", hash_on(START, ", op->unit);
    print_memory(l, op->rank, op->landing.memory);
    fprintf(l->to, " + %ld, %ld), %#lxul);\n", op->landing.offset, op->bytes,
            (unsigned long)pattern_hash(pattern_hash_start, part, op->bytes));
}

static void print_result(struct listing *l, const struct op *op)
{
    if (op->kind == OP_HEAR && !l->unknown[ARENAS + op->region][op->t.target]) print_heard(l, op);
    if (brings_known(l, op)) print_get(l, op);
}

/* What the cell held before, where only this process changes it. */
static void print_old_value(struct listing *l, const struct op *op, long old)
{
    bool wide = op->rmw == ARMCI_FETCH_AND_ADD_LONG || op->rmw == ARMCI_SWAP_LONG;
    if (l->ph->area[op->area].rule != RULE_OWN_ELEMENTS) return;
    indent(l);
    fprintf(l->to, "expect(\"unit %ld\", (unsigned long)%s, (unsigned long)%ldl);\n", op->unit, wide ? "long_cell" : "int_cell", old);
}

/* ---- areas of numbers ---- */

static bool touches(const struct op *op, const struct area *a)
{
    struct walk w;
    struct segment s;
    if (op->kind == OP_RMW) return op->region == a->region && op->peer == a->rank && area_covers(a, op->offset);
    if (!op_transfers(op) || op->t.target != a->rank) return false;
    for (walk_begin(&w, &op->t); walk_next(&w, &s);)
        if (s.memory == ARENAS + a->region && area_covers(a, s.remote)) return true;
    return false;
}

/* Is the area one of numbers that something is done with?  The others are left as they are. */
static bool has_beginning(const struct listing *l, int area)
{
    const struct area *a = &l->ph->area[area];
    if (!area_is_typed(a) || !l->p->region[a->region].kept) return false;
    for (int r = 0; r < l->p->ranks; r++)
        for (int i = 0; i < l->ph->stream[r].n; i++) {
            const struct op *op = &l->ph->stream[r].op[i];
            if (op->area == area || op->second == area || touches(op, a)) return true;
        }
    return false;
}

static void print_beginning(struct listing *l, const struct area *a)
{
    for (int tooth = 0; tooth < a->teeth; tooth++) {
        long at = a->start + tooth * a->period;
        indent(l);
        if (a->rule == RULE_LOCKED)
            fprintf(l->to, "for (int i = 0; i < %ld; i++) store_number(slice[%d][%d] + %ld + 8 * i, %ld, 1);\n", a->width / 8, a->region,
                    a->rank, at, area_start_number(a, at));
        else
            fprintf(l->to, "store(slice[%d][%d] + %ld, %ld, %ld, %#lxul, %d, 0);\n", a->region, a->rank, at, at, a->width,
                    (unsigned long)a->seed, a->type);
    }
}

static void print_new_region(struct listing *l, const struct op *op)
{
    for (int i = 0; i < l->ph->areas; i++) {
        const struct area *a = &l->ph->area[i];
        if (a->region == op->region && a->rank == op->rank && has_beginning(l, i)) print_beginning(l, a);
    }
    indent(l);
    fprintf(l->to, "armci_msg_group_barrier(&group[%d]);\n", op->group);
}

/* What is not known spreads with what is fetched, and put from where it was fetched to. */
static void spread_unknown(struct listing *l, const struct op *op)
{
    struct walk w;
    struct segment s;
    if (op->kind == OP_HEAR) l->unknown[op->landing.memory][op->rank] |= l->unknown[ARENAS + op->region][op->t.target];
    if (!op_transfers(op) || !op_has_local(op)) return;
    bool *local = &l->unknown[op->t.local.memory][op->rank];
    for (walk_begin(&w, &op->t); walk_next(&w, &s);) {
        bool *remote = &l->unknown[s.memory][op->t.target];
        if (op->t.verb == GET)
            *local |= *remote;
        else if (!op->t.fill)
            *remote |= *local;
    }
}

/* ---- operations, in the order in which they were made ---- */

static void print_step(struct listing *l, const struct op *op)
{
    if (!options->print_c) {
        fprintf(l->to, "%ld %ld rank %d %s: ", op->unit, op->sequence, op->rank, kind_name(op->kind));
        print_op(l->to, l->p, l->ph, op);
        return;
    }
    open_block(l, op->rank);
    if (op_transfers(op) && op_has_local(op) && op->t.fill) print_fill(l, op);
    long old = op->kind == OP_RMW ? model_cell(l->p, l->ph, op) : 0;
    print_statements(l, op);
    if (op->kind == OP_RMW) print_old_value(l, op, old);
    if (op->kind == OP_REGION_CREATE) print_new_region(l, op);
    if (op->kind != OP_HEAR) model_apply(l->p, l->ph, op); /* what a hearer sees, its teller has put */
    print_result(l, op);
    spread_unknown(l, op);
    print_completed(l, op);
}

static const struct op *next_op(struct listing *l)
{
    const struct op *next = NULL;
    for (int r = 0; r < l->p->ranks; r++) {
        const struct stream *s = &l->ph->stream[r];
        if (l->at[r] < s->n && (!next || s->op[l->at[r]].sequence < next->sequence)) next = &s->op[l->at[r]];
    }
    if (next) l->at[next->rank]++;
    return next;
}

/* ---- phases ---- */

static void print_beginnings(struct listing *l)
{
    for (int i = 0; i < l->ph->areas; i++) {
        const struct area *a = &l->ph->area[i];
        if (!l->p->region[a->region].mapped || !has_beginning(l, i)) continue;
        open_block(l, a->rank);
        print_beginning(l, a);
    }
    close_block(l);
    fputs("    ARMCI_Barrier();\n", l->to);
}

static void note_unknown(struct listing *l)
{
    for (int r = 0; r < l->p->ranks; r++)
        for (int i = 0; i < l->ph->stream[r].n; i++) {
            const struct op *op = &l->ph->stream[r].op[i];
            if (op->kind == OP_RMW && l->ph->area[op->area].rule == RULE_SHARED_RMW && l->ph->area[op->area].swaps)
                l->unknown[ARENAS + op->region][op->peer] = true;
        }
}

static void print_end_of_phase(struct listing *l)
{
    close_block(l);
    note_unknown(l);
    fputs("    ARMCI_AllFence();\n    ARMCI_Barrier();\n", l->to);
    for (int r = 0; r < l->p->regions; r++)
        for (int rank = 0; l->p->region[r].mapped && rank < l->p->ranks; rank++) {
            const struct region *region = &l->p->region[r];
            if (!region->shadow[rank] || l->unknown[ARENAS + r][rank]) continue;
            fprintf(l->to, "    if (me == %d) expect(\"slice %d of rank %d\", hash_on(START, slice[%d][%d], %ld), %#lxul);\n", rank, r,
                    rank, r, rank, region->bytes[rank],
                    (unsigned long)pattern_hash(pattern_hash_start, region->shadow[rank], region->bytes[rank]));
        }
    fputs("    ARMCI_Barrier();\n", l->to);
}

/* The printed program knows of regions as it comes to them. */
static void note_regions(struct listing *l, const struct op *op)
{
    if (op->kind == OP_REGION_CREATE) l->p->region[op->region].mapped = true;
    if (op->kind == OP_REGION_FREE) l->p->region[op->region].mapped = false;
}

static void begin_areas(struct listing *l)
{
    for (int i = 0; i < l->ph->areas; i++) {
        const struct area *a = &l->ph->area[i];
        if (has_beginning(l, i)) area_refresh(a, l->p->region[a->region].shadow[a->rank]);
    }
}

static void list_phase(struct listing *l, int number)
{
    l->ph = phase_new(l->p, number);
    generate_phase(l->p, l->ph);
    if (schedule_filter(l->p, l->ph) > 0) {
        schedule_phase(l->p, l->ph);
        memset(l->at, 0, sizeof l->at);
        fprintf(l->to, options->print_c ? "\n    /* phase %d */\n" : "phase %d\n", number);
        begin_areas(l);
        if (options->print_c && number > 0) print_beginnings(l);
        for (const struct op *op = next_op(l); op; op = next_op(l)) {
            print_step(l, op);
            note_regions(l, op);
        }
        if (options->print_c) print_end_of_phase(l);
        l->gets = 0;
    }
    phase_free(l->p, l->ph);
}

void list_program(FILE *to, uint64_t seed, int ranks)
{
    struct listing l = {.to = to, .open = -1};
    l.p = program_new(seed, ranks, 0);
    generate_begin(l.p);
    if (options->print_c) prelude_begin(to, l.p);
    for (int number = 0; number < options->phases; number++) list_phase(&l, number);
    if (options->print_c) prelude_end(to);
    free(l.getting);
    free(l.hash);
    program_free(l.p);
}
