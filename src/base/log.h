/* log.h - the one place that prints. */
#ifndef ARMCII_LOG_H
#define ARMCII_LOG_H

#include <stdarg.h>

/* The rank shown in messages; -1 (no rank shown) until set. */
void armcii_log_set_rank(int rank);
int armcii_log_rank(void);

/* One line on standard error, "ARMCI warning: rank R: ...", and one line as it is ("ARMCI: " before it) on standard
 * output. */
void armcii_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void armcii_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Lines as they are, on standard error. */
void armcii_log_text(const char *text);
/* One line on standard error with a prefix, written by a single call so that lines of several ranks do not mix. */
void armcii_log_line(const char *prefix, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* ---- error ---- */

/* Wrong arguments and internal faults: one line that says rank, function, argument, value and why; then abort
 * or a code. */

/* The caller of function `function` passed a wrong `argument`: print
 *     ARMCI error: rank 3: ARMCI_Put: proc = 17: <why>
 * where the value is formatted as by printf (argument "": no argument is to blame, only <why> is printed).  Aborts the
 * job, or, with ARMCI_ERRORS=return, returns `code` (an ARMCI_ERR_*). */
int armcii_error(int code, const char *function, const char *argument, const char *why, const char *value_format, ...)
    __attribute__((format(printf, 5, 6), cold));

/* Something that must not happen did: print where and abort, whatever ARMCI_ERRORS says. */
_Noreturn void armcii_fatal(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* How to end the job with an exit status; set once at start, since this layer knows no MPI.  NULL: abort(3). */
void armcii_error_set_abort(void (*abort_job)(int status));
void armcii_abort_job(int status);

#endif
