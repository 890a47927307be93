/* rmw.h - atomic read-modify-write. */
#ifndef ARMCII_RMW_H
#define ARMCII_RMW_H

/* As ARMCI_Rmw; the caller checked op and target.  0 or an error code. */
int armcii_rmw(const char *caller, int op, void *local, void *remote, int value, int target);

#endif
