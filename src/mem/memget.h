/* memget.h - memory that single processes allocate (ARMCI_Memget). It is in the
 * arena, where the other processes of the node find it by its address. Without an arena it is
 * attached to a dynamic window over the world, created at start since the creation is collective;
 * the program passes addresses to other processes. */
#ifndef ARMCII_MEMGET_H
#define ARMCII_MEMGET_H

#include <stdbool.h>
#include <stddef.h>

#include "mem/directory.h"

/* Collective over the world; the end requires that no process uses such memory any more. */
void armcii_memget_start(void);
void armcii_memget_end(void);
/* The region of such memory; NULL if there is none. */
struct region *armcii_memget_region(void);

/* Allocate memory that other processes access after armcii_memget_learn; NULL: out of memory, or no
 * dynamic window. */
void *armcii_memget_create(size_t bytes);
/* false: memory is not from armcii_memget_create. */
bool armcii_memget_free(void *memory);
/* Declare [memory, memory + bytes) of `process` as such memory; false if it cannot be. */
bool armcii_memget_learn(int process, void *memory, size_t bytes);

#endif
