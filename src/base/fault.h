/* fault.h - injected faults, to test the tests (configure --enable-faults); in a normal build armcii_fault() is
 * constant false. */
#ifndef ARMCII_FAULT_H
#define ARMCII_FAULT_H

#include <stdbool.h>

#ifdef HAVE_CONFIG_H
#include "config-build.h" /* ARMCII_FAULTS */
#endif

#ifdef ARMCII_FAULTS
/* Is the fault `name` switched on (environment ARMCI_FAULT=name)? */
bool armcii_fault(const char *name);
#else
static inline bool armcii_fault(const char *name)
{
    (void)name;
    return false;
}
#endif

#endif
