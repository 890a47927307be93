/* drive.h - the doctor started without a launcher: it starts MPI jobs until every probe has been tried. */
#ifndef DOCTOR_DRIVE_H
#define DOCTOR_DRIVE_H

#include "options.h"

/* Run the jobs and print the table; the exit status.  program: armci-doctor as it was called. */
int drive(const struct options *o, const char *program);

#endif
