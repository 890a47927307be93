/* pass.h - passing descriptors to other processes of the node where the kernel does not let them
 * open /proc/PID/fd: processes in user namespaces of their own, or with another view of /proc.
 *
 * A thread of the owner answers requests on a socket and sends descriptors (SCM_RIGHTS).  The
 * socket has an abstract name, so the processes must share a network namespace. */
#ifndef ARMCII_PASS_H
#define ARMCII_PASS_H

#include <stdbool.h>
#include <sys/types.h>

enum { PASS_NAME = 8 };

/* Starts the thread, if it does not run; false, without a message, where that is impossible. */
bool armcii_pass_start(void);
void armcii_pass_end(void);

/* The name of this process's socket; all zeros: it passes nothing. */
void armcii_pass_name(char name[PASS_NAME]);

/* A copy of a descriptor of the process with that name, if it is that file; -1 on failure. */
int armcii_pass_receive(const char name[PASS_NAME], int descriptor, dev_t device, ino_t inode);

#endif
