/* server.c - starting and ending agents and clients. */
#include "server/server.h"

#include <mpi.h>

#include "mpi/patient.h"
#include "server/agent.h"
#include "server/aside.h"
#include "server/barrier.h"
#include "server/endpoint.h"
#include "server/thread.h"
#include "server/watch.h"
#include "team/world.h"

bool armcii_server_on;

static MPI_Comm comm; /* requests and their answers, nothing else */

void armcii_server_join(void)
{
    armcii_agent_start(comm);
    armcii_thread_call();
}

/* A process of the world. */
static void start_process(void)
{
    armcii_endpoints_start(comm);
    armcii_barrier_start(comm);
    if (armcii_world->agent_of[armcii_world->rank] == armcii_world->rank) armcii_server_join();
    if (armcii_world->aside == 0) armcii_watch_start();
}

static void end_process(void)
{
    armcii_endpoints_end();
    armcii_patient_barrier(armcii_world->comm);
    if (armcii_world->aside == 0)
        armcii_watch_end();
    else
        armcii_aside_dismiss();
    armcii_barrier_end();
}

void armcii_server_start(void)
{
    MPI_Comm_dup(armcii_world->all, &comm);
    if (armcii_world_is_member())
        start_process();
    else
        armcii_agent_start(comm);
    armcii_server_on = true;
}

void armcii_server_end(void)
{
    if (!armcii_server_on) return;
    armcii_server_on = false;
    if (armcii_world_is_member()) end_process();
    armcii_agent_end();
    MPI_Comm_free(&comm);
}
