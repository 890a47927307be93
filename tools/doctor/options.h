/* options.h - the command line, and the two modes of the doctor. */
#ifndef DOCTOR_OPTIONS_H
#define DOCTOR_OPTIONS_H

#include <stdbool.h>

struct options {
    const char *launch; /* command that starts an MPI job; NULL: none given */
    const char *json;   /* file to write; NULL: none */
    const char *report; /* file to write, with what else a bug report needs; NULL: none */
    const char *only;   /* names of probes, separated by commas; NULL: all */
    const char *skip;   /* the same: not these */
    const char *plant;  /* an injected fault, to test the doctor; NULL: none */
    bool probe;         /* MPI alone, without work-arounds */
    bool plain;         /* do not request threads from MPI */
    bool stream;        /* rank 0 writes lines for a driver instead of the table */
};

/* Is `name` one of the names of a list separated by commas?  A name that ends in a dot is a prefix.
 */
bool options_lists(const char *list, const char *name);

/* drive.c: started without a launcher; starts MPI jobs until every probe has been tried, and prints
 * the table.  program: armci-doctor as it was called. Returns the exit status. */
int drive(const struct options *o, const char *program);
/* supervise.c: one rank of a job; a keeper that does not call MPI, and a child that runs the
 * probes. Returns the exit status. */
int supervise(const struct options *o);

#endif
