/* check.h - the guard in production (ARMCI_CHECK): every transfer is looked at a second time, and the first one that is proved wrong ends
 * the job.  Off, nothing of it is on any way: on, it stands in the place of the engine's last step, and small operations lose their short
 * way.  What counts as a proof, and what goes unnoticed: doc/guard.md. */
#ifndef ARMCII_CHECK_H
#define ARMCII_CHECK_H

#include "xfer/transfer.h"

struct region;

/* Some process asked for it: the same on all. */
extern bool armcii_check_is_on;

/* Collective over the world, the last step of the start and the first of the end; nothing where ARMCI_CHECK is off.  The end lets rank 0
 * say, with ARMCI_VERBOSE, how much was checked. */
void armcii_check_start(void);
void armcii_check_end(void);

/* Collective over a region's team, right after its creation: do puts and gets reach the right bytes of the right process?  What the memory
 * holds is as before. */
void armcii_check_region(const char *caller, struct region *region);

/* May only this process touch the remote bytes while it is in the library, whatever correct programs do?  Then what is wrong needs no
 * further proof. */
bool armcii_check_is_alone(const struct place *place);

/* Operations checked; those that looked different, where it could not be told from what other processes did. */
struct check_counts {
    long checked, unclear;
};
extern struct check_counts armcii_check_counts;

#endif
