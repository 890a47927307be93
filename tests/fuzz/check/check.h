/* check.h - the few macros of Check that the targets use, without Check: what fails is printed and
 * ends the process, which is what a fuzzer looks for.  Found before the real one where this folder
 * is searched first. */
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 3, 4))) _Noreturn static inline void
fuzz_fail(const char *file, int line, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "%s:%d: ", file, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

#define ck_abort_msg(...)             fuzz_fail(__FILE__, __LINE__, __VA_ARGS__)
#define ck_assert_msg(CONDITION, ...) ((CONDITION) ? (void)0 : ck_abort_msg(__VA_ARGS__))
#define ck_assert(CONDITION)          ck_assert_msg(CONDITION, "%s", #CONDITION)

#endif
