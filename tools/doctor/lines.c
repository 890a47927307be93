/* lines.c - writing and reading the lines of a job. */
#include "lines.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char sign[] = "@doctor\t";
static int target = -1;

static const char *const words[] = {
    [PASS] = "pass", [AVOIDED] = "avoided", [WRONG] = "WRONG",     [UNUSED] = "unused",
    [NOTE] = "note", [SKIPPED] = "skipped", [UNTRIED] = "untried",
};

const char *outcome_word(enum outcome v)
{
    return words[v];
}

bool outcome_of_word(const char *word, enum outcome *v)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i]) != 0) continue;
        *v = (enum outcome)i;
        return true;
    }
    return false;
}

bool line_parse(struct line *line, const char *text)
{
    if (strncmp(text, sign, strlen(sign)) != 0) return false;
    snprintf(line->text, sizeof line->text, "%s", text + strlen(sign));
    char *at = line->text;
    for (int i = 0; i < LINE_FIELDS; i++) {
        line->field[i] = at;
        at += strcspn(at, i + 1 < LINE_FIELDS ? "\t" : "");
        if (*at == '\t') *at++ = '\0';
    }
    return true;
}

void lines_to(int descriptor)
{
    target = descriptor;
}

void line_write(const char *format, ...)
{
    char text[LINE_ROOM];
    va_list arguments;
    memcpy(text, sign, sizeof sign);
    va_start(arguments, format);
    vsnprintf(text + strlen(sign), sizeof text - sizeof sign - 1, format, arguments);
    va_end(arguments);
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
    size_t n = strlen(text);
    text[n++] = '\n';
    if (write(target, text, n) < 0) _exit(1); /* nobody listens any more */
}
