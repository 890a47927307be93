/* barrier.c - a barrier of all processes. */
#include "transport/am/barrier.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/lock.h"
#include "transport/am/endpoint.h"
#include "transport/am/proto.h"
#include "transport/shm/node.h"
#include "mpi/world.h"

static MPI_Comm comm;
static int *speakers; /* [nodes]: the process of each that sends messages */
static int my_node;   /* position in speakers */

void armcii_barrier_start(MPI_Comm requests)
{
    const struct world *w = armcii_world;
    comm = requests;
    speakers = malloc((size_t)w->nodes * sizeof *speakers);
    if (!speakers) armcii_fatal("out of memory for tables of %d nodes", w->nodes);
    for (int r = 0, n = 0; r < w->size; r++) {
        if (w->node_of[r] != r) continue;
        if (r == w->node_of[w->rank]) my_node = n;
        speakers[n++] = r;
    }
}

void armcii_barrier_end(void)
{
    free(speakers);
    speakers = NULL;
}

/* A dissemination barrier, as in transport/shm/node.c. */
static void meet_nodes(void)
{
    int n = armcii_world->nodes;
    armcii_lock_enter();
    for (int round = 0, distance = 1; distance < n; round++, distance *= 2) {
        MPI_Request requests[2];
        MPI_Irecv(NULL, 0, MPI_BYTE, speakers[(my_node - distance + n) % n], AM_TAG_BARRIER + round, comm, &requests[0]);
        MPI_Isend(NULL, 0, MPI_BYTE, speakers[(my_node + distance) % n], AM_TAG_BARRIER + round, comm, &requests[1]);
        armcii_endpoints_wait(&requests[0]);
        armcii_endpoints_wait(&requests[1]);
    }
    armcii_lock_exit();
}

void armcii_barrier(void)
{
    armcii_node_barrier();
    if (speakers[my_node] == armcii_world->rank) meet_nodes();
    armcii_node_barrier();
}
