/* error.c - what happens on a wrong argument, and on what must not happen. */
#include "base/error.h"

#include "base/config.h"
#include "base/log.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void (*job_abort)(int status);

void armcii_error_set_abort(void (*abort_job)(int status))
{
    job_abort = abort_job;
}

void armcii_abort_job(int status)
{
    if (job_abort != NULL) job_abort(status);
    abort();
}

/* One line on standard error. */
__attribute__((format(printf, 1, 2))) static void report(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    armcii_log_line("ARMCI error: ", format, args);
    va_end(args);
}

/* A value may come from garbage memory: it must not break the line. */
static void show_on_one_line(char *text)
{
    for (; *text != '\0'; text++) {
        if (iscntrl((unsigned char)*text)) *text = '?';
    }
}

int armcii_error(int code, const char *function, const char *argument, const char *why, const char *value_format, ...)
{
    char value[512];
    va_list args;

    va_start(args, value_format);
    vsnprintf(value, sizeof value, value_format, args);
    va_end(args);
    show_on_one_line(value);
    if (argument[0] == '\0')
        report("%s: %s", function, why);
    else
        report("%s: %s = %s: %s", function, argument, value, why);
    armcii_config_ensure();
    if (armcii_config->errors == ERRORS_ABORT) armcii_abort_job(code);
    return code;
}

void armcii_fatal(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    armcii_log_line("ARMCI internal error: ", format, args);
    va_end(args);
    armcii_abort_job(1);
    abort();
}
