/* mutex_server.c - the clients in line for mutexes of a server's node. The line is in the mutex
 * (shm/mutex.h): the server draws a ticket for each client. */
#include "transport/am/mutex_server.h"

#include <stdlib.h>

#include "base/log.h"
#include "transport/shm/mutex.h"

struct waiter {
    struct waiter *next;
    unsigned ticket;
    int client, tag;
};

/* Those of one mutex; only mutexes that clients wait for have one. The mutex awaits the first
 * ticket. */
struct waiters {
    struct waiters *next;
    struct mutex *mutex;
    struct waiter *first, **last;
};

enum { BUCKETS = 256 };
static struct {
    struct waiters *bucket[BUCKETS]; /* by the address of the mutex */
} mutex_server;

static struct waiters **find(const struct mutex *m)
{
    struct waiters **link = &mutex_server.bucket[(uintptr_t)m / sizeof *m % BUCKETS];
    while (*link && (*link)->mutex != m)
        link = &(*link)->next;
    return link;
}

static void add_waiter(struct waiters **link, struct mutex *m, struct waiter waiter)
{
    struct waiter *w = armcii_alloc(1, sizeof *w, "a mutex");
    *w = waiter;
    if (!*link) {
        *link = armcii_alloc(1, sizeof **link, "a mutex");
        **link = (struct waiters){.mutex = m, .last = &(*link)->first};
        armcii_mutex_await(m, w->ticket);
    }
    *(*link)->last = w;
    (*link)->last = &w->next;
}

static void remove_first(struct waiters **link)
{
    struct waiters *all = *link;
    struct waiter *w = all->first;
    all->first = w->next;
    free(w);
    if (all->first) return;
    *link = all->next;
    free(all);
}

/* True if the first in line has the mutex; then it leaves the line. */
static bool take(struct waiters **link, int *client, int *tag)
{
    struct waiters *w = *link;
    struct mutex *m = w->mutex;
    if (!armcii_mutex_is_turn(m, w->first->ticket)) return false;
    *client = w->first->client;
    *tag = w->first->tag;
    armcii_mutex_set_holder(m, *client);
    if (w->first->next) armcii_mutex_await(m, w->first->next->ticket);
    remove_first(link);
    return true;
}

bool armcii_mutex_server_lock(struct mutex *m, int client, int tag)
{
    struct waiters **link = find(m);
    const struct waiter waiter = {.ticket = armcii_mutex_draw(m), .client = client, .tag = tag};
    bool is_first = !*link;
    if (!is_first || !armcii_mutex_is_turn(m, waiter.ticket)) {
        add_waiter(link, m, waiter);
        return is_first && take(link, &client, &tag); /* served before it was awaited */
    }
    armcii_mutex_set_holder(m, client);
    return true;
}

bool armcii_mutex_server_unlock(struct mutex *m, int *client, int *tag)
{
    struct waiters **link = find(m);
    armcii_mutex_pass(m);
    return *link && take(link, client, tag);
}

void armcii_mutex_server_grant(void (*grant)(int client, int tag))
{
    int client, tag;
    for (int i = 0; i < BUCKETS; i++)
        for (struct waiters **link = &mutex_server.bucket[i], *w; (w = *link) != NULL;) {
            if (take(link, &client, &tag)) grant(client, tag);
            if (*link == w) link = &w->next;
        }
}

void armcii_mutex_server_end(void)
{
    for (int i = 0; i < BUCKETS; i++)
        while (mutex_server.bucket[i])
            remove_first(&mutex_server.bucket[i]);
}
