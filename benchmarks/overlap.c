/* overlap.c - overlap of non-blocking transfers with computation. The amount of computation
 * between start and wait increases until the total time grows. It is a fixed amount of work, so
 * processor time that others take from it counts. In the rows "away" the rank sleeps instead: a
 * part that is not hidden then is not hidden for lack of a processor. */
#include "data.h"
#include "plain_mpi.h"
#include "row.h"

#include <armci.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* The amounts of computation, as parts of the time of the operation without any. */
static const double PARTS[CURVE_POINTS] = {0, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2};
/* Rounds, each with new data; minimum samples per point; samples of the first measurement without
 * computation. */
enum { ROUNDS = 4, FEWEST = 5, FIRST_LOOK = 31 };

static long turns; /* of the computation between start and wait */

/* A dependent chain that compilers cannot evaluate (from 1 it would stay 1). */
static void compute(void)
{
    double x = 0.5;
    for (long i = 0; i < turns; i++)
        x = x * 0.999 + 0.001;
    __asm__ volatile("" : : "m"(x)); /* it is used */
}

/* Time of one turn on an undisturbed processor, ns. */
static double turn_time(void)
{
    double best = 0;
    turns = 20000;
    for (int i = 0; i < 200; i++) {
        double begin = sample_clock();
        compute();
        double time = (sample_clock() - begin) / (double)turns;
        if (best <= 0 || time < best) best = time;
    }
    turns = 0;
    return best;
}

/* Leave the processor idle; a turn is a microsecond. */
static void stay_away(void)
{
    if (turns > 0) nanosleep(&(struct timespec){turns / 1000000, turns % 1000000 * 1000}, NULL);
}

static void (*pass_time)(void) = compute;

static void get_once(const struct patch *patch, const struct site *site)
{
    int far[1] = {patch->remote_stride}, near[1] = {patch->local_stride},
        count[2] = {patch->bytes, patch->segments};
    armci_hdl_t handle;

    ARMCI_INIT_HANDLE(&handle);
    if (patch->segments == 1)
        ARMCI_NbGet(site->remote, site->local, patch->bytes, site->target, &handle);
    else
        ARMCI_NbGetS(site->remote, far, site->local, near, count, 1, site->target, &handle);
    pass_time();
    ARMCI_Wait(&handle);
}

static void put_once(const struct patch *patch, const struct site *site)
{
    int far[1] = {patch->remote_stride}, near[1] = {patch->local_stride},
        count[2] = {patch->bytes, patch->segments};
    armci_hdl_t handle;

    ARMCI_INIT_HANDLE(&handle);
    if (patch->segments == 1)
        ARMCI_NbPut(site->local, site->remote, patch->bytes, site->target, &handle);
    else
        ARMCI_NbPutS(site->local, near, site->remote, far, count, 1, site->target, &handle);
    pass_time();
    ARMCI_Wait(&handle);
}

static void run_get(const struct row *row, const struct site *site, long times)
{
    for (long i = 0; i < times; i++)
        get_once(&row->patch, site);
}

static void run_put(const struct row *row, const struct site *site, long times)
{
    for (long i = 0; i < times; i++)
        put_once(&row->patch, site);
}

static void run_put_fenced(const struct row *row, const struct site *site, long times)
{
    for (long i = 0; i < times; i++) {
        put_once(&row->patch, site);
        ARMCI_Fence(site->target);
    }
}

/* Time the operation once; remote completion is not timed. */
static void sample_once(const struct row *row, const struct site *site, struct samples *samples)
{
    double begin = sample_clock();
    row->run(row, site, 1);
    samples_keep(samples, sample_clock() - begin);
    samples->calls++;
    ARMCI_Fence(site->target);
}

/* Time the computation alone. */
static void sample_pastime(struct samples *samples)
{
    double begin = sample_clock();
    pass_time();
    samples_keep(samples, sample_clock() - begin);
    samples->calls++;
}

/* Compute the amounts of work, in turns, from the time of the operation without any. */
static void choose_work(const struct row *row, const struct site *site, long amounts[CURVE_POINTS])
{
    struct samples samples = {0};
    struct timing time;
    double turn = pass_time == compute ? turn_time() : 1000;

    for (int i = 0; i < FIRST_LOOK; i++)
        sample_once(row, site, &samples);
    samples_summary(&samples, &time);
    samples_free(&samples);
    for (int i = 0; i < CURVE_POINTS; i++)
        amounts[i] = (long)(PARTS[i] * time.median / turn);
}

/* A point of the curve: the computation alone, and with the operation. */
struct point {
    struct samples alone, both;
};

/* Measure the points in turns, under the same conditions. */
static void sample_points(const struct row *row, const struct site *site, double seconds,
                          const long amounts[CURVE_POINTS], struct point points[CURVE_POINTS])
{
    double end = sample_clock() + seconds * 1e9;
    for (int times = 0; times < FEWEST || sample_clock() < end; times++) {
        for (int i = 0; i < CURVE_POINTS; i++) {
            turns = amounts[i];
            sample_pastime(&points[i].alone);
            sample_once(row, site, &points[i].both);
        }
    }
    turns = 0;
}

/* The hidden time of a point is the sum of both times alone, less the time of both together. */
static void summarize(struct point points[CURVE_POINTS], struct curve *curve, struct timing *time)
{
    struct timing alone, both;
    samples_summary(&points[0].both, time);
    curve->hidden = 0;
    for (int i = 0; i < CURVE_POINTS; i++) {
        samples_summary(&points[i].alone, &alone);
        samples_summary(&points[i].both, &both);
        curve->work[i] = alone.median;
        curve->total[i] = both.median;
        double hidden =
            time->median > 0 ? (time->median + alone.median - both.median) / time->median : 0;
        if (hidden > curve->hidden) curve->hidden = hidden;
        samples_free(&points[i].alone);
        samples_free(&points[i].both);
    }
}

/* ---- a message of MPI, which the target sends when asked ---- */

enum { GO = 78, DATA, STOP };

static void run_receive(const struct row *row, const struct site *site, long times)
{
    MPI_Comm comm = mpi_communicator();
    for (long i = 0; i < times; i++) {
        MPI_Request request;
        MPI_Irecv(site->local, row->patch.bytes, MPI_BYTE, site->target, DATA, comm, &request);
        MPI_Send(NULL, 0, MPI_BYTE, site->target, GO, comm);
        pass_time();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* The target, until it is told to stop. */
static void answer(const struct row *row, const struct site *site)
{
    MPI_Comm comm = mpi_communicator();
    MPI_Status status;
    for (;;) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, MPI_ANY_TAG, comm, &status);
        if (status.MPI_TAG == STOP) return;
        MPI_Send(site->spare, row->patch.bytes, MPI_BYTE, 0, DATA, comm);
    }
}

static void prepare_message(const struct row *row, const struct site *site, int seed)
{
    memset(site->local, 0, (size_t)row->patch.bytes);
    memset(site->spare, seed, (size_t)row->patch.bytes);
}

static bool check_message(const struct row *row, const struct site *site, int seed, long times)
{
    (void)seed, (void)times;
    return site->me != 0 || memcmp(site->local, site->spare, (size_t)row->patch.bytes) == 0;
}

static const struct kind {
    const char *name;
    bool strided, away;
    struct row row;
} kinds[] = {
    {"nbget", false, false, {.run = run_get, .prepare = data_prepare_get, .check = data_check_get}},
    {"nbput", false, false, {.run = run_put, .prepare = data_prepare_put, .check = data_check_put}},
    {"nbput + fence",
     false,
     false,
     {.run = run_put_fenced, .prepare = data_prepare_put, .check = data_check_put}},
    {"nbgetS", true, false, {.run = run_get, .prepare = data_prepare_get, .check = data_check_get}},
    {"nbputS", true, false, {.run = run_put, .prepare = data_prepare_put, .check = data_check_put}},
    {"nbputS + fence",
     true,
     false,
     {.run = run_put_fenced, .prepare = data_prepare_put, .check = data_check_put}},
    {"away: nbget",
     false,
     true,
     {.run = run_get, .prepare = data_prepare_get, .check = data_check_get}},
    {"away: nbput + fence",
     false,
     true,
     {.run = run_put_fenced, .prepare = data_prepare_put, .check = data_check_put}},
    {"MPI_Irecv",
     false,
     false,
     {.run = run_receive,
      .prepare = prepare_message,
      .check = check_message,
      .available = mpi_has_target}},
};
/* The short ones of contiguous transfers only. */
static const int sizes[] = {1, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};

enum {
    KINDS = sizeof kinds / sizeof *kinds,
    SIZES = sizeof sizes / sizeof *sizes,
    SHORT = 5, /* of the sizes */
    ROWS = KINDS * SIZES,
    SEGMENT = 512,
};

static struct row rows[ROWS];
static struct curve curves[ROWS];
static char names[ROWS][40];

/* Collective, as row_measure. */
static void measure(const struct row *row, const struct site *site, double seconds,
                    struct result *result)
{
    struct point points[CURVE_POINTS] = {0};
    struct curve *curve = &curves[row - rows];
    long amounts[CURVE_POINTS] = {0};

    *result = (struct result){.name = row->name, .curve = curve};
    result->valid = row->run == run_receive || row_works(row, site);
    pass_time = kinds[(row - rows) / SIZES].away ? stay_away : compute;
    for (int round = 0; round < ROUNDS; round++) {
        row_prepare(row, site, 2 + round);
        if (row->run == run_receive && site->me == site->target) answer(row, site);
        if (site->me == 0 && round == 0) choose_work(row, site, amounts);
        if (site->me == 0) sample_points(row, site, seconds / ROUNDS, amounts, points);
        if (row->run == run_receive && site->me == 0)
            MPI_Send(NULL, 0, MPI_BYTE, site->target, STOP, mpi_communicator());
        ARMCI_Barrier(); /* the others wait here */
        result->valid = row_check(row, site, 2 + round, 1) && result->valid;
    }
    summarize(points, curve, &result->time);
}

static bool nowhere(const struct site *site)
{
    (void)site;
    return false;
}

static void make_row(int i)
{
    const struct kind *kind = &kinds[i / SIZES];
    int bytes = sizes[i % SIZES];
    rows[i] = kind->row;
    if ((kind->strided || kind->away) && i % SIZES < SHORT) rows[i].available = nowhere;
    rows[i].name = names[i];
    rows[i].patch = (struct patch){1, bytes, 0, 0};
    if (kind->strided)
        rows[i].patch = (struct patch){bytes / SEGMENT, SEGMENT, 2 * SEGMENT, 2 * SEGMENT};
    snprintf(names[i], sizeof names[i], "%s %d %s", kind->name, bytes >> (bytes < 1024 ? 0 : 10),
             bytes < 1024 ? "B" : "KiB");
}

static bool enter(struct site *site)
{
    (void)site;
    for (int i = 0; i < ROWS; i++)
        make_row(i);
    return true;
}

const struct group group_overlap = {
    .word = "overlap", .count = ROWS, .rows = rows, .enter = enter, .measure = measure};
