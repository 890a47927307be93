/* variables.c - the table of environment variables. */
#include "variables.h"

#include <stdio.h>
#include <string.h>

#include "base/config.h"

bool info_is_changed(size_t i)
{
    char value[128];
    return strcmp(armcii_config_value(i, value, sizeof value, NULL), armcii_config_entry(i)->default_value) != 0;
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

static void print_ineffective(void)
{
    for (size_t i = 0; armcii_config_ineffective(i) != NULL; i++)
        printf("%s%s", i == 0 ? "Set, but without effect here: " : ", ", armcii_config_ineffective(i));
    if (armcii_config_ineffective(0) != NULL) printf("\n");
}

void info_print_variables(void)
{
    printf("Environment variables\n");
    for (size_t i = 0; armcii_config_entry(i) != NULL; i++) print_variable(i);
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

void info_print_markdown(void)
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
