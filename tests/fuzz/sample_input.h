/* sample_input.h - samples of the shape model made from the bytes of a fuzzer; freed with sample_free. */
#ifndef FUZZ_SAMPLE_INPUT_H
#define FUZZ_SAMPLE_INPUT_H

#include "input.h"
#include "shape_model.h"

/* Strided, up to 16 levels, any strides; some 2000 bytes at most.  The memory begins or ends, as the input says, close
 * to the bytes of the transfer, so that AddressSanitizer sees a step beside it. */
void sample_strided(struct sample *m, struct input *in);

/* Vector: up to 4 runs, segments anywhere in an arena.  Segments of 0 bytes have addresses that point nowhere. */
void sample_vector(struct sample *m, struct input *in);

#endif
