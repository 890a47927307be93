/* rmw_check.h - read-modify-write under ARMCI_CHECK. */
#ifndef ARMCII_RMW_CHECK_H
#define ARMCII_RMW_CHECK_H

/* How ARMCI_Rmw is carried out: armcii_rmw, or, after this start with ARMCI_CHECK on, with a look before and after. */
extern int (*armcii_rmw_way)(const char *caller, int op, void *local, void *remote, int value, int target);
void armcii_rmw_check_start(void);

#endif
