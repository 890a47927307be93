/* worker.c - runs the probes in one MPI job. */
#include "worker.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <armci.h>

#include "base/config.h"
#include "lines.h"
#include "probes.h"

static struct job the_job;
const struct job *const job = &the_job;

/* Replaces MPI's: only this process ends, and its keeper reports it. */
int MPI_Abort(MPI_Comm comm, int code)
{
    (void)comm;
    fprintf(stderr, "armci-doctor: rank %d: MPI_Abort was called with code %d\n", the_job.rank,
            code);
    _exit(WORKER_ABORTED);
}

/* ---------------------------------------------------------------- findings --------- */

bool found(struct finding *f, bool ok, const char *format, ...)
{
    f->tried++;
    if (ok) return true;
    if (f->wrong++ > 0) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->trouble, sizeof f->trouble, format, arguments);
    va_end(arguments);
    return false;
}

void tell(struct finding *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
}

void leave_out(struct finding *f, const char *format, ...)
{
    va_list arguments;
    f->skipped = true;
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
}

/* ---------------------------------------------------------------- time ------------- */

bool over(double begun, double seconds)
{
    int done = now() - begun >= seconds;
    MPI_Bcast(&done, 1, MPI_INT, 0, job->comm);
    return done;
}

void keep_busy(double seconds)
{
    for (double end = now() + seconds; now() < end;)
        ;
}

/* ---------------------------------------------------------------- probes ----------- */

static bool in_this_job(const struct options *o, const struct probe *p)
{
    if (!o->probe) return true;
    return p->section == SECTION_START || p->section == SECTION_MPI || p->section == SECTION_DANGER;
}

bool worker_wants(const struct options *o, const struct probe *p)
{
    if (p->section == SECTION_START) return true;
    return in_this_job(o, p) && (!o->only || options_lists(o->only, p->name)) &&
           !options_lists(o->skip, p->name);
}

/* The outcome if the probe finds an error. */
static enum outcome worst(const struct probe *p, const char *workaround)
{
    if (p->section == SECTION_FORCED || p->section == SECTION_ROUTES) return UNUSED;
    return workaround ? AVOIDED : WRONG;
}

/* Sum the results of all ranks; take the text of the lowest rank with an error. */
static void collect(struct finding *f)
{
    struct {
        int wrong, rank;
    } own = {f->wrong > 0 ? 0 : 1, job->rank}, first;
    long sums[2];
    MPI_Allreduce(&own, &first, 1, MPI_2INT, MPI_MINLOC, job->comm);
    MPI_Allreduce((long[]){f->tried, f->wrong}, sums, 2, MPI_LONG, MPI_SUM, job->comm);
    MPI_Bcast(f->trouble, sizeof f->trouble, MPI_CHAR, first.rank, job->comm);
    f->tried = sums[0];
    f->wrong = sums[1];
}

static void write_row(const struct probe *p, const struct finding *f, const char *workaround)
{
    if (f->skipped || f->wrong == 0)
        line_write("row\t%s\t%s\t%s", p->name,
                   outcome_word(f->skipped ? SKIPPED
                                : f->note  ? NOTE
                                           : PASS),
                   f->text);
    else
        line_write("row\t%s\t%s\t%ld of %ld wrong: %s\t%s", p->name,
                   outcome_word(worst(p, workaround)), f->wrong, f->tried, f->trouble,
                   workaround ? workaround : "");
}

static void plant(const char *fault)
{
    if (!fault || job->rank != job->size - 1) return;
    if (strcmp(fault, "crash") == 0) raise(SIGSEGV);
    if (strcmp(fault, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
    while (strcmp(fault, "hang") == 0)
        pause();
}

static void run_probe(const struct probe *p)
{
    struct finding f = {.probe = p};
    const char *workaround = job->probing || !p->workaround ? NULL : p->workaround();
    line_write("begin\t%s\t%d\t%s\t%s", p->name, p->seconds, outcome_word(worst(p, workaround)),
               workaround ? workaround : "");
    MPI_Barrier(job->comm);
    if (p->dangerous && job->careful && workaround_is_known(p))
        leave_out(
            &f, "known to be defective in this library, and not used by ARMCI (--probe tries it)");
    else
        p->run(&f);
    collect(&f);
    write_row(p, &f, workaround);
}

/* ---------------------------------------------------------------- the job ---------- */

/* As in a program that requests no threads. */
static void ask_for_no_threads(void)
{
    setenv("ARMCI_PROGRESS", "none", 1);
    unsetenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL");
    unsetenv("OMPI_MPI_THREAD_LEVEL");
}

static void describe_job(const struct options *o)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &the_job.comm);
    MPI_Comm_set_errhandler(the_job.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(the_job.comm, &the_job.rank);
    MPI_Comm_size(the_job.comm, &the_job.size);
    MPI_Query_thread(&the_job.level);
    the_job.target = (job->rank + 1) % job->size;
    the_job.origin = (job->rank + job->size - 1) % job->size;
    the_job.probing = o->probe;
    the_job.plain = o->plain;
    the_job.careful = !o->probe && !o->stream;
}

/* Nodes are the groups that share memory; the lowest rank identifies the node. */
static void count_nodes(void)
{
    MPI_Comm node;
    int lowest, first, *node_of = malloc((size_t)job->size * sizeof *node_of);
    MPI_Comm_split_type(job->comm, MPI_COMM_TYPE_SHARED, job->rank, MPI_INFO_NULL, &node);
    MPI_Allreduce(&job->rank, &lowest, 1, MPI_INT, MPI_MIN, node);
    MPI_Comm_free(&node);
    MPI_Allgather(&lowest, 1, MPI_INT, node_of, 1, MPI_INT, job->comm);
    first = lowest == job->rank;
    MPI_Allreduce(&first, &the_job.nodes, 1, MPI_INT, MPI_SUM, job->comm);
    the_job.here = node_of[job->target] == lowest;
    free(node_of);
}

void worker_note_windows(bool possible)
{
    the_job.windows = possible;
}

/* Send the address of rank 0's keeper to every keeper. */
static void introduce(const char *address)
{
    char first[ADDRESS_ROOM];
    snprintf(first, sizeof first, "%s", address);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, job->comm);
    line_write("rank\t%d", job->rank);
    line_write("meet\t%s", first);
}

int worker_run(const struct options *o, const char *address)
{
    if (o->plain || o->probe) ask_for_no_threads();
    MPI_Init(NULL, NULL); /* as GA's programs do; not ARMCI_Init_thread */
    describe_job(o);
    introduce(address);
    count_nodes();
    if (job->size < 2) {
        fprintf(stderr,
                "armci-doctor: at least 2 processes are needed: mpiexec -n 2 armci-doctor\n");
        line_write("alone");
        return 2;
    }
    for (const struct probe *p = probe_first(); p; p = probe_after(p)) {
        if (!worker_wants(o, p)) continue;
        run_probe(p);
        if (p->section == SECTION_START) plant(o->plant);
    }
    line_write("end");
    MPI_Comm_free(&the_job.comm);
    MPI_Finalize();
    return 0;
}
