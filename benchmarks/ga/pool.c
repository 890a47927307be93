/* pool.c - tasks of a quantum-chemistry program on Global Arrays: each draws its number from one
 * counter, gets two blocks, multiplies them and accumulates the product; where the time goes.
 *     mpicc -O2 pool.c $(ga-config --cppflags --ldflags --libs) */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>

enum { SIDE = 48, BLOCKS = 6, SIZE = SIDE * BLOCKS, TASKS = BLOCKS * BLOCKS * BLOCKS, ROUNDS = 7 };
enum { COUNTER, GET, WORK, ACCUMULATE, PARTS };

static double spent[PARTS]; /* seconds of this process */
static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];

static void multiply(void)
{
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++)
            c[i][j] = 0;
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                c[i][j] += a[i][k] * b[k][j];
    }
}

/* The block in row i and column j of blocks. */
static void block(int i, int j, int lo[2], int hi[2])
{
    lo[0] = i * SIDE, hi[0] = lo[0] + SIDE - 1;
    lo[1] = j * SIDE, hi[1] = lo[1] + SIDE - 1;
}

static void note(int part, double *since)
{
    double now = MPI_Wtime();
    spent[part] += now - *since;
    *since = now;
}

static void do_tasks(const int matrices[3], int counter)
{
    int zero[1] = {0}, stride[1] = {SIDE}, lo[2], hi[2];
    double one = 1, since = MPI_Wtime();
    for (;;) {
        long task = NGA_Read_inc(counter, zero, 1);
        note(COUNTER, &since);
        if (task >= TASKS) return;
        int i = (int)(task / (BLOCKS * BLOCKS)), k = (int)(task / BLOCKS % BLOCKS),
            j = (int)(task % BLOCKS);
        block(i, k, lo, hi);
        NGA_Get(matrices[0], lo, hi, a, stride);
        block(k, j, lo, hi);
        NGA_Get(matrices[1], lo, hi, b, stride);
        note(GET, &since);
        multiply();
        note(WORK, &since);
        block(i, j, lo, hi);
        NGA_Acc(matrices[2], lo, hi, c, stride, &one);
        note(ACCUMULATE, &since);
    }
}

/* All elements of the product of matrices full of 1 and 2. */
static int is_right(int product)
{
    int lo[2], hi[2], stride[1] = {SIDE};
    for (int at = GA_Nodeid(); at < BLOCKS * BLOCKS; at += GA_Nnodes()) {
        block(at / BLOCKS, at % BLOCKS, lo, hi);
        NGA_Get(product, lo, hi, c, stride);
        for (int i = 0; i < SIDE * SIDE; i++)
            if (c[i / SIDE][i % SIDE] != 2.0 * SIZE) return 0;
    }
    return 1;
}

static void round_of_tasks(const int matrices[3], int counter)
{
    static const char *const names[PARTS] = {"counter", "gets", "work", "accumulates"};
    char plus[] = "+", times[] = "*";
    for (int part = 0; part < PARTS; part++)
        spent[part] = 0;
    GA_Zero(matrices[2]);
    GA_Zero(counter);
    GA_Sync();
    double begin = MPI_Wtime();
    do_tasks(matrices, counter);
    GA_Sync();
    double whole = MPI_Wtime() - begin;
    int right = is_right(matrices[2]);
    GA_Igop(&right, 1, times);
    GA_Dgop(spent, PARTS, plus);
    if (GA_Nodeid() != 0) return;
    printf("%s %.3f ms, %.2f GFLOP/s", right ? "right" : "WRONG", 1e3 * whole,
           2.0 * SIZE * SIZE * SIZE / whole / 1e9);
    for (int part = 0; part < PARTS; part++)
        printf(", %s %.3f ms", names[part], 1e3 * spent[part] / GA_Nnodes());
    printf("\n");
}

int main(int argc, char **argv)
{
    int sizes[2] = {SIZE, SIZE}, one[1] = {1}, matrices[3], counter;
    char name[] = "array";
    double values[2] = {1, 2};

    MPI_Init(&argc, &argv);
    GA_Initialize();
    MA_init(C_DBL, 1000000, 1000000);
    for (int i = 0; i < 3; i++)
        matrices[i] = NGA_Create(C_DBL, 2, sizes, name, NULL);
    for (int i = 0; i < 2; i++)
        GA_Fill(matrices[i], &values[i]);
    counter = NGA_Create(C_LONG, 1, one, name, NULL);
    for (int round = 0; round < ROUNDS; round++)
        round_of_tasks(matrices, counter);
    GA_Destroy(counter);
    for (int i = 0; i < 3; i++)
        GA_Destroy(matrices[i]);
    GA_Terminate();
    MPI_Finalize();
    return 0;
}
