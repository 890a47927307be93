/* nodes.h - nodes that are asked for by ARMCI_TEST_NODE (pretended_nodes.h) have to be there. */
#ifndef TESTS_NODES_H
#define TESTS_NODES_H

#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* After ARMCI_Init: ends the job where a node has more ranks than were asked for. Without this, a
 * job whose loader did not find the preloaded object would pass its tests on one node. */
static inline void need_pretended_nodes(void)
{
    const char *asked = getenv("ARMCI_TEST_NODE");
    int ranks = armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1);
    if (!asked || ranks <= atoi(asked)) return;
    fprintf(stderr, "ARMCI_TEST_NODE=%s, but a node has %d ranks: is pretended_nodes.h in use?\n",
            asked, ranks);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#endif
