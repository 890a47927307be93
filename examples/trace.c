/* trace.c - a tool between a program and ARMCI: counts and times puts and gets, and prints them for
 * each rank at the end. How to put it there: doc/tuning.md. */
#include <stdio.h>
#include <parmci.h>

static struct tally {
    long calls, bytes;
    double seconds;
} puts_seen, gets_seen;

static int note(struct tally *t, int bytes, double begun, int result)
{
    *t = (struct tally){t->calls + 1, t->bytes + bytes, t->seconds + MPI_Wtime() - begun};
    return result;
}

int ARMCI_Put(void *src, void *dst, int bytes, int proc)
{
    double begun = MPI_Wtime();
    return note(&puts_seen, bytes, begun, PARMCI_Put(src, dst, bytes, proc));
}

int ARMCI_Get(void *src, void *dst, int bytes, int proc)
{
    double begun = MPI_Wtime();
    return note(&gets_seen, bytes, begun, PARMCI_Get(src, dst, bytes, proc));
}

int ARMCI_Finalize(void)
{
    fprintf(stderr,
            "trace: rank %d: %ld puts of %ld bytes in %.6f s, %ld gets of %ld bytes in %.6f s\n",
            parmci_msg_me(), puts_seen.calls, puts_seen.bytes, puts_seen.seconds, gets_seen.calls,
            gets_seen.bytes, gets_seen.seconds);
    return PARMCI_Finalize();
}
