/* guard.c - the library's one lock. */
#include "base/guard.h"

#include <pthread.h>

static pthread_mutex_t mutex;
bool armcii_guard_enabled;

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
    armcii_guard_enabled = threads;
}

void armcii_guard_take(void)
{
    pthread_mutex_lock(&mutex);
}

bool armcii_guard_try(void)
{
    return armcii_guard_enabled && pthread_mutex_trylock(&mutex) == 0;
}

void armcii_guard_leave(void)
{
    pthread_mutex_unlock(&mutex);
}
