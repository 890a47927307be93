/* table.h - the results: printed row by row as they arrive, and written as JSON. */
#ifndef DOCTOR_TABLE_H
#define DOCTOR_TABLE_H

#include <stdbool.h>

#include "lines.h"
#include "options.h"

struct json;

/* Start an empty table. The files of the options are updated after each row. */
void table_start(const struct options *o);
/* Store one line and print it. */
void table_take(const struct line *line);
/* Does this probe have a row? */
bool table_has(const char *name);
/* The job ended before this probe was tried. No effect if it has a row. */
void table_untried(const char *name);
/* The table as the JSON object `key`; NULL: the document. */
void table_add_json(struct json *j, const char *key);
/* Print the end of the table; returns the exit status.  hint: how to continue; NULL: nothing is
 * left. */
int table_end(const char *hint);

#endif
