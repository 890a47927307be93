/* fake_rdma.c - preloaded into a test program: a network that carries out by itself the MPI
 * operations that FAKE_RDMA names ("put,get accumulate,fetch"), without a call of the target. All
 * processes are on one machine, so the origin reads and writes the target's memory by
 * process_vm_readv and process_vm_writev. Other operations go to the MPI library. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct member {
    pid_t pid;
    char *base;
};

/* The windows of this process; the newest first. */
static struct fake_window {
    MPI_Win win;
    struct member *member;
    struct fake_window *next;
} * windows;

static bool carries(const char *operation)
{
    const char *list = getenv("FAKE_RDMA");
    return list && strstr(list, operation);
}

/* Bytes of n elements of a basic type; 0: it may have gaps. */
static size_t bytes_of(int n, MPI_Datatype type)
{
    int size, integers, addresses, types, combiner;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    MPI_Type_size(type, &size);
    return combiner == MPI_COMBINER_NAMED ? (size_t)n * (size_t)size : 0;
}

static const struct member *find(MPI_Win win, int target)
{
    const struct fake_window *w = windows;
    while (w && w->win != win)
        w = w->next;
    return w ? &w->member[target] : NULL;
}

/* Move `bytes` bytes between this process and displacement disp of the member. */
static void move(const struct member *to, MPI_Aint disp, void *local, size_t bytes, bool write)
{
    for (size_t done = 0; done < bytes;) {
        struct iovec here = {(char *)local + done, bytes - done},
                     there = {to->base + disp + done, bytes - done};
        ssize_t n = write ? process_vm_writev(to->pid, &here, 1, &there, 1, 0)
                          : process_vm_readv(to->pid, &here, 1, &there, 1, 0);
        if (n <= 0) {
            perror("fake_rdma");
            abort();
        }
        done += (size_t)n;
    }
}

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    int rc = PMPI_Win_create(base, size, unit, info, comm, win), members;
    if (rc != MPI_SUCCESS) return rc;
    struct fake_window *w = malloc(sizeof *w);
    struct member mine = {getpid(), base};
    PMPI_Comm_size(comm, &members);
    *w = (struct fake_window){*win, calloc((size_t)members, sizeof mine), windows};
    PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, w->member, sizeof mine, MPI_BYTE, comm);
    windows = w;
    return rc;
}

int MPI_Win_free(MPI_Win *win)
{
    struct fake_window **link = &windows;
    while (*link && (*link)->win != *win)
        link = &(*link)->next;
    if (*link) {
        struct fake_window *w = *link;
        *link = w->next;
        free(w->member);
        free(w);
    }
    return PMPI_Win_free(win);
}

int MPI_Put(const void *local, int n, MPI_Datatype type, int target, MPI_Aint disp, int there,
            MPI_Datatype type_there, MPI_Win win)
{
    const struct member *to = find(win, target);
    size_t bytes = bytes_of(n, type);
    if (!carries("put") || !to || bytes == 0 || bytes_of(there, type_there) != bytes)
        return PMPI_Put(local, n, type, target, disp, there, type_there, win);
    move(to, disp, (void *)local, bytes, true);
    return MPI_SUCCESS;
}

int MPI_Get(void *local, int n, MPI_Datatype type, int target, MPI_Aint disp, int there,
            MPI_Datatype type_there, MPI_Win win)
{
    const struct member *to = find(win, target);
    size_t bytes = bytes_of(n, type);
    if (!carries("get") || !to || bytes == 0 || bytes_of(there, type_there) != bytes)
        return PMPI_Get(local, n, type, target, disp, there, type_there, win);
    move(to, disp, local, bytes, false);
    return MPI_SUCCESS;
}

/* Sums of doubles and longs, not atomic: the library only probes them. */
static void add(const struct member *to, MPI_Aint disp, const void *value, void *old,
                MPI_Datatype type)
{
    union {
        double d;
        long l;
    } a, b;
    move(to, disp, &a, sizeof a, false);
    memcpy(&b, value, sizeof b);
    if (old) memcpy(old, &a, sizeof a);
    if (type == MPI_LONG)
        a.l += b.l;
    else
        a.d += b.d;
    move(to, disp, &a, sizeof a, true);
}

int MPI_Accumulate(const void *local, int n, MPI_Datatype type, int target, MPI_Aint disp,
                   int there, MPI_Datatype type_there, MPI_Op op, MPI_Win win)
{
    const struct member *to = find(win, target);
    if (!carries("accumulate") || !to || n != 1 || type != MPI_DOUBLE || op != MPI_SUM)
        return PMPI_Accumulate(local, n, type, target, disp, there, type_there, op, win);
    add(to, disp, local, NULL, type);
    return MPI_SUCCESS;
}

int MPI_Fetch_and_op(const void *local, void *old, MPI_Datatype type, int target, MPI_Aint disp,
                     MPI_Op op, MPI_Win win)
{
    const struct member *to = find(win, target);
    if (!carries("fetch") || !to || type != MPI_LONG || op != MPI_SUM)
        return PMPI_Fetch_and_op(local, old, type, target, disp, op, win);
    add(to, disp, local, old, type);
    return MPI_SUCCESS;
}
