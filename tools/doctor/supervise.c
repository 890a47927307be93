/* supervise.c - a rank's child does the work; when it crashes or hangs, the keeper is still there to say so.
 *
 * The launcher only knows the keeper, so it does not end the job when a child dies, and rank 0 can print its table. */
#include "supervise.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "keeper.h"
#include "lifeline.h"
#include "probe.h"
#include "table.h"
#include "worker.h"

/* How much longer than rank 0 the others wait, so that it is the one to tell. */
enum { OTHERS_SECONDS = 4, FINALIZE_SECONDS = 6 };

static volatile sig_atomic_t signalled;
static const volatile int *const ended = &signalled;
static char own_address[LIFELINE_ROOM], first_address[LIFELINE_ROOM];
static bool streaming;
static struct keeper keeper;

static void on_signal(int number)
{
    signalled = number;
}

/* ---------------------------------------------------------------- lines ------------ */

static void forward(const struct line *l)
{
    printf("@doctor");
    for (int i = 0; i < LINE_FIELDS; i++)
        if (l->field[i][0]) printf("\t%s", l->field[i]);
    printf("\n");
    fflush(stdout);
}

/* Only rank 0 has the floor. */
static void deliver(const struct line *l)
{
    if (strcmp(l->field[0], "meet") == 0) snprintf(first_address, sizeof first_address, "%s", l->field[1]);
    if (strcmp(l->field[0], "rank") == 0 && keeper.rank > 0) keeper.spare = OTHERS_SECONDS;
    if (keeper.rank > 0 || strcmp(l->field[0], "meet") == 0) return;
    if (streaming)
        forward(l);
    else
        table_take(l);
}

/* ---------------------------------------------------------------- the child -------- */

static pid_t start_child(const struct options *o, int listening, int *lines)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child != 0) {
        close(ends[1]);
        *lines = ends[0];
        return child;
    }
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    close(ends[0]);
    if (listening >= 0) close(listening);
    lines_to(ends[1]);
    exit(worker_run(o, own_address));
}

/* How the child ended; it is given `seconds` to do so. */
static void bury(pid_t child, double seconds, char *how, size_t size)
{
    int status;
    pid_t gone;
    double limit = now() + seconds;
    while ((gone = waitpid(child, &status, WNOHANG)) == 0 && now() < limit)
        usleep(10000);
    if (gone == 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        snprintf(how, size, "hung");
    } else if (gone == child && WIFSIGNALED(status)) {
        snprintf(how, size, "crashed: %s", strsignal(WTERMSIG(status)));
    } else if (gone == child && WEXITSTATUS(status) == WORKER_ABORTED) {
        snprintf(how, size, "aborted");
    } else {
        snprintf(how, size, "ended with status %d", gone == child ? WEXITSTATUS(status) : -1);
    }
}

/* ---------------------------------------------------------------- the end ---------- */

/* What another rank's keeper tells within that time; "" if nothing. */
static void heard(int listening, int milliseconds, char *how, size_t size)
{
    struct pollfd p = {.fd = listening, .events = POLLIN};
    how[0] = '\0';
    if (listening >= 0 && poll(&p, 1, milliseconds) == 1) lifeline_hear(listening, own_address, how, size);
}

static void say_why(enum keeper_reason why, pid_t child, int listening, char *how, size_t size)
{
    char end[200];
    switch (why) {
    case KEEPER_TIME:
        bury(child, 0, end, sizeof end);
        snprintf(how, size, "hangs: not done in its time");
        return;
    case KEEPER_SIGNAL:
        bury(child, 0, end, sizeof end);
        heard(listening, 300, how, size); /* the launcher may have seen a rank die before we did */
        if (!how[0]) snprintf(how, size, "the launcher ended the job (%s)", strsignal(signalled));
        return;
    case KEEPER_PEER:
        heard(listening, 0, how, size);
        if (how[0]) bury(child, 0, end, sizeof end);
        return;
    default: bury(child, 2, end, sizeof end); snprintf(how, size, "rank %d %s", keeper.rank < 0 ? 0 : keeper.rank, end);
    }
}

/* Names of the probes that a job may still try, except the one that just ended badly. */
static void add_untried(const struct options *o)
{
    for (size_t i = 0; probes[i].name; i++)
        if (worker_wants(o, &probes[i])) table_untried(probes[i].name);
}

static int end_job(const struct options *o, const char *probe)
{
    char hint[300] = "";
    if (streaming) return 0;
    if (!keeper.ended) {
        add_untried(o);
        snprintf(hint, sizeof hint,
                 "To go on: the same command with --skip=%s%s%s, or armci-doctor --launch=\"mpiexec -n 2\", which goes "
                 "on by itself.",
                 o->skip ? o->skip : "", o->skip ? "," : "", probe[0] ? probe : "NAME");
    }
    return table_end(hint[0] ? hint : NULL);
}

/* A rank that is not 0: tell rank 0, then stay until that one has told what happened, lest the launcher end it first.
 */
static int end_other(const char *probe, const char *how)
{
    char text[300];
    if (keeper.ended || signalled) return 0;
    snprintf(text, sizeof text, "%s", how);
    fprintf(stderr, "armci-doctor: %s in probe %s\n", how, probe[0] ? probe : "(start)");
    lifeline_tell(first_address, text);
    double limit = keeper.deadline < now() + 6 ? now() + 6 : keeper.deadline;
    while (now() < limit && !signalled)
        usleep(50000);
    return 0;
}

/* Before MPI runs nobody has told us our rank; launchers have. */
static int rank_by_launcher(void)
{
    static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i])) return atoi(getenv(names[i]));
    return 0;
}

static void catch_signals(void)
{
    signal(SIGTERM, on_signal);
    signal(SIGINT, on_signal);
    signal(SIGHUP, on_signal);
    signal(SIGPIPE, SIG_IGN);
}

/* Watch until the child is done or something happened; *how says what, "" when all went well. */
static void watch(pid_t child, int listening, char *how, size_t size)
{
    enum keeper_reason why;
    how[0] = '\0';
    do {
        why = keeper_watch(&keeper, ended, keeper.rank == 0 ? listening : -1);
        if (keeper.ended) {
            char end[200];
            bury(child, FINALIZE_SECONDS, end, sizeof end); /* MPI_Finalize may hang: everything has been said */
            return;
        }
        say_why(why, child, listening, how, size);
    } while (why == KEEPER_PEER && !how[0]);
}

int supervise(const struct options *o)
{
    char how[LIFELINE_ROOM], probe[64];
    int lines = -1, listening = lifeline_listen();
    streaming = o->stream;
    catch_signals();
    lifeline_address(listening, own_address, sizeof own_address);
    pid_t child = start_child(o, listening, &lines);
    if (child < 0) {
        perror("armci-doctor: fork");
        return 2;
    }
    keeper_start(&keeper, lines, deliver);
    keeper.rank = rank_by_launcher();
    if (keeper.rank == 0 && !streaming) table_start(o->json, o->probe);
    watch(child, listening, how, sizeof how);
    snprintf(probe, sizeof probe, "%s", keeper.probe);
    if (keeper.rank > 0) return end_other(probe, how);
    keeper_fail(&keeper, how);
    return end_job(o, probe);
}
