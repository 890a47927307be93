/* maker.h - what the files of the generator share. */
#ifndef RANDOM_MAKER_H
#define RANDOM_MAKER_H

#include "options.h"
#include "program.h"

struct maker {
    struct program *p;
    struct phase *ph;
    struct rng rng;
};

/* A new operation of the current unit with a new seed. */
struct op *make_op(struct maker *m, int rank, enum kind kind);
/* Take the last operation of the rank back. */
void make_undo(struct maker *m, int rank);
/* A random area with the rule that `rank` may use (-1: anyone); -1: none found. */
int make_find_area(struct maker *m, enum rule rule, int rank);
int make_random_rank(struct maker *m);

/* local.c of the generator: operations of one process */
void make_transfer(struct maker *m);
void make_access(struct maker *m);
void make_pack(struct maker *m);
void make_rmw(struct maker *m);
void make_wait(struct maker *m);
void make_fence(struct maker *m);

/* operations of several */
void make_sections(struct maker *m);
void make_telling(struct maker *m);
void make_message(struct maker *m);
void make_reduce(struct maker *m);
void make_barrier(struct maker *m);
void make_group(struct maker *m);
void make_group_end(struct maker *m);
/* on group: -1: a random one */
void make_region(struct maker *m, int group);
void make_region_end(struct maker *m);
void make_mutexes(struct maker *m);

/* ---- shapes.c: transfers of random shape ---- */

/* What a transfer is to be. */
struct wish {
    int origin;
    bool blocking;
    bool fresh;        /* what is put must not come from an earlier transfer */
    struct area *area; /* where on the remote side; a vector transfer also takes others like it */
    int index;         /* of the area in the phase */
    enum verb verb;
    enum form form;
    struct content content;
};

/* Make the transfer.  false: nothing came of it. */
bool shape_transfer(struct program *p, struct phase *ph, struct rng *rng, const struct wish *wish,
                    struct transfer *t);
/* Place n bytes in private memory of the origin. */
struct spot shape_landing(struct rng *rng, long n);
/* Do segments meet on the remote (local) side? */
bool shape_remote_overlaps(struct program *p, const struct transfer *t);
bool shape_local_overlaps(struct program *p, int origin, const struct transfer *t);

#endif
