/* environment.h - the environment: what the launcher sets, and variables that a probe sets for a
 * time. No other file reads it. */
#ifndef DOCTOR_ENVIRONMENT_H
#define DOCTOR_ENVIRONMENT_H

#include <stdbool.h>

/* Did an MPI launcher start this process? */
bool environment_has_launcher(void);
/* The rank before MPI_Init, by the launcher's variables; 0 if they do not name it. */
int environment_rank(void);

/* Set a variable ("NAME=VALUE") until environment_restore; at most 4 at a time. */
void environment_set(const char *setting);
void environment_restore(void);

#endif
