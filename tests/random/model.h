/* model.h - the sequential model: what every memory of every process should hold.
 *
 * In a phase no two processes write the same bytes unless their operations commute, so that the streams may be applied in any
 * order.  Each process applies its own operations as it issues them, and those of the others when it comes to compare. */
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
void model_replay(struct program *p, const struct phase *ph, struct replay *replay, int rank, long sequence);
/* What a part of a mailbox holds once its owner has put or accumulated into it, in memory of op->bytes. */
void model_told(struct program *p, const struct phase *ph, const struct op *op, char *part);

#endif
