/* srumma.c - a matrix product by one-sided gets (SRUMMA). Each process computes its block of C
 * alone. Blocks in memory of its node it multiplies where they are; all others it gets, one step
 * ahead of the product, so that the next step arrives while dgemm works. */
#include "matmul.h"

#include <armci.h>
#include <stdlib.h>

/* A step adds A(:, first..) B(first.., :). One process has the part of A, one that of B. */
struct step {
    int first, length;
    int column, row; /* in the grid, of the owner of A and of the owner of B */
    struct operand a, b;
    bool fetches_a, fetches_b;
    armci_hdl_t handles[2];
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Where the step's part of A or B is: its first element, the rank, and an address for loads, NULL
 * if it must be fetched. */
struct place {
    char *remote;
    const double *direct;
    int rank, leading;
};

static struct place place_of(char *remote, int rank, int leading)
{
    return (struct place){remote, site_direct(remote, rank), rank, leading};
}

static struct place place_of_a(const struct matmul *p, const struct step *step)
{
    int rank = p->row * p->columns + step->column, rows = leading(deal_count(p->m, p->row));
    size_t column = (size_t)(step->first - step->column * p->k_of_a.block);
    return place_of((char *)p->blocks[rank] + column * (size_t)rows * sizeof(double), rank, rows);
}

static struct place place_of_b(const struct matmul *p, const struct step *step)
{
    int rank = step->row * p->columns + p->column;
    size_t row = (size_t)(step->first - step->row * p->k_of_b.block);
    return place_of((char *)p->blocks[rank] + matmul_offset(p) + row * sizeof(double), rank,
                    leading(deal_count(p->k_of_b, step->row)));
}

/* The longest step that begins at this index: it ends where the owner of A or of B changes. */
static struct step step_at(const struct matmul *p, int first)
{
    struct step step = {
        .first = first, .column = deal_part(p->k_of_a, first), .row = deal_part(p->k_of_b, first)};
    int end_a = (step.column + 1) * p->k_of_a.block, end_b = (step.row + 1) * p->k_of_b.block;
    struct place a = place_of_a(p, &step), b = place_of_b(p, &step);

    step.length = least(p->k_of_a.length, least(end_a, end_b)) - first;
    step.fetches_a = !a.direct;
    step.fetches_b = !b.direct;
    if (step.fetches_a || step.fetches_b) step.length = least(step.length, STEP);
    step.a = (struct operand){a.direct, a.leading};
    step.b = (struct operand){b.direct, b.leading};
    ARMCI_INIT_HANDLE(&step.handles[0]);
    ARMCI_INIT_HANDLE(&step.handles[1]);
    return step;
}

/* The steps in this process's order: first those that fetch nothing, then the others, from the one
 * on whose owner is as far from the first as this process is, so that not all ask one owner. The
 * number of steps that fetch nothing goes to *near. */
static int order_steps(const struct matmul *p, struct step *steps, int *near)
{
    int count = 0, begin = (p->row + p->column) % p->columns * p->k_of_a.block;
    int k = p->k_of_a.length;
    if (begin >= k) begin = 0;
    for (int fetching = 0; fetching < 2; fetching++) {
        for (int done = 0; done < k;) {
            struct step step = step_at(p, (begin + done) % k);
            if ((step.fetches_a || step.fetches_b) == fetching) steps[count++] = step;
            done += step.length;
        }
        if (!fetching) *near = count;
    }
    return count;
}

/* Start to get `columns` columns of `rows` elements. */
static void get(struct place from, double *to, int rows, int columns, armci_hdl_t *handle)
{
    int far = from.leading * (int)sizeof(double), here = rows * (int)sizeof(double);
    int count[] = {here, columns};
    ARMCI_NbGetS(from.remote, &far, to, &here, count, 1, from.rank, handle);
}

static void start(const struct matmul *p, struct step *step, int buffer)
{
    int rows = deal_count(p->m, p->row), columns = deal_count(p->n, p->column);
    if (rows == 0 || columns == 0) return; /* a handle without requests is complete */
    if (step->fetches_a) {
        get(place_of_a(p, step), p->buffers[0][buffer], rows, step->length, &step->handles[0]);
        step->a = (struct operand){p->buffers[0][buffer], leading(rows)};
    }
    if (step->fetches_b) {
        get(place_of_b(p, step), p->buffers[1][buffer], step->length, columns, &step->handles[1]);
        step->b = (struct operand){p->buffers[1][buffer], step->length};
    }
}

static void finish(struct step *step)
{
    if (step->fetches_a) ARMCI_Wait(&step->handles[0]);
    if (step->fetches_b) ARMCI_Wait(&step->handles[1]);
}

void srumma(const struct matmul *p)
{
    /* As many as there are ends of owners' parts and of whole gets. */
    int most = p->rows + p->columns + p->k_of_a.length / STEP, near;
    struct step *steps = malloc((size_t)most * sizeof *steps);
    if (!steps) MPI_Abort(MPI_COMM_WORLD, 1);
    int count = order_steps(p, steps, &near);

    if (near < count) start(p, &steps[near], near % 2);
    for (int i = 0; i < count; i++) {
        finish(&steps[i]);
        if (i >= near && i + 1 < count) start(p, &steps[i + 1], (i + 1) % 2);
        matmul_step(p, steps[i].a, steps[i].b, steps[i].length, i > 0);
    }
    free(steps);
}
