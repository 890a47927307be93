/* progress_rank.h - ARMCI_PROGRESS=rank: ARMCI_PROGRESS_RANKS on each node of a job on several, for
 * programs that may have no thread. The last processes of each node become progress ranks at the
 * first start, until MPI ends. Each serves a contiguous part of the node's other processes: it
 * waits for a start, serves their memory until ARMCI ends, and waits again. It is no member of the
 * world. The processes that it serves send it control messages: start, stop, and finalize. When all
 * of them are in MPI_Finalize, it finalizes MPI, too.
 *
 * The transport am has them (am/progress_rank.c); who starts ARMCI needs to know no more of it. */
#ifndef ARMCII_PROGRESS_RANK_H
#define ARMCII_PROGRESS_RANK_H

#include <mpi.h>
#include <stdbool.h>

/* Select the processes of a start. With progress ranks, *all (to be freed) is the program's
 * processes in the order of comm and, behind them, *progress_ranks progress ranks; else comm itself
 * and 0. Collective over comm; at a later start the progress ranks need not call. Returns NULL,
 * or, on all processes, why ARMCI_PROGRESS=rank is impossible. */
const char *armcii_progress_rank_select(MPI_Comm comm, MPI_Comm *all, int *progress_ranks);
/* The number, among all progress ranks, of the one that serves the caller, or of the caller if it
 * is one. */
int armcii_progress_rank_number(void);
/* Did an earlier start choose progress ranks? */
bool armcii_progress_rank_is_enabled(void);
/* Why there is no progress rank in spite of ARMCI_PROGRESS=rank; else NULL. */
const char *armcii_progress_rank_reason(void);

/* Called by the program's processes: at the end of MPI, tell the caller's progress rank. To be
 * called after armcii_finalize_prepare_barrier: what is prepared last is called first, and the
 * progress rank must reach that barrier, too. */
void armcii_progress_rank_hook_finalize(void);
/* The program has ended ARMCI: no requests follow. */
void armcii_progress_rank_stop(void);

/* Called by a progress rank: serve until the program starts ARMCI again, has ended it, or is in
 * MPI_Finalize with all processes. */
enum progress_rank_event { PROGRESS_RANK_STARTED, PROGRESS_RANK_STOPPED, PROGRESS_RANK_FINALIZE };
enum progress_rank_event armcii_progress_rank_serve(void);
/* Called by a progress rank when started again: its part of armcii_progress_rank_select. */
void armcii_progress_rank_join(MPI_Comm *all, int *progress_ranks);

#endif
