/* segment.c - shared memory segments of a node. */
#define _GNU_SOURCE
#include "transport/shm/segment.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/world.h"

/* Large slices are aligned to huge pages. */
enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

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
    int fd = open(path, O_RDWR | O_CLOEXEC);
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

static int create_memfd(struct shm_segment *s, size_t bytes, MPI_Comm comm)
{
    int fd = armcii_segment_share(bytes, comm);
    void *memory = fd >= 0 ? armcii_segment_map(fd, bytes) : NULL;
    bool good = armcii_coll_all(memory != NULL, comm);
    if (good) {
        *s = (struct shm_segment){
            .kind = SEGMENT_MEMFD, .memory = memory, .bytes = bytes, .descriptor = fd};
        return 0;
    }
    if (fd >= 0) close(fd);
    if (memory) munmap(memory, bytes);
    return -1;
}

static size_t slice_unit(size_t bytes)
{
    return bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
}

static int create_memfd_slices(struct shm_segment *s, MPI_Comm comm, const size_t sizes[],
                               char *slices[])
{
    int members;
    MPI_Comm_size(comm, &members);
    size_t total = 0;
    for (int i = 0; i < members; i++)
        total = round_up(total, slice_unit(sizes[i])) + round_up(sizes[i], PAGE);
    int rc = create_memfd(s, total > 0 ? total : PAGE, comm); /* mmap rejects 0 bytes */
    if (rc) return rc;
    size_t at = 0;
    for (int i = 0; i < members; i++) {
        at = round_up(at, slice_unit(sizes[i]));
        slices[i] = sizes[i] > 0 ? s->memory + at : NULL;
        at += round_up(sizes[i], PAGE);
    }
    return 0;
}

static int create_mpi_slices(struct shm_segment *s, MPI_Comm comm, const size_t sizes[],
                             char *slices[])
{
    int rank, members;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &members);
    int rc = armcii_window_create(&s->window, sizes[rank], PAGE, WINDOW_MEMORY_SHARED, comm);
    if (rc) return rc;
    for (int i = 0; i < members; i++)
        slices[i] = sizes[i] > 0 ? armcii_window_shared_base(&s->window, i) : NULL;
    if (members == 1 && slices[0])
        memset(slices[0], 0, sizes[0]); /* in Open MPI plain memory, not a new mapping */
    return 0;
}

int armcii_segment_create_open(struct shm_segment *s, enum segment_kind kind, MPI_Comm comm,
                               const size_t sizes[], char *slices[])
{
    *s = (struct shm_segment){.kind = kind, .descriptor = -1};
    return kind == SEGMENT_MEMFD ? create_memfd_slices(s, comm, sizes, slices)
                                 : create_mpi_slices(s, comm, sizes, slices);
}

int armcii_segment_create_on_nodes(struct shm_segment *s, enum segment_kind kind, struct team *team,
                                   const size_t bytes[], char *slices[])
{
    bool one_node = armcii_world_is_one_node(team->size, team->to_world);
    MPI_Comm comm = one_node ? team->comm : armcii_team_scope_comm(team, TEAM_NODE);
    const struct scope *here = armcii_team_scope(team, TEAM_NODE);
    size_t n = (size_t)here->n;
    size_t *sizes = armcii_alloc(n, sizeof *sizes, "tables of %zu processes", n);
    char **mapped = armcii_alloc(n, sizeof *mapped, "tables of %zu processes", n);
    for (int i = 0; i < here->n; i++)
        sizes[i] = bytes[armcii_scope_member(here, i)];
    int failed = armcii_segment_create_open(s, kind, comm, sizes, mapped) != 0, any = failed;
    if (!one_node) armcii_coll_allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, team->comm);
    if (any && !failed) armcii_segment_free(s);
    for (int i = 0; i < team->size; i++)
        slices[i] = NULL;
    for (int i = 0; i < here->n && !any; i++)
        slices[armcii_scope_member(here, i)] = mapped[i];
    free(sizes);
    free(mapped);
    return any;
}

void armcii_segment_close(struct shm_segment *s)
{
    if (s->descriptor >= 0) close(s->descriptor);
    s->descriptor = -1;
}

int armcii_segment_create(struct shm_segment *s, enum segment_kind kind, MPI_Comm comm,
                          const size_t sizes[], char *slices[])
{
    int rc = armcii_segment_create_open(s, kind, comm, sizes, slices);
    if (rc == 0) armcii_segment_close(s);
    return rc;
}

void armcii_segment_free(struct shm_segment *s)
{
    armcii_segment_close(s);
    if (s->kind == SEGMENT_MEMFD) munmap(s->memory, s->bytes);
    if (s->kind == SEGMENT_MPI) armcii_window_free(&s->window);
    s->kind = SEGMENT_NONE;
}

/* Does each member see the stores of the others to their slices? */
static bool is_shared(char *const slices[], int rank, int members, MPI_Comm comm)
{
    bool good = true;
    *(volatile int *)slices[rank] = rank + 1;
    armcii_coll_barrier(comm);
    for (int i = 0; i < members; i++)
        if (*(volatile int *)slices[i] != i + 1) good = false;
    return armcii_coll_all(good, comm);
}

bool armcii_segment_try(enum segment_kind kind, MPI_Comm comm)
{
    int rank, members;
    struct shm_segment s;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &members);
    size_t *sizes = armcii_alloc((size_t)members, sizeof *sizes, "tables of %d processes", members);
    char **slices =
        armcii_alloc((size_t)members, sizeof *slices, "tables of %d processes", members);
    for (int i = 0; i < members; i++)
        sizes[i] = sizeof(int);
    bool good = armcii_segment_create(&s, kind, comm, sizes, slices) == 0;
    if (good) {
        good = is_shared(slices, rank, members, comm);
        armcii_segment_free(&s);
    }
    free(sizes);
    free(slices);
    return good;
}
