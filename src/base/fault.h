/* fault.h - fault injection, which tests the tests (configure --enable-faults). */
#ifndef ARMCII_FAULT_H
#define ARMCII_FAULT_H

#include <stdbool.h>

#ifdef HAVE_CONFIG_H
#include "config-build.h" /* ARMCII_FAULTS */
#endif

#ifdef ARMCII_FAULTS
#include "base/config.h"

#include <string.h>
#endif

/* Is the fault `name` injected (environment ARMCI_FAULT=name)? Constant false in a normal build.
 */
static inline bool armcii_fault(const char *name)
{
#ifdef ARMCII_FAULTS
    const char *wanted = armcii_config_variable("ARMCI_FAULT");
    return wanted != NULL && strcmp(wanted, name) == 0;
#else
    (void)name;
    return false;
#endif
}

#endif
