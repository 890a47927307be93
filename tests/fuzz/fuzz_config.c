/* fuzz_config.c - any environment: each line that it gives is clean and names a setting; what is in
 * force can be set again as shown. Which value a setting puts in force is asserted by
 * tests/unit/test_config. The input is text, a setting a line; a first byte below 32 stands for a
 * name of the table and '='. */
#include <check.h>
#include <ctype.h>
#include <string.h>

#include "base/config.h"
#include "input.h"

enum { SETTINGS = 48, ENTRIES = 64, TEXT = 1 << 13, LONGEST_LINE = 1024, SHOWN_NAME = 100 };

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

static size_t entries(void)
{
    static size_t n;
    while (armcii_config_entry(n) != NULL)
        n++;
    ck_assert(n < ENTRIES);
    return n;
}

/* Append the setting of an input line at text + used; returns what is used then. */
static size_t add_setting(size_t used, const uint8_t *line, size_t length)
{
    char *to = text + used;
    if (length > 0 && line[0] < 32) {
        const char *name = armcii_config_entry(line[0] % entries())->name;
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

/* Does the line begin with the name of the setting, as far as names are shown? */
static bool names(const char *line, const char *setting)
{
    size_t length = strcspn(setting, "=");
    for (size_t i = 0; i < length && i < SHOWN_NAME; i++)
        if (line[i] != (iscntrl((unsigned char)setting[i]) ? '?' : setting[i])) return false;
    return length > 0;
}

static void check_complaint(const char *line)
{
    static const char unknown[] = "unknown variable ";
    const char *named =
        strncmp(line, unknown, strlen(unknown)) == 0 ? line + strlen(unknown) : line;
    bool found = false;
    for (int i = 0; environment[i] != NULL && !found; i++)
        found = strncmp(environment[i], "ARMCI_", 6) == 0 && names(named, environment[i]);
    ck_assert_msg(found, "a line about no setting: %s", line);
}

/* The values in force as settings, those of them that the environment sets. */
static char shown[ENTRIES][CONFIG_VALUE + 64];
static char *shown_settings[ENTRIES + 1];

static void show_values(void)
{
    size_t n = 0;
    for (size_t i = 0; i < entries(); i++) {
        const struct config_entry *entry = armcii_config_entry(i);
        char value[CONFIG_VALUE];
        bool set;
        armcii_config_value(i, value, sizeof value, &set);
        ck_assert_msg(set || strcmp(value, entry->default_value) == 0, "%s is not set, and is %s",
                      entry->name, value);
        snprintf(shown[i], sizeof shown[i], "%s=%s", entry->name, value);
        if (set) shown_settings[n++] = shown[i];
    }
    shown_settings[n] = NULL;
}

static void check_shown_values_are_accepted(void)
{
    static char former[ENTRIES][CONFIG_VALUE + 64];
    memcpy(former, shown, sizeof former);
    complained = 0;
    armcii_config_read(shown_settings, collect);
    ck_assert_msg(complained == 0, "a value that was in force is refused: %s", complaints[0]);
    show_values();
    for (size_t i = 0; i < entries(); i++)
        ck_assert_msg(strcmp(shown[i], former[i]) == 0, "%s became %s", former[i], shown[i]);
}

static void check_printed(const char *line)
{
    ck_assert_msg(line[0] != '\0' && strlen(line) < LONGEST_LINE && strchr(line, '\n') == NULL,
                  "printed: %s", line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    build_environment(data, size);
    complained = 0;
    int said = armcii_config_read(environment, collect);
    ck_assert_msg(said == complained, "%d complaints, %d lines", said, complained);
    for (int i = 0; i < complained; i++)
        check_complaint(complaints[i]);
    armcii_config_print(check_printed);
    show_values();
    check_shown_values_are_accepted();
    return 0;
}
