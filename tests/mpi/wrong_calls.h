/* wrong_calls.h - calls with a wrong argument, each with what the library has to say. */
#ifndef TEST_WRONG_CALLS_H
#define TEST_WRONG_CALLS_H

#include "harness.h"

/* What `call` returns where the function returns nothing, or nothing that tells of an error. */
enum { SAYS_NOTHING = -1000 };

struct wrong_call {
    const char *name;     /* of the case */
    int code;             /* ARMCI_ERR_...: what kind of mistake it is */
    const char *function; /* named in the message */
    const char *argument; /* named in the message, or how its name begins */
    const char *value;    /* how the value in the message begins; "n": the number of processes; "": anything */
    int (*call)(void);    /* make the call; returns its code (positive), or SAYS_NOTHING */
};

/* Ends with a name of NULL. */
extern const struct wrong_call wrong_calls[];

/* What the calls work on; collective.  prepare before the first, end after the last. */
void wrong_calls_prepare(void);
void wrong_calls_end(void);
/* No byte in reach has changed since prepare; collective. */
void wrong_calls_check_untouched(const char *after);

#endif
