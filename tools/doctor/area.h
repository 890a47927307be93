/* area.h - a window of one kind and what should stand in the slice that this rank writes: for probes of MPI itself.
 *
 * Every rank accesses the next rank's slice and nobody else does; `mirror` is that slice as it should be. */
#ifndef DOCTOR_AREA_H
#define DOCTOR_AREA_H

#include "probe.h"

enum area_kind { AREA_ALLOCATE, AREA_CREATE, AREA_SHARED, AREA_DYNAMIC, AREA_KINDS };

struct area {
    enum area_kind kind;
    MPI_Win win;
    char *slice;      /* this rank's */
    char *mirror;     /* of the target's */
    MPI_Aint origin;  /* displacement of the target's slice */
    int bytes, there; /* of this rank's slice, of the target's */
    void *own;
};

const char *area_kind_name(enum area_kind kind);
/* Collective: slices of `bytes` bytes, which may differ; filled with the rank's own pattern.  false, on all ranks, when
 * MPI refuses; *f then says so. */
bool area_open(struct area *a, enum area_kind kind, int bytes, struct finding *f);
void area_close(struct area *a);
/* After what this rank did there is complete, on all ranks: is the target's slice, as its owner sees it, like the
 * mirror? The first difference goes to *at.  Collective. */
bool area_matches(struct area *a, int *at);
/* The kind that ARMCI takes here where it takes a window; with --probe MPI_Win_allocate. */
enum area_kind area_used(void);
/* Is there a window at all in this job?  false, on all ranks, with the probe left out. */
bool area_possible(struct finding *f);
/* An MPI call that must succeed: false with its name and error. */
bool area_call(struct finding *f, int rc, const char *call);

#endif
