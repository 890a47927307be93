/* variables.c - the environment variables, as a report and as doc/reference/variables.md. */
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
    const char *name;
    if (info_ineffective_name(0)) printf("Set without effect\n");
    for (size_t i = 0; (name = info_ineffective_name(i)); i++)
        printf("  %s: %s\n", name, info_reason(name));
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

static void print_markdown_workarounds(void)
{
    const char *help;

    printf("\nNames of workarounds in ARMCI_QUIRKS, separated by commas: "
           "`ARMCI_QUIRKS=+remote-flush,-pack-puts`. With `none,+NAME` only that "
           "one\n"
           "is applied. `armci-info` prints the known defects of the MPI library in use, with "
           "these names.\n"
           "\n| workaround | meaning |\n|---|---|\n");
    for (enum workaround workaround = 0; workaround < WORKAROUNDS; workaround++) {
        printf("| %s |", armcii_config_workaround(workaround, &help));
        printf(" %s |\n", help);
    }
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
           "force. `armci-info` prints the values in force.\n");
    print_markdown_table(false);
    print_markdown_workarounds();
    printf("\nFor tests of the library; programs do not need these:\n");
    print_markdown_table(true);
    info_print_markdown_names();
}
