/* state.h - functions that files of this folder share: completion, and the end of state that one file owns. */
#ifndef ARMCII_STATE_H
#define ARMCII_STATE_H

#include <stdbool.h>

#include "mpi/team.h"

/* Flush the queues of aggregate handles and complete all puts, accumulates and stores remotely (sync.c). */
void armcii_complete_everything(void);
/* The same towards one process. */
void armcii_complete_process(int proc);
/* Complete all operations remotely and locally, including gets. */
void armcii_finish_everything(void);
/* Complete all operations on one region, before it is freed. */
struct region;
void armcii_complete_region(struct region *region);

/* Destroy all remaining sets of mutexes (atomics.c). */
void armcii_mutexes_end(void);
/* Make the world the default group (groups.c). */
void armcii_groups_reset_default(void);

#endif
