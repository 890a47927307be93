/* solo.c - how sections without the lock end. */
#define _GNU_SOURCE
#include "base/solo.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"

static bool ended; /* protected by the lock */

/* membarrier_cmd of the kernel, which older headers do not declare. */
enum { QUERY = 0, PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static long membarrier(int command)
{
#ifdef SYS_membarrier
    return syscall(SYS_membarrier, command, 0, 0);
#else
    (void)command;
    return -1;
#endif
}

/* Registering is left to the end: it takes milliseconds in a process with threads. */
void armcii_solo_start(void)
{
    const long needed = REGISTER_PRIVATE_EXPEDITED | PRIVATE_EXPEDITED;
    long has = membarrier(QUERY);
    if (ended || has < 0 || (has & needed) != needed) return;
    atomic_store(&armcii_lock.solo.thread, armcii_lock_thread_id());
}

void armcii_solo_stop(void)
{
    atomic_store(&armcii_lock.solo.thread, NULL);
}

void armcii_solo_end(void)
{
    ended = true;
    atomic_store(&armcii_lock.solo.thread, NULL);
    if (membarrier(REGISTER_PRIVATE_EXPEDITED) != 0 || membarrier(PRIVATE_EXPEDITED) != 0)
        armcii_fatal("membarrier(2) fails, against what the kernel says of it");
    while (atomic_load_explicit(&armcii_lock.solo.inside, memory_order_acquire))
        sched_yield();
}
