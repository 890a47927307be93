/* test_element.c - element types of accumulate: sizes, scaling, alignment. */
#include <complex.h>
#include <limits.h>

#include "shape/accumulate.h"
#include "unit.h"

enum { N = 37, OFFSETS = 16 };

/* A scale of each type and N values with their products; all exact in floating point. */
static int int_values[N], int_want[N];
static long long_values[N], long_want[N];
static float float_values[N], float_want[N];
static double double_values[N], double_want[N];
static float complex complex_values[N], complex_want[N];
static double complex dcomplex_values[N], dcomplex_want[N];
static const int int_scale = -3;
static const long long_scale = 5;
static const float float_scale = 0.5f;
static const double double_scale = -2.25;
static const float complex complex_scale = 2 - 3 * I;
static const double complex dcomplex_scale = -0.5 + 4 * I;

static const struct {
    enum element type;
    size_t size, align;
    const char *name;
    const void *scale, *values, *want;
} row[] = {
    {ELEMENT_INT, sizeof(int), sizeof(int), "int", &int_scale, int_values, int_want},
    {ELEMENT_LONG, sizeof(long), sizeof(long), "long", &long_scale, long_values, long_want},
    {ELEMENT_FLOAT, sizeof(float), sizeof(float), "float", &float_scale, float_values, float_want},
    {ELEMENT_DOUBLE, sizeof(double), sizeof(double), "double", &double_scale, double_values,
     double_want},
    {ELEMENT_COMPLEX, 2 * sizeof(float), sizeof(float), "complex", &complex_scale, complex_values,
     complex_want},
    {ELEMENT_DCOMPLEX, 2 * sizeof(double), sizeof(double), "double complex", &dcomplex_scale,
     dcomplex_values, dcomplex_want},
};
_Static_assert(sizeof(row) / sizeof(row[0]) == ELEMENT_COUNT, "a row for every type");

static void fill_values(void)
{
    for (int i = 0; i < N; i++) {
        int_values[i] = 7 * i - 50;
        int_want[i] = -3 * int_values[i];
        long_values[i] = (9L * i - 80) * 10000000000L;
        long_want[i] = 5 * long_values[i];
        float_values[i] = (float)(i - 9) * 0.25f;
        float_want[i] = 0.5f * float_values[i];
        double_values[i] = (i - 20) * 0.125;
        double_want[i] = -2.25 * double_values[i];
        float re = (float)(i - 5), im = (float)(2 * i + 1);
        complex_values[i] = re + im * I;
        complex_want[i] = (2 * re + 3 * im) + (2 * im - 3 * re) * I;
        double dre = i * 0.5, dim = 3 - i;
        dcomplex_values[i] = dre + dim * I;
        dcomplex_want[i] = (-0.5 * dre - 4 * dim) + (-0.5 * dim + 4 * dre) * I;
    }
}

static void check_elements(size_t r, size_t offset, const void *seen, const void *want)
{
    for (size_t i = 0; i < N; i++)
        ck_assert_msg(memcmp((const char *)seen + i * row[r].size,
                             (const char *)want + i * row[r].size, row[r].size) == 0,
                      "%s, offset %zu, element %zu: the product is not the expected one",
                      row[r].name, offset, i);
}

TEST(sizes_and_names)
{
    for (size_t r = 0; r < ELEMENT_COUNT; r++) {
        ck_assert_msg(armcii_elements[row[r].type].size == row[r].size,
                      "%s: size: expected %zu, seen %zu", row[r].name, row[r].size,
                      armcii_elements[row[r].type].size);
        ck_assert_msg(armcii_elements[row[r].type].align == row[r].align,
                      "%s: align: expected %zu, seen %zu", row[r].name, row[r].align,
                      armcii_elements[row[r].type].align);
        ck_assert_str_eq(armcii_elements[row[r].type].name, row[r].name);
    }
}

TEST(one_is_one_and_nothing_else)
{
    static const int i[] = {1, 2, 0, -1};
    static const long l[] = {1, 1L + (1L << 32), 0, -1};
    static const float f[] = {1, 1.5f, 0, -1};
    static const double d[] = {1, 1 + 1e-15, 0, -1};
    static const float c[][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}};
    static const double z[][2] = {{1, 0}, {1, 1e-300}, {0, 1}, {-1, 0}};
    for (int k = 0; k < 4; k++) {
        const void *scale[ELEMENT_COUNT] = {&i[k], &l[k], &f[k], &d[k], c[k], z[k]};
        for (size_t r = 0; r < ELEMENT_COUNT; r++) {
            char anywhere[17];
            memcpy(anywhere + 1, scale[r], row[r].size);
            bool seen = armcii_scale_is_one(row[r].type, anywhere + 1);
            ck_assert_msg(seen == (k == 0), "%s, value %d: expected %d, seen %d", row[r].name, k,
                          k == 0, seen);
        }
    }
}

TEST(every_type_at_every_offset)
{
    for (size_t r = 0; r < ELEMENT_COUNT; r++)
        for (size_t offset = 0; offset < OFFSETS; offset++) {
            size_t bytes = N * row[r].size;
            char scale[32], *src = malloc(bytes + OFFSETS), *dst = malloc(bytes + OFFSETS + 1);
            ck_assert(src != NULL && dst != NULL);
            memcpy(scale + offset, row[r].scale, row[r].size);
            memcpy(src + offset, row[r].values, bytes);
            size_t to = (offset * 5 + 3) % OFFSETS;
            memset(dst, 77, bytes + OFFSETS + 1);
            armcii_scale_copy(row[r].type, scale + offset, src + offset, dst + to, bytes);
            check_elements(r, offset, dst + to, row[r].want);
            ck_assert_msg(memcmp(src + offset, row[r].values, bytes) == 0,
                          "%s: the source was changed", row[r].name);
            ck_assert_msg(dst[to + bytes] == 77 && (to == 0 || dst[to - 1] == 77),
                          "%s: written outside", row[r].name);

            armcii_scale_copy(row[r].type, scale + offset, src + offset, src + offset,
                              bytes); /* in place */
            check_elements(r, offset, src + offset, row[r].want);
            free(src);
            free(dst);
        }
}

TEST(scale_one_copies)
{
    static const int i = 1;
    static const long l = 1;
    static const float f[2] = {1, 0};
    static const double d[2] = {1, 0};
    static const void *const one[ELEMENT_COUNT] = {&i, &l, f, d, f, d};
    double complex seen[N];
    for (size_t r = 0; r < ELEMENT_COUNT; r++) {
        armcii_scale_copy(row[r].type, one[r], row[r].values, seen, N * row[r].size);
        check_elements(r, 0, seen, row[r].values);
    }
}

TEST(integer_products_wrap)
{
    static const int a = 65537, x[] = {65537, INT_MIN, INT_MAX, -65537};
    static const int want[] = {131073, INT_MIN, 2147418111, -131073};
    static const long b = LONG_MAX, y[] = {LONG_MAX, LONG_MIN, 2, -1};
    static const long wanted[] = {1, LONG_MIN, -2, -LONG_MAX};
    int seen[4];
    long found[4];
    armcii_scale_copy(ELEMENT_INT, &a, x, seen, sizeof(x));
    armcii_scale_copy(ELEMENT_LONG, &b, y, found, sizeof(y));
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(seen[i] == want[i], "int %d: expected %d, seen %d", i, want[i], seen[i]);
        ck_assert_msg(found[i] == wanted[i], "long %d: expected %ld, seen %ld", i, wanted[i],
                      found[i]);
    }
}

TEST(nothing_to_scale)
{
    static const double two = 2;
    double x = 3, y = 5;
    armcii_scale_copy(ELEMENT_DOUBLE, &two, &x, &y, 0);
    ck_assert(y == 5);
}

TEST(pack_of_a_patch)
{
    enum { ROWS = 5, COLUMNS = 3, WIDTH = 7 };
    for (size_t r = 0; r < ELEMENT_COUNT; r++) {
        size_t size = row[r].size;
        const int count[] = {COLUMNS * (int)size, ROWS}, stride[] = {WIDTH * (int)size};
        char remote[WIDTH * ROWS * 16], packed[COLUMNS * ROWS * 16 + 1];
        struct shape s;
        packed[COLUMNS * ROWS * size] = 77;
        ck_assert_int_eq(armcii_shape_strided(&s, (char *)row[r].values + size, stride, remote,
                                              stride, count, 1),
                         SHAPE_OK);
        armcii_scale_pack(row[r].type, row[r].scale, &s, packed);
        for (size_t i = 0; i < ROWS * COLUMNS; i++) {
            size_t at = 1 + i / COLUMNS * WIDTH + i % COLUMNS;
            ck_assert_msg(
                memcmp(packed + i * size, (const char *)row[r].want + at * size, size) == 0,
                "%s: packed element %zu is not the product of value %zu", row[r].name, i, at);
        }
        ck_assert_msg(packed[COLUMNS * ROWS * size] == 77, "%s: written past the buffer",
                      row[r].name);
    }
}

const struct unit unit = {.begin = fill_values};
