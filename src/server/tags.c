/* tags.c - tags in turn, but for those that are kept. */
#include "server/tags.h"

#include <stdbool.h>
#include <stddef.h>

#include "server/wire.h"

static int last;
static struct kept_tag *kept;

static bool is_kept(int tag)
{
    const struct kept_tag *k = kept;
    while (k && k->tag != tag) k = k->next;
    return k != NULL;
}

int armcii_tag(void)
{
    do
        last = (last + 1) % WIRE_TAGS;
    while (is_kept(WIRE_TAG_FIRST + last));
    return WIRE_TAG_FIRST + last;
}

void armcii_tag_keep(struct kept_tag *k)
{
    k->tag = armcii_tag();
    k->next = kept;
    kept = k;
}

void armcii_tag_drop(struct kept_tag *k)
{
    struct kept_tag **link = &kept;
    while (*link != k) link = &(*link)->next;
    *link = k->next;
}
