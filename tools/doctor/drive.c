/* drive.c - starts MPI jobs until all probes have run: a probe that crashes or hangs ends its job,
 * and the next job skips it. */
#include "options.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper.h"
#include "probe.h"
#include "table.h"
#include "worker.h"

enum { MOST_JOBS = 40, LIST_ROOM = 8192, SPARE_SECONDS = 8 };

static volatile sig_atomic_t signalled;
static char plain_list[LIST_ROOM]; /* probes that need a job without threads */
static bool plain;                 /* the current job has no threads */

static void on_signal(int number)
{
    signalled = number;
}

static void append(char *list, const char *name)
{
    size_t used = strlen(list);
    snprintf(list + used, LIST_ROOM - used, "%s%s", used ? "," : "", name);
}

/* MPI may refuse windows if threads are allowed: these probes run again in a job without threads.
 */
static void deliver(const struct line *l)
{
    bool refused = strcmp(l->field[0], "row") == 0 &&
                   strncmp(l->field[3], WORKER_NO_WINDOWS, strlen(WORKER_NO_WINDOWS)) == 0;
    if (refused && !plain)
        append(plain_list, l->field[1]);
    else
        table_take(l);
}

/* ---------------------------------------------------------------- one job ---------- */

static void exec_job(const struct options *o, const char *program, const char *only,
                     const char *skip)
{
    char command[1024], only_option[LIST_ROOM + 16], skip_option[LIST_ROOM + 16], plant[128];
    const char *arguments[12] = {"sh", "-c", command, program, "--stream"};
    int n = 5;
    snprintf(command, sizeof command, "exec %s \"$0\" \"$@\" </dev/null", o->launch);
    snprintf(only_option, sizeof only_option, "--only=%s", only);
    snprintf(skip_option, sizeof skip_option, "--skip=%s", skip);
    snprintf(plant, sizeof plant, "--plant=%s", o->plant ? o->plant : "");
    if (only[0]) arguments[n++] = only_option;
    if (skip[0]) arguments[n++] = skip_option;
    if (o->plant) arguments[n++] = plant;
    if (o->probe) arguments[n++] = "--probe";
    if (plain) arguments[n++] = "--plain";
    execv("/bin/sh", (char *const *)(const void *)arguments);
    _exit(127);
}

static pid_t start_job(const struct options *o, const char *program, const char *only,
                       const char *skip, int *lines)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    fflush(NULL);
    pid_t job_process = fork();
    if (job_process != 0) {
        close(ends[1]);
        *lines = ends[0];
        return job_process;
    }
    setpgid(0, 0);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    exec_job(o, program, only, skip);
    return -1;
}

/* Wait `seconds` for the launcher to exit, then kill it and its processes. */
static void end_launcher(pid_t process, double seconds)
{
    double limit = now() + seconds;
    while (waitpid(process, NULL, WNOHANG) == 0) {
        if (now() > limit + 3)
            kill(-process, SIGKILL);
        else if (now() > limit)
            kill(-process, SIGTERM);
        usleep(20000);
    }
}

/* Run one job.  only, skip: names of probes to run, and not to run. Returns whether all probes
 * ran. */
static bool run_job(const struct options *o, const char *program, const char *only,
                    const char *skip)
{
    struct keeper keeper;
    int lines;
    pid_t process = start_job(o, program, only, skip, &lines);
    if (process < 0) return false;
    keeper_start(&keeper, lines, deliver);
    keeper.other_lines = true;
    keeper.spare = SPARE_SECONDS;
    enum keeper_reason why = keeper_watch(&keeper, &signalled, -1);
    keeper_fail(&keeper, why == KEEPER_TIME ? "hangs: not done in its time"
                                            : "the job ended without a word");
    end_launcher(process, why == KEEPER_CLOSED ? 10 : 0);
    close(lines);
    return keeper.ended;
}

/* ---------------------------------------------------------------- all jobs --------- */

/* List the probes that have a row or need a job without threads in `done`; returns how many are
 * left. */
static int list_done(const struct options *o, char *done)
{
    int left = 0;
    done[0] = '\0';
    for (const struct probe *p = probe_first(); p; p = probe_after(p)) {
        bool has = table_has(p->name) || (!plain && options_lists(plain_list, p->name));
        if (!worker_wants(o, p)) has = true;
        if (has) append(done, p->name);
        left += !has;
    }
    return left;
}

/* Run jobs until all selected probes (of `only`, unless it is empty) have a row, or two jobs add
 * none. */
static void run_jobs(const struct options *o, const char *program, const char *only)
{
    static char done[LIST_ROOM];
    int left = list_done(o, done), idle = 0;
    for (int jobs = 0; left > 0 && jobs < MOST_JOBS && idle < 2 && !signalled; jobs++) {
        bool complete = run_job(o, program, only, done);
        int before = left;
        left = list_done(o, done);
        if (complete) return;
        idle = left < before ? 0 : idle + 1;
    }
}

int drive(const struct options *options, const char *program)
{
    struct options o = *options;
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = '\0';
        program = self;
    }
    if (!o.launch) o.launch = "mpiexec -n 2";
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    printf("armci-doctor: jobs by: %s\n", o.launch);
    table_start(&o);
    run_jobs(&o, program, o.only ? o.only : "");
    plain = plain_list[0] != '\0';
    if (plain) run_jobs(&o, program, plain_list);
    if (!table_has("start")) {
        fprintf(stderr, "armci-doctor: no job could be run by: %s\n", o.launch);
        return 2;
    }
    for (const struct probe *p = probe_first(); p; p = probe_after(p))
        if (worker_wants(&o, p)) table_untried(p->name);
    return table_end(NULL);
}
