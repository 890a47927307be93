/* matmul.c - rows of a matrix product: SRUMMA, which gets what it needs, beside SUMMA, which
 * broadcasts, and ScaLAPACK's pdgemm beside SRUMMA. All three have the same blocks and the same
 * dgemm. */
#include "matmul.h"
#include "plain_mpi.h"
#include "row.h"

#include <armci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int m, n, k;
} sizes[] = {{128, 128, 128},    {256, 256, 256},   {512, 512, 512},  {1000, 1000, 1000},
             {2000, 2000, 2000}, {1000, 1000, 512}, {2000, 2000, 512}};

enum {
    SIZES = sizeof sizes / sizeof *sizes,
    SHOWN = 2 * SIZES, /* rows of the group: SRUMMA and pdgemm; SUMMA's are only beside them */
    LONGEST = 2000,    /* length of a matrix */
    PAIRS = 3,         /* products of each kind, at least */
    VALUES = 1024      /* of the numbers that matrices are made of */
};

static struct row rows[SHOWN + SIZES];
static char names[SHOWN + SIZES][40];
static struct matmul matmul;
static bool has_blas, has_scalapack;

/* ---- blocks ---- */

struct deal deal_out(int length, int parts)
{
    return (struct deal){length, parts, (length + parts - 1) / parts};
}

int deal_count(struct deal deal, int part)
{
    int rest = deal.length - part * deal.block;
    return rest < 0 ? 0 : rest < deal.block ? rest : deal.block;
}

int deal_part(struct deal deal, int index)
{
    return index / deal.block;
}

int leading(int height)
{
    return height > 0 ? height : 1;
}

size_t matmul_offset(const struct matmul *p)
{
    return (size_t)p->m.block * (size_t)p->k_of_a.block * sizeof(double);
}

/* Deal out the matrices of this size. */
static void resize(struct matmul *p, int m, int n, int k)
{
    p->m = deal_out(m, p->rows);
    p->n = deal_out(n, p->columns);
    p->k_of_a = deal_out(k, p->columns);
    p->k_of_b = deal_out(k, p->rows);
    p->b = (double *)((char *)p->a + matmul_offset(p));
}

/* The grid is as square as the number of ranks allows. */
static void make_grid(struct matmul *p, const struct site *site)
{
    p->rows = 1;
    for (int i = 2; i * i <= site->ranks; i++)
        if (site->ranks % i == 0) p->rows = i;
    p->columns = site->ranks / p->rows;
    p->row = site->me / p->columns;
    p->column = site->me % p->columns;
}

/* ---- a known product: A(i, l) = u(i) + v(l), B(l, j) = w(l) + z(j), whole numbers ---- */

enum vector { U, V, W, Z, VECTORS };

static double value(enum vector vector, int seed, int index)
{
    unsigned long bits = (unsigned long)index * VECTORS + vector + ((unsigned long)seed << 32);
    bits = (bits ^ bits >> 29) * 0x9E3779B97F4A7C15UL;
    bits = (bits ^ bits >> 32) * 0x9E3779B97F4A7C15UL;
    return (double)(bits >> 40 & (VALUES - 1));
}

/* A block with the sums of two vectors: of the vector `down` for the rows, `across` for columns. */
static void fill(double *block, struct deal down, int row, enum vector of_rows, struct deal across,
                 int column, enum vector of_columns, int seed)
{
    int height = deal_count(down, row), width = deal_count(across, column);
    for (int j = 0; j < width; j++) {
        double here = value(of_columns, seed, column * across.block + j);
        for (int i = 0; i < height; i++)
            *block++ = value(of_rows, seed, row * down.block + i) + here;
    }
}

static int size_of(const struct row *row)
{
    int number = (int)(row - rows);
    return number < SHOWN ? number / 2 : number - SHOWN;
}

static void prepare(const struct row *row, const struct site *site, int seed)
{
    struct matmul *p = &matmul;
    int size = size_of(row);
    (void)site;
    resize(p, sizes[size].m, sizes[size].n, sizes[size].k);
    fill(p->a, p->m, p->row, U, p->k_of_a, p->column, V, seed);
    fill(p->b, p->k_of_b, p->row, W, p->n, p->column, Z, seed);
    for (long i = 0; i < (long)deal_count(p->m, p->row) * deal_count(p->n, p->column); i++)
        p->c[i] = -1; /* no algorithm may add to it */
}

/* The sum over l of (u + v(l)) (w(l) + z), exact as the matrices are whole numbers. */
static bool check(const struct row *row, const struct site *site, int seed, long times)
{
    const struct matmul *p = &matmul;
    const double *c = p->c;
    int k = p->k_of_a.length;
    double v = 0, w = 0, vw = 0;
    (void)row, (void)site, (void)times;
    for (int l = 0; l < k; l++) {
        v += value(V, seed, l);
        w += value(W, seed, l);
        vw += value(V, seed, l) * value(W, seed, l);
    }
    for (int j = 0; j < deal_count(p->n, p->column); j++) {
        double z = value(Z, seed, p->column * p->n.block + j);
        for (int i = 0; i < deal_count(p->m, p->row); i++) {
            double u = value(U, seed, p->row * p->m.block + i);
            if (*c++ != u * w + k * u * z + vw + z * v) return false;
        }
    }
    return true;
}

/* ---- measuring ---- */

static void run_srumma(const struct row *row, const struct site *site, long times)
{
    (void)row, (void)site;
    for (long i = 0; i < times; i++)
        srumma(&matmul);
}

static void run_summa(const struct row *row, const struct site *site, long times)
{
    (void)row, (void)site;
    for (long i = 0; i < times; i++)
        summa(&matmul);
}

static void run_scalapack(const struct row *row, const struct site *site, long times)
{
    (void)row, (void)site;
    for (long i = 0; i < times; i++)
        scalapack(&matmul);
}

/* One product, until every rank has its block. */
static void sample(const struct row *row, const struct site *site, struct samples *samples)
{
    site_barrier();
    double begin = sample_clock();
    row->run(row, site, 1);
    site_barrier();
    if (site->me == 0) samples_keep(samples, sample_clock() - begin);
}

/* The row and the one beside it in turns. Rounds of row_measure would be too many: a product of
 * 2000 x 2000 takes most of a second. Each seed gives other matrices, so that what buffers have
 * from an earlier product is wrong. Collective, as row_measure. */
static void measure(const struct row *row, const struct site *site, double seconds,
                    struct result *result)
{
    struct samples own = {0}, beside = {0};

    *result = (struct result){.name = row->name, .versus = row->beside->name};
    result->valid = row_works(row->beside, site);
    result->valid = row_works(row, site) && result->valid;
    double end = sample_clock() + seconds * 1e9;
    for (int pairs = 0; site_share(pairs < PAIRS || sample_clock() < end); pairs++) {
        sample(row->beside, site, &beside);
        sample(row, site, &own);
    }
    for (int seed = 2; seed < 4; seed++) {
        const struct row *again = seed % 2 ? row->beside : row;
        row_prepare(again, site, seed);
        again->run(again, site, 1);
        result->valid = row_check(again, site, seed, 1) && result->valid;
    }
    samples_summary(&own, &result->time);
    samples_summary(&beside, &result->beside);
    samples_free(&own);
    samples_free(&beside);
}

/* ---- the group ---- */

static bool can_multiply(const struct site *site)
{
    (void)site;
    return has_blas;
}

static bool can_scalapack(const struct site *site)
{
    (void)site;
    return has_blas && has_scalapack;
}

static void make_row(int i, const char *algorithm, const char *size, run_function run,
                     const struct row *beside, bool (*available)(const struct site *site))
{
    snprintf(names[i], sizeof names[i], "%s %s", algorithm, size);
    rows[i] = (struct row){.name = names[i],
                           .who = TOGETHER,
                           .run = run,
                           .prepare = prepare,
                           .check = check,
                           .beside = beside,
                           .available = available};
}

static void make_rows(int i)
{
    char size[24];
    if (sizes[i].k == sizes[i].m)
        snprintf(size, sizeof size, "%d", sizes[i].m);
    else
        snprintf(size, sizeof size, "%d, k = %d", sizes[i].m, sizes[i].k);
    make_row(2 * i, "SRUMMA", size, run_srumma, &rows[SHOWN + i], can_multiply);
    make_row(2 * i + 1, "pdgemm", size, run_scalapack, &rows[2 * i], can_scalapack);
    make_row(SHOWN + i, "SUMMA", size, run_summa, NULL, NULL);
}

/* Memory for the largest product. Collective; false if there is too little. */
static bool make_room(struct matmul *p, const struct site *site)
{
    size_t mine = (size_t)deal_out(LONGEST, p->rows).block;
    size_t across = (size_t)deal_out(LONGEST, p->columns).block;
    size_t block = mine * across * sizeof(double);
    p->blocks = calloc((size_t)site->ranks, sizeof *p->blocks);
    if (!site_all(p->blocks) || !site_all(ARMCI_Malloc(p->blocks, 2 * (long)block) == 0))
        return false;
    p->a = p->blocks[site->me];
    p->c = malloc(block);
    bool complete = p->c;
    for (int i = 0; i < 2; i++) {
        p->buffers[0][i] = calloc(mine * STEP, sizeof(double));
        p->buffers[1][i] = calloc(across * STEP, sizeof(double));
        complete = complete && p->buffers[0][i] && p->buffers[1][i];
    }
    return site_all(complete);
}

static bool enter(struct site *site)
{
    struct matmul *p = &matmul;
    const char *no_blas = blas_open();

    for (int i = 0; i < SIZES; i++)
        make_rows(i);
    make_grid(p, site);
    summa_open(mpi_communicator(), p);
    const char *no_scalapack = scalapack_open(mpi_communicator(), p);
    has_blas = site_all(!no_blas);
    has_scalapack = !no_scalapack;
    if (site->me == 0 && no_blas) printf("\nNo rows of matmul: %s\n", no_blas);
    if (site->me == 0 && no_scalapack) printf("\nNo rows of pdgemm: %s\n", no_scalapack);
    return make_room(p, site);
}

static void leave(struct site *site)
{
    if (has_scalapack) scalapack_close();
    summa_close();
    for (int i = 0; i < 2; i++) {
        free(matmul.buffers[0][i]);
        free(matmul.buffers[1][i]);
    }
    free(matmul.c);
    ARMCI_Free(matmul.blocks[site->me]);
    free(matmul.blocks);
}

const struct group group_matmul = {.word = "matmul",
                                   .count = SHOWN,
                                   .rows = rows,
                                   .enter = enter,
                                   .leave = leave,
                                   .measure = measure};
