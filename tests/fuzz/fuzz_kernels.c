/* fuzz_kernels.c - the loops over elements and the copy of short pieces, against one element, one byte at a time. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "input.h"
#include "shape/accumulate.h"
#include "shape/copy.h"
#include "shape/element.h"

enum { ROOM = 4096, ROWS = 6, MOST = 600 };

/* ---- one element; what is volatile is rounded */

/* Of 4 or 8 bytes; the low bytes of a product and a sum are right whatever stands above them. */
static uint64_t get_integer(enum element e, const void *at)
{
    uint64_t x = 0;
    memcpy(&x, at, armcii_element_size(e));
    return x;
}

static bool is_integer(enum element e)
{
    return e == ELEMENT_INT || e == ELEMENT_LONG;
}

static bool is_double(enum element e)
{
    return e == ELEMENT_DOUBLE || e == ELEMENT_DCOMPLEX;
}

/* x = scale * x, of a float or complex. */
static void multiply_floats(bool complex, const void *scale, char *x)
{
    float a[2] = {0, 0}, y[2] = {0, 0};
    memcpy(a, scale, complex ? sizeof a : sizeof a[0]);
    memcpy(y, x, complex ? sizeof y : sizeof y[0]);
    volatile float p[4] = {a[0] * y[0], a[1] * y[1], a[0] * y[1], a[1] * y[0]};
    float product[2] = {complex ? p[0] - p[1] : p[0], p[2] + p[3]};
    memcpy(x, product, complex ? sizeof product : sizeof product[0]);
}

static void multiply_doubles(bool complex, const void *scale, char *x)
{
    double a[2] = {0, 0}, y[2] = {0, 0};
    memcpy(a, scale, complex ? sizeof a : sizeof a[0]);
    memcpy(y, x, complex ? sizeof y : sizeof y[0]);
    volatile double p[4] = {a[0] * y[0], a[1] * y[1], a[0] * y[1], a[1] * y[0]};
    double product[2] = {complex ? p[0] - p[1] : p[0], p[2] + p[3]};
    memcpy(x, product, complex ? sizeof product : sizeof product[0]);
}

/* *x = *scale * *x */
static void multiply(enum element e, const void *scale, char *x)
{
    if (is_integer(e)) {
        uint64_t product = get_integer(e, scale) * get_integer(e, x);
        memcpy(x, &product, armcii_element_size(e));
    } else if (is_double(e)) {
        multiply_doubles(e == ELEMENT_DCOMPLEX, scale, x);
    } else {
        multiply_floats(e == ELEMENT_COMPLEX, scale, x);
    }
}

/* *dst += *x, of an integer or one part of a complex number. */
static void add_part(enum element e, char *dst, const char *x)
{
    if (is_integer(e)) {
        uint64_t sum = get_integer(e, dst) + get_integer(e, x);
        memcpy(dst, &sum, armcii_element_size(e));
    } else if (is_double(e)) {
        double a, b;
        memcpy(&a, dst, sizeof a);
        memcpy(&b, x, sizeof b);
        a += b;
        memcpy(dst, &a, sizeof a);
    } else {
        float a, b;
        memcpy(&a, dst, sizeof a);
        memcpy(&b, x, sizeof b);
        a += b;
        memcpy(dst, &a, sizeof a);
    }
}

/* *dst += *scale * *src, the addition alone where the scale is one. */
static void add_element(enum element e, const void *scale, char *dst, const char *src)
{
    size_t size = armcii_element_size(e), part = armcii_element_align(e);
    char x[16];
    memcpy(x, src, size);
    if (!armcii_scale_is_one(e, scale)) multiply(e, scale, x);
    for (size_t i = 0; i < size; i += part)
        add_part(e, dst + i, x + i);
}

/* ---- comparison: a NaN is as good as another */

static bool is_same_number(enum element e, const char *a, const char *b)
{
    double x[2] = {0, 0};
    float y[2] = {0, 0};
    if (is_double(e)) {
        memcpy(&x[0], a, sizeof x[0]);
        memcpy(&x[1], b, sizeof x[1]);
    } else if (!is_integer(e)) {
        memcpy(&y[0], a, sizeof y[0]);
        memcpy(&y[1], b, sizeof y[1]);
    }
    return (isnan(x[0]) && isnan(x[1])) || (isnan(y[0]) && isnan(y[1]));
}

static void check_same(enum element e, const char *what, const char *seen, const char *want, size_t bytes)
{
    size_t unit = armcii_element_align(e);
    for (size_t i = 0; i < bytes; i += unit)
        ck_assert_msg(memcmp(seen + i, want + i, unit) == 0 || is_same_number(e, seen + i, want + i),
                      "%s of %s: byte %zu", what, armcii_element_name(e), i);
}

/* ---- accumulate and scale */

/* Memory of any bits, many of them usual numbers. */
static void fill(struct input *in, char *memory)
{
    static const float few[] = {0, 1, -1, 0.5F, 3, 1e30F, -1e-30F, 7};
    uint8_t how = input_byte(in);
    uint64_t state = input_word(in) | 1;
    for (size_t i = 0; i < ROOM; i += 8) {
        double value = few[state >> 61] * (how % 4 == 1 ? 1 : 3);
        float pair[2] = {few[state >> 61], few[state >> 58 & 7]};
        if (how % 4 == 0) memcpy(memory + i, &state, 8);
        if (how % 4 == 1 || how % 4 == 2) memcpy(memory + i, &value, 8);
        if (how % 4 == 3) memcpy(memory + i, pair, 8);
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407U;
    }
}

static void choose_scale(struct input *in, enum element e, char scale[16])
{
    static const int i = 1;
    static const long l = 1;
    static const float f[2] = {1, 0}, g[2] = {-2.5F, 3};
    static const double d[2] = {1, 0}, h[2] = {0.1, -7};
    static const void *const one[] = {&i, &l, f, d, f, d}, *const other[] = {&i, &l, g, h, g, h};
    uint8_t how = input_byte(in) % 4, bit = input_byte(in) % 128;
    for (int k = 0; k < 16; k++)
        scale[k] = (char)(how == 3 ? input_byte(in) : 0);
    if (how < 3) memcpy(scale, how == 1 ? other[e] : one[e], armcii_element_size(e));
    if (how == 2) scale[bit / 8] = (char)(scale[bit / 8] ^ 1 << bit % 8); /* nearly one */
}

/* Where the first of n rows begins when the lowest one is at 0; they fit into ROOM. */
static ptrdiff_t first_row(ptrdiff_t step, size_t n)
{
    return step < 0 ? -step * (ptrdiff_t)(n - 1) : 0;
}

/* Rows of whole elements, the starts of both sides anywhere, also overlapping one another. */
static void accumulate(struct input *in)
{
    static _Alignas(16) char dst[ROOM], src[ROOM], want[ROOM];
    enum element e = (enum element)input_between(in, 0, ELEMENT_COUNT - 1);
    size_t unit = armcii_element_size(e);
    size_t n = (size_t)input_between(in, 1, ROWS), bytes = (size_t)input_between(in, 0, (int)(MOST / unit)) * unit;
    ptrdiff_t step = is_integer(e) ? 7 : (ptrdiff_t)armcii_element_align(e); /* reals do not overlap in part: NaNs would become numbers */
    ptrdiff_t to_step = input_between(in, -80, 80) * step, from_step = input_between(in, -600, 600);
    uint8_t shifts = input_byte(in);
    ptrdiff_t shift = shifts / 16, to = shift + first_row(to_step, n), from = first_row(from_step, n) + shifts % 16;
    char scale[16];
    choose_scale(in, e, scale);
    fill(in, dst);
    fill(in, src);
    memcpy(want, dst, ROOM);
    for (size_t row = 0; row < n; row++) {
        char *to_row = want + to + (ptrdiff_t)row * to_step;
        const char *from_row = src + from + (ptrdiff_t)row * from_step;
        for (size_t i = 0; i < bytes; i += unit)
            add_element(e, scale, to_row + i, from_row + i);
    }
    if (n == 1)
        armcii_accumulate(e, scale, dst + to, src + from, bytes);
    else
        armcii_accumulate_rows(e, scale, dst + to, to_step, src + from, from_step, bytes, n);
    ck_assert(memcmp(dst, want, (size_t)shift) == 0);
    check_same(e, "accumulate", dst + shift, want + shift, ROOM - 16);
}

static void scale_copy(struct input *in)
{
    static _Alignas(16) char seen[ROOM], src[ROOM], want[ROOM];
    enum element e = (enum element)input_between(in, 0, ELEMENT_COUNT - 1);
    size_t unit = armcii_element_size(e), bytes = (size_t)input_between(in, 0, (int)(MOST / unit)) * unit;
    size_t from = (size_t)input_between(in, 0, 63), to = (size_t)input_between(in, 0, 63);
    char scale[16];
    choose_scale(in, e, scale);
    fill(in, src);
    memset(seen, 0x2a, ROOM);
    memset(want, 0x2a, ROOM);
    memcpy(want + to, src + from, bytes);
    for (size_t i = 0; i < bytes; i += unit)
        multiply(e, scale, want + to + i);
    armcii_scale_copy(e, scale, src + from, seen + to, bytes);
    check_same(e, "scale", seen + to, want + to, bytes);
    memcpy(seen + to, want + to, bytes);
    ck_assert_msg(memcmp(seen, want, ROOM) == 0, "scale wrote beside the elements");
}

/* ---- copies that may overlap */

static void copy(struct input *in)
{
    char seen[512], want[512];
    size_t bytes = (size_t)input_between(in, 0, 255), from = input_byte(in), to = input_byte(in);
    if (input_byte(in) % 2) to = from + to % 16;
    for (size_t i = 0; i < sizeof seen; i++)
        seen[i] = want[i] = (char)(i * 5 + i / 256);
    if (to + bytes > sizeof seen || from + bytes > sizeof seen) return;
    for (size_t i = 0; i < bytes; i++)
        want[to + i] = seen[from + i];
    armcii_copy(seen + to, seen + from, bytes);
    ck_assert_msg(memcmp(seen, want, sizeof seen) == 0, "copy of %zu bytes from %zu to %zu", bytes, from, to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    uint8_t what = input_byte(&in) % 4;
    if (what == 0)
        copy(&in);
    else if (what == 1)
        scale_copy(&in);
    else
        accumulate(&in);
    return 0;
}
