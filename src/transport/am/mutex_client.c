/* mutex_client.c - mutexes kept by servers. */
#include "transport/am/mutex_client.h"

#include "transport/am/client.h"
#include "mpi/world.h"

void armcii_am_mutex_lock(unsigned long set, int owner, int mutex)
{
    armcii_client_lock(armcii_world->server_of[owner], set, owner, (uint64_t)mutex);
}

bool armcii_am_mutex_trylock(unsigned long set, int owner, int mutex)
{
    return armcii_client_trylock(armcii_world->server_of[owner], set, owner, (uint64_t)mutex);
}

void armcii_am_mutex_unlock(unsigned long set, int owner, int mutex)
{
    armcii_client_unlock(armcii_world->server_of[owner], set, owner, (uint64_t)mutex);
}
