/* many.c - many operations at once: n x n patches against n non-blocking calls, aggregates and
 * lists of addresses, 64 operations at once as OSU's message rate. A put's row ends with a fence,
 * so that the rows mean the same between nodes. The word fences: one fence of several processes,
 * and a fence of each. */
#include "plain_mpi.h"
#include "row.h"

#include <armci.h>
#include <stdio.h>
#include <string.h>

static const int sides[] = {8, 32, 128, 512}; /* of a patch of doubles */
static const int servers[] = {1, 3, 5, 7};
static const int messages[] = {8, 64, 512, 4096}; /* bytes, for the message rate */

enum {
    SIDES = sizeof sides / sizeof *sides,
    FENCES = sizeof servers / sizeof *servers,
    PATCHES = 2 * SIDES,
    AGGREGATES = 8,
    RATES = sizeof messages / sizeof *messages,
    ROWS = PATCHES + AGGREGATES + 2 * RATES,
    SEVERAL = 1000, /* operations of an aggregate */
};

/* Of a batch, ns; 0: the default. Longer between nodes, as in the rows of the word "remote". */
static double shortest;
static struct row rows[ROWS], singles[PATCHES], vectors[2], windows[RATES];
static char names[ROWS][48], single_names[PATCHES][48], window_names[RATES][48];

/* ---- fences ---- */

static struct row fences[FENCES], one_by_one[FENCES];
static char fence_names[FENCES][48], one_by_one_names[FENCES][48];

/* The patch has as many segments as processes are put to. */
static void put_to_each(const struct row *row, const struct site *site)
{
    for (int rank = 1; rank <= row->patch.segments; rank++)
        ARMCI_Put(site->local, site->slices[rank], row->patch.bytes, rank);
}

static void run_fence_of_all(const struct row *row, const struct site *site, long times)
{
    for (long i = 0; i < times; i++) {
        put_to_each(row, site);
        ARMCI_AllFence();
    }
}

static void run_fence_of_each(const struct row *row, const struct site *site, long times)
{
    for (long i = 0; i < times; i++) {
        put_to_each(row, site);
        for (int rank = 1; rank <= row->patch.segments; rank++)
            ARMCI_Fence(rank);
    }
}

static void prepare_fences(const struct row *row, const struct site *site, int seed)
{
    memset(site->local, seed, (size_t)row->patch.bytes);
    memset(site->slice, 0, (size_t)row->patch.bytes);
}

static bool check_fences(const struct row *row, const struct site *site, int seed, long times)
{
    (void)seed, (void)times;
    return site->me < 1 || site->me > row->patch.segments ||
           memcmp(site->slice, site->local, (size_t)row->patch.bytes) == 0;
}

static bool has_two(const struct site *site)
{
    return site->ranks > 1;
}

static bool has_four(const struct site *site)
{
    return site->ranks > 3;
}

static bool has_six(const struct site *site)
{
    return site->ranks > 5;
}

static bool has_eight(const struct site *site)
{
    return site->ranks > 7;
}

static bool (*const has_enough[FENCES])(const struct site *site) = {has_two, has_four, has_six,
                                                                    has_eight};

static bool enter_fences(struct site *site)
{
    for (int i = 0; i < FENCES; i++) {
        snprintf(fence_names[i], sizeof *fence_names, "AllFence after puts to %d", servers[i]);
        snprintf(one_by_one_names[i], sizeof *one_by_one_names, "%d fences after puts to %d",
                 servers[i], servers[i]);
        fences[i] = (struct row){.name = fence_names[i],
                                 .run = run_fence_of_all,
                                 .prepare = prepare_fences,
                                 .check = check_fences,
                                 .patch = {servers[i], 8, 0, 0},
                                 .shortest = site->same_memory ? 0 : 2e6, /* ns, as in remote */
                                 .beside = &one_by_one[i],
                                 .available = has_enough[i]};
        one_by_one[i] = fences[i];
        one_by_one[i].name = one_by_one_names[i];
        one_by_one[i].run = run_fence_of_each;
        one_by_one[i].beside = NULL;
    }
    return true;
}

/* ---- patches, aggregates ---- */

static struct row measured(struct row row, const char *name, const struct row *beside,
                           struct patch patch)
{
    row.name = name;
    row.beside = beside;
    row.patch = patch;
    row.copy = NULL;
    row.shortest = shortest;
    return row;
}

static void make_patch(int i)
{
    int side = sides[i / 2], bytes = side * (int)sizeof(double);
    bool gets = i % 2 == 0;
    struct patch patch = {side, bytes, 2 * bytes, 2 * bytes};
    snprintf(single_names[i], sizeof single_names[i], "%d nb %s of %d B", side,
             gets ? "gets" : "puts + fence", bytes);
    snprintf(names[i], sizeof names[i], "%s %d x %d doubles%s", gets ? "getS" : "putS", side, side,
             gets ? "" : " + fence");
    singles[i] = measured(gets ? kind_gets_implicit : row_fenced(&kind_puts_implicit),
                          single_names[i], NULL, patch);
    rows[i] = measured(gets ? kind_get_strided : row_fenced(&kind_put_strided), names[i],
                       &singles[i], patch);
}

static void make_aggregates(struct row *next)
{
    const struct patch patch = {SEVERAL, 8, 16, 16};
    vectors[0] = measured(kind_get_vector, "getV 1000 x 8 B", NULL, patch);
    vectors[1] = measured(row_fenced(&kind_put_vector), "putV 1000 x 8 B + fence", NULL, patch);
    *next++ = measured(kind_gets, "1000 gets of 8 B", &vectors[0], patch);
    *next++ = measured(kind_gets_implicit, "1000 nb gets + WaitAll", &vectors[0], patch);
    *next++ = measured(kind_gets_aggregate, "1000 gets, aggregate", &vectors[0], patch);
    *next++ = vectors[0];
    *next++ = measured(row_fenced(&kind_puts), "1000 puts of 8 B + fence", &vectors[1], patch);
    *next++ = measured(row_fenced(&kind_puts_implicit), "1000 nb puts + WaitAll + fence",
                       &vectors[1], patch);
    *next++ = measured(row_fenced(&kind_puts_aggregate), "1000 puts, aggregate + fence",
                       &vectors[1], patch);
    *next++ = vectors[1];
}

/* Puts, and gets, of one size beside as many messages. */
static void make_rate(const struct site *site, int i, int at)
{
    const struct row *beside = mpi_has_target(site) ? &windows[i] : NULL;
    const struct patch patch = {MPI_WINDOW, messages[i], 2 * messages[i], 2 * messages[i]};
    snprintf(window_names[i], sizeof *window_names, "MPI: 64 messages of %d B", messages[i]);
    windows[i] =
        measured(kind_mpi_window, window_names[i], NULL, (struct patch){1, messages[i], 0, 0});
    snprintf(names[at], sizeof *names, "64 nb puts of %d B + fence", messages[i]);
    rows[at] = measured(row_fenced(&kind_puts_implicit), names[at], beside, patch);
    snprintf(names[at + 1], sizeof *names, "64 nb gets of %d B", messages[i]);
    rows[at + 1] = measured(kind_gets_implicit, names[at + 1], beside, patch);
}

static bool enter(struct site *site)
{
    shortest = site->same_memory ? 0 : 2e6;
    for (int i = 0; i < PATCHES; i++)
        make_patch(i);
    make_aggregates(rows + PATCHES);
    for (int i = 0; i < RATES; i++)
        make_rate(site, i, PATCHES + AGGREGATES + 2 * i);
    return true;
}

const struct group group_many = {.word = "many", .count = ROWS, .rows = rows, .enter = enter};
const struct group group_fences = {
    .word = "fences", .count = FENCES, .rows = fences, .enter = enter_fences};
