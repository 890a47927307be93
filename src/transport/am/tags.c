/* tags.c - tags in turn, except those in use. */
#include "transport/am/tags.h"

#include <stdbool.h>

#include "transport/am/proto.h"

static bool in_use[AM_TAGS];
static int last, count;

int armcii_tag_alloc(void)
{
    if (count == AM_TAGS) return 0;
    do
        last = (last + 1) % AM_TAGS;
    while (in_use[last]);
    in_use[last] = true;
    count++;
    return AM_TAG_FIRST + last;
}

void armcii_tag_free(int tag)
{
    in_use[tag - AM_TAG_FIRST] = false;
    count--;
}
