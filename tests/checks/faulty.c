/* faulty.c - for LD_PRELOAD: an odd system. TEST_LISTEN_MS: listen(2) takes so long once the socket
 * can be reached, which gives others time to come. TEST_MLOCK: the program locks
 * all memory that it gets after the start of MPI. TEST_REFUSE=pthread_create|eventfd: the library
 * gets none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
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

/* The next definition of a function; NULL: the library calls it and is refused. */
static void *next_of(const char *function, const void *caller)
{
    const char *refused = getenv("TEST_REFUSE");
    Dl_info from;
    if (refused && strcmp(refused, function) == 0 && dladdr(caller, &from) &&
        strstr(from.dli_fname, "libarmci"))
        return NULL;
    return dlsym(RTLD_NEXT, function);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&next = next_of("pthread_create", __builtin_return_address(0));
    return next ? next(thread, how, run, with) : EAGAIN;
}

int eventfd(unsigned value, int flags)
{
    int (*next)(unsigned, int);
    *(void **)&next = next_of("eventfd", __builtin_return_address(0));
    errno = EMFILE;
    return next ? next(value, flags) : -1;
}
