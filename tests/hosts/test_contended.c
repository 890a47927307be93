/* test_contended.c - jobs that span nodes: everybody, near and far, works on the same few elements of one process at once, that process
 * included: accumulates, fetch-and-adds and mutexes are exact, by whichever path they come. */
#include "op.h"

enum { ELEMENTS = 8, ACCUMULATES = 400, TICKETS = 300, LOCKS = 60, MUTEXES = 2 };

struct shared {
    double room[2 * ELEMENTS * 2]; /* of any type, twice as wide for strides */
    int counter;
    long long_counter, locked[MUTEXES];
};

/* What everybody does to the slice of the target, which is 0 at first. */
typedef void work_on(struct shared *there, int target);
struct work {
    work_on *work;
};

/* The first and the last rank are the target in turn. */
static void on_targets(const void *row)
{
    for (int target = 0; target < test_ranks(); target += test_ranks() - 1) {
        void **base = region_zeroed(sizeof(struct shared));
        ((const struct work *)row)->work(base[target], target);
        region_done(base);
    }
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

static void sums_of_type(struct shared *there, int target, int type)
{
    struct rng r = rng_stream(88000 + (uint64_t)type);
    union scale one = scale_one(type);
    size_t bytes = ELEMENTS * element_size(type);
    unsigned char values[ELEMENTS * 16], expected[ELEMENTS * 16] = {0};
    armci_hdl_t handle;
    element_fill(type, &r, values, bytes); /* the same everywhere */
    if (test_rank() == target) memset(there, 0, sizeof *there);
    ARMCI_Barrier();
    for (int i = 0; i < ACCUMULATES; i++)
        add(i, type, values, there->room, target, &handle);
    ARMCI_Barrier();
    for (int i = 0; i < ACCUMULATES * test_ranks(); i++)
        element_accumulate(type, &one, values, expected, bytes);
    if (test_rank() == target) check_bytes(there, expected, bytes, "%d times %s from everybody", ACCUMULATES, element_name(type));
    ARMCI_Barrier();
}

static void sums(struct shared *there, int target)
{
    for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type))
        sums_of_type(there, target, type);
}

static void tickets(struct shared *there, int target)
{
    int all = TICKETS * test_ranks(), *drawn = need_zeroed(2 * (size_t)all * sizeof *drawn), ticket;
    long long_ticket;
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
    free(drawn);
}

static void mutexes(struct shared *there, int target)
{
    check_long(ARMCI_Create_mutexes(MUTEXES), 0, "ARMCI_Create_mutexes");
    for (int i = 0; i < LOCKS; i++) {
        int mutex = (i + test_rank()) % MUTEXES;
        long *at = &there->locked[mutex], value = -1;
        ARMCI_Lock(mutex, target);
        ARMCI_Get(at, &value, sizeof value, target);
        value++;
        ARMCI_Put(&value, at, sizeof value, target);
        ARMCI_Unlock(mutex, target);
    }
    ARMCI_Barrier();
    for (int m = 0; m < MUTEXES; m++)
        check_long(ARMCI_GetValueLong(&there->locked[m], target), (long)LOCKS / MUTEXES * test_ranks(), "what mutex %d of %d protects", m,
                   target);
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
}

static const struct test tests[] = {
    {"everybody accumulates into the same elements: the sums are exact", ONE_ROW(on_targets, struct work, sums)},
    {"everybody draws from the same counters: each number once", ONE_ROW(on_targets, struct work, tickets)},
    {"everybody locks the same mutexes: the data under them are exact", ONE_ROW(on_targets, struct work, mutexes)},
};
SUITE();
