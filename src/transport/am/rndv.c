/* rndv.c - the list of large puts under way. */
#include "transport/am/rndv.h"

#include <stdlib.h>

#include "base/error.h"

static struct entry {
    struct entry *next;
    struct rndv_put large;
    uint64_t number; /* from 1 on */
} *entries;
static uint64_t added;

void armcii_rndv_add(const struct rndv_put *large)
{
    struct entry *e = malloc(sizeof *e);
    if (!e) armcii_fatal("out of memory for a put");
    *e = (struct entry){entries, *large, ++added};
    entries = e;
}

void armcii_rndv_remove(int server, int tag)
{
    for (struct entry **link = &entries; *link; link = &(*link)->next) {
        struct entry *e = *link;
        if (e->large.server != server || e->large.tag != tag) continue;
        *link = e->next;
        free(e);
        return;
    }
}

bool armcii_rndv_any(void)
{
    return entries != NULL;
}

uint64_t armcii_rndv_count(void)
{
    return added;
}

bool armcii_rndv_have_server(int server, uint64_t count)
{
    const struct entry *e = entries;
    while (e && (e->large.server != server || e->number > count)) e = e->next;
    return e != NULL;
}

bool armcii_rndv_overlap(int owner, const char *lo, const char *hi)
{
    for (const struct entry *e = entries; e; e = e->next)
        if (e->large.owner == owner && e->large.lo < hi && lo < e->large.hi) return true;
    return false;
}
