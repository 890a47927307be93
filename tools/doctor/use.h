/* use.h - the paths of ARMCI with the unchanged environment, determined before anything is forced. */
#ifndef DOCTOR_USE_H
#define DOCTOR_USE_H

#include "mpi/quirks.h"
#include "probe.h"

struct use {
    struct quirks quirks; /* in force */
    bool windows;         /* MPI windows carry data */
    bool servers;         /* servers carry data */
    bool memfd, mpi;      /* kind of shared memory; neither: none */
    int nodes;
};
extern struct use use;

/* The cost of a path, measured by rank 0, known to all ranks. */
enum { SPEEDS = 9 };
struct cost {
    double microseconds[SPEEDS];
    bool asynchronous;
};

/* Random operations of all kinds against a model for about `seconds`, ARMCI running. */
void model_run(struct finding *f, double seconds, unsigned seed);
/* All ranks at once: accumulates, rmw and mutexes on the same places. */
void contention_run(struct finding *f);
/* Measure, and write speed lines for the path. */
void cost_measure(const char *path, double seconds_each, struct cost *cost);
/* Milliseconds that put + fence, get, accumulate + fence and rmw take while the target computes for `busy` seconds. */
void cost_busy(double busy, double ms[4]);

extern const char *const speed_names[SPEEDS];

#endif
