/* test_idle.c - jobs that span nodes: what the progress thread costs while nobody needs it. */
#include <dirent.h>
#include <time.h>

#include "../mpi/harness.h"

enum { MOST_THREADS = 64, SECONDS = 5 };
/* Of a core: what is taken from a rank that computes is what it is slowed by. The aim is 0.01; on
 * a busy machine each look costs more. */
static const double LIMIT = 0.05;

struct threads {
    int n;
    long id[MOST_THREADS];
};

static struct threads list_threads(void)
{
    struct threads t = {.n = 0};
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *e = tasks ? readdir(tasks) : NULL; e && t.n < MOST_THREADS;
         e = readdir(tasks))
        if (e->d_name[0] != '.') t.id[t.n++] = strtol(e->d_name, NULL, 10);
    if (tasks) closedir(tasks);
    return t;
}

static bool is_among(const struct threads *t, long id)
{
    for (int i = 0; i < t->n; i++)
        if (t->id[i] == id) return true;
    return false;
}

/* Those of `now` that were not there before. */
static struct threads newcomers(const struct threads *before, const struct threads *after)
{
    struct threads t = {.n = 0};
    for (int i = 0; i < after->n; i++)
        if (!is_among(before, after->id[i])) t.id[t.n++] = after->id[i];
    return t;
}

/* Seconds of processor that the threads have had; negative where the system does not tell. */
static double processor_time(const struct threads *t)
{
    double sum = 0;
    for (int i = 0; i < t->n; i++) {
        char path[64];
        long long nanoseconds;
        snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", t->id[i]);
        FILE *f = fopen(path, "r");
        if (!f || fscanf(f, "%lld", &nanoseconds) != 1) nanoseconds = (long long)-1e18;
        if (f) fclose(f);
        sum += 1e-9 * (double)nanoseconds;
    }
    return sum;
}

static void print_of_all(const char *what, double mine)
{
    double *all = need_memory((size_t)test_ranks() * sizeof *all);
    MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, test_comm());
    for (int p = 0; test_rank() == 0 && p < test_ranks(); p++)
        printf("rank %d %s: the progress thread takes %.3f %% of a core\n", p, what, 100 * all[p]);
    fflush(stdout);
    free(all);
}

struct activity {
    const char *what;
    void (*run)(void);
};

/* What the progress thread takes while its rank is at something else, with no call into MPI or
 * ARMCI. */
static void cost_while(const void *row)
{
    const struct activity *activity = row;
    const char *what = activity->what;
    struct threads before = list_threads();
    ARMCI_Init();
    struct threads after = list_threads(), ours = newcomers(&before, &after);
    if (!on_all_ranks(ours.n > 0 && processor_time(&ours) >= 0)) {
        skip("no thread of the library, or a system that does not tell what it had");
    } else {
        ARMCI_Barrier();
        double begun = now(), had = processor_time(&ours);
        activity->run();
        double share = (processor_time(&ours) - had) / (now() - begun);
        print_of_all(what, share);
        check(share > 0 && share < LIMIT, "%s: the progress thread takes %.2f %% of a core", what,
              100 * share);
    }
    ARMCI_Finalize();
}

static void sleep_on(void)
{
    nanosleep(&(struct timespec){.tv_sec = SECONDS}, NULL);
}

static void compute(void)
{
    double until = now() + SECONDS;
    volatile double sum = 0;
    while (now() < until)
        for (int i = 0; i < 1000; i++)
            sum = sum + (double)i;
}

static const struct test tests[] = {
    {"the progress thread costs nearly nothing while its rank sleeps",
     ONE_ROW(cost_while, struct activity, "asleep", sleep_on)},
    {"the progress thread takes nearly nothing from a rank that computes",
     ONE_ROW(cost_while, struct activity, "computing", compute)},
};
SUITE(.start = start_mpi, .stop = stop_mpi);
