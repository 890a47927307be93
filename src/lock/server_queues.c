/* server_queues.c - mutexes kept by agents. */
#include "lock/server_queues.h"

#include "mpi/patient.h"
#include "server/client.h"
#include "team/world.h"

/* The first member's rank and a number that it has not used before: no two sets at one time have both alike. */
unsigned long armcii_server_queues_name(const struct team *team)
{
    static unsigned long used;
    unsigned long name = (unsigned long)(unsigned)armcii_world->rank << 32 | (++used & 0xffffffffu);
    armcii_patient_bcast(&name, (int)sizeof name, 0, team->comm);
    return name;
}

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
