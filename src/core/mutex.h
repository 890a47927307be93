/* mutex.h - sets of mutexes over a team: a queueing lock (J. Mellor-Crummey, M. Scott, "Algorithms for Scalable Synchronization on
 * Shared-Memory Multiprocessors", ACM TOCS 9(1), 1991): fair, each holder notifies the next. */
#ifndef ARMCII_MUTEX_H
#define ARMCII_MUTEX_H

#include <stdbool.h>

#include "mpi/team.h"

struct armcix_mutex_hdl_s;
struct mutex_set; /* the internal name of armcix_mutex_hdl_s */

/* Collective over the team: `count` >= 0 mutexes owned by the caller (may differ).  NULL, on every member, if memory runs out or a
 * count is negative. */
struct mutex_set *armcii_mutexes_create(struct team *team, int count);
/* Collective. */
void armcii_mutexes_destroy(struct mutex_set *set);

/* A unique number, the same on every member. */
unsigned long armcii_mutexes_name(const struct mutex_set *set);
/* Number of mutexes that rank `owner` of the team owns, -1 if the rank is invalid. */
int armcii_mutexes_count(const struct mutex_set *set, int owner);
/* Does this process, or the calling thread, hold it or wait for it? */
bool armcii_mutex_is_held(const struct mutex_set *set, int mutex, int owner);
bool armcii_mutex_is_mine(const struct mutex_set *set, int mutex, int owner);

/* mutex and owner are in range.  lock: not held by the calling thread.  unlock: held by this process. */
void armcii_mutex_lock(struct mutex_set *set, int mutex, int owner);
bool armcii_mutex_trylock(struct mutex_set *set, int mutex, int owner);
void armcii_mutex_unlock(struct mutex_set *set, int mutex, int owner);

#endif
