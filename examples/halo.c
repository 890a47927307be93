/* halo.c - halo exchange on a grid of ranks: heat spreads on a torus. Rows of the halo are
 * contiguous, columns are strided; both are put straight into the neighbours' arrays. Every rank
 * checks its block against the whole torus computed alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <armci.h>

enum { SIDE = 24, WIDE = SIDE + 2, STEPS = 20 }; /* of a block without its halo, with it */
typedef double block[WIDE][WIDE];                /* [0] and [WIDE - 1] are halo */

static int me, grid[2], place[2]; /* shape of the grid of ranks, and where this one is in it */

static int rank_at(int row, int column)
{
    return (row + grid[0]) % grid[0] * grid[1] + (column + grid[1]) % grid[1];
}

static double heat_at_start(int row, int column)
{
    return sin(0.3 * row) + cos(0.7 * column);
}

/* Give each neighbour the edge of mine[] that is its halo. All ranks have the same layout, so `to`
 * is the block at rank p. */
static void exchange(block mine, void *blocks[], size_t offset)
{
    int up = rank_at(place[0] - 1, place[1]), down = rank_at(place[0] + 1, place[1]);
    int left = rank_at(place[0], place[1] - 1), right = rank_at(place[0], place[1] + 1);
    int row_stride[1] = {WIDE * sizeof(double)},
        column[2] = {sizeof(double), SIDE}; /* 8 bytes, SIDE times */
#define AT(rank, i, j) (&(*(block *)(void *)((char *)blocks[rank] + offset))[i][j])
    ARMCI_Put(&mine[1][1], AT(up, WIDE - 1, 1), SIDE * sizeof(double), up);
    ARMCI_Put(&mine[SIDE][1], AT(down, 0, 1), SIDE * sizeof(double), down);
    ARMCI_PutS(&mine[1][1], row_stride, AT(left, 1, WIDE - 1), row_stride, column, 1, left);
    ARMCI_PutS(&mine[1][SIDE], row_stride, AT(right, 1, 0), row_stride, column, 1, right);
#undef AT
    ARMCI_Barrier(); /* every edge is in its place */
}

static double average(double centre, double up, double down, double left, double right)
{
    return 0.5 * centre + 0.125 * (up + down + left + right);
}

static void step(block from, block to)
{
    for (int i = 1; i <= SIDE; i++)
        for (int j = 1; j <= SIDE; j++)
            to[i][j] =
                average(from[i][j], from[i - 1][j], from[i + 1][j], from[i][j - 1], from[i][j + 1]);
}

/* The whole torus on one rank: the largest difference to this rank's block. */
static double difference(block mine)
{
    int h = grid[0] * SIDE, w = grid[1] * SIDE;
    double *old = malloc((size_t)(h * w) * sizeof *old),
           *new = malloc((size_t)(h * w) * sizeof *new), *t, most = 0;
    if (!old || !new) ARMCI_Error("no memory", 1);
    for (int k = 0; k < h * w; k++)
        old[k] = heat_at_start(k / w, k % w);
    for (int s = 0; s < STEPS; s++, t = old, old = new, new = t)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++)
                new[i * w + j] =
                    average(old[i * w + j], old[(i + h - 1) % h * w + j], old[(i + 1) % h * w + j],
                            old[i * w + (j + w - 1) % w], old[i * w + (j + 1) % w]);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            double d =
                fabs(mine[i + 1][j + 1] - old[(place[0] * SIDE + i) * w + place[1] * SIDE + j]);
            if (!(d <= most)) most = d;
        }
    free(old);
    free(new);
    return most;
}

int main(int argc, char **argv)
{
    ARMCI_Init_args(&argc, &argv);
    me = armci_msg_me();
    int n = armci_msg_nproc();
    MPI_Dims_create(n, 2, grid);
    place[0] = me / grid[1], place[1] = me % grid[1];
    void **blocks = malloc((size_t)n * sizeof *blocks);
    if (!blocks || ARMCI_Malloc(blocks, 2 * sizeof(block)) != 0) ARMCI_Error("no memory", 1);
    block *mine = blocks[me]; /* two blocks, from and to: who is still reading one is not disturbed
                                 by edges for the other */
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            mine[0][i + 1][j + 1] = heat_at_start(place[0] * SIDE + i, place[1] * SIDE + j);
    for (int s = 0; s < STEPS; s++) {
        exchange(mine[s % 2], blocks, (size_t)(s % 2) * sizeof(block));
        step(mine[s % 2], mine[(s + 1) % 2]);
    }
    double most = difference(mine[STEPS % 2]);
    armci_msg_dgop(&most, 1, "max");
    int wrong = !(most < 1e-12);
    if (me == 0)
        printf("halo: %d x %d ranks, largest difference %g: %s\n", grid[0], grid[1], most,
               wrong ? "WRONG" : "right");
    ARMCI_Free(blocks[me]);
    free(blocks);
    ARMCI_Finalize();
    return wrong;
}
