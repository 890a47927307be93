/* probe.h - a probe: a collective test of one property. */
#ifndef DOCTOR_PROBE_H
#define DOCTOR_PROBE_H

#include <mpi.h>
#include <stdbool.h>

#include "../lib/clock.h"
#include "../lib/rng.h"

/* The result of a probe on this rank. The counts of all ranks are added; the lowest rank with an
 * error supplies `trouble`. */
struct probe;
struct finding {
    const struct probe *probe;
    long tried, wrong;
    bool skipped, note; /* alike on all ranks */
    char text[200];     /* of rank 0, if nothing is wrong */
    char trouble[200];
};

enum section {
    SECTION_START,
    SECTION_USED,
    SECTION_MPI,
    SECTION_FORCED,
    SECTION_ROUTES,
    SECTION_DANGER
};

struct probe {
    const char *name, *title;
    enum section section;
    int seconds;    /* time limit */
    bool dangerous; /* may crash or hang where MPI has a known defect */
    void (*run)(struct finding *f);
    const char *(*workaround)(void); /* why a defect does no harm; NULL, or a function that returns
                                    NULL, if it does harm */
};

/* The first probe in the order of execution, from safe to dangerous, and the one after; NULL behind
 * the last one. */
const struct probe *probe_first(void);
const struct probe *probe_after(const struct probe *p);
/* The probe of that name, or NULL. */
const struct probe *probe_named(const char *name);
const char *section_title(enum section s);

/* Count one attempt. If !ok, the attempt is wrong and the text describes it. Returns ok. */
bool found(struct finding *f, bool ok, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The text of a probe that passes or is a note. */
void tell(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Skip the probe; called on all ranks. */
void leave_out(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The job as seen by this rank. */
struct job {
    MPI_Comm comm; /* errors are returned */
    int rank, size;
    int target; /* whose memory this rank accesses: the next rank */
    int origin; /* the rank that accesses this rank's memory: the rank before */
    int nodes;
    bool here;    /* is the target on this node? */
    int level;    /* MPI's thread level */
    bool windows; /* MPI makes windows at that level */
    bool probing; /* --probe */
    bool plain;   /* the doctor excluded threads, not the user */
    bool careful; /* there is no other job: skip calls that are known to end it */
};
extern const struct job *const job;

/* Have `seconds` passed since `begun`? Rank 0's clock decides; collective. */
bool over(double begun, double seconds);
/* Compute, without calling MPI. */
void keep_busy(double seconds);

#endif
