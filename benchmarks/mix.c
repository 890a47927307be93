/* mix.c - transfers in the proportions and sizes of a run of NWChem, by all ranks, each to ranks at
 * random: the histogram of calls by the decimal digits of their bytes that ARMCI-MPI's page
 * PROFILING has. All sums are verified exactly. */
#include "row.h"

#include <armci.h>
#include <math.h>
#include <string.h>

enum { DIGITS = 7, CALLS = 300, PUT_SIDE = 1, ACC_SIDE = 2, GET_SIDE = 4, RMW_SIDE = 8 };

/* Calls, in millions. */
static const double puts_of[DIGITS] = {2.79, 116.04, 236.44, 25.38, 3.62, 0.77, 0.02};
static const double accs_of[DIGITS] = {21.26, 19.81, 0.14, 62.98, 320.83, 1.69, 1.23};
static const double GETS = 54.69, RMWS = 1.456;
enum { GET_BYTES = 139856 }; /* the mean */

/* Parts of a slice: the counter, on rank 0; sums; what is put; what is got. */
enum {
    AREA = 16 << 20,
    LONGEST = 9999992, /* of 7 digits */
    SUMS = AREA / 4,
    PUTS = SUMS + AREA,
    GETS_FROM = PUTS + AREA
};
_Static_assert(GETS_FROM + AREA <= LARGEST_TRANSFER, "the parts fit in a slice");
_Static_assert(LONGEST <= AREA, "a transfer fits in its part");

static const double ONE = 1, PATTERN = 7;
static unsigned long state;
static long added, counted; /* elements that the caller has accumulated; its counts */

static double random_part(void)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(state >> 11) / (double)(1UL << 53);
}

static double sum_of(const double calls[DIGITS])
{
    double sum = 0;
    for (int i = 0; i < DIGITS; i++)
        sum += calls[i];
    return sum;
}

/* Whole doubles, equally likely on a logarithmic scale within a number of digits. */
static int random_bytes(const double calls[DIGITS])
{
    double at = random_part() * sum_of(calls);
    int digits = 0;
    while (digits < DIGITS - 1 && at >= calls[digits])
        at -= calls[digits++];
    int bytes = (int)pow(10, digits + random_part()) & ~7;
    return bytes < 8 ? 8 : bytes;
}

static char *random_place(const struct site *site, int rank, long part, int bytes)
{
    long places = (AREA - bytes) / (long)sizeof(double);
    return (char *)site->slices[rank] + part + (long)(random_part() * (double)places) * 8;
}

/* The get under way. ComEx does not wait for a handle that no call has used. */
struct get {
    armci_hdl_t handle;
    bool started;
};

static void end_get(struct get *get)
{
    if (get->started) ARMCI_Wait(&get->handle);
    get->started = false;
}

static void start_get(const struct site *site, int rank, struct get *get)
{
    end_get(get);
    ARMCI_INIT_HANDLE(&get->handle);
    ARMCI_NbGet(random_place(site, rank, GETS_FROM, GET_BYTES), site->local + GETS_FROM, GET_BYTES,
                rank, &get->handle);
    get->started = true;
}

static void call(const struct site *site, int side, struct get *get)
{
    int rank = (int)(random_part() * site->ranks);
    double one = ONE;
    long old;
    if (side == PUT_SIDE) {
        int bytes = random_bytes(puts_of);
        ARMCI_Put(site->local + PUTS, random_place(site, rank, PUTS, bytes), bytes, rank);
    } else if (side == ACC_SIDE) {
        int bytes = random_bytes(accs_of);
        added += bytes / (long)sizeof(double);
        ARMCI_Acc(ARMCI_ACC_DBL, &one, site->local + SUMS, random_place(site, rank, SUMS, bytes),
                  bytes, rank);
    } else if (side == GET_SIDE) {
        start_get(site, rank, get);
    } else {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, site->slices[0], 1, 0);
        counted++;
    }
}

/* The segments of the patch are the kinds of calls that the row makes. */
static void run(const struct row *row, const struct site *site, long times)
{
    const double puts = sum_of(puts_of), accs = sum_of(accs_of), all = puts + accs + GETS + RMWS;
    struct get get = {.started = false};
    for (long i = 0; i < times * CALLS; i++) {
        double at = random_part() * all;
        int side = at < puts                 ? PUT_SIDE
                   : at < puts + accs        ? ACC_SIDE
                   : at < puts + accs + GETS ? GET_SIDE
                                             : RMW_SIDE;
        if (side & row->patch.segments) call(site, side, &get);
    }
    end_get(&get);
    ARMCI_AllFence();
}

static void fill(char *at, double value)
{
    for (long i = 0; i < AREA / (long)sizeof value; i++)
        memcpy(at + i * (long)sizeof value, &value, sizeof value);
}

static void prepare(const struct row *row, const struct site *site, int seed)
{
    (void)row;
    state = 1000003UL * (unsigned long)seed + (unsigned long)site->me;
    added = counted = 0;
    memset(site->slice, 0, PUTS + AREA);
    fill(site->slice + GETS_FROM, PATTERN);
    fill(site->local + SUMS, ONE);
    fill(site->local + PUTS, PATTERN);
    memset(site->local + GETS_FROM, 0, GET_BYTES);
}

/* The number of elements with the value; other elements that are not 0 count as many. */
static long count(const char *at, long bytes, double value)
{
    long found = 0;
    for (long i = 0; i < bytes; i += (long)sizeof value) {
        double seen;
        memcpy(&seen, at + i, sizeof seen);
        found += seen == value ? 1 : seen == 0 ? 0 : AREA;
    }
    return found;
}

static bool check(const struct row *row, const struct site *site, int seed, long times)
{
    const int sides = row->patch.segments;
    double sum = 0;
    long counter = 0;
    (void)seed, (void)times;
    for (long i = 0; i < AREA; i += (long)sizeof(double)) {
        double seen;
        memcpy(&seen, site->slice + SUMS + i, sizeof seen);
        sum += seen;
    }
    if (site->me == 0) memcpy(&counter, site->slice, sizeof counter);
    const long put = count(site->slice + PUTS, AREA, PATTERN),
               got = count(site->local + GETS_FROM, GET_BYTES, PATTERN);
    const bool sums = site_sum((long)sum - added) == 0, counts = site_sum(counter - counted) == 0,
               has_put = site_sum(put) > 0, has_got = site_sum(got) > 0;
    return sums && counts && put <= AREA / 8 && got <= GET_BYTES / 8 &&
           (has_put || !(sides & PUT_SIDE)) && (has_got || !(sides & GET_SIDE));
}

#define ROW(NAME, SIDES)                                                                           \
    {                                                                                              \
        .name = NAME, .who = TOGETHER, .patch = {SIDES, 0, 0, 0}, .run = run, .prepare = prepare,  \
        .check = check                                                                             \
    }
static const struct row rows[] = {ROW("NWChem's mix, 300 calls", 15), ROW("its puts", PUT_SIDE),
                                  ROW("its accumulates", ACC_SIDE), ROW("its gets", GET_SIDE)};

const struct group group_mix = {.word = "mix", .count = sizeof rows / sizeof *rows, .rows = rows};
