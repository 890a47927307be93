/* supervise.h - one rank of a job: a keeper that knows no MPI, and a child that does everything and may die of it. */
#ifndef DOCTOR_SUPERVISE_H
#define DOCTOR_SUPERVISE_H

#include "options.h"

/* Run the job's part of this rank; the exit status. */
int supervise(const struct options *o);

#endif
