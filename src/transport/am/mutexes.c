/* mutexes.c - mutexes of several nodes: those of the caller's node are in its shared memory, those
 * of others behind their servers. */
#include "transport/am/am.h"

#include <stdlib.h>

#include "base/log.h"
#include "mpi/world.h"
#include "transport/shm/mutex.h"

struct am_mutexes {
    const struct team *team;
    struct node_mutexes here;
    struct am_region *served;
    struct mutex **at_owner; /* [team size], in the owner's address space */
};

void *armcii_am_mutexes_create(struct team *team, const int count[], unsigned long name)
{
    struct am_mutexes *set = armcii_alloc(1, sizeof *set, "mutexes");
    (void)name;
    set->team = team;
    int rc = armcii_node_mutexes_create(&set->here, team, count);
    if (rc == 0) set->served = armcii_am_serve(team, &set->here.segment);
    if (rc == 0 && !set->served) armcii_node_mutexes_free(&set->here);
    if (!set->served) {
        free(set);
        return NULL;
    }
    set->at_owner = armcii_alloc((size_t)team->size, sizeof *set->at_owner,
                                 "mutexes on %d processes", team->size);
    armcii_team_allgather(team, &set->here.of[team->rank], set->at_owner,
                          (int)sizeof *set->at_owner);
    armcii_segment_close(&set->here.segment); /* the servers have mapped it */
    return set;
}

void armcii_am_mutexes_free(void *queues)
{
    struct am_mutexes *set = queues;
    armcii_am_end_serving(set->served, &set->here.segment);
    armcii_node_mutexes_free(&set->here);
    free(set->at_owner);
    free(set);
}

/* In the caller's memory; NULL: on another node. */
static struct mutex *here(const struct am_mutexes *set, int owner, int mutex)
{
    return set->here.of[owner] ? set->here.of[owner] + mutex : NULL;
}

static struct remote remote_of(const struct am_mutexes *set, int owner)
{
    const struct slice_server *s = &set->served->slice[owner];
    return (struct remote){set->team->to_world[owner], s->server, s->delta};
}

void armcii_am_lock(void *queues, int owner, int mutex)
{
    const struct am_mutexes *set = queues;
    struct mutex *m = here(set, owner, mutex);
    if (m) {
        armcii_mutex_lock(m);
    } else {
        const struct remote to = remote_of(set, owner);
        armcii_client_lock(&to, set->at_owner[owner] + mutex);
    }
}

bool armcii_am_trylock(void *queues, int owner, int mutex)
{
    const struct am_mutexes *set = queues;
    struct mutex *m = here(set, owner, mutex);
    if (m) return armcii_mutex_trylock(m);
    const struct remote to = remote_of(set, owner);
    return armcii_client_trylock(&to, set->at_owner[owner] + mutex);
}

/* If the next holder is on another node and this process is the server, it need not wait for the
 * thread. */
void armcii_am_unlock(void *queues, int owner, int mutex)
{
    const struct am_mutexes *set = queues;
    struct mutex *m = here(set, owner, mutex);
    if (m) {
        if (armcii_mutex_unlock(m)) armcii_server_serve();
    } else {
        const struct remote to = remote_of(set, owner);
        armcii_client_unlock(&to, set->at_owner[owner] + mutex);
    }
}
