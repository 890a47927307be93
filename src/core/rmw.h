/* rmw.h - atomic read-modify-write. */
#ifndef ARMCII_RMW_H
#define ARMCII_RMW_H

#include <stdbool.h>
#include <stddef.h>

/* For a valid op: the bytes of its operand, an int or a long; does it swap or add? */
size_t armcii_rmw_bytes(int op);
bool armcii_rmw_swaps(int op);

/* As ARMCI_Rmw; op and target are valid.  0 or an error code. */
int armcii_rmw(const char *caller, int op, void *local, void *remote, int value, int target);

#endif
