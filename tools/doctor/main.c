/* armci-doctor - tests the MPI library and ARMCI on it, and measures the cost. See doc/tuning.md.
 */
#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <armci.h>

#include "../lib/commit.h"
#include "environment.h"
#include "probe.h"

static void print_help(void)
{
    printf(
        "Usage: mpiexec -n 2 armci-doctor [OPTION]...\n"
        "  or:  armci-doctor [--launch=COMMAND] [OPTION]...\n"
        "Tests the MPI library and ARMCI on it, and measures the paths in use: in one job, best "
        "with one rank on each of two nodes,\n"
        "or started without a launcher in several jobs.\n"
        "\n"
        "Options:\n"
        "  --launch=COMMAND  start jobs with this command (default: mpiexec -n 2); the next job "
        "skips probes that crashed "
        "or hung\n"
        "  --json=FILE       write all results to FILE\n"
        "  --report=FILE     write all results, the routes measured and what armci-info prints to "
        "FILE, for a bug report\n"
        "  --probe           test the MPI library alone, without workarounds, with dangerous "
        "calls\n"
        "  --only=NAMES      run only these probes (separated by commas; a name that ends in a dot "
        "is a prefix)\n"
        "  --skip=NAMES      skip these probes\n"
        "  --list            print the names of the probes\n"
        "  --version         print the version and the commit\n"
        "  --help            print this help\n"
        "\n"
        "Exit status: 0 every path in use is correct; 1 an error was found (--probe: a defect); 2 "
        "invalid "
        "usage, no job could be started, or FILE could not be written.\n");
}

static void print_version(void)
{
    printf("armci-doctor (ARMCI-RMA) %s\ncommit %s\n", ARMCI_RMA_Version(), build_commit());
}

static void print_list(void)
{
    for (const struct probe *p = probe_first(); p; p = probe_after(p))
        printf("%-22s %s%s\n", p->name, p->title, p->dangerous ? " (may crash or hang)" : "");
}

/* The value of an option "--name=value" or "--name value"; NULL: another option. */
static const char *value_of(const char *name, char **argv, int *i)
{
    size_t n = strlen(name);
    if (strncmp(argv[*i], name, n) != 0) return NULL;
    if (argv[*i][n] == '=') return argv[*i] + n + 1;
    return argv[*i][n] == '\0' && argv[*i + 1] ? argv[++*i] : NULL;
}

/* Options with a value. */
static bool take_valued(struct options *o, char **argv, int *i)
{
    const struct {
        const char *name, **value;
    } valued[] = {{"--launch", &o->launch}, {"--json", &o->json}, {"--report", &o->report},
                  {"--only", &o->only},     {"--skip", &o->skip}, {"--plant", &o->plant}};
    for (size_t k = 0; k < sizeof valued / sizeof valued[0]; k++) {
        const char *value = value_of(valued[k].name, argv, i);
        if (!value) continue;
        *valued[k].value = value;
        return true;
    }
    return false;
}

static bool take_flag(struct options *o, const char *argument)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--probe", &o->probe}, {"--plain", &o->plain}, {"--stream", &o->stream}};
    for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
        if (strcmp(argument, flags[k].name) != 0) continue;
        *flags[k].flag = true;
        return true;
    }
    return false;
}

static bool print_if_asked(const char *argument)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } printing[] = {{"--help", print_help}, {"--version", print_version}, {"--list", print_list}};
    for (size_t k = 0; k < sizeof printing / sizeof printing[0]; k++) {
        if (strcmp(argument, printing[k].name) != 0) continue;
        printing[k].print();
        return true;
    }
    return false;
}

/* True if every name of the list matches a probe. */
static bool names_exist(const char *list)
{
    char name[64];
    for (const char *at = list ? list : ""; *at; at += strcspn(at, ","), at += *at == ',') {
        bool known = false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        for (const struct probe *p = probe_first(); p; p = probe_after(p))
            known = known || options_lists(name, p->name);
        if (known) continue;
        fprintf(stderr, "armci-doctor: unknown probe '%s'; armci-doctor --list prints the names\n",
                name);
        return false;
    }
    return true;
}

/* Read the command line: -1 go on, else the exit status (help was printed, or an error). */
static int read_options(struct options *o, int argc, char **argv)
{
    *o = (struct options){0};
    for (int i = 1; i < argc; i++) {
        if (print_if_asked(argv[i])) return 0;
        if (take_flag(o, argv[i]) || take_valued(o, argv, &i)) continue;
        fprintf(stderr, "armci-doctor: unknown option %s; see armci-doctor --help\n", argv[i]);
        return 2;
    }
    return names_exist(o->only) && names_exist(o->skip) ? -1 : 2;
}

bool options_lists(const char *list, const char *name)
{
    while (list && *list) {
        size_t n = strcspn(list, ",");
        bool family = n > 0 && list[n - 1] == '.';
        if (strncmp(list, name, n) == 0 && (family || name[n] == '\0')) return true;
        list += n + (list[n] == ',');
    }
    return false;
}

int main(int argc, char **argv)
{
    struct options o;
    int status = read_options(&o, argc, argv);
    if (status >= 0) return status;
    if (o.launch || !environment_has_launcher()) return drive(&o, argv[0]);
    return supervise(&o);
}
