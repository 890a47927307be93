/* verify.h - verification in production (ARMCI_VERIFY): reads back every transfer and ends the job at the first that is proved wrong.
 * It replaces armcii_op_issue and armcii_rmw_fn and disables the fast path of small operations; off, it costs nothing.  doc/verify.md
 * describes what counts as a proof and what stays undetected. */
#ifndef ARMCII_VERIFY_H
#define ARMCII_VERIFY_H

#include "core/op.h"

struct region;

/* The same on all processes: on if any process requests it. */
extern bool armcii_verify_is_on;

/* Collective over the world, the last step of the start and the first of the end.  With ARMCI_VERBOSE, rank 0 prints the counts at the
 * end. */
void armcii_verify_start(void);
void armcii_verify_end(void);

/* Collective over the team of a new region: check that puts and gets reach the right bytes of the right process.  Preserves
 * the contents. */
void armcii_verify_region(const char *caller, struct region *region);

/* Operations checked; those that differed, possibly since other processes changed the bytes. */
struct verify_counts {
    long checked, unclear;
};
extern struct verify_counts armcii_verify_counts;

/* ---- verified read-modify-write ---- */

/* The implementation of ARMCI_Rmw: armcii_rmw, or, after armcii_rmw_verify_start with verification on, armcii_rmw between two readbacks. */
extern int (*armcii_rmw_fn)(const char *caller, int op, void *local, void *remote, int value, int target);
void armcii_rmw_verify_start(void);

#endif
