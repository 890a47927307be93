/* scalapack.c - pdgemm of ScaLAPACK on the same blocks, for comparison. The library is opened when
 * it is needed, as BLAS is; each MPI library has its own. */
#include "matmul.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Names of Debian, and what MPI_Get_library_version begins with. */
static const struct {
    const char *mpi, *name;
} libraries[] = {{"MPICH", "libscalapack-mpich.so.2.2"},
                 {"Open MPI", "libscalapack-openmpi.so.2.2"}};

static int (*new_handle)(MPI_Comm comm);
static void (*free_handle)(int handle);
static void (*new_grid)(int *context, const char *order, int rows, int columns);
static void (*free_grid)(int context);
static void (*pdgemm)(const char *of_a, const char *of_b, const int *m, const int *n, const int *k,
                      const double *alpha, const double *a, const int *ia, const int *ja,
                      const int *desc_a, const double *b, const int *ib, const int *jb,
                      const int *desc_b, const double *beta, double *c, const int *ic,
                      const int *jc, const int *desc_c);
static int handle, context;

/* False, with the reason in dlerror(), if a function is missing. */
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static const char *open_library(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (strncmp(version, libraries[i].mpi, strlen(libraries[i].mpi)) != 0) continue;
        void *library = dlopen(libraries[i].name, RTLD_NOW);
        bool complete = library && find(library, "Csys2blacs_handle", &new_handle) &&
                        find(library, "Cfree_blacs_system_handle", &free_handle) &&
                        find(library, "Cblacs_gridinit", &new_grid) &&
                        find(library, "Cblacs_gridexit", &free_grid) &&
                        find(library, "pdgemm_", &pdgemm);
        return complete ? NULL : dlerror();
    }
    return "no name of ScaLAPACK for this MPI library is known";
}

const char *scalapack_open(MPI_Comm comm, const struct matmul *p)
{
    const char *why = open_library();
    if (!site_all(!why)) return why ? why : "another rank has no ScaLAPACK";
    handle = new_handle(comm);
    context = handle;
    new_grid(&context, "Row", p->rows, p->columns);
    return NULL;
}

void scalapack_close(void)
{
    free_grid(context);
    free_handle(handle);
}

/* What ScaLAPACK calls a descriptor: a dense matrix (1), its size, its blocks, where it begins. */
struct descriptor {
    int words[9];
};

static struct descriptor describe(const struct matmul *p, struct deal rows, struct deal columns)
{
    return (struct descriptor){{1, context, rows.length, columns.length, rows.block, columns.block,
                                0, 0, leading(deal_count(rows, p->row))}};
}

void scalapack(const struct matmul *p)
{
    struct descriptor a = describe(p, p->m, p->k_of_a), b = describe(p, p->k_of_b, p->n),
                      c = describe(p, p->m, p->n);
    const int first = 1;
    const double one = 1, zero = 0;
    pdgemm("N", "N", &p->m.length, &p->n.length, &p->k_of_a.length, &one, p->a, &first, &first,
           a.words, p->b, &first, &first, b.words, &zero, p->c, &first, &first, c.words);
}
