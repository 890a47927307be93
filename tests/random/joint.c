/* joint.c - operations of several processes, and collective ones, against what they must give. */
#include <sched.h>
#include <stdatomic.h>

#include "run.h"

enum { TAG_TOLD = 1, TAG_NOBODY = 2, TAG_ANY = 1000 };

/* ---- sections ---- */

static bool goes_first(const struct area *a, const struct area *b)
{
    return a->node != b->node ? a->node < b->node : a->mutex < b->mutex;
}

/* The cells as a strided patch. */
struct patch {
    int remote_stride[1], local_stride[1], count[2];
    char *remote;
};

static struct patch patch_of(const struct run *run, const struct area *a)
{
    char *slice = run->p->region[a->region].base[a->rank];
    return (struct patch){
        {(int)a->period}, {(int)a->width}, {(int)a->width, a->teeth}, slice + a->start};
}

static void get_cells(struct run *run, const struct op *op, const struct area *a, long *cells)
{
    struct patch patch = patch_of(run, a);
    if (op->variant == 0) {
        for (long i = 0; i < area_cells(a); i++)
            cells[i] =
                ARMCI_GetValueLong(patch.remote - a->start + area_cell_offset(a, i), a->rank);
        return;
    }
    check_status(run, op,
                 ARMCI_GetS(patch.remote, patch.remote_stride, cells, patch.local_stride,
                            patch.count, 1, a->rank));
}

static void put_cells(struct run *run, const struct op *op, const struct area *a, long *cells)
{
    struct patch patch = patch_of(run, a);
    if (op->variant < 2) {
        for (long i = 0; i < area_cells(a); i++)
            check_status(run, op,
                         ARMCI_PutValueLong(
                             cells[i], patch.remote - a->start + area_cell_offset(a, i), a->rank));
        return;
    }
    check_status(run, op,
                 ARMCI_PutS(cells, patch.local_stride, patch.remote, patch.remote_stride,
                            patch.count, 1, a->rank));
}

/* Nobody else is here: all cells are equal, and no less than when this process was here before. */
static void count_up(struct run *run, const struct op *op, struct area *a)
{
    long cells[64];
    get_cells(run, op, a, cells);
    long n = cells[0], start = area_start_number(a, a->start);
    check_number(run, op, "whether a number under a mutex grew since this process left it", 1,
                 n - start >= a->taken);
    for (long i = 0; i < area_cells(a); i++) {
        check_number(run, op, "one of the numbers under a mutex, which are changed together", n,
                     cells[i]);
        cells[i]++;
    }
    a->taken = n + 1 - start;
    put_cells(run, op, a, cells);
}

void joint_section(struct run *run, const struct op *op)
{
    struct area *a = &run->ph->area[op->area],
                *b = op->second < 0 ? NULL : &run->ph->area[op->second];
    if (b && goes_first(b, a)) {
        struct area *c = a;
        a = b;
        b = c;
    }
    ARMCI_Lock(a->mutex, a->node);
    if (b) ARMCI_Lock(b->mutex, b->node);
    count_up(run, op, a);
    if (b) count_up(run, op, b);
    if (b) ARMCI_Unlock(b->mutex, b->node);
    ARMCI_Unlock(a->mutex, a->node);
    model_apply(run->p, run->ph, op);
}

/* ---- telling ---- */

/* A put whose data are there when the flag is. */
static void put_flagged(struct run *run, const struct op *op)
{
    struct transfer t = op->t;
    char *src = memory_real(run->p, run->p->me, t.local.memory) + t.local.offset;
    char *slice = memory_real(run->p, t.target, t.remote.memory), *dst = slice + t.remote.offset;
    int *flag = (int *)(void *)(slice + op->offset), status;
    model_fill(op, memory_real(run->p, run->p->me, t.local.memory));
    model_apply(run->p, run->ph, op);
    if (t.form == CONTIGUOUS)
        status = ARMCI_Put_flag(src, dst, t.count[0], flag, op->operand, t.target);
    else if (op->seed % 4 == 0 && ARMCI_PutS_flag_dir)
        status = ARMCI_PutS_flag_dir(src, t.local_stride, dst, t.remote_stride, t.count, t.levels,
                                     flag, op->operand, t.target);
    else
        status = ARMCI_PutS_flag(src, t.local_stride, dst, t.remote_stride, t.count, t.levels, flag,
                                 op->operand, t.target);
    check_status(run, op, status);
}

void joint_tell(struct run *run, const struct op *op)
{
    if (op->variant == BY_FLAG) {
        put_flagged(run, op);
        return;
    }
    armci_hdl_t *handle = &run->handle[HANDLES];
    issue_transfer(run, op, handle);
    if (op->mode != BLOCKING) check_status(run, op, ARMCI_Wait(handle));
    switch (op->variant) {
    case BY_NOTIFY:
        check_number(run, op, "notifications sent, says armci_notify", ++run->notified[op->peer],
                     armci_notify(op->peer));
        break;
    case BY_FENCE: ARMCI_Fence(op->t.target); break;
    case BY_ALL_FENCE: ARMCI_AllFence(); break;
    default: ARMCI_GroupFence(&run->p->group[op->group].handle);
    }
    if (op->variant >= BY_FENCE) MPI_Send(NULL, 0, MPI_BYTE, op->peer, TAG_TOLD, run->comm);
}

/* Some MPI libraries need a call now and then to bring the flag. A probe that finds a message makes
 * no progress (Open MPI), so this one looks for what nobody sends. */
static void wait_for_flag(const struct run *run, const struct op *op)
{
    char *flag = run->p->region[op->region].base[op->t.target] + op->offset;
    bool by_get = op->handle == 0;
    while ((by_get ? ARMCI_GetValueInt(flag, op->t.target) : *(volatile int *)(void *)flag) !=
           op->operand) {
        int ignored;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_NOBODY, run->comm, &ignored, MPI_STATUS_IGNORE);
        sched_yield();
    }
    atomic_thread_fence(memory_order_acquire);
}

static void wait_for_news(struct run *run, const struct op *op)
{
    int waits = 0;
    if (op->variant == BY_FLAG) {
        wait_for_flag(run, op);
        return;
    }
    if (op->variant != BY_NOTIFY) {
        MPI_Recv(NULL, 0, MPI_BYTE, op->peer, TAG_TOLD, run->comm, MPI_STATUS_IGNORE);
        return;
    }
    int received = armci_notify_wait(op->peer, &waits);
    check_number(run, op, "waits for notifications, says armci_notify_wait",
                 ++run->received[op->peer], waits);
    check_number(run, op, "whether as many notifications were received as waited for", 1,
                 received >= waits);
}

/* What was told of is there: seen through ARMCI, or in the own slice directly. */
void joint_hear(struct run *run, const struct op *op)
{
    int memory = ARENAS + op->region, owner = op->t.target;
    char *real = run->p->region[op->region].base[owner] + op->offset,
         *expected = need(malloc((size_t)op->bytes));
    model_told(run->p, run->ph, op, expected);
    wait_for_news(run, op);
    run->bytes += op->bytes;
    if (op->handle == 1 && owner == run->p->me) {
        ARMCI_Access_begin(real);
        check_bytes(run, op, "what another process put and told of", owner, memory, op->offset,
                    expected, real, op->bytes);
        ARMCI_Access_end(real);
    } else {
        char *landing = memory_real(run->p, run->p->me, op->landing.memory) + op->landing.offset;
        memset(landing, 0x5a, (size_t)op->bytes);
        check_status(run, op, ARMCI_Get(real, landing, (int)op->bytes, owner));
        check_bytes(run, op, "what another process put and told of", owner, memory, op->offset,
                    expected, landing, op->bytes);
        memcpy(memory_shadow(run->p, run->p->me, op->landing.memory) + op->landing.offset, landing,
               (size_t)op->bytes);
    }
    free(expected);
}

/* ---- messages ---- */

static int tag_of(const struct op *op)
{
    return op->variant ? TAG_ANY + (int)(op->unit % 20000)
                       : op->operand; /* for anyone: a tag that nobody else uses */
}

static char *message(const struct op *op)
{
    char *text = need(malloc((size_t)op->bytes + 1));
    pattern_store(text, 0, op->bytes, (struct content){op->seed, TYPE_BYTES, 0});
    return text;
}

void joint_send(struct run *run, const struct op *op)
{
    (void)run;
    char *text = message(op);
    armci_msg_snd(tag_of(op), text, (int)op->bytes, op->peer);
    free(text);
}

void joint_receive(struct run *run, const struct op *op)
{
    char *expected = message(op), *seen = need(calloc((size_t)op->bytes + 1, 1));
    int length = -1, from = op->peer;
    if (op->variant)
        from = armci_msg_rcvany(tag_of(op), seen, (int)op->bytes, &length);
    else
        armci_msg_rcv(tag_of(op), seen, (int)op->bytes, &length, op->peer);
    check_number(run, op, "the sender of a message", op->peer, from);
    check_number(run, op, "the length of a message", op->bytes, length);
    check_number(run, op, "whether a message is what was sent", 0,
                 memcmp(expected, seen, (size_t)op->bytes));
    free(expected);
    free(seen);
}

/* ---- barriers, reductions, broadcasts, selections of the message family ---- */

enum { MOST_ELEMENTS = 20, OPERATORS = 5 };
static char *const operators[OPERATORS] = {"+", "max", "min", "absmax", "absmin"};

/* ARMCI_INT ... ARMCI_DOUBLE */
enum { TYPES = 5 };
static const size_t type_size[TYPES] = {sizeof(int), sizeof(long), sizeof(long long), sizeof(float),
                                        sizeof(double)};

union numbers {
    int i[MOST_ELEMENTS];
    long l[MOST_ELEMENTS];
    long long ll[MOST_ELEMENTS];
    float f[MOST_ELEMENTS];
    double d[MOST_ELEMENTS];
};

static long load(const union numbers *x, int type, int at)
{
    switch (type) {
    case ARMCI_INT: return x->i[at];
    case ARMCI_LONG: return x->l[at];
    case ARMCI_LONG_LONG: return (long)x->ll[at];
    case ARMCI_FLOAT: return (long)x->f[at];
    default: return (long)x->d[at];
    }
}

static void store(union numbers *x, int type, int at, long value)
{
    switch (type) {
    case ARMCI_INT: x->i[at] = (int)value; break;
    case ARMCI_LONG: x->l[at] = value; break;
    case ARMCI_LONG_LONG: x->ll[at] = value; break;
    case ARMCI_FLOAT: x->f[at] = (float)value; break;
    default: x->d[at] = (double)value;
    }
}

/* What `rank` brings. */
static long input(const struct op *op, int rank, int at)
{
    return pattern_number(op->seed + (uint64_t)rank * 7919u, at, 0);
}

static int type_of(const struct op *op)
{
    return op->operand % TYPES;
}

static int operator_of(const struct op *op)
{
    return op->operand / TYPES % OPERATORS;
}

static long combine(int which, long a, long b)
{
    switch (which) {
    case 0: return a + b;
    case 1: return a > b ? a : b;
    case 2: return a < b ? a : b;
    case 3: return labs(a) > labs(b) ? labs(a) : labs(b);
    default: return labs(a) < labs(b) ? labs(a) : labs(b);
    }
}

static long reduced(const struct op *op, const struct group *group, int at)
{
    int which = operator_of(op);
    long result = input(op, group->member[0], at);
    if (which >= 3) result = labs(result);
    for (int i = 1; i < group->n; i++)
        result = combine(which, result, input(op, group->member[i], at));
    return result;
}

static void typed_gop(const struct op *op, union numbers *x, ARMCI_Group *group)
{
    char *name = operators[operator_of(op)];
    int n = (int)op->bytes;
    switch (type_of(op)) {
    case ARMCI_INT:
        group ? armci_msg_group_igop(x->i, n, name, group) : armci_msg_igop(x->i, n, name);
        break;
    case ARMCI_LONG:
        group ? armci_msg_group_lgop(x->l, n, name, group) : armci_msg_lgop(x->l, n, name);
        break;
    case ARMCI_LONG_LONG:
        group ? armci_msg_group_llgop(x->ll, n, name, group) : armci_msg_llgop(x->ll, n, name);
        break;
    case ARMCI_FLOAT:
        group ? armci_msg_group_fgop(x->f, n, name, group) : armci_msg_fgop(x->f, n, name);
        break;
    default: group ? armci_msg_group_dgop(x->d, n, name, group) : armci_msg_dgop(x->d, n, name);
    }
}

static void check_numbers(struct run *run, const struct op *op, const union numbers *x,
                          const struct group *group)
{
    for (int i = 0; i < (int)op->bytes; i++)
        check_number(run, op, "an element of a reduction", reduced(op, group, i),
                     load(x, type_of(op), i));
}

static void fill(const struct run *run, const struct op *op, union numbers *x)
{
    for (int i = 0; i < (int)op->bytes; i++)
        store(x, type_of(op), i, input(op, run->p->me, i));
}

static void reduce(struct run *run, const struct op *op, struct group *group)
{
    union numbers x;
    char *name = operators[operator_of(op)];
    bool world = op->group == WORLD;
    fill(run, op, &x);
    if (op->variant == 0)
        typed_gop(op, &x, world ? NULL : &group->handle);
    else if (!world)
        armci_msg_group_gop_scope(SCOPE_ALL, &x, (int)op->bytes, name, type_of(op), &group->handle);
    else if (op->variant == 1)
        armci_msg_gop_scope(SCOPE_ALL, &x, (int)op->bytes, name, type_of(op));
    else
        armci_msg_reduce(&x, (int)op->bytes, name, type_of(op));
    if (world && op->variant == 2 && run->p->me != 0)
        return; /* only the first one has the result */
    check_numbers(run, op, &x, group);
}

static void broadcast(struct run *run, const struct op *op, struct group *group)
{
    union numbers x;
    int root = group->member[op->operand % group->n],
        bytes = (int)(op->bytes * (long)type_size[type_of(op)]);
    fill(run, op, &x);
    if (op->group != WORLD)
        armci_msg_group_bcast_scope(SCOPE_ALL, &x, bytes, root, &group->handle);
    else if (op->variant == 3)
        armci_msg_brdcst(&x, bytes, root);
    else
        armci_msg_bcast_scope(SCOPE_ALL, &x, bytes, root);
    for (int i = 0; i < (int)op->bytes; i++)
        check_number(run, op, "an element of a broadcast", input(op, root, i),
                     load(&x, type_of(op), i));
}

/* The record with the largest (smallest) first element; of equal ones that of the lowest process.
 */
static void select_record(struct run *run, const struct op *op)
{
    union numbers x;
    bool largest = op->operand % 2;
    int best = 0;
    fill(run, op, &x);
    for (int r = 1; r < run->p->ranks; r++) {
        long a = input(op, r, 0), b = input(op, best, 0);
        if (largest ? a > b : a < b) best = r;
    }
    armci_msg_sel(&x, (int)(op->bytes * (long)type_size[type_of(op)]), largest ? "max" : "min",
                  type_of(op), 1);
    for (int i = 0; i < (int)op->bytes; i++)
        check_number(run, op, "an element of the selected record", input(op, best, i),
                     load(&x, type_of(op), i));
}

static void exchange(struct run *run, const struct op *op, struct group *group)
{
    void *address[MAX_RANKS] = {NULL};
    bool world = op->group == WORLD;
    if (world ? !armci_exchange_address : !armci_exchange_address_grp) return;
    for (int i = 0; i < group->n; i++)
        if (group->member[i] == run->p->me)
            address[i] = (void *)(uintptr_t)(op->seed / 2 + (uint64_t)i);
    if (world)
        armci_exchange_address(address, group->n);
    else
        armci_exchange_address_grp(address, group->n, &group->handle);
    for (int i = 0; i < group->n; i++)
        check_number(run, op, "an exchanged address", (long)(op->seed / 2) + i,
                     (long)(uintptr_t)address[i]);
}

void collective_reduce(struct run *run, const struct op *op)
{
    struct group *group = &run->p->group[op->group];
    bool world = op->group == WORLD;
    switch (op->variant) {
    case 0:
    case 1:
    case 2: reduce(run, op, group); break;
    case 3:
    case 4: broadcast(run, op, group); break;
    case 5:
        if (world)
            select_record(run, op);
        else
            reduce(run, op, group);
        break;
    case 6: exchange(run, op, group); break;
    default:
        if (world)
            armci_msg_barrier();
        else
            armci_msg_group_barrier(&group->handle);
    }
}
