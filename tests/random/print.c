/* print.c - operations as C text: for reports and for programs that remain after shrinking.  Memory is called arena[n] and
 * slice[region][rank], handles handle[n], groups group[n]. */
#include "print.h"

#include <stdarg.h>

#include "layout.h"
#include "schedule.h"

/* ---- pieces ---- */

static void print_spot(FILE *to, int rank, int memory, long offset)
{
    if (is_region(memory))
        fprintf(to, "slice[%d][%d] + %ld", memory - ARENAS, rank, offset);
    else
        fprintf(to, "arena[%d] + %ld", memory, offset);
}

static void print_ints(FILE *to, const int values[], int n)
{
    fputs("(int[]){", to);
    for (int i = 0; i < n; i++) fprintf(to, "%s%d", i ? ", " : "", values[i]);
    fputs(n ? "}" : "0}", to);
}

static const char *verb_name(enum verb verb)
{
    static const char *const names[] = {"Put", "Get", "Acc"};
    return names[verb];
}

static void print_handle(FILE *to, const struct op *op)
{
    if (op->mode == EXPLICIT) fprintf(to, ", &handle[%d]", op->handle);
    if (op->mode == IMPLICIT) fputs(", NULL", to);
}

static const char *const type_names[] = {"ARMCI_ACC_INT", "ARMCI_ACC_LNG", "ARMCI_ACC_FLT",
                                         "ARMCI_ACC_DBL", "ARMCI_ACC_CPL", "ARMCI_ACC_DCP"};
static const char *const c_types[] = {"int", "long", "float", "double", "float", "double"};

static void print_scale(FILE *to, const struct transfer *t)
{
    if (t->verb != ACC) return;
    fprintf(to, "%s, (%s[]){%d", type_names[t->type], c_types[t->type], t->scale[0]);
    if (element_part(t->type) < element_size(t->type)) fprintf(to, ", %d", t->scale[1]);
    fputs("}, ", to);
}

/* ---- transfers ---- */

static void print_strided(FILE *to, const struct op *op)
{
    const struct transfer *t = &op->t;
    bool get = t->verb == GET;
    for (int side = 0; side < 2; side++) {
        bool local = (side == 0) != get;
        if (local)
            print_spot(to, op->rank, t->local.memory, t->local.offset);
        else
            print_spot(to, t->target, t->remote.memory, t->remote.offset);
        fputs(", ", to);
        if (t->form == STRIDED) {
            print_ints(to, local ? t->local_stride : t->remote_stride, t->levels);
            fputs(", ", to);
        }
    }
    if (t->form == STRIDED) {
        print_ints(to, t->count, t->levels + 1);
        fprintf(to, ", %d, ", t->levels);
    } else {
        fprintf(to, "%d, ", t->count[0]);
    }
}

static void print_pointers(FILE *to, const struct op *op, const struct entry *e, bool local)
{
    const struct transfer *t = &op->t;
    fputs("(void *[]){", to);
    for (int i = 0; i < e->n; i++) {
        const struct segment *s = &t->segment[e->first + i];
        if (i) fputs(", ", to);
        if (local)
            print_spot(to, op->rank, t->local.memory, s->local);
        else
            print_spot(to, t->target, s->memory, s->remote);
    }
    fputs(e->n ? "}" : "NULL}", to);
}

static void print_vector(FILE *to, const struct op *op)
{
    const struct transfer *t = &op->t;
    fputs("(armci_giov_t[]){", to);
    for (int i = 0; i < t->entries; i++) {
        fputs(i ? ", {" : "{", to);
        print_pointers(to, op, &t->entry[i], t->verb != GET);
        fputs(", ", to);
        print_pointers(to, op, &t->entry[i], t->verb == GET);
        fprintf(to, ", %d, %d}", t->entry[i].bytes, t->entry[i].n);
    }
    fprintf(to, t->entries ? "}, %d, " : "{NULL, NULL, 0, 0}}, %d, ", t->entries);
}

/* ARMCI_NbPutValueLong(7, slice[0][1] + 8, 1, &handle[2]); */
static void print_value(FILE *to, const struct op *op)
{
    static const char *const names[] = {"Int", "Long", "Float", "Double"};
    const struct transfer *t = &op->t;
    fprintf(to, "ARMCI_%s%sValue%s(", op->mode == BLOCKING ? "" : "Nb", verb_name(t->verb), names[t->type]);
    if (t->verb == PUT) fprintf(to, "%ld, ", pattern_number(t->content.seed, t->local.offset, t->content.unit));
    print_spot(to, t->target, t->remote.memory, t->remote.offset);
    fprintf(to, ", %d", t->target);
    print_handle(to, op);
    fputs(");\n", to);
}

static void print_transfer(FILE *to, const struct op *op)
{
    static const char *const suffix[] = {"", "S", "V"};
    const struct transfer *t = &op->t;
    if (t->form == VALUE) {
        print_value(to, op);
        return;
    }
    fprintf(to, "ARMCI_%s%s%s(", op->mode == BLOCKING ? "" : "Nb", verb_name(t->verb), suffix[t->form]);
    print_scale(to, t);
    if (t->form == VECTOR)
        print_vector(to, op);
    else
        print_strided(to, op);
    fprintf(to, "%d", t->target);
    print_handle(to, op);
    fputs(");\n", to);
}

static void print_access(FILE *to, const struct op *op)
{
    const struct transfer *t = &op->t;
    int region = t->remote.memory - ARENAS;
    fprintf(to, "ARMCI_Access_begin(slice[%d][%d]); ", region, op->rank);
    if (t->verb == PUT)
        fprintf(to, "store(slice[%d][%d] + %ld, %ld, %d, %#lxul, %d, %ld); ", region, op->rank, t->remote.offset, t->local.offset,
                t->count[0], (unsigned long)t->content.seed, t->content.type, t->content.unit);
    else
        fprintf(to, "/* look at %d bytes from offset %ld */ ", t->count[0], t->remote.offset);
    fprintf(to, "ARMCI_Access_end(slice[%d][%d]);\n", region, op->rank);
}

static void print_pack(FILE *to, const struct op *op)
{
    const struct transfer *t = &op->t;
    if (t->form == CONTIGUOUS) {
        fputs("ARMCI_Copy(", to);
        print_spot(to, t->target, t->remote.memory, t->remote.offset);
        fputs(", ", to);
        print_spot(to, op->rank, t->local.memory, t->local.offset);
        fprintf(to, ", %d);\n", t->count[0]);
        return;
    }
    for (int side = 0; side < 2; side++) {
        fputs(side ? "armci_read_strided(" : "{ static char b[5000]; armci_write_strided(", to);
        if (side)
            print_spot(to, op->rank, t->local.memory, t->local.offset);
        else
            print_spot(to, t->target, t->remote.memory, t->remote.offset);
        fprintf(to, ", %d, ", t->levels);
        print_ints(to, side ? t->local_stride : t->remote_stride, t->levels);
        fputs(", ", to);
        print_ints(to, t->count, t->levels + 1);
        fputs(side ? ", b); }\n" : ", b); ", to);
    }
}

/* ---- telling ---- */

/* The put of which the flag is part. */
static void print_flagged(FILE *to, const struct op *op)
{
    fprintf(to, "ARMCI_Put%s_flag(", op->t.form == STRIDED ? "S" : "");
    print_strided(to, op);
    fprintf(to, "(int *)(slice[%d][%d] + %ld), %d, %d);\n", op->region, op->t.target, op->offset, op->operand, op->t.target);
}

static void print_tell(FILE *to, const struct op *op)
{
    if (op->variant == BY_FLAG) {
        print_flagged(to, op);
        return;
    }
    struct op put = *op;
    put.handle = 0;
    print_transfer(to, &put);
    if (op->mode == EXPLICIT) fputs("ARMCI_Wait(&handle[0]);\n", to);
    if (op->variant == BY_NOTIFY) fprintf(to, "armci_notify(%d);\n", op->peer);
    if (op->variant == BY_FENCE) fprintf(to, "ARMCI_Fence(%d);\n", op->t.target);
    if (op->variant == BY_ALL_FENCE) fputs("ARMCI_AllFence();\n", to);
    if (op->variant == BY_GROUP_FENCE) fprintf(to, "ARMCI_GroupFence(&group[%d]);\n", op->group);
    if (op->variant >= BY_FENCE) fprintf(to, "MPI_Send(NULL, 0, MPI_BYTE, %d, 0, MPI_COMM_WORLD);\n", op->peer);
}

static void print_hear(FILE *to, const struct op *op)
{
    if (op->variant == BY_FLAG)
        fprintf(to, "while (ARMCI_GetValueInt(slice[%d][%d] + %ld, %d) != %d) continue;\n", op->region, op->t.target, op->offset,
                op->t.target, op->operand);
    else if (op->variant == BY_NOTIFY)
        fprintf(to, "armci_notify_wait(%d, &waits);\n", op->peer);
    else
        fprintf(to, "MPI_Recv(NULL, 0, MPI_BYTE, %d, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n", op->peer);
    fprintf(to, "ARMCI_Get(slice[%d][%d] + %ld, ", op->region, op->t.target, op->offset);
    print_spot(to, op->rank, op->landing.memory, op->landing.offset);
    fprintf(to, ", %ld, %d);\n", op->bytes, op->t.target);
}

/* ---- the others ---- */

static void print_rmw(FILE *to, const struct op *op)
{
    static const char *const names[] = {"ARMCI_FETCH_AND_ADD", "ARMCI_FETCH_AND_ADD_LONG", "ARMCI_SWAP", "ARMCI_SWAP_LONG"};
    bool wide = op->rmw == ARMCI_FETCH_AND_ADD_LONG || op->rmw == ARMCI_SWAP_LONG, swap = op->rmw >= ARMCI_SWAP;
    const char *variable = wide ? "long_cell" : "int_cell";
    if (swap) fprintf(to, "%s = %d; ", variable, op->operand);
    fprintf(to, "ARMCI_Rmw(%s, &%s, slice[%d][%d] + %ld, %d, %d);\n", names[op->rmw], variable, op->region, op->peer, op->offset,
            swap ? 0 : op->operand, op->peer);
}

static void print_section(FILE *to, const struct phase *ph, int area)
{
    const struct area *a = &ph->area[area];
    fprintf(to, "ARMCI_Lock(%d, %d); /* add 1 to each of: */\n", a->mutex, a->node);
    for (long i = 0; i < area_cells(a); i++) {
        long at = area_cell_offset(a, i);
        fprintf(to, "ARMCI_PutValueLong(ARMCI_GetValueLong(slice[%d][%d] + %ld, %d) + 1, slice[%d][%d] + %ld, %d);\n", a->region,
                a->rank, at, a->rank, a->region, a->rank, at, a->rank);
    }
    fprintf(to, "ARMCI_Unlock(%d, %d);\n", a->mutex, a->node);
}

static void print_create(FILE *to, const struct program *p, const struct op *op)
{
    const struct region *region = &p->region[op->region];
    const struct group *group = &p->group[op->group];
    fprintf(to, "{ void *base[%d]; ", group->n);
    fprintf(to, op->group == WORLD ? "ARMCI_Malloc(base, %ld); " : "ARMCI_Malloc_group(base, %ld, &group[%d]); ",
            region->bytes[op->rank], op->group);
    for (int i = 0; i < group->n; i++) fprintf(to, "slice[%d][%d] = base[%d]; ", op->region, group->member[i], i);
    fputs("}\n", to);
    if (region->bytes[op->rank])
        fprintf(to, "store(slice[%d][%d], 0, %ld, %#lxul, 6, 0);\n", op->region, op->rank, region->bytes[op->rank],
                (unsigned long)(region->seed + (uint64_t)op->rank));
}

static void print_free(FILE *to, const struct op *op)
{
    fprintf(to, "ARMCI_AllFence(); armci_msg_group_barrier(&group[%d]); ", op->group);
    if (op->group == WORLD)
        fprintf(to, "ARMCI_Free(slice[%d][%d]);\n", op->region, op->rank);
    else
        fprintf(to, "ARMCI_Free_group(slice[%d][%d], &group[%d]);\n", op->region, op->rank, op->group);
}

static void print_group(FILE *to, const struct program *p, const struct op *op)
{
    const struct group *group = &p->group[op->group];
    const struct group *parent = &p->group[group->parent];
    fprintf(to, "ARMCI_Group_create_child(%d, (int[]){", group->n);
    for (int i = 0; i < group->n; i++)
        for (int j = 0; j < parent->n; j++)
            if (parent->member[j] == group->member[i]) fprintf(to, "%s%d", i ? ", " : "", j);
    fprintf(to, "}, &group[%d], &group[%d]);\n", op->group, group->parent);
}

/* The same choice as in collective.c; the numbers do not matter here. */
static void print_reduce(FILE *to, const struct program *p, const struct op *op)
{
    static const char *const types[] = {"int", "long", "long long", "float", "double"};
    static const char *const letters[] = {"i", "l", "ll", "f", "d"};
    static const char *const names[] = {"+", "max", "min", "absmax", "absmin"};
    const struct group *group = &p->group[op->group];
    int type = op->operand % 5, n = (int)op->bytes, root = group->member[op->operand % group->n], variant = op->variant;
    const char *name = names[op->operand / 5 % 5];
    bool world = op->group == WORLD;
    if (!world && (variant == 2 || variant == 5)) variant = 1;
    fprintf(to, "{ static %s x[20]; ", types[type]);
    switch (variant) {
    case 0:
        fprintf(to, "armci_msg_%s%sgop(x, %d, \"%s\"", world ? "" : "group_", letters[type], n, name);
        fprintf(to, world ? ");" : ", &group[%d]);", op->group);
        break;
    case 1:
        fprintf(to, "armci_msg_%sgop_scope(SCOPE_ALL, x, %d, \"%s\", %d", world ? "" : "group_", n, name, type);
        fprintf(to, world ? ");" : ", &group[%d]);", op->group);
        break;
    case 2: fprintf(to, "armci_msg_reduce(x, %d, \"%s\", %d);", n, name, type); break;
    case 3:
    case 4:
        fprintf(to, "armci_msg_%sbcast_scope(SCOPE_ALL, x, %d * (int)sizeof x[0], %d", world ? "" : "group_", n, root);
        fprintf(to, world ? ");" : ", &group[%d]);", op->group);
        break;
    case 5: fprintf(to, "armci_msg_sel(x, %d * (int)sizeof x[0], \"%s\", %d, 1);", n, op->operand % 2 ? "max" : "min", type); break;
    case 6: fprintf(to, "/* addresses exchanged */ (void)x;"); break;
    default: fprintf(to, "(void)x; armci_msg_group_barrier(&group[%d]);", op->group);
    }
    fputs(" }\n", to);
}

void print_op(FILE *to, const struct program *p, const struct phase *ph, const struct op *op)
{
    switch (op->kind) {
    case OP_TRANSFER: print_transfer(to, op); break;
    case OP_RMW: print_rmw(to, op); break;
    case OP_ACCESS: print_access(to, op); break;
    case OP_PACK: print_pack(to, op); break;
    case OP_WAIT: fprintf(to, op->handle < 0 ? "ARMCI_Wait(NULL);\n" : "ARMCI_Wait(&handle[%d]);\n", op->handle); break;
    case OP_TEST: fprintf(to, "while (ARMCI_Test(&handle[%d])) continue;\n", op->handle); break;
    case OP_WAIT_PROC: fprintf(to, "ARMCI_WaitProc(%d);\n", op->peer); break;
    case OP_WAIT_ALL: fputs("ARMCI_WaitAll();\n", to); break;
    case OP_SET_AGGREGATE: fprintf(to, "ARMCI_SET_AGGREGATE_HANDLE(&handle[%d]);\n", op->handle); break;
    case OP_UNSET_AGGREGATE: fprintf(to, "ARMCI_UNSET_AGGREGATE_HANDLE(&handle[%d]);\n", op->handle); break;
    case OP_FENCE: fprintf(to, "ARMCI_Fence(%d);\n", op->peer); break;
    case OP_ALL_FENCE: fputs("ARMCI_AllFence();\n", to); break;
    case OP_GROUP_FENCE: fprintf(to, "ARMCI_GroupFence(&group[%d]);\n", op->group); break;
    case OP_BARRIER: fputs(op->variant ? "armci_msg_barrier();\n" : "ARMCI_Barrier();\n", to); break;
    case OP_SECTION:
        print_section(to, ph, op->area);
        if (op->second >= 0) print_section(to, ph, op->second);
        break;
    case OP_TELL: print_tell(to, op); break;
    case OP_HEAR: print_hear(to, op); break;
    case OP_SEND: fprintf(to, "{ static char b[5000]; armci_msg_snd(%d, b, %ld, %d); }\n", op->operand, op->bytes, op->peer); break;
    case OP_RECEIVE:
        fprintf(to, "{ static char b[5000]; armci_msg_rcv(%d, b, %ld, NULL, %d); }\n", op->operand, op->bytes, op->peer);
        break;
    case OP_REDUCE: print_reduce(to, p, op); break;
    case OP_GROUP_CREATE: print_group(to, p, op); break;
    case OP_GROUP_FREE: fprintf(to, "ARMCI_Group_free(&group[%d]);\n", op->group); break;
    case OP_REGION_CREATE: print_create(to, p, op); break;
    case OP_REGION_FREE: print_free(to, op); break;
    case OP_MUTEXES: fprintf(to, "ARMCI_Create_mutexes(%d);\n", p->mutexes[op->rank]); break;
    }
}
