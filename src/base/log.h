/* log.h - all output of the library. */
#ifndef ARMCII_LOG_H
#define ARMCII_LOG_H

#include <stddef.h>

/* The rank in messages; -1 (no rank is shown) until it is set. */
void armcii_log_set_rank(int rank);

/* Print one line: "ARMCI warning: rank R: ..." on standard error, "ARMCI: ..." on standard output.
 */
void armcii_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void armcii_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same as a warning, without the rank: it concerns the job. */
void armcii_warn_of_job(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints text without a prefix on standard error, without a stream: signal handlers may call it. */
void armcii_log_from_signal(const char *text, size_t length);

/* ---- errors ---- */

/* The caller of `function` passed an invalid argument: prints
 *     ARMCI error: rank 3: ARMCI_Put: proc = 17: <why>
 * where the value is formatted as by printf; with an empty argument only <why> is printed. Aborts
 * the job or, with ARMCI_ERRORS=return, returns `code` (ARMCI_ERR_*). A handler gets code and text
 * instead, and `code` is returned. */
int armcii_error(int code, const char *function, const char *argument, const char *why,
                 const char *value_format, ...) __attribute__((format(printf, 5, 6), cold));

/* Sets what is called with an error instead of printing it; NULL: nothing. */
void armcii_error_set_handler(void (*handler)(int code, const char *text));

/* An internal error: prints the message and aborts, whatever ARMCI_ERRORS says. */
_Noreturn void armcii_fatal(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* Zeroed memory for n objects of `bytes` bytes. Aborts with "out of memory for ...", formatted as
 * by printf, if there is none. */
void *armcii_alloc(size_t n, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4), returns_nonnull));

/* Sets the function that ends the job with an exit status; this layer does not use MPI. NULL:
 * abort(3). */
void armcii_error_set_abort(void (*abort_job)(int status));
void armcii_abort_job(int status);

#endif
