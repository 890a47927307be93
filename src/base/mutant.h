/* mutant.h - planted faults, to test the tests (configure --enable-mutants); in a normal build armcii_mutant() is
 * constant false. */
#ifndef ARMCII_MUTANT_H
#define ARMCII_MUTANT_H

#include <stdbool.h>

#ifdef HAVE_CONFIG_H
#include "config-build.h" /* ARMCII_MUTANTS */
#endif

#ifdef ARMCII_MUTANTS
/* Is the fault `name` switched on (environment ARMCI_MUTANT=name)? */
bool armcii_mutant(const char *name);
#else
static inline bool armcii_mutant(const char *name)
{
    (void)name;
    return false;
}
#endif

#endif
