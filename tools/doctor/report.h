/* report.h - one document for a bug report, or for a volunteer who measures. */
#ifndef DOCTOR_REPORT_H
#define DOCTOR_REPORT_H

#include <stdio.h>

/* The document: what armci-info knows, the table, the probe, the routes, and the machine. */
void report_write(FILE *out);

#endif
