/*
 * ga_matmul.c: C = A * B over Global Arrays, with the get/accumulate/task-counter pattern of
 * quantum-chemistry codes.
 *
 * The matrices are cut into tiles. A task is one product of tiles, C(i,j) += A(i,k) * B(k,j); every
 * rank draws task numbers from one shared counter, gets its two tiles, multiplies them with the
 * local BLAS and accumulates the result into C. The answer is compared with A * (B * x) for random
 * vectors x (Freivalds), computed from the formula of the elements and plain MPI, so that nothing
 * which the product itself went through can hide a fault.
 */
#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include <ga.h>
#include <macdecls.h>

enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_USAGE = 2 };
enum {
    DEFAULT_ORDER = 1024,
    DEFAULT_TILE = 128,
    MAX_ORDER = 1000000,
    MAX_TILE = 20000,
    VECTORS = 4,
    BAR_WIDTH = 50
};
enum { SEED_A = 1, SEED_B = 2, SEED_X = 3 };

struct options {
    int n;         /* order of the matrices */
    int tile;      /* order of a tile; tiles at the edge are smaller */
    bool progress; /* draw a progress bar (rank 0 only) */
    bool help;     /* print the usage and do nothing else */
};

struct arrays {
    int a, b, c, counter; /* handles of Global Arrays */
};

struct tiles {
    double *a, *b, *c; /* local buffers of one tile each */
};

/* Seconds of one rank, or summed over the ranks. */
struct times {
    double get, acc, counter, total;
};

struct range {
    int lo, hi; /* both included, as Global Arrays count */
};

/* Fortran BLAS, present in every BLAS library. */
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
/* Only OpenBLAS has this one. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

static int my_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static int rank_count(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

static void *must_alloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "ga_matmul: rank %d: no memory for %zu elements of %zu bytes\n", my_rank(),
                count, size);
        MPI_Abort(MPI_COMM_WORLD, EXIT_WRONG);
    }
    return memory;
}

/* ---- options ---- */

/* Rank 0 prints the usage. Returns the exit status. */
static int print_help(void)
{
    if (my_rank() != 0) {
        return EXIT_RIGHT;
    }
    printf(
        "usage: ga_matmul [-n N] [-t TILE] [-p]\n"
        "Multiply two matrices held in Global Arrays and check the product.\n"
        "  -n, --order N      order of the matrices, 1 to %d (default %d)\n"
        "  -t, --tile TILE    order of the tiles, 1 to %d (default %d, N if that is less)\n"
        "  -p, --progress     draw a progress bar on standard error even if that is no terminal\n"
        "  -h, --help         print this text\n"
        "exit status: 0 the product is right, 1 it is wrong, 2 bad option\n",
        MAX_ORDER, DEFAULT_ORDER, MAX_TILE, DEFAULT_TILE);
    return EXIT_RIGHT;
}

/* Read a whole number from 1 to max. False, with a message from rank 0, when text is none. */
static bool read_number(const char *what, const char *text, int max, int *number)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < 1 || value > max) {
        if (my_rank() == 0) {
            fprintf(stderr, "ga_matmul: %s must be a whole number from 1 to %d, not \"%s\"\n", what,
                    max, text);
        }
        return false;
    }
    *number = (int)value;
    return true;
}

/* Fill in the tile where it was not given, and check it against the order. */
static bool settle_tile(struct options *options)
{
    if (options->tile == 0) {
        options->tile = options->n < DEFAULT_TILE ? options->n : DEFAULT_TILE;
    }
    if (options->tile <= options->n) {
        return true;
    }
    if (my_rank() == 0) {
        fprintf(stderr, "ga_matmul: the tile (%d) must not exceed the order (%d)\n", options->tile,
                options->n);
    }
    return false;
}

static bool no_more_arguments(int argc, char **argv)
{
    if (optind < argc && my_rank() == 0) {
        fprintf(stderr, "ga_matmul: unexpected argument \"%s\"\n", argv[optind]);
    }
    return optind >= argc;
}

/* Take over one option of the command line; false when it is unknown or its value is bad. */
static bool take_option(int letter, struct options *options)
{
    switch (letter) {
    case 'n': return read_number("the order", optarg, MAX_ORDER, &options->n);
    case 't': return read_number("the tile", optarg, MAX_TILE, &options->tile);
    case 'p': options->progress = true; return true;
    case 'h': options->help = true; return true;
    default: return false;
    }
}

/* Read the command line; false, with a message from rank 0, when something in it is wrong. */
static bool read_options(int argc, char **argv, struct options *options)
{
    static const struct option names[] = {{"order", required_argument, NULL, 'n'},
                                          {"tile", required_argument, NULL, 't'},
                                          {"progress", no_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int letter;
    bool good = true;
    *options = (struct options){.n = DEFAULT_ORDER, .progress = isatty(STDERR_FILENO) != 0};
    opterr = my_rank() == 0;
    while (good && (letter = getopt_long(argc, argv, "n:t:ph", names, NULL)) != -1) {
        good = take_option(letter, options);
    }
    good = good && (options->help || (no_more_arguments(argc, argv) && settle_tile(options)));
    if (!good && my_rank() == 0) {
        fprintf(stderr, "ga_matmul: --help explains the options\n");
    }
    options->progress = options->progress && my_rank() == 0;
    return good;
}

/* ---- elements and tiles ---- */

/* Element (i,j) of the matrix with this seed: deterministic, pseudo-random, in [-0.5, 0.5). */
static double element(uint64_t seed, int i, int j)
{
    uint64_t bits = (seed << 56) ^ ((uint64_t)i << 28) ^ (uint64_t)j;
    for (int round = 0; round < 3; round++) {
        bits = (bits ^ (bits >> 31)) * UINT64_C(0x9E3779B97F4A7C15);
    }
    return ldexp((double)(bits >> 11), -53) - 0.5;
}

static int tile_count(const struct options *options)
{
    return (options->n + options->tile - 1) / options->tile;
}

/* Rows (or columns) of the tile with this index. */
static struct range tile_range(const struct options *options, int index)
{
    int lo = index * options->tile;
    int rest = options->n - lo;
    return (struct range){lo, lo + (rest < options->tile ? rest : options->tile) - 1};
}

static int range_length(struct range range)
{
    return range.hi - range.lo + 1;
}

static void fill_tile(uint64_t seed, struct range rows, struct range columns, double *tile)
{
    for (int i = rows.lo; i <= rows.hi; i++) {
        for (int j = columns.lo; j <= columns.hi; j++) {
            *tile++ = element(seed, i, j);
        }
    }
}

/* Give an array its values: the tiles are dealt out to the ranks, which put them wherever they
 * live. */
static void fill_array(const struct options *options, int array, uint64_t seed, double *tile)
{
    long tiles = tile_count(options);
    for (long t = my_rank(); t < tiles * tiles; t += rank_count()) {
        struct range rows = tile_range(options, (int)(t / tiles));
        struct range columns = tile_range(options, (int)(t % tiles));
        int ld = range_length(columns);
        fill_tile(seed, rows, columns, tile);
        NGA_Put(array, (int[]){rows.lo, columns.lo}, (int[]){rows.hi, columns.hi}, tile, &ld);
    }
}

/* ---- arrays ---- */

static int create_array(int type, int dimensions, int order, const char *name)
{
    int sizes[] = {order, order};
    char label[16];
    snprintf(label, sizeof label, "%s", name);
    int array = NGA_Create(type, dimensions, sizes, label, NULL);
    if (array == 0) {
        GA_Error((char *)"ga_matmul: cannot create an array of order", order);
    }
    GA_Zero(array);
    return array;
}

static struct arrays create_arrays(int n)
{
    return (struct arrays){.a = create_array(C_DBL, 2, n, "A"),
                           .b = create_array(C_DBL, 2, n, "B"),
                           .c = create_array(C_DBL, 2, n, "C"),
                           .counter = create_array(C_LONG, 1, 1, "counter")};
}

static void destroy_arrays(struct arrays arrays)
{
    GA_Destroy(arrays.counter);
    GA_Destroy(arrays.c);
    GA_Destroy(arrays.b);
    GA_Destroy(arrays.a);
}

static struct tiles create_tiles(int tile)
{
    size_t count = (size_t)tile * (size_t)tile;
    return (struct tiles){must_alloc(count, sizeof(double)), must_alloc(count, sizeof(double)),
                          must_alloc(count, sizeof(double))};
}

static void destroy_tiles(struct tiles tiles)
{
    free(tiles.a);
    free(tiles.b);
    free(tiles.c);
}

/* ---- the product ---- */

/* The next task number of the job. */
static long draw_task(int counter, struct times *times)
{
    double start = MPI_Wtime();
    long task = NGA_Read_inc(counter, (int[]){0}, 1);
    times->counter += MPI_Wtime() - start;
    return task;
}

static void get_tile(int array, struct range rows, struct range columns, double *tile,
                     struct times *times)
{
    int ld = range_length(columns);
    double start = MPI_Wtime();
    NGA_Get(array, (int[]){rows.lo, columns.lo}, (int[]){rows.hi, columns.hi}, tile, &ld);
    times->get += MPI_Wtime() - start;
}

static void accumulate_tile(int array, struct range rows, struct range columns, double *tile,
                            struct times *times)
{
    int ld = range_length(columns);
    double one = 1.0;
    double start = MPI_Wtime();
    NGA_Acc(array, (int[]){rows.lo, columns.lo}, (int[]){rows.hi, columns.hi}, tile, &ld, &one);
    times->acc += MPI_Wtime() - start;
}

/* c = a * b for tiles stored by rows: to Fortran they are transposed, so the factors change places.
 */
static void multiply_tiles(int rows, int columns, int inner, const struct tiles *tiles)
{
    const double one = 1.0, zero = 0.0;
    dgemm_("N", "N", &columns, &rows, &inner, &one, tiles->b, &columns, tiles->a, &inner, &zero,
           tiles->c, &columns);
}

/* Do one task. Consecutive tasks accumulate into the same tile of C, so that ranks contend. */
static void do_task(const struct options *options, const struct arrays *arrays,
                    const struct tiles *tiles, long task, struct times *times)
{
    int count = tile_count(options);
    struct range k = tile_range(options, (int)(task % count));
    struct range j = tile_range(options, (int)(task / count % count));
    struct range i = tile_range(options, (int)(task / count / count));
    get_tile(arrays->a, i, k, tiles->a, times);
    get_tile(arrays->b, k, j, tiles->b, times);
    multiply_tiles(range_length(i), range_length(j), range_length(k), tiles);
    accumulate_tile(arrays->c, i, j, tiles->c, times);
}

/* Draw the bar when another step of it is reached. */
static void show_progress(long done, long tasks)
{
    static int drawn = -1;
    int steps = (int)((double)done / (double)tasks * BAR_WIDTH);
    if (steps == drawn) {
        return;
    }
    drawn = steps;
    fprintf(stderr, "\r[%-*.*s] %3d %%%s", BAR_WIDTH, steps,
            "##################################################", steps * 100 / BAR_WIDTH,
            done >= tasks ? "\n" : "");
    fflush(stderr);
}

/* The whole product; collective. The time is that from the common start to the common end. */
static struct times multiply(const struct options *options, const struct arrays *arrays,
                             const struct tiles *tiles)
{
    struct times times = {0};
    long count = tile_count(options);
    long tasks = count * count * count;
    GA_Sync();
    double start = MPI_Wtime();
    for (long task = draw_task(arrays->counter, &times); task < tasks;
         task = draw_task(arrays->counter, &times)) {
        do_task(options, arrays, tiles, task, &times);
        if (options->progress) {
            show_progress(task, tasks);
        }
    }
    GA_Sync();
    times.total = MPI_Wtime() - start;
    if (options->progress) {
        show_progress(tasks, tasks);
    }
    return times;
}

/* ---- the check ---- */

/* Vectors of n elements stored one after the other; no element is small, so that no wrong one hides
 * behind it. */
static void fill_vectors(int n, double *x)
{
    for (int v = 0; v < VECTORS; v++) {
        for (int j = 0; j < n; j++) {
            double random = element(SEED_X, v, j);
            *x++ = random < 0.0 ? random - 1.0 : random + 1.0;
        }
    }
}

static void sum_over_ranks(int n, double *vectors)
{
    MPI_Allreduce(MPI_IN_PLACE, vectors, VECTORS * n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* y = M * x on all ranks, M given by its formula; the rows are dealt out to the ranks. */
static void multiply_formula(uint64_t seed, int n, const double *x, double *y)
{
    memset(y, 0, sizeof(double) * VECTORS * (size_t)n);
    for (int i = my_rank(); i < n; i += rank_count()) {
        for (int j = 0; j < n; j++) {
            double m = element(seed, i, j);
            for (int v = 0; v < VECTORS; v++) {
                y[v * n + i] += m * x[v * n + j];
            }
        }
    }
    sum_over_ranks(n, y);
}

/* y = M * x on all ranks, M held in a Global Array of which each rank reads its own patch in place.
 */
static void multiply_array(int array, int n, const double *x, double *y)
{
    int lo[2], hi[2], ld;
    double *patch;
    memset(y, 0, sizeof(double) * VECTORS * (size_t)n);
    NGA_Distribution(array, GA_Nodeid(), lo, hi);
    if (lo[0] <= hi[0] && lo[1] <= hi[1]) {
        NGA_Access(array, lo, hi, &patch, &ld);
        for (int i = lo[0]; i <= hi[0]; i++) {
            const double *row = patch + (size_t)(i - lo[0]) * (size_t)ld;
            for (int v = 0; v < VECTORS; v++) {
                for (int j = lo[1]; j <= hi[1]; j++) {
                    y[v * n + i] += row[j - lo[1]] * x[v * n + j];
                }
            }
        }
        NGA_Release(array, lo, hi);
    }
    sum_over_ranks(n, y);
}

/* Largest difference over the largest value; infinite if a value is not a number. */
static double relative_error(size_t count, const double *values, const double *expected)
{
    double difference = 0.0, largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        double d = fabs(values[i] - expected[i]);
        if (isnan(d)) {
            return INFINITY;
        }
        difference = fmax(difference, d);
        largest = fmax(largest, fabs(expected[i]));
    }
    return largest > 0.0 ? difference / largest : INFINITY;
}

/* Error of C against A * (B * x); collective, the same on all ranks. */
static double product_error(const struct options *options, const struct arrays *arrays)
{
    size_t count = VECTORS * (size_t)options->n;
    double *x = must_alloc(count, sizeof *x), *bx = must_alloc(count, sizeof *bx);
    double *abx = must_alloc(count, sizeof *abx), *cx = must_alloc(count, sizeof *cx);
    double error;
    fill_vectors(options->n, x);
    multiply_formula(SEED_B, options->n, x, bx);
    multiply_formula(SEED_A, options->n, bx, abx);
    multiply_array(arrays->c, options->n, x, cx);
    error = relative_error(count, cx, abx);
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    free(x);
    free(bx);
    free(abx);
    free(cx);
    return error;
}

/* ---- the report ---- */

static struct times sum_times(struct times mine)
{
    double sums[] = {mine.get, mine.acc, mine.counter, mine.total};
    MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return (struct times){sums[0], sums[1], sums[2], sums[3]};
}

/* Rank 0 prints the speed and where the time went, as the mean of a rank. */
static void print_times(const struct options *options, struct times sums)
{
    double ranks = rank_count(), n = options->n;
    double seconds = sums.total / ranks;
    double communication = sums.get + sums.acc + sums.counter;
    printf("speed: %.2f GFLOP/s, %.3f s\n", 2.0 * n * n * n / seconds * 1e-9, seconds);
    printf("communication of a rank: get %.3f s, acc %.3f s, counter %.3f s: %.1f %% of the time\n",
           sums.get / ranks, sums.acc / ranks, sums.counter / ranks,
           100.0 * communication / sums.total);
}

/* Rank 0 prints the result; every rank gets it. */
static bool judge(const struct options *options, double error)
{
    double tolerance = 16.0 * DBL_EPSILON * options->n;
    bool right = error <= tolerance;
    if (my_rank() == 0) {
        printf("check: relative error %.1e with %d random vectors, tolerance %.1e\n", error,
               VECTORS, tolerance);
        printf("verdict: the product is %s\n", right ? "RIGHT" : "WRONG");
        fflush(stdout);
    }
    return right;
}

/* Multiply, check, report. Returns the exit status, the same on all ranks. */
static int run(const struct options *options)
{
    struct arrays arrays = create_arrays(options->n);
    struct tiles tiles = create_tiles(options->tile);
    if (my_rank() == 0) {
        printf("ga_matmul: ranks = %d, n = %d, tile = %d\n", rank_count(), options->n,
               options->tile);
        fflush(stdout);
    }
    fill_array(options, arrays.a, SEED_A, tiles.a);
    fill_array(options, arrays.b, SEED_B, tiles.b);
    struct times sums = sum_times(multiply(options, &arrays, &tiles));
    if (my_rank() == 0) {
        print_times(options, sums);
    }
    bool right = judge(options, product_error(options, &arrays));
    destroy_tiles(tiles);
    destroy_arrays(arrays);
    return right ? EXIT_RIGHT : EXIT_WRONG;
}

/* Start Global Arrays, run, stop them. Returns the exit status. */
static int run_with_ga(const struct options *options)
{
    GA_Initialize();
    if (!MA_init(C_DBL, 100000, 100000)) {
        GA_Error((char *)"ga_matmul: MA_init failed", 0);
    }
    int status = run(options);
    GA_Terminate();
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    int status = EXIT_USAGE;
    MPI_Init(&argc, &argv);
    if (openblas_set_num_threads != NULL) {
        openblas_set_num_threads(1); /* the ranks are the parallel workers */
    }
    if (read_options(argc, argv, &options)) {
        status = options.help ? print_help() : run_with_ga(&options);
    }
    MPI_Finalize();
    return status;
}
