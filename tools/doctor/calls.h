/* calls.h - tests one MPI RMA call with random datatypes against a model. */
#ifndef DOCTOR_CALLS_H
#define DOCTOR_CALLS_H

#include "area.h"
#include "layout.h"

enum call {
    CALL_PUT,
    CALL_GET,
    CALL_ACC,
    CALL_GETACC,
    CALL_RPUT,
    CALL_RGET,
    CALL_RACC,
    CALL_RGETACC
};

const char *call_name(enum call call);

/* Try up to `shapes` shapes or `seconds` on a window whose slices begin and end on pages, with
 * datatypes of `kinds` on both sides. A shape is wrong if it moves wrong data, or completes its
 * request before the data have arrived. */
void calls_try(struct finding *f, enum call call, unsigned kinds, int shapes, double seconds);

#endif
