/* prelude.h - the frame of a printed program: what comes before and after its operations. */
#ifndef RANDOM_PRELUDE_H
#define RANDOM_PRELUDE_H

#include <stdio.h>

#include "program.h"

void prelude_begin(FILE *to, const struct program *p);
void prelude_end(FILE *to);

#endif
