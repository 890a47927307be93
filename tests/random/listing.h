/* listing.h - a whole program as text, without running it. */
#ifndef RANDOM_LISTING_H
#define RANDOM_LISTING_H

#include <stdint.h>
#include <stdio.h>

/* Print the program, or what --only-ops leaves of it, as options say: one operation a line, or a C program. */
void list_program(FILE *to, uint64_t seed, int ranks);

#endif
