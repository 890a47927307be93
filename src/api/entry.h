/* entry.h - the door of every public function: is the library running, take its lock, check the usual arguments. */
#ifndef ARMCII_ENTRY_H
#define ARMCII_ENTRY_H

/* What is declared here is all that the shared library exports. */
#pragma GCC visibility push(default)
#include <armci.h>
#include <armcix.h>
#include <message.h>
#include <parmci.h>
#pragma GCC visibility pop

#include <stdbool.h>

#include "base/error.h"
#include "base/guard.h"
#include "team/team.h"
#include "team/world.h"

/* One line after each definition: ARMCI_X becomes a weak alias of PARMCI_X. */
#define ARMCII_ALIAS(name, target) extern __typeof__(target) name __attribute__((weak, alias(#target)))

extern bool armcii_running;

/* false, with a message, before the start and after the end. */
bool armcii_is_running(const char *function);

static inline bool armcii_enter(const char *function)
{
    if (__builtin_expect(!armcii_running, 0)) return armcii_is_running(function);
    armcii_guard_lock();
    return true;
}

static inline void armcii_leave(const bool *entered)
{
    if (*entered) armcii_guard_unlock();
}

/* First line of a function: `entered` tells whether to go on; the lock is released on every way out. */
#define ARMCII_ENTER(function) __attribute__((cleanup(armcii_leave))) const bool entered = armcii_enter(function)

/* 0 or an error code, with a message. */
int armcii_no_process(const char *function, const char *argument, int process);
static inline int armcii_check_process(const char *function, const char *argument, int process)
{
    if (process >= 0 && process < armcii_world->size) return 0;
    return armcii_no_process(function, argument, process);
}
int armcii_check_count(const char *function, const char *argument, long count);
int armcii_check_pointer(const char *function, const char *argument, const void *pointer);
int armcii_check_element(const char *function, int datatype);
/* The team behind a group that the caller is a member of; NULL, with a message, for any other. */
struct team *armcii_check_group(const char *function, const ARMCI_Group *group);
/* For functions that wait for other processes and so take no lock: the team of all, or of a group; NULL, with a message, where there is
 * none. */
struct team *armcii_world_team(const char *function);
struct team *armcii_group_team(const char *function, const ARMCI_Group *group);

#endif
