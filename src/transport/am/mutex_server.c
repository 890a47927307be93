/* mutex_server.c - a hash table of the held mutexes. */
#include "transport/am/am.h"

#include <stdlib.h>

#include "base/log.h"

struct waiter {
    struct waiter *next;
    int client, tag;
};

/* Only held mutexes have a queue. */
struct queue {
    struct queue *next;
    uint64_t set, number;
    int owner;
    struct waiter *first, **last;
};

enum { BUCKETS = 256 };
static struct queue *buckets[BUCKETS];

static struct queue **find(uint64_t set, int owner, uint64_t number)
{
    uint64_t hash = (set * 31 + (uint64_t)owner) * 31 + number;
    struct queue **link = &buckets[hash % BUCKETS];
    while (*link && ((*link)->set != set || (*link)->owner != owner || (*link)->number != number))
        link = &(*link)->next;
    return link;
}

bool armcii_mutex_server_trylock(uint64_t set, int owner, uint64_t number)
{
    struct queue **link = find(set, owner, number);
    if (*link) return false;
    struct queue *q = armcii_alloc(1, sizeof *q, "a mutex");
    *q = (struct queue){.set = set, .number = number, .owner = owner};
    q->last = &q->first;
    *link = q;
    return true;
}

bool armcii_mutex_server_lock(uint64_t set, int owner, uint64_t number, int client, int tag)
{
    if (armcii_mutex_server_trylock(set, owner, number)) return true;
    struct queue *q = *find(set, owner, number);
    struct waiter *w = armcii_alloc(1, sizeof *w, "a mutex");
    *w = (struct waiter){NULL, client, tag};
    *q->last = w;
    q->last = &w->next;
    return false;
}

bool armcii_mutex_server_unlock(uint64_t set, int owner, uint64_t number, int *client, int *tag)
{
    struct queue **link = find(set, owner, number), *q = *link;
    if (!q) return false;
    struct waiter *w = q->first;
    if (!w) {
        *link = q->next;
        free(q);
        return false;
    }
    *client = w->client;
    *tag = w->tag;
    q->first = w->next;
    if (!q->first) q->last = &q->first;
    free(w);
    return true;
}

void armcii_mutex_server_clear(void)
{
    for (int i = 0; i < BUCKETS; i++)
        while (buckets[i]) {
            struct queue *q = buckets[i];
            buckets[i] = q->next;
            while (q->first) {
                struct waiter *w = q->first;
                q->first = w->next;
                free(w);
            }
            free(q);
        }
}
