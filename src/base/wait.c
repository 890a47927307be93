/* wait.c - how patiently this process waits. */
#include "base/wait.h"

unsigned armcii_wait_spins = WAIT_SPINS;
bool (*armcii_wait_serve)(void) = armcii_wait_serve_nobody;

bool armcii_wait_serve_nobody(void)
{
    return false;
}
