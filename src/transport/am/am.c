/* am.c - starting and ending servers and clients. */
#include "transport/am/am.h"

#include <mpi.h>

#include "mpi/coll.h"
#include "transport/am/server.h"
#include "transport/am/progress_rank.h"
#include "transport/am/barrier.h"
#include "transport/am/endpoint.h"
#include "progress/thread.h"
#include "transport/am/progress.h"
#include "mpi/world.h"

bool armcii_am_on;

static MPI_Comm comm; /* requests and their answers, nothing else */

void armcii_am_join(void)
{
    armcii_server_start(comm);
    armcii_progress_thread_wake();
}

/* A process of the world. */
static void start_process(void)
{
    armcii_endpoints_start(comm);
    armcii_barrier_start(comm);
    if (armcii_world->server_of[armcii_world->rank] == armcii_world->rank) armcii_am_join();
    if (armcii_world->progress_ranks == 0) armcii_am_progress_start();
}

static void end_process(void)
{
    armcii_endpoints_end();
    armcii_coll_barrier(armcii_world->comm);
    if (armcii_world->progress_ranks == 0)
        armcii_am_progress_end();
    else
        armcii_progress_rank_stop();
    armcii_barrier_end();
}

void armcii_am_start(void)
{
    MPI_Comm_dup(armcii_world->all, &comm);
    if (armcii_world_is_member())
        start_process();
    else
        armcii_server_start(comm);
    armcii_am_on = true;
}

void armcii_am_end(void)
{
    if (!armcii_am_on) return;
    armcii_am_on = false;
    if (armcii_world_is_member()) end_process();
    armcii_server_end();
    MPI_Comm_free(&comm);
}
