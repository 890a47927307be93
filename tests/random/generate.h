/* generate.h - random programs. */
#ifndef RANDOM_GENERATE_H
#define RANDOM_GENERATE_H

#include "program.h"

/* How many mutexes each process hosts: decided once for a program. */
void generate_begin(struct program *p);
/* Make the areas and all streams of the phase. */
void generate_phase(struct program *p, struct phase *ph);

#endif
