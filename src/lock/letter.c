/* letter.c - letters between lock holders and those who wait. */
#include "lock/letter.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/guard.h"
#include "team/world.h"

struct letter {
    enum letter_kind kind;
    struct letter_key key;
    int from;
    struct letter *next;
};

static struct letter *kept;

void armcii_letter_send(enum letter_kind kind, struct letter_key key, int to)
{
    MPI_Send(&key, (int)sizeof key, MPI_BYTE, to, (int)kind, armcii_world->control);
}

static bool same(struct letter_key a, struct letter_key b)
{
    return a.set == b.set && a.host == b.host && a.mutex == b.mutex;
}

/* Take a matching letter out of those kept; the sender, or -1. */
static int take(enum letter_kind kind, struct letter_key key)
{
    for (struct letter **link = &kept; *link; link = &(*link)->next) {
        struct letter *l = *link;
        if (l->kind != kind || !same(l->key, key)) continue;
        int from = l->from;
        *link = l->next;
        free(l);
        return from;
    }
    return -1;
}

/* Receive one letter of that kind, if one is there, and keep it. */
static bool collect(enum letter_kind kind)
{
    int arrived;
    struct letter_key key;
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, (int)kind, armcii_world->control, &arrived, &message, &status);
    if (!arrived) return false;
    MPI_Mrecv(&key, (int)sizeof key, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    struct letter *l = malloc(sizeof *l);
    if (!l) armcii_fatal("out of memory for a lock message");
    *l = (struct letter){kind, key, status.MPI_SOURCE, NULL};
    struct letter **link = &kept;
    while (*link) link = &(*link)->next;
    *link = l;
    return true;
}

int armcii_letter_wait(enum letter_kind kind, struct letter_key key)
{
    struct patience p = {0};
    for (;;) {
        int from = take(kind, key);
        if (from >= 0) return from;
        if (collect(kind)) continue;
        armcii_guard_wait_turn(&p);
    }
}
