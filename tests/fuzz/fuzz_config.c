/* fuzz_config.c - any environment: which values are in force afterwards, and which lines it gives.
 * The input is text, a setting a line; a first byte below 32 stands for a name of the table and '='. */
#include <check.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/config.h"
#include "config_model.h"
#include "input.h"

enum { SETTINGS = 48, TEXT = 1 << 13, LONGEST_LINE = 1024, SHOWN = 100 };

/* The environment, and what was said about it. */
static char text[TEXT];
static char *environment[SETTINGS + 1];
static char complaints[SETTINGS + 1][LONGEST_LINE];
static int complained;

static void collect(const char *line)
{
    ck_assert_msg(strlen(line) < LONGEST_LINE, "a line of %zu letters", strlen(line));
    for (const char *p = line; *p != '\0'; p++)
        ck_assert_msg(!iscntrl((unsigned char)*p), "a control character in: %s", line);
    ck_assert(complained <= SETTINGS);
    strcpy(complaints[complained++], line);
}

/* Append the setting of an input line at text + used; returns what is used then. */
static size_t add_setting(size_t used, const uint8_t *line, size_t length)
{
    char *to = text + used;
    if (length > 0 && line[0] < 32) {
        const char *name = model_table(line[0] % model_entries())->name;
        size_t n = strlen(name);
        memcpy(to, name, n);
        to[n] = '=';
        to += n + 1;
        line++, length--;
    }
    memcpy(to, line, length);
    to[length] = '\0';
    return used + (size_t)(to - (text + used)) + length + 1;
}

/* Cut the input into settings, as many as there is room for. */
static void build_environment(const uint8_t *data, size_t size)
{
    size_t used = 0, n = 0;
    while (size > 0 && n < SETTINGS) {
        size_t length = 0;
        while (length < size && data[length] != '\n' && data[length] != '\0')
            length++;
        if (used + length + 64 > TEXT) break;
        environment[n++] = text + used;
        used = add_setting(used, data, length);
        data += length, size -= length;
        if (size > 0) data++, size--;
    }
    environment[n] = NULL;
}

/* ---- complaints */

/* Does the line begin with that name, as far as names are shown? */
static bool begins_with(const char *line, const char *name, size_t length)
{
    for (size_t i = 0; i < length && i < SHOWN; i++)
        if (line[i] != (iscntrl((unsigned char)name[i]) ? '?' : name[i])) return false;
    return true;
}

static void check_value_complaint(size_t i, const char *line)
{
    const struct config_entry *entry = model_table(i);
    ck_assert_msg(begins_with(line, entry->name, strlen(entry->name)) && strstr(line, "' is invalid (") != NULL &&
                      strstr(line, entry->type) != NULL && strstr(line, "is used") != NULL,
                  "%s: %s", entry->name, line);
}

static void check_name_complaint(const char *name, size_t length, const char *line)
{
    static const char unknown[] = "unknown variable ";
    ck_assert_msg(strncmp(line, unknown, strlen(unknown)) == 0 && begins_with(line + strlen(unknown), name, length), "%.*s: %s",
                  (int)length, name, line);
}

/* ---- the reading, as simply as possible */

struct state {
    bool set[MODEL_ENTRIES];
    uint64_t value[MODEL_ENTRIES];
    int complaints;
    bool unknown;
};

static const char *next_complaint(struct state *s, const char *setting)
{
    ck_assert_msg(s->complaints < complained, "no complaint about %s", setting);
    return complaints[s->complaints++];
}

static bool is_foreign(const char *name, size_t length)
{
    const char *known;
    for (size_t i = 0; (known = armcii_config_foreign_name(i, NULL)) != NULL; i++)
        if (strlen(known) == length && memcmp(known, name, length) == 0) return true;
    return false;
}

static bool is_of_tests(const char *name, size_t length)
{
    return strncmp(name, "ARMCI_TEST_", 11) == 0 || (length == 12 && memcmp(name, "ARMCI_FAULT", 12) == 0);
}

static bool is_old(const char *name, size_t length)
{
    const char *known, *replacement;
    for (size_t i = 0; (known = armcii_config_old_name(i, &replacement)) != NULL; i++)
        if (strlen(known) == length && memcmp(known, name, length) == 0) return true;
    return false;
}

/* The length of the name of a setting of ours; 0: it is none. */
static size_t name_length(const char *setting)
{
    const char *equals = strchr(setting, '=');
    return strncmp(setting, "ARMCI_", 6) == 0 && equals ? (size_t)(equals - setting) : 0;
}

static bool is_yes_or_no(const char *value)
{
    return strchr("+-,", *value) == NULL && strncasecmp(value, "auto", 4) != 0 && strncasecmp(value, "none", 4) != 0 && !strchr(value, ',');
}

static void expect_setting(struct state *s, const char *setting)
{
    size_t length = name_length(setting), i = model_entry(setting, length);
    const char *value = setting + length + 1;
    if (length == 0) return;
    if (i == model_entries()) {
        if (is_of_tests(setting, length) || is_foreign(setting, length) || is_old(setting, length)) return;
        check_name_complaint(setting, length, next_complaint(s, setting));
        s->unknown = true;
    } else if (!s->set[i]) {
        s->set[i] = model_value(i, value, &s->value[i]);
        if (!s->set[i])
            check_value_complaint(i, next_complaint(s, setting));
        else if (strcmp(model_table(i)->name, "ARMCI_QUIRKS") == 0 && is_yes_or_no(value))
            ck_assert(strstr(next_complaint(s, setting), "is an old form; use ARMCI_QUIRKS=") != NULL);
    }
}

/* What stands behind "use" is in force, unless a new name says something else. */
static void replace(struct state *s, const char *setting)
{
    size_t length = name_length(setting), i = model_entry(setting, length);
    uint64_t value;
    ck_assert_msg(i < model_entries() && model_value(i, setting + length + 1, &value), "no setting: %s", setting);
    if (strcmp(model_table(i)->name, "ARMCI_QUIRKS") == 0)
        s->value[i] = model_merge(s->set[i] ? s->value[i] : 0, value);
    else if (!s->set[i])
        s->value[i] = value;
    s->set[i] = true;
}

static void expect_old(struct state *s, const char *setting)
{
    size_t length = name_length(setting), like = model_entry("ARMCI_DEBUG_ALLOC", 17); /* some variable that is yes or no */
    const char *value = setting + length + 1, *use;
    uint64_t place;
    if (length == 0 || !is_old(setting, length)) return;
    bool is_word = model_value(like, value, &place);
    bool valid = is_word || (strncmp(setting, "ARMCI_AVOID_", 12) == 0 && strcasecmp(value, "auto") == 0);
    if (valid && strncmp(setting, "ARMCI_NO_FLUSH_LOCAL=", 21) == 0) {
        if (place == 0) replace(s, "ARMCI_QUIRKS=+remote-flush");
        return;
    }
    const char *line = next_complaint(s, setting);
    ck_assert_msg(begins_with(line, setting, length) && strstr(line, valid ? " is an old form; " : "' is invalid (") != NULL, "%s: %s",
                  setting, line);
    if (valid && (use = strstr(line, "; use ")) != NULL) replace(s, use + 6);
}

/* What is in force, as shown, is what the environment says or else the default. */
static void check_values(const struct state *s)
{
    for (size_t i = 0; i < model_entries(); i++) {
        const struct config_entry *entry = model_table(i);
        char shown[LONGEST_LINE];
        bool set;
        uint64_t value = 0, want = s->value[i];
        armcii_config_value(i, shown, sizeof shown, &set);
        if (!s->set[i]) ck_assert(model_value(i, entry->default_value, &want));
        ck_assert_msg(set == s->set[i], "%s: set: expected %d", entry->name, s->set[i]);
        ck_assert_msg(model_value(i, shown, &value) && value == want, "%s: shown as %s", entry->name, shown);
    }
}

static uint64_t in_force(const struct state *s, const char *name)
{
    size_t i = model_entry(name, strlen(name));
    uint64_t value = s->value[i];
    if (!s->set[i]) ck_assert(model_value(i, model_table(i)->default_value, &value));
    return value;
}

/* A field of each kind holds what is shown. */
static void check_fields(const struct state *s)
{
    uint64_t list = in_force(s, "ARMCI_QUIRKS");
    ck_assert(armcii_config->verbose == in_force(s, "ARMCI_VERBOSE"));
    ck_assert(armcii_config->quirks == !(list >> 63));
    for (int r = 0; r < REMEDIES; r++) {
        enum remedy_policy want = list >> r & 1 ? REMEDY_ON : list >> (r + 32) & 1 ? REMEDY_OFF : REMEDY_AUTO;
        ck_assert(armcii_config->remedies[r] == want);
    }
    ck_assert(armcii_config->eager_max == in_force(s, "ARMCI_EAGER_MAX"));
    ck_assert(armcii_config->errors == (in_force(s, "ARMCI_ERRORS") == 0 ? ERRORS_ABORT : ERRORS_RETURN));
    ck_assert(armcii_config->outstanding_limit == in_force(s, "ARMCI_OUTSTANDING_LIMIT"));
    ck_assert(armcii_config->datatype_limit == in_force(s, "ARMCI_DATATYPE_LIMIT"));
}

static void check_printed(const char *line)
{
    ck_assert_msg(line[0] != '\0' && strlen(line) < LONGEST_LINE && strchr(line, '\n') == NULL, "printed: %s", line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct state s = {.complaints = 0};
    build_environment(data, size);
    complained = 0;
    int said = armcii_config_read(environment, collect);
    ck_assert_msg(said == complained, "%d complaints, %d lines", said, complained);
    ck_assert(model_entries() < MODEL_ENTRIES);
    for (char *const *setting = environment; *setting != NULL; setting++)
        expect_setting(&s, *setting);
    for (char *const *setting = environment; *setting != NULL; setting++)
        expect_old(&s, *setting);
    if (s.unknown) ck_assert(strncmp(next_complaint(&s, "unknown names"), "the variables are ARMCI_", 24) == 0);
    ck_assert_msg(s.complaints == complained, "complaint out of place: %s", complaints[s.complaints]);
    check_values(&s);
    check_fields(&s);
    armcii_config_print(check_printed);
    return 0;
}
