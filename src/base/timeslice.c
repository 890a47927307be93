/* timeslice.c - how long the kernel lets the calling thread run while others want its processor. */
#define _GNU_SOURCE
#include "base/timeslice.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* sched_attr of the kernel, which older C libraries do not declare. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

uint64_t armcii_timeslice_set(uint64_t nanoseconds)
{
    struct attributes a = {0};
    if (nanoseconds == 0 || syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) != 0) return 0;
    if (a.policy != SCHED_OTHER) return 0;
    uint64_t before = a.runtime;
    a.runtime = nanoseconds;
    return syscall(SYS_sched_setattr, 0, &a, 0) == 0 ? before : 0;
}
