/* keeper.h - watching over something that writes lines and may crash or hang: each probe has its time, and one that
 * ends badly gets a row. */
#ifndef DOCTOR_KEEPER_H
#define DOCTOR_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "lines.h"

struct keeper {
    int descriptor;                        /* where the lines come from */
    void (*deliver)(const struct line *l); /* where they go */
    double spare;                          /* seconds added to each probe's limit */
    bool other_lines;                      /* print lines that are none of ours on standard error */
    /* what has been seen */
    bool ended;     /* the line "end" */
    int rank;       /* -1: not known yet */
    char probe[64]; /* that runs now; "": none */
    char verdict[16], remedy[200];
    double deadline;
    char buffer[8192];
    size_t filled;
};

enum keeper_reason { KEEPER_CLOSED, KEEPER_TIME, KEEPER_SIGNAL, KEEPER_PEER };

/* Seconds from start to the first probe. */
enum { KEEPER_START_SECONDS = 30 };

void keeper_start(struct keeper *k, int descriptor, void (*deliver)(const struct line *l));
/* Take lines until the writer is gone, a probe's time is over, `*ended` becomes nonzero by a signal, or the descriptor
 * `peers` (-1: none) has something to say. */
enum keeper_reason keeper_watch(struct keeper *k, const volatile int *ended, int peers);
/* The probe that runs ended badly: give it a row that says how.  Nothing where none runs. */
void keeper_fail(struct keeper *k, const char *how);

#endif
