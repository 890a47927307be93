/* probes.h - the probes, and why their findings may be harmless. */
#ifndef DOCTOR_PROBES_H
#define DOCTOR_PROBES_H

#include "mpi/quirks.h"
#include "probe.h"

/* The paths of ARMCI with the unchanged environment, determined before anything is forced. */
struct use {
    struct quirks quirks; /* in force */
    bool windows;         /* MPI windows carry data */
    bool servers;         /* servers carry data */
    bool shared;          /* the processes of a node share memory */
    int nodes;
};
extern struct use use;

/* The cost of a path, measured by rank 0, the same on all ranks. */
enum { SPEEDS = 9 };
struct cost {
    double microseconds[SPEEDS];
    bool asynchronous;
};

/* Random operations of all kinds against a model for about `seconds`, ARMCI running. */
void model_run(struct finding *f, double seconds, unsigned seed);
/* All ranks concurrently: accumulates, rmw and mutexes on the same memory. */
void contention_run(struct finding *f);
/* Measure, and write speed lines for the path. */
void cost_measure(const char *path, double seconds_each, struct cost *cost);
/* Milliseconds that put + fence, get, accumulate + fence and rmw take while the target computes for
 * `busy` seconds. */
void cost_busy(double busy, double ms[4]);

/* Measure the operations that differ by route, and write a figure line for each; the others wait in
 * MPI, then compute. */
void cost_figures(const char *route);

extern const char *const speed_names[SPEEDS];

/* start.c */
void probe_start(struct finding *f);

/* mpi_windows.c */
void probe_allocate_odd(struct finding *f);
void probe_create_odd(struct finding *f);
void probe_dynamic_odd(struct finding *f);
void probe_shared_odd(struct finding *f);
void probe_create_one(struct finding *f);
void probe_many_windows(struct finding *f);
void probe_group_windows(struct finding *f);

/* mpi_calls.c */
void probe_put_get(struct finding *f);
void probe_accumulate(struct finding *f);
void probe_get_accumulate(struct finding *f);
void probe_put_types(struct finding *f);
void probe_get_types(struct finding *f);
void probe_acc_strided(struct finding *f);
void probe_acc_indexed(struct finding *f);
void probe_getacc_types(struct finding *f);
void probe_negative(struct finding *f);
void probe_byte_strides(struct finding *f);
void probe_many_segments(struct finding *f);
void probe_request_contiguous(struct finding *f);
void probe_rget_types(struct finding *f);
void probe_rput_types(struct finding *f);
void probe_racc_types(struct finding *f);
void probe_outstanding(struct finding *f);
void probe_outstanding_requests(struct finding *f);

/* mpi_atomics.c */
void probe_atomic(struct finding *f);
void probe_atomic_allocate(struct finding *f);
void probe_atomic_create(struct finding *f);
void probe_atomic_mixed(struct finding *f);
void probe_atomic_windows(struct finding *f);
void probe_atomic_vector(struct finding *f);
void probe_atomic_indexed(struct finding *f);

/* mpi_progress.c */
void probe_late_receives(struct finding *f);
void probe_progress(struct finding *f);
void probe_visible(struct finding *f);
/* Report whether put, get, accumulate and a fourth operation, which took `ms` while their target
 * computed, waited for it. Returns how many did. */
int tell_waiting(struct finding *f, const double ms[4], const char *fourth, double busy_seconds);

/* limits.c: collective, while ARMCI runs; rank 0 writes what is scarce in the head of the table. */
void limits_tell(void);

/* forced.c */
void probe_armci(struct finding *f);
void probe_armci_progress(struct finding *f);
void probe_armci_speed(struct finding *f);
/* The probes "path.": each runs with the settings of its name. */
void probe_forced(struct finding *f);
/* If a measured, correct path is clearly better than the default: write advice. */
void probe_advice(struct finding *f);

/* routes.c: each route that is possible between nodes, measured in turn */
void probe_routes(struct finding *f);

/* workarounds.c: is this probe known to end the job with this library, and does ARMCI never make
 * the call? */
bool workaround_is_known(const struct probe *p);
/* Why a defect does no harm; NULL if it does. */
const char *workaround_padded(void);
const char *workaround_no_create(void);
const char *workaround_no_windows(void);
const char *workaround_no_requests(void);
const char *workaround_one_domain(void);
const char *workaround_one_window(void);
const char *workaround_no_get_accumulate(void);
const char *workaround_acc_strided(void);
const char *workaround_acc_indexed(void);
const char *workaround_negative(void);
const char *workaround_byte_strides(void);
const char *workaround_late_receives(void);
const char *workaround_segments(void);
const char *workaround_outstanding(void);
const char *workaround_shared_groups(void);
const char *workaround_dynamic(void);

#endif
