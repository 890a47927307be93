/* killed.c - a job that is killed leaves statistics.
 *
 * Launchers and batch systems send SIGTERM some time before SIGKILL. Then a thread of this file
 * writes the counts of this process to FILE.RANK. It does not call MPI: the program may be inside
 * MPI, and other processes may be gone. Then SIGTERM takes the effect that it had before. */
#define _GNU_SOURCE
#include "observe/observe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/log.h"
#include "base/thread.h"
#include "mpi/world.h"

/* Launchers kill all processes as soon as one has ended: time for the others to write. Open MPI's
 * sends SIGKILL 1 s after SIGTERM. */
enum { DELAY = 400000000 };

static struct {
    bool on;
    char name[PATH_MAX]; /* FILE.RANK */
    pid_t process;
    pthread_t writer;
    sem_t wake; /* by SIGTERM or at the end */
    atomic_bool terminated;
    struct sigaction former;
} killed;

static void on_sigterm(int signal)
{
    int error = errno;
    if (getpid() == killed.process) {
        atomic_store(&killed.terminated, true);
        sem_post(&killed.wake);
    } else { /* a child of fork, without the thread */
        sigaction(signal, &killed.former, NULL);
        kill(getpid(), signal);
    }
    errno = error;
}

/* Leave a handler that the program has set since. */
static void restore_handler(void)
{
    struct sigaction now;
    if (sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == on_sigterm)
        sigaction(SIGTERM, &killed.former, NULL);
}

/* True if the file is a report of this library, or there is none. */
static bool may_be_replaced(const char *name)
{
    static const char begin[] = "{\"format\": \"armci-stats ";
    char text[sizeof begin - 1];
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT;
    bool is_report = read(fd, text, sizeof text) == (ssize_t)sizeof text &&
                     memcmp(text, begin, sizeof text) == 0;
    close(fd);
    return is_report;
}

static void remove_report(const char *name)
{
    if (may_be_replaced(name)) unlink(name);
}

static void *wait_for_sigterm(void *unused)
{
    while (sem_wait(&killed.wake) != 0)
        continue;
    if (!atomic_load(&killed.terminated)) return unused;
    if (may_be_replaced(killed.name))
        armcii_stats_write_own(killed.name);
    else
        armcii_warn("ARMCI_STATS: %s is no report of ARMCI and is not replaced", killed.name);
    nanosleep(&(struct timespec){.tv_nsec = DELAY}, NULL);
    restore_handler();
    kill(killed.process, SIGTERM);
    return unused;
}

void armcii_killed_start(void)
{
    const char *file = armcii_config->stats_file;
    struct stat status;
    if (!file || (stat(file, &status) == 0 && !S_ISREG(status.st_mode))) return;
    snprintf(killed.name, sizeof killed.name, "%s.%d", file, armcii_world->rank);
    remove_report(killed.name); /* of an earlier job */
    if (sigaction(SIGTERM, NULL, &killed.former) != 0 || killed.former.sa_handler == SIG_IGN)
        return;
    killed.process = getpid();
    killed.terminated = false;
    sem_init(&killed.wake, 0, 0);
    killed.on = armcii_thread_create(&killed.writer, wait_for_sigterm);
    if (killed.on)
        sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_sigterm, .sa_flags = SA_RESTART},
                  NULL);
}

void armcii_killed_end(void)
{
    if (!killed.on) return;
    killed.on = false;
    restore_handler();
    sem_post(&killed.wake);
    pthread_join(killed.writer, NULL);
    if (killed.terminated) remove_report(killed.name); /* a handler of the program let it go on */
}
