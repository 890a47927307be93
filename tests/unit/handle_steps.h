/* handle_steps.h - common part of the tests of handles: a job with two regions, and calls that must
 * succeed. */
#ifndef HANDLE_STEPS_H
#define HANDLE_STEPS_H

#include <armci.h>

#include "fake_job.h"

enum { STEP_BYTES = 1 << 16, STEP_VALUES = 1024, THEM = 1, THIRD = 2 };

/* Process 0 of 4; two regions (windows 0 and 1) of STEP_BYTES bytes; step_value[i] is 1000 + i. */
extern struct region *step_region, *step_other;
extern int step_value[STEP_VALUES];
void steps_begin(void);

/* An address in step_region, and the int at it. */
char *there(int process, size_t offset);
int int_there(int process, size_t offset);

/* A put of step_value[i]; an accumulate of `bytes` bytes of ints, times *scale, to THEM.  Both to
 * an offset of step_region. */
struct op put_int(int i, int process, size_t offset);
struct op scaled(const int *scale, size_t offset, void *local, size_t bytes);

/* A handle without operations, plain or aggregate. */
armci_hdl_t fresh(void);
armci_hdl_t aggregate(void);

void start(armci_hdl_t *handle, struct op t);
void start_value(armci_hdl_t *handle, struct op t);
void wait_for(armci_hdl_t *handle);
/* As ARMCI_WaitAll. */
void wait_all(void);

#endif
