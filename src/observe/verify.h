/* verify.h - verification in production (ARMCI_VERIFY): reads back every transfer and ends the job at the first that is proved wrong.
 * Every operation goes through the engine then, and by observed routes to these functions.  doc/verify.md describes what counts as a proof
 * and what stays undetected. */
#ifndef ARMCII_VERIFY_H
#define ARMCII_VERIFY_H

#include "transport/transport.h"

/* The same on all processes: on if any process requests it. */
extern bool armcii_verify_is_on;

/* Collective over the world.  With ARMCI_VERBOSE, rank 0 prints the counts at the end. */
void armcii_verify_start(void);
void armcii_verify_end(void);

/* Collective over the team of a new region that is not observed yet: check that puts and gets reach the right bytes of the right process.
 * Preserves the contents. */
void armcii_verify_region(const char *caller, struct region *region);

/* armcii_op_issue and armcii_rmw_issue between two readbacks; complete remotely on return. */
int armcii_verify_op(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi, struct request *req);
long armcii_verify_rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes, void *remote, long operand);

#endif
