/* test_endpoint.c - what a client pays for the endpoints it has. Starts MPI for one process,
 * without a launcher: the process is the server, too; the others of the world are only names. */
#include <stdlib.h>

#include "base/config.h"
#include "base/lock.h"
#include "mpi/quirks.h"
#include "mpi/world.h"
#include "transport/am/am.h"
#include "unit.h"

enum { PROCESSES = 4096, OPERATIONS = 2000, ROUNDS = 9 };

static MPI_Comm comm;
static struct world *the_world; /* a node for each process */

static void start(void)
{
    the_world = (struct world *)(uintptr_t)armcii_world;
    *the_world = (struct world){.size = PROCESSES, .nodes = PROCESSES};
    the_world->server_of = malloc(PROCESSES * sizeof(int));
    ck_assert_ptr_nonnull(the_world->server_of);
    for (int i = 0; i < PROCESSES; i++)
        the_world->server_of[i] = i;
    the_world->node_of = the_world->server_of;
    armcii_config_read((char *[]){NULL}, NULL);
    armcii_quirks_decide("", true, false);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    armcii_endpoints_start(comm);
    armcii_server_start(comm);
}

static void stop(void)
{
    armcii_endpoints_fence_all();
    armcii_endpoints_end();
    armcii_server_end();
    MPI_Comm_free(&comm);
    free(the_world->server_of);
    *the_world = (struct world){0};
}

static const struct remote self = {.owner = 0, .server = 0, .delta = 0};

static void put_and_fence(const struct shape *s)
{
    armcii_client_put(&self, s);
    armcii_endpoints_fence(0);
}

static void put_and_fence_all(const struct shape *s)
{
    armcii_client_put(&self, s);
    armcii_endpoints_fence_all();
}

static void get(const struct shape *s)
{
    armcii_client_wait(armcii_client_get(&self, s));
}

static void (*const operations[])(const struct shape *s) = {put_and_fence, put_and_fence_all, get};

/* Microseconds of OPERATIONS operations; the least of several rounds. */
static long time_of(void (*operation)(const struct shape *s))
{
    long here = 1, there = 2, least = 0;
    struct shape s;
    armcii_shape_contiguous(&s, &here, &there, sizeof here);
    for (int round = 0; round < ROUNDS; round++) {
        long begin = armcii_clock();
        for (int i = 0; i < OPERATIONS; i++)
            operation(&s);
        long time = armcii_clock() - begin;
        if (round == 0 || time < least) least = time;
    }
    return least;
}

ROW_TEST(an_operation_costs_the_same_with_many_endpoints, 3)
{
    long few = time_of(operations[_i]);
    for (int server = 1; server < PROCESSES; server++)
        armcii_endpoint(server);
    long many = time_of(operations[_i]);
    ck_assert_msg(many < 3 * few, "%d operations take %ld us with one endpoint, %ld us with %d",
                  OPERATIONS, few, many, PROCESSES);
}

const struct unit unit = {.begin = start, .end = stop, .run = unit_run_with_mpi};
