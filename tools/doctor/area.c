/* area.c - windows of all kinds, with a model. */
#include "area.h"

#include <stdlib.h>
#include <string.h>

#include "probes.h"
#include "worker.h"

const char *area_kind_name(enum area_kind kind)
{
    static const char *const names[] = {
        [AREA_ALLOCATE] = "MPI_Win_allocate",
        [AREA_CREATE] = "MPI_Win_create",
        [AREA_SHARED] = "MPI_Win_allocate_shared",
        [AREA_DYNAMIC] = "MPI_Win_create_dynamic",
    };
    return names[kind];
}

enum area_kind area_used(void)
{
    return !job->probing && job->nodes == 1 && use.quirks.shared_windows_on_one_node
               ? AREA_SHARED
               : AREA_ALLOCATE;
}

bool area_possible(struct finding *f)
{
    if (job->windows) return true;
    leave_out(f, WORKER_NO_WINDOWS " (ARMCI_PROGRESS=none: none are)");
    return false;
}

bool area_call(struct finding *f, int rc, const char *call)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (rc == MPI_SUCCESS) return true;
    MPI_Error_string(rc, text, &length);
    text[strcspn(text, "\n")] = '\0';
    return found(f, false, "%s: %.140s", call, text);
}

static int open_window(struct area *a)
{
    a->own = NULL;
    if (a->kind == AREA_ALLOCATE)
        return MPI_Win_allocate(a->bytes, 1, MPI_INFO_NULL, job->comm, &a->slice, &a->win);
    if (a->kind == AREA_SHARED)
        return MPI_Win_allocate_shared(a->bytes, 1, MPI_INFO_NULL, job->comm, &a->slice, &a->win);
    a->own = aligned_alloc(64, ((size_t)a->bytes + 127) & ~(size_t)63);
    a->slice = a->own;
    if (a->kind == AREA_CREATE)
        return MPI_Win_create(a->slice, a->bytes, 1, MPI_INFO_NULL, job->comm, &a->win);
    int rc = MPI_Win_create_dynamic(MPI_INFO_NULL, job->comm, &a->win);
    return rc == MPI_SUCCESS ? MPI_Win_attach(a->win, a->slice, a->bytes) : rc;
}

static void fill(char *slice, int bytes, int rank)
{
    for (int i = 0; i < bytes; i++)
        slice[i] = (char)(i * 7 + rank * 31 + 1);
}

/* Offset of displacements in the target's slice: 0, or its address in a dynamic window. */
static void exchange(struct area *a)
{
    MPI_Aint own = 0;
    if (a->kind == AREA_DYNAMIC) MPI_Get_address(a->slice, &own);
    MPI_Sendrecv(&own, 1, MPI_AINT, job->origin, 1, &a->origin, 1, MPI_AINT, job->target, 1,
                 job->comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&a->bytes, 1, MPI_INT, job->origin, 1, &a->there, 1, MPI_INT, job->target, 1,
                 job->comm, MPI_STATUS_IGNORE);
}

bool area_open(struct area *a, enum area_kind kind, int bytes, struct finding *f)
{
    *a = (struct area){.kind = kind, .bytes = bytes};
    int rc = open_window(a), failed = rc != MPI_SUCCESS, any;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, job->comm);
    if (any) {
        area_call(f, rc, area_kind_name(kind));
        free(a->own);
        return false;
    }
    MPI_Win_set_errhandler(a->win, MPI_ERRORS_RETURN);
    exchange(a);
    a->mirror = malloc((size_t)a->there + 64);
    fill(a->slice, bytes, job->rank);
    fill(a->mirror, a->there, job->target);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, a->win);
    MPI_Win_sync(a->win);
    MPI_Barrier(job->comm);
    return true;
}

void area_close(struct area *a)
{
    MPI_Barrier(job->comm);
    MPI_Win_unlock_all(a->win);
    if (a->kind == AREA_DYNAMIC) MPI_Win_detach(a->win, a->slice);
    MPI_Win_free(&a->win);
    free(a->own);
    free(a->mirror);
}

bool area_matches(struct area *a, int *at)
{
    char *seen = malloc((size_t)a->there + 1);
    MPI_Sendrecv(NULL, 0, MPI_CHAR, job->target, 2, NULL, 0, MPI_CHAR, job->origin, 2, job->comm,
                 MPI_STATUS_IGNORE);
    MPI_Win_sync(a->win);
    MPI_Sendrecv(a->slice, a->bytes, MPI_CHAR, job->origin, 3, seen, a->there, MPI_CHAR,
                 job->target, 3, job->comm, MPI_STATUS_IGNORE);
    int i = 0;
    while (i < a->there && seen[i] == a->mirror[i])
        i++;
    if (i < a->there) {
        *at = i;
        memcpy(a->mirror, seen, (size_t)a->there); /* report an error only once */
    }
    free(seen);
    return i >= a->there;
}
