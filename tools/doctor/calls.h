/* calls.h - one call of MPI's one-sided family with random datatypes against a model. */
#ifndef DOCTOR_CALLS_H
#define DOCTOR_CALLS_H

#include "area.h"
#include "layout.h"

enum call { CALL_PUT, CALL_GET, CALL_ACC, CALL_GETACC, CALL_RPUT, CALL_RGET, CALL_RACC, CALL_RGETACC };

const char *call_name(enum call call);

/* Try up to `shapes` shapes or `seconds` on a window whose slices begin and end on pages, both sides with datatypes of
 * a kind among `kinds`. Every shape that moves wrong data, or completes its request before the data are there, counts
 * as wrong. */
void calls_try(struct finding *f, enum call call, unsigned kinds, int shapes, double seconds);

#endif
