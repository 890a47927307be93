/* armci-bench - measures ARMCI operations from rank 0 to rank 1; the other ranks wait or take part. It uses the public
 * interface only, so that the source can be linked with any libarmci. */
#include "bar.h"
#include "group.h"
#include "instructions.h"
#include "options.h"
#include "report.h"
#include "row.h"
#include "site.h"

#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct group *const groups[] = {&group_latency,     &group_bandwidth,     &group_strided,      &group_vector,
                                             &group_nonblocking, &group_single_region, &group_many_regions, &group_contention,
                                             &group_remote,      &group_computing,     &group_overlap,      &group_stall};

enum { GROUPS = sizeof groups / sizeof *groups };

struct progress {
    bool shown; /* on this rank */
    int done, all;
};

static void name_armci(char *text, size_t room)
{
#ifdef ARMCI_RMA_VERSION_MAJOR
    snprintf(text, room, "ARMCI-RMA %s", ARMCI_RMA_Version());
#else
    snprintf(text, room, "another ARMCI of unknown version");
#endif
}

static void describe(const struct options *options, const struct site *site, struct report_head *head)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    *head = (struct report_head){.label = options->label,
                                 .ranks = site->ranks,
                                 .ranks_here = site_ranks_here(site),
                                 .cores = sysconf(_SC_NPROCESSORS_ONLN),
                                 .seconds = options->seconds,
                                 .target_here = site_target_here(site),
                                 .same_memory = site->same_memory};
    MPI_Get_library_version(library, &length);
    name_armci(head->armci, sizeof head->armci);
    snprintf(head->mpi, sizeof head->mpi, "%.*s", (int)strcspn(library, "\r\n"), library);
    for (char *c = head->mpi; *c; c++) {
        if (*c == '\t') *c = ' ';
    }
}

static int rows_wanted(const struct options *options)
{
    int rows = 0;
    for (int i = 0; i < GROUPS; i++)
        rows += options_want(options, groups[i]->word) ? groups[i]->count : 0;
    return rows;
}

/* Measure and report a row.  Collective; true if its data were correct. */
static bool do_row(const struct group *group, const struct row *row, const struct site *site, double seconds, struct progress *progress)
{
    struct result result;
    if (progress->shown) bar_draw(progress->done, progress->all, row->name);
    (group->measure ? group->measure : row_measure)(row, site, seconds, &result);
    progress->done++;
    if (progress->shown) bar_clear();
    if (site->me == 0) report_row(group->word, row, &result);
    return result.valid;
}

static bool do_group(const struct group *group, struct site *site, double seconds, struct progress *progress)
{
    bool right = true;
    if (group->enter && !group->enter(site)) {
        if (site->me == 0) fprintf(stderr, "armci-bench: out of memory for the rows of %s\n", group->word);
        return false;
    }
    for (int i = 0; i < group->count; i++)
        right = do_row(group, &group->rows[i], site, seconds, progress) && right;
    if (group->leave) group->leave(site);
    return right;
}

static bool do_groups(const struct options *options, struct site *site)
{
    struct progress progress = {options->progress && site->me == 0, 0, rows_wanted(options)};
    bool right = true;
    for (int i = 0; i < GROUPS; i++) {
        if (options_want(options, groups[i]->word)) right = do_group(groups[i], site, options->seconds, &progress) && right;
    }
    return right;
}

static void do_instructions(const struct site *site)
{
    struct instructions counts;
    instructions_count(site, &counts);
    if (site->me == 0) report_instructions(&counts);
}

/* Collective; true if every rank succeeded. */
static bool measure_all(const struct options *options, struct site *site)
{
    struct report_head head;
    site->threads = options->threads;
    describe(options, site, &head);
    if (site->me == 0) report_begin(&head);
    if (site->me == 0 && head.target_here && (options_want(options, "remote") || options_want(options, "overlap")))
        printf("The target is on this machine: remote and overlap measure its memory, not a network.\n");
    bool right = do_groups(options, site);
    if (options_want(options, "instructions")) do_instructions(site);
    if (options_want(options, "probe") && site->me == 0) bench_probe(site);
    if (site->me == 0) right = report_end(options->json) && right;
    return site_all(right);
}

/* Between ARMCI_Init and ARMCI_Finalize. */
static bool run(const struct options *options)
{
    struct site site;
    if (!site_open(&site)) {
        if (site.me == 0) fprintf(stderr, "armci-bench: out of memory\n");
        return false;
    }
    bool right = measure_all(options, &site);
    site_close(&site);
    return right;
}

static int refuse(const char *why, int rank)
{
    if (rank == 0) {
        fprintf(stderr, "armci-bench: %s\n", why);
        options_usage(stderr);
    }
    return 2;
}

/* Plain MPI_Init, as most programs call it, unless rows have several threads. */
static bool start_mpi(int *argc, char ***argv, bool threads)
{
    int provided = MPI_THREAD_MULTIPLE;
    if (threads)
        MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(argc, argv);
    return provided == MPI_THREAD_MULTIPLE;
}

int main(int argc, char **argv)
{
    struct options options;
    char why[256];
    int rank, status = 0;

    bool right = options_read(argc, argv, &options, why, sizeof why);
    bool threaded = start_mpi(&argc, &argv, right && options.threads > 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!right) {
        status = refuse(why, rank);
    } else if (!threaded) {
        status = refuse("this MPI library does not provide MPI_THREAD_MULTIPLE", rank);
    } else if (options.help) {
        if (rank == 0) options_usage(stdout);
    } else {
        ARMCI_Init();
        status = run(&options) ? 0 : 1;
        ARMCI_Finalize();
    }
    MPI_Finalize();
    return status;
}
