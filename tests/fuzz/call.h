/* call.h - arguments of strided and vector calls with any numbers in them, and their addresses in 128-bit arithmetic.
 * No memory stands behind these addresses. */
#ifndef FUZZ_CALL_H
#define FUZZ_CALL_H

#include "input.h"
#include "shape/shape.h"

/* Wide enough for any address that arguments of 32 and 64 bits can lead to. */
typedef __int128 wide;

struct strided_call {
    int levels, count[SHAPE_MAX_LEVELS + 1], stride[2][SHAPE_MAX_LEVELS];
    uintptr_t base[2];
};

/* Any levels (also too few, too many), counts, strides and addresses. */
void call_wild(struct strided_call *c, struct input *in);
/* At most `most` bytes in segments of a multiple of `unit`, any strides; first addresses in the middle of the address space, so that all
 * others are in it too. */
void call_of_units(struct strided_call *c, struct input *in, int most, int unit);
enum shape_status call_shape(const struct strided_call *c, struct shape *s);

/* Bytes in all, for counts >= 0; what is more than 2^100 counts as 2^100. */
wide call_bytes(const struct strided_call *c);
/* Address of byte number n of the call. */
wide call_address(const struct strided_call *c, int side, wide n);
/* Ends of all bytes of a call that is not empty. */
void call_hull(const struct strided_call *c, int side, wide *lo, wide *hi);

/* Address of byte number n of a contiguous or strided shape. */
wide shape_address(const struct shape *s, int side, size_t n);

#endif
