/* mg.h - the kernel MG of the NAS Parallel Benchmarks: V-cycles of multigrid for a Poisson equation
 * on a periodic cube. Two ways to exchange the faces of blocks share everything else. */
#ifndef ARMCI_BENCH_MG_H
#define ARMCI_BENCH_MG_H

#include "site.h"

enum { MG_AXES = 3, MG_MOST_LEVELS = 9, MG_MOST_RANKS = 8, MG_CHARGES = 20 };

/* As the specification has them: 10 points of charge +1 and 10 of charge -1, at the largest and at
 * the smallest of `side`^3 random numbers. */
struct mg_class {
    const char *name;
    int side, iterations;
    double smoother[4]; /* S: for a point, and its neighbours by a face, an edge, a corner */
    double norm;        /* of the residual behind the last iteration */
};

/* A rank's part of one grid, with a halo of one point on all sides: u and r are arrays of
 * (size[0] + 2) x (size[1] + 2) x (size[2] + 2). */
struct mg_level {
    int size[MG_AXES];
    long row, plane; /* distances of neighbours along axis 1 and along axis 0 */
    double *u, *r;
};

struct mg {
    const struct mg_class *class;
    long charges[MG_CHARGES]; /* numbers of points; the first half is positive */
    int me;
    int grid[MG_AXES], place[MG_AXES]; /* of the ranks; of the caller */
    int neighbours[MG_AXES][2];        /* ranks before and behind the caller */
    int levels;
    struct mg_level level[MG_MOST_LEVELS]; /* the last is the finest */
    void **slices;                         /* of each rank, alike: flags, then the arrays */
    double *v;
    double communication; /* seconds in exchanges since the run began */
};

/* A face along an axis: pieces of `length` doubles, `count[0]` of them at `distance[0]`, and all
 * that `count[1]` times at `distance[1]`. Its edges reach into the halo only along later axes,
 * which were exchanged before: a neighbour may fill the halo along an earlier axis at any time. */
struct mg_face {
    long length, count[2], distance[2];
    long first[2], halo[2]; /* the outermost points before and behind, and the halo beyond them */
};

/* How faces travel. An array lies at one offset in all slices. `exchange` gives the neighbours
 * along an axis the caller's outermost points of the array, and returns when theirs are in the
 * caller's halo. Between two exchanges of one array there is one of another: whoever takes part in
 * that has read the halo, and the next may overwrite it. */
struct mg_way {
    const char *name;
    bool (*open)(struct mg *mg); /* collective; NULL: nothing to do */
    void (*close)(struct mg *mg);
    void (*exchange)(struct mg *mg, const struct mg_level *level, double *array, int axis);
};
extern const struct mg_way mg_armci, mg_mpi;

/* Bytes for the flags of mg_armci at the beginning of each slice. */
enum { MG_FLAG_BYTES = 4096 };

struct mg_face mg_face(const struct mg_level *level, int axis);
/* Can the ranks, two or more, divide the coarsest grid, 2 x 2 x 2? */
bool mg_can(int ranks);
/* Allocate the grids, find the charges. Collective; false if out of memory. */
bool mg_open(struct mg *mg, const struct mg_class *class, const struct site *site);
void mg_close(struct mg *mg);
/* All iterations, from u = 0: the norm of the residual. Collective; all ranks get it. */
double mg_solve(struct mg *mg, const struct mg_way *way);

#endif
