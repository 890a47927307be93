/* fault.c - selection of an injected fault; empty in a normal build. */
#include "base/fault.h"

#ifdef ARMCII_FAULTS

#include "base/config.h"

#include <string.h>

bool armcii_fault(const char *name)
{
    const char *wanted = armcii_config_test_variable("ARMCI_FAULT");

    return wanted != NULL && strcmp(wanted, name) == 0;
}

#endif
