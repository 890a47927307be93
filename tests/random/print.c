/* print.c - operations as text, for reports and for --list. Memory is arena[n]+offset or
 * slice[region][rank]+offset, handle -1 the implicit one. */
#include "model.h"
#include "options.h"

const char *kind_name(enum kind kind)
{
    static const char *const names[] = {
        "transfer",     "rmw",        "access",        "pack",          "wait",
        "test",         "wait-proc",  "wait-all",      "set-aggregate", "unset-aggregate",
        "fence",        "all-fence",  "group-fence",   "barrier",       "section",
        "tell",         "hear",       "send",          "receive",       "reduce",
        "group-create", "group-free", "region-create", "region-free",   "mutexes"};
    return names[kind];
}

/* ---- transfers ---- */

static void print_spot(FILE *to, int rank, int memory, long offset)
{
    if (is_region(memory))
        fprintf(to, "slice[%d][%d]+%ld", memory - ARENAS, rank, offset);
    else
        fprintf(to, "arena[%d]+%ld", memory, offset);
}

static void print_ints(FILE *to, const char *name, const int values[], int n)
{
    fprintf(to, ", %s", name);
    for (int i = 0; i < n; i++)
        fprintf(to, "%c%d", i ? ',' : ' ', values[i]);
}

/* Each entry: its segments, local=remote. */
static void print_segments(FILE *to, const struct op *op)
{
    const struct transfer *t = &op->t;
    fprintf(to, " with rank %d", t->target);
    for (int e = 0; e < t->entries; e++) {
        fprintf(to, "; %d of %d bytes:", t->entry[e].n, t->entry[e].bytes);
        for (int i = 0; i < t->entry[e].n; i++) {
            const struct segment *s = &t->segment[t->entry[e].first + i];
            fputs(" ", to);
            print_spot(to, op->rank, t->local.memory, s->local);
            fputs("=", to);
            print_spot(to, t->target, s->memory, s->remote);
        }
    }
}

/* "NbAccS of type 3, scale 2,0: local arena[0]+8, remote slice[1][0]+16, count 8,3, local strides
 * 16, remote strides 24, handle 2" */
static void print_transfer(FILE *to, const struct op *op)
{
    static const char *const verbs[] = {"Put", "Get", "Acc"}, *const forms[] = {"", "S", "V",
                                                                                "Value"};
    const struct transfer *t = &op->t;
    fprintf(to, "%s%s%s", op->mode == BLOCKING ? "" : "Nb", verbs[t->verb], forms[t->form]);
    if (t->verb == ACC) fprintf(to, " of type %d, scale %d,%d", t->type, t->scale[0], t->scale[1]);
    if (t->form == VALUE) fprintf(to, " of type %d, pattern of %ld", t->type, t->local.offset);
    if (t->form == VECTOR) {
        print_segments(to, op);
    } else {
        if (t->form != VALUE) {
            fputs(": local ", to);
            print_spot(to, op->rank, t->local.memory, t->local.offset);
        }
        fputs(", remote ", to);
        print_spot(to, t->target, t->remote.memory, t->remote.offset);
        print_ints(to, "count", t->count, t->levels + 1);
    }
    if (t->form == STRIDED) {
        print_ints(to, "local strides", t->local_stride, t->levels);
        print_ints(to, "remote strides", t->remote_stride, t->levels);
    }
    if (t->fill && t->verb != GET) fprintf(to, ", pattern %#lx", (unsigned long)t->content.seed);
    if (op->mode == EXPLICIT) fprintf(to, ", handle %d", op->handle);
    if (op->mode == IMPLICIT) fputs(", implicit handle", to);
}

/* ---- operations ---- */

static void print_section(FILE *to, const struct area *a)
{
    fprintf(to, " mutex %d of %d, slice[%d][%d]+%ld, %ld numbers;", a->mutex, a->node, a->region,
            a->rank, a->start, area_cells(a));
}

static void print_members(FILE *to, const struct program *p, int g)
{
    const struct group *group = &p->group[g];
    fprintf(to, "group %d in %d", g, group->parent);
    print_ints(to, "processes", group->member, group->n);
}

static void print_bytes_of(FILE *to, const struct program *p, const struct op *op)
{
    const struct group *group = &p->group[op->group];
    fprintf(to, "region %d on group %d, bytes", op->region, op->group);
    for (int i = 0; i < group->n; i++)
        fprintf(to, " %ld", p->region[op->region].bytes[group->member[i]]);
}

/* The part of a mailbox, and how the one who is told learns of it. */
static void print_telling(FILE *to, const struct op *op)
{
    static const char *const tellings[] = {"notify", "flag", "fence", "all-fence", "group-fence"};
    fprintf(to, "%s rank %d by %s of slice[%d][%d]+%ld, %ld bytes",
            op->kind == OP_TELL ? "; tell" : "from", op->peer, tellings[op->variant], op->region,
            op->t.target, op->offset, op->bytes);
    if (op->kind == OP_TELL) return;
    fputs(", into ", to);
    print_spot(to, op->rank, op->landing.memory, op->landing.offset);
}

static void print_rmw(FILE *to, const struct op *op)
{
    static const char *const names[] = {"fetch-and-add", "fetch-and-add long", "swap", "swap long"};
    fprintf(to, "%s %d, slice[%d][%d]+%ld", names[op->rmw], op->operand, op->region, op->peer,
            op->offset);
}

/* Groups, regions, mutexes. */
static void print_world(FILE *to, const struct program *p, const struct op *op)
{
    switch (op->kind) {
    case OP_GROUP_CREATE: print_members(to, p, op->group); break;
    case OP_REGION_CREATE: print_bytes_of(to, p, op); break;
    case OP_REGION_FREE: fprintf(to, "region %d on group %d", op->region, op->group); break;
    case OP_GROUP_FENCE:
    case OP_GROUP_FREE: fprintf(to, "group %d", op->group); break;
    case OP_MUTEXES: fprintf(to, "%d", p->mutexes[op->rank]); break;
    default: break;
    }
}

void print_op(FILE *to, const struct program *p, const struct phase *ph, const struct op *op)
{
    fprintf(to, "%s ", kind_name(op->kind));
    switch (op->kind) {
    case OP_TRANSFER:
    case OP_ACCESS:
    case OP_PACK: print_transfer(to, op); break;
    case OP_TELL:
        print_transfer(to, op);
        print_telling(to, op);
        break;
    case OP_HEAR: print_telling(to, op); break;
    case OP_RMW: print_rmw(to, op); break;
    case OP_SECTION:
        print_section(to, &ph->area[op->area]);
        if (op->second >= 0) print_section(to, &ph->area[op->second]);
        break;
    case OP_WAIT:
    case OP_TEST:
    case OP_SET_AGGREGATE:
    case OP_UNSET_AGGREGATE: fprintf(to, "handle %d", op->handle); break;
    case OP_WAIT_PROC:
    case OP_FENCE: fprintf(to, "rank %d", op->peer); break;
    case OP_SEND:
    case OP_RECEIVE:
        fprintf(to, "rank %d, tag %d, %ld bytes", op->peer, op->operand, op->bytes);
        break;
    case OP_REDUCE:
        fprintf(to, "group %d, variant %d, type and operator %d, %ld elements", op->group,
                op->variant, op->operand, op->bytes);
        break;
    default: print_world(to, p, op);
    }
    fputs("\n", to);
}

/* ---- programs ---- */

/* The next operation of all streams in the order in which they were made; at[]: how much of each
 * was taken. */
static const struct op *next_op(const struct program *p, const struct phase *ph, int at[])
{
    const struct op *next = NULL;
    for (int r = 0; r < p->ranks; r++) {
        const struct stream *s = &ph->stream[r];
        if (at[r] < s->n && (!next || s->op[at[r]].sequence < next->sequence)) next = &s->op[at[r]];
    }
    if (next) at[next->rank]++;
    return next;
}

static void print_phase(FILE *to, struct program *p, int number)
{
    int at[MAX_RANKS] = {0};
    struct phase *ph = phase_new(p, number);
    generate_phase(p, ph);
    if (schedule_filter(p, ph) > 0) {
        schedule_phase(p, ph);
        fprintf(to, "phase %d\n", number);
        for (const struct op *op; (op = next_op(p, ph, at));) {
            fprintf(to, "%ld %ld rank %d ", op->unit, op->sequence, op->rank);
            print_op(to, p, ph, op);
        }
    }
    phase_free(p, ph);
}

void print_program(FILE *to, uint64_t seed, int ranks)
{
    struct program *p = program_new(seed, ranks, 0);
    generate_begin(p);
    for (int number = 0; number < options->phases; number++)
        print_phase(to, p, number);
    program_free(p);
}
