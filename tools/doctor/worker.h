/* worker.h - the process that calls MPI: it runs the probes and writes lines. */
#ifndef DOCTOR_WORKER_H
#define DOCTOR_WORKER_H

#include "options.h"
#include "probe.h"

/* Room for the address of a keeper. */
enum { ADDRESS_ROOM = 400 };

/* Exit status of a worker that called MPI_Abort. */
enum { WORKER_ABORTED = 71 };

/* Beginning of the text of a row whose probe got no window because MPI allows threads. */
#define WORKER_NO_WINDOWS "no windows where threads are allowed"

/* Start MPI, run all wanted probes, end MPI; the exit status.  `address`: where this rank's keeper
 * listens. */
int worker_run(const struct options *o, const char *address);
/* Called by the first probe: does MPI create windows? */
void worker_note_windows(bool possible);
/* Do the options select this probe? */
bool worker_wants(const struct options *o, const struct probe *p);

#endif
