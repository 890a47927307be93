/* armci-bench - measures ARMCI operations from rank 0 to rank 1; the other ranks wait or take part.
 * Uses only the public interface, so that the source can be linked with any libarmci. */
#include "../tools/lib/commit.h"
#include "instructions.h"
#include "plain_mpi.h"
#include "report.h"
#include "row.h"
#include "site.h"

#include <armci.h>
#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- the command line ---- */

struct options {
    char **words; /* which groups */
    int word_count;
    double seconds;   /* for a row */
    int threads;      /* of each rank, in the rows of stall */
    const char *json; /* file, or NULL */
    char **without;   /* names of rows that are left out */
    int without_count;
    const char *label; /* name of the run in the file, or NULL */
    bool progress, instructions, help, version;
};

static const char *const known_words[] = {
    "latency", "bandwidth",    "strided", "vector",  "nonblocking", "regions", "contention",
    "many",    "instructions", "remote",  "overlap", "matmul",      "mg",      "sparse",
    "mix",     "pool",         "probe",   "stall",   "cold",        "methods", "passive",
    "worst",   "foreign",      "fences",  "all"};

enum { KNOWN_WORDS = sizeof known_words / sizeof *known_words };

static const double DEFAULT_SECONDS = 0.2;

static void print_usage(FILE *out)
{
    fprintf(
        out,
        "Usage: armci-bench WORD... [OPTION]...\n"
        "Measures ARMCI operations from rank 0 to rank 1 and verifies the data; on two ranks or "
        "more.\n"
        "\n"
        "Words:\n"
        "  latency       8-byte operations, atomics, locks, fence, barrier\n"
        "  bandwidth     put, get, acc of 1 B to 64 MiB, memcpy, MPI\n"
        "  strided       patches of many segments\n"
        "  vector        lists of addresses\n"
        "  nonblocking   a thousand puts or gets: blocking, nonblocking, aggregate handle\n"
        "  regions       8-byte operations and allocation with one region and with 300\n"
        "  contention    all ranks on the same elements, parts of one segment, one counter, "
        "one lock\n"
        "  many          n x n patches, aggregates and lists, message rate\n"
        "  instructions  instructions per call of 8-byte operations\n"
        "  all           all of these\n"
        "  remote        for two nodes: operations against plain MPI, also while the target "
        "computes\n"
        "  passive       for two nodes: every size and shape while the target computes, beside "
        "MPI\n"
        "  methods       1 to 1000 segments of 16 B and 1 KiB, to compare routes and methods\n"
        "  cold          data that are in no cache, beside data that are\n"
        "  foreign       memory of one library in transfers of the other, first use and second\n"
        "  fences        one fence of several processes, and a fence of each; on up to 8 ranks\n"
        "  worst         the worst of a million short operations\n"
        "  overlap       for two nodes: overlap of nonblocking transfers with computation\n"
        "  mg            NAS MG by puts with flags and by messages, on 2, 4 or 8 ranks\n"
        "  sparse        sparse matrix-vector product, its gets by four methods\n"
        "  mix           transfers of all ranks in the sizes and proportions of NWChem\n"
        "  pool          tasks from a counter, each two strided gets and an accumulate\n"
        "  stall         maximum latency of 8-byte operations under load\n"
        "  matmul        matrix product by one-sided gets, by broadcasts, by ScaLAPACK\n"
        "  probe         10000 puts of 8 bytes in the function bench_probe, for a profiler\n"
        "\n"
        "Options:\n"
        "  -s, --seconds S     seconds per row, default %g\n"
        "  -t, --threads N     threads per rank in stall, default 1\n"
        "  -j, --json FILE     write the results to FILE as JSON\n"
        "  -l, --label TEXT    name of the run in FILE\n"
        "  -w, --without NAME  leave out the rows of this name, a pattern as the shell has; may "
        "be repeated\n"
        "  -i, --instructions  the same as the word instructions\n"
        "  -p, --progress      draw a progress bar even if standard error is not a terminal\n"
        "  -h, --help          print this help\n"
        "  -V, --version       print the version and the commit\n"
        "\n"
        "Exit status: 0; 1 if a row has wrong data or an operation failed; 2 for an invalid "
        "command line.\n",
        DEFAULT_SECONDS);
}

static bool read_seconds(const char *text, double *seconds)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0 && value <= 3600)) return false;
    *seconds = value;
    return true;
}

static bool read_threads(const char *text, int *threads)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > MOST_THREADS) return false;
    *threads = (int)value;
    return true;
}

static bool is_known(const char *word)
{
    for (int i = 0; i < KNOWN_WORDS; i++) {
        if (strcmp(word, known_words[i]) == 0) return true;
    }
    return false;
}

/* The known word that begins like this one for longest, two letters at least; NULL: none does. */
static const char *nearest(const char *word)
{
    const char *found = NULL;
    size_t most = 1;
    for (int i = 0; i < KNOWN_WORDS; i++) {
        size_t same = 0;
        while (word[same] && word[same] == known_words[i][same])
            same++;
        if (same > most) found = known_words[i], most = same;
    }
    return found;
}

/* Apply one option; false if it is unknown or its value is invalid. */
static bool take(int option, struct options *options)
{
    switch (option) {
    case 's': return read_seconds(optarg, &options->seconds);
    case 't': return read_threads(optarg, &options->threads);
    case 'j': options->json = optarg; return true;
    case 'l': options->label = optarg; return true;
    case 'w': options->without[options->without_count++] = optarg; return true;
    case 'i': options->instructions = true; return true;
    case 'p': options->progress = true; return true;
    case 'h': options->help = true; return true;
    case 'V': options->version = true; return true;
    default: return false;
    }
}

/* Read the command line; false, with the reason in `why`, if it is invalid. */
static bool read_options(int argc, char **argv, struct options *options, char *why, size_t room)
{
    static const struct option known[] = {
        {"seconds", required_argument, NULL, 's'}, {"threads", required_argument, NULL, 't'},
        {"json", required_argument, NULL, 'j'},    {"label", required_argument, NULL, 'l'},
        {"without", required_argument, NULL, 'w'}, {"instructions", no_argument, NULL, 'i'},
        {"progress", no_argument, NULL, 'p'},      {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},       {NULL, 0, NULL, 0}};
    int option;

    *options = (struct options){.seconds = DEFAULT_SECONDS,
                                .threads = 1,
                                .without = calloc((size_t)argc, sizeof(char *)),
                                .progress = isatty(STDERR_FILENO) != 0};
    snprintf(why, room, "%s", "out of memory");
    if (!options->without) return false;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "s:t:j:l:w:iphV", known, NULL)) != -1) {
        if (!take(option, options)) {
            snprintf(why, room, "invalid option or value: %s", argv[optind - 1]);
            return false;
        }
    }
    options->words = argv + optind;
    options->word_count = argc - optind;
    for (int i = 0; i < options->word_count; i++) {
        if (is_known(options->words[i])) continue;
        const char *meant = nearest(options->words[i]);
        snprintf(why, room, "unknown word: %.100s%s%s%s", options->words[i],
                 meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
        return false;
    }
    snprintf(why, room, "%s", "no word given");
    return options->word_count > 0 || options->instructions || options->help || options->version;
}

static bool is_of_all(const char *word)
{
    static const char *const alone[] = {"remote",  "overlap", "matmul", "mg",      "sparse",
                                        "mix",     "pool",    "probe",  "stall",   "cold",
                                        "methods", "passive", "worst",  "foreign", "fences"};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        if (strcmp(word, alone[i]) == 0) return false;
    }
    return true;
}

/* Is the group selected? */
static bool is_wanted(const struct options *options, const char *word)
{
    if (options->instructions && strcmp(word, "instructions") == 0) return true;
    for (int i = 0; i < options->word_count; i++) {
        if (strcmp(options->words[i], word) == 0) return true;
        if (strcmp(options->words[i], "all") == 0 && is_of_all(word)) return true;
    }
    return false;
}

/* ---- the progress bar ---- */

enum { WIDTH = 30 };

/* Draw the progress bar on standard error. */
static void draw_bar(int done, int all, const char *name)
{
    int filled = all > 0 ? WIDTH * done / all : 0;
    fputs("\r[", stderr);
    for (int i = 0; i < WIDTH; i++)
        putc(i < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %d/%d %-30.30s", done, all, name);
    fflush(stderr);
}

static void clear_bar(void)
{
    fprintf(stderr, "\r%*s\r", WIDTH + 48, "");
    fflush(stderr);
}

/* ---- the rows ---- */

static const struct group *const groups[] = {
    &group_latency,     &group_bandwidth,     &group_strided,      &group_vector,
    &group_nonblocking, &group_single_region, &group_many_regions, &group_most_regions,
    &group_contention,  &group_many,          &group_remote,       &group_computing,
    &group_overlap,     &group_stall,         &group_matmul,       &group_mg,
    &group_sparse,      &group_mix,           &group_pool,         &group_cold,
    &group_methods,     &group_passive,       &group_worst,        &group_foreign,
    &group_fences};

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

/* The value of a key in the first entry of /proc/cpuinfo; empty if there is none. */
static void read_processor(const char *key, char *value, size_t room)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    value[0] = '\0';
    while (file && !value[0] && fgets(line, sizeof line, file)) {
        size_t length = strcspn(line, "\t:");
        const char *colon = strstr(line, ": ");
        if (colon && length == strlen(key) && strncmp(line, key, length) == 0)
            snprintf(value, room, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file) fclose(file);
}

/* Model, family and number, since virtual machines often have a short name only; the machine's type
 * where Linux has no name for the model.
 */
static void name_processor(char *text, size_t room)
{
    char name[128], family[16], model[16];
    struct utsname machine;
    read_processor("model name", name, sizeof name);
    read_processor("cpu family", family, sizeof family);
    read_processor("model", model, sizeof model);
    if (name[0] && family[0])
        snprintf(text, room, "%s (family %s, model %s)", name, family, model);
    else
        snprintf(text, room, "%s", name[0] || uname(&machine) != 0 ? name : machine.machine);
}

static void print_version(void)
{
#ifdef ARMCI_RMA_VERSION_MAJOR
    printf("armci-bench (ARMCI-RMA) %s\ncommit %s\n", ARMCI_RMA_Version(), build_commit());
#else
    printf("armci-bench with another ARMCI\ncommit %s\n", build_commit());
#endif
}

static void describe(const struct options *options, const struct site *site,
                     struct report_head *head)
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
    name_processor(head->processor, sizeof head->processor);
    snprintf(head->mpi, sizeof head->mpi, "%.*s", (int)strcspn(library, "\r\n"), library);
    for (char *c = head->mpi; *c; c++) {
        if (*c == '\t') *c = ' ';
    }
}

/* Rows get their names when their group begins: a name may be NULL before. */
static bool is_left_out(const struct options *options, const char *name)
{
    for (int i = 0; i < options->without_count; i++) {
        if (name && fnmatch(options->without[i], name, 0) == 0) return true;
    }
    return false;
}

static int rows_wanted(const struct options *options)
{
    int rows = 0;
    for (int i = 0; i < GROUPS; i++) {
        for (int j = 0; j < groups[i]->count && is_wanted(options, groups[i]->word); j++)
            rows += !is_left_out(options, groups[i]->rows[j].name);
    }
    return rows;
}

/* Measure and report a row. Its round trip is the longer one of before and behind it: the
 * processors of a virtual machine are moved next to each other or apart. Collective; true if its
 * data were correct. */
static bool do_row(const struct group *group, const struct row *row, const struct site *site,
                   double seconds, struct progress *progress)
{
    struct result result;
    if (progress->shown) draw_bar(progress->done, progress->all, row->name);
    if (site->me == 0) report_running(row->name);
    double before = mpi_round_trip(site);
    (group->measure ? group->measure : row_measure)(row, site, seconds, &result);
    result.round_trip = fmax(before, mpi_round_trip(site));
    progress->done++;
    if (progress->shown) clear_bar();
    if (site->me == 0) report_row(group->word, row, &result);
    return result.valid;
}

static bool do_group(const struct options *options, const struct group *group, struct site *site,
                     struct progress *progress)
{
    bool right = true;
    if (group->enter && !group->enter(site)) {
        if (site->me == 0)
            fprintf(stderr, "armci-bench: out of memory for the rows of %s\n", group->word);
        return false;
    }
    for (int i = 0; i < group->count; i++) {
        const struct row *row = &group->rows[i];
        if (is_left_out(options, row->name) || (row->available && !row->available(site))) continue;
        right = do_row(group, row, site, options->seconds, progress) && right;
    }
    if (group->leave) group->leave(site);
    return right;
}

static bool do_groups(const struct options *options, struct site *site)
{
    struct progress progress = {options->progress && site->me == 0, 0, rows_wanted(options)};
    bool right = true;
    for (int i = 0; i < GROUPS; i++) {
        if (is_wanted(options, groups[i]->word))
            right = do_group(options, groups[i], site, &progress) && right;
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
    if (site->me == 0) report_begin(&head, options->json);
    if (site->me == 0 && head.target_here &&
        (is_wanted(options, "remote") || is_wanted(options, "overlap")))
        printf("The target is on this machine: remote and overlap measure its memory, not a "
               "network.\n");
    bool right = do_groups(options, site);
    if (is_wanted(options, "instructions")) do_instructions(site);
    if (is_wanted(options, "probe") && site->me == 0) bench_probe(site);
    if (site->me == 0) right = report_end() && right;
    return site_all(right);
}

/* Between ARMCI_Init and ARMCI_Finalize. */
static bool run(const struct options *options)
{
    struct site site;
    if (!site_open(&site) || !mpi_open(&site)) {
        if (site.me == 0) fprintf(stderr, "armci-bench: out of memory\n");
        return false;
    }
    bool right = measure_all(options, &site);
    mpi_close();
    site_close(&site);
    return right;
}

static int refuse(const char *why, int rank)
{
    if (rank == 0) {
        fprintf(stderr, "armci-bench: %s\nwords:", why);
        for (int i = 0; i < KNOWN_WORDS; i++)
            fprintf(stderr, " %s", known_words[i]);
        fprintf(stderr, "\narmci-bench --help describes them, and the options\n");
    }
    return 2;
}

/* MPI_Init, as most programs call it, unless rows have several threads. */
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
    char why[256] = "";
    int rank, status = 0;

    bool right = read_options(argc, argv, &options, why, sizeof why);
    bool threaded = start_mpi(&argc, &argv, right && options.threads > 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!right) {
        status = refuse(why, rank);
    } else if (!threaded) {
        status = refuse("this MPI library does not provide MPI_THREAD_MULTIPLE", rank);
    } else if (options.help) {
        if (rank == 0) print_usage(stdout);
    } else if (options.version) {
        if (rank == 0) print_version();
    } else {
        ARMCI_Init();
        status = run(&options) ? 0 : 1;
        ARMCI_Finalize();
    }
    MPI_Finalize();
    return status;
}
