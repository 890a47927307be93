/* options.h - the command line. */
#ifndef ARMCI_BENCH_OPTIONS_H
#define ARMCI_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

enum { MOST_THREADS = 64 };

struct options {
    char **words; /* which groups */
    int word_count;
    double seconds;    /* for a row */
    int threads;       /* of each rank, in the rows of stall */
    const char *json;  /* file, or NULL */
    const char *label; /* name of the run in the file, or NULL */
    bool progress, instructions, help;
};

/* Read the command line; false, with the reason in `why`, if it is invalid. */
bool options_read(int argc, char **argv, struct options *options, char *why, size_t room);
/* Is the group selected? */
bool options_want(const struct options *options, const char *word);
void options_usage(FILE *out);

#endif
