/* rmw_verify.h - read-modify-write under ARMCI_VERIFY. */
#ifndef ARMCII_RMW_VERIFY_H
#define ARMCII_RMW_VERIFY_H

/* How ARMCI_Rmw is carried out: armcii_rmw, or, after this start with ARMCI_VERIFY on, with a look before and after. */
extern int (*armcii_rmw_fn)(const char *caller, int op, void *local, void *remote, int value, int target);
void armcii_rmw_verify_start(void);

#endif
