/* wrong_calls.c - the list of wrong calls, and the stage they are made on. */
#include "wrong_calls.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the list */

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

int wrong_calls_make(const struct wrong_call *w)
{
    return w->single ? w->single() : w->of_family(w->form, w->mistake);
}

void wrong_calls_add(struct wrong_call w)
{
    if (count == room) {
        room = room ? 2 * room : 256;
        list = realloc(list, (size_t)room * sizeof *list);
        if (list == NULL)
            abort();
    }
    list[count++] = w;
}

void wrong_calls_add_singles(enum moment moment, const struct single_call *table)
{
    for (; table->function; table++) {
        struct wrong_call w = { .moment = moment, .code = table->code, .function = table->function, .argument = table->argument,
                                .value = table->value, .single = table->call };
        snprintf(w.name, sizeof w.name, "%s.%s", table->function, table->what);
        wrong_calls_add(w);
    }
}

void wrong_calls_add_off(enum moment moment, const char *argument, const struct off_call *table)
{
    static const char *const suffix[] = { [ARMCI_OFF] = "off", [MPI_OFF] = "mpi_off", [MPI_ENDED] = "mpi_ended",
                                          [NEVER] = "never" };

    for (; table->function; table++) {
        struct wrong_call w = { .moment = moment, .code = moment == NEVER ? 0 : ARMCI_ERR_STATE,
                                .argument = argument, .value = "", .function = table->function, .single = table->call };
        snprintf(w.name, sizeof w.name, "%s.%s", table->function, suffix[moment]);
        wrong_calls_add(w);
    }
}

struct wrong_rank {
    const char *name, *value;
    int rank; /* N: the number of processes */
};
enum { N = INT_MAX - 1 };
static const struct wrong_rank wrong_ranks[] = {
    { "n", "n", N },
    { "negative", "-1", -1 },
    { "largest", "2147483647", INT_MAX },
    { "smallest", "-2147483648", INT_MIN },
};

static int call_with_rank(const void *form, const void *mistake)
{
    int rank = ((const struct wrong_rank *)mistake)->rank;

    return ((const struct rank_form *)form)->call(rank == N ? stage.n : rank);
}

void wrong_calls_add_ranks(const struct rank_form *table)
{
    for (const struct rank_form *f = table; f->function; f++)
        for (size_t i = 0; i < sizeof wrong_ranks / sizeof wrong_ranks[0]; i++) {
            const struct wrong_rank *r = &wrong_ranks[i];
            struct wrong_call w = { .code = ARMCI_ERR_RANK, .function = f->function, .argument = f->argument,
                                    .value = r->value, .of_family = call_with_rank, .form = f, .mistake = r };
            if (r->rank == -1 && f->minus_one_is_right)
                continue;
            snprintf(w.name, sizeof w.name, "%s.%s_%s", f->function, f->argument, r->name);
            wrong_calls_add(w);
        }
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

/* ------------------------------------------------------------------ the stage */

static union {
    char bytes[LOCAL];
    double aligned;
} here;
static double nowhere[SLICE / 8 + 1];

/* Before the start nothing is looked at, but addresses are calculated. */
struct stage stage = { .n = 1, .there = (char *)nowhere, .here = here.bytes, .nowhere = (char *)nowhere };

static void pattern(char *bytes, int n, int who)
{
    for (int i = 0; i < n; i++)
        bytes[i] = (char)(31 * who + 7 * i + i / 250 + 1);
}

enum { IN_GUARD = 100, IN_LOCAL = 50 };

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
    if (stage.n > 1)
        ARMCI_Group_create(1, &others, &stage.foreign);
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
    if (stage.n == 1)
        return;
    MPI_Comm_split(test_comm(), upper, 0, &half);
    MPI_Intercomm_create(half, 0, test_comm(), upper ? 0 : stage.n / 2, 1, &stage.between);
    MPI_Comm_free(&half);
}

void wrong_calls_set_local(void)
{
    pattern(stage.here, LOCAL, IN_LOCAL);
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
    stage.guard = region_create(SLICE);
    stage.there = stage.base[stage.p];
    stage.mine = stage.base[stage.me];
    ARMCI_Access_begin(stage.mine);
    pattern(stage.mine, SLICE, stage.me);
    ARMCI_Access_end(stage.mine);
    ARMCI_Access_begin(stage.guard[stage.me]);
    pattern(stage.guard[stage.me], SLICE, stage.me + IN_GUARD);
    ARMCI_Access_end(stage.guard[stage.me]);
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
    region_free(stage.guard);
    stage.base = stage.guard = NULL; /* wrong calls after the end are set up as those before the start */
    ARMCI_Group_free(&stage.self);
    if (stage.between != MPI_COMM_NULL)
        MPI_Comm_free(&stage.between);
}

void wrong_calls_check_local(const char *after)
{
    char expected[LOCAL];

    pattern(expected, LOCAL, IN_LOCAL);
    check_bytes(stage.here, expected, LOCAL, "the local buffer after %s", after);
}

static void check_slice(void **base, int who, const char *after)
{
    char expected[SLICE];

    ARMCI_Access_begin(base[stage.me]);
    pattern(expected, SLICE, who);
    check_bytes(base[stage.me], expected, SLICE, "region %d after %s", base == stage.guard, after);
    ARMCI_Access_end(base[stage.me]);
}

void wrong_calls_check_untouched(const char *after)
{
    ARMCI_WaitAll();
    ARMCI_Barrier();
    check_slice(stage.base, stage.me, after);
    check_slice(stage.guard, stage.me + IN_GUARD, after);
    wrong_calls_check_local(after);
}
