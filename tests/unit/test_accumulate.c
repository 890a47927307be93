/* test_accumulate.c - the accumulate kernels, bit for bit, against scaling and adding single
 * elements. */
#include <limits.h>
#include <math.h>

#include "shape/accumulate.h"
#include "shape_model.h"
#include "unit.h"

enum { PIECE = 300, OFFSETS = 64, SCALES = 5, LARGE = 1 << 20, FILLER = 77 };

/* Scales of each type; the first is 1. */
static const int int_scale[SCALES] = {1, -3, 0, INT_MIN, 65537};
static const long long_scale[SCALES] = {1, -3, 0, LONG_MIN, LONG_MAX / 3};
static const float float_scale[SCALES] = {1, -0.1f, 0, 3.3e38f, 1e-40f};
static const double double_scale[SCALES] = {1, -0.1, 0, 1.7e308, 1e-310};
static const float complex_scale[SCALES][2] = {
    {1, 0}, {1, -0.0f}, {0, 1}, {-0.1f, 0.7f}, {3e38f, 2}};
static const double dcomplex_scale[SCALES][2] = {
    {1, 0}, {1, -0.0}, {0, 1}, {-0.1, 0.7}, {1e308, 2}};

static const void *scale_of(enum element e, int i)
{
    const void *const scale[ELEMENT_COUNT] = {&int_scale[i],    &long_scale[i],
                                              &float_scale[i],  &double_scale[i],
                                              complex_scale[i], dcomplex_scale[i]};
    return scale[e];
}

/* ---- values ---- */

static double random_real(struct rng *r)
{
    static const double special[] = {0, -0.0, (double)INFINITY, 1, -1, 1e-310, 1e-40, 3e38, -2e37};
    if (rng_between(r, 0, 9) == 0) return special[rng_between(r, 0, 8)];
    return ldexp(rng_between(r, -INT_MAX, INT_MAX), rng_between(r, -40, 0));
}

/* Elements of that type; `at` need not be aligned. */
static void fill(enum element e, char *at, size_t bytes, struct rng *r)
{
    if (e == ELEMENT_INT || e == ELEMENT_LONG) {
        rng_bytes(r, at, bytes);
        return;
    }
    size_t part = armcii_elements[e].align;
    for (size_t i = 0; i + part <= bytes; i += part) {
        double real = random_real(r);
        float single = (float)real;
        memcpy(at + i, part == sizeof(double) ? (const void *)&real : &single, part);
    }
}

/* ---- the model ---- */

static void model(enum element e, const void *scale, char *dst, const char *src, size_t bytes)
{
    char *product = malloc(bytes + 1);
    ck_assert_ptr_nonnull(product);
    if (armcii_scale_is_one(e, scale))
        memcpy(product, src, bytes);
    else
        armcii_scale_copy(e, scale, src, product, bytes);
    add_elements(e, dst, product, bytes);
    free(product);
}

/* Fails with the first byte that differs. */
static void check_same(enum element e, int scale, const char *what, size_t number, const char *seen,
                       const char *want, size_t bytes)
{
    if (memcmp(seen, want, bytes) == 0) return;
    size_t at = 0;
    while (seen[at] == want[at])
        at++;
    ck_abort_msg("%s, scale %d, %s %zu: byte %zu: expected %d, seen %d", armcii_elements[e].name,
                 scale, what, number, at, want[at], seen[at]);
}

/* ---- one piece ---- */

ROW_TEST(every_size_at_every_offset, ELEMENT_COUNT *SCALES)
{
    enum element e = (enum element)(_i / SCALES);
    int scale = _i % SCALES;
    enum { SIZE = PIECE + 2 * OFFSETS };
    _Alignas(16) char src[SIZE], seen[SIZE], want[SIZE], before[SIZE], factor[32];
    struct rng r = rng_start((uint64_t)scale);
    size_t size = armcii_elements[e].size;
    rng_bytes(&r, before, SIZE);
    for (size_t bytes = 0; bytes <= PIECE; bytes += size)
        for (size_t from = 0; from < OFFSETS; from++) {
            size_t to = from * 5 % OFFSETS;
            fill(e, src + from, bytes, &r);
            fill(e, before + to, bytes, &r);
            memcpy(seen, before, SIZE);
            memcpy(want, before, SIZE);
            memcpy(factor + from % 16, scale_of(e, scale), size);
            model(e, scale_of(e, scale), want + to, src + from, bytes);
            armcii_accumulate(e, factor + from % 16, seen + to, src + from, bytes);
            check_same(e, scale, "bytes", bytes, seen, want, SIZE);
        }
}

ROW_TEST(to_the_same_memory, ELEMENT_COUNT *SCALES)
{
    enum element e = (enum element)(_i / SCALES);
    int scale = _i % SCALES;
    _Alignas(16) char seen[PIECE + 1], want[PIECE + 1];
    struct rng r = rng_start((uint64_t)scale);
    for (size_t bytes = 0; bytes <= PIECE; bytes += armcii_elements[e].size) {
        memset(seen, FILLER, sizeof(seen));
        fill(e, seen, bytes, &r);
        memcpy(want, seen, sizeof(want));
        model(e, scale_of(e, scale), want, want, bytes);
        armcii_accumulate(e, scale_of(e, scale), seen, seen, bytes);
        check_same(e, scale, "in place, bytes", bytes, seen, want, sizeof(want));
    }
}

ROW_TEST(a_megabyte, ELEMENT_COUNT *SCALES)
{
    enum element e = (enum element)(_i / SCALES);
    int scale = _i % SCALES;
    struct rng r = rng_start((uint64_t)scale);
    size_t bytes = LARGE + 3 * armcii_elements[e].size, from = (size_t)rng_between(&r, 0, 63);
    size_t to = (size_t)rng_between(&r, 0, 63);
    char *src = malloc(bytes + from), *seen = malloc(bytes + to), *want = malloc(bytes);
    ck_assert(src != NULL && seen != NULL && want != NULL);
    fill(e, src + from, bytes, &r);
    fill(e, seen + to, bytes, &r);
    memcpy(want, seen + to, bytes);
    model(e, scale_of(e, scale), want, src + from, bytes);
    armcii_accumulate(e, scale_of(e, scale), seen + to, src + from, bytes);
    check_same(e, scale, "bytes", bytes, seen + to, want, bytes);
    free(src);
    free(seen);
    free(want);
}

/* ---- rows ---- */

enum {
    ROWS = 20,
    ROW_BYTES = 160,
    STRIDE = 200,
    MIDDLE = ROWS * STRIDE,
    ARENA = 2 * MIDDLE + ROW_BYTES
};

/* A stride of any sign. Rows may overlap, but real elements only completely: a partial overlap
 * makes NaNs, whose bits depend on the compiler. */
static ptrdiff_t random_stride(enum element e, size_t bytes, struct rng *r)
{
    const ptrdiff_t align = (ptrdiff_t)armcii_elements[e].align,
                    stride = rng_between(r, -STRIDE, STRIDE);
    const size_t apart = (size_t)(stride < 0 ? -stride : stride);
    if (e == ELEMENT_INT || e == ELEMENT_LONG || apart >= bytes) return stride;
    return stride / align * align;
}

/* From the middle of one arena to the middle of another, both at any alignment. */
ROW_TEST(rows_of_any_kind, ELEMENT_COUNT *SCALES)
{
    enum element e = (enum element)(_i / SCALES);
    int scale = _i % SCALES;
    static char src[ARENA + 16];
    static _Alignas(16) char seen[ARENA + 16], want[ARENA + 16];
    const size_t size = armcii_elements[e].size;
    for (size_t seed = 0; seed < (size_t)unit_effort(500); seed++) {
        struct rng r = rng_start(seed);
        const size_t bytes = (size_t)rng_between(&r, 0, (int)(ROW_BYTES / size)) * size;
        const size_t n = (size_t)rng_between(&r, 0, ROWS);
        const ptrdiff_t to = random_stride(e, bytes, &r), from = random_stride(e, bytes, &r);
        const ptrdiff_t at = MIDDLE + rng_between(&r, 0, 15);
        char *start = src + rng_between(&r, 0, 15);
        fill(e, start, ARENA, &r);
        fill(e, seen + at % 16, ARENA, &r);
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++) {
            fill(e, start + MIDDLE + i * from, bytes, &r);
            fill(e, seen + at + i * to, bytes, &r);
        }
        memcpy(want, seen, sizeof(want));
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            model(e, scale_of(e, scale), want + at + i * to, start + MIDDLE + i * from, bytes);
        armcii_accumulate_rows(e, scale_of(e, scale), seen + at, to, start + MIDDLE, from, bytes,
                               n);
        check_same(e, scale, "rows, seed", seed, seen, want, sizeof(want));
    }
}

ROW_TEST(rows_to_the_same_memory, ELEMENT_COUNT *SCALES)
{
    enum element e = (enum element)(_i / SCALES);
    int scale = _i % SCALES;
    static _Alignas(16) char seen[ARENA], want[ARENA];
    struct rng r = rng_start((uint64_t)scale);
    for (size_t bytes = 0; bytes <= ROW_BYTES; bytes += armcii_elements[e].size) {
        fill(e, seen, ARENA, &r);
        memcpy(want, seen, ARENA);
        for (size_t i = 0; i < ROWS; i++)
            model(e, scale_of(e, scale), want + i * STRIDE, want + i * STRIDE, bytes);
        armcii_accumulate_rows(e, scale_of(e, scale), seen, STRIDE, seen, STRIDE, bytes, ROWS);
        check_same(e, scale, "rows in place, bytes", bytes, seen, want, ARENA);
    }
}
