/* input.c - numbers from the bytes of a fuzzer. */
#include "input.h"

#include <limits.h>

uint8_t input_byte(struct input *in)
{
    if (in->left == 0) return 0;
    in->left--;
    return *in->at++;
}

/* n bytes, the lowest first. */
static uint64_t input_bits(struct input *in, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n; i++)
        value |= (uint64_t)input_byte(in) << 8 * i;
    return value;
}

int input_between(struct input *in, int lo, int hi)
{
    uint64_t range = (uint64_t)((int64_t)hi - lo) + 1;
    return (int)(lo + (int64_t)(input_bits(in, range <= 256 ? 1 : 4) % range));
}

int input_int(struct input *in)
{
    uint8_t how = input_byte(in);
    switch (how % 8) {
    case 0: return (int8_t)input_byte(in);
    case 1: return (int16_t)input_bits(in, 2);
    case 2: return (int)(int32_t)(uint32_t)input_bits(in, 4);
    case 3: return INT_MAX - how / 8;
    case 4: return INT_MIN + how / 8;
    case 5: return 1 << (how / 8 % 31);
    case 6: return -(1 << (how / 8 % 31));
    default: return how / 8;
    }
}

uint64_t input_word(struct input *in)
{
    uint8_t how = input_byte(in);
    uint64_t step = how / 8;
    switch (how % 8) {
    case 0: return step;
    case 1: return UINT64_MAX - step;
    case 2: return ((uint64_t)1 << 63) - step;
    case 3: return ((uint64_t)1 << 63) + step;
    case 4: return (uint64_t)1 << (step * 2);
    case 5: return input_bits(in, 2);
    case 6: return input_bits(in, 4);
    default: return input_bits(in, 8);
    }
}
