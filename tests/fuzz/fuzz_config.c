/* fuzz_config.c - any environment: which values are in force afterwards, what is complained about and how.
 * The input is text, a setting a line; a first byte below 32 stands for a name of the table and '='. */
#include <check.h>
#include <ctype.h>
#include <string.h>

#include "base/config.h"
#include "config_model.h"
#include "input.h"

enum { SETTINGS = 48, TEXT = 1 << 13, LONGEST_LINE = 512, SHOWN = 100 };

/* The environment, and what was said about it. */
static char text[TEXT];
static char *environment[SETTINGS + 1];
static char complaints[SETTINGS][LONGEST_LINE];
static int complained;

static void collect(const char *line)
{
    ck_assert_msg(strlen(line) < LONGEST_LINE, "a line of %zu letters", strlen(line));
    for (const char *p = line; *p != '\0'; p++)
        ck_assert_msg(!iscntrl((unsigned char)*p), "a control character in: %s", line);
    ck_assert(complained < SETTINGS);
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

/* What a complaint proposes, into guess; false: nothing. */
static bool proposed(const char *line, char guess[LONGEST_LINE])
{
    static const char words[] = "did you mean ";
    const char *found = NULL;
    for (const char *p = line; (p = strstr(p, words)) != NULL; p++)
        found = p + strlen(words);
    size_t length = strlen(line);
    if (found == NULL || line[length - 1] != '?') return false;
    snprintf(guess, LONGEST_LINE, "%.*s", (int)(line + length - 1 - found), found);
    return true;
}

static void check_value_complaint(size_t i, const char *line)
{
    const struct config_entry *entry = model_table(i);
    char guess[LONGEST_LINE];
    uint64_t value;
    ck_assert_msg(begins_with(line, entry->name, strlen(entry->name)) && strstr(line, "' is not valid (") != NULL &&
                      strstr(line, entry->type) != NULL && strstr(line, "stays in force") != NULL,
                  "%s: %s", entry->name, line);
    if (proposed(line, guess)) ck_assert_msg(model_value(i, guess, &value), "no right value: %s", line);
}

static void check_name_complaint(const char *name, size_t length, const char *line)
{
    char guess[LONGEST_LINE];
    ck_assert_msg(begins_with(line, name, length) && strstr(line, " is no variable of this library") != NULL,
                  "%.*s: %s", (int)length, name, line);
    if (proposed(line, guess)) ck_assert_msg(model_entry(guess, strlen(guess)) < model_entries(), "no name: %s", line);
}

/* ---- the reading in the plainest way */

struct state {
    bool set[MODEL_ENTRIES];
    uint64_t value[MODEL_ENTRIES];
    int complaints;
};

static const char *next_complaint(struct state *s, const char *setting)
{
    ck_assert_msg(s->complaints < complained, "no complaint about %s", setting);
    return complaints[s->complaints++];
}

static bool is_foreign(const char *name, size_t length)
{
    const char *known;
    for (size_t i = 0; (known = armcii_config_ineffective(i)) != NULL; i++)
        if (strlen(known) == length && memcmp(known, name, length) == 0) return true;
    return false;
}

static bool is_of_tests(const char *name, size_t length)
{
    return strncmp(name, "ARMCI_TEST_", 11) == 0 || (length == 12 && memcmp(name, "ARMCI_FAULT", 12) == 0);
}

static void expect_setting(struct state *s, const char *setting)
{
    const char *equals = strchr(setting, '=');
    if (strncmp(setting, "ARMCI_", 6) != 0 || equals == NULL) return;
    size_t length = (size_t)(equals - setting), i = model_entry(setting, length);
    if (i == model_entries()) {
        if (is_of_tests(setting, length) || is_foreign(setting, length)) return;
        check_name_complaint(setting, length, next_complaint(s, setting));
    } else if (!s->set[i]) {
        s->set[i] = model_value(i, equals + 1, &s->value[i]);
        if (!s->set[i]) check_value_complaint(i, next_complaint(s, setting));
    }
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

/* A field of each kind holds what is shown; words of a flag are "yes|no". */
static void check_fields(const struct state *s)
{
    ck_assert(armcii_config->verbose == (in_force(s, "ARMCI_VERBOSE") == 0));
    ck_assert(armcii_config->quirks == (in_force(s, "ARMCI_QUIRKS") == 0));
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
    ck_assert_msg(s.complaints == complained, "complaint out of place: %s", complaints[s.complaints]);
    check_values(&s);
    check_fields(&s);
    armcii_config_print(check_printed);
    return 0;
}
