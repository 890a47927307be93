/* fault.h - fault injection, which tests the tests (configure --enable-faults).  In a normal build armcii_fault() is constant false. */
#ifndef ARMCII_FAULT_H
#define ARMCII_FAULT_H

#include <stdbool.h>

#ifdef HAVE_CONFIG_H
#include "config-build.h" /* ARMCII_FAULTS */
#endif

#ifdef ARMCII_FAULTS
/* Is the fault `name` injected (environment ARMCI_FAULT=name)? */
bool armcii_fault(const char *name);
#else
static inline bool armcii_fault(const char *name)
{
    (void)name;
    return false;
}
#endif

#endif
