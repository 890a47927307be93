/* worker.h - the process that calls MPI: it runs the probes and writes lines. */
#ifndef DOCTOR_WORKER_H
#define DOCTOR_WORKER_H

#include "options.h"
#include "probe.h"

/* Exit status of a worker in which somebody called MPI_Abort. */
enum { WORKER_ABORTED = 71 };

/* How a row begins whose probe had no window, since MPI allows threads here. */
#define WORKER_NO_WINDOWS "no windows where threads are allowed"

/* Start MPI, run all wanted probes, end MPI; the exit status.  `address`: where this rank's keeper listens
 * (lifeline.h). */
int worker_run(const struct options *o, const char *address);
/* The first probe found out whether MPI makes windows. */
void worker_note_windows(bool possible);
/* Is this probe asked for? */
bool worker_wants(const struct options *o, const struct probe *p);

#endif
