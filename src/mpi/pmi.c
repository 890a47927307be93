/* pmi.c - progress in MPI while MPI_Finalize waits at the launcher's barrier.
 *
 * MPICH (4.0.2) closes its connections in MPI_Finalize and then waits at the barrier of its
 * launcher without progress, while others may still need its acknowledgements (finalize.c). UCX has
 * several connections to a peer, and acknowledges each end of each of them by itself: what the
 * starting of connections has sent over one of them is acknowledged at the very end, so nothing
 * that is done before MPI_Finalize makes all ends quiet.
 *
 * So a thread takes the launcher's place from the beginning of MPI_Finalize. It passes on what MPI
 * says (PMI-1, which Hydra speaks), and calls MPI until the launcher answers the barrier. MPI is
 * not entered twice: whoever waits for that answer is in read(2). */
#include "mpi/coll.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"
#include "mpi/launch.h"

enum { LONGEST = 4096, POLL_MILLISECONDS = 1 };

static struct {
    MPI_Comm comm;  /* for progress, which MPICH does not make for a message to the caller itself;
                       MPI_COMM_WORLD is freed before */
    int descriptor; /* by which MPI knows the launcher */
    int launcher, program; /* the thread's ends */
    bool is_closed;        /* MPI has closed the connections */
} pmi = {.comm = MPI_COMM_NULL};

/* The others would wait at the barrier for ever, or MPI would end the job without a word. */
static _Noreturn void fail(void)
{
    armcii_fatal("a message between MPI and its launcher is lost: %s", strerror(errno));
}

/* Return the length; 0: the other end is closed. */
static size_t receive(int from, char *text)
{
    ssize_t length;
    do
        length = read(from, text, LONGEST);
    while (length < 0 && errno == EINTR);
    if (length < 0) fail();
    return (size_t)length;
}

static bool send_all(int to, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t sent = write(to, text, length); /* the thread blocks SIGPIPE */
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno != EPIPE) fail();
        if (sent < 0) return false;
        text += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool pass_on(int from, int to, char *text, size_t *length)
{
    *length = receive(from, text);
    return *length > 0 && send_all(to, text, *length);
}

static void make_progress_until_readable(int descriptor)
{
    struct pollfd answer = {.fd = descriptor, .events = POLLIN};
    int found;
    while (poll(&answer, 1, POLL_MILLISECONDS) <= 0)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, pmi.comm, &found, MPI_STATUS_IGNORE);
}

/* Pass on one text; false if one end is closed. MPI closes the connections at its first barrier,
 * and must not be called after that. */
static bool pass_one(void)
{
    static const char arrival[] = "cmd=barrier_in\n";
    char text[LONGEST];
    size_t length;
    struct pollfd ends[] = {{.fd = pmi.program, .events = POLLIN},
                            {.fd = pmi.launcher, .events = POLLIN}};
    if (poll(ends, 2, -1) < 0) return errno == EINTR;
    if (ends[1].revents) return pass_on(pmi.launcher, pmi.program, text, &length);
    if (!pass_on(pmi.program, pmi.launcher, text, &length)) return false;
    if (pmi.is_closed || length != strlen(arrival) || memcmp(text, arrival, length) != 0)
        return true;
    pmi.is_closed = true;
    make_progress_until_readable(pmi.launcher);
    return true;
}

/* End the job as MPI_Abort would: MPI has freed MPI_COMM_WORLD, and the thread that calls this may
 * be the one that passes on MPI's words. Without a launcher that reads, the end of the process ends
 * the job. The program's functions of atexit must not run beside MPI_Finalize. */
static void abort_job(int status)
{
    char text[LONGEST];
    int length = snprintf(text, sizeof text, "cmd=abort exitcode=%d\n", status);
    (void)!write(pmi.launcher, text, (size_t)length);
    syscall(SYS_exit_group, status);
}

static void *pass_all(void *unused)
{
    while (pass_one())
        continue;
    close(pmi.program);
    close(pmi.launcher);
    return unused;
}

/* Where anything is missing, MPI_Finalize is as it was. */
static int take_place(MPI_Comm self, int key, void *value, void *extra)
{
    pthread_t thread;
    int pair[2];
    (void)self, (void)key, (void)value, (void)extra;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return MPI_SUCCESS;
    pmi.program = pair[1];
    pmi.launcher = fcntl(pmi.descriptor, F_DUPFD_CLOEXEC, 0);
    armcii_error_set_abort(abort_job);
    if (pmi.launcher >= 0 && armcii_thread_create(&thread, pass_all)) {
        pthread_detach(thread);
        dup2(pair[0], pmi.descriptor);
    } else {
        close(pair[1]);
        if (pmi.launcher >= 0) close(pmi.launcher);
    }
    close(pair[0]);
    return MPI_SUCCESS;
}

static void *do_nothing(void *unused)
{
    return unused;
}

/* True if the system gives the process a thread now (ulimit -u, pids.max). */
static bool may_have_thread(void)
{
    pthread_t thread;
    return armcii_thread_create(&thread, do_nothing) && pthread_join(thread, NULL) == 0;
}

bool armcii_pmi_prepare_progress(MPI_Comm comm)
{
    int processes, size;
    if (pmi.comm != MPI_COMM_NULL) return true;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Comm_size(comm, &size);
    if (size < processes) return false;
    pmi.descriptor = armcii_launch_pmi_descriptor();
    if (!armcii_coll_all(pmi.descriptor >= 0 && may_have_thread(), comm)) return false;
    armcii_coll_dup(comm, &pmi.comm);
    armcii_finalize_call(take_place, NULL);
    return true;
}
