/* text.h - text that grows as it is written. */
#ifndef ARMCII_TEXT_H
#define ARMCII_TEXT_H

#include <stddef.h>

/* Starts as {0}. */
struct text {
    char *data; /* ends in a 0 byte once something was added */
    size_t used, room;
};

void armcii_text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As a JSON string, in its quotation marks. */
void armcii_text_add_quoted(struct text *t, const char *string);
/* Forget what was written; give the memory back. */
void armcii_text_clear(struct text *t);
void armcii_text_free(struct text *t);

#endif
