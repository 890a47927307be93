/* facts.c - sections of facts, and their text. */
#include "facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system.h"

static struct fact *add(struct section *s, const char *key, const char *label, enum fact_kind kind)
{
    if (s->count == MOST_FACTS) abort(); /* raise MOST_FACTS */
    struct fact *f = &s->facts[s->count++];
    *f = (struct fact){.key = key, .label = label, .kind = kind};
    return f;
}

void info_text(struct section *s, const char *key, const char *label, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(add(s, key, label, FACT_TEXT)->text, FACT_ROOM, format, args);
    va_end(args);
}

void info_number(struct section *s, const char *key, const char *label, enum fact_kind kind, size_t number)
{
    struct fact *f = add(s, key, label, kind);
    f->number = number;
    if (kind == FACT_BYTES)
        armcii_system_format_bytes(number, f->text, FACT_ROOM);
    else
        armcii_system_format_count(number, f->text, FACT_ROOM);
}

void info_print_section(const struct section *s)
{
    if (s->title) printf("%s\n", s->title);
    for (size_t i = 0; i < s->count; i++)
        printf("%s%-*s  %s\n", s->title ? "  " : "", s->title ? 26 : 12, s->facts[i].label, s->facts[i].text);
}
