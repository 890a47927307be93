/* barrier.c - a barrier of all processes. */
#include "server/barrier.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/guard.h"
#include "server/endpoint.h"
#include "server/wire.h"
#include "shm/host.h"
#include "team/world.h"

static MPI_Comm comm;
static int *speakers; /* [hosts]: the process of each that sends messages */
static int my_host;   /* position in speakers */

void armcii_barrier_start(MPI_Comm requests)
{
    const struct world *w = armcii_world;
    comm = requests;
    speakers = malloc((size_t)w->hosts * sizeof *speakers);
    if (!speakers) armcii_fatal("out of memory for tables of %d hosts", w->hosts);
    for (int r = 0, n = 0; r < w->size; r++) {
        if (w->host_of[r] != r) continue;
        if (r == w->host_of[w->rank]) my_host = n;
        speakers[n++] = r;
    }
}

void armcii_barrier_end(void)
{
    free(speakers);
    speakers = NULL;
}

/* A dissemination barrier, as in shm/host.c. */
static void meet_hosts(void)
{
    int n = armcii_world->hosts;
    armcii_guard_lock();
    for (int round = 0, distance = 1; distance < n; round++, distance *= 2) {
        MPI_Request requests[2];
        MPI_Irecv(NULL, 0, MPI_BYTE, speakers[(my_host - distance + n) % n], WIRE_TAG_BARRIER + round, comm, &requests[0]);
        MPI_Isend(NULL, 0, MPI_BYTE, speakers[(my_host + distance) % n], WIRE_TAG_BARRIER + round, comm, &requests[1]);
        armcii_endpoints_wait(&requests[0]);
        armcii_endpoints_wait(&requests[1]);
    }
    armcii_guard_unlock();
}

void armcii_barrier(void)
{
    armcii_host_barrier();
    if (speakers[my_host] == armcii_world->rank) meet_hosts();
    armcii_host_barrier();
}
