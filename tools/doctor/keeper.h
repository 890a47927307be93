/* keeper.h - supervises a writer of lines that may crash or hang: each probe has a time limit, and
 * a probe that fails gets a row. */
#ifndef DOCTOR_KEEPER_H
#define DOCTOR_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "lines.h"

struct keeper {
    int descriptor;                        /* source of the lines */
    void (*deliver)(const struct line *l); /* receives them */
    double spare;                          /* seconds added to each probe's limit */
    bool other_lines; /* print lines that are not of the protocol on standard error */
    /* state */
    bool ended;     /* the line "end" */
    bool alone;     /* the line "alone": a job of one process, which has said so */
    int rank;       /* -1: unknown */
    char probe[64]; /* the running probe, or "" */
    char outcome[16], workaround[200];
    double deadline;
    char buffer[8192];
    size_t filled;
};

enum keeper_reason { KEEPER_CLOSED, KEEPER_TIME, KEEPER_SIGNAL, KEEPER_PEER };

/* Seconds from start to the first probe. */
enum { KEEPER_START_SECONDS = 30 };

void keeper_start(struct keeper *k, int descriptor, void (*deliver)(const struct line *l));
/* Take lines until the writer exits, a probe exceeds its limit, a signal sets `*ended`, or the
 * descriptor `peers` (-1: none) is readable.
 */
enum keeper_reason keeper_watch(struct keeper *k, const volatile int *ended, int peers);
/* The running probe failed: add a row that says how. No effect if none is running. */
void keeper_fail(struct keeper *k, const char *how);

#endif
