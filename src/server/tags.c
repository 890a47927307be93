/* tags.c - tags in turn, except those in use. */
#include "server/tags.h"

#include <stdbool.h>

#include "server/wire.h"

static bool in_use[WIRE_TAGS];
static int last, count;

int armcii_tag_take(void)
{
    if (count == WIRE_TAGS) return 0;
    do
        last = (last + 1) % WIRE_TAGS;
    while (in_use[last]);
    in_use[last] = true;
    count++;
    return WIRE_TAG_FIRST + last;
}

void armcii_tag_release(int tag)
{
    in_use[tag - WIRE_TAG_FIRST] = false;
    count--;
}
