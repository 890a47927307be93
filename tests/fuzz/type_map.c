/* type_map.c - where the bytes of an MPI datatype are, by the definitions of its constructors in the standard. */
#include "type_map.h"

#include <check.h>

struct contents {
    int combiner, integers, addresses, types;
    int *integer;
    MPI_Aint *address, extent; /* extent: of the type inside */
    MPI_Datatype inner;
};

static void get_contents(struct contents *c, MPI_Datatype type)
{
    MPI_Aint lb;
    c->integer = malloc((size_t)(c->integers + 1) * sizeof *c->integer);
    c->address = malloc((size_t)(c->addresses + 1) * sizeof *c->address);
    ck_assert(c->integer != NULL && c->address != NULL && c->types == 1);
    MPI_Type_get_contents(type, c->integers, c->addresses, c->types, c->integer, c->address, &c->inner);
    MPI_Type_get_extent(c->inner, &lb, &c->extent);
}

static void free_contents(struct contents *c)
{
    int integers, addresses, types, combiner;
    MPI_Type_get_envelope(c->inner, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&c->inner);
    free(c->integer);
    free(c->address);
}

/* `n` of the inner type, one after the other. */
static void read_block(struct type_map *map, const struct contents *c, int n, MPI_Aint at)
{
    for (int i = 0; i < n; i++)
        type_map_read(map, c->inner, at + i * c->extent);
}

/* Dimension d of a subarray and all after it, in C order; `at` is of the first element of that row of the array. */
static void read_dimension(struct type_map *map, const struct contents *c, int d, MPI_Aint at)
{
    int n = c->integer[0];
    const int *sizes = c->integer + 1, *parts = sizes + n, *starts = parts + n;
    if (d == n) {
        type_map_read(map, c->inner, at);
        return;
    }
    MPI_Aint row = c->extent;
    for (int k = d + 1; k < n; k++)
        row *= sizes[k];
    for (int i = 0; i < parts[d]; i++)
        read_dimension(map, c, d + 1, at + (starts[d] + i) * row);
}

static void read_named(struct type_map *map, MPI_Datatype type, MPI_Aint at)
{
    if (map->basic == MPI_DATATYPE_NULL) map->basic = type;
    ck_assert_msg(map->basic == type, "several basic types");
    if (map->n == map->room) {
        map->room = 2 * map->room + 64;
        map->at = realloc(map->at, map->room * sizeof *map->at);
        ck_assert_ptr_nonnull(map->at);
    }
    map->at[map->n++] = at;
}

void type_map_read(struct type_map *map, MPI_Datatype type, MPI_Aint at)
{
    struct contents c;
    MPI_Type_get_envelope(type, &c.integers, &c.addresses, &c.types, &c.combiner);
    if (c.combiner == MPI_COMBINER_NAMED) {
        read_named(map, type, at);
        return;
    }
    get_contents(&c, type);
    switch (c.combiner) {
    case MPI_COMBINER_CONTIGUOUS:
        read_block(map, &c, c.integer[0], at);
        break;
    case MPI_COMBINER_HVECTOR:
        for (int i = 0; i < c.integer[0]; i++)
            read_block(map, &c, c.integer[1], at + i * c.address[0]);
        break;
    case MPI_COMBINER_HINDEXED:
        for (int i = 0; i < c.integer[0]; i++)
            read_block(map, &c, c.integer[1 + i], at + c.address[i]);
        break;
    case MPI_COMBINER_SUBARRAY:
        ck_assert(c.integer[3 * c.integer[0] + 1] == MPI_ORDER_C);
        read_dimension(map, &c, 0, at);
        break;
    default:
        ck_abort_msg("combiner %d", c.combiner);
    }
    free_contents(&c);
}

void type_map_free(struct type_map *map)
{
    free(map->at);
    *map = (struct type_map){.basic = MPI_DATATYPE_NULL};
}
