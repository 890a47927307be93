/* crowd.h - do processes outnumber the processors that they may use? */
#ifndef ARMCII_CROWD_H
#define ARMCII_CROWD_H

#include <stdbool.h>
#include <stddef.h>

struct crowd {
    size_t processes;  /* of this job on this kernel, ranks set aside included */
    size_t processors; /* that they may use together */
    bool crowded;      /* some have to share a processor */
};

/* Collective over armcii_world->all: of the processes on the caller's kernel, the same for all of them. */
struct crowd armcii_crowd_count(void);

#endif
