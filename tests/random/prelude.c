/* prelude.c - the frame of a printed program. */
#include "prelude.h"

#include <string.h>

#include "options.h"
#include "program.h"

static const char head[] =
    "#include <armci.h>\n#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
    "#define START 0xcbf29ce484222325ul\n"
    "int armci_notify(int proc);\nint armci_notify_wait(int proc, int *waits);\nvoid ARMCI_GroupFence(ARMCI_Group *group);\n\n";

static const char walkers[] =
    "static void fill(char *memory, long x, const int *stride, const int *count, int levels, unsigned long seed, int type, long unit)\n"
    "{\n"
    "    if (levels == 0) store(memory + x, x, count[0], seed, type, unit);\n"
    "    for (int i = 0; levels > 0 && i < count[levels]; i++)\n"
    "        fill(memory, x + (long)i * stride[levels - 1], stride, count, levels - 1, seed, type, unit);\n"
    "}\n\n"
    "static void fill_each(char *memory, const long *x, int n, int bytes, unsigned long seed, int type, long unit)\n"
    "{\n"
    "    for (int i = 0; i < n; i++) store(memory + x[i], x[i], bytes, seed, type, unit);\n"
    "}\n\n"
    "static unsigned long hash_strided(unsigned long hash, const char *memory, long x, const int *stride, const int *count, int levels)\n"
    "{\n"
    "    if (levels == 0) return hash_on(hash, memory + x, count[0]);\n"
    "    for (int i = 0; i < count[levels]; i++)\n"
    "        hash = hash_strided(hash, memory, x + (long)i * stride[levels - 1], stride, count, levels - 1);\n"
    "    return hash;\n"
    "}\n\n"
    "static unsigned long hash_each(unsigned long hash, const char *memory, const long *x, int n, int bytes)\n"
    "{\n"
    "    for (int i = 0; i < n; i++) hash = hash_on(hash, memory + x[i], bytes);\n"
    "    return hash;\n"
    "}\n\n"
    "static int me, wrong;\n\n"
    "static void expect(const char *what, unsigned long seen, unsigned long expected)\n"
    "{\n"
    "    if (seen == expected) return;\n"
    "    printf(\"rank %d: %s: wrong\\n\", me, what);\n"
    "    wrong = 1;\n"
    "}\n\n";

/* The common source is kept as one line: break it where C likes it. */
static void print_source(FILE *to, const char *text)
{
    int depth = 0, inside = 0;
    for (; *text; text++) {
        if (*text == '(') inside++;
        if (*text == ')') inside--;
        depth += (*text == '{') - (*text == '}');
        fputc(*text, to);
        bool ends = inside == 0 && (*text == ';' || *text == '{' || *text == '}');
        if (!ends) continue;
        fputc('\n', to);
        while (text[1] == ' ') text++;
        for (int i = 0; i < 4 * (depth - (text[1] == '}')); i++) fputc(' ', to);
        if (depth == 0 && *text == '}') fputc('\n', to);
    }
    fputc('\n', to);
}

void prelude_begin(FILE *to, const struct program *p)
{
    fprintf(to, "/* What is left of the random program of seed %lu on %d processes.  Exit status 1: something is wrong. */\n",
            (unsigned long)p->seed, p->ranks);
    fputs(head, to);
    print_source(to, pattern_source);
    fputs(walkers, to);
    fprintf(to,
            "static char *slice[%d][%d], *arena[%d];\nstatic armci_hdl_t handle[%d];\nstatic ARMCI_Group group[%d];\n"
            "static int int_cell, waits;\nstatic long long_cell;\nstatic unsigned long hash;\n\n"
            "int main(int argc, char **argv)\n{\n    MPI_Init(&argc, &argv);\n    ARMCI_Init();\n"
            "    MPI_Comm_rank(MPI_COMM_WORLD, &me);\n    ARMCI_Group_get_world(&group[0]);\n"
            "    for (int i = 0; i < %d; i++) ARMCI_INIT_HANDLE(&handle[i]);\n",
            MAX_REGIONS, p->ranks, ARENAS, HANDLES, MAX_GROUPS, HANDLES);
    for (int a = 0; a < ARENAS; a++) {
        fprintf(to, "    arena[%d] = %s(%d);\n", a, a ? "ARMCI_Malloc_local" : "malloc", ARENA_BYTES);
        fprintf(to, "    store(arena[%d], 0, %d, %luul + 100 * (unsigned long)me, 6, 0);\n", a, ARENA_BYTES,
                (unsigned long)p->seed + (unsigned long)a);
    }
}

void prelude_end(FILE *to)
{
    fprintf(to, "\n    for (int i = 0; i < %d; i++) {\n        ARMCI_Wait(&handle[i]);\n%s    }\n    ARMCI_WaitAll();\n", HANDLES + 1,
            has(FAMILY_AGGREGATE) ? "        ARMCI_UNSET_AGGREGATE_HANDLE(&handle[i]);\n" : "");
    fputs("\n    (void)int_cell, (void)long_cell, (void)waits, (void)hash;\n"
          "    (void)fill, (void)fill_each, (void)hash_strided, (void)hash_each, (void)expect;\n"
          "    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);\n"
          "    if (me == 0) puts(wrong ? \"WRONG\" : \"right\");\n"
          "    ARMCI_Finalize();\n    MPI_Finalize();\n    return wrong;\n}\n",
          to);
}
