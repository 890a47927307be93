/* segment.c - anonymous files that the processes of a node share. */
#define _GNU_SOURCE
#include "transport/shm/segment.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/coll.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

/* Batch systems may limit the size of files; exceeding the limit ends the process (SIGXFSZ). */
static bool is_within_limit(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

int armcii_segment_descriptor(size_t bytes)
{
    int fd = is_within_limit(bytes) ? memfd_create("armci", MFD_CLOEXEC) : -1;
    if (fd < 0) return -1;
    if (ftruncate(fd, (off_t)bytes) == 0) return fd;
    close(fd);
    return -1;
}

static int open_handle(const struct segment_handle *handle)
{
    char path[64];
    struct stat status;
    if (handle->descriptor < 0) return -1;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", handle->process, handle->descriptor);
    int fd = handle->passed_by[0] ? armcii_pass_receive(handle->passed_by, handle->descriptor,
                                                        handle->device, handle->inode)
                                  : open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return -1;
    if (fstat(fd, &status) == 0 && status.st_dev == handle->device &&
        status.st_ino == handle->inode)
        return fd;
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
    armcii_pass_name(handle.passed_by);
    return handle;
}

int armcii_segment_share(size_t bytes, MPI_Comm comm)
{
    int rank, fd = -1;
    struct segment_handle handle = {0};
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        fd = armcii_segment_descriptor(bytes);
        handle = armcii_segment_handle(fd);
    }
    armcii_coll_bcast(&handle, (int)sizeof handle, 0, comm);
    return rank == 0 ? fd : open_handle(&handle);
}

/* With pages of 2 MiB, copies of many MiB take a quarter less time, random loads from a GiB a third
 * (measured).  Without free huge pages the kernel uses small ones. */
void *armcii_segment_map(int descriptor, size_t bytes)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    if (memory == MAP_FAILED) return NULL;
    if (bytes >= HUGE_PAGE) madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

char *armcii_segment_open(const struct segment_handle *segment, size_t bytes)
{
    int fd = open_handle(segment);
    char *memory = fd >= 0 ? armcii_segment_map(fd, bytes) : NULL;
    if (fd >= 0) close(fd);
    return memory;
}

bool armcii_segment_is_possible(MPI_Comm comm)
{
    int fd = armcii_segment_share(PAGE, comm);
    bool all = armcii_coll_all(fd >= 0, comm);
    if (fd >= 0) close(fd); /* all have opened it */
    return all;
}
