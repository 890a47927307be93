/* mutant.c - is a planted fault switched on?  Nothing is left of this in a normal build. */
#include "base/mutant.h"

#ifdef ARMCII_MUTANTS

#include "base/config.h"

#include <string.h>

bool armcii_mutant(const char *name)
{
    const char *wanted = armcii_config_test_variable("ARMCI_MUTANT");

    return wanted != NULL && strcmp(wanted, name) == 0;
}

#endif
