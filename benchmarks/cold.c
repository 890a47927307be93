/* cold.c - many transfers of one size, all of the same memory or each of other memory: the data are
 * in the caches, or neither those of the source nor of the destination. */
#include "data.h"
#include "row.h"

#include <stdio.h>

static const int sizes[] = {16 << 10, 64 << 10, 1 << 20};

/* What the transfers of a row move in all; the memory that they are spread over is twice as much on
 * each side, as long as caches are not larger. */
enum { TOTAL = LARGEST_TRANSFER / 2, SIZES = sizeof sizes / sizeof *sizes, ROWS = 2 * SIZES };

static struct row rows[ROWS], warm[ROWS];
static char names[ROWS][64], warm_names[ROWS][64];

static void put_warm(const struct row *row, const struct site *site, long times)
{
    transfer_put(row, site, times * (TOTAL / row->patch.bytes));
}

static void get_warm(const struct row *row, const struct site *site, long times)
{
    transfer_get(row, site, times * (TOTAL / row->patch.bytes));
}

static void make_row(int i, double shortest)
{
    const int bytes = sizes[i / 2], count = TOTAL / bytes;
    const bool gets = i % 2 == 0;
    warm[i] = gets ? kind_get : kind_put;
    warm[i].run = gets ? get_warm : put_warm;
    warm[i].patch = (struct patch){1, bytes, 0, 0};
    rows[i] = gets ? kind_gets : kind_puts;
    rows[i].patch = (struct patch){count, bytes, 2 * bytes, 2 * bytes};
    if (!gets) {
        warm[i] = row_fenced(&warm[i]);
        rows[i] = row_fenced(&rows[i]);
    }
    rows[i].copy = warm[i].copy = NULL;
    rows[i].shortest = warm[i].shortest = shortest;
    rows[i].beside = &warm[i];
    snprintf(names[i], sizeof *names, "%d cold %s of %d KiB", count, gets ? "gets" : "puts + fence",
             bytes >> 10);
    snprintf(warm_names[i], sizeof *warm_names, "%d warm %s of %d KiB", count,
             gets ? "gets" : "puts + fence", bytes >> 10);
    rows[i].name = names[i];
    warm[i].name = warm_names[i];
}

static bool enter(struct site *site)
{
    for (int i = 0; i < ROWS; i++)
        make_row(i, site->same_memory ? 0 : 2e6); /* ns, as in the word remote */
    return true;
}

const struct group group_cold = {.word = "cold", .count = ROWS, .rows = rows, .enter = enter};
