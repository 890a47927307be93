/* data.h - the data of transfers: what is laid out before a row, what has to be there after it, and the same bytes
 * moved by memcpy.  Every row that moves a patch uses these; the kinds differ in where the data come from and go to. */
#ifndef ARMCI_BENCH_DATA_H
#define ARMCI_BENCH_DATA_H

#include "row.h"

/* Put: a pattern in rank 0's private buffer, a background in the target's slice; then the pattern in the slice, and the
 * background still between its segments. */
void data_prepare_put(const struct row *row, const struct site *site, int seed);
bool data_check_put(const struct row *row, const struct site *site, int seed, long times);
/* Get: the reverse. */
void data_prepare_get(const struct row *row, const struct site *site, int seed);
bool data_check_get(const struct row *row, const struct site *site, int seed, long times);
/* Accumulate of doubles with scale 1: small whole numbers, so that the sum of any number of times is exact. */
void data_prepare_acc(const struct row *row, const struct site *site, int seed);
bool data_check_acc(const struct row *row, const struct site *site, int seed, long times);

/* memcpy of the row's bytes, in one piece, between the private buffer and site->direct.  Leaves other data there. */
void data_copy_out(const struct row *row, const struct site *site, long times);
void data_copy_in(const struct row *row, const struct site *site, long times);
/* Copy so many bytes so many times, such that the compiler cannot remove it. */
void data_copy(char *to, const char *from, long bytes, long times);

/* The parts: lay out n doubles of the seed; is each start + times * that number? */
void data_numbers(double *to, long n, int seed);
bool data_are_sums(const double *sums, long n, int seed, double start, double times);

#endif
