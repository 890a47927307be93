/* table.h - everything that was found: printed row by row as it comes in, and written as JSON. */
#ifndef DOCTOR_TABLE_H
#define DOCTOR_TABLE_H

#include <stdbool.h>

#include "lines.h"

/* Start an empty table; json: the file to keep up to date, NULL: none. */
void table_start(const char *json, bool probing);
/* Take one line in and print what it says. */
void table_take(const struct line *line);
/* Has this probe a row? */
bool table_has(const char *name);
/* The job ended before this probe was tried; nothing where it has a row. */
void table_untried(const char *name);
/* Print the end of the table; returns the exit status.  `hint`: how to go on, NULL: nothing is left. */
int table_end(const char *hint);

#endif
