/* The table of warnings (src/api/warnings.c), in made-up jobs. */
#include "api/warnings.h"

#include <limits.h>

#include "unit.h"

/* Two nodes with nothing wrong. */
static const struct job_facts good = {
    .ranks = 4,
    .nodes = 2,
    .threads = true,
    .asynchronous = true,
    .progress = PROGRESS_THREAD,
    .allowed = SHM_AUTO,
    .shares_memory = true,
    .processes = 2,
    .processors = 2,
};

static const struct warning *find(const char *name)
{
    for (size_t i = 0; armcii_warning(i); i++)
        if (strcmp(armcii_warning(i)->name, name) == 0) return armcii_warning(i);
    ck_abort_msg("no warning %s", name);
}

/* Exactly the warning of that name, with that text. */
static void check_only(struct job_facts s, const char *name, const char *wanted)
{
    char text[512];
    for (size_t i = 0; armcii_warning(i); i++) {
        const struct warning *w = armcii_warning(i);
        long severity = w->severity(&s);
        ck_assert_msg((severity > 0) == (strcmp(w->name, name) == 0), "%s: severity %ld of %s",
                      name, severity, w->name);
    }
    if (!*name) return;
    const struct warning *w = find(name);
    armcii_warning_describe(w, &s, w->severity(&s), text, sizeof text);
    ck_assert_str_eq(text, wanted);
    ck_assert_int_gt((int)strlen(w->remedy), 8);
}

#define JOB(...)                                                                                   \
    ({                                                                                             \
        struct job_facts s = good;                                                                 \
        __VA_ARGS__;                                                                               \
        s;                                                                                         \
    })

TEST(nothing_is_wrong)
{
    check_only(good, "", "");
}

/* What the configuration asks for is no defect. */
TEST(what_is_configured_gives_no_warning)
{
    check_only(JOB(s.asynchronous = false, s.threads = false, s.progress = PROGRESS_NONE), "", "");
    check_only(JOB(s.allowed = SHM_NO, s.shares_memory = false), "", "");
}

TEST(each_process_is_alone)
{
    check_only(JOB(s.launched = 4), "alone",
               "the launcher started 4 processes, but MPI sees only one: each runs alone");
}

TEST(progress_between_nodes)
{
    check_only(
        JOB(s.asynchronous = false, s.threads = false), "no-threads",
        "no MPI_THREAD_MULTIPLE: operations between nodes wait until their target calls MPI");
    check_only(JOB(s.asynchronous = false, s.refused = true), "no-threads",
               "the system gives a process no thread, or no descriptor for it (ulimit -u and -n; "
               "pids.max of a container): operations between nodes wait until their target calls "
               "MPI");
    check_only(JOB(s.asynchronous = false), "", "");
    check_only(JOB(s.asynchronous = false, s.threads = false, s.nodes = 1), "", "");
}

TEST(shared_memory)
{
    check_only(JOB(s.shares_memory = false, s.nodes = 1, s.obstacle = OBSTACLE_LIMIT), "no-memfd",
               "the processes of a node cannot share memory by memfd (addresses are limited by "
               "ulimit -v): all operations use MPI RMA");
    check_only(JOB(s.shares_memory = false), "no-memfd",
               "the processes of a node cannot share memory by memfd (another process fails): all "
               "operations use MPI RMA, and nodes have no servers");
    for (int i = OBSTACLE_NONE + 1; i <= OBSTACLE_LOCK; i++)
        ck_assert_int_gt(find("no-memfd")
                             ->severity(&(struct job_facts){
                                 .ranks = 2, .allowed = SHM_AUTO, .obstacle = (enum obstacle)i}),
                         i);
    check_only(JOB(s.shares_memory = false, s.ranks = s.nodes = 1), "", "");
}

TEST(processors)
{
    check_only(JOB(s.oversubscribed = true, s.processes = 5), "oversubscribed",
               "up to 3 processes share a processor");
    check_only(JOB(s.oversubscribed = true), "oversubscribed",
               "some processes are bound to the same processors");
}

TEST(mpi_library)
{
    check_only(
        JOB(s.unknown_mpi = "Fast MPI 7"), "unknown-mpi",
        "the defects of this MPI library (Fast MPI 7) are unknown, so no workarounds are in use");
}

/* Of all processes the largest severity is printed: the worse situation must have it. */
TEST(worse_is_more_severe)
{
    struct {
        const char *name;
        struct job_facts bad, worse;
    } cases[] = {
        {"oversubscribed", JOB(s.oversubscribed = true, s.processes = 4),
         JOB(s.oversubscribed = true, s.processes = 9)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct warning *w = find(cases[i].name);
        ck_assert_int_lt(w->severity(&cases[i].bad), w->severity(&cases[i].worse));
    }
}
