/* affinity.h - the processors of the progress thread.
 *
 * It sleeps on the processor of the program's thread. On another processor, where
 * another process runs, it may wait for most of a millisecond after each wakeup: the kernel shares
 * processors between sessions and control groups first. Measured without the binding: the first
 * operation after a silence takes 9 times as long. */
#ifndef ARMCII_AFFINITY_H
#define ARMCII_AFFINITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ask the next progress thread to run within the mask `of_job`, on cores that have no processor of
 * the mask `taken`. If the kernel allows such a processor, the thread polls there without sleeping.
 */
void armcii_affinity_avoid(const uint64_t *taken, const uint64_t *of_job, size_t words);
/* Note the calling thread as the program's. */
void armcii_affinity_init(void);
/* True if there is such a processor, which the calling progress thread then takes. */
bool armcii_affinity_take_processor(void);
/* Allow the calling progress thread the processors of the program's thread instead. */
void armcii_affinity_return_processor(void);
/* Bind the calling progress thread to the processor of the program's thread; allow all processors
 * again; move there, unbound. */
void armcii_affinity_bind(void);
void armcii_affinity_unbind(void);
void armcii_affinity_migrate(void);

#endif
