/* mutexes.c - mutexes of several nodes: those of the caller's node are in its memory, those of
 * others behind their servers. */
#include "transport/am/am.h"

#include "mpi/world.h"
#include "transport/shm/mutex.h"
#include "transport/am/server.h"

static int process_of(const void *set, int owner)
{
    const struct mutex_memory *s = set;
    return s->team->to_world[owner];
}

static bool is_here(const void *set, int owner)
{
    return armcii_world_is_on_node(process_of(set, owner));
}

static void lock(void *set, int owner, int mutex)
{
    struct mutex *m = armcii_mutex_address(set, owner, mutex);
    if (is_here(set, owner))
        armcii_mutex_lock(m);
    else
        armcii_client_lock(process_of(set, owner), m);
}

static bool trylock(void *set, int owner, int mutex)
{
    struct mutex *m = armcii_mutex_address(set, owner, mutex);
    return is_here(set, owner) ? armcii_mutex_trylock(m)
                               : armcii_client_trylock(process_of(set, owner), m);
}

/* If the next holder is on another node and this process is the server, it need not wait for the
 * thread. */
static void unlock(void *set, int owner, int mutex)
{
    struct mutex *m = armcii_mutex_address(set, owner, mutex);
    if (is_here(set, owner)) {
        if (armcii_mutex_unlock(m)) armcii_server_serve();
    } else {
        armcii_client_unlock(process_of(set, owner), m);
    }
}

const struct mutexes armcii_am_mutexes = {
    .create = armcii_mutexes_create,
    .free = armcii_mutexes_free,
    .lock = lock,
    .trylock = trylock,
    .unlock = unlock,
};
