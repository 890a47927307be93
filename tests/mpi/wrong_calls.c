/* wrong_calls.c - the list of wrong calls, and the stage they are made on. */
#include <limits.h>

#include "wrong_calls.h"

static struct wrong_call *list;
static int count, room;

int wrong_calls_count(void)
{
    return count;
}

const struct wrong_call *wrong_calls_get(int i)
{
    return &list[i];
}

bool row_is(struct row *row, struct description description)
{
    if (row->next++ != row->wanted) return false;
    row->description = description;
    return row->make;
}

int wrong_calls_make(const struct wrong_call *w)
{
    struct row row = {.wanted = w->row, .make = true},
               mistake = {.wanted = w->mistake, .make = true};
    void *arguments;
    if (w->table) return w->table(&row);
    arguments = w->product->right(w->description.is);
    w->product->mistakes(&mistake, arguments);
    return w->product->functions(&row, arguments);
}

int gives_nothing(bool nothing, const char *function)
{
    check(nothing, "%s gives something in spite of an error", function);
    return NO_CODE;
}

/* Add to the list; the case is called FUNCTION.PREFIX and its own name. */
static void add(struct wrong_call w, const char *prefix)
{
    if (count == room) {
        room = room ? 2 * room : 256;
        list = realloc(list, (size_t)room * sizeof *list);
        if (list == NULL) abort();
    }
    snprintf(w.name, sizeof w.name, "%s.%s%s", w.description.function, prefix ? prefix : "",
             w.description.name);
    list[count++] = w;
}

void wrong_calls_add(call_table *table)
{
    for (struct row row = {.wanted = 0}; table(&row), row.next > row.wanted;
         row = (struct row){.wanted = row.wanted + 1})
        add((struct wrong_call){.description = row.description, .table = table, .row = row.wanted},
            NULL);
}

static void add_mistake(const struct product *p, const struct row *f, const struct row *m)
{
    struct wrong_call w = {
        .description = m->description, .product = p, .row = f->wanted, .mistake = m->wanted};
    int is = f->description.is;
    if ((w.description.of && !(is & w.description.of)) || (is & w.description.not_of)) return;
    w.description.is = is;
    w.description.function = f->description.function;
    if (f->description.argument) w.description.argument = f->description.argument;
    if (p->name_of) w.description.argument = p->name_of(w.description.argument, is);
    add(w, f->description.name);
}

void wrong_calls_add_product(const struct product *p)
{
    for (struct row f = {.wanted = 0}; p->functions(&f, NULL), f.next > f.wanted;
         f = (struct row){.wanted = f.wanted + 1}) {
        struct wrong_call off = {
            .description = f.description, .product = p, .row = f.wanted, .mistake = -1};
        for (struct row m = {.wanted = 0}; p->mistakes(&m, NULL), m.next > m.wanted;
             m = (struct row){.wanted = m.wanted + 1})
            add_mistake(p, &f, &m);
        if (p->never_off == ALWAYS || (p->never_off & f.description.is)) continue;
        off.description = (struct description){.moment = ARMCI_OFF,
                                               .code = ARMCI_ERR_STATE,
                                               .is = f.description.is,
                                               .function = f.description.function,
                                               .argument = "state",
                                               .value = "off",
                                               .name = "off"};
        add(off, NULL);
    }
}

static void *right_rank(int is)
{
    static int rank;
    (void)is;
    return &rank;
}

static int wrong_ranks(struct row *row, void *arguments)
{
    int *rank = arguments;
    MISTAKE(n, 0, 0, RANK, "", "n", *rank = stage.n);
    MISTAKE(negative, 0, MINUS_ONE_IS_RIGHT, RANK, "", "-1", *rank = -1);
    MISTAKE(largest, 0, 0, RANK, "", "2147483647", *rank = INT_MAX);
    MISTAKE(smallest, 0, 0, RANK, "", "-2147483648", *rank = INT_MIN);
    return 0;
}

void wrong_calls_add_ranks(int (*functions)(struct row *row, void *rank))
{
    struct product *p = need_memory(sizeof *p); /* as long as the list */
    *p = (struct product){
        .functions = functions, .mistakes = wrong_ranks, .right = right_rank, .never_off = ALWAYS};
    wrong_calls_add_product(p);
}

void wrong_calls_collect(void)
{
    wrong_transfers_collect();
    wrong_memory_collect();
    wrong_sync_collect();
    wrong_groups_collect();
    wrong_messages_collect();
    wrong_start_collect();
}

static union {
    char bytes[HERE];
    double aligned;
} here;
static double nowhere[SLICE / 8 + 1];

/* Before the start nothing is looked at, but addresses are calculated. */
struct stage stage = {
    .n = 1, .there = (char *)nowhere, .here = here.bytes, .nowhere = (char *)nowhere};

static void pattern(char *bytes, int n, int who)
{
    for (int i = 0; i < n; i++)
        bytes[i] = (char)(31 * who + 7 * i + i / 250 + 1);
}

enum { IN_BESIDE = 100, IN_LOCAL = 50 };

static void set_groups(void)
{
    int others = stage.n > 1 ? stage.p : 0;
    ARMCI_Group short_lived;
    memset(&stage.none, 0, sizeof stage.none);
    stage.none.comm = MPI_COMM_NULL;
    stage.none.rank = -1;
    memset(&stage.garbage, 0xa5, sizeof stage.garbage);
    ARMCI_Group_get_world(&stage.world);
    ARMCI_Group_create(1, &stage.me, &stage.self);
    stage.foreign = stage.none;
    if (stage.n > 1) ARMCI_Group_create(1, &others, &stage.foreign);
    ARMCI_Group_create(1, &stage.me, &short_lived);
    stage.freed = short_lived;
    ARMCI_Group_free(&short_lived);
}

/* Two halves of the processes see one another. */
static void set_communicator_between(void)
{
    MPI_Comm half;
    int upper = stage.me >= stage.n / 2;
    stage.between = MPI_COMM_NULL;
    if (stage.n == 1) return;
    MPI_Comm_split(test_comm(), upper, 0, &half);
    MPI_Intercomm_create(half, 0, test_comm(), upper ? 0 : stage.n / 2, 1, &stage.between);
    MPI_Comm_free(&half);
}

void wrong_calls_set_local(void)
{
    pattern(stage.here, HERE, IN_LOCAL);
}

void wrong_calls_prepare(void)
{
    void **freed;
    stage.n = test_ranks();
    stage.me = test_rank();
    stage.p = (stage.me + 1) % stage.n;
    set_groups();
    set_communicator_between();
    stage.base = region_create(SLICE);
    stage.beside = region_create(SLICE);
    stage.there = stage.base[stage.p];
    stage.mine = stage.base[stage.me];
    ARMCI_Access_begin(stage.mine);
    pattern(stage.mine, SLICE, stage.me);
    ARMCI_Access_end(stage.mine);
    ARMCI_Access_begin(stage.beside[stage.me]);
    pattern(stage.beside[stage.me], SLICE, stage.me + IN_BESIDE);
    ARMCI_Access_end(stage.beside[stage.me]);
    wrong_calls_set_local();
    freed = region_create(1 << 16);
    stage.gone = (char *)freed[stage.p] + (1 << 15);
    region_free(freed);
    ARMCI_INIT_HANDLE(&stage.hdl);
    ARMCI_Barrier();
}

void wrong_calls_end(void)
{
    region_free(stage.base);
    region_free(stage.beside);
    stage.base = stage.beside =
        NULL; /* wrong calls after the end are set up as those before the start */
    ARMCI_Group_free(&stage.self);
    if (stage.between != MPI_COMM_NULL) MPI_Comm_free(&stage.between);
}

void wrong_calls_check_local(const char *after)
{
    char expected[HERE];
    pattern(expected, HERE, IN_LOCAL);
    check_bytes(stage.here, expected, HERE, "the local buffer after %s", after);
}

static void check_slice(void **base, int who, const char *after)
{
    char expected[SLICE];
    ARMCI_Access_begin(base[stage.me]);
    pattern(expected, SLICE, who);
    check_bytes(base[stage.me], expected, SLICE, "region %d after %s", base == stage.beside, after);
    ARMCI_Access_end(base[stage.me]);
}

void wrong_calls_check_untouched(const char *after)
{
    ARMCI_WaitAll();
    ARMCI_Barrier();
    check_slice(stage.base, stage.me, after);
    check_slice(stage.beside, stage.me + IN_BESIDE, after);
    wrong_calls_check_local(after);
}
