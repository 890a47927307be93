/* test_unfenced.c - jobs that span nodes: ARMCI_Finalize right behind updates that nobody fenced or
 * waited for completes them. The mapping goes with it, so each process keeps a second one of
 * its slice, and looks there afterwards: ARMCI_Finalize clears no memory. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../mpi/harness.h"

enum {
    TURNS = 12,
    LONGS = 1000,
    ADDED = 40,
    ROWS = 500,
    ROW = 300,
    STRIDE = 1000,
    ROWS_BYTES = ROWS * STRIDE,
    LARGE = 400 << 10,
    DELAY = 20 /* ms */
};

/* What each process sends to every other: from so many local bytes to as many of its area there. */
struct update {
    const char *call;
    size_t bytes;
    void (*send)(char *from, char *to, int target);
    void (*apply)(const char *from, char *model); /* the same to an area that is all 0 */
};

static void copy_longs(const char *from, char *model)
{
    memcpy(model, from, LONGS * sizeof(long));
}

static void send_puts(char *from, char *to, int target)
{
    for (size_t i = 0; i < LONGS; i++)
        ARMCI_Put(from + i * sizeof(long), to + i * sizeof(long), sizeof(long), target);
}
static const struct update puts_of_longs = {"ARMCI_Put, a long a time", LONGS * sizeof(long),
                                            send_puts, copy_longs};

/* The handle is not the library's business any more after its end, nor is the wait for it. */
static void send_aggregate(char *from, char *to, int target)
{
    static armci_hdl_t handles[64];
    armci_hdl_t *handle = &handles[target % 64];
    ARMCI_INIT_HANDLE(handle);
    ARMCI_SET_AGGREGATE_HANDLE(handle);
    for (size_t i = 0; i < LONGS; i++)
        ARMCI_NbPut(from + i * sizeof(long), to + i * sizeof(long), sizeof(long), target, handle);
}
static const struct update aggregate = {"ARMCI_NbPut by an aggregate handle", LONGS * sizeof(long),
                                        send_aggregate, copy_longs};

static void send_sums(char *from, char *to, int target)
{
    long one = 1;
    for (int i = 0; i < ADDED; i++)
        ARMCI_Acc(ARMCI_ACC_LNG, &one, from, to, LONGS * sizeof(long), target);
}

static void apply_sums(const char *from, char *model)
{
    unsigned long value; /* which may pass its end */
    for (size_t i = 0; i < LONGS; i++) {
        memcpy(&value, from + i * sizeof value, sizeof value);
        value *= ADDED;
        memcpy(model + i * sizeof value, &value, sizeof value);
    }
}
static const struct update sums = {"ARMCI_Acc", LONGS * sizeof(long), send_sums, apply_sums};

static void send_rows(char *from, char *to, int target)
{
    int stride = STRIDE, count[2] = {ROW, ROWS};
    ARMCI_NbPutS(from, &stride, to, &stride, count, 1, target, NULL);
}

static void apply_rows(const char *from, char *model)
{
    for (size_t i = 0; i < ROWS; i++)
        memcpy(model + i * STRIDE, from + i * STRIDE, ROW);
}
static const struct update rows = {"ARMCI_NbPutS", ROWS_BYTES, send_rows, apply_rows};

static void send_large(char *from, char *to, int target)
{
    ARMCI_NbPut(from, to, LARGE, target, NULL);
}

static void apply_large(const char *from, char *model)
{
    memcpy(model, from, LARGE);
}
static const struct update large = {"ARMCI_NbPut, large", LARGE, send_large, apply_large};

/* Another mapping of shared memory that is mapped at `memory`, which outlives that one; NULL where
 * it is not shared. */
static char *map_again(char *memory, size_t bytes)
{
    size_t before = (uintptr_t)memory % (size_t)sysconf(_SC_PAGESIZE);
    char *again = mremap(memory - before, 0, before + bytes, MREMAP_MAYMOVE);
    return again == MAP_FAILED ? NULL : again + before;
}

static void unmap(char *again, size_t bytes)
{
    size_t before = (uintptr_t)again % (size_t)sysconf(_SC_PAGESIZE);
    munmap(again - before, before + bytes);
}

static void draw(char *from, const struct update *u, int turn, int sender)
{
    struct rng r = rng_stream((uint64_t)(91000 + 100 * turn + sender));
    rng_bytes(&r, from, u->bytes * (size_t)test_ranks());
}

static void look(const char *slice, const struct update *u, int turn)
{
    size_t n = (size_t)test_ranks(), me = (size_t)test_rank();
    char *from = need_memory(n * u->bytes), *model = need_memory(u->bytes);
    for (size_t p = 0; p < n; p++) {
        memset(model, 0, u->bytes);
        draw(from, u, turn, (int)p);
        u->apply(from + me * u->bytes, model);
        check_bytes(slice + p * u->bytes, model, u->bytes,
                    "turn %d, after ARMCI_Finalize: %s by %d", turn, u->call, (int)p);
    }
    free(from);
    free(model);
}

static void be_late(int turn)
{
    struct timespec t = {0, DELAY * 1000000L};
    if (turn % 3 == 1 + test_rank() % 2) nanosleep(&t, NULL);
}

static void send_and_end(char *from, void **base, const struct update *u, int turn)
{
    size_t n = (size_t)test_ranks(), me = (size_t)test_rank();
    draw(from, u, turn, test_rank());
    ARMCI_Barrier();
    for (size_t p = 0; p < n; p++)
        u->send(from + p * u->bytes, (char *)base[p] + me * u->bytes, (int)p);
    be_late(turn);
    check_long(ARMCI_Finalize(), 0, "turn %d: ARMCI_Finalize behind %s", turn, u->call);
}

/* The library runs before and after, since the suite counts on it. */
static void run(const void *update)
{
    const struct update *u = update;
    size_t bytes = (size_t)test_ranks() * u->bytes;
    char *from = need_memory(bytes);
    for (int turn = 0; turn < effort(TURNS); turn++) {
        void **base = region_create(bytes);
        char *again = map_again(base[test_rank()], bytes);
        if (!on_all_ranks(again != NULL)) {
            skip("the memory is not shared between processes, and gone with ARMCI_Finalize");
            region_free(base);
            break;
        }
        send_and_end(from, base, u, turn);
        look(again, u, turn);
        unmap(again, bytes);
        free(base);
        check_long(ARMCI_Init(), 0, "turn %d: ARMCI_Init", turn);
    }
    free(from);
}

static const struct test tests[] = {
    {"the end completes puts that are put together to messages", NULL, run, &puts_of_longs},
    {"the end completes an aggregate handle that nobody waited for", NULL, run, &aggregate},
    {"the end completes accumulates", NULL, run, &sums},
    {"the end completes a strided put", NULL, run, &rows},
    {"the end completes a large put", NULL, run, &large},
};
SUITE();
