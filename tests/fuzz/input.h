/* input.h - the bytes of a fuzzer, taken as numbers one after the other.  When they are used up,
 * all is 0. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What every target defines; called by libFuzzer or by replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *at;
    size_t left;
};

uint8_t input_byte(struct input *in);
/* In lo..hi; takes one byte where that is enough, else four. */
int input_between(struct input *in, int lo, int hi);
/* Any number, often one near 0, a power of two or an end of its range. */
int input_int(struct input *in);
uint64_t input_word(struct input *in);

#endif
