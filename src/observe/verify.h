/* verify.h - the guard in production (ARMCI_VERIFY): every transfer is looked at a second time, and the first one that is proved wrong ends
 * the job.  Off, nothing of it is on any way: on, it stands in place of the engine's last step, and small operations lose their short
 * way.  What counts as a proof, and what goes unnoticed: doc/verify.md. */
#ifndef ARMCII_VERIFY_H
#define ARMCII_VERIFY_H

#include "core/op.h"

struct region;

/* Some process asked for it: the same on all. */
extern bool armcii_verify_is_on;

/* Collective over the world, the last step of the start and the first of the end; nothing where ARMCI_VERIFY is off.  The end lets rank 0
 * say, with ARMCI_VERBOSE, how much was checked. */
void armcii_verify_start(void);
void armcii_verify_end(void);

/* Collective over a region's team, right after its creation: do puts and gets reach the right bytes of the right process?  What the memory
 * holds is as before. */
void armcii_verify_region(const char *caller, struct region *region);

/* May only this process touch the remote bytes while it is in the library, whatever correct programs do?  Then what is wrong needs no
 * further proof. */
bool armcii_verify_is_alone(const struct raddr *raddr);

/* Operations checked; those that looked different, where it could not be told from what other processes did. */
struct verify_counts {
    long checked, unclear;
};
extern struct verify_counts armcii_verify_counts;

/* ---- rmw verify ---- */

/* Read-modify-write under ARMCI_CHECK. */

/* How ARMCI_Rmw is carried out: armcii_rmw, or, after this start with ARMCI_CHECK on, with a look before and after. */
extern int (*armcii_rmw_fn)(const char *caller, int op, void *local, void *remote, int value, int target);
void armcii_rmw_verify_start(void);

#endif
