/* server_queues.c - mutexes kept by agents. */
#include "lock/server_queues.h"

#include "server/client.h"
#include "team/world.h"

void armcii_server_queue_take(unsigned long set, int owner, int mutex)
{
    armcii_client_lock(armcii_world->agent_of[owner], set, owner, (uint64_t)mutex);
}

bool armcii_server_queue_try(unsigned long set, int owner, int mutex)
{
    return armcii_client_trylock(armcii_world->agent_of[owner], set, owner, (uint64_t)mutex);
}

void armcii_server_queue_leave(unsigned long set, int owner, int mutex)
{
    armcii_client_unlock(armcii_world->agent_of[owner], set, owner, (uint64_t)mutex);
}
