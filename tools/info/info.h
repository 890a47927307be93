/* info.h - the parts of armci-info. */
#ifndef INFO_INFO_H
#define INFO_INFO_H

#include <stdbool.h>
#include <stddef.h>

struct json;

/* ---- gather.c: sections of facts, and the known defects of the MPI library. The configuration
 * must have been read. ---- */

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

/* "major.minor.patch" of this ARMCI-RMA. */
const char *info_version(void);
/* The text of MPI_Get_library_version; needs no MPI_Init. */
const char *info_mpi_library(void);

/* Section i of the report, NULL after the last. */
const struct section *info_section(size_t i);
void info_print_section(const struct section *s);

/* Does row i of the table concern the library in use?  Where: jobs on one node, on several. */
bool info_quirk_concerns(size_t i, bool *on_one_node, bool *on_several);
void info_print_quirks(void);

/* ---- variables.c: the environment variables ---- */

/* Is the value in force of entry i another one than the default? */
bool info_is_changed(size_t i);
/* Every variable with its type, default and value in force; or only those whose value is not the
 * default. */
void info_print_variables(void);
void info_print_changed(void);
void info_print_markdown(void);

/* Print doc/reference/defects.md. */
void info_print_defects(void);

/* ---- names.c: variables without effect ---- */

/* Name i of those that are set, valid until the next call; NULL after the last. */
const char *info_ineffective_name(size_t i);
/* Whose it is, or what was probably meant. */
const char *info_reason(const char *name);
void info_print_markdown_names(void);

/* ---- program.c ---- */

/* Which ARMCI and MPI library the program uses. Returns 0, or 1 if the file cannot be read or no
 * ARMCI was found. */
int info_print_program(const char *file);

/* ---- json.c ---- */

/* The object `key` (NULL: the document) with everything; of the variables those for which `wanted`
 * (NULL: all). */
void info_add_json(struct json *j, const char *key, bool (*wanted)(size_t variable));

#endif
