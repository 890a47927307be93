/* area.h - a window of one kind, with a model, for probes of MPI.
 *
 * Only this rank accesses the next rank's slice; `mirror` is the expected content of that slice. */
#ifndef DOCTOR_AREA_H
#define DOCTOR_AREA_H

#include "probe.h"

enum area_kind { AREA_ALLOCATE, AREA_CREATE, AREA_SHARED, AREA_DYNAMIC, AREA_KINDS };

struct area {
    enum area_kind kind;
    MPI_Win win;
    char *slice;      /* this rank's */
    char *mirror;     /* expected content of the target's slice */
    MPI_Aint origin;  /* displacement of the target's slice */
    int bytes, there; /* of this rank's slice, of the target's */
    void *own;
};

const char *area_kind_name(enum area_kind kind);
/* Collective: slices of `bytes` bytes, which may differ by rank, filled with a pattern of the rank.
 * false, on all ranks, if MPI refuses; *f reports it. */
bool area_open(struct area *a, enum area_kind kind, int bytes, struct finding *f);
void area_close(struct area *a);
/* After completion on all ranks: does the target's slice, as its owner sees it, equal the mirror?
 * Stores the first difference in *at. Collective. */
bool area_matches(struct area *a, int *at);
/* The kind of windows that ARMCI uses here; with --probe MPI_Win_allocate. */
enum area_kind area_used(void);
/* Can this job create windows?  false, on all ranks: the probe is skipped. */
bool area_possible(struct finding *f);
/* Did the MPI call succeed?  Otherwise reports its name and error. */
bool area_call(struct finding *f, int rc, const char *call);

#endif
