/* node_cpus.h - do processes outnumber the processors that they may use? */
#ifndef ARMCII_NODE_CPUS_H
#define ARMCII_NODE_CPUS_H

#include <stdbool.h>
#include <stddef.h>

struct node_cpus {
    size_t processes;  /* of this job on this kernel, progress ranks included */
    size_t processors; /* that they may use together */
    bool oversubscribed;      /* some have to share a processor */
};

/* Collective over armcii_world->all: of the processes on the caller's kernel, the same for all of them. */
struct node_cpus armcii_node_cpus_count(void);

#endif
