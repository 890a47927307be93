/* main.c - programs one after the other, until their number or the time is reached. */
#include <armcix.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../mpi/nodes.h"
#include "options.h"
#include "run.h"

/* ---- where each process is: in a file that all share, and on standard error when a program hangs
 * or crashes ---- */

enum { LINE = 128, EXIT_HANG = 3, EXIT_CRASH = 4 };

static char own[LINE], *line = own; /* this process's line */
static int place_rank, hang_seconds;
static unsigned long program;

static void write_line(const char *head)
{
    char text[2 * LINE];
    int n = snprintf(text, sizeof text, "armci-random: %s: %.*s\n", head, LINE - 1, line);
    if (write(STDERR_FILENO, text, (size_t)n) < 0) _exit(EXIT_CRASH);
}

/* The others are late by little: let them say where they are before the first one's end takes the
 * job down. */
static void on_alarm(int signal)
{
    (void)signal;
    write_line("HANG");
    sleep(2);
    _exit(EXIT_HANG);
}

static void on_crash(int number)
{
    write_line("CRASH");
    signal(number, SIG_DFL);
    raise(number);
}

static void map_file(MPI_Comm comm, const char *path)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0) return;
    char *all = MAP_FAILED;
    if (ftruncate(file, (off_t)ranks * LINE) == 0)
        all = mmap(NULL, (size_t)(ranks * LINE), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (all != MAP_FAILED) line = all + place_rank * LINE;
}

void place_begin(MPI_Comm comm, const char *path, int hang)
{
    MPI_Comm_rank(comm, &place_rank);
    hang_seconds = hang;
    if (path) map_file(comm, path);
    signal(SIGALRM, on_alarm);
    signal(SIGSEGV, on_crash);
    signal(SIGBUS, on_crash);
    signal(SIGFPE, on_crash);
    signal(SIGABRT, on_crash);
}

void place_program(uint64_t seed)
{
    program = seed;
    alarm((unsigned)hang_seconds);
    place_set(0, 0, 0, "begin");
}

void place_set(int phase, long unit, long sequence, const char *what)
{
    int n = snprintf(line, LINE, "seed %lu phase %d rank %d unit %ld operation %ld %s", program,
                     phase, place_rank, unit, sequence, what);
    memset(line + n, ' ', (size_t)(LINE - 1 - n));
    line[LINE - 1] = line == own ? '\0' : '\n';
}

/* ---- programs ---- */

/* What the library at hand does not have is left out, and what MPI does not promise where it moves
 * the data of a node: it may copy an element in parts (seen with MPICH 5). */
static void leave_out_missing(void)
{
    const char *shm = getenv("ARMCI_SHM");
    if (shm && strcmp(shm, "no") == 0) options_leave_out(FAMILY_WHOLE);
    if (!armci_notify || !armci_notify_wait) options_leave_out(FAMILY_NOTIFY);
    if (!ARMCI_GroupFence) options_leave_out(FAMILY_GROUP_FENCE);
}

/* Rank 0's clock decides for all. */
static bool is_over(struct run *run, long programs, double begun)
{
    int over = options->programs > 0 && programs >= options->programs;
    if (options->seconds > 0 && MPI_Wtime() - begun >= options->seconds) over = 1;
    MPI_Bcast(&over, 1, MPI_INT, 0, run->comm);
    return over;
}

static void summary(struct run *run, long programs, double seconds)
{
    long mine[2] = {run->operations, run->bytes}, all[2];
    int rank;
    MPI_Comm_rank(run->comm, &rank);
    MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, run->comm);
    if (rank != 0) return;
    printf("armci-random: %ld programs passed, %ld operations, %.1f MB compared, %.1f s, %.0f "
           "operations per second\n",
           programs, all[0], (double)all[1] / 1e6, seconds, (double)all[0] / seconds);
    fflush(stdout);
}

static void run_all(struct run *run)
{
    double begun = MPI_Wtime();
    long programs = 0;
    for (; !is_over(run, programs, begun); programs++)
        for (int i = 0; i < options->repeat; i++)
            run_program(run, options->seed + (uint64_t)programs);
    summary(run, programs * options->repeat, MPI_Wtime() - begun);
}

int main(int argc, char **argv)
{
    struct run run = {0};
    int rank, ranks, status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bool go = options_read(argc, argv, rank == 0, &status);
    if (go && ranks > MAX_RANKS) {
        if (rank == 0) fprintf(stderr, "armci-random: at most %d processes\n", MAX_RANKS);
        go = false;
        status = 2;
    }
    if (!go) {
        MPI_Finalize();
        return status;
    }
    leave_out_missing();
    if (options->list) {
        if (rank == 0) print_program(stdout, options->seed, ranks);
        MPI_Finalize();
        return 0;
    }
    ARMCI_Init();
    need_pretended_nodes();
    MPI_Comm_dup(ARMCIX_Get_world_comm(), &run.comm);
    place_begin(run.comm, options->state, options->hang);
    run_all(&run);
    free(run.outcome);
    free(run.getting);
    ARMCI_Finalize();
    MPI_Comm_free(&run.comm);
    MPI_Finalize();
    return 0;
}
