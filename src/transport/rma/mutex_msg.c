/* mutex_msg.c - letters between lock holders and those who wait. */
#include "transport/rma/mutex_msg.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/lock.h"
#include "mpi/world.h"

struct mutex_msg {
    enum mutex_msg_kind kind;
    struct mutex_msg_key key;
    int from;
    struct mutex_msg *next;
};

static struct mutex_msg *kept;

void armcii_mutex_msg_send(enum mutex_msg_kind kind, struct mutex_msg_key key, int to)
{
    MPI_Send(&key, (int)sizeof key, MPI_BYTE, to, (int)kind, armcii_world->control);
}

static bool same(struct mutex_msg_key a, struct mutex_msg_key b)
{
    return a.set == b.set && a.owner == b.owner && a.mutex == b.mutex;
}

/* Take a matching letter out of those kept; the sender, or -1. */
static int take(enum mutex_msg_kind kind, struct mutex_msg_key key)
{
    for (struct mutex_msg **link = &kept; *link; link = &(*link)->next) {
        struct mutex_msg *l = *link;
        if (l->kind != kind || !same(l->key, key)) continue;
        int from = l->from;
        *link = l->next;
        free(l);
        return from;
    }
    return -1;
}

/* Receive one letter of that kind, if one is there, and keep it. */
static bool collect(enum mutex_msg_kind kind)
{
    int arrived;
    struct mutex_msg_key key;
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, (int)kind, armcii_world->control, &arrived, &message, &status);
    if (!arrived) return false;
    MPI_Mrecv(&key, (int)sizeof key, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    struct mutex_msg *l = malloc(sizeof *l);
    if (!l) armcii_fatal("out of memory for a lock message");
    *l = (struct mutex_msg){kind, key, status.MPI_SOURCE, NULL};
    struct mutex_msg **link = &kept;
    while (*link) link = &(*link)->next;
    *link = l;
    return true;
}

int armcii_mutex_msg_wait(enum mutex_msg_kind kind, struct mutex_msg_key key)
{
    struct backoff p = {0};
    for (;;) {
        int from = take(kind, key);
        if (from >= 0) return from;
        if (collect(kind)) continue;
        armcii_lock_wait_turn(&p);
    }
}
