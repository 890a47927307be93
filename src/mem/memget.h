/* memget.h - memory that single processes add by themselves (ARMCI_Memget).  On one node it is memory that they offer to their neighbours,
 * who find it by its address.  Else there is a dynamic window over the world, made at start because making one is collective; addresses
 * reach other processes by the program's own messages. */
#ifndef ARMCII_MEMGET_H
#define ARMCII_MEMGET_H

#include <stdbool.h>
#include <stddef.h>

#include "mem/directory.h"

/* Collective over the world; the end after everything attached is done with. */
void armcii_memget_start(void);
void armcii_memget_end(void);

/* `bytes` of memory of this process that others reach after armcii_memget_learn; NULL when there is none. */
void *armcii_memget_create(size_t bytes);
/* false: not from armcii_memget_create. */
bool armcii_memget_free(void *memory);
/* [memory, memory + bytes) in `process` is such memory; false where it cannot be. */
bool armcii_memget_learn(int process, void *memory, size_t bytes);
/* Find the slice of `process` that holds address, as armcii_region_locate; where none does and this process uses memory of this kind,
 * take [address, address + bytes) for such memory: programs pass addresses on by themselves. */
bool armcii_memget_locate(int process, const void *address, size_t bytes, struct raddr *raddr);

#endif
