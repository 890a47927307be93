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

#endif
