/* statistics.c - statistics of a job: each process sends its figures to the first, which adds them up and writes them one by one. */
#include "armci/statistics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armcix.h>

#include "base/config.h"
#include "base/json.h"
#include "base/log.h"
#include "base/stats_job.h"
#include "mpi/coll.h"
#include "mpi/quirks.h"
#include "mpi/world.h"

enum { TAG_STATISTICS = 9 };

/* Rather now than after the run. */
static void try_file(void)
{
    const char *name = armcii_config->stats_file;
    FILE *f = name ? fopen(name, "w") : NULL;
    if (name && !f) armcii_warn("ARMCI_STATS: %s cannot be written (%s): there will be a table", name, strerror(errno));
    if (f) fclose(f);
}

void armcii_statistics_start(void)
{
    int on = armcii_config->stats;
    armcii_coll_bcast(&on, (int)sizeof on, 0, armcii_world->comm);
    if (!on) return;
    if (armcii_world->rank == 0) try_file();
    armcii_stats_start(armcii_world->size);
}

/* ---- the report ---- */

struct report {
    struct json json; /* file NULL: a table */
    struct stats_job job;
};

static void begin_report(struct report *r)
{
    static char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    armcii_version_line(library, mpi, sizeof mpi);
    armcii_stats_job_begin(&r->job, armcii_world->size);
    r->job.library = ARMCI_RMA_Version();
    r->job.mpi = mpi;
    r->job.nodes = armcii_world->domains;
    r->json = (struct json){.file = armcii_config->stats_file ? fopen(armcii_config->stats_file, "w") : NULL};
    if (r->json.file) armcii_stats_json_begin(&r->json, &r->job);
}

static void add_process(struct report *r, const struct stats_process *p)
{
    armcii_stats_job_add(&r->job, p);
    if (r->json.file) armcii_stats_json_process(&r->json, p);
}

static bool end_file(struct report *r)
{
    if (!r->json.file) return false;
    armcii_stats_json_end(&r->json, &r->job);
    bool written = !ferror(r->json.file);
    if (fclose(r->json.file) == 0 && written) return true;
    armcii_warn("ARMCI_STATS: %s: %s; a table instead", armcii_config->stats_file, strerror(errno));
    return false;
}

/* The table is one write, so that no other process's lines come between its lines. */
static void print_table(const struct stats_job *job)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) armcii_fatal("out of memory for statistics");
    armcii_stats_table(f, job);
    if (fclose(f) != 0) armcii_fatal("out of memory for statistics");
    armcii_log_text(text);
    free(text);
}

static void end_report(struct report *r)
{
    if (!end_file(r)) print_table(&r->job);
    armcii_stats_job_end(&r->job);
}

/* ---- gathering ---- */

static struct stats_process *receive_from(int rank)
{
    MPI_Status status;
    int bytes;
    armcii_coll_probe(rank, TAG_STATISTICS, armcii_world->control, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    struct stats_process *p = malloc((size_t)bytes);
    if (!p) armcii_fatal("out of memory for statistics of %d bytes", bytes);
    MPI_Recv(p, bytes, MPI_BYTE, rank, TAG_STATISTICS, armcii_world->control, MPI_STATUS_IGNORE);
    return p;
}

static void gather(struct stats_process *mine)
{
    struct report r;
    begin_report(&r);
    add_process(&r, mine);
    for (int i = 1; i < armcii_world->size; i++) {
        struct stats_process *p = receive_from(i);
        add_process(&r, p);
        free(p);
    }
    end_report(&r);
}

void armcii_statistics_report(void)
{
    size_t bytes;
    if (!armcii_stats_on) return;
    armcii_stats_stop();
    struct stats_process *mine = armcii_stats_pack(armcii_world->rank, armcii_world->domain, &bytes);
    if (armcii_world->rank == 0)
        gather(mine);
    else
        armcii_coll_send(mine, (int)bytes, 0, TAG_STATISTICS, armcii_world->control);
    free(mine);
    armcii_stats_end();
}
