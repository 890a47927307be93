/* options.h - the command line. */
#ifndef DOCTOR_OPTIONS_H
#define DOCTOR_OPTIONS_H

#include <stdbool.h>

struct options {
    const char *launch; /* command that starts an MPI job; NULL: none given */
    const char *json;   /* file to write; NULL: none */
    const char *only;   /* names of probes, separated by commas; NULL: all */
    const char *skip;   /* the same: not these */
    const char *plant;  /* a injected fault, to test the doctor; NULL: none */
    bool probe;         /* MPI alone, without work-arounds */
    bool plain;         /* do not ask MPI for threads */
    bool stream;        /* rank 0 writes lines for a driver instead of the table */
};

/* Read the command line: -1 go on, else the exit status to end with (help was printed, or a complaint). */
int options_read(struct options *o, int argc, char **argv);
/* Is `name` one of the names of a list separated by commas?  A name ending in a dot stands for all that begin so. */
bool options_lists(const char *list, const char *name);
/* Are we started by an MPI launcher? */
bool options_under_launcher(void);

#endif
