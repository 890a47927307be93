/* worst.c - the worst of a million short operations towards a target that waits, each timed. */
#include "row.h"

#include "data.h"

#include <armci.h>

enum { CALLS = 1000000, ROWS = 3 };

static struct row rows[ROWS];

static void measure(const struct row *row, const struct site *site, double seconds,
                    struct result *result)
{
    static struct tail tails[ROWS];
    const int seed = 2;
    struct samples samples = {0};
    (void)seconds;
    *result = (struct result){.name = row->name, .tail = &tails[row - rows]};
    result->valid = row_works(row, site);
    row_prepare(row, site, seed);
    for (long i = 0; i < CALLS && site->me == 0; i++) {
        double begin = sample_clock();
        row->run(row, site, 1);
        samples_keep(&samples, sample_clock() - begin);
    }
    ARMCI_Barrier(); /* the others wait here */
    result->valid = row_check(row, site, seed, CALLS) && result->valid;
    samples_summary(&samples, &result->time);
    if (samples.count > 0)
        tails[row - rows] = (struct tail){.p999 = samples.times[samples.count / 1000 * 999],
                                          .worst = samples.times[samples.count - 1]};
    samples_free(&samples);
}

static bool enter(struct site *site)
{
    (void)site;
    rows[0] = kind_get;
    rows[1] = row_fenced(&kind_put);
    rows[2] = kind_rmw;
    rows[0].name = "10^6 gets of 8 B";
    rows[1].name = "10^6 puts of 8 B + fence";
    rows[2].name = "10^6 rmw fetch-and-add long";
    rows[0].patch = rows[1].patch = (struct patch){1, 8, 0, 0};
    return true;
}

const struct group group_worst = {
    .word = "worst", .count = ROWS, .rows = rows, .enter = enter, .measure = measure};
