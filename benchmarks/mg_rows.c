/* mg_rows.c - NAS MG, classes S, W, A and B: the time of all iterations and the part in exchanges
 * of faces, by puts with flags in turns with MPI_Isend and MPI_Irecv. */
#include "mg.h"
#include "plain_mpi.h"

#include <armci.h>
#include <math.h>
#include <message.h> /* not every armci.h includes it */
#include <stdio.h>

/* Grids, iterations, coefficients and norms are those of the specification. */
#define SMOOTHER_A                                                                                 \
    {                                                                                              \
        -3.0 / 8, 1.0 / 32, -1.0 / 64, 0                                                           \
    }
#define SMOOTHER_B                                                                                 \
    {                                                                                              \
        -3.0 / 17, 1.0 / 33, -1.0 / 61, 0                                                          \
    }
static const struct mg_class classes[] = {
    {"S", 32, 4, SMOOTHER_A, 0.5307707005734e-04},
    {"W", 128, 4, SMOOTHER_A, 0.6467329375339e-05},
    {"A", 256, 4, SMOOTHER_A, 0.2433365309069e-05},
    {"B", 256, 20, SMOOTHER_B, 0.1800564401355e-05},
};

enum { CLASSES = sizeof classes / sizeof *classes, ROWS = 2 * CLASSES, FEWEST_RUNS = 3 };
static const double TOLERANCE = 1e-8; /* of a norm, as the specification says */

/* The result of a class: measured once for its two rows. */
struct measured {
    bool done, valid;
    double norm;
    struct timing armci[2], mpi[2]; /* of all, of the exchanges */
};

static struct row rows[ROWS];
static char names[ROWS][32], others[ROWS][32];
static struct measured results[CLASSES];

/* One run. The time is that of the slowest rank; the exchanges' is the mean of the ranks. */
static bool run(struct mg *mg, const struct mg_way *way, const struct site *site,
                struct samples samples[2], double *found)
{
    char plus[] = "+";
    site_barrier();
    double begin = sample_clock();
    *found = mg_solve(mg, way);
    site_barrier();
    double time = sample_clock() - begin, exchanges = mg->communication * 1e9 / site->ranks;
    armci_msg_dgop(&exchanges, 1, plus);
    samples_keep(&samples[0], time);
    samples_keep(&samples[1], exchanges);
    return fabs(*found - mg->class->norm) <= TOLERANCE * mg->class->norm;
}

static void summarize(struct samples samples[2], struct timing timing[2])
{
    for (int i = 0; i < 2; i++) {
        samples_summary(&samples[i], &timing[i]);
        samples_free(&samples[i]);
    }
}

/* Run both ways in turns for so many seconds, the first time without a look at the clock. */
static void measure_class(const struct mg_class *class, const struct site *site, double seconds,
                          struct measured *measured)
{
    struct samples warm[2] = {{0}}, armci[2] = {{0}}, mpi[2] = {{0}};
    struct timing unused[2];
    struct mg mg;
    *measured = (struct measured){.done = true, .valid = mg_open(&mg, class, site)};
    if (!measured->valid) return;
    mg_armci.open(&mg);
    mg_mpi.open(&mg);
    bool valid = run(&mg, &mg_mpi, site, warm, &measured->norm);
    valid = run(&mg, &mg_armci, site, warm, &measured->norm) && valid;
    const double end = sample_clock() + seconds * 1e9;
    for (long i = 0; site_share(i < FEWEST_RUNS || sample_clock() < end); i++) {
        valid = run(&mg, &mg_mpi, site, mpi, &measured->norm) && valid;
        valid = run(&mg, &mg_armci, site, armci, &measured->norm) && valid;
    }
    mg_mpi.close(&mg);
    mg_close(&mg);
    summarize(warm, unused);
    summarize(armci, measured->armci);
    summarize(mpi, measured->mpi);
    measured->valid = site_all(valid);
}

static void measure(const struct row *row, const struct site *site, double seconds,
                    struct result *result)
{
    const long number = row - rows, class = number / 2, part = number % 2;
    struct measured *measured = &results[class];
    if (!measured->done) measure_class(&classes[class], site, seconds, measured);
    *result = (struct result){.name = row->name,
                              .valid = measured->valid,
                              .time = measured->armci[part],
                              .versus = others[number],
                              .beside = measured->mpi[part]};
}

static bool can(const struct site *site)
{
    return mg_can(site->ranks);
}

static bool enter(struct site *site)
{
    (void)site;
    for (int i = 0; i < ROWS; i++) {
        const char *part = i % 2 == 0 ? "" : ", exchanges", *class = classes[i / 2].name;
        snprintf(names[i], sizeof names[i], "MG %s%s", class, part);
        snprintf(others[i], sizeof others[i], "MG %s%s, MPI", class, part);
        rows[i] = (struct row){.name = names[i], .who = TOGETHER, .available = can};
    }
    return true;
}

static void leave(struct site *site)
{
    for (int i = 0; i < CLASSES && site->me == 0; i++) {
        if (results[i].done)
            printf("MG %s: norm %.13e, specification %.13e: %s\n", classes[i].name, results[i].norm,
                   classes[i].norm, results[i].valid ? "verified" : "WRONG");
    }
}

const struct group group_mg = {
    .word = "mg", .count = ROWS, .rows = rows, .enter = enter, .leave = leave, .measure = measure};
