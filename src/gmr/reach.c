/* reach.c - remembering what loads and stores reach. */
#include "gmr/reach.h"

#include <stdbool.h>

#include "base/mutant.h"

struct reach armcii_reaches[REACHES];
static bool is_off;

void armcii_reach_remember(int process, const char *lo, size_t bytes, const char *mapped)
{
    if (is_off) return;
    armcii_reaches[(unsigned)process % REACHES] = (struct reach){process, (uintptr_t)lo, bytes, mapped - lo};
}

void armcii_reach_forget(int process)
{
    struct reach *r = &armcii_reaches[(unsigned)process % REACHES];
    if (armcii_mutant("stale-last-hit")) return;
    if (r->process == process) *r = (struct reach){.process = -1};
}

void armcii_reach_forget_all(void)
{
    for (int i = 0; i < REACHES; i++) armcii_reaches[i] = (struct reach){.process = -1};
}

void armcii_reach_switch(bool on)
{
    is_off = !on;
    armcii_reach_forget_all();
}
