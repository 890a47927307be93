/* model.h - the sequential model: what every memory of every process should hold.
 *
 * In a phase no two processes write the same bytes unless their operations commute, so that the
 * streams may be applied in any order. Each process applies its own operations as it issues them,
 * and those of the others when it comes to compare. */
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include "program.h"

/* How much of the streams of others has been applied. */
struct replay {
    int at[MAX_RANKS];
};

/* Set what areas hold at the beginning of the phase. */
void model_begin_phase(struct program *p, const struct phase *ph);
void model_apply(struct program *p, const struct phase *ph, const struct op *op);
/* Fill the source, or spoil the destination, in memory that begins at `local`. */
void model_fill(const struct op *op, char *local);
/* What an rmw on a cell that only this process uses must return. */
long model_cell(const struct program *p, const struct phase *ph, const struct op *op);
/* Apply all of a rank's operations that come before `sequence` and were not yet applied. */
void model_replay(struct program *p, const struct phase *ph, struct replay *replay, int rank,
                  long sequence);
/* What a part of a mailbox holds once its owner has put or accumulated into it, in memory of
 * op->bytes. */
void model_told(struct program *p, const struct phase *ph, const struct op *op, char *part);

/* ---- layout.c: how the slices are divided into areas in a phase, and what areas are ---- */

/* Divide all slices of region r. */
void layout_region(struct program *p, struct phase *ph, int r, struct rng *rng);
/* Does it hold numbers of its type at the beginning of a phase? */
bool area_is_typed(const struct area *a);
/* Does the byte at this offset of the slice belong to it? */
bool area_covers(const struct area *a, long offset);
/* What a shared accumulate of `rank` adds for each unit of its budget: numbers to this base, one
 * digit a process. */
long area_unit(const struct program *p, int rank);
/* The most that one process may add to a part in a phase, in its units. */
int area_budget(const struct program *p);
/* Parts of elements in the area; which one lies at an offset in the slice; where one lies. */
long area_parts(const struct area *a);
long area_part_at(const struct area *a, long offset);
long area_part_offset(const struct area *a, long part);
/* Do elements lie anywhere?  Then there is no rmw, and a get beside accumulates may see a part of
 * one. */
bool area_is_unaligned(const struct area *a);
/* Its cells of one element each; where one lies. */
long area_cells(const struct area *a);
long area_cell_offset(const struct area *a, long cell);
/* What a cell or part holds at the beginning of a phase. */
long area_start_number(const struct area *a, long offset);
/* Put what the area holds at the beginning of a phase into memory where the slice begins. */
void area_refresh(const struct area *a, char *slice);

/* ---- model.c: areas into which everyone accumulates. Each process adds multiples of its unit,
 * few enough that the sums of all are the digits of one number: so a get tells how much of whose
 * accumulates has arrived ---- */

/* Add to counts[part] what the accumulate adds to each part, in its origin's units, all at once.
 * false, with nothing added: that would be more than the budget. */
bool shared_add(const struct program *p, const struct area *a, const struct transfer *t,
                unsigned char counts[]);
/* Forget what was counted in the phase, and count the accumulates that are left. */
void shared_recount(struct program *p, struct phase *ph);
/* Is `seen` at this part what an origin may see that has added all of a->done?  If not, *least is
 * the smallest number it may see and *rank the process whose digit is wrong. */
bool shared_may_be(const struct program *p, const struct area *a, long part, long seen, long *least,
                   int *rank);

#endif
