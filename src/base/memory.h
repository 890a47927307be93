/* memory.h - how much memory this node has left. */
#ifndef ARMCII_MEMORY_H
#define ARMCII_MEMORY_H

#include <stddef.h>

/* Bytes that can be allocated without swapping, as the system estimates; SIZE_MAX where it does not tell. */
size_t armcii_memory_available(void);

#endif
