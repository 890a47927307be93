/* forced.h - ARMCI with each path forced in turn, and whether one of them is better than the default. */
#ifndef DOCTOR_FORCED_H
#define DOCTOR_FORCED_H

#include "probe.h"
#include "use.h"

/* The probes "path.": each runs with the settings of its name. */
void probe_forced(struct finding *f);
/* The cost of the path in use; filled by its probes. */
struct cost *cost_in_use(void);
/* Is a path that was correct and measured clearly better? Then write advice. */
void probe_advice(struct finding *f);

#endif
