/* progress.c - progress in MPI. */
#include "mpi/progress.h"

#include <stdatomic.h>

#include "mpi/coll.h"

static struct {
    atomic_uint calls;
    atomic_int running;
} progress;

void armcii_mpi_begin_progress(void)
{
    atomic_fetch_add_explicit(&progress.calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&progress.running, 1, memory_order_relaxed);
}

void armcii_mpi_end_progress(void)
{
    atomic_fetch_sub_explicit(&progress.running, 1, memory_order_relaxed);
}

/* A probe that finds a message returns at once, without progress, so this one looks for a message
 * that nobody sends. */
void armcii_mpi_progress(MPI_Comm control)
{
    int arrived;
    armcii_mpi_begin_progress();
    MPI_Iprobe(MPI_ANY_SOURCE, CONTROL_NOTHING, control, &arrived, MPI_STATUS_IGNORE);
    armcii_mpi_end_progress();
}

unsigned armcii_mpi_progress_calls(void)
{
    return atomic_load_explicit(&progress.calls, memory_order_relaxed);
}

bool armcii_mpi_is_progressing(void)
{
    return atomic_load_explicit(&progress.running, memory_order_relaxed) > 0;
}
