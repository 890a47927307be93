/* print.h - operations as C. */
#ifndef RANDOM_PRINT_H
#define RANDOM_PRINT_H

#include <stdio.h>

#include "program.h"

/* The calls of an operation, one statement after the other. */
void print_op(FILE *to, const struct program *p, const struct phase *ph, const struct op *op);

#endif
