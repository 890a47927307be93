/* test_progress_rank.c - ARMCI_PROGRESS=rank: the last ranks of each node (ARMCI_PROGRESS_RANKS of
 * them) serve the memory of the others and are not members of the program's world.
 *
 * test_progress_rank.mpi [--how=NAME]: one life of a program (below); rank 0 says what came of it.
 * Progress ranks never come back from the start, so what they may not do is not done: there is
 * nothing about them in here. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <armcix.h>
#include <message.h>
#include "../../tools/lib/clock.h"

enum { DOUBLES = 1000, MAX_RANKS = 64 };

static int me, n;              /* in the program's world */
static int all_ranks;          /* of MPI_COMM_WORLD, half of them on each node */
static int progress_ranks;     /* of each node */
static long pid_of[MAX_RANKS]; /* of MPI_COMM_WORLD */
static int errors;

static void check(int ok, const char *what)
{
    if (ok) return;
    errors++;
    printf("rank %d: wrong: %s\n", me, what);
    fflush(stdout);
}

/* No call into MPI or ARMCI. */
static void compute(double seconds)
{
    for (double until = now() + seconds; now() < until;)
        ;
}

static int threads_here(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    while (tasks && readdir(tasks))
        count++;
    closedir(tasks);
    return count;
}

/* Everything that says who there is says the same: the progress ranks of the two nodes are missing.
 */
static void check_world(void)
{
    int size, rank, in_domains = 0;
    ARMCI_Group group;
    me = armci_msg_me();
    n = armci_msg_nproc();
    check(n == all_ranks - 2 * progress_ranks, "armci_msg_nproc");
    check(me >= 0 && me < n, "armci_msg_me");
    MPI_Comm_size(ARMCIX_Get_world_comm(), &size);
    MPI_Comm_rank(ARMCIX_Get_world_comm(), &rank);
    check(size == n && rank == me, "ARMCIX_Get_world_comm");
    ARMCI_Group_get_world(&group);
    ARMCI_Group_size(&group, &size);
    ARMCI_Group_rank(&group, &rank);
    check(size == n && rank == me, "the world group");
    MPI_Comm_size(armci_group_comm(&group), &size);
    check(size == n, "the communicator that Global Arrays takes");
    check(armci_domain_count(ARMCI_DOMAIN_SMP) == 2, "armci_domain_count");
    for (int d = 0; d < 2; d++)
        in_domains += armci_domain_nprocs(ARMCI_DOMAIN_SMP, d);
    check(in_domains == n, "armci_domain_nprocs");
}

static void put_and_get(void **base)
{
    double value[DOUBLES], back[DOUBLES];
    int right = (me + 1) % n;
    for (int i = 0; i < DOUBLES; i++)
        value[i] = 1000.0 * me + i;
    ARMCI_Put(value, base[right], sizeof value, right);
    ARMCI_Get(base[right], back, sizeof back, right);
    check(memcmp(value, back, sizeof value) == 0, "what was put comes back");
    ARMCI_Barrier();
    check(((double *)base[me])[DOUBLES - 1] == 1000.0 * ((me + n - 1) % n) + DOUBLES - 1,
          "what the neighbour put is here");
    ARMCI_Barrier();
}

static void count_under_locks(void **base)
{
    long old, mine;
    memset(base[me], 0, 2 * sizeof(long));
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    for (int i = 0; i < 50; i++) {
        int p = (me + i) % n;
        long *there = base[p];
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there, 1, p);
        ARMCI_Lock(0, p);
        ARMCI_Get(there + 1, &mine, sizeof mine, p);
        mine++;
        ARMCI_Put(&mine, there + 1, sizeof mine, p);
        ARMCI_Fence(p);
        ARMCI_Unlock(0, p);
    }
    ARMCI_Barrier();
    long counted[2] = {((long *)base[me])[0], ((long *)base[me])[1]};
    armci_msg_lgop(counted, 2, "+");
    check(counted[0] == 50L * n, "fetch-and-adds");
    check(counted[1] == 50L * n, "counted under locks");
    ARMCI_Destroy_mutexes();
}

static void work_while_another_computes(void **base)
{
    int last = n - 1;
    long old, *there = base[last];
    *(long *)base[me] = 0;
    ARMCI_Barrier();
    if (me == last) compute(1.0);
    if (me == 0) {
        compute(0.1); /* the other has left the barrier */
        double begun = now();
        for (int i = 0; i < 10; i++)
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there, 1, last);
        check(old == 9, "fetch-and-add while the target computes");
        check(now() - begun < 0.6, "the target computes, and is waited for");
    }
    ARMCI_Barrier();
}

/* The process number of the progress rank that serves this process. */
static long pid_of_server(void)
{
    int rank, half = all_ranks / 2, program = half - progress_ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int served = rank % half, node = rank - served;
    return pid_of[node + program + served * progress_ranks / program];
}

static char state_of(long pid)
{
    char name[64], line[300], state = '?';
    snprintf(name, sizeof name, "/proc/%ld/stat", pid);
    FILE *f = fopen(name, "r");
    if (f && fgets(line, sizeof line, f) && strrchr(line, ')')) state = strrchr(line, ')')[2];
    if (f) fclose(f);
    return state;
}

static void stop(long pid)
{
    kill((pid_t)pid, SIGSTOP);
    while (state_of(pid) != 'T')
        ;
}

/* Every kind of request to a process whose server runs completes, fences included; a get from one
 * whose server is stopped does not. */
static void work_beside_stopped_server(void **base, int stopped, long server, int other)
{
    long seen = 0, old, one = 1, *there = base[other], *far = base[stopped];
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    stop(server);
    ARMCI_NbGet(far, &seen, sizeof seen, stopped, &handle);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there, 1, other);
    ARMCI_Lock(0, other);
    ARMCI_Unlock(0, other); /* completes all that was put so far */
    ARMCI_Put(&one, far + 1, sizeof one, stopped);
    ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, there, sizeof one, other);
    ARMCI_Fence(other);
    ARMCI_Get(there, &old, sizeof old, other);
    check(old == 1002 + other,
          "requests to a process while the server of its neighbour is stopped");
    check(ARMCI_Test(&handle) == 1 && seen == 0, "a get whose server is stopped is not complete");
    kill((pid_t)server, SIGCONT);
    ARMCI_Wait(&handle);
    check(seen == 1000 + stopped, "a get whose server was stopped");
    ARMCI_Get(far + 1, &seen, sizeof seen, stopped);
    check(seen == 1, "a put whose server was stopped");
}

/* Two neighbours on the node of the last process have a progress rank each. */
static void serve_apart(void)
{
    void *base[MAX_RANKS];
    long pid = pid_of_server(), servers[MAX_RANKS], value;
    MPI_Allgather(&pid, 1, MPI_LONG, servers, 1, MPI_LONG, ARMCIX_Get_world_comm());
    check(servers[n - 1] != servers[n - 2], "the last two processes have two servers");
    ARMCI_Malloc(base, 2 * sizeof(long));
    ARMCI_Create_mutexes(1);
    for (int stopped = n - 2; stopped < n; stopped++) {
        ((long *)base[me])[0] = 1000 + me;
        ((long *)base[me])[1] = 0;
        ARMCI_Barrier();
        if (me == 0) {
            for (int p = n - 2; p < n; p++)
                ARMCI_Get(base[p], &value, sizeof value, p); /* connects */
            work_beside_stopped_server(base, stopped, servers[stopped], 2 * n - 3 - stopped);
        }
        ARMCI_Barrier();
    }
    ARMCI_Destroy_mutexes();
    ARMCI_Free(base[me]);
}

/* Data that the first process asked for and does not look at: more than its own buffers and the
 * server's hold together. */
enum { ROWS = 32 << 10, ROW = 1 << 10 };

static void leave_gets_under_way(char *there, char *here)
{
    int far = 2 * ROW, near = ROW, count[2] = {ROW, ROWS};
    armci_hdl_t handle;
    double begun = now();
    ARMCI_GetS(there, &far, here, &near, count, 1, n - 1);
    double whole = now() - begun;
    memset(here, 0, (size_t)ROWS * ROW);
    ARMCI_INIT_HANDLE(&handle);
    begun = now();
    ARMCI_NbGetS(there, &far, here, &near, count, 1, n - 1, &handle);
    check(now() - begun < whole / 2, "a non-blocking get of much is waited for");
    compute(2.0);
    ARMCI_Wait(&handle);
    for (int i = 0; i < ROWS; i++)
        check(here[i * ROW] == (char)i && here[(i + 1) * ROW - 1] == (char)i,
              "a row of what was got meanwhile");
}

static void lock_again_and_again(void)
{
    double longest = 0;
    compute(0.2); /* the other has asked */
    for (double begun, until = now() + 1.0; now() < until;) {
        begun = now();
        ARMCI_Lock(0, n - 1);
        ARMCI_Unlock(0, n - 1);
        longest = now() - begun > longest ? now() - begun : longest;
    }
    check(longest < 0.5, "a mutex has to wait for a process that computes over its gets");
}

/* The server of the last process's node has both to serve. */
static void ask_beside_gets_under_way(void)
{
    void *base[MAX_RANKS];
    char *here = malloc((size_t)ROWS * ROW);
    ARMCI_Malloc(base, (size_t)ROWS * 2 * ROW);
    for (int i = 0; i < ROWS; i++)
        memset((char *)base[me] + (size_t)i * 2 * ROW, i, ROW);
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    if (me == 0) leave_gets_under_way(base[n - 1], here);
    if (me == n - 1) lock_again_and_again();
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(base[me]);
    free(here);
}

/* Mappings of ARMCI's memory in all processes of this program, the progress ranks too. */
static int mappings(void)
{
    char name[300], line[600], mine[300] = "", exe[300] = "";
    int count = 0;
    DIR *processes = opendir("/proc");
    if (readlink("/proc/self/exe", mine, sizeof mine - 1) < 0 || !processes) return -1;
    for (struct dirent *p = readdir(processes); p; p = readdir(processes)) {
        snprintf(name, sizeof name, "/proc/%.20s/exe", p->d_name);
        memset(exe, 0, sizeof exe);
        if (p->d_name[0] > '9' || readlink(name, exe, sizeof exe - 1) < 0 || strcmp(exe, mine) != 0)
            continue; /* self, too, is another name of one with a number */
        snprintf(name, sizeof name, "/proc/%.20s/maps", p->d_name);
        FILE *maps = fopen(name, "r");
        while (maps && fgets(line, sizeof line, maps))
            count += strstr(line, "memfd:armci") != NULL;
        if (maps) fclose(maps);
    }
    closedir(processes);
    return count;
}

/* Whoever serves the memory maps it again when it is freed, and keeps no more mappings. */
static void come_and_go(void)
{
    void *base[MAX_RANKS];
    int before = 0, after = 0;
    for (int round = 0; round < 3; round++) { /* first: what stays */
        armci_msg_barrier();
        if (me == 0) before = mappings();
        ARMCI_Barrier();
        ARMCI_Malloc(base, 4 << 20); /* in the zone of the arena */
        memset(base[me], 1, 4 << 20);
        ARMCI_Barrier();
        ARMCI_Free(base[me]);
        ARMCI_Barrier();
        compute(0.05); /* they need not be waited for */
        if (me == 0) after = mappings();
    }
    check(me != 0 || before > 0, "mappings are found");
    check(me != 0 || after == before, "a region that was freed leaves no mapping");
}

static void try_all(void)
{
    void *base[MAX_RANKS];
    check_world();
    if (progress_ranks > 1) serve_apart();
    ARMCI_Malloc(base, DOUBLES * sizeof(double));
    put_and_get(base);
    count_under_locks(base);
    work_while_another_computes(base);
    ARMCI_Free(base[me]);
    ask_beside_gets_under_way();
    come_and_go();
}

static void start_mpi(void)
{
    long pid = getpid();
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &all_ranks);
    MPI_Allgather(&pid, 1, MPI_LONG, pid_of, 1, MPI_LONG, MPI_COMM_WORLD);
}

/* Plain MPI_Init stays what it is, and no thread comes. */
static void usual(void)
{
    int level;
    start_mpi();
    MPI_Query_thread(&level);
    int threads = threads_here();
    ARMCI_Init();
    try_all();
    check(level == MPI_THREAD_SINGLE, "the thread level of MPI_Init");
    check(threads_here() == threads, "a thread of the library");
    ARMCI_Finalize();
    MPI_Finalize();
}

static void mpi_of_armci(void)
{
    ARMCI_Init();
    MPI_Comm_size(MPI_COMM_WORLD, &all_ranks);
    try_all();
    ARMCI_Finalize();
}

/* On the world again, on the program's processes in reverse order, on some of them (where nobody is
 * a server), and on all again. */
static void several_times(void)
{
    MPI_Comm reversed, some;
    int rank;
    start_mpi();
    ARMCI_Init();
    try_all();
    MPI_Comm_split(ARMCIX_Get_world_comm(), 0, -me, &reversed);
    MPI_Comm_split(ARMCIX_Get_world_comm(), me == 0 || me == n - 1 ? 0 : MPI_UNDEFINED, 0, &some);
    ARMCI_Finalize();
    compute(0.1);
    ARMCI_Init();
    try_all();
    ARMCI_Finalize();
    ARMCI_Init_mpi_comm(reversed);
    MPI_Comm_rank(reversed, &rank);
    try_all();
    check(me == rank, "process numbers are ranks of the communicator");
    ARMCI_Finalize();
    if (some != MPI_COMM_NULL && n > 2) {
        void *base[2];
        long one = 1;
        ARMCI_Init_mpi_comm(some);
        check(armci_msg_nproc() == 2, "a start on two processes");
        ARMCI_Malloc(base, sizeof(long));
        ARMCI_Put(&one, base[1 - armci_msg_me()], sizeof one, 1 - armci_msg_me());
        ARMCI_Barrier();
        check(*(long *)base[armci_msg_me()] == 1, "a put where nobody is a server");
        ARMCI_Barrier();
        ARMCI_Finalize();
    }
    ARMCI_Init();
    try_all();
    ARMCI_Finalize();
    MPI_Finalize();
}

static void end_by_error(void)
{
    start_mpi();
    ARMCI_Init();
    check_world();
    if (me == 0) {
        puts("expect-abort: ARMCI_Error: this ends all (code 3)");
        fflush(stdout);
        ARMCI_Error("this ends all", 3);
    }
    compute(60);
}

/* What cannot be had; the row says why. */
static void refused(const char *why)
{
    int rank;
    start_mpi();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("expect-abort: ARMCI_Init: ARMCI_PROGRESS = rank: %s\n", why);
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    ARMCI_Init();
    puts("ARMCI_Init returned");
}

static void few_ranks_on_a_node(void)
{
    refused("there must be two processes on each node for each progress rank");
}

static void no_memfd(void)
{
    refused("a progress rank serves memory that its node shares by memfd");
}

static void no_requests(void)
{
    refused("a progress rank serves requests");
}

static const struct {
    const char *name;
    void (*live)(void);
} lives[] = {
    {"usual", usual},
    {"mpi-of-armci", mpi_of_armci},
    {"several-times", several_times},
    {"error", end_by_error},
    {"few-ranks-on-a-node", few_ranks_on_a_node},
    {"no-memfd", no_memfd},
    {"no-requests", no_requests},
};

int main(int argc, char **argv)
{
    const char *ranks = getenv("ARMCI_PROGRESS_RANKS");
    progress_ranks = ranks ? atoi(ranks) : 1;
    const char *how = argc > 1 && strncmp(argv[1], "--how=", 6) == 0 ? argv[1] + 6 : "usual";
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        if (strcmp(lives[i].name, how) != 0) continue;
        lives[i].live();
        if (me == 0) printf("%d passed, %d failed, 0 skipped: %s\n", errors == 0, errors > 0, how);
        return errors > 0;
    }
    fprintf(stderr, "usage: %s [--how=NAME]\n", argv[0]);
    return 2;
}
