/* test_contended.c - jobs that span nodes: everybody, near and far, works on the same few elements of one process at once, that process
 * included: accumulates, fetch-and-adds and mutexes are exact, by whichever path they come. */
#include <stdlib.h>
#include <string.h>

#include "op.h"

enum { ELEMENTS = 8, ACCUMULATES = 400, TICKETS = 300, LOCKS = 60, MUTEXES = 2 };

/* A slice: what everybody changes. */
struct shared {
    double room[2 * ELEMENTS * 2]; /* of any type, twice as wide for strides */
    int counter;
    long long_counter, guarded[MUTEXES];
};

static struct shared *shared_on(void **base, int target)
{
    return base[target];
}

/* Every call in another form: in one piece, every element by itself, as a vector; with or without a wait. */
static void add(int i, int type, void *values, void *there, int target, armci_hdl_t *handle)
{
    int size = (int)element_size(type);
    struct patch single = {.levels = 1, .count = {size, ELEMENTS}, .stride = {{size}, {size}}};
    void *here[ELEMENTS], *to[ELEMENTS];
    armci_giov_t v = {here, to, size, ELEMENTS};
    struct op acc = {.kind = OP_ACC, .how = (enum op_how)(i / 3 % 3), .type = type, .scale = scale_one(type)};

    for (int k = 0; k < ELEMENTS; k++) {
        here[k] = (char *)values + k * size;
        to[k] = (char *)there + k * size;
    }
    ARMCI_INIT_HANDLE(handle);
    if (i % 3 == 0)
        op_contiguous(&acc, values, there, (size_t)(size * ELEMENTS), target, handle);
    else if (i % 3 == 1)
        op_strided(&acc, values, there, &single, target, handle);
    else
        op_vector(&acc, &v, 1, target, handle);
    op_wait(&acc, handle);
}

static void sums_on(void **base, int target, int type)
{
    struct rng r = rng_stream(88000 + (uint64_t)type);
    union scale one = scale_one(type);
    size_t bytes = ELEMENTS * element_size(type);
    unsigned char values[ELEMENTS * 16], expected[ELEMENTS * 16] = {0};
    armci_hdl_t handle;

    element_fill(type, &r, values, bytes); /* the same everywhere */
    if (test_rank() == target) memset(base[target], 0, sizeof(struct shared));
    ARMCI_Barrier();
    for (int i = 0; i < ACCUMULATES; i++)
        add(i, type, values, shared_on(base, target)->room, target, &handle);
    ARMCI_Barrier();
    for (int i = 0; i < ACCUMULATES * test_ranks(); i++)
        element_accumulate(type, &one, values, expected, bytes);
    if (test_rank() == target) check_bytes(base[target], expected, bytes, "%d times %s from everybody", ACCUMULATES, element_name(type));
    ARMCI_Barrier();
}

static void sums(void)
{
    void **base = region_create(sizeof(struct shared));

    for (int target = 0; target < test_ranks(); target += test_ranks() - 1)
        for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type))
            sums_on(base, target, type);
    region_free(base);
}

/* Everybody draws from the same two counters; each number is drawn once. */
static void tickets_of(void **base, int target)
{
    struct shared *there = shared_on(base, target);
    int all = TICKETS * test_ranks(), *drawn = need_memory(2 * (size_t)all * sizeof *drawn), ticket;
    long long_ticket;

    memset(drawn, 0, 2 * (size_t)all * sizeof *drawn);
    memset(base[test_rank()], 0, sizeof(struct shared));
    ARMCI_Barrier();
    for (int i = 0; i < TICKETS; i++) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &ticket, &there->counter, 1, target);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &long_ticket, &there->long_counter, 1, target);
        if (check(ticket >= 0 && ticket < all && long_ticket >= 0 && long_ticket < all, "tickets %d, %ld", ticket, long_ticket)) {
            drawn[ticket]++;
            drawn[all + long_ticket]++;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, drawn, 2 * all, MPI_INT, MPI_SUM, test_comm());
    for (int i = 0; i < 2 * all; i++)
        check_long(drawn[i], 1, "how often %s %d of %d was drawn", i < all ? "int" : "long", i % all, target);
    ARMCI_Barrier();
    free(drawn);
}

static void tickets(void)
{
    void **base = region_create(sizeof(struct shared));

    for (int target = 0; target < test_ranks(); target += test_ranks() - 1)
        tickets_of(base, target);
    region_free(base);
}

/* Two mutexes of one process guard a long each, which is read, changed and written back. */
static void guarded_on(void **base, int target)
{
    memset(base[test_rank()], 0, sizeof(struct shared));
    ARMCI_Barrier();
    for (int i = 0; i < LOCKS; i++) {
        int mutex = (i + test_rank()) % MUTEXES;
        long *there = &shared_on(base, target)->guarded[mutex], value = -1;
        ARMCI_Lock(mutex, target);
        ARMCI_Get(there, &value, sizeof value, target);
        value++;
        ARMCI_Put(&value, there, sizeof value, target);
        ARMCI_Unlock(mutex, target);
    }
    ARMCI_Barrier();
    for (int m = 0; m < MUTEXES; m++)
        check_long(ARMCI_GetValueLong(&shared_on(base, target)->guarded[m], target), (long)LOCKS / MUTEXES * test_ranks(),
                   "what mutex %d of %d guards", m, target);
    ARMCI_Barrier();
}

static void mutexes(void)
{
    void **base = region_create(sizeof(struct shared));

    check_long(ARMCI_Create_mutexes(MUTEXES), 0, "ARMCI_Create_mutexes");
    for (int target = 0; target < test_ranks(); target += test_ranks() - 1)
        guarded_on(base, target);
    ARMCI_Destroy_mutexes();
    region_free(base);
}

static const struct test tests[] = {
    {"everybody accumulates into the same elements: the sums are exact", sums},
    {"everybody draws from the same counters: each number once", tickets},
    {"everybody locks the same mutexes: the data under them are exact", mutexes},
    {NULL, NULL},
};

const struct suite suite = {.tests = tests};
