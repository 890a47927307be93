/* directory.h - what is where: the slices of all regions, found by process and address.
 * Callers never see how a region is reachable but through region->window and the place that armcii_region_locate gives. */
#ifndef ARMCII_DIRECTORY_H
#define ARMCII_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/window.h"
#include "team/team.h"

struct region {
    uint64_t id;             /* never used twice in this process */
    struct team *team;
    struct window window;
    char **base;             /* [team size]; NULL for a slice of 0 bytes */
    size_t *bytes;           /* [team size] */
    size_t *lead;            /* [team size]; displacement of base */
    int mode;                /* access mode: ARMCIX_MODE_... */
    bool attached;           /* the region of ARMCI_Memget: displacements are addresses */
    struct region *previous, *next; /* all regions, oldest first */
};

/* Where an address of a process lies. */
struct place {
    struct region *region;
    int rank;                /* of the process in the region's window */
    char *lo, *hi;           /* the slice */
    char *origin;            /* the address there with displacement 0 */
};

void armcii_directory_start(void);
void armcii_directory_end(void);

/* [base, base + bytes) in `process` (a rank of the world) belongs to region; replaces what is known of those addresses. */
void armcii_directory_add(int process, void *base, size_t bytes, struct region *region);
/* Forget it. */
void armcii_directory_remove(int process, void *base, size_t bytes);

/* Find the slice of `process` that holds address; false, *place untouched, when none does. */
bool armcii_region_locate(int process, const void *address, struct place *place);

#endif
