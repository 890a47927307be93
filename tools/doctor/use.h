/* use.h - what ARMCI does with the environment as it is: found out once, before anything is forced. */
#ifndef DOCTOR_USE_H
#define DOCTOR_USE_H

#include "mpi/quirks.h"
#include "probe.h"

struct use {
    struct quirks quirks; /* in force */
    bool windows;         /* MPI's windows carry data */
    bool servers;          /* requests to servers do */
    bool memfd, mpi;      /* the kind of memory that a node shares; neither: none */
    int nodes;
};
extern struct use use;

/* One way of configuring ARMCI. */
struct way {
    const char *name;
    const char *set[4];     /* "NAME=VALUE", up to NULL */
    bool (*possible)(void); /* asked while it is in force: has it any effect here? NULL: always */
    bool measured;          /* worth comparing with the way in use */
};

/* Set and take back its variables. */
void way_enter(const struct way *w);
void way_leave(const struct way *w);

/* What a way costs, by measurements of rank 0 that all ranks know. */
enum { SPEEDS = 9 };
struct cost {
    double microseconds[SPEEDS];
    bool asynchronous;
};

/* Random operations of all kinds against a model for about `seconds`, ARMCI running. */
void model_run(struct finding *f, double seconds, unsigned seed);
/* All ranks at once: accumulates, rmw and mutexes on the same places. */
void contention_run(struct finding *f);
/* Measure; writes speed lines for the way. */
void cost_measure(const char *way, double seconds_each, struct cost *cost);
/* Milliseconds that put + fence, get, accumulate + fence and rmw take while the target computes for `busy` seconds. */
void cost_busy(double busy, double ms[4]);

extern const char *const speed_names[SPEEDS];

#endif
