/* notify.c - notification: an empty message, sent after the caller's fence. */
#include "core/op.h"

#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/lock.h"
#include "mpi/coll.h"
#include "mpi/world.h"

static struct counts {
    uint64_t sent, received, waited;
} * counts; /* [world size] */

/* The lowest 31 bits of a count, since a negative result means an error. */
static int to_result(uint64_t count)
{
    return (int)(count & INT_MAX);
}

void armcii_notify_start(void)
{
    counts = calloc((size_t)armcii_world->size, sizeof *counts);
    if (!counts)
        armcii_fatal("out of memory for notifications of %d processes", armcii_world->size);
}

void armcii_notify_end(void)
{
    free(counts);
    counts = NULL;
}

int armcii_notify_send(int process)
{
    if (process == armcii_world->rank) {
        counts[process].received++;
    } else {
        MPI_Request request; /* not waited for: an empty message has no buffer */
        MPI_Isend(NULL, 0, MPI_BYTE, process, CONTROL_NOTIFY, armcii_world->control, &request);
        MPI_Request_free(&request);
    }
    return to_result(++counts[process].sent);
}

static void receive(int process)
{
    int arrived;
    MPI_Message message;
    MPI_Improbe(process, CONTROL_NOTIFY, armcii_world->control, &arrived, &message,
                MPI_STATUS_IGNORE);
    if (!arrived) return;
    MPI_Mrecv(NULL, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    counts[process].received++;
}

int armcii_notify_wait(int process, int *waits)
{
    struct backoff p = {0};
    uint64_t wanted = ++counts[process].waited;
    while (counts[process].received < wanted) {
        if (process != armcii_world->rank) receive(process);
        if (counts[process].received >= wanted) break;
        armcii_lock_backoff(&p);
    }
    *waits = to_result(wanted);
    return to_result(counts[process].received);
}
