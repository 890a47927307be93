/* summa.c - a matrix product by broadcasts (SUMMA): step by step, the owners of some columns of A
 * broadcast them along the rows of the grid, the owners of as many rows of B along its columns, and
 * all add the product. */
#include "matmul.h"

#include <string.h>

static MPI_Comm along_row, along_column; /* the processes of my row, of my column */

void summa_open(MPI_Comm comm, const struct matmul *p)
{
    MPI_Comm_split(comm, p->row, p->column, &along_row);
    MPI_Comm_split(comm, p->column, p->row, &along_column);
}

void summa_close(void)
{
    MPI_Comm_free(&along_row);
    MPI_Comm_free(&along_column);
}

/* The columns of A from `first` on, of this row's owner: they are contiguous in its block. */
static struct operand share_a(const struct matmul *p, int first, int length)
{
    int owner = deal_part(p->k_of_a, first), rows = deal_count(p->m, p->row);
    double *panel = p->buffers[0][0];
    if (owner == p->column)
        panel = p->a + (size_t)(first - owner * p->k_of_a.block) * (size_t)leading(rows);
    if (p->columns > 1) MPI_Bcast(panel, rows * length, MPI_DOUBLE, owner, along_row);
    return (struct operand){panel, leading(rows)};
}

/* The owner packs the rows of B, unless nobody else needs them. */
static struct operand share_b(const struct matmul *p, int first, int length)
{
    int owner = deal_part(p->k_of_b, first), columns = deal_count(p->n, p->column);
    int rows = leading(deal_count(p->k_of_b, p->row));
    const double *own = p->b + (first - owner * p->k_of_b.block);
    double *panel = p->buffers[1][0];

    if (p->rows == 1) return (struct operand){own, rows};
    for (int j = 0; j < columns && owner == p->row; j++)
        memcpy(panel + (size_t)j * (size_t)length, own + (size_t)j * (size_t)rows,
               (size_t)length * sizeof *panel);
    MPI_Bcast(panel, length * columns, MPI_DOUBLE, owner, along_column);
    return (struct operand){panel, length};
}

/* The indices from `first` on that one process has of A and one of B, at most a panel. */
static int panel_at(const struct matmul *p, int first)
{
    int ends[] = {p->k_of_a.length, (deal_part(p->k_of_a, first) + 1) * p->k_of_a.block,
                  (deal_part(p->k_of_b, first) + 1) * p->k_of_b.block, first + STEP};
    int end = ends[0];
    for (size_t i = 1; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] < end) end = ends[i];
    return end - first;
}

void summa(const struct matmul *p)
{
    for (int first = 0, length; first < p->k_of_a.length; first += length) {
        length = panel_at(p, first);
        struct operand a = share_a(p, first, length), b = share_b(p, first, length);
        matmul_step(p, a, b, length, first > 0);
    }
}
