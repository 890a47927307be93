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

#include <stdatomic.h>
#include <stdbool.h>

#include "base/log.h"
#include "base/lock.h"
#include "base/stats.h"
#include "mpi/team.h"
#include "mpi/world.h"

/* One line after each definition: ARMCI_X becomes a weak alias of PARMCI_X. */
#define ARMCII_ALIAS(name, target) extern __typeof__(target) name __attribute__((weak, alias(#target)))

extern bool armcii_running;

/* Open: nothing to do at the door but to go in.  Watched: there is the global lock to take, or there are statistics. */
enum entry_state { ENTRY_OFF, ENTRY_FAST, ENTRY_SLOW };
extern enum entry_state armcii_entry_state;
void armcii_entry_open(void);
void armcii_entry_close(void);
enum entry_state armcii_enter_slow(const char *function);
void armcii_leave_slow(void);

/* Behind a watched door: all was complete everywhere, and nobody has come in since.  Asked without the lock: then a fence has nothing to
 * do. */
extern atomic_bool armcii_quiet;
static inline bool armcii_is_quiet(void)
{
    return atomic_load_explicit(&armcii_quiet, memory_order_relaxed);
}
/* Called inside when nothing is pending. */
void armcii_mark_quiet(void);

/* false, with a message, before the start and after the end. */
bool armcii_is_running(const char *function);

static inline enum entry_state armcii_enter(const char *function)
{
    return __builtin_expect(armcii_entry_state == ENTRY_FAST, 1) ? ENTRY_FAST : armcii_enter_slow(function);
}

static inline void armcii_leave(const enum entry_state *entered)
{
    if (__builtin_expect(*entered == ENTRY_SLOW, 0)) armcii_leave_slow();
}

/* First line of a function: `entered` tells whether to go on; the lock is released on every way out. */
#define ARMCII_ENTER(function) __attribute__((cleanup(armcii_leave))) const enum entry_state entered = armcii_enter(function)

/* The same for functions that wait for other processes without the lock: for statistics alone. */
static inline bool armcii_watch(const char *function)
{
    if (!armcii_stats_on) return false;
    armcii_stats_enter(function);
    return true;
}

static inline void armcii_unwatch(const bool *watched)
{
    if (*watched && armcii_stats_on) armcii_stats_leave();
}
#define ARMCII_WATCH(function) __attribute__((cleanup(armcii_unwatch))) const bool watched = armcii_watch(function)

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
