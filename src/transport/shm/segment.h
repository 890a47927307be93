/* segment.h - shared memory segments of a node, with a slice for each process.
 *
 * There are two kinds.  memfd: an anonymous file (memfd_create) that the first process creates and
 * the others open through /proc.  It has no name, leaves nothing after a crash, is not limited by
 * the size of /dev/shm and uses no MPI window or context id.  mpi: MPI_Win_allocate_shared, for
 * systems where a process may not open the descriptors of another. */
#ifndef ARMCII_SEGMENT_H
#define ARMCII_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mpi/team.h"
#include "mpi/window.h"

enum segment_kind { SEGMENT_NONE, SEGMENT_MEMFD, SEGMENT_MPI };

struct shm_segment {
    enum segment_kind kind;
    char *memory; /* memfd: the mapping of the whole segment */
    size_t bytes;
    struct window window; /* mpi */
    int descriptor;       /* memfd; -1: closed */
};

/* Where to open a segment.  Device and inode verify it, because process ids differ between
 * containers. */
struct segment_handle {
    long process;
    int descriptor; /* -1: invalid */
    dev_t device;
    ino_t inode;
};

/* Collective over comm, whose members share memory.  sizes[i] is the size of the slice of member i,
 * the same on all members; slices[i] becomes its address in this process, or NULL for 0 bytes.
 * Slices are zero and begin on pages; first touch places them.  Returns 0 or, on every member,
 * nonzero on failure. */
int armcii_segment_create(struct shm_segment *s, enum segment_kind kind, MPI_Comm comm,
                          const size_t sizes[], char *slices[]);
/* The same, but other processes of the node may open the segment until armcii_segment_close. */
int armcii_segment_create_open(struct shm_segment *s, enum segment_kind kind, MPI_Comm comm,
                               const size_t sizes[], char *slices[]);
void armcii_segment_close(struct shm_segment *s);
/* The same, collective over a team: one segment on each node of its members.  bytes[i], the same on
 * all members, and slices[i] are member i's; those of other nodes become NULL. */
int armcii_segment_create_on_nodes(struct shm_segment *s, enum segment_kind kind, struct team *team,
                                   const size_t bytes[], char *slices[]);
/* Collective over the same members; none uses the segment any more. */
void armcii_segment_free(struct shm_segment *s);

/* Collective over comm: does this kind of segment work?  The result is the same on every member. */
bool armcii_segment_try(enum segment_kind kind, MPI_Comm comm);

/* A new descriptor of `bytes` of anonymous memory; -1 on failure. */
int armcii_segment_descriptor(size_t bytes);
/* Collective over comm, whose members share memory: descriptors of `bytes` > 0 of the same
 * anonymous memory; -1 on a member that fails. */
int armcii_segment_share(size_t bytes, MPI_Comm comm);
/* The handle of a descriptor of this process; .descriptor is -1 if it is invalid. */
struct segment_handle armcii_segment_handle(int descriptor);
/* Maps a segment of another process; NULL on failure. */
char *armcii_segment_open(const struct segment_handle *segment, size_t bytes);
/* Maps a descriptor, with huge pages if it is large; NULL on failure. */
void *armcii_segment_map(int descriptor, size_t bytes);

#endif
