/* progress_rank.h - progress ranks, one on each node of a job on several (ARMCI_PROGRESS=rank): for programs that may have no thread.
 *
 * The last process of each node is set aside at the first start, and stays so until MPI ends: it waits for the program's processes to
 * start ARMCI, serves memory of its node until they have ended it, and waits again.  It is no member of the world.  The processes of its
 * node tell it when they start, make a region, free one, end, and when they come to MPI_Finalize; then it comes there too. */
#ifndef ARMCII_PROGRESS_RANK_H
#define ARMCII_PROGRESS_RANK_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "transport/shm/segment.h"

/* Who takes part from now on: *all, to be freed, is the program's processes in the order of comm, and behind them those set progress_ranks, whose
 * number is *progress_ranks; comm itself and 0 where there are none.  Collective over comm; after an earlier start, with or without the progress ranks
 * then, which need not call.  Returns NULL, or, on all, why what was asked for is impossible. */
const char *armcii_progress_rank_select(MPI_Comm comm, MPI_Comm *all, int *progress_ranks);
/* Were progress ranks at an earlier start? */
bool armcii_progress_rank_is_enabled(void);
/* Why nobody is set progress_ranks, though that was asked for; NULL where somebody is, or it was not. */
const char *armcii_progress_rank_reason(void);

/* Processes of the program: at the end of MPI tell the progress rank on this node.  After armcii_finalize_prepare_barrier: what is prepared
 * last comes first, and the progress rank is to come to the meeting, too. */
void armcii_progress_rank_hook_finalize(void);
/* The program has ended ARMCI: nobody asks any more for what this node's processes have. */
void armcii_progress_rank_stop(void);

/* A first member shows its region's segment to the progress rank on this node; where that one has it, NULL if it cannot map it. */
char *armcii_progress_rank_map(const struct segment_handle *segment, size_t bytes);
void armcii_progress_rank_unmap(char *memory, size_t bytes);

/* A progress rank: serve until the program starts ARMCI again, has ended it, or all of its processes are on their way out of MPI. */
enum progress_rank_event { PROGRESS_RANK_STARTED, PROGRESS_RANK_STOPPED, PROGRESS_RANK_FINALIZE };
enum progress_rank_event armcii_progress_rank_serve(void);
/* When started again: as armcii_progress_rank_select for the program's processes. */
void armcii_progress_rank_join(MPI_Comm *all, int *progress_ranks);

#endif
