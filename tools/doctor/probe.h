/* probe.h - what a probe is: one question, answered by all ranks of the job together. */
#ifndef DOCTOR_PROBE_H
#define DOCTOR_PROBE_H

#include <mpi.h>
#include <stdbool.h>

#include "../../tests/lib/clock.h"
#include "../../tests/lib/rng.h"

/* What a probe found on this rank.  The wrong ones of all ranks are added; the first text of the lowest such rank is
 * told. */
struct finding {
    long tried, wrong;
    bool skipped, note; /* alike on all ranks */
    char text[200];     /* rank 0's, when nothing is wrong */
    char trouble[200];
};

enum section { SECTION_START, SECTION_USED, SECTION_MPI, SECTION_FORCED, SECTION_DANGER };

struct probe {
    const char *name, *title;
    enum section section;
    int seconds;    /* it must have ended by then */
    bool dangerous; /* may crash or hang where MPI has a known defect */
    void (*run)(struct finding *f);
    const char *(*remedy)(
        void); /* why a defect found here does no harm; returns NULL where it does, is NULL where it always does */
};

/* In the order in which they run, from safe to dangerous; ends with a name NULL. */
extern const struct probe probes[];
/* The probe of that name; NULL: there is none. */
const struct probe *probe_named(const char *name);
const char *section_title(enum section s);

/* Count one attempt; where !ok it is wrong, and the text says what was tried and seen.  Returns ok. */
bool found(struct finding *f, bool ok, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The text for a probe that passes, or only notes. */
void tell(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* It cannot be tried here; called on all ranks. */
void leave_out(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The job as seen by this rank. */
struct job {
    MPI_Comm comm; /* errors are returned */
    int rank, size;
    int target; /* whose memory this rank accesses: the next rank */
    int origin; /* who accesses ours: the rank before */
    int nodes;
    bool here;    /* is the target on this node? */
    int level;    /* MPI's thread level */
    bool windows; /* MPI makes windows at that level */
    bool probing; /* --probe */
    bool plain;   /* threads were ruled out by the doctor, not by the user */
    bool careful; /* the job is the only one: do not let it end for what is known */
};
extern const struct job *const job;

/* Have all ranks of the job gone on for `seconds` since `begun`?  Rank 0's clock decides; collective. */
bool over(double begun, double seconds);
/* Compute, without calling MPI. */
void keep_busy(double seconds);

#endif
