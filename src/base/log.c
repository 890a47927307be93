/* log.c - warnings and errors go to standard error, reports to standard output. A line is one
 * write, so that lines of several ranks do not mix. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/config.h"

enum { LINE = 2048 };

static struct {
    int shown_rank;
    void (*job_abort)(int status);
    void (*handler)(int code, const char *text); /* of the program, or NULL */
} log_state = {.shown_rank = -1};

void armcii_log_set_rank(int rank)
{
    log_state.shown_rank = rank;
}

/* Prints prefix, message and newline in one write; a message that is too long is cut and ends in
 * "...". */
static void write_line(FILE *stream, const char *prefix, const char *format, va_list args)
{
    char text[LINE];
    size_t room = sizeof text - 1; /* without the newline */
    size_t used = (size_t)snprintf(text, room, "%s", prefix);
    int length = used < room ? vsnprintf(text + used, room - used, format, args) : 0;

    if (length < 0) length = 0;
    used += (size_t)length;
    if (used >= room) {
        used = room - 1;
        memcpy(text + used - 3, "...", 3);
    }
    text[used] = '\n';
    fwrite(text, 1, used + 1, stream);
    fflush(stream);
}

__attribute__((format(printf, 2, 0))) static void with_rank(const char *prefix, const char *format,
                                                            va_list args)
{
    char longer[64];

    if (log_state.shown_rank < 0) {
        write_line(stderr, prefix, format, args);
        return;
    }
    snprintf(longer, sizeof longer, "%srank %d: ", prefix, log_state.shown_rank);
    write_line(stderr, longer, format, args);
}

void armcii_warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    with_rank("ARMCI warning: ", format, args);
    va_end(args);
}

void armcii_warn_of_job(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_line(stderr, "ARMCI warning: ", format, args);
    va_end(args);
}

void armcii_say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_line(stdout, "ARMCI: ", format, args);
    va_end(args);
}

void armcii_log_from_signal(const char *text, size_t length)
{
    if (write(STDERR_FILENO, text, length) < 0) return; /* there is nobody to tell */
}

/* ---- errors ---- */

void armcii_error_set_abort(void (*abort_job)(int status))
{
    log_state.job_abort = abort_job;
}

void armcii_error_set_handler(void (*handler)(int code, const char *text))
{
    log_state.handler = handler;
}

/* A launcher that ends the job may lose what it has not read from a pipe. */
static void wait_for_reader(int pipe)
{
    enum { MOST_MS = 200 };
    int unread;
    struct stat file;
    if (fstat(pipe, &file) != 0 || !S_ISFIFO(file.st_mode)) return;
    for (int i = 0; i < MOST_MS && ioctl(pipe, FIONREAD, &unread) == 0 && unread > 0; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

void armcii_abort_job(int status)
{
    wait_for_reader(STDOUT_FILENO);
    wait_for_reader(STDERR_FILENO);
    if (log_state.job_abort != NULL) log_state.job_abort(status);
    abort();
}

__attribute__((format(printf, 1, 2))) static void report(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    with_rank("ARMCI error: ", format, args);
    va_end(args);
}

/* A value may come from garbage memory and must not break the line. */
static void replace_control_characters(char *text)
{
    for (; *text != '\0'; text++) {
        if (armcii_is_control(*text)) *text = '?';
    }
}

int armcii_error(int code, const char *function, const char *argument, const char *why,
                 const char *value_format, ...)
{
    char value[512], text[LINE];
    va_list args;

    va_start(args, value_format);
    vsnprintf(value, sizeof value, value_format, args);
    va_end(args);
    replace_control_characters(value);
    if (argument[0] == '\0')
        snprintf(text, sizeof text, "%s: %s", function, why);
    else
        snprintf(text, sizeof text, "%s: %s = %s: %s", function, argument, value, why);
    if (log_state.handler) {
        log_state.handler(code, text);
        return code;
    }
    report("%s", text);
    armcii_config_ensure();
    if (armcii_config->errors == ERRORS_ABORT) armcii_abort_job(code);
    return code;
}

void armcii_fatal(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    with_rank("ARMCI internal error: ", format, args);
    va_end(args);
    armcii_abort_job(1);
    abort();
}

void *armcii_alloc(size_t n, size_t bytes, const char *format, ...)
{
    void *memory = calloc(n, bytes);
    char what[128];
    va_list args;
    if (memory) return memory;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    armcii_fatal("out of memory for %s", what);
}
