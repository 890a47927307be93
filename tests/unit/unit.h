/* unit.h - the end of every unit test: its tests become a case of Check's, which is run. */
#ifndef UNIT_H
#define UNIT_H

#include <check.h>

/* A case of these tests, up to a NULL.  Timeouts, fixtures, and tests with more than a name are added by Check's own calls. */
TCase *unit_case(const TTest *const tests[]);

/* Run the case as a suite of that name and free it.  Returns the exit status of the program. */
int unit_run(const char *name, TCase *tests);

/* Before MPI_Init in a test: this process is a job by itself, without a daemon, and runs the tests without a fork. */
void unit_starts_mpi(void);

#endif
