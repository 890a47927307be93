/* place.c - where each process is: in a file that all share, and on standard error when a program hangs or crashes. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run.h"

enum { LINE = 128, EXIT_HANG = 3, EXIT_CRASH = 4 };

static char own[LINE], *line = own; /* this process's line */
static int rank, seconds;
static unsigned long program;

static void write_line(const char *head)
{
    char text[2 * LINE];
    int n = snprintf(text, sizeof text, "armci-random: %s: %.*s\n", head, LINE - 1, line);
    if (write(STDERR_FILENO, text, (size_t)n) < 0) _exit(EXIT_CRASH);
}

/* The others are late by little: let them say where they are before the first one's end takes the job down. */
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
    if (ftruncate(file, (off_t)ranks * LINE) == 0) all = mmap(NULL, (size_t)(ranks * LINE), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (all != MAP_FAILED) line = all + rank * LINE;
}

void place_begin(MPI_Comm comm, const char *path, int hang)
{
    MPI_Comm_rank(comm, &rank);
    seconds = hang;
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
    alarm((unsigned)seconds);
    place_set(0, 0, 0, "begin");
}

void place_set(int phase, long unit, long sequence, const char *what)
{
    int n = snprintf(line, LINE, "seed %lu phase %d rank %d unit %ld operation %ld %s", program, phase, rank, unit, sequence, what);
    memset(line + n, ' ', (size_t)(LINE - 1 - n));
    line[LINE - 1] = line == own ? '\0' : '\n';
}
