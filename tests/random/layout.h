/* layout.h - how the slices are divided into areas in a phase, and what areas are. */
#ifndef RANDOM_LAYOUT_H
#define RANDOM_LAYOUT_H

#include "program.h"

/* Divide all slices of region r. */
void layout_region(struct program *p, struct phase *ph, int r, struct rng *rng);
/* Does it hold numbers of its type at the beginning of a phase? */
bool area_is_typed(const struct area *a);
/* Does the byte at this offset of the slice belong to it? */
bool area_covers(const struct area *a, long offset);
/* What a shared accumulate of `rank` adds for each unit of its budget: numbers to this base, one digit a process. */
long area_unit(const struct program *p, int rank);
/* The most that one process may add to a part in a phase, in its units. */
int area_budget(const struct program *p);
/* Parts of elements in the area; which one lies at an offset in the slice; where one lies. */
long area_parts(const struct area *a);
long area_part_at(const struct area *a, long offset);
long area_part_offset(const struct area *a, long part);
/* Do elements lie anywhere?  Then there is no rmw, and a get beside accumulates may see a part of one. */
bool area_is_unaligned(const struct area *a);
/* Its cells of one element each; where one lies. */
long area_cells(const struct area *a);
long area_cell_offset(const struct area *a, long cell);
/* What a cell or part holds at the beginning of a phase. */
long area_start_number(const struct area *a, long offset);
/* Put what the area holds at the beginning of a phase into memory where the slice begins. */
void area_refresh(const struct area *a, char *slice);

#endif
