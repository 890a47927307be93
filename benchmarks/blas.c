/* blas.c - dgemm of the system's BLAS. It is opened when it is needed: armci-bench can be built and
 * used without it. */
#include "matmul.h"

#include <dlfcn.h>
#include <stdlib.h>

/* The name by which distributions let the user choose a BLAS, and the most common one. */
static const char *const names[] = {"libblas.so.3", "libopenblas.so.0"};

typedef void dgemm_function(const char *of_a, const char *of_b, const int *m, const int *n,
                            const int *k, const double *alpha, const double *a, const int *lda,
                            const double *b, const int *ldb, const double *beta, double *c,
                            const int *ldc);
static dgemm_function *dgemm;

const char *blas_open(void)
{
    const char *why = NULL;
    setenv("OPENBLAS_NUM_THREADS", "1", 1); /* the ranks are the workers */
    setenv("OMP_NUM_THREADS", "1", 1);
    for (size_t i = 0; i < sizeof names / sizeof *names && !dgemm; i++) {
        void *library = dlopen(names[i], RTLD_NOW);
        if (library) *(void **)&dgemm = dlsym(library, "dgemm_");
        if (!dgemm) why = dlerror();
    }
    return dgemm ? NULL : why;
}

void matmul_step(const struct matmul *p, struct operand a, struct operand b, int inner, bool add)
{
    int rows = deal_count(p->m, p->row), columns = deal_count(p->n, p->column), ldc = leading(rows);
    double one = 1, factor = add;
    dgemm("N", "N", &rows, &columns, &inner, &one, a.data, &a.leading, b.data, &b.leading, &factor,
          p->c, &ldc);
}
