/* server.c - starting and ending agents and clients. */
#include "server/server.h"

#include <mpi.h>

#include "server/agent.h"
#include "server/client.h"
#include "team/world.h"

bool armcii_server_on;

static MPI_Comm comm; /* requests and their answers, nothing else */

void armcii_server_join(void)
{
    armcii_agent_start(comm);
}

void armcii_server_start(void)
{
    MPI_Comm_dup(armcii_world->comm, &comm);
    armcii_client_start(comm);
    if (armcii_world->host_of[armcii_world->rank] == armcii_world->rank) armcii_server_join();
    armcii_server_on = true;
}

void armcii_server_end(void)
{
    if (!armcii_server_on) return;
    armcii_server_on = false;
    armcii_client_end();
    MPI_Barrier(armcii_world->comm);
    armcii_agent_end();
    MPI_Comm_free(&comm);
}
