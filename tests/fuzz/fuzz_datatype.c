/* fuzz_datatype.c - MPI datatypes of shapes: their type maps, read back, against the addresses of the call.
 * Several shapes an input, so that the cache of types is used; nothing is transferred. */
#include <check.h>
#include <mpi.h>

#include "call.h"
#include "mpi/datatype.h"
#include "type_map.h"

enum { MOST_BYTES = 512, RUNS = 3, MEMBERS = 6 };

static void finalize(void)
{
    MPI_Finalize();
}

/* One process by itself: Open MPI starts no daemon then. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    MPI_Init(argc, argv);
    atexit(finalize);
    return 0;
}

static struct basic_type choose_basic(struct input *in)
{
    int e = input_between(in, 0, ELEMENT_COUNT);
    return e == ELEMENT_COUNT ? armcii_basic_byte() : armcii_basic_element((enum element)e);
}

/* Displacement i of the map is byte i * basic.size of `want`; `origin` is where the type is put. */
static void check_type(MPI_Datatype type, struct basic_type basic, const wide *want, size_t bytes, uintptr_t origin)
{
    struct type_map map = {.basic = MPI_DATATYPE_NULL};
    MPI_Count size;
    MPI_Type_size_x(type, &size);
    ck_assert_msg((size_t)size == bytes, "size: expected %zu, seen %lld", bytes, (long long)size);
    type_map_read(&map, type, 0);
    ck_assert_msg(map.basic == basic.type && map.n * basic.size == bytes, "%zu elements, expected %zu of %zu bytes",
                  map.n, bytes / basic.size, basic.size);
    for (size_t i = 0; i < map.n; i++)
        ck_assert_msg((wide)origin + map.at[i] == want[i * basic.size], "element %zu: at %lld", i,
                      (long long)map.at[i]);
    type_map_free(&map);
}

static void check_indexed(const struct shape *s, enum shape_side side, struct basic_type basic, const wide *want,
                          uintptr_t origin)
{
    MPI_Datatype type = armcii_datatype_indexed(s, side, basic, (const char *)origin);
    check_type(type, basic, want, s->bytes, origin);
    armcii_datatype_free_indexed(&type);
    ck_assert(type == MPI_DATATYPE_NULL);
}

static void strided(struct input *in)
{
    struct basic_type basic = choose_basic(in);
    struct strided_call c;
    struct shape s;
    wide want[MOST_BYTES];
    call_of_units(&c, in, MOST_BYTES, (int)basic.size);
    ck_assert(call_shape(&c, &s) == SHAPE_OK);
    for (int side = 0; side < 2 && s.bytes > 0; side++) {
        for (size_t i = 0; i < s.bytes; i++)
            want[i] = call_address(&c, side, (wide)i);
        enum shape_side here = (enum shape_side)side;
        check_indexed(&s, here, basic, want, c.base[side] + input_byte(in));
        check_type(armcii_datatype_vector(&s, here, basic), basic, want, s.bytes, c.base[side]);
        if (armcii_shape_nests(&s, here) && armcii_shape_is_aligned(&s, here, basic.size))
            check_type(armcii_datatype_subarray(&s, here, basic), basic, want, s.bytes, c.base[side]);
    }
}

static void vector(struct input *in)
{
    static const size_t lengths[] = {0, 8, 16, 24};
    const uintptr_t middle = (uintptr_t)1 << 62;
    void *at[RUNS][MEMBERS];
    struct vector_run run[RUNS];
    struct shape s;
    wide want[MOST_BYTES];
    size_t n = 0, nruns = (size_t)input_between(in, 0, RUNS);
    for (size_t r = 0; r < nruns; r++) {
        run[r] = (struct vector_run){at[r], at[r], lengths[input_byte(in) % 4], input_byte(in) % (MEMBERS + 1)};
        for (size_t i = 0; i < run[r].n; i++) {
            at[r][i] = (void *)(middle + (uintptr_t)((int64_t)input_int(in) * 8));
            for (size_t k = 0; k < run[r].bytes; k++)
                want[n++] = (wide)(uintptr_t)at[r][i] + (wide)k;
        }
    }
    ck_assert(armcii_shape_vector(&s, run, nruns) == SHAPE_OK && s.bytes == n);
    if (n > 0) check_indexed(&s, SHAPE_REMOTE, choose_basic(in), want, middle - input_byte(in));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    while (in.left > 0)
        if (input_byte(&in) % 4 == 0)
            vector(&in);
        else
            strided(&in);
    armcii_datatype_cache_clear(); /* the next input begins as this one did */
    return 0;
}
