/* datatype.h - MPI datatypes that describe one side of a shape. */
#ifndef ARMCII_DATATYPE_H
#define ARMCII_DATATYPE_H

#include <mpi.h>

#include "shape/element.h"
#include "shape/shape.h"

/* The MPI type whose sum is that of one element, or of one part of a complex one; MPI_BYTE is `unit` 1. */
struct basic_type {
    MPI_Datatype type;
    size_t size;
};
struct basic_type armcii_basic_byte(void);
struct basic_type armcii_basic_element(enum element e);

/* Committed datatypes; each segment consists of whole basic types, addresses and strides are any, where nothing else is said.
 *   vector:   nested hvectors over the shape's strides on that side, relative to its first segment; from a cache.
 *   subarray: the same bytes as a block of a dense array; the strides nest on that side and are multiples of the basic type; from a cache.
 *   indexed:  every segment, relative to `origin`; the caller frees it with armcii_datatype_free_indexed. */
MPI_Datatype armcii_datatype_vector(const struct shape *s, enum shape_side side, struct basic_type basic);
MPI_Datatype armcii_datatype_subarray(const struct shape *s, enum shape_side side, struct basic_type basic);
MPI_Datatype armcii_datatype_indexed(const struct shape *s, enum shape_side side, struct basic_type basic, const char *origin);
void armcii_datatype_free_indexed(MPI_Datatype *type);

/* The vector datatype in bytes, made anew; the caller frees it.  Any thread may call this. */
MPI_Datatype armcii_datatype_bytes(const struct shape *s, enum shape_side side);

/* Are datatypes with the shape's strides, or those of one side, right with this MPI library?  Any thread may call this. */
bool armcii_datatype_is_right(const struct shape *s);
bool armcii_datatype_side_is_right(const struct shape *s, enum shape_side side);

/* Free the cache; at the end. */
void armcii_datatype_cache_clear(void);

#endif
