/* datatype.h - MPI datatypes that describe one side of a shape. */
#ifndef ARMCII_DATATYPE_H
#define ARMCII_DATATYPE_H

#include <mpi.h>

#include "shape/accumulate.h"
#include "shape/shape.h"

/* The MPI type of an element, or of the parts of a complex element, and its size in bytes. */
struct basic_type {
    MPI_Datatype type;
    size_t size;
};
struct basic_type armcii_basic_byte(void);
struct basic_type armcii_basic_element(enum element e);

/* Committed datatypes. Each segment consists of whole basic types; addresses and strides are
 * arbitrary unless stated otherwise.
 * - vector: cached; nested hvectors with the strides of that side, relative to its first segment.
 * - subarray: cached; the same bytes as a block of a dense array. The strides nest on that side
 *   and are multiples of the basic type; others need a vector. MPICH 4.0.2 puts and gets subarrays
 *   in 0.75 to 0.96 of the time of vectors, Open MPI 4.1.4 in 1.0 (one node, AMD EPYC family 25).
 * - indexed: all segments, relative to `origin`; the caller frees it with
 *   armcii_datatype_free_indexed. */
MPI_Datatype armcii_datatype_vector(const struct shape *s, enum shape_side side,
                                    struct basic_type basic);
MPI_Datatype armcii_datatype_subarray(const struct shape *s, enum shape_side side,
                                      struct basic_type basic);
MPI_Datatype armcii_datatype_indexed(const struct shape *s, enum shape_side side,
                                     struct basic_type basic, const char *origin);
void armcii_datatype_free_indexed(MPI_Datatype *type);

/* A new vector datatype of bytes, not cached; the caller frees it. Thread-safe. */
MPI_Datatype armcii_datatype_bytes(const struct shape *s, enum shape_side side);

/* True if this MPI library handles datatypes with the strides of the shape, or of one side,
 * correctly. Thread-safe. */
bool armcii_datatype_is_supported(const struct shape *s);
bool armcii_datatype_side_is_supported(const struct shape *s, enum shape_side side);

/* Frees the cached types. */
void armcii_datatype_cache_clear(void);

#endif
