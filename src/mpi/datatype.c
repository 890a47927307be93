/* datatype.c - derived datatypes of shapes, and a small cache of them. */
#include "mpi/datatype.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/quirks.h"

struct basic_type armcii_basic_byte(void)
{
    return (struct basic_type){MPI_BYTE, 1};
}

/* A complex sum is the sum of its parts, so four basic types are enough. */
struct basic_type armcii_basic_element(enum element e)
{
    switch (e) {
    case ELEMENT_INT: return (struct basic_type){MPI_INT, sizeof(int)};
    case ELEMENT_LONG: return (struct basic_type){MPI_LONG, sizeof(long)};
    case ELEMENT_FLOAT:
    case ELEMENT_COMPLEX: return (struct basic_type){MPI_FLOAT, sizeof(float)};
    default: return (struct basic_type){MPI_DOUBLE, sizeof(double)};
    }
}

/* ---- cache ---- */

enum { CACHE_SIZE = 64 };
enum builder { BUILD_VECTOR, BUILD_SUBARRAY };

struct key {
    MPI_Datatype basic;
    enum builder builder;
    int levels;
    size_t count[SHAPE_MAX_LEVELS + 1];
    ptrdiff_t stride[SHAPE_MAX_LEVELS];
};

static struct {
    struct {
        struct key key;
        MPI_Datatype type;
        unsigned long used; /* time of last use; 0: empty */
    } cache[CACHE_SIZE];
    unsigned long now;
} datatypes;

static void make_key(struct key *k, const struct shape *s, enum shape_side side,
                     struct basic_type basic, enum builder builder)
{
    memset(k, 0, sizeof *k); /* keys are compared as bytes */
    k->basic = basic.type;
    k->builder = builder;
    k->levels = s->levels;
    memcpy(k->count, s->count, (size_t)(s->levels + 1) * sizeof s->count[0]);
    memcpy(k->stride, s->stride[side], (size_t)s->levels * sizeof s->stride[side][0]);
}

static MPI_Datatype find_cached(const struct key *k)
{
    for (int i = 0; i < CACHE_SIZE; i++)
        if (datatypes.cache[i].used && memcmp(&datatypes.cache[i].key, k, sizeof *k) == 0) {
            datatypes.cache[i].used = ++datatypes.now;
            return datatypes.cache[i].type;
        }
    return MPI_DATATYPE_NULL;
}

/* Replaces the least recently used type. MPI keeps a freed type until the operations that use it
 * are complete. */
static void add_to_cache(const struct key *k, MPI_Datatype type)
{
    int oldest = 0;
    for (int i = 1; i < CACHE_SIZE; i++)
        if (datatypes.cache[i].used < datatypes.cache[oldest].used) oldest = i;
    if (datatypes.cache[oldest].used) MPI_Type_free(&datatypes.cache[oldest].type);
    memcpy(&datatypes.cache[oldest].key, k, sizeof *k); /* copies the padding, too */
    datatypes.cache[oldest].type = type;
    datatypes.cache[oldest].used = ++datatypes.now;
}

void armcii_datatype_cache_clear(void)
{
    for (int i = 0; i < CACHE_SIZE; i++) {
        if (datatypes.cache[i].used) MPI_Type_free(&datatypes.cache[i].type);
        datatypes.cache[i].used = 0;
    }
}

/* ---- defects of MPI libraries ---- */

static bool is_stride_supported(ptrdiff_t stride)
{
    if (stride < 0) return armcii_quirks->negative_strides;
    return stride != 1 || armcii_quirks->byte_strides;
}

bool armcii_datatype_side_is_supported(const struct shape *s, enum shape_side side)
{
    for (int level = 0; level < s->levels; level++)
        if (!is_stride_supported(s->stride[side][level])) return false;
    return true;
}

bool armcii_datatype_is_supported(const struct shape *s)
{
    return armcii_datatype_side_is_supported(s, SHAPE_LOCAL) &&
           armcii_datatype_side_is_supported(s, SHAPE_REMOTE);
}

/* ---- building ---- */

static MPI_Datatype build_vector(const struct key *k, size_t unit)
{
    MPI_Datatype type;
    MPI_Type_contiguous((int)(k->count[0] / unit), k->basic, &type);
    for (int i = 0; i < k->levels; i++) {
        MPI_Datatype inner = type;
        MPI_Type_create_hvector((int)k->count[i + 1], 1, (MPI_Aint)k->stride[i], inner, &type);
        MPI_Type_free(&inner);
    }
    return type;
}

/* A block of a dense array: the size of a dimension is the stride of its level divided by that of
 * the level below. */
static MPI_Datatype build_subarray(const struct key *k, size_t unit)
{
    int sizes[SHAPE_MAX_LEVELS + 1], parts[SHAPE_MAX_LEVELS + 1], starts[SHAPE_MAX_LEVELS + 1];
    int n = k->levels + 1;
    ptrdiff_t below = (ptrdiff_t)unit;
    for (int level = 0; level < n; level++) {
        int d = n - 1 - level; /* C order: the contiguous dimension is the last */
        size_t part = level == 0 ? k->count[0] / unit : k->count[level];
        parts[d] = (int)part;
        sizes[d] = level < k->levels ? (int)(k->stride[level] / below) : (int)part;
        starts[d] = 0;
        if (level < k->levels) below = k->stride[level];
    }
    MPI_Datatype type;
    MPI_Type_create_subarray(n, sizes, parts, starts, MPI_ORDER_C, k->basic, &type);
    return type;
}

static MPI_Datatype find_or_build(const struct shape *s, enum shape_side side,
                                  struct basic_type basic, enum builder builder)
{
    struct key k;
    make_key(&k, s, side, basic, builder);
    MPI_Datatype type = find_cached(&k);
    if (type != MPI_DATATYPE_NULL) return type;
    type = builder == BUILD_VECTOR ? build_vector(&k, basic.size) : build_subarray(&k, basic.size);
    MPI_Type_commit(&type);
    add_to_cache(&k, type);
    return type;
}

MPI_Datatype armcii_datatype_vector(const struct shape *s, enum shape_side side,
                                    struct basic_type basic)
{
    return find_or_build(s, side, basic, BUILD_VECTOR);
}

MPI_Datatype armcii_datatype_bytes(const struct shape *s, enum shape_side side)
{
    struct key k;
    struct basic_type byte = armcii_basic_byte();
    make_key(&k, s, side, byte, BUILD_VECTOR);
    MPI_Datatype type = build_vector(&k, byte.size);
    MPI_Type_commit(&type);
    return type;
}

MPI_Datatype armcii_datatype_subarray(const struct shape *s, enum shape_side side,
                                      struct basic_type basic)
{
    return find_or_build(s, side, basic, BUILD_SUBARRAY);
}

MPI_Datatype armcii_datatype_indexed(const struct shape *s, enum shape_side side,
                                     struct basic_type basic, const char *origin)
{
    MPI_Aint *disp = malloc(s->nsegs * sizeof *disp);
    int *length = malloc(s->nsegs * sizeof *length);
    if (!disp || !length) armcii_fatal("out of memory for a datatype of %zu segments", s->nsegs);
    struct shape_iter it;
    struct segment seg;
    size_t n = 0;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); n++) {
        disp[n] = (side == SHAPE_LOCAL ? seg.local : seg.remote) - origin;
        length[n] = (int)(seg.bytes / basic.size);
    }
    MPI_Datatype type;
    MPI_Type_create_hindexed((int)n, length, disp, basic.type, &type);
    MPI_Type_commit(&type);
    free(length);
    free(disp);
    return type;
}

void armcii_datatype_free_indexed(MPI_Datatype *type)
{
    MPI_Type_free(type);
}
