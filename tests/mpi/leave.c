/* leave.c - the last rank leaves the program in some way while the others wait for it in some way;
 * or all end well.
 *
 * leave plain: MPI alone. leave WAY [PLACE [contact]]: the tables below; with `contact`, after
 * operations of all ranks on all. Prints "leaves" when the last rank is about to leave.
 * LEAVE_MPI_TO_ARMCI=1: ARMCI starts MPI. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <armcix.h>
#include <message.h>

#include "nodes.h"
#include "pretended_nodes.h"

enum { PIECE = 1 << 20, PATIENCE = 20 };

static int rank, ranks, leaver;
static void *base[64];
static char *local;

/* A launcher that ends the job may lose what it has not read from a pipe. */
static void announce(void)
{
    struct timeval now;
    int unread;
    gettimeofday(&now, NULL);
    printf("leaves at %ld.%06ld\n", (long)now.tv_sec, (long)now.tv_usec);
    fflush(stdout);
    while (ioctl(STDOUT_FILENO, FIONREAD, &unread) == 0 && unread > 0)
        usleep(1000);
}

/* ---- places ---- */

static void in_barrier(int target)
{
    (void)target;
    ARMCI_Barrier();
}

static void in_lock(int target)
{
    ARMCI_Lock(0, target);
    ARMCI_Unlock(0, target);
}

static void in_put(int target)
{
    ARMCI_Put(local, base[target], PIECE, target);
    ARMCI_Fence(target);
}

static void in_get(int target)
{
    ARMCI_Get(base[target], local, PIECE, target);
}

static void in_acc(int target)
{
    int one = 1;
    ARMCI_Acc(ARMCI_ACC_INT, &one, local, base[target], PIECE, target);
    ARMCI_Fence(target);
}

static void in_rmw(int target)
{
    long old;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, base[target], 1, target);
}

static void in_malloc(int target)
{
    void *more[64];
    (void)target;
    ARMCI_Malloc(more, PIECE);
    ARMCI_Free(more[rank]);
}

static void in_group(int target)
{
    ARMCI_Group group;
    int list[64];
    (void)target;
    for (int i = 0; i < ranks; i++)
        list[i] = i;
    ARMCI_Group_create(ranks, list, &group);
    ARMCI_Group_free(&group);
}

static void in_notify(int target)
{
    int value;
    if (rank != leaver) armci_notify_wait(target, &value);
}

static void in_mpi(int target)
{
    (void)target;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void in_sum(int target)
{
    int one = 1;
    (void)target;
    armci_msg_igop(&one, 1, "+");
}

static void in_nothing(int target)
{
    (void)target;
}

static void in_finalize(int target)
{
    (void)target;
    ARMCI_Finalize();
}

static const struct place {
    const char *name;
    void (*wait)(int target);
} places[] = {{"barrier", in_barrier},  {"lock", in_lock},   {"put", in_put},
              {"get", in_get},          {"acc", in_acc},     {"rmw", in_rmw},
              {"malloc", in_malloc},    {"group", in_group}, {"notify", in_notify},
              {"mpi", in_mpi},          {"sum", in_sum},     {"compute", in_nothing},
              {"finalize", in_finalize}};
static const struct place *place;

static void wait_in_place(int target)
{
    double until = MPI_Wtime() + PATIENCE;
    while (MPI_Wtime() < until)
        for (int i = 0; i < ranks; i++)
            place->wait((target + i) % ranks);
}

/* ---- ways ---- */

static void by_exit(void)
{
    announce();
    exit(0);
}

static void by_exit_3(void)
{
    announce();
    exit(3);
}

static void by_exit_256(void)
{
    announce();
    exit(256);
}

static void by_underscore_exit(void)
{
    announce();
    _exit(0);
}

static void by_underscore_exit_3(void)
{
    announce();
    _exit(3);
}

static void by_capital_exit(void)
{
    announce();
    _Exit(0);
}

static void by_quick_exit(void)
{
    announce();
    quick_exit(0);
}

static void by_system_call(void)
{
    announce();
    syscall(SYS_exit_group, 0);
}

static void handle_by_exit(int number)
{
    (void)number;
    by_exit();
}

static void handle_by_underscore_exit(int number)
{
    (void)number;
    by_underscore_exit();
}

static void alarm_soon(void (*handler)(int))
{
    struct itimerval soon = {.it_value = {.tv_usec = 100000}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void handle_by_kill(int number)
{
    (void)number;
    announce();
    raise(SIGKILL);
}

/* In the middle of a call, in the library or in MPI. */
static void by_handler(void)
{
    alarm_soon(handle_by_exit);
    wait_in_place(0);
}

static void by_handler_kill(void)
{
    alarm_soon(handle_by_kill);
    wait_in_place(0);
}

static void by_handler_underscore(void)
{
    alarm_soon(handle_by_underscore_exit);
    wait_in_place(0);
}

static _Thread_local int signal_in_progress;

/* In place of UCX's, which MPICH calls with its lock. */
unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    if (!progress) *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (signal_in_progress) raise(signal_in_progress);
    return progress(worker);
}

static void interrupt_mpi(void (*handler)(int))
{
    int flag;
    signal(SIGUSR2, handler);
    signal_in_progress = SIGUSR2;
    MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    handler(SIGUSR2); /* without UCX */
}

static void by_exit_in_mpi(void)
{
    interrupt_mpi(handle_by_exit);
}

static void handle_by_error(int number)
{
    announce();
    ARMCI_Error("a signal", number);
}

static void by_error_in_mpi(void)
{
    interrupt_mpi(handle_by_error);
}

static void *exit_soon(void *unused)
{
    usleep(100000);
    by_exit();
    return unused;
}

static void by_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, exit_soon, NULL);
    wait_in_place(0);
}

static void by_lock_holder(void)
{
    ARMCI_Lock(0, rank);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(50000);
    by_exit();
}

static void by_nonblocking_put(void)
{
    for (int i = 0; i < 8; i++)
        ARMCI_NbPut(local, base[0], PIECE, 0, NULL);
    by_exit();
}

static void by_cleanup(void)
{
    ARMCI_Cleanup();
    announce();
    exit(4);
}

static void by_error(void)
{
    announce();
    ARMCI_Error("input is not readable", 7);
}

static void by_mpi_abort(void)
{
    announce();
    MPI_Abort(MPI_COMM_WORLD, 9);
}

static void by_mpi_error(void)
{
    announce();
    MPI_Send(local, 1, MPI_CHAR, ranks, 0, MPI_COMM_WORLD);
}

static void by_abort(void)
{
    announce();
    abort();
}

static void by_kill(void)
{
    announce();
    raise(SIGKILL);
}

static void by_fault(void)
{
    announce();
    raise(SIGSEGV);
}

static void by_term(void)
{
    announce();
    raise(SIGTERM);
}

static void by_return(void)
{
    announce();
}

static const struct {
    const char *name;
    void (*leave)(void);
    bool others_stay_away;
} ways[] = {{"exit", by_exit, false},
            {"exit3", by_exit_3, false},
            {"exit256", by_exit_256, false},
            {"_exit", by_underscore_exit, false},
            {"_exit3", by_underscore_exit_3, false},
            {"_Exit", by_capital_exit, false},
            {"quick_exit", by_quick_exit, false},
            {"system-call", by_system_call, false},
            {"handler", by_handler, true},
            {"handler-_exit", by_handler_underscore, true},
            {"handler-kill", by_handler_kill, false},
            {"exit-in-mpi", by_exit_in_mpi, false},
            {"error-in-mpi", by_error_in_mpi, false},
            {"thread", by_thread, true},
            {"lock-holder", by_lock_holder, false},
            {"nonblocking-put", by_nonblocking_put, false},
            {"cleanup", by_cleanup, false},
            {"error", by_error, false},
            {"mpi-abort", by_mpi_abort, false},
            {"mpi-error", by_mpi_error, false},
            {"abort", by_abort, false},
            {"kill", by_kill, false},
            {"segv", by_fault, false},
            {"term", by_term, false},
            {"return", by_return, false}};

/* ---- good ends ---- */

static void end_all(void)
{
    ARMCI_Finalize();
    MPI_Finalize();
}

static void end_a_child(void (*end)(int))
{
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) end(0);
    while (waitpid(child, &status, 0) < 0)
        continue;
    if (status != 0) printf("WRONG: a child of fork ended with %#x\n", (unsigned)status);
}

static void with_children(void)
{
    end_a_child(exit);
    end_a_child(_exit);
    end_a_child(quick_exit);
    if (system("exit 0") != 0) puts("WRONG: system");
    ARMCI_Barrier();
    ARMCI_Finalize();
    end_a_child(exit);
    ARMCI_Init();
    end_a_child(exit);
    ARMCI_Barrier();
    ARMCI_Finalize();
    end_a_child(exit);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!getenv("LEAVE_MPI_TO_ARMCI")) MPI_Finalize();
}

static void forgotten(void)
{
    MPI_Finalize();
}

static void too_often(void)
{
    ARMCI_Finalize();
    if (ARMCI_Finalize() != 0) puts("WRONG: a second ARMCI_Finalize");
    MPI_Finalize();
    if (ARMCI_Finalize() != 0) puts("WRONG: a third ARMCI_Finalize");
}

/* One process calls MPI while the others are in MPI_Finalize. */
static void late(void)
{
    int flag;
    ARMCI_Finalize();
    for (double until = MPI_Wtime() + 0.3; rank == leaver && MPI_Wtime() < until;)
        MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Finalize();
}

static void at_exit(void)
{
    atexit(end_all);
}

static bool ends_in_destructor;
__attribute__((destructor)) static void end_in_destructor(void)
{
    if (ends_in_destructor) end_all();
}

static void in_destructor(void)
{
    ends_in_destructor = true;
}

static const struct {
    const char *name;
    void (*end)(void);
} good_ends[] = {{"good", end_all},
                 {"children", with_children},
                 {"forgotten", forgotten},
                 {"too-often", too_often},
                 {"late", late},
                 {"at-exit", at_exit},
                 {"in-destructor", in_destructor}};

/* ---- the job ---- */

static bool first_contact; /* before the last rank leaves */

static void start(void)
{
    ARMCI_Init_thread(MPI_THREAD_MULTIPLE);
    need_pretended_nodes();
    rank = armci_msg_me();
    ranks = armci_msg_nproc();
    leaver = ranks - 1;
    local = calloc(1, PIECE);
    ARMCI_Malloc(base, PIECE);
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    if (!first_contact) return;
    for (int i = 0; i < ranks; i++) {
        in_put(i);
        in_get(i);
        in_acc(i);
        in_rmw(i);
        in_lock(i);
    }
    ARMCI_Barrier();
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int level;
    first_contact = argc > 3 && strcmp(argv[3], "contact") == 0;
    for (size_t i = 0; argc > 2 && i < sizeof places / sizeof *places; i++)
        if (strcmp(places[i].name, argv[2]) == 0) place = &places[i];
    if (!getenv("LEAVE_MPI_TO_ARMCI")) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (strcmp(way, "plain") == 0) return MPI_Finalize();
    start();
    for (size_t i = 0; i < sizeof good_ends / sizeof *good_ends; i++) {
        if (strcmp(good_ends[i].name, way) != 0) continue;
        good_ends[i].end();
        return 0;
    }
    if (strcmp(way, "all-return") == 0) {
        announce();
        return 0;
    }
    for (size_t i = 0; place && i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].name, way) != 0) continue;
        if (rank == leaver) {
            ways[i].leave();
            return 0;
        }
        if (strcmp(way, "lock-holder") == 0) MPI_Barrier(MPI_COMM_WORLD);
        if (ways[i].others_stay_away) sleep(PATIENCE);
        wait_in_place(leaver);
        return 0;
    }
    fprintf(stderr, "usage: leave WAY PLACE [contact]\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 2;
}
