/* variables.c - the environment variables, as a report and as doc/variables.md. */
#include "info.h"

#include <stdio.h>
#include <string.h>

#include "base/config.h"

bool info_is_changed(size_t i)
{
    return !armcii_config_is_default(i);
}

static void print_variable(size_t i)
{
    const struct config_entry *entry = armcii_config_entry(i);
    char value[CONFIG_VALUE];
    bool set;

    armcii_config_value(i, value, sizeof value, &set);
    printf("  %s = %s%s\n", entry->name, value, set ? "   [from the environment]" : "");
    printf("      %s; default %s%s\n", entry->type, entry->default_value,
           entry->for_tests ? "; for tests" : "");
    printf("      %s\n", entry->help);
}

static void print_ineffective(void)
{
    const char *name, *before = "Set without effect: ", *after = "";
    bool set;

    for (size_t i = 0; (name = armcii_config_foreign_name(i, &set)) != NULL; i++) {
        if (!set) continue;
        printf("%s%s", before, name);
        before = ", ";
        after = "\n";
    }
    printf("%s", after);
}

void info_print_variables(void)
{
    printf("Environment variables\n");
    for (size_t i = 0; armcii_config_entry(i) != NULL; i++)
        print_variable(i);
    print_ineffective();
}

void info_print_changed(void)
{
    size_t changed = 0;
    for (size_t i = 0; armcii_config_entry(i) != NULL; i++) {
        if (!info_is_changed(i)) continue;
        print_variable(i);
        changed++;
    }
    if (changed == 0) printf("Every variable has its default value.\n");
    print_ineffective();
}

static void print_markdown_table(bool for_tests)
{
    const struct config_entry *entry;

    printf("\n| variable | values | default | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; (entry = armcii_config_entry(i)) != NULL; i++) {
        if (entry->for_tests != for_tests) continue;
        printf("| %s | ", entry->name);
        for (const char *p = entry->type; *p != '\0'; p++)
            printf(*p == '|' ? "\\|" : "%c", *p);
        printf(" | %s | %s |\n", entry->default_value, entry->help);
    }
}

static void print_markdown_remedies(void)
{
    const char *help;

    printf("\nNames of remedies in ARMCI_QUIRKS, separated by commas: "
           "`ARMCI_QUIRKS=+remote-flush,-pack-puts`. With `none,+NAME` only that "
           "one\n"
           "is applied. `armci-info` prints the known defects of the MPI library in use, with "
           "these names.\n"
           "\n| remedy | meaning |\n|---|---|\n");
    for (enum remedy remedy = 0; remedy < REMEDIES; remedy++) {
        printf("| %s |", armcii_config_remedy(remedy, &help));
        printf(" %s |\n", help);
    }
}

/* An item of a paragraph with lines of at most 140 letters. */
static void print_item(size_t *column, const char *item)
{
    size_t length = strlen(item);

    bool fits = *column + 1 + length < 140; /* with a comma */
    printf("%s%s", fits ? " " : "\n", item);
    *column = fits ? *column + 2 + length : length + 1;
}

static void print_markdown_names(void)
{
    const char *name;
    size_t column = 140;

    printf("\nAccepted as a name of ARMCI-MPI: `ARMCI_NO_FLUSH_LOCAL=yes`, for "
           "`ARMCI_QUIRKS=+remote-flush`.\n");
    printf("\nAccepted for scripts of other ARMCI libraries, without effect:");
    for (size_t i = 0; (name = armcii_config_foreign_name(i, NULL)) != NULL; i++) {
        if (i > 0) printf(",");
        print_item(&column, name);
    }
    printf(".\n");
}

void info_print_markdown(void)
{
    printf("# Environment variables\n\n"
           "Written by `armci-info --markdown` from `src/base/config_table.h`; do not edit.\n\n"
           "No variable is needed. Words are not case-sensitive. `true`, `on`, `1`, `y`, `t` mean "
           "`yes`; `false`, `off`, `0`, `n`, `f` mean\n"
           "`no`. Bytes may have a suffix `k`, `M`, `G` or `T` (powers of 1024). Rank 0 reports "
           "each invalid value, which leaves the default "
           "in\n"
           "force, and each unknown name that begins with `ARMCI_`. `armci-info` prints the values "
           "in force.\n");
    print_markdown_table(false);
    print_markdown_remedies();
    printf("\nFor tests of the library; programs do not need these:\n");
    print_markdown_table(true);
    print_markdown_names();
}
