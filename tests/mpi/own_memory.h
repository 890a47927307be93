/* own_memory.h - bytes that the library has allocated for itself: what is called from within
 * libarmci is counted. */
#ifndef OWN_MEMORY_H
#define OWN_MEMORY_H

/* Before ARMCI starts; what was allocated earlier does not count. */
void own_memory_start(void);
/* Now, and at most so far. */
long own_memory_in_use(void);
long own_memory_most(void);

#endif
