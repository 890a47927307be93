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

/* Only mutexes that clients wait for have one. The mutex awaits the first ticket. */
struct queue {
    struct queue *next;
    struct mutex *mutex;
    struct waiter *first, **last;
};

enum { BUCKETS = 256 };
static struct queue *buckets[BUCKETS];

static struct queue **find(const struct mutex *m)
{
    struct queue **link = &buckets[(uintptr_t)m / sizeof *m % BUCKETS];
    while (*link && (*link)->mutex != m)
        link = &(*link)->next;
    return link;
}

static void add_waiter(struct queue **link, struct mutex *m, struct waiter waiter)
{
    struct waiter *w = armcii_alloc(1, sizeof *w, "a mutex");
    *w = waiter;
    if (!*link) {
        *link = armcii_alloc(1, sizeof **link, "a mutex");
        **link = (struct queue){.mutex = m, .last = &(*link)->first};
        armcii_mutex_await(m, w->ticket);
    }
    *(*link)->last = w;
    (*link)->last = &w->next;
}

static void remove_first(struct queue **link)
{
    struct queue *q = *link;
    struct waiter *w = q->first;
    q->first = w->next;
    free(w);
    if (q->first) return;
    *link = q->next;
    free(q);
}

/* True if the first in line has the mutex; then it leaves the line. */
static bool take(struct queue **link, int *client, int *tag)
{
    struct queue *q = *link;
    struct mutex *m = q->mutex;
    if (!armcii_mutex_is_served(m, q->first->ticket)) return false;
    *client = q->first->client;
    *tag = q->first->tag;
    armcii_mutex_set_holder(m, *client);
    if (q->first->next) armcii_mutex_await(m, q->first->next->ticket);
    remove_first(link);
    return true;
}

bool armcii_mutex_server_lock(struct mutex *m, int client, int tag)
{
    struct queue **link = find(m);
    const struct waiter waiter = {.ticket = armcii_mutex_draw(m), .client = client, .tag = tag};
    bool is_first = !*link;
    if (!is_first || !armcii_mutex_is_served(m, waiter.ticket)) {
        add_waiter(link, m, waiter);
        return is_first && take(link, &client, &tag); /* served before it was awaited */
    }
    armcii_mutex_set_holder(m, client);
    return true;
}

bool armcii_mutex_server_unlock(struct mutex *m, int *client, int *tag)
{
    struct queue **link = find(m);
    armcii_mutex_pass(m);
    return *link && take(link, client, tag);
}

void armcii_mutex_server_grant(void (*grant)(int client, int tag))
{
    int client, tag;
    for (int i = 0; i < BUCKETS; i++)
        for (struct queue **link = &buckets[i], *q; (q = *link) != NULL;) {
            if (take(link, &client, &tag)) grant(client, tag);
            if (*link == q) link = &q->next;
        }
}

void armcii_mutex_server_end(void)
{
    for (int i = 0; i < BUCKETS; i++)
        while (buckets[i])
            remove_first(&buckets[i]);
}
