/* options.c - the command line. */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const known_words[] = {"latency",      "bandwidth", "strided", "vector", "nonblocking", "regions", "contention",
                                          "instructions", "remote",    "overlap", "probe",  "stall",       "all"};

enum { KNOWN_WORDS = sizeof known_words / sizeof *known_words };

static const double DEFAULT_SECONDS = 0.2;

void options_usage(FILE *out)
{
    fprintf(out,
            "usage: armci-bench WORD... [options], on two ranks or more\n"
            "  latency       8-byte operations, atomics, locks, fence, barrier\n"
            "  bandwidth     put, get, acc of 1 KiB to 16 MiB, and memcpy\n"
            "  strided       patches of many segments\n"
            "  vector        lists of addresses\n"
            "  nonblocking   a thousand puts: blocking, nonblocking, aggregate handle\n"
            "  regions       8-byte operations with one region and with 300\n"
            "  contention    all ranks on the same elements, parts of one segment, one counter, one lock\n"
            "  instructions  instructions per call of 8-byte operations\n"
            "  all           all of these\n"
            "  remote        for two nodes: operations against plain MPI, also while the target computes\n"
            "  overlap       for two nodes: overlap of nonblocking transfers with computation\n"
            "  stall         maximum latency of 8-byte operations under load\n"
            "  probe         10000 puts of 8 bytes in the function bench_probe, for a profiler\n"
            "options:\n"
            "  -s, --seconds S    seconds per row, default %g\n"
            "  -t, --threads N    threads per rank in stall, default 1\n"
            "  -j, --json FILE    write the results to FILE as JSON\n"
            "  -l, --label TEXT   name of the run in FILE\n"
            "  -i, --instructions the same as the word instructions\n"
            "  -p, --progress     draw a progress bar even if standard error is not a terminal\n"
            "  -h, --help         print this help\n"
            "Exit status: 0; 1 if a row has wrong data or an operation failed; 2 for an invalid command line.\n",
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

/* Apply one option; false if it is unknown or its value is invalid. */
static bool take(int option, struct options *options)
{
    switch (option) {
    case 's': return read_seconds(optarg, &options->seconds);
    case 't': return read_threads(optarg, &options->threads);
    case 'j': options->json = optarg; return true;
    case 'l': options->label = optarg; return true;
    case 'i': options->instructions = true; return true;
    case 'p': options->progress = true; return true;
    case 'h': options->help = true; return true;
    default: return false;
    }
}

bool options_read(int argc, char **argv, struct options *options, char *why, size_t room)
{
    static const struct option known[] = {{"seconds", required_argument, NULL, 's'}, {"threads", required_argument, NULL, 't'},
                                          {"json", required_argument, NULL, 'j'},    {"label", required_argument, NULL, 'l'},
                                          {"instructions", no_argument, NULL, 'i'},  {"progress", no_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    int option;

    *options = (struct options){.seconds = DEFAULT_SECONDS, .threads = 1, .progress = isatty(STDERR_FILENO) != 0};
    opterr = 0;
    while ((option = getopt_long(argc, argv, "s:t:j:l:iph", known, NULL)) != -1) {
        if (!take(option, options)) {
            snprintf(why, room, "invalid option or value: %s", argv[optind - 1]);
            return false;
        }
    }
    options->words = argv + optind;
    options->word_count = argc - optind;
    for (int i = 0; i < options->word_count; i++) {
        if (is_known(options->words[i])) continue;
        snprintf(why, room, "unknown word: %s", options->words[i]);
        return false;
    }
    snprintf(why, room, "%s", "no word given");
    return options->word_count > 0 || options->instructions || options->help;
}

static bool is_of_all(const char *word)
{
    return strcmp(word, "probe") != 0 && strcmp(word, "remote") != 0 && strcmp(word, "overlap") != 0 && strcmp(word, "stall") != 0;
}

bool options_want(const struct options *options, const char *word)
{
    if (options->instructions && strcmp(word, "instructions") == 0) return true;
    for (int i = 0; i < options->word_count; i++) {
        if (strcmp(options->words[i], word) == 0) return true;
        if (strcmp(options->words[i], "all") == 0 && is_of_all(word)) return true;
    }
    return false;
}
