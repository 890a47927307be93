/* armci-info - prints the version, the MPI library, its defects, changed environment variables, the
 * build, the paths of transfers and limits. Without --probe it needs no launcher and does not start
 * MPI. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <armci.h>

#include "base/config.h"
#include "../lib/commit.h"
#include "../lib/json.h"
#include "info.h"
#include "transport/route.h"

static void complain(const char *line)
{
    fprintf(stderr, "armci-info: warning: %s\n", line);
}

static void print_report(void)
{
    const struct section *s = info_section(0);
    info_print_section(s);
    printf("\n");
    info_print_quirks();
    printf(
        "\nEnvironment variables that are not as by default; armci-info --variables prints all\n");
    info_print_changed();
    for (size_t i = 1; (s = info_section(i)) != NULL; i++) {
        printf("\n");
        info_print_section(s);
    }
}

static void print_json(void)
{
    info_add_json(&(struct json){.file = stdout}, NULL, NULL);
}

static void print_json_changed(void)
{
    info_add_json(&(struct json){.file = stdout}, NULL, info_is_changed);
}

static void print_measured(void)
{
    enum { US = 1000000 };
    printf("between nodes: %s\n", armcii_route->far ? armcii_route->far_doc : "there is one node");
    if (!armcii_probe->measured) {
        printf("probe: %s\n",
               armcii_route->far
                   ? "none, since ARMCI_TRANSPORT, MPI or the lack of servers leaves no choice"
                   : "none");
        return;
    }
    printf("%-14s %8.1f us\n", "round trip", armcii_probe->round_trip * US);
    for (int op = 0; op < PROBE_OPS; op++)
        printf("%-14s %8.1f us, %s\n", armcii_probe_names[op], armcii_probe->seconds[op] * US,
               armcii_probe->complete[op] ? "complete without the target" : "needs the target");
}

static void print_probe(void)
{
    ARMCI_Init();
    if (armci_msg_me() == 0) print_measured();
    ARMCI_Finalize();
}

static void print_version(void)
{
    printf("armci-info (ARMCI-RMA) %s\ncommit %s\n", info_version(), build_commit());
}

static void print_help(void);

static const struct option {
    const char *name;
    void (*print)(void);
    bool reads; /* the environment */
    const char *help;
} options[] = {
    {"--changed", info_print_changed, true,
     "print only the variables whose value is not the default"},
    {"--variables", info_print_variables, true, "print only the environment variables"},
    {"--json", print_json, true,
     "print everything as JSON; with --changed, only the variables whose value is not the default"},
    {"--markdown", info_print_markdown, false, "print the table of variables as a Markdown page"},
    {"--defects", info_print_defects, false,
     "print the known defects of all MPI libraries as a Markdown page"},
    {"--probe", print_probe, true,
     "started as a job: print what MPI RMA does by itself between nodes, and the route chosen from "
     "it"},
    {"--version", print_version, false, "print the version and the commit"},
    {"--help", print_help, false, "print this help"},
};
enum { OPTIONS = sizeof options / sizeof options[0] };

static void print_help(void)
{
    printf("Usage: armci-info [OPTION]\n"
           "Print the version of ARMCI-RMA, the MPI library, its known defects with their "
           "workarounds, the environment variables whose value\n"
           "is not the default, the build, the paths of transfers and the limits of this node.\n"
           "\n"
           "Options:\n"
           "  --program FILE  print which ARMCI and which MPI library a program uses\n");
    for (size_t i = 0; i < OPTIONS; i++)
        printf("  %-12s %s\n", options[i].name, options[i].help);
}

static const struct option *find_option(const char *argument)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (strcmp(argument, options[i].name) == 0) return &options[i];
    return NULL;
}

/* Both of --json and --changed are given, in any order. */
static bool is_json_of_changed(int argc, char **argv)
{
    return argc == 3 && ((strcmp(argv[1], "--json") == 0 && strcmp(argv[2], "--changed") == 0) ||
                         (strcmp(argv[2], "--json") == 0 && strcmp(argv[1], "--changed") == 0));
}

/* The option of the command line; name NULL: invalid. */
static struct option choose(int argc, char **argv)
{
    static const struct option wrong = {NULL, NULL, false, NULL},
                               report = {"", print_report, true, NULL},
                               json_of_changed = {"", print_json_changed, true, NULL};
    const struct option *found = argc == 2 ? find_option(argv[1]) : NULL;
    if (argc == 1) return report;
    if (is_json_of_changed(argc, argv)) return json_of_changed;
    return found ? *found : wrong;
}

static int wrong_usage(const char *argument)
{
    fprintf(stderr,
            "armci-info: %s: no option, or one that is not used like this; armci-info --help lists "
            "them\n",
            argument);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--program") == 0) return info_print_program(argv[2]);
    struct option chosen = choose(argc, argv);
    if (!chosen.name) return wrong_usage(argv[argc > 2 && find_option(argv[1]) ? 2 : 1]);
    if (chosen.reads) armcii_config_read(NULL, complain);
    chosen.print();
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    perror("armci-info");
    return 1;
}
