/* sparse.c - y = A x with a sparse matrix of the size of av41092 (41,092 rows, 1,683,902 elements).
 * Rows and x are divided among the ranks; each gets the elements of x that its rows need, by four
 * methods. The numbers are whole and small, so that sums are exact in any order. */
#include "row.h"

#include <armci.h>
#include <message.h> /* not every armci.h includes it */
#include <stdlib.h>
#include <string.h>

enum {
    N = 41092,
    NONZEROS = 1683902,
    NEAR = 400,    /* distance from the diagonal of most elements */
    FAR_ONES = 64, /* one element of so many is anywhere in its row */
    SEED = 41092,
};

static struct {
    int begin, end;       /* the caller's rows, and elements of x */
    int *start, *column;  /* of each own row, and one behind; of each element */
    signed char *element; /* 1 to 4 */
    double **x;           /* of each rank */
    double *all, *y;      /* x as far as it is needed; the product of the own rows */
    void **there, **here; /* of each needed element in another part: addresses there and here */
    int *owner, *first;   /* its rank; where each rank's begin in these lists */
} a;

/* ---- the matrix ---- */

static unsigned random_below(unsigned long *state, unsigned below)
{
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    return (unsigned)((*state >> 33) % below);
}

static int first_row(const struct site *site, int rank)
{
    return (int)((long)N * rank / site->ranks);
}

/* Each row has 41 elements, or 40 from some row on. */
static int elements_in(int row)
{
    return NONZEROS / N + (row < NONZEROS % N);
}

/* The same matrix for any number of ranks: a row depends on its number only. Two elements in one
 * place count as their sum. */
static void make_row(int row, int *columns, signed char *elements)
{
    unsigned long state = SEED + 1000003UL * (unsigned long)row;
    random_below(&state, 2);
    for (int i = 0; i < elements_in(row); i++) {
        bool far = random_below(&state, FAR_ONES) == 0;
        int near = row - NEAR + (int)random_below(&state, 2 * NEAR + 1);
        columns[i] = far ? (int)random_below(&state, N) : (near + N) % N;
        elements[i] = (signed char)(1 + random_below(&state, 4));
    }
}

static double x_at(int column, int seed)
{
    return (double)((column * 7L + seed * 13L) % 1000);
}

/* ---- what the rows need of other ranks ---- */

static bool is_mine(int column)
{
    return column >= a.begin && column < a.end;
}

/* In ascending order, each once. */
static int list_needed(const struct site *site)
{
    bool *marked = calloc(N, sizeof *marked);
    int count = 0;
    for (int i = 0; marked && i < a.start[a.end - a.begin]; i++)
        marked[a.column[i]] = true;
    for (int rank = 0; marked && rank < site->ranks; rank++) {
        a.first[rank] = count;
        for (int column = first_row(site, rank); column < first_row(site, rank + 1); column++) {
            if (!marked[column] || is_mine(column)) continue;
            a.owner[count] = rank;
            a.there[count] = a.x[rank] + (column - first_row(site, rank));
            a.here[count] = a.all + column;
            count++;
        }
    }
    a.first[site->ranks] = count;
    free(marked);
    return marked ? count : -1;
}

/* ---- the methods, and the product ---- */

static void run_single(const struct row *row, const struct site *site, long times)
{
    (void)row;
    for (long i = 0; i < times; i++) {
        for (int k = 0; k < a.first[site->ranks]; k++)
            ARMCI_Get(a.there[k], a.here[k], sizeof(double), a.owner[k]);
    }
}

/* As the program that the original ARMCI comes with. */
static void run_nonblocking(const struct row *row, const struct site *site, long times)
{
    (void)row;
    for (long i = 0; i < times; i++) {
        for (int k = 0; k < a.first[site->ranks]; k++)
            ARMCI_NbGet(a.there[k], a.here[k], sizeof(double), a.owner[k], NULL);
        ARMCI_WaitAll();
    }
}

static void run_aggregate(const struct row *row, const struct site *site, long times)
{
    (void)row;
    for (long i = 0; i < times; i++) {
        for (int rank = 0; rank < site->ranks; rank++) {
            armci_hdl_t handle;
            ARMCI_INIT_HANDLE(&handle);
            ARMCI_SET_AGGREGATE_HANDLE(&handle);
            for (int k = a.first[rank]; k < a.first[rank + 1]; k++)
                ARMCI_NbGet(a.there[k], a.here[k], sizeof(double), rank, &handle);
            if (a.first[rank] < a.first[rank + 1]) ARMCI_Wait(&handle);
        }
    }
}

static void run_vector(const struct row *row, const struct site *site, long times)
{
    (void)row;
    for (long i = 0; i < times; i++) {
        for (int rank = 0; rank < site->ranks; rank++) {
            int begin = a.first[rank], count = a.first[rank + 1] - begin;
            armci_giov_t list = {.src_ptr_array = a.there + begin,
                                 .dst_ptr_array = a.here + begin,
                                 .bytes = sizeof(double),
                                 .ptr_array_len = count};
            if (count > 0) ARMCI_GetV(&list, 1, rank);
        }
    }
}

static void run_product(const struct row *row, const struct site *site, long times)
{
    (void)row, (void)site;
    for (long i = 0; i < times; i++) {
        for (int own = 0; own < a.end - a.begin; own++) {
            double sum = 0;
            for (int k = a.start[own]; k < a.start[own + 1]; k++)
                sum += a.element[k] * a.all[a.column[k]];
            a.y[own] = sum;
        }
        __asm__ volatile("" : : "r"(a.y) : "memory");
    }
}

/* ---- data ---- */

/* What a method must get is wrong before. */
static void prepare(const struct row *row, const struct site *site, int seed)
{
    (void)row;
    for (int i = 0; i < N; i++)
        a.all[i] = is_mine(i) ? x_at(i, seed) : -1;
    memcpy(a.x[site->me], a.all + a.begin, (size_t)(a.end - a.begin) * sizeof(double));
}

/* The product from what was got, against one of which each element of x is computed. */
static bool check(const struct row *row, const struct site *site, int seed, long times)
{
    int columns[NONZEROS / N + 1];
    signed char elements[NONZEROS / N + 1];
    (void)times;
    run_product(row, site, 1);
    for (int r = a.begin; r < a.end; r++) {
        double sum = 0;
        make_row(r, columns, elements);
        for (int i = 0; i < elements_in(r); i++)
            sum += elements[i] * x_at(columns[i], seed);
        if (a.y[r - a.begin] != sum) return false;
    }
    return true;
}

/* The product alone has all of x. */
static void prepare_product(const struct row *row, const struct site *site, int seed)
{
    prepare(row, site, seed);
    for (int i = 0; i < N; i++)
        a.all[i] = x_at(i, seed);
}

static bool has_two(const struct site *site)
{
    return site->ranks > 1;
}

/* ---- the group ---- */

enum { SINGLE, NONBLOCKING, AGGREGATE, VECTOR, PRODUCT, ROWS };
static const struct row rows[ROWS] = {
    [SINGLE] = {.name = "sparse: single gets",
                .who = TOGETHER,
                .run = run_single,
                .prepare = prepare,
                .check = check,
                .available = has_two},
    [NONBLOCKING] = {.name = "sparse: non-blocking gets",
                     .who = TOGETHER,
                     .run = run_nonblocking,
                     .prepare = prepare,
                     .check = check,
                     .beside = &rows[SINGLE],
                     .available = has_two},
    [AGGREGATE] = {.name = "sparse: aggregate",
                   .who = TOGETHER,
                   .run = run_aggregate,
                   .prepare = prepare,
                   .check = check,
                   .beside = &rows[NONBLOCKING],
                   .available = has_two},
    [VECTOR] = {.name = "sparse: vector",
                .who = TOGETHER,
                .run = run_vector,
                .prepare = prepare,
                .check = check,
                .beside = &rows[AGGREGATE],
                .available = has_two},
    [PRODUCT] = {.name = "sparse: product, x at hand",
                 .who = TOGETHER,
                 .run = run_product,
                 .prepare = prepare_product,
                 .check = check},
};

static void leave(struct site *site)
{
    ARMCI_Barrier();
    ARMCI_Free(a.x[site->me]);
    free(a.start);
    free(a.column);
    free(a.element);
    free(a.x);
    free(a.all);
    free(a.y);
    free(a.first);
    free(a.there);
    free(a.here);
    free(a.owner);
}

static bool allocate(const struct site *site)
{
    const size_t own = (size_t)(a.end - a.begin), elements = own * (NONZEROS / N + 1);
    a.start = calloc(own + 1, sizeof *a.start);
    a.column = calloc(elements, sizeof *a.column);
    a.element = calloc(elements, sizeof *a.element);
    a.x = calloc((size_t)site->ranks, sizeof *a.x);
    a.all = calloc(N, sizeof *a.all);
    a.y = calloc(own, sizeof *a.y);
    a.first = calloc((size_t)site->ranks + 1, sizeof *a.first);
    a.there = calloc(N, sizeof *a.there);
    a.here = calloc(N, sizeof *a.here);
    a.owner = calloc(N, sizeof *a.owner);
    return a.start && a.column && a.element && a.x && a.all && a.y && a.first && a.there &&
           a.here && a.owner;
}

static bool enter(struct site *site)
{
    a.begin = first_row(site, site->me);
    a.end = first_row(site, site->me + 1);
    if (!site_all(allocate(site))) return false;
    for (int own = 0; own < a.end - a.begin; own++) {
        make_row(a.begin + own, a.column + a.start[own], a.element + a.start[own]);
        a.start[own + 1] = a.start[own] + elements_in(a.begin + own);
    }
    const size_t bytes = (size_t)(a.end - a.begin) * sizeof(double);
    if (!site_all(ARMCI_Malloc((void **)a.x, (armci_size_t)bytes) == 0)) return false;
    return site_all(list_needed(site) >= 0);
}

const struct group group_sparse = {
    .word = "sparse", .count = ROWS, .rows = rows, .enter = enter, .leave = leave};
