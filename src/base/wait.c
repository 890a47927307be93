/* wait.c - how patiently this process waits. */
#include "base/wait.h"

#include <time.h>

long armcii_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

unsigned armcii_wait_spins = WAIT_SPINS;
bool (*_Atomic armcii_wait_serve)(void) = armcii_wait_serve_nobody;

bool armcii_wait_serve_nobody(void)
{
    return false;
}

void armcii_wait_serve_between_looks(void)
{
    enum { LOOKS = 32 };
    static unsigned looks;
    if (++looks % LOOKS == 0) armcii_wait_serve();
}
