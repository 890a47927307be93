/* print.h - operations and programs as text. */
#ifndef RANDOM_PRINT_H
#define RANDOM_PRINT_H

#include <stdio.h>

#include "program.h"

const char *kind_name(enum kind kind);
/* One line: the operation. */
void print_op(FILE *to, const struct program *p, const struct phase *ph, const struct op *op);
/* The program of this seed, or what --only-ops leaves of it, an operation a line: unit, sequence, rank, operation. */
void print_program(FILE *to, uint64_t seed, int ranks);

#endif
