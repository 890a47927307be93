/* supervise.c - one rank of a job: the child runs the probes; if it crashes or hangs, the keeper
 * reports it.
 *
 * The launcher knows only the keeper, so it does not end the job if a child dies, and rank 0 can
 * print its table. */
#include "options.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "environment.h"
#include "keeper.h"
#include "probe.h"
#include "table.h"
#include "worker.h"

/* The other ranks wait longer than rank 0, so that rank 0 reports. */
enum { OTHERS_SECONDS = 4, FINALIZE_SECONDS = 6 };

static struct {
    volatile sig_atomic_t signal;                                /* that asks to end; 0: none */
    char own_address[ADDRESS_ROOM], first_address[ADDRESS_ROOM]; /* of keepers: this, rank 0's */
    bool streaming;
    struct keeper keeper;
} supervisor;

static void on_signal(int number)
{
    supervisor.signal = number;
}

/* ---------------------------------------------------------------- peers ------------ */

/* How the keeper of rank 0 learns that the process of another rank died: that rank's keeper
 * connects over TCP.  If it cannot connect, the time limit of the probe applies. */

/* Listen for other keepers; the descriptor, or -1. */
static int peer_listen(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0) return -1;
    if (bind(s, (struct sockaddr *)&any, sizeof any) == 0 && listen(s, 16) == 0) return s;
    close(s);
    return -1;
}

/* The addresses of this node, the loopback address last. */
static void list_addresses(char *text, size_t size)
{
    struct ifaddrs *all, *i;
    size_t used = 0;
    text[0] = '\0';
    if (getifaddrs(&all) != 0) return;
    for (int loop = 0; loop < 2; loop++)
        for (i = all; i; i = i->ifa_next) {
            char name[INET_ADDRSTRLEN];
            if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET) continue;
            struct in_addr a = ((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr;
            if ((ntohl(a.s_addr) >> 24 == 127) != loop || used + sizeof name > size) continue;
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "",
                                     inet_ntop(AF_INET, &a, name, sizeof name));
        }
    freeifaddrs(all);
}

/* The address of a listening descriptor: "ADDRESS,ADDRESS PORT TOKEN".  The token excludes
 * strangers. */
static void peer_address(int listening, char *text, size_t size)
{
    char addresses[ADDRESS_ROOM - 60];
    struct sockaddr_in own = {0};
    socklen_t length = sizeof own;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    list_addresses(addresses, sizeof addresses);
    if (listening < 0 || getsockname(listening, (struct sockaddr *)&own, &length) != 0 ||
        !addresses[0])
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%s %d %lx%lx", addresses, ntohs(own.sin_port),
                 (unsigned long)t.tv_nsec * 2654435761u, (unsigned long)getpid());
}

static int connect_to(const char *name, int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    struct timeval second = {.tv_sec = 1};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0) return -1;
    setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second); /* bounds connect, too */
    if (inet_pton(AF_INET, name, &to.sin_addr) == 1 &&
        connect(s, (struct sockaddr *)&to, sizeof to) == 0)
        return s;
    close(s);
    return -1;
}

/* Send the text to the keeper at that address; no effect if it cannot be reached within a second.
 */
static void peer_send(const char *address, const char *text)
{
    char addresses[ADDRESS_ROOM], token[64], message[ADDRESS_ROOM], *rest;
    int port;
    if (sscanf(address, "%339s %d %63s", addresses, &port, token) != 3) return;
    int n = snprintf(message, sizeof message, "%s %s\n", token, text);
    for (char *name = strtok_r(addresses, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        int s = connect_to(name, port);
        if (s < 0) continue;
        ssize_t sent = send(s, message, (size_t)n, MSG_NOSIGNAL);
        close(s);
        if (sent == n) return;
    }
}

/* Receive a text after a connection; "" if it is not from a keeper of this job. */
static void peer_receive(int listening, const char *address, char *text, size_t size)
{
    char token[64], message[ADDRESS_ROOM];
    text[0] = '\0';
    int s = accept(listening, NULL, NULL);
    if (s < 0) return;
    struct pollfd p = {.fd = s, .events = POLLIN};
    ssize_t n = poll(&p, 1, 1000) == 1 ? recv(s, message, sizeof message - 1, 0) : 0;
    close(s);
    if (n <= 0 || sscanf(address, "%*s %*d %63s", token) != 1) return;
    message[n] = '\0';
    size_t k = strlen(token);
    if (strncmp(message, token, k) == 0 && message[k] == ' ')
        snprintf(text, size, "%.*s", (int)strcspn(message + k + 1, "\n"), message + k + 1);
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

/* Only rank 0 prints. */
static void deliver(const struct line *l)
{
    if (strcmp(l->field[0], "meet") == 0)
        snprintf(supervisor.first_address, sizeof supervisor.first_address, "%s", l->field[1]);
    if (strcmp(l->field[0], "rank") == 0 && supervisor.keeper.rank > 0)
        supervisor.keeper.spare = OTHERS_SECONDS;
    if (supervisor.keeper.rank > 0 || strcmp(l->field[0], "meet") == 0) return;
    if (supervisor.streaming)
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
    exit(worker_run(o, supervisor.own_address));
}

/* Wait `seconds` for the child to exit, else kill it; describe how it ended. */
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

/* The report of another rank's keeper within that time, or "". */
static void receive_report(int listening, int milliseconds, char *how, size_t size)
{
    struct pollfd p = {.fd = listening, .events = POLLIN};
    how[0] = '\0';
    if (listening >= 0 && poll(&p, 1, milliseconds) == 1)
        peer_receive(listening, supervisor.own_address, how, size);
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
        receive_report(listening, 300, how,
                       size); /* the launcher may have noticed the death of a rank first */
        if (!how[0])
            snprintf(how, size, "the launcher ended the job (%s)", strsignal(supervisor.signal));
        return;
    case KEEPER_PEER:
        receive_report(listening, 0, how, size);
        if (how[0]) bury(child, 0, end, sizeof end);
        return;
    default:
        bury(child, 2, end, sizeof end);
        snprintf(how, size, "rank %d %s", supervisor.keeper.rank < 0 ? 0 : supervisor.keeper.rank,
                 end);
    }
}

/* Add rows for the selected probes that were not tried. */
static void add_untried(const struct options *o)
{
    for (const struct probe *p = probe_first(); p; p = probe_after(p))
        if (worker_wants(o, p)) table_untried(p->name);
}

static int end_job(const struct options *o, const char *probe)
{
    char hint[300] = "";
    if (supervisor.streaming) return 0;
    if (supervisor.keeper.alone) return 2;
    if (!supervisor.keeper.ended) {
        add_untried(o);
        snprintf(hint, sizeof hint,
                 "To go on: the same command with --skip=%s%s%s, or armci-doctor "
                 "--launch=\"mpiexec -n 2\", which goes "
                 "on by itself.",
                 o->skip ? o->skip : "", o->skip ? "," : "", probe[0] ? probe : "NAME");
    }
    return table_end(hint[0] ? hint : NULL);
}

/* Ranks other than 0: report to rank 0, then stay until rank 0 has printed: the launcher might end
 * the job earlier. */
static int end_other(const char *probe, const char *how)
{
    char text[300];
    if (supervisor.keeper.ended || supervisor.signal) return 0;
    snprintf(text, sizeof text, "%s", how);
    fprintf(stderr, "armci-doctor: %s in probe %s\n", how, probe[0] ? probe : "(start)");
    peer_send(supervisor.first_address, text);
    double limit = supervisor.keeper.deadline < now() + 6 ? now() + 6 : supervisor.keeper.deadline;
    while (now() < limit && !supervisor.signal)
        usleep(50000);
    return 0;
}

static void catch_signals(void)
{
    signal(SIGTERM, on_signal);
    signal(SIGINT, on_signal);
    signal(SIGHUP, on_signal);
    signal(SIGPIPE, SIG_IGN);
}

/* Supervise the child until it has finished or failed; *how describes the failure, or is "". */
static void watch(pid_t child, int listening, char *how, size_t size)
{
    enum keeper_reason why;
    how[0] = '\0';
    do {
        why = keeper_watch(&supervisor.keeper, &supervisor.signal,
                           supervisor.keeper.rank == 0 ? listening : -1);
        if (supervisor.keeper.ended) {
            char end[200];
            bury(child, FINALIZE_SECONDS, end,
                 sizeof end); /* MPI_Finalize may hang, after all results are written */
            return;
        }
        say_why(why, child, listening, how, size);
    } while (why == KEEPER_PEER && !how[0]);
}

int supervise(const struct options *o)
{
    char how[ADDRESS_ROOM], probe[64];
    int lines = -1, listening = peer_listen();
    supervisor.streaming = o->stream;
    catch_signals();
    peer_address(listening, supervisor.own_address, sizeof supervisor.own_address);
    pid_t child = start_child(o, listening, &lines);
    if (child < 0) {
        perror("armci-doctor: fork");
        return 2;
    }
    keeper_start(&supervisor.keeper, lines, deliver);
    supervisor.keeper.rank = environment_rank();
    if (supervisor.keeper.rank == 0 && !supervisor.streaming) table_start(o);
    watch(child, listening, how, sizeof how);
    snprintf(probe, sizeof probe, "%s", supervisor.keeper.probe);
    if (supervisor.keeper.rank > 0) return end_other(probe, how);
    keeper_fail(&supervisor.keeper, how);
    return end_job(o, probe);
}
