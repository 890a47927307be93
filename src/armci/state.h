/* state.h - what files of the interface share: completion of everything, and the state that lives in one of them. */
#ifndef ARMCII_STATE_H
#define ARMCII_STATE_H

#include <stdbool.h>

#include "mpi/team.h"

/* Issue what aggregate handles kept and complete all puts, accumulates and stores remotely (completion.c). */
void armcii_complete_everything(void);
/* The same towards one process. */
void armcii_complete_process(int proc);
/* Complete all remotely and locally: gets, too. */
void armcii_finish_everything(void);
/* The same for one region: afterwards it may be freed. */
struct region;
void armcii_complete_region(struct region *region);

/* The set of ARMCI_Create_mutexes, where it was not destroyed: its region goes with all regions (atomics.c). */
void armcii_mutexes_forget(void);
/* The default group is the world again (groups.c). */
void armcii_groups_forget(void);

#endif
