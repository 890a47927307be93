/* histogram.c - a histogram whose bins are spread over the ranks: every rank counts its own numbers
 * and adds the counts to everybody's bins by accumulate, which needs no lock. Ranks begin with
 * different targets: not all add to rank 0 first. */
#include <stdio.h>
#include <stdlib.h>

#include <armci.h>

enum { BINS_OF_A_RANK = 100, NUMBERS = 20000 };

/* The k-th number of a rank, anything from 0 to bins - 1. */
static int number(int rank, int k, int bins)
{
    unsigned long x = (unsigned long)rank * NUMBERS + (unsigned long)k;
    x = (x ^ x >> 16) * 0x45d9f3b;
    x = (x ^ x >> 16) * 0x45d9f3b;
    return (int)((x ^ x >> 16) % (unsigned long)bins);
}

static void count(int rank, long *counts, int bins)
{
    for (int k = 0; k < NUMBERS; k++)
        counts[number(rank, k, bins)]++;
}

static void add_to_all(long *counts, void *bins[], int me, int n)
{
    long one = 1; /* the scale: bins += 1 * counts */
    for (int k = 0; k < n; k++) {
        int p = (me + k) % n;
        ARMCI_Acc(ARMCI_ACC_LNG, &one, counts + p * BINS_OF_A_RANK, bins[p],
                  BINS_OF_A_RANK * sizeof(long), p);
    }
    ARMCI_Barrier(); /* fences what this rank added, and waits until all have */
}

int main(int argc, char **argv)
{
    ARMCI_Init_args(&argc, &argv);
    int me = armci_msg_me(), n = armci_msg_nproc(), all = n * BINS_OF_A_RANK;
    void **bins = malloc((size_t)n * sizeof *bins);
    long *counts = calloc((size_t)all, sizeof *counts),
         *expected = calloc((size_t)all, sizeof *expected);
    if (!bins || !counts || !expected || ARMCI_Malloc(bins, BINS_OF_A_RANK * sizeof(long)) != 0)
        ARMCI_Error("no memory", 1);
    long *mine = bins[me];
    for (int i = 0; i < BINS_OF_A_RANK; i++)
        mine[i] = 0;
    ARMCI_Barrier(); /* nobody adds before the zeros are there */

    count(me, counts, all);
    add_to_all(counts, bins, me, n);

    int wrong = 0;
    for (int p = 0; p < n; p++)
        count(p, expected, all);
    for (int i = 0; i < BINS_OF_A_RANK; i++)
        wrong += mine[i] != expected[me * BINS_OF_A_RANK + i];
    armci_msg_igop(&wrong, 1, "+");
    if (me == 0)
        printf("histogram: %d numbers in %d bins, %d bins are wrong: %s\n", n * NUMBERS, all, wrong,
               wrong ? "WRONG" : "right");
    ARMCI_Free(bins[me]);
    free(bins);
    free(counts);
    free(expected);
    ARMCI_Finalize();
    return wrong != 0;
}
