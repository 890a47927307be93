/* type_map.h - where the bytes of an MPI datatype are, read back from how it was constructed. */
#ifndef FUZZ_TYPE_MAP_H
#define FUZZ_TYPE_MAP_H

#include <mpi.h>
#include <stddef.h>

/* Displacements of the basic elements in order; `basic` is MPI_DATATYPE_NULL until the first one is met. */
struct type_map {
    MPI_Datatype basic;
    size_t n, room;
    MPI_Aint *at;
};

/* Append the elements of `type`, itself displaced by `at`.  Fails where it consists of several basic types, or is made
 * in a way that the library does not use. */
void type_map_read(struct type_map *map, MPI_Datatype type, MPI_Aint at);
void type_map_free(struct type_map *map);

#endif
