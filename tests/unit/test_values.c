/* test_values.c - looks at a value serve others: who looks again and again waits in fact, and may be the only one awake on its node.
 * Starts MPI for one process, without a launcher. */
#include <armci.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/lock.h"
#include "base/backoff.h"
#include "mem/directory.h"
#include "transport/am/server.h"
#include "transport/am/client.h"
#include "transport/am/endpoint.h"
#include "transport/am/am.h"
#include "unit.h"

enum { BROUGHT = 7, MOST_LOOKS = 100000, LOOKS = 3200 };

/* ---- a server, and no thread of the library that would serve in its place ---- */

static MPI_Comm requests;

static void start_agent(void)
{
    MPI_Comm_dup(MPI_COMM_SELF, &requests);
    armcii_endpoints_start(requests);
    armcii_server_start(requests);
    armcii_transports_add(&armcii_am);
    armcii_transports_need_progress = true;
}

static void end_agent(void)
{
    armcii_lock_enter();
    armcii_endpoints_fence_all();
    armcii_lock_exit();
    armcii_transports[1] = NULL; /* shm is left */
    armcii_transports_need_progress = false;
    armcii_endpoints_end();
    armcii_server_end();
    MPI_Comm_free(&requests);
}

/* Ask the server to put the value there. */
static void send_put(void *to, int value)
{
    struct shape s;
    armcii_shape_contiguous(&s, &value, to, sizeof value);
    armcii_lock_enter();
    armcii_client_put(&(struct remote){.owner = 0, .server = 0, .delta = 0}, &s);
    armcii_lock_exit();
}

START_TEST(who_looks_at_a_value_gets_the_put_that_changes_it)
{
    int seen = 0, n = 0;
    void *base[1];
    ARMCI_Init();
    ARMCI_Malloc(base, sizeof(int));
    start_agent();
    send_put(base[0], BROUGHT);
    for (; seen != BROUGHT && n < MOST_LOOKS; n++)
        seen = ARMCI_GetValueInt(base[0], 0);
    end_agent();
    ck_assert_msg(seen == BROUGHT, "ARMCI_GetValueInt, %d times: expected %d, seen %d", n, BROUGHT, seen);
    ARMCI_Free(base[0]);
    ARMCI_Finalize();
}
END_TEST

/* ---- how often ---- */

static int served;

static bool serve(void)
{
    served++;
    return false;
}

static void look_at_int(void *at, int proc)
{
    ck_assert_int_eq(ARMCI_GetValueInt(at, proc), 0);
}

static void look_at_long(void *at, int proc)
{
    ck_assert_int_eq(ARMCI_GetValueLong(at, proc), 0);
}

static void look_at_float(void *at, int proc)
{
    ck_assert(ARMCI_GetValueFloat(at, proc) == 0);
}

static void look_at_double(void *at, int proc)
{
    ck_assert(ARMCI_GetValueDouble(at, proc) == 0);
}

static void (*const looks[])(void *at, int proc) = {look_at_int, look_at_long, look_at_float, look_at_double};
enum { KINDS = sizeof looks / sizeof *looks, NEIGHBOUR = 1 };

/* How many of LOOKS looks serve.  The neighbour is not there: its memory is what is remembered of it. */
static int servings(void (*look)(void *at, int proc), int proc, bool between_nodes)
{
    _Alignas(double) char value[sizeof(double)] = {0};
    ARMCI_Init();
    armcii_addr_cache_insert(proc, value, sizeof value, value);
    bool (*serve_before)(void) = armcii_progress_hook;
    armcii_progress_hook = serve;
    armcii_transports_need_progress = between_nodes;
    served = 0;
    for (int i = 0; i < LOOKS; i++)
        look(value, proc);
    armcii_transports_need_progress = false;
    armcii_progress_hook = serve_before;
    armcii_addr_cache_invalidate(proc);
    ARMCI_Finalize();
    return served;
}

START_TEST(looks_at_values_of_any_kind_own_or_a_neighbours_serve)
{
    int proc = _i / KINDS ? NEIGHBOUR : 0, seen = servings(looks[_i % KINDS], proc, true);
    ck_assert_msg(seen >= LOOKS / 64, "kind %d, process %d: expected that %d looks serve %d times or more, seen %d", _i % KINDS, proc,
                  LOOKS, LOOKS / 64, seen);
}
END_TEST

/* Serving costs more than a look. */
START_TEST(few_of_the_looks_serve)
{
    int seen = servings(looks[_i], 0, true);
    ck_assert_msg(seen <= LOOKS / 8, "kind %d: expected that %d looks serve %d times or less, seen %d", _i, LOOKS, LOOKS / 8, seen);
}
END_TEST

START_TEST(where_there_are_no_agents_looks_cost_no_serving)
{
    ck_assert_int_eq(servings(looks[_i], 0, false), 0);
}
END_TEST

int main(int argc, char **argv)
{
    TCase *all = tcase_create("all");
    tcase_add_test(all, who_looks_at_a_value_gets_the_put_that_changes_it);
    tcase_add_loop_test(all, looks_at_values_of_any_kind_own_or_a_neighbours_serve, 0, 2 * KINDS);
    tcase_add_loop_test(all, few_of_the_looks_serve, 0, KINDS);
    tcase_add_loop_test(all, where_there_are_no_agents_looks_cost_no_serving, 0, KINDS);
    unit_starts_mpi();
    MPI_Init(&argc, &argv);
    int status = unit_run("values", all);
    MPI_Finalize();
    return status;
}
