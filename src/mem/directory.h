/* directory.h - what is where: the slices of all regions, found by process and address.
 * Callers never see how a region is reachable but through the raddr that armcii_region_locate gives, and region->window. */
#ifndef ARMCII_DIRECTORY_H
#define ARMCII_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/window.h"
#include "transport/shm/segment.h"
#include "mpi/team.h"

/* Who serves a slice to processes of other nodes (transport/am/server.h). */
struct served {
    int server;     /* rank of the world */
    int64_t delta; /* from the owner's addresses to the server's */
};

struct region {
    uint64_t id;             /* never used twice in this process */
    struct team *team;
    struct shm_segment segment;  /* the memory of this node's members; kind SEGMENT_NONE: the window has it */
    bool has_window;         /* false: all members are on one node and share a segment */
    struct window window;
    char **base;             /* [team size]; NULL for a slice of 0 bytes */
    char **mapped;           /* [team size]; where the slice is in this process; NULL: on another node */
    struct served *served;   /* [team size]; who serves the slice to other nodes; NULL: nobody, there is a window or one node only */
    size_t *bytes;           /* [team size] */
    size_t *lead;            /* [team size]; displacement of base */
    size_t total;            /* bytes of all slices; at most SIZE_MAX */
    size_t reserved;         /* bytes that this process counts as given out for it (transport/shm/reservation.h) */
    int dirty;               /* processes towards which something is pending (transport/rma/pending.h) */
    int mode;                /* access mode: ARMCIX_MODE_... */
    bool attached;           /* the region of ARMCI_Memget: displacements are addresses */
    struct region *previous, *next; /* all regions, oldest first */
};

/* Where an address of a process lies. */
struct raddr {
    struct region *region;
    int rank;                /* of the process in the region's window */
    char *lo, *hi;           /* the slice */
    char *origin;            /* the address there with displacement 0 */
    char *mapped;            /* where lo is in this process; NULL: out of reach of loads and stores */
    bool served;             /* by a server: which, and from the target's addresses to the server's */
    int server;
    int64_t delta;
};

void armcii_directory_start(void);
void armcii_directory_end(void);

/* [base, base + bytes) in `process` (a rank of the world) belongs to region, and is at `mapped` in this process (NULL: nowhere); replaces
 * what is known of those addresses. */
void armcii_directory_add(int process, void *base, size_t bytes, struct region *region, char *mapped);
/* Forget the region's slice there, unless it has been replaced. */
void armcii_directory_remove(int process, void *base, const struct region *region);

/* Counts changes: a raddr found before is good as long as it stays the same. */
extern unsigned armcii_directory_version;

/* Find the slice of `process` that holds address; false, *raddr untouched, when none does. */
bool armcii_region_locate(int process, const void *address, struct raddr *raddr);

#endif
