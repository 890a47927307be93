/* data.h - the data of transfers: initialization before a row, checks after it, and memcpy of the
 * same bytes. */
#ifndef ARMCI_BENCH_DATA_H
#define ARMCI_BENCH_DATA_H

#include "row.h"

/* Put: a pattern in rank 0's private buffer, a background in the target's slice. Afterwards the
 * slice must have the pattern in the segments and the background elsewhere. */
void data_prepare_put(const struct row *row, const struct site *site, int seed);
bool data_check_put(const struct row *row, const struct site *site, int seed, long times);
/* Get: the reverse. */
void data_prepare_get(const struct row *row, const struct site *site, int seed);
bool data_check_get(const struct row *row, const struct site *site, int seed, long times);
/* Accumulate of doubles with scale 1: small whole numbers, so that sums are exact. */
void data_prepare_acc(const struct row *row, const struct site *site, int seed);
bool data_check_acc(const struct row *row, const struct site *site, int seed, long times);

/* memcpy of the row's bytes, contiguous, between the private buffer and the target's slice, or
 * the caller's where that is not accessible. Overwrites the data. */
void data_copy_out(const struct row *row, const struct site *site, long times);
void data_copy_in(const struct row *row, const struct site *site, long times);
/* Copy `times` times, such that the compiler cannot remove it. */
void data_copy(char *to, const char *from, long bytes, long times);

/* Write n doubles that depend on the seed. Is each of n doubles start + times * that number? */
void data_numbers(double *to, long n, int seed);
bool data_are_sums(const double *sums, long n, int seed, double start, double times);

/* Contiguous transfers; the patch is one segment. */
void transfer_put(const struct row *row, const struct site *site, long times);
void transfer_get(const struct row *row, const struct site *site, long times);
void transfer_acc(const struct row *row, const struct site *site, long times);

#endif
