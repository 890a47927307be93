/* segment.c - anonymous files that the processes of a node share. */
#define _GNU_SOURCE
#include "node/segment.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"

#include "mpi/coll.h"
#include "node/pass.h"

/* Batch systems may limit the size of files; exceeding the limit ends the process (SIGXFSZ). */
static bool is_within_limit(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

int armcii_segment_descriptor(size_t bytes)
{
    int fd =
        is_within_limit(bytes) ? armcii_system_descriptor(memfd_create("armci", MFD_CLOEXEC)) : -1;
    if (fd < 0) return -1;
    if (ftruncate(fd, (off_t)bytes) == 0) return fd;
    close(fd);
    return -1;
}

struct segment_handle armcii_segment_handle(int fd)
{
    struct stat status;
    struct segment_handle handle = {.process = (long)getpid(), .descriptor = -1};
    if (fd < 0 || fstat(fd, &status) != 0) return handle;
    handle.descriptor = fd;
    handle.device = status.st_dev;
    handle.inode = status.st_ino;
    return handle;
}

/* The descriptor if it is the segment; else -1, and it is closed. */
static int verify(int fd, const struct segment_handle *handle)
{
    struct stat status;
    if (fd < 0) return -1;
    if (fstat(fd, &status) == 0 && status.st_dev == handle->device &&
        status.st_ino == handle->inode)
        return fd;
    close(fd);
    return -1;
}

int armcii_segment_open(const struct segment_handle *handle)
{
    char path[64];
    if (handle->descriptor < 0) return -1;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", handle->process, handle->descriptor);
    return verify(armcii_system_descriptor(open(path, O_RDWR | O_CLOEXEC)), handle);
}

/* ---- sharing ---- */

/* Of the first member: the descriptor, and how the others open it. */
static int create(size_t bytes, struct segment_handle *handle)
{
    int fd = armcii_segment_descriptor(bytes);
    *handle = armcii_segment_handle(fd);
    return fd;
}

/* The descriptor of the first member; -1 on all members if one of them does not get it. */
static int pass(int fd, const struct segment_handle *handle, bool first, MPI_Comm comm)
{
    if (!armcii_pass(&fd, 1, comm)) fd = first ? fd : -1;
    if (!first) fd = verify(fd, handle);
    if (armcii_coll_all(fd >= 0, comm)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

int armcii_segment_share(size_t bytes, MPI_Comm comm, enum obstacle *obstacle)
{
    int rank, fd = -1;
    struct segment_handle handle = {0};
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) fd = create(bytes, &handle);
    armcii_coll_bcast(&handle, (int)sizeof handle, 0, comm);
    if (rank > 0) fd = armcii_segment_open(&handle);
    if (armcii_coll_all(fd >= 0, comm)) return fd;
    if (rank > 0 && fd >= 0) close(fd);
    fd = handle.descriptor < 0 ? -1 : pass(rank == 0 ? fd : -1, &handle, rank == 0, comm);
    if (fd < 0) *obstacle = handle.descriptor < 0 ? OBSTACLE_FILE : OBSTACLE_PASSAGE;
    return fd;
}
