/* leave.c - a process that leaves the program while ARMCI runs: the job ends, with a line.
 *
 * Launchers do not tell the others reliably. MPICH's ends a job on one node, with status 0, when a
 * process calls exit(0), and lets a job on two nodes hang. Nobody but the process itself can tell
 * in time: MPICH's launcher kills the others within milliseconds. So exit, quick_exit and _exit
 * come here. Processes that a signal kills are left to the launcher. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "api/entry.h"
#include "node/node.h"

static struct {
    pid_t process; /* that may not leave; 0: none. A child of fork has another number. */
    int rank;
    int status; /* of exit, where the system tells */
    bool hooked;
} leave;

/* Where the C library has none. */
#pragma weak dladdr
#pragma weak on_exit

/* ---- the stack of a process that leaves ---- */

struct stack {
    _Unwind_Word begin;    /* frames below are of this file */
    const void *program;   /* where it is loaded */
    bool is_known, is_mpi; /* who leaves: the program, or MPI, which has said why */
    bool is_handler;       /* a signal handler runs */
    bool in_mpi;           /* which interrupts MPI */
    const char *call;      /* the public function that is interrupted, or NULL */
};

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static void note_frame(struct stack *s, const Dl_info *of)
{
    const char *name = of->dli_sname ? of->dli_sname : "";
    bool is_mpi = begins(name, "MPI_") || begins(name, "PMPI_");
    if (!s->is_known && (is_mpi || of->dli_fbase == s->program)) {
        s->is_known = true;
        s->is_mpi = is_mpi;
    }
    s->in_mpi |= is_mpi && s->is_handler;
    if (begins(name, "PARMCI") || begins(name, "parmci_")) s->call = name + 1;
}

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *frame, void *stack)
{
    struct stack *s = stack;
    Dl_info of;
    int is_signal = 0; /* a handler interrupts this frame: the program's own */
    char *at = (char *)_Unwind_GetIPInfo(frame, &is_signal); /* NOLINT */
    if (_Unwind_GetCFA(frame) < s->begin) return _URC_NO_REASON;
    if (is_signal) s->is_known = s->is_handler = true;
    if (dladdr(is_signal ? at : at - 1, &of)) note_frame(s, &of);
    return _URC_NO_REASON;
}

static struct stack look_at_stack(const void *begin)
{
    Dl_info program = {0};
    struct stack s = {.begin = (_Unwind_Word)begin};
    if (!dladdr) return s;
    dladdr((void *)getauxval(AT_ENTRY), &program); /* NOLINT */
    s.program = program.dli_fbase;
    _Unwind_Backtrace(look_at_frame, &s);
    return s;
}

/* ---- the end ---- */

static void let_signal_end(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* The process may have been interrupted anywhere, with any lock: then a signal ends it. */
static void limit_time(void)
{
    enum { SECONDS = 2 };
    let_signal_end(SIGALRM);
    alarm(SECONDS);
}

/* Where many leave, one of each node tells. */
static void say(const char *how, const char *call)
{
    if (!armcii_node_is_first_to_leave()) return;
    char line[256];
    int length = snprintf(line, sizeof line,
                          "ARMCI error: rank %d left the program without ARMCI_Finalize: %s%s%s\n",
                          leave.rank, how, call ? ", in " : "", call ? call : "");
    armcii_log_from_signal(line, (size_t)length);
    armcii_node_has_told();
}

static bool mpi_runs(void)
{
    int running, gone;
    MPI_Initialized(&running);
    MPI_Finalized(&gone);
    return running && !gone;
}

/* MPI may ask for a lock that the process holds where a handler interrupts MPI: MPICH then ends the
 * process without telling its launcher. A signal every launcher takes for the end of the job. */
static void abort_job(int status)
{
    armcii_leave_allow();
    if (!mpi_runs()) return;
    if (look_at_stack(__builtin_dwarf_cfa()).in_mpi) {
        let_signal_end(SIGTERM);
        raise(SIGTERM);
    }
    MPI_Abort(MPI_COMM_WORLD, status ? status : 1);
}

/* A call before ARMCI_Init may abort. */
__attribute__((constructor(BEFORE_PROGRAM))) static void set_abort(void)
{
    armcii_error_set_abort(abort_job);
}

/* `begin`: the stack of the caller's caller begins there. Returns if nobody waits for the process.
 */
static void end_job(const char *function, int status, const void *begin)
{
    char how[64];
    if (leave.process == 0 || getpid() != leave.process) return;
    leave.process = 0;
    if (!mpi_runs()) return;
    limit_time();
    struct stack stack = look_at_stack(begin);
    if (stack.is_mpi) return;
    snprintf(how, sizeof how, status < 0 ? "%s" : "%s(%d)", function, status);
    say(how, stack.call);
    armcii_abort_job(status > 0 && (status & 0xff) != 0 ? status & 0xff : 1);
}

/* After all functions of atexit, and before MPI's destructors: the program may end ARMCI in one.
 * The priority is for one that has this library in itself: its destructors come first. */
enum { LAST = 101 };
__attribute__((destructor(LAST))) static void end_job_at_exit(void)
{
    end_job("exit", leave.status, __builtin_dwarf_cfa());
}

static void end_job_at_quick_exit(void)
{
    end_job("quick_exit", -1, __builtin_dwarf_cfa());
}

/* Weak, since other libraries may define them, too. */
__attribute__((weak, visibility("default"))) void _exit(int status)
{
    end_job("_exit", status, __builtin_dwarf_cfa());
    for (;;)
        syscall(SYS_exit_group, status);
}
__attribute__((weak, visibility("default"), alias("_exit"))) void _Exit(int status);

static void note_status(int status, void *unused)
{
    (void)unused;
    leave.status = status;
}

void armcii_leave_watch(int rank)
{
    leave.rank = rank;
    leave.process = getpid();
    if (leave.hooked) return;
    leave.hooked = true;
    leave.status = -1;
    if (on_exit) on_exit(note_status, NULL);
    at_quick_exit(end_job_at_quick_exit);
}

void armcii_leave_allow(void)
{
    leave.process = 0;
}
