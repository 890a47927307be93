/* guard.c - the library's one lock. */
#include "base/guard.h"

#include <pthread.h>

static pthread_mutex_t mutex;
static bool enabled;

void armcii_guard_enable(bool threads)
{
    static bool made;
    if (threads && !made) {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
        pthread_mutex_init(&mutex, &attributes);
        pthread_mutexattr_destroy(&attributes);
        made = true;
    }
    enabled = threads;
}

void armcii_guard_lock(void)
{
    if (enabled) pthread_mutex_lock(&mutex);
}

void armcii_guard_unlock(void)
{
    if (enabled) pthread_mutex_unlock(&mutex);
}

bool armcii_guard_is_enabled(void)
{
    return enabled;
}
