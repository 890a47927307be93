/* armci-info - which ARMCI is this, on which MPI, and what do its environment variables say?  Needs no launcher. */
#include <armci.h>

#include "base/config.h"
#include "mpi/quirks.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(X)   #X
#define TEXT(X)      TEXT_OF(X)
#define VERSION_TEXT TEXT(ARMCI_RMA_VERSION_MAJOR) "." TEXT(ARMCI_RMA_VERSION_MINOR) "." TEXT(ARMCI_RMA_VERSION_PATCH)

/* The library this was compiled with, from its header: for printing, nothing depends on it. */
#if defined(OMPI_MAJOR_VERSION)
#define BUILD_LIBRARY "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
#elif defined(I_MPI_VERSION)
#define BUILD_LIBRARY "Intel MPI " I_MPI_VERSION
#elif defined(MPICH_VERSION)
#define BUILD_LIBRARY "MPICH " MPICH_VERSION
#else
#define BUILD_LIBRARY "library not named in its header"
#endif

static void complain(const char *line)
{
    fprintf(stderr, "armci-info: warning: %s\n", line);
}

static void print_versions(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, major, minor;

    MPI_Get_library_version(library, &length);
    MPI_Get_version(&major, &minor);
    printf("ARMCI-RMA     %s\n", VERSION_TEXT);
    printf("MPI at build  %s (MPI %d.%d)\n", BUILD_LIBRARY, MPI_VERSION, MPI_SUBVERSION);
    printf("MPI in use    %.*s (MPI %d.%d)\n", (int)strcspn(library, "\r\n"), library, major, minor);
}

static void print_variable(size_t i)
{
    const struct config_entry *entry = armcii_config_entry(i);
    char value[128];
    bool set;

    armcii_config_value(i, value, sizeof value, &set);
    printf("  %s = %s%s\n", entry->name, value, set ? "   [from the environment]" : "");
    printf("      %s; default %s%s\n", entry->type, entry->default_value,
           entry->effective ? "" : "; accepted, without effect");
    printf("      %s\n", entry->help);
}

static void print_variables(void)
{
    printf("Environment variables\n");
    for (size_t i = 0; armcii_config_entry(i) != NULL; i++)
        print_variable(i);
    for (size_t i = 0; armcii_config_ineffective(i) != NULL; i++)
        printf("%s%s", i == 0 ? "Set, but without effect here: " : ", ", armcii_config_ineffective(i));
    if (armcii_config_ineffective(0) != NULL) printf("\n");
}

/* One table of the Markdown page: the variables with effect, or those without. */
static void print_markdown_table(bool effective)
{
    const struct config_entry *entry;

    printf("\n| variable | values | default | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; (entry = armcii_config_entry(i)) != NULL; i++) {
        if (entry->effective != effective) continue;
        printf("| %s | ", entry->name);
        for (const char *p = entry->type; *p != '\0'; p++)
            printf(*p == '|' ? "\\|" : "%c", *p);
        printf(" | %s | %s |\n", entry->default_value, entry->help);
    }
}

static void print_markdown(void)
{
    printf("# Environment variables\n\n"
           "Written by `armci-info --markdown` from the table in `src/base/config.c`; do not edit.\n\n"
           "Words are taken in upper and lower case. For `yes` and `no`, `true`, `on`, `1`, `y`, `t` and `false`, "
           "`off`, `0`, `n`, "
           "`f`\nare taken too. Bytes may have a suffix `k`, `M`, `G` or `T` (powers of 1024). A wrong value, or a "
           "name that "
           "begins\nwith `ARMCI_` and is no variable, is reported once, with the nearest right one; a wrong value "
           "leaves the "
           "default in\nforce. `armci-info` prints the values in force.\n");
    print_markdown_table(true);
    printf("\nAccepted for the sake of job scripts written for other ARMCI libraries, without effect here:\n");
    print_markdown_table(false);
}

/* The rows for the library that is loaded, and whether they hold in a job on one node. */
static void print_quirks(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    printf("Known defects of this MPI library, and what is done about them\n");
    for (size_t i = 0; armcii_quirk_row(i); i++) {
        bool here = armcii_quirk_is_in_force(i, library, false), between = armcii_quirk_is_in_force(i, library, true);
        const struct quirk_row *row = armcii_quirk_row(i);
        if (!here && !between) continue;
        printf("  %s%s\n      -> %s%s (%s)\n", row->defect, here && between ? "" : between ? " [between nodes]" : " [on one node]",
               row->remedy, armcii_config->quirks ? "" : " [switched off by ARMCI_QUIRKS]", row->reference);
    }
}

/* The parts of the full report, in their order. */
static void (*const sections[])(void) = {
    print_versions,
    print_quirks,
    print_variables,
};

static void print_report(void)
{
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (i > 0) printf("\n");
        sections[i]();
    }
}

static void print_version(void)
{
    printf("armci-info (ARMCI-RMA) %s\n", VERSION_TEXT);
}

static void print_help(void);

static const struct {
    const char *name;
    void (*print)(void);
    const char *help;
} options[] = {
    {"--variables", print_variables, "print the environment variables only"},
    {"--markdown", print_markdown, "print the table of variables as a Markdown page"},
    {"--version", print_version, "print the version"},
    {"--help", print_help, "print this"},
};
enum { OPTIONS = sizeof options / sizeof options[0] };

static void print_help(void)
{
    printf(
        "usage: armci-info [OPTION]\n"
        "Print the version of ARMCI-RMA, the MPI library, and every environment variable with its value in force.\n");
    for (size_t i = 0; i < OPTIONS; i++)
        printf("  %-12s %s\n", options[i].name, options[i].help);
}

static int wrong_usage(const char *argument)
{
    fprintf(stderr, "armci-info: %s: not known; armci-info --help lists the options\n", argument);
    return 2;
}

int main(int argc, char **argv)
{
    void (*print)(void) = print_report;

    if (argc > 2) return wrong_usage(argv[2]);
    for (size_t i = 0; argc == 2 && i < OPTIONS; i++) {
        if (strcmp(argv[1], options[i].name) == 0) print = options[i].print;
    }
    if (argc == 2 && print == print_report) return wrong_usage(argv[1]);
    if (print == print_report || print == print_variables) armcii_config_read(NULL, complain);
    print();
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    perror("armci-info");
    return 1;
}
