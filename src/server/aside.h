/* aside.h - ranks set aside as agents, one on each host of a job on several (ARMCI_PROGRESS=rank): for programs that may have no thread.
 *
 * The last process of each host is set aside at the first start, and stays so until MPI ends: it waits for the program's processes to
 * start ARMCI, serves memory of its host until they have ended it, and waits again.  It is no member of the world.  The processes of its
 * host tell it when they start, make a region, free one, end, and when they come to MPI_Finalize; then it comes there too. */
#ifndef ARMCII_ASIDE_H
#define ARMCII_ASIDE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "shm/segment.h"

/* Who takes part from now on: *all, to be freed, is the program's processes in the order of comm, and behind them those set aside, whose
 * number is *aside; comm itself and 0 where there are none.  Collective over comm; after an earlier start, with or without those set aside
 * then, which need not call.  Returns NULL, or, on all, why what was asked for is impossible. */
const char *armcii_aside_choose(MPI_Comm comm, MPI_Comm *all, int *aside);
/* Were ranks set aside at an earlier start? */
bool armcii_aside_is_somebody(void);
/* Why nobody is set aside, though that was asked for; NULL where somebody is, or it was not. */
const char *armcii_aside_remark(void);

/* Processes of the program: at the end of MPI tell the one set aside on this host.  After armcii_finale_prepare_meeting: what is prepared
 * last comes first, and the one set aside is to come to the meeting, too. */
void armcii_aside_prepare_goodbye(void);
/* The program has ended ARMCI: nobody asks any more for what this host's processes have. */
void armcii_aside_dismiss(void);

/* A first member shows its region's segment to the one set aside on this host; where that one has it, NULL if it cannot map it. */
char *armcii_aside_map(const struct invitation *segment, size_t bytes);
void armcii_aside_unmap(char *memory, size_t bytes);

/* A process set aside: serve until the program starts ARMCI again, has ended it, or all of its processes are on their way out of MPI. */
enum aside_event { ASIDE_STARTED, ASIDE_DISMISSED, ASIDE_MPI_ENDS };
enum aside_event armcii_aside_serve(void);
/* When started again: as armcii_aside_choose for the program's processes. */
void armcii_aside_join(MPI_Comm *all, int *aside);

#endif
