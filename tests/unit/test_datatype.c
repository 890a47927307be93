/* test_datatype.c - MPI datatypes against their shapes: bytes in order, size, true extent, basic
 * type; and the cache. Starts MPI for one process, without a launcher. */
#include <limits.h>

#include "mpi/datatype.h"
#include "mpi/quirks.h"
#include "shape_model.h"
#include "unit.h"

enum { SAMPLES = 60, LEVELS = 8, CACHE = 64 };

static const char *const side_names[] = {"local", "remote"};

/* The only basic type in `type`; fails if there are several. */
static MPI_Datatype leaf(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED) return type;
    ck_assert_int_eq(types, 1);
    int *i = malloc((size_t)(integers + 1) * sizeof *i);
    MPI_Aint *a = malloc((size_t)(addresses + 1) * sizeof *a);
    MPI_Datatype inner;
    MPI_Type_get_contents(type, integers, addresses, types, i, a, &inner);
    free(i);
    free(a);
    MPI_Datatype found = leaf(inner);
    MPI_Type_get_envelope(inner, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&inner);
    return found;
}

/* ---- one type against one side of a sample ---- */

struct subject {
    const struct sample *m;
    enum shape_side side;
    const char *how;
    MPI_Datatype type;
    char *base; /* the address with displacement 0 */
};

static void check_bounds(const struct subject *x)
{
    MPI_Count size, lb, extent;
    char *lo, *hi;
    MPI_Type_size_x(x->type, &size);
    MPI_Type_get_true_extent_x(x->type, &lb, &extent);
    armcii_shape_range(&x->m->shape, x->side, &lo, &hi);
    uintptr_t begin = (uintptr_t)x->base + (uintptr_t)lb;
    ck_assert_msg(
        size == (MPI_Count)x->m->shape.bytes && begin == (uintptr_t)lo && extent == hi - lo,
        "%s: %s, %s: expected %zu bytes in [%td, +%td), seen %lld in [%td, +%lld)", x->m->text,
        side_names[x->side], x->how, x->m->shape.bytes, lo - x->m->arena[x->side], hi - lo,
        (long long)size, (char *)begin - x->m->arena[x->side], (long long)extent);
}

/* A message to this process: not every MPI_Pack accepts MPI_BOTTOM. */
static void message(void *from, int from_count, MPI_Datatype from_type, void *to, int to_count,
                    MPI_Datatype to_type)
{
    MPI_Sendrecv(from, from_count, from_type, 0, 0, to, to_count, to_type, 0, 0, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
}

/* The bytes that are sent, in order. */
static void check_sent(const struct subject *x, struct basic_type basic)
{
    const struct bytes *want = &x->m->expected;
    char *packed = calloc(want->n, 1);
    ck_assert_ptr_nonnull(packed);
    message(x->base, 1, x->type, packed, (int)(want->n / basic.size), basic.type);
    for (size_t i = 0; i < want->n; i++)
        if (packed[i] != *want->pair[i].at[x->side])
            ck_abort_msg("%s: %s, %s: byte %zu: expected %d, seen %d", x->m->text,
                         side_names[x->side], x->how, i, *want->pair[i].at[x->side], packed[i]);
    free(packed);
}

/* The bytes that are received; only without overlaps, which MPI leaves undefined. */
static void check_received(const struct subject *x, struct basic_type basic)
{
    const struct bytes *list = &x->m->expected;
    size_t size = x->m->size[x->side];
    char *arena = x->m->arena[x->side], *saved = malloc(size), *want = malloc(size),
         *packed = malloc(list->n);
    ck_assert(saved && want && packed);
    memcpy(saved, arena, size);
    memcpy(want, arena, size);
    for (size_t i = 0; i < list->n; i++) {
        packed[i] = (char)(i * 31 + 7);
        want[list->pair[i].at[x->side] - arena] = packed[i];
    }
    message(packed, (int)(list->n / basic.size), basic.type, x->base, 1, x->type);
    for (size_t i = 0; i < size; i++)
        if (arena[i] != want[i])
            ck_abort_msg("%s: %s, %s, received: byte %zu of the arena: expected %d, seen %d",
                         x->m->text, side_names[x->side], x->how, i, want[i], arena[i]);
    memcpy(arena, saved, size);
    free(saved);
    free(want);
    free(packed);
}

static void check_type(struct subject x, struct basic_type basic)
{
    check_bounds(&x);
    check_sent(&x, basic);
    if (sample_is_disjoint(x.m, x.side)) check_received(&x, basic);
    ck_assert_msg(leaf(x.type) == basic.type, "%s: %s: not of the basic type of %zu bytes",
                  x.m->text, x.how, basic.size);
}

static void check_indexed(const struct sample *m, enum shape_side side, struct basic_type basic)
{
    struct subject x = {m, side, "indexed", MPI_DATATYPE_NULL, m->arena[side]};
    x.type = armcii_datatype_indexed(&m->shape, side, basic, x.base);
    check_type(x, basic);
    armcii_datatype_free_indexed(&x.type);
    ck_assert(x.type == MPI_DATATYPE_NULL);
    x = (struct subject){m, side, "indexed from MPI_BOTTOM", MPI_DATATYPE_NULL, MPI_BOTTOM};
    x.type = armcii_datatype_indexed(&m->shape, side, basic, MPI_BOTTOM);
    check_type(x, basic);
    armcii_datatype_free_indexed(&x.type);
}

struct tally {
    size_t vectors, subarrays, indexed;
};

/* Do all segments consist of whole basic types? */
static bool is_whole(const struct shape *s, struct basic_type basic)
{
    struct shape_iter it;
    struct segment seg;
    size_t lengths = 0;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);)
        lengths |= seg.bytes;
    return lengths % basic.size == 0;
}

/* All datatypes of one side with that basic type, except those with which this MPI library has
 * known defects. */
static void check_side(const struct sample *m, enum shape_side side, struct basic_type basic,
                       struct tally *tally)
{
    const struct shape *s = &m->shape;
    if (s->bytes == 0 || !is_whole(s, basic)) return;
    check_indexed(m, side, basic);
    tally->indexed++;
    if (s->form == SHAPE_VECTOR || !armcii_datatype_is_supported(s)) return;
    char *first = side == SHAPE_LOCAL ? s->local : s->remote;
    check_type((struct subject){m, side, "vector", armcii_datatype_vector(s, side, basic), first},
               basic);
    tally->vectors++;
    if (!armcii_shape_nests(s, side) || !armcii_shape_is_aligned(s, side, basic.size)) return;
    check_type(
        (struct subject){m, side, "subarray", armcii_datatype_subarray(s, side, basic), first},
        basic);
    tally->subarrays++;
}

static struct tally check_samples(struct basic_type basic)
{
    static const enum sample_kind kinds[] = {SAMPLE_ANY, SAMPLE_PATCH, SAMPLE_VECTOR};
    struct tally tally = {0};
    for (unsigned seed = 0; seed < SAMPLES; seed++)
        for (int levels = 0; levels <= LEVELS; levels++)
            for (int k = 0; k < 3; k++) {
                struct sample m;
                if (kinds[k] == SAMPLE_VECTOR && levels > 0) continue;
                sample_create(&m, kinds[k], seed * 10 + (unsigned)levels, levels);
                for (int side = 0; side < 2; side++)
                    check_side(&m, (enum shape_side)side, basic, &tally);
                sample_free(&m);
            }
    armcii_datatype_cache_clear();
    return tally;
}

TEST(bytes)
{
    struct tally t = check_samples(armcii_basic_byte());
    ck_assert_msg(t.vectors > 600 && t.subarrays > 200 && t.indexed > 900,
                  "the samples are too few: %zu, %zu, %zu", t.vectors, t.subarrays, t.indexed);
}

ROW_TEST(elements, ELEMENT_COUNT)
{
    struct tally t = check_samples(armcii_basic_element((enum element)_i));
    ck_assert_msg(t.vectors > 30 && t.subarrays > 10 && t.indexed > 30,
                  "the samples are too few: %zu, %zu, %zu", t.vectors, t.subarrays, t.indexed);
}

TEST(basic_types)
{
    const struct {
        MPI_Datatype type;
        size_t size;
    } want[ELEMENT_COUNT] = {{MPI_INT, sizeof(int)},     {MPI_LONG, sizeof(long)},
                             {MPI_FLOAT, sizeof(float)}, {MPI_DOUBLE, sizeof(double)},
                             {MPI_FLOAT, sizeof(float)}, {MPI_DOUBLE, sizeof(double)}};
    for (enum element e = 0; e < ELEMENT_COUNT; e++) {
        struct basic_type seen = armcii_basic_element(e);
        ck_assert_msg(seen.type == want[e].type && seen.size == want[e].size, "%s",
                      armcii_elements[e].name);
        ck_assert_uint_eq(armcii_elements[e].size % seen.size, 0);
    }
    ck_assert(armcii_basic_byte().type == MPI_BYTE && armcii_basic_byte().size == 1);
}

/* Extents beyond INT_MAX and up to a gigabyte of data, which is never accessed. */
TEST(large)
{
    char *const base = (char *)0x100000000;
    int stride[] = {1 << 20, INT_MAX - 7}, count[] = {1 << 19, 512, 4};
    struct shape s;
    MPI_Count size, lb, extent;
    ck_assert_int_eq(armcii_shape_strided(&s, base, stride, base, stride, count, 2), SHAPE_OK);
    MPI_Datatype type = armcii_datatype_vector(&s, SHAPE_REMOTE, armcii_basic_byte());
    MPI_Type_size_x(type, &size);
    MPI_Type_get_true_extent_x(type, &lb, &extent);
    ck_assert_int_eq(size, 1 << 30);
    ck_assert_int_eq(lb, 0);
    ck_assert_int_eq(extent, 3 * (MPI_Count)stride[1] + 511 * (MPI_Count)stride[0] + count[0]);

    stride[1] = 1 << 30;
    ck_assert_int_eq(armcii_shape_strided(&s, base, stride, base, stride, count, 2), SHAPE_OK);
    ck_assert(armcii_shape_nests(&s, SHAPE_REMOTE));
    type = armcii_datatype_subarray(&s, SHAPE_REMOTE, armcii_basic_element(ELEMENT_DOUBLE));
    MPI_Type_size_x(type, &size);
    MPI_Type_get_true_extent_x(type, &lb, &extent);
    ck_assert_int_eq(size, 1 << 30);
    ck_assert_int_eq(lb, 0);
    ck_assert_int_eq(extent, 3 * (MPI_Count)stride[1] + 511 * (MPI_Count)stride[0] + count[0]);
}

/* ---- the cache: an attribute marks cached types, so that tests recognize a type and its deletion
 * ---- */

static int mark = MPI_KEYVAL_INVALID, ended;

static int count_end(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type;
    (void)key;
    (void)value;
    (void)extra;
    ended++;
    return MPI_SUCCESS;
}

static char arena[2][1 << 16];

/* Shape number i of any number of different ones, from byte `offset` on. */
static struct shape numbered(int i, int offset)
{
    struct shape s;
    int stride[2][2] = {{32, 32 * 16 + 32 * (i / 8)}, {64, 64 * 16 + 64 * (i / 8)}},
        count[] = {8, 2 + i % 8, 2};
    ck_assert_int_eq(armcii_shape_strided(&s, arena[0] + offset, stride[0], arena[1] + offset,
                                          stride[1], count, 2),
                     SHAPE_OK);
    return s;
}

/* Gets the type and marks it; was it cached? */
static bool is_kept(const struct shape *s,
                    MPI_Datatype (*make)(const struct shape *, enum shape_side, struct basic_type),
                    enum shape_side side, struct basic_type basic)
{
    MPI_Datatype type = make(s, side, basic);
    MPI_Count size;
    void *value;
    int found;
    MPI_Type_size_x(type, &size);
    ck_assert_int_eq(size, (MPI_Count)s->bytes);
    MPI_Type_get_attr(type, mark, &value, &found);
    if (!found) MPI_Type_set_attr(type, mark, arena);
    return found;
}

static bool is_kept_vector(int i)
{
    struct shape s = numbered(i, 0);
    return is_kept(&s, armcii_datatype_vector, SHAPE_REMOTE, armcii_basic_byte());
}

TEST(same_shape_same_type)
{
    struct shape a = numbered(1, 0), elsewhere = numbered(1, 4096), taller = numbered(2, 0),
                 wider = numbered(9, 0);
    struct basic_type byte = armcii_basic_byte(), ints = armcii_basic_element(ELEMENT_INT);
    ck_assert(!is_kept(&a, armcii_datatype_vector, SHAPE_LOCAL, byte));
    ck_assert(is_kept(&a, armcii_datatype_vector, SHAPE_LOCAL, byte));
    ck_assert(armcii_datatype_vector(&a, SHAPE_LOCAL, byte) ==
              armcii_datatype_vector(&elsewhere, SHAPE_LOCAL, byte));
    ck_assert(!is_kept(&a, armcii_datatype_subarray, SHAPE_LOCAL, byte));
    ck_assert(!is_kept(&a, armcii_datatype_vector, SHAPE_LOCAL, ints));
    ck_assert(!is_kept(&a, armcii_datatype_vector, SHAPE_REMOTE, byte));
    ck_assert(!is_kept(&taller, armcii_datatype_vector, SHAPE_LOCAL, byte));
    ck_assert(!is_kept(&wider, armcii_datatype_vector, SHAPE_LOCAL, byte));
    ck_assert(is_kept(&a, armcii_datatype_subarray, SHAPE_LOCAL, byte));
    ck_assert(is_kept(&elsewhere, armcii_datatype_vector, SHAPE_LOCAL, ints));
    ck_assert_int_eq(ended, 0);
    armcii_datatype_cache_clear();
    ck_assert_int_eq(ended, 6);
    armcii_datatype_cache_clear();
    ck_assert_int_eq(ended, 6);
    ck_assert(!is_kept(&a, armcii_datatype_vector, SHAPE_LOCAL, byte));
}

TEST(more_shapes_than_room)
{
    for (int i = 0; i < CACHE; i++)
        ck_assert_msg(!is_kept_vector(i), "shape %d", i);
    for (int i = 0; i < CACHE; i++)
        ck_assert_msg(is_kept_vector(i), "shape %d is not kept", i);
    ck_assert(is_kept_vector(0));
    ck_assert_int_eq(ended, 0);
    for (int i = CACHE; i < 2 * CACHE; i++) {
        ck_assert_msg(!is_kept_vector(i), "shape %d", i);
        ck_assert_msg(is_kept_vector(0), "after shape %d: the one in use is gone",
                      i); /* always in use */
    }
    ck_assert_int_eq(ended, CACHE);
    for (int i = CACHE + 1; i < 2 * CACHE; i++)
        ck_assert_msg(is_kept_vector(i), "shape %d is one of the newest", i);
    for (int i = 1; i < 4; i++)
        ck_assert_msg(!is_kept_vector(i), "shape %d is one of the oldest", i);
    armcii_datatype_cache_clear();
    ck_assert_int_eq(ended, 2 * CACHE + 3);
}

/* A type that was evicted is rebuilt correctly. */
TEST(types_come_back)
{
    enum { SHAPES = 3 * CACHE };
    struct rng r = rng_start(3);
    for (int i = 0; i < 2000; i++) {
        struct shape s = numbered(rng_between(&r, 0, SHAPES - 1), 0);
        MPI_Datatype type = i % 2 ? armcii_datatype_vector(&s, SHAPE_REMOTE, armcii_basic_byte())
                                  : armcii_datatype_subarray(&s, SHAPE_REMOTE, armcii_basic_byte());
        MPI_Count size, lb, extent;
        char *lo, *hi;
        MPI_Type_size_x(type, &size);
        MPI_Type_get_true_extent_x(type, &lb, &extent);
        armcii_shape_range(&s, SHAPE_REMOTE, &lo, &hi);
        ck_assert_int_eq(size, (MPI_Count)s.bytes);
        ck_assert_int_eq(extent, hi - lo);
    }
    armcii_datatype_cache_clear();
}

static void begin(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    armcii_quirks_decide(version, false, true);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_end, &mark, NULL);
    armcii_datatype_cache_clear();
    ended = 0;
}

static void end(void)
{
    armcii_datatype_cache_clear();
    MPI_Type_free_keyval(&mark);
}

const struct unit unit = {.begin = begin, .end = end, .run = unit_run_with_mpi};
