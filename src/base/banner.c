/* banner.c - the configuration as a short block of lines: what differs from its default in full, the rest as one
 * paragraph. */
#include "base/config.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, LINE = 512 };

/* Words put together into lines of WIDTH letters. */
struct paragraph {
    void (*line)(const char *text);
    size_t used;
    char text[LINE];
};

static void start(struct paragraph *p, const char *text)
{
    snprintf(p->text, sizeof p->text, "%s", text);
    p->used = strlen(p->text);
}

/* Append a word; prints the line so far where the word does not fit on it. */
static void add(struct paragraph *p, const char *word)
{
    if (p->used + 1 + strlen(word) > WIDTH) {
        p->line(p->text);
        start(p, "   ");
    }
    snprintf(p->text + p->used, sizeof p->text - p->used, " %s", word);
    p->used = strlen(p->text);
}

/* Is entry i at its default? */
static bool is_default(size_t i)
{
    char value[LINE];

    return strcmp(armcii_config_value(i, value, sizeof value, NULL), armcii_config_entry(i)->default_value) == 0;
}

static void print_changed(void (*line)(const char *text))
{
    const struct config_entry *entry;

    for (size_t i = 0; (entry = armcii_config_entry(i)) != NULL; i++) {
        char value[128], text[LINE];
        if (!entry->effective || is_default(i)) continue;
        armcii_config_value(i, value, sizeof value, NULL);
        snprintf(text, sizeof text, "%s=%s (default %s): %s", entry->name, value, entry->default_value, entry->help);
        line(text);
    }
}

static void print_unchanged(void (*line)(const char *text))
{
    struct paragraph p = {.line = line};
    const struct config_entry *entry;

    start(&p, "defaults:");
    for (size_t i = 0; (entry = armcii_config_entry(i)) != NULL; i++) {
        char word[128];
        if (!entry->effective || !is_default(i)) continue;
        snprintf(word, sizeof word, "%s=%s", entry->name, entry->default_value);
        add(&p, word);
    }
    line(p.text);
}

static void print_ineffective(void (*line)(const char *text))
{
    struct paragraph p = {.line = line};

    if (armcii_config_ineffective(0) == NULL) return;
    start(&p, "set, but without effect here:");
    for (size_t i = 0; armcii_config_ineffective(i) != NULL; i++)
        add(&p, armcii_config_ineffective(i));
    line(p.text);
}

void armcii_config_print(void (*line)(const char *text))
{
    print_changed(line);
    print_unchanged(line);
    print_ineffective(line);
}
