/* test_progress.c - who makes progress: the thread that does runs no signal handler of the program;
 * where MPI does, in the waits of the program, they do not sleep. */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../mpi/harness.h"

/* The file `name` of a thread of this process, from the line that begins with `start`, or "". */
static void read_of_thread(const char *thread, const char *name, const char *start, char *text,
                           size_t room)
{
    char path[64 + NAME_MAX];
    snprintf(path, sizeof path, "/proc/self/task/%s/%s", thread, name);
    FILE *f = fopen(path, "r");
    while (f && fgets(text, (int)room, f))
        if (strncmp(text, start, strlen(start)) == 0) {
            fclose(f);
            return;
        }
    text[0] = '\0';
    if (f) fclose(f);
}

/* The progress thread; 0: there is none.  *blocked: the signals that it blocks. */
static long library_thread(unsigned long *blocked)
{
    char text[64];
    long found = 0;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *e; (e = readdir(threads)) != NULL && !found;) {
        read_of_thread(e->d_name, "comm", "armci-progress", text, sizeof text);
        if (!text[0]) continue;
        found = atol(e->d_name);
        read_of_thread(e->d_name, "status", "SigBlk:", text, sizeof text);
        *blocked = strtoul(text + strlen("SigBlk:"), NULL, 16);
    }
    closedir(threads);
    return found;
}

static unsigned long bit_of(int signal)
{
    return 1UL << (signal - 1);
}

enum { SIGNALS = 20 };
static const double APART = 0.02, STARTING = 10; /* seconds */
static atomic_long handled_by[SIGNALS];
static atomic_int handled;

static void note_thread(int signal)
{
    (void)signal;
    handled_by[atomic_fetch_add(&handled, 1) % SIGNALS] = gettid();
}

/* MPI's threads may take it. */
static void send_what_main_blocks(void)
{
    sigset_t usr1, former;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, &former);
    for (int i = 0; i < SIGNALS; i++) {
        kill(getpid(), SIGUSR1);
        for (double until = now() + APART; now() < until;)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &former, NULL);
}

static void signals_go_elsewhere(void)
{
    const char *progress = getenv("ARMCI_PROGRESS");
    struct sigaction noting = {.sa_handler = note_thread}, former;
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    unsigned long blocked = 0;
    if (!on_all_ranks(test_has_server()) || (progress && strcmp(progress, "rank") == 0)) {
        skip("no thread of the library");
        return;
    }
    long thread = library_thread(&blocked);
    for (double until = now() + STARTING;
         (blocked & bit_of(SIGSEGV)) &&
         now() < until;) /* a thread starts with all of them blocked */
        thread = library_thread(&blocked);
    check(thread > 0, "there is no thread armci-progress");
    check((blocked & bit_of(SIGUSR1)) && (blocked & bit_of(SIGALRM)) && (blocked & bit_of(SIGTERM)),
          "it blocks %lx only", blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        check(!(blocked & bit_of(faults[i])), "it blocks signal %d", faults[i]);
    sigaction(SIGUSR1, &noting, &former);
    send_what_main_blocks();
    sigaction(SIGUSR1, &former, NULL);
    check(handled > 0, "no signal came");
    for (int i = 0; i < handled && i < SIGNALS; i++)
        check(handled_by[i] != thread, "the progress thread ran the handler");
}

/* Has each rank a processor, and no control group a part of their time? */
static bool has_processors_for_all(void)
{
    const char *quota = "/sys/fs/cgroup/cpu.max";
    cpu_set_t set;
    if (access(quota, F_OK) == 0 && lines_with(quota, "max") == 0) return false;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) >= test_ranks();
}

/* How often this thread has slept; waits for a lock count, too. */
static long sleeps(void)
{
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
}

/* MPI does not report what it carried out, so that a wait cannot tell when it may sleep. Sleeps of
 * 50 us each would be thousands. */
static void waits_awake(void)
{
    enum { LATE_US = 300000, FEW = 300 };
    if (!needs_ranks(2)) return;
    if (!test_mpi_serves() || !on_all_ranks(has_processors_for_all())) {
        skip(test_mpi_serves() ? "ranks outnumber processors" : "a server or shared memory");
        return;
    }
    ARMCI_Barrier();
    long before = sleeps();
    if (test_rank() == 0) usleep(LATE_US);
    ARMCI_Barrier();
    check(sleeps() - before < FEW, "slept %ld times in a barrier", sleeps() - before);
}

static const struct test tests[] = {
    {"a wait in which MPI serves other processes does not sleep", waits_awake},
    {"the progress thread runs no signal handler of the program", signals_go_elsewhere},
};
SUITE();
