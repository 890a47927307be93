/* test_values.c - ARMCI_GetValue makes progress, since programs poll by it. Starts MPI for one
 * process, without a launcher. */
#include <armci.h>

#include "base/backoff.h"
#include "mem/lookup.h"
#include "unit.h"

enum { POLLS = 3200 };

static int calls;

static bool count_progress(void)
{
    calls++;
    return false;
}

static void poll_int(void *at, int proc)
{
    ck_assert_int_eq(ARMCI_GetValueInt(at, proc), 0);
}

static void poll_long(void *at, int proc)
{
    ck_assert_int_eq(ARMCI_GetValueLong(at, proc), 0);
}

static void poll_float(void *at, int proc)
{
    ck_assert(ARMCI_GetValueFloat(at, proc) == 0);
}

static void poll_double(void *at, int proc)
{
    ck_assert(ARMCI_GetValueDouble(at, proc) == 0);
}

static void (*const polls[])(void *at, int proc) = {poll_int, poll_long, poll_float, poll_double};
enum { KINDS = sizeof polls / sizeof *polls, NEIGHBOUR = 1 };

/* The number of progress calls in POLLS polls. The neighbour is a cache entry only. */
static int progress_calls(void (*poll)(void *at, int proc), int proc, bool between_nodes)
{
    _Alignas(double) char value[sizeof(double)] = {0};
    ARMCI_Init();
    const struct slice *saved_slices = armcii_last_slices;
    struct slice slices[LAST_SLICES] = {[0] = {0}};
    slices[proc] = (struct slice){.generation = armcii_lookup_generation,
                                  .direct_end = value + sizeof value,
                                  .direct_process = proc,
                                  .raddr.lo = value};
    armcii_last_slices = slices;
    bool (*saved_hook)(void) = armcii_backoff.progress;
    armcii_backoff.progress = count_progress;
    armcii_backoff.progress_needed = between_nodes;
    calls = 0;
    for (int i = 0; i < POLLS; i++)
        poll(value, proc);
    armcii_backoff.progress_needed = false;
    armcii_backoff.progress = saved_hook;
    armcii_last_slices = saved_slices;
    ARMCI_Finalize();
    return calls;
}

ROW_TEST(polls_of_own_and_neighbours_values_make_progress, 2 * KINDS)
{
    int proc = _i / KINDS ? NEIGHBOUR : 0, seen = progress_calls(polls[_i % KINDS], proc, true);
    ck_assert_msg(
        seen >= POLLS / 64,
        "kind %d, process %d: expected that %d polls make progress %d times or more, seen %d",
        _i % KINDS, proc, POLLS, POLLS / 64, seen);
}

/* Progress costs more than a poll. */
ROW_TEST(few_polls_make_progress, KINDS)
{
    int seen = progress_calls(polls[_i], 0, true);
    ck_assert_msg(seen <= POLLS / 8,
                  "kind %d: expected that %d polls make progress %d times or less, seen %d", _i,
                  POLLS, POLLS / 8, seen);
}

ROW_TEST(polls_without_servers_make_no_progress, KINDS)
{
    ck_assert_int_eq(progress_calls(polls[_i], 0, false), 0);
}

const struct unit unit = {.run = unit_run_with_mpi};
