/* json.c - the report as JSON: an object of the sections' objects, "quirks" and "variables" arrays of objects. */
#include "json.h"

#include <stdint.h>
#include <stdio.h>

#include "base/config.h"
#include "gather.h"
#include "mpi/quirks.h"
#include "quirks.h"

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
    }
    putchar('"');
}

/* A member of an object; `before` ends what stands before it. */
static void print_member(const char *before, const char *key, const char *text)
{
    printf("%s", before);
    print_string(key);
    printf(": ");
    print_string(text);
}

static void print_flag(const char *key, bool flag)
{
    printf(", ");
    print_string(key);
    printf(": %s", flag ? "true" : "false");
}

static void print_fact(const char *before, const struct fact *f)
{
    if (f->kind == FACT_TEXT) {
        print_member(before, f->key, f->text);
        return;
    }
    printf("%s", before);
    print_string(f->key);
    if (f->number == SIZE_MAX)
        printf(": null");
    else
        printf(": %zu", f->number);
}

static void print_sections(void)
{
    const struct section *s;
    for (size_t i = 0; (s = info_section(i)) != NULL; i++) {
        printf("  ");
        print_string(s->key);
        printf(": {");
        for (size_t k = 0; k < s->count; k++) print_fact(k == 0 ? "\n    " : ",\n    ", &s->facts[k]);
        printf("\n  },\n");
    }
}

static void print_quirks(void)
{
    bool one, several;
    const char *before = "\n    {";
    printf("  \"quirks\": [");
    for (size_t i = 0; armcii_quirk_row(i); i++) {
        const struct quirk_row *row = armcii_quirk_row(i);
        if (!info_quirk_concerns(i, &one, &several)) continue;
        print_member(before, "defect", row->defect);
        print_member(", ", "remedy", row->remedy);
        print_member(", ", "reference", row->reference);
        print_flag("on_one_node", one);
        print_flag("between_nodes", several);
        print_flag("in_force", armcii_config->quirks);
        before = "},\n    {";
    }
    printf(before[0] == '}' ? "}\n  ],\n" : "],\n");
}

static void print_variable(const char *before, size_t i)
{
    bool set;
    char value[CONFIG_VALUE];
    const struct config_entry *entry = armcii_config_entry(i);
    armcii_config_value(i, value, sizeof value, &set);
    print_member(before, "name", entry->name);
    print_member(", ", "value", value);
    print_member(", ", "default", entry->default_value);
    print_member(", ", "type", entry->type);
    print_member(", ", "meaning", entry->help);
    print_flag("set", set);
    print_flag("for_tests", entry->for_tests);
}

static void print_variables(bool (*wanted)(size_t variable))
{
    const char *before = "\n    {";
    printf("  \"variables\": [");
    for (size_t i = 0; armcii_config_entry(i) != NULL; i++) {
        if (wanted && !wanted(i)) continue;
        print_variable(before, i);
        before = "},\n    {";
    }
    printf(before[0] == '}' ? "}\n  ]," : "],");
    printf("\n  \"without_effect\": [");
    const char *name;
    bool set;
    before = "";
    for (size_t i = 0; (name = armcii_config_foreign_name(i, &set)) != NULL; i++) {
        if (!set) continue;
        printf("%s", before);
        print_string(name);
        before = ", ";
    }
    printf("]\n");
}

void info_print_json(bool (*wanted)(size_t variable))
{
    printf("{\n");
    print_sections();
    print_quirks();
    print_variables(wanted);
    printf("}\n");
}
