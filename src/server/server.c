/* server.c - starting and ending agents and clients. */
#include "server/server.h"

#include <mpi.h>

#include "mpi/patient.h"
#include "server/agent.h"
#include "server/barrier.h"
#include "server/client.h"
#include "server/thread.h"
#include "team/world.h"

bool armcii_server_on;

static MPI_Comm comm; /* requests and their answers, nothing else */

void armcii_server_join(void)
{
    armcii_agent_start(comm);
    armcii_thread_wake();
}

void armcii_server_start(void)
{
    MPI_Comm_dup(armcii_world->comm, &comm);
    armcii_client_start(comm);
    armcii_barrier_start(comm);
    if (armcii_world->host_of[armcii_world->rank] == armcii_world->rank) armcii_server_join();
    armcii_thread_start();
    armcii_server_on = true;
}

void armcii_server_end(void)
{
    if (!armcii_server_on) return;
    armcii_server_on = false;
    armcii_client_end();
    armcii_patient_barrier(armcii_world->comm);
    armcii_thread_end();
    armcii_agent_end();
    armcii_barrier_end();
    MPI_Comm_free(&comm);
}
