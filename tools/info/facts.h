/* facts.h - the sections of the report, printed as text or JSON. */
#ifndef INFO_FACTS_H
#define INFO_FACTS_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_FACTS = 12, FACT_ROOM = 1024 };

enum fact_kind { FACT_TEXT, FACT_COUNT, FACT_BYTES };

struct fact {
    const char *key;   /* in JSON */
    const char *label; /* in the text */
    enum fact_kind kind;
    size_t number; /* SIZE_MAX: no limit, or unknown; null in JSON */
    char text[FACT_ROOM];
};

struct section {
    const char *key, *title; /* title NULL: none is printed */
    size_t count;
    struct fact facts[MOST_FACTS];
};

/* Add a fact; a section has room for MOST_FACTS. */
void info_text(struct section *s, const char *key, const char *label, const char *format, ...) __attribute__((format(printf, 4, 5)));
void info_number(struct section *s, const char *key, const char *label, enum fact_kind kind, size_t number);

void info_print_section(const struct section *s);

#endif
