/* faulty.c - for LD_PRELOAD: an odd system. TEST_LISTEN_MS: listen(2) takes so long once the socket
 * can be reached, which gives others time to come. TEST_MLOCK: the program locks
 * all memory that it gets after the start of MPI. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int listen(int s, int backlog)
{
    const char *wait = getenv("TEST_LISTEN_MS");
    int status = (int)syscall(SYS_listen, s, backlog);
    if (wait) usleep((useconds_t)atoi(wait) * 1000);
    return status;
}

/* The library asks when MPI has started. */
int MPI_Query_thread(int *level)
{
    if (getenv("TEST_MLOCK") && mlockall(MCL_FUTURE) != 0) abort();
    return PMPI_Query_thread(level);
}
