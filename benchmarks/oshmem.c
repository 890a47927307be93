/* oshmem.c - puts, gets and fetch-and-add of OpenSHMEM from PE 0 to PE 1, in rows named as those of
 * armci-bench: oshmem WORD --seconds S --json FILE, WORD latency, bandwidth or remote. Open MPI 4.1
 * crashes in shmem_finalize, so the program ends without it. */
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 16 << 20, SAMPLES = 100000 };

static char *remote, *local; /* LARGEST bytes, symmetric */
static long *sum, calls;     /* what PE 0 adds to, on PE 1; its additions */
static double times[SAMPLES];

static void put(size_t bytes, long count)
{
    for (long i = 0; i < count; i++)
        shmem_putmem(remote, local, bytes, 1);
    shmem_quiet();
}

static void put_quiet(size_t bytes, long count)
{
    for (long i = 0; i < count; i++)
        put(bytes, 1);
}

static void get(size_t bytes, long count)
{
    for (long i = 0; i < count; i++)
        shmem_getmem(local, remote, bytes, 1);
}

static void add(size_t bytes, long count)
{
    (void)bytes;
    calls += count;
    for (long i = 0; i < count; i++)
        shmem_long_atomic_fetch_add(sum, 1, 1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times of calls in batches of at least 2 ms, in order. */
static int sample(void (*run)(size_t, long), size_t bytes, double seconds)
{
    int count = 0;
    double end = now() + seconds * 1e9;
    for (long batch = 1; count < 5 || (now() < end && count < SAMPLES);) {
        double begin = now();
        run(bytes, batch);
        double time = now() - begin;
        if (time < 2e6)
            batch *= 2;
        else
            times[count++] = time / (double)batch;
    }
    qsort(times, (size_t)count, sizeof *times, ascending);
    return count;
}

/* What PE 1 has after a put, and PE 0 after a get; the sum of all additions. */
static bool is_right(void (*run)(size_t, long), size_t bytes)
{
    if (run == add) return shmem_long_g(sum, 1) == calls;
    if (run != get) {
        memset(local, 0, bytes);
        get(bytes, 1);
    }
    for (size_t i = 0; i < bytes; i++)
        if (local[i] != 0x5A) return false;
    return true;
}

/* PE 1 waits in a barrier, as in armci-bench. */
static void row(FILE *json, const char *word, const char *name, void (*run)(size_t, long),
                size_t bytes, double seconds)
{
    memset(local, run == get ? 0 : 0x5A, bytes);
    memset(remote, run == get ? 0x5A : 0, bytes);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        int count = sample(run, bytes, seconds);
        double median = times[count / 2];
        fprintf(json,
                "%s\n{\"group\": \"%s\", \"name\": \"%s\", \"valid\": %s, \"best_ns\": %.3f, "
                "\"median_ns\": %.3f, \"spread\": %.4f}",
                ftell(json) > 100 ? "," : "", word, name, is_right(run, bytes) ? "true" : "false",
                times[0], median, (times[count - 1 - count / 10] - times[count / 10]) / median);
    }
    shmem_barrier_all();
}

static void do_word(FILE *json, const char *word, double seconds)
{
    bool curve = strcmp(word, "bandwidth") == 0;
    char name[32];
    if (!curve) {
        row(json, word, "get 8 B", get, 8, seconds);
        row(json, word, "put 8 B + fence", put_quiet, 8, seconds);
        row(json, word, "rmw fetch-and-add long", add, 8, seconds);
    }
    for (size_t bytes = curve ? 1 << 10 : 64 << 10;
         bytes <= (curve ? LARGEST : 4 << 20) && strcmp(word, "latency") != 0; bytes *= 4) {
        bool mega = bytes >= 1 << 20;
        snprintf(name, sizeof name, "get %zu %s", bytes >> (mega ? 20 : 10), mega ? "MiB" : "KiB");
        row(json, word, name, get, bytes, seconds);
        memcpy(name, "put", 3);
        row(json, word, name, put, bytes, seconds);
    }
}

static const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
    for (int i = 2; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0) return argv[i + 1];
    return otherwise;
}

int main(int argc, char **argv)
{
    shmem_init();
    remote = shmem_malloc(LARGEST);
    local = shmem_malloc(LARGEST);
    sum = shmem_calloc(1, sizeof *sum);
    FILE *json = shmem_my_pe() == 0 ? fopen(option(argc, argv, "--json", "/dev/null"), "w") : NULL;
    if (!remote || !local || !sum || argc < 2 || (shmem_my_pe() == 0 && !json)) {
        fprintf(stderr, "usage: oshmem WORD [--seconds S] [--json FILE], on two PEs\n");
        _exit(2);
    }
    if (json)
        fprintf(json, "{\"armci\": \"OpenSHMEM %d.%d\", \"mpi\": \"%s\", \"rows\": [",
                SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION, "Open MPI with its OpenSHMEM, no ARMCI");
    do_word(json, argv[1], strtod(option(argc, argv, "--seconds", "0.2"), NULL));
    if (json) {
        fprintf(json, "\n]}\n");
        fclose(json);
    }
    shmem_barrier_all();
    _exit(0);
}
