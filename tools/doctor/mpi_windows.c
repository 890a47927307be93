/* mpi_windows.c - windows of every kind and of odd sizes; many windows; windows of groups. */
#include "probes.h"

#include <stdlib.h>
#include <string.h>

#include "area.h"

/* ---------------------------------------------------------------- odd sizes -------- */

/* Put, get, accumulate and fetch-and-op at both ends of the target's slice; then the owner checks.
 */
static void try_ends(struct finding *f, struct area *a)
{
    long value = 1000 + job->rank, seen = 0, here;
    int at = 0, last = a->there - (int)sizeof(long), middle = a->there / 16 * 8;
    MPI_Put(&value, sizeof value, MPI_BYTE, job->target, a->origin + last, sizeof value, MPI_BYTE,
            a->win);
    memcpy(a->mirror + last, &value, sizeof value);
    MPI_Win_flush(job->target, a->win);
    memcpy(&here, a->mirror, sizeof here);
    MPI_Get(&seen, sizeof seen, MPI_BYTE, job->target, a->origin, sizeof seen, MPI_BYTE, a->win);
    MPI_Win_flush(job->target, a->win);
    found(f, seen == here, "get at the beginning of a slice of %d bytes", a->there);
    MPI_Accumulate(&value, 1, MPI_LONG, job->target, a->origin + middle, 1, MPI_LONG, MPI_SUM,
                   a->win);
    memcpy(&here, a->mirror + middle, sizeof here);
    here += value;
    MPI_Win_flush(job->target, a->win);
    MPI_Fetch_and_op(&value, &seen, MPI_LONG, job->target, a->origin + middle, MPI_SUM, a->win);
    MPI_Win_flush(job->target, a->win);
    found(f, seen == here, "fetch-and-op in a slice of %d bytes", a->there);
    here += value;
    memcpy(a->mirror + middle, &here, sizeof here);
    found(f, area_matches(a, &at), "put or accumulate in a slice of %d bytes: byte %d", a->there,
          at);
}

static void try_sizes(struct finding *f, enum area_kind kind)
{
    static const int sizes[] = {24, 40, 1000, 4104, 65560, 1048584};
    struct area a;
    if (!area_possible(f)) return;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int differ = 0; differ < 2; differ++) {
            if (!area_open(&a, kind, sizes[i] + 8 * differ * job->rank, f)) return;
            try_ends(f, &a);
            area_close(&a);
        }
    tell(f, "slices of 24 bytes to 1 MiB, multiples of 8");
}

void probe_allocate_odd(struct finding *f)
{
    try_sizes(f, AREA_ALLOCATE);
}

void probe_create_odd(struct finding *f)
{
    try_sizes(f, AREA_CREATE);
}

void probe_dynamic_odd(struct finding *f)
{
    try_sizes(f, AREA_DYNAMIC);
}

void probe_shared_odd(struct finding *f)
{
    if (job->nodes > 1)
        leave_out(f, "the ranks are on several nodes");
    else
        try_sizes(f, AREA_SHARED);
}

/* ---------------------------------------------------------------- one process ------ */

void probe_create_one(struct finding *f)
{
    MPI_Win win;
    MPI_Comm self;
    long memory[8] = {0}, value = 5;
    if (!area_possible(f)) return;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    int rc = MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, self, &win);
    if (area_call(f, rc, "MPI_Win_create on one process")) {
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        MPI_Win_lock_all(0, win);
        MPI_Put(&value, sizeof value, MPI_BYTE, 0, 8, sizeof value, MPI_BYTE, win);
        MPI_Win_flush(0, win);
        MPI_Win_sync(win);
        found(f, memory[1] == value, "put to itself");
        MPI_Win_unlock_all(win);
        MPI_Win_free(&win);
    }
    MPI_Comm_free(&self);
    tell(f, "on a communicator of one process");
}

/* ---------------------------------------------------------------- how many --------- */

enum { MOST_WINDOWS = 256 };

void probe_many_windows(struct finding *f)
{
    static MPI_Win win[MOST_WINDOWS];
    char *base;
    int n = 0, any = 0;
    double begun = now();
    if (!area_possible(f)) return;
    while (n < MOST_WINDOWS && !any && !over(begun, 3)) {
        int rc = MPI_Win_allocate(4096, 1, MPI_INFO_NULL, job->comm, &base, &win[n]),
            failed = rc != MPI_SUCCESS;
        MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, job->comm);
        if (any)
            area_call(f, rc, "MPI_Win_allocate");
        else
            n++;
    }
    double made = now() - begun;
    for (int i = 0; i < n; i++)
        MPI_Win_free(&win[i]);
    found(f, n >= 64 || made > 2.9, "only %d windows at once", n);
    tell(f, "%d at once, %.2f ms each", n, n ? 1000 * made / n : 0.0);
}

/* ---------------------------------------------------------------- groups ----------- */

/* The two groups must create windows at the same moment, which takes some attempts. */
enum { GROUP_WINDOWS = 400, GROUP_BYTES = 4096 };
static const double GROUP_SECONDS = 2;

/* Count bytes of the slice that differ from its owner's pattern. */
static long count_foreign(const char *slice, int stamp)
{
    long n = 0;
    for (int i = 0; i < GROUP_BYTES; i++)
        n += slice[i] != (char)stamp;
    return n;
}

/* Both halves create windows at the same time, until there are enough, the time is over, or one
 * half gets none. A window that only the other half got is not freed: not all of its ranks need
 * have it. */
static int make_windows(struct finding *f, MPI_Comm half, char **base, MPI_Win *win)
{
    enum { GO_ON, ENOUGH, FAILED };
    double end = MPI_Wtime() + GROUP_SECONDS;
    for (int n = 0;; n++) {
        int all, mine = n + 1 == GROUP_WINDOWS || MPI_Wtime() > end ? ENOUGH : GO_ON;
        int rc = MPI_Win_allocate(GROUP_BYTES, 1, MPI_INFO_NULL, half, &base[n], &win[n]);
        if (!area_call(f, rc, "MPI_Win_allocate in a group")) mine = FAILED;
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, job->comm);
        if (all != GO_ON) return all == FAILED ? n : n + 1;
    }
}

/* Each half creates windows, fills its slices, and checks them when both have done so. */
void probe_group_windows(struct finding *f)
{
    MPI_Comm half;
    static MPI_Win win[GROUP_WINDOWS];
    char *base[GROUP_WINDOWS];
    int color = job->rank < job->size / 2, stamp = job->rank + 1;
    if (!area_possible(f)) return;
    if (job->size < 4) {
        leave_out(f, "needs 4 ranks");
        return;
    }
    MPI_Comm_split(job->comm, color, job->rank, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    int n = make_windows(f, half, base, win);
    for (int i = 0; i < n; i++)
        memset(base[i], stamp, GROUP_BYTES);
    MPI_Barrier(job->comm);
    for (int i = 0; i < n; i++)
        found(f, count_foreign(base[i], stamp) == 0, "window %d of a group has %ld foreign bytes",
              i, count_foreign(base[i], stamp));
    MPI_Barrier(job->comm);
    for (int i = 0; i < n; i++)
        MPI_Win_free(&win[i]);
    MPI_Comm_free(&half);
    tell(f, "%d windows in each of two groups", n);
}
