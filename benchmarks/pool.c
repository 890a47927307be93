/* pool.c - a pool of tasks as in quantum chemistry: a rank draws the number of its next task from
 * one counter, gets two blocks of a matrix, multiplies them, and adds the product to a block of
 * another. The numbers are whole, so that sums are exact in any order. */
#include "row.h"

#include <armci.h>
#include <string.h>

enum {
    SIDE = 48,  /* of a block */
    BLOCKS = 6, /* the matrices have so many in each direction */
    TASKS = BLOCKS * BLOCKS * BLOCKS,
    BLOCK_BYTES = SIDE * SIDE * (int)sizeof(double),
    ROW_BYTES = SIDE * (int)sizeof(double),
    PITCH = 2 * ROW_BYTES, /* from row to row of a block in global memory */
    SPACE = PITCH * SIDE,
    AB = 4096, /* in a slice, behind the counter: blocks of A, with those of the product behind them
                */
    PRODUCT = AB + BLOCKS * BLOCKS * SPACE,
};
_Static_assert(PRODUCT + BLOCKS * BLOCKS * SPACE <= LARGEST_TRANSFER, "blocks fit in a slice");

enum { ALL = 1, WITHOUT_WORK = 2 }; /* segments of the patch of a row */

static double a[SIDE * SIDE], b[SIDE * SIDE], product[SIDE * SIDE];

/* Blocks are dealt out in turns. */
static int owner(const struct site *site, int block)
{
    return block % site->ranks;
}

static char *place(const struct site *site, int part, int block)
{
    return (char *)site->slices[owner(site, block)] + part + (long)(block / site->ranks) * SPACE;
}

static void get(const struct site *site, int block, double *into)
{
    int count[2] = {ROW_BYTES, SIDE}, there = PITCH, here = ROW_BYTES;
    ARMCI_GetS(place(site, AB, block), &there, into, &here, count, 1, owner(site, block));
}

static void add(const struct site *site, int block)
{
    int count[2] = {ROW_BYTES, SIDE}, there = PITCH, here = ROW_BYTES;
    double one = 1;
    ARMCI_AccS(ARMCI_ACC_DBL, &one, product, &here, place(site, PRODUCT, block), &there, count, 1,
               owner(site, block));
}

static void multiply(void)
{
    memset(product, 0, sizeof product);
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                product[i * SIDE + j] += a[i * SIDE + k] * b[k * SIDE + j];
}

/* Block (i, j) of the product is the sum over k of blocks (i, k) and (k, j). */
static void do_task(const struct row *row, const struct site *site, int task)
{
    int i = task / (BLOCKS * BLOCKS), j = task / BLOCKS % BLOCKS, k = task % BLOCKS;
    get(site, i * BLOCKS + k, a);
    get(site, k * BLOCKS + j, b);
    if (row->patch.segments == ALL) multiply();
    add(site, i * BLOCKS + j);
}

/* Who draws a number beyond the tasks waits for the others; then the counter begins again. */
static void run(const struct row *row, const struct site *site, long times)
{
    long task, zero = 0;
    for (long pool = 0; pool < times; pool++) {
        for (;;) {
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &task, site->slices[0], 1, 0);
            if (task >= TASKS) break;
            do_task(row, site, (int)task);
        }
        ARMCI_Barrier();
        if (site->me == 0) ARMCI_Put(&zero, site->slices[0], sizeof zero, 0);
        ARMCI_Barrier();
    }
}

/* ---- data ---- */

/* All elements of a block of A, which is B as well. */
static double value_of(int block)
{
    return block % 3 + 1;
}

static double sum_at(const struct row *row, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < BLOCKS; k++)
        sum += row->patch.segments == ALL
                   ? SIDE * value_of(i * BLOCKS + k) * value_of(k * BLOCKS + j)
                   : 1;
    return sum;
}

static void fill(char *at, double value)
{
    for (int i = 0; i < SPACE; i += (int)sizeof value)
        memcpy(at + i, &value, sizeof value);
}

static void prepare(const struct row *row, const struct site *site, int seed)
{
    (void)row, (void)seed;
    memset(site->slice, 0, AB);
    for (int block = site->me; block < BLOCKS * BLOCKS; block += site->ranks) {
        long at = (long)(block / site->ranks) * SPACE;
        fill(site->slice + AB + at, value_of(block));
        memset(site->slice + PRODUCT + at, 0, SPACE);
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        product[i] = 1;
}

static bool check(const struct row *row, const struct site *site, int seed, long times)
{
    (void)seed;
    for (int block = site->me; block < BLOCKS * BLOCKS; block += site->ranks) {
        const char *at = site->slice + PRODUCT + (long)(block / site->ranks) * SPACE;
        double wanted = (double)times * sum_at(row, block / BLOCKS, block % BLOCKS), seen;
        for (int i = 0; i < SIDE; i++) {
            for (int j = 0; j < SIDE; j++) {
                memcpy(&seen, at + (long)i * PITCH + (long)j * (long)sizeof seen, sizeof seen);
                if (seen != wanted) return false;
            }
        }
    }
    return true;
}

#define ROW(NAME, WHAT)                                                                            \
    {                                                                                              \
        .name = NAME, .who = TOGETHER, .patch = {WHAT, 0, 0, 0}, .run = run, .prepare = prepare,   \
        .check = check                                                                             \
    }
static const struct row rows[] = {ROW("pool of 216 tasks", ALL),
                                  ROW("pool of 216 tasks, no work", WITHOUT_WORK)};

const struct group group_pool = {.word = "pool", .count = sizeof rows / sizeof *rows, .rows = rows};
