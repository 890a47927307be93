/* entry.h - entry of every public function: checks that the library is running, takes the global
 * lock, checks common arguments. */
#ifndef ARMCII_ENTRY_H
#define ARMCII_ENTRY_H

/* Priority of the library's constructors: they run before those of a program linked with
 * libarmci.a, which may start ARMCI. */
enum { BEFORE_PROGRAM = 101 };

/* The shared library exports these declarations only. */
#pragma GCC visibility push(default)
#include <armci.h>
#include <armcix.h>
#include <message.h>
#include <parmci.h>
#pragma GCC visibility pop

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "base/lock.h"
#include "mpi/team.h"
#include "mpi/world.h"
#include "transport/transport.h"

/* One line after each definition: ARMCI_X becomes a weak alias of PARMCI_X. */
#define ARMCII_ALIAS(name, target)                                                                 \
    extern __typeof__(target) name __attribute__((weak, alias(#target)))

/* In the function PARMCI_X: "ARMCI_X", the name that programs call, for messages. */
#define CALLER (__func__ + 1)

struct entry {
    bool is_open; /* from the end of ARMCI_Init to the begin of ARMCI_Finalize */
    /* Everything was complete, and no thread has entered since: a fence may return at once, unless
     * the calling thread has stored without entering. */
    atomic_bool quiet;
};
extern struct entry armcii_entry;
void armcii_entry_open(void);
void armcii_entry_close(void);

static inline bool armcii_is_quiet(void)
{
    return atomic_load_explicit(&armcii_entry.quiet, memory_order_relaxed) &&
           !armcii_stores_pending;
}
/* quiet: nothing is pending. The caller has the global lock, in programs that need one. */
static inline void armcii_set_quiet(bool quiet)
{
    atomic_store_explicit(&armcii_entry.quiet, quiet, memory_order_relaxed);
}

/* False, with a message, before ARMCI_Init and after ARMCI_Finalize. */
bool armcii_report_off(const char *function);
static inline bool armcii_is_running(const char *function)
{
    return __builtin_expect(armcii_entry.is_open, 1) || armcii_report_off(function);
}

static inline bool armcii_enter(const char *function)
{
    if (!armcii_is_running(function)) return false;
    armcii_lock_enter();
    armcii_set_quiet(false);
    return true;
}

static inline void armcii_exit(const bool *entered)
{
    if (*entered) armcii_lock_exit();
}

/* First line of a function: `entered` is false if the call is invalid; leaving the scope releases
 * the lock. */
#define ARMCII_ENTER(function)                                                                     \
    __attribute__((cleanup(armcii_exit))) const bool entered = armcii_enter(function)

/* 0 or an error code, with a message. */
int armcii_report_process(const char *function, const char *argument, int process);
static inline int armcii_check_process(const char *function, const char *argument, int process)
{
    if (process >= 0 && process < armcii_world->size) return 0;
    return armcii_report_process(function, argument, process);
}
int armcii_check_scope(const char *caller, int scope);
int armcii_check_count(const char *function, const char *argument, long count);
int armcii_check_pointer(const char *function, const char *argument, const void *pointer);
int armcii_check_element(const char *function, int datatype);
/* The team of a group; NULL, with a message, if the group is invalid or the caller is not a member.
 */
struct team *armcii_check_group(const char *function, const char *argument,
                                const ARMCI_Group *group);
/* The same without a message. */
struct team *armcii_team_of(const ARMCI_Group *group);
/* For functions that take no lock since they wait for other processes: the world's team, or a
 * group's; NULL, with a message, if ARMCI is not running or the group is invalid. */
struct team *armcii_world_team(const char *function);
struct team *armcii_group_team(const char *function, const ARMCI_Group *group);

/* ---- what files of this folder share ---- */

/* Flush the queues of aggregate handles and complete all puts, accumulates and stores remotely
 * (sync.c). */
void armcii_complete_all(void);
/* Complete all operations remotely and locally, including gets. */
void armcii_quiesce(void);
/* A barrier of the team, in a watched function; nothing for NULL, which has been reported. */
void armcii_barrier_of(struct team *team);
/* Complete all operations on one region, before it is freed. */
void armcii_complete_region(struct region *region);

/* Destroy all remaining sets of mutexes (mutexes.c). */
void armcii_mutexes_end(void);
/* Make the world the default group (groups.c). */
void armcii_groups_reset_default(void);

/* End the job, with a line, if the calling process of that rank leaves the program (leave.c). */
void armcii_leave_watch(int rank);
/* Let the process leave again. */
void armcii_leave_allow(void);

/* Collective, after all layers have started: rank 0 prints the summary (ARMCI_VERBOSE) and the
 * warnings (banner.c, warnings.h). */
void armcii_banner(const char *library);

/* ---- what the functions for put, get and accumulate of all shapes share (transfers.c) ---- */

/* The arguments of a transfer call, without the addresses. */
struct op_args {
    const char *caller;
    struct op_verb verb;
    const void *scale;
    int proc;
};

static inline struct op_args put_to(const char *caller, int proc)
{
    return (struct op_args){caller, {OP_PUT, ELEMENT_INT}, NULL, proc};
}

static inline struct op_args get_from(const char *caller, int proc)
{
    return (struct op_args){caller, {OP_GET, ELEMENT_INT}, NULL, proc};
}

static inline struct op_args acc_to(const char *caller, int datatype, const void *scale, int proc)
{
    return (struct op_args){caller, {OP_ACC, (enum element)datatype}, scale, proc};
}

/* True if the address is NULL or in the upper half of the address space, where a transfer could
 * wrap around. */
static inline bool armcii_needs_check(const void *local)
{
    return (intptr_t)local <= 0;
}

/* Begin *op: 0, or the error code of an argument that calls of all shapes have. */
static inline int armcii_transfer_begin(const struct op_args *r, struct op *op)
{
    op->caller = r->caller;
    op->verb = r->verb;
    op->scale = r->scale;
    op->target = r->proc;
    op->flag = NULL;
    op->more = false;
    int rc = armcii_check_process(r->caller, "proc", r->proc);
    if (rc || r->verb.kind != OP_ACC) return rc;
    rc = armcii_check_element(r->caller, (int)r->verb.element);
    return rc ? rc : armcii_check_pointer(r->caller, "scale", r->scale);
}
/* The length of a segment, a negative one too. */
int armcii_check_bytes(const struct op_args *r, const char *argument, int bytes);
/* `bytes` bytes at an address of this process. */
int armcii_check_local(const struct op_args *r, const char *argument, const void *local, int bytes);

/* In place of a handle, where NULL is the implicit handle. */
extern armci_hdl_t *const armcii_blocking;
int armcii_transfer_run(const struct op *op, armci_hdl_t *hdl);

/* Fast path of segments of so many bytes on an aggregate handle: the list that they may be added
 * to. NULL: use armcii_transfer_run. */
struct aggregate *armcii_queue_for(const struct op_args *r, const void *remote, int bytes,
                                   armci_hdl_t *hdl);

#endif
