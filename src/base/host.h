/* host.h - which processes share a host. */
#ifndef ARMCII_HOST_H
#define ARMCII_HOST_H

#include <stdint.h>

/* Processes with the same id run on one kernel under one host name and in the same namespaces. 0:
 * unknown. */
uint64_t armcii_host_id(void);

#endif
