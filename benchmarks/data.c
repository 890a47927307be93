/* data.c - patterns, backgrounds and sums in patches, memcpy of as many bytes, and contiguous
 * transfers. */
#include "data.h"

#include <armci.h>
#include <string.h>

enum {
    BACKGROUND = 0xEE,
    SOURCE_BACKGROUND = 0x55
};                                    /* around the destination, and the source, of a transfer */
static const double START = 1000;     /* initial value for accumulates */
static const double SOURCE_GAP = 0.5; /* between source segments: must not be added */

static unsigned char pattern(long i, int seed)
{
    return (unsigned char)(i * 131 + (i >> 8) * 17 + seed * 37);
}

static double number(long i, int seed)
{
    return (double)(1 + (i + seed) % 7);
}

/* Bytes from the first to the last byte of a side. */
static long extent(const struct patch *patch, int stride)
{
    return (long)(patch->segments - 1) * stride + patch->bytes;
}

/* Write the pattern into the segments, and a background elsewhere. */
static void lay_pattern(char *base, const struct patch *patch, int stride, int seed)
{
    memset(base, SOURCE_BACKGROUND, (size_t)extent(patch, stride) + MARGIN);
    for (long segment = 0; segment < patch->segments; segment++) {
        for (long i = 0; i < patch->bytes; i++)
            base[segment * stride + i] = (char)pattern(segment * patch->bytes + i, seed);
    }
}

/* Bytes after a segment that must not change. */
static long gap_behind(const struct patch *patch, int stride, long segment)
{
    return segment + 1 < patch->segments ? stride - patch->bytes : MARGIN;
}

/* Do the segments have the pattern, and the gaps the background? */
static bool is_pattern(const char *base, const struct patch *patch, int stride, int seed)
{
    for (long segment = 0; segment < patch->segments; segment++) {
        const unsigned char *begin = (const unsigned char *)base + segment * stride;
        long gap = gap_behind(patch, stride, segment);
        for (long i = 0; i < patch->bytes; i++) {
            if (begin[i] != pattern(segment * patch->bytes + i, seed)) return false;
        }
        for (long i = 0; i < gap; i++) {
            if (begin[patch->bytes + i] != BACKGROUND) return false;
        }
    }
    return true;
}

void data_prepare_put(const struct row *row, const struct site *site, int seed)
{
    const struct patch *patch = &row->patch;
    if (site->me == 0) lay_pattern(site->local, patch, patch->local_stride, seed);
    if (site->me == site->target)
        memset(site->slice, BACKGROUND, (size_t)extent(patch, patch->remote_stride) + MARGIN);
}

bool data_check_put(const struct row *row, const struct site *site, int seed, long times)
{
    (void)times;
    if (site->me != site->target) return true;
    return is_pattern(site->slice, &row->patch, row->patch.remote_stride, seed);
}

void data_prepare_get(const struct row *row, const struct site *site, int seed)
{
    const struct patch *patch = &row->patch;
    if (site->me == 0)
        memset(site->local, BACKGROUND, (size_t)extent(patch, patch->local_stride) + MARGIN);
    if (site->me == site->target) lay_pattern(site->slice, patch, patch->remote_stride, seed);
}

bool data_check_get(const struct row *row, const struct site *site, int seed, long times)
{
    (void)times;
    if (site->me != 0) return true;
    return is_pattern(site->local, &row->patch, row->patch.local_stride, seed);
}

void data_numbers(double *to, long n, int seed)
{
    for (long i = 0; i < n; i++)
        to[i] = number(i, seed);
}

bool data_are_sums(const double *sums, long n, int seed, double start, double times)
{
    for (long i = 0; i < n; i++) {
        if (sums[i] != start + times * number(i, seed)) return false;
    }
    return true;
}

static void fill(char *base, long bytes, double value)
{
    double *to = (double *)(void *)base;
    for (long i = 0; i < bytes / (long)sizeof(double); i++)
        to[i] = value;
}

void data_prepare_acc(const struct row *row, const struct site *site, int seed)
{
    const struct patch *patch = &row->patch;
    long inside = patch->bytes / (long)sizeof(double);
    if (site->me == 0) {
        fill(site->local, extent(patch, patch->local_stride) + MARGIN, SOURCE_GAP);
        for (long segment = 0; segment < patch->segments; segment++)
            data_numbers((double *)(void *)(site->local + segment * patch->local_stride), inside,
                         seed);
    }
    if (site->me == site->target)
        fill(site->slice, extent(patch, patch->remote_stride) + MARGIN, START);
}

bool data_check_acc(const struct row *row, const struct site *site, int seed, long times)
{
    const struct patch *patch = &row->patch;
    long inside = patch->bytes / (long)sizeof(double),
         step = patch->remote_stride / (long)sizeof(double);
    const double *slice = (const double *)(void *)site->slice;

    if (site->me != site->target) return true;
    for (long segment = 0; segment < patch->segments; segment++) {
        const double *begin = slice + segment * step;
        long gap = gap_behind(patch, patch->remote_stride, segment) / (long)sizeof(double);
        if (!data_are_sums(begin, inside, seed, START, (double)times)) return false;
        if (!data_are_sums(begin + inside, gap, seed, START, 0)) return false;
    }
    return true;
}

void data_copy(char *to, const char *from, long bytes, long times)
{
    for (long i = 0; i < times; i++) {
        memcpy(to, from, (size_t)bytes);
        __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
    }
}

/* What memcpy accesses: the target's slice, or the caller's where that is not accessible. */
static char *direct(const struct site *site)
{
    return site->same_memory ? site_direct(site->remote, site->target) : site->slice;
}

void data_copy_out(const struct row *row, const struct site *site, long times)
{
    data_copy(direct(site), site->local, row_bytes(row), times);
}

void data_copy_in(const struct row *row, const struct site *site, long times)
{
    data_copy(site->local, direct(site), row_bytes(row), times);
}

void transfer_put(const struct row *row, const struct site *site, long times)
{
    char *local = site->local, *remote = site->remote;
    int bytes = row->patch.bytes, target = site->target;
    for (long i = 0; i < times; i++)
        ARMCI_Put(local, remote, bytes, target);
}

void transfer_get(const struct row *row, const struct site *site, long times)
{
    char *local = site->local, *remote = site->remote;
    int bytes = row->patch.bytes, target = site->target;
    for (long i = 0; i < times; i++)
        ARMCI_Get(remote, local, bytes, target);
}

void transfer_acc(const struct row *row, const struct site *site, long times)
{
    char *local = site->local, *remote = site->remote;
    int bytes = row->patch.bytes, target = site->target;
    double one = 1;
    for (long i = 0; i < times; i++)
        ARMCI_Acc(ARMCI_ACC_DBL, &one, local, remote, bytes, target);
}

const struct row kind_put = {.run = transfer_put,
                             .prepare = data_prepare_put,
                             .check = data_check_put,
                             .copy = data_copy_out};
const struct row kind_get = {.run = transfer_get,
                             .prepare = data_prepare_get,
                             .check = data_check_get,
                             .copy = data_copy_in};
const struct row kind_acc = {.run = transfer_acc,
                             .prepare = data_prepare_acc,
                             .check = data_check_acc,
                             .copy = data_copy_out};
