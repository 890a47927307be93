/* text.c - text that grows as it is written. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

static void make_room(struct text *t, size_t more)
{
    size_t room = t->room ? t->room : 4096;
    while (room - t->used <= more) room *= 2;
    if (room == t->room) return;
    char *bigger = realloc(t->data, room);
    if (!bigger) armcii_fatal("out of memory for a text of %zu bytes", room);
    t->data = bigger;
    t->room = room;
}

void armcii_text_add(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        make_room(t, (size_t)length);
        vsnprintf(t->data + t->used, (size_t)length + 1, format, again);
        t->used += (size_t)length;
    }
    va_end(again);
}

void armcii_text_add_quoted(struct text *t, const char *string)
{
    armcii_text_add(t, "\"");
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\')
            armcii_text_add(t, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            armcii_text_add(t, "\\u%04x", (unsigned)*c);
        else
            armcii_text_add(t, "%c", *c);
    }
    armcii_text_add(t, "\"");
}

void armcii_text_clear(struct text *t)
{
    t->used = 0;
}

void armcii_text_free(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}
