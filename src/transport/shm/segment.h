/* segment.h - memory that the processes of one node share: one segment, cut into a slice for each of them.
 *
 * Two kinds.  memfd: an anonymous file (memfd_create) which the first process makes and the others open through /proc: no name, nothing
 * left after a crash, not bounded by the size of /dev/shm, no window or context id of MPI spent.  mpi: MPI_Win_allocate_shared, for
 * systems where a process may not open another's descriptors. */
#ifndef ARMCII_SEGMENT_H
#define ARMCII_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mpi/window.h"

enum segment_kind { SEGMENT_NONE, SEGMENT_MEMFD, SEGMENT_MPI };

struct shm_segment {
    enum segment_kind kind;
    char *memory;         /* memfd: the mapping of the whole segment */
    size_t bytes;
    struct window window; /* mpi */
    int descriptor;       /* memfd; -1: closed */
};

/* Where to open a segment, and how to know that it is the right one: process numbers mean something else in another container. */
struct segment_handle {
    long process;
    int descriptor; /* -1: there is none */
    dev_t device;
    ino_t inode;
};

/* Collective over comm, whose members share memory.  sizes[i] is the slice of member i in bytes, the same on all members; slices[i]
 * becomes its address in this process, NULL for a slice of 0 bytes.  Slices are zero, begin on pages, and are placed where their owners
 * touch them first.  Returns 0, or nonzero on every member where the segment cannot be had. */
int armcii_segment_create(struct shm_segment *s, enum segment_kind kind, MPI_Comm comm, const size_t sizes[], char *slices[]);
/* The same, and other processes of the node may open the segment until armcii_segment_close. */
int armcii_segment_create_open(struct shm_segment *s, enum segment_kind kind, MPI_Comm comm, const size_t sizes[], char *slices[]);
void armcii_segment_close(struct shm_segment *s);
/* Collective over the same members, none of which uses the segment any more. */
void armcii_segment_free(struct shm_segment *s);

/* Collective over comm: can segments of that kind be had, and are they shared?  The same answer on every member. */
bool armcii_segment_try(enum segment_kind kind, MPI_Comm comm);

/* A descriptor of `bytes` bytes of anonymous memory; -1 where there is none. */
int armcii_segment_descriptor(size_t bytes);
/* To a descriptor of this process; .descriptor is -1 where it is none. */
struct segment_handle armcii_segment_handle(int descriptor);
/* A segment of another process, mapped here; NULL where it cannot be. */
char *armcii_segment_open(const struct segment_handle *segment, size_t bytes);
/* That memory in this process, in huge pages where it is long and the kernel has some; NULL where there is no room. */
void *armcii_segment_map(int descriptor, size_t bytes);

#endif
