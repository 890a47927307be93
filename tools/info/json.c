/* json.c - the report as JSON: an object of the sections' objects, "quirks" and "variables" arrays
 * of objects. */
#include "info.h"

#include <stdint.h>

#include "base/config.h"
#include "../lib/json.h"
#include "mpi/quirks.h"

static void add_sections(struct json *j)
{
    const struct section *s;
    for (size_t i = 0; (s = info_section(i)) != NULL; i++) {
        armcii_json_line(j);
        armcii_json_open(j, s->key, '{');
        for (const struct fact *f = s->facts; f < s->facts + s->count; f++) {
            armcii_json_line(j);
            if (f->kind == FACT_TEXT)
                armcii_json_text(j, f->key, f->text);
            else if (f->number == SIZE_MAX)
                armcii_json_null(j, f->key);
            else
                armcii_json_count(j, f->key, f->number);
        }
        armcii_json_close(j, '}');
    }
}

static void add_quirks(struct json *j)
{
    bool one, several;
    armcii_json_line(j);
    armcii_json_open(j, "quirks", '[');
    for (size_t i = 0; armcii_quirk_row(i); i++) {
        const struct quirk_row *row = armcii_quirk_row(i);
        if (!info_quirk_concerns(i, &one, &several)) continue;
        armcii_json_line(j);
        armcii_json_open(j, NULL, '{');
        armcii_json_text(j, "defect", row->defect);
        armcii_json_text(j, "workaround", row->workaround);
        armcii_json_text(j, "reference", row->reference);
        armcii_json_bool(j, "on_one_node", one);
        armcii_json_bool(j, "between_nodes", several);
        armcii_json_bool(j, "in_force", armcii_config->quirks);
        armcii_json_close(j, '}');
    }
    armcii_json_close(j, ']');
}

static void add_variable(struct json *j, size_t i)
{
    bool set;
    char value[CONFIG_VALUE];
    const struct config_entry *entry = armcii_config_entry(i);
    armcii_config_value(i, value, sizeof value, &set);
    armcii_json_line(j);
    armcii_json_open(j, NULL, '{');
    armcii_json_text(j, "name", entry->name);
    armcii_json_text(j, "value", value);
    armcii_json_text(j, "default", entry->default_value);
    armcii_json_text(j, "type", entry->type);
    armcii_json_text(j, "meaning", entry->help);
    armcii_json_bool(j, "set", set);
    armcii_json_bool(j, "for_tests", entry->for_tests);
    armcii_json_close(j, '}');
}

static void add_variables(struct json *j, bool (*wanted)(size_t variable))
{
    armcii_json_line(j);
    armcii_json_open(j, "variables", '[');
    for (size_t i = 0; armcii_config_entry(i); i++)
        if (!wanted || wanted(i)) add_variable(j, i);
    armcii_json_close(j, ']');
    armcii_json_line(j);
    armcii_json_open(j, "without_effect", '[');
    const char *name;
    for (size_t i = 0; (name = info_ineffective_name(i)); i++)
        armcii_json_text(j, NULL, name);
    armcii_json_close(j, ']');
}

void info_add_json(struct json *j, const char *key, bool (*wanted)(size_t variable))
{
    armcii_json_open(j, key, '{');
    add_sections(j);
    add_quirks(j);
    add_variables(j, wanted);
    armcii_json_line(j);
    armcii_json_close(j, '}');
}
