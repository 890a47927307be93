/** @file armci_old.h
 * Names that the original ARMCI has and that programs for it may use; included by armci.h, unless
 * ARMCI_NO_OLD_NAMES is defined. */
#ifndef ARMCI_OLD_H_INCLUDED
#define ARMCI_OLD_H_INCLUDED
#ifndef ARMCI_NO_OLD_NAMES

#include <armci.h>
#include <stdio.h>
#include <string.h>

/* Lies below the smallest type of accumulate: type - ARMCI_ACC_OFF is positive. */
#define ARMCI_ACC_OFF (-1)

/* The non-blocking handle, as an older interface called it. */
#define armci_req_t armci_hdl_t

/* A put to memory of the caller; returns 0. */
#define ARMCI_Put1(SRC, DST, BYTES, PROC) (memcpy((DST), (SRC), (size_t)(BYTES)), (void)(PROC), 0)

/* Returned by no function of this library, whose codes are in ARMCI_Err_e. No macros, so that a
 * program may have macros of these names. */
#ifndef FAIL
enum { FAIL = -1 };
#endif
enum { FAIL2 = -2, FAIL3 = -3, FAIL4 = -4, FAIL5 = -5, FAIL6 = -6, FAIL7 = -7, FAIL8 = -8 };

/* End the job with a message, and with one value or two. */
#define armci_die(MESSAGE, CODE) ARMCI_Error((MESSAGE), (int)(CODE))
#define armci_die2(MESSAGE, CODE1, CODE2)                                                          \
    (fprintf(stderr, "%s: (%d,%d)\n", (MESSAGE), (int)(CODE1), (int)(CODE2)),                      \
     ARMCI_Error((MESSAGE), (int)(CODE1)))

/* If ENABLE is not 0 and CONDITION is 0: print PRINTED, the arguments of printf in parentheses, and
 * end the job with the exit status CODE. */
#define dassertc(ENABLE, CONDITION, PRINTED, CODE)                                                 \
    do {                                                                                           \
        if ((ENABLE) && !(CONDITION)) {                                                            \
            (void)printf PRINTED;                                                                  \
            fflush(stdout);                                                                        \
            ARMCI_Error("assertion failed: " #CONDITION, (CODE));                                  \
        }                                                                                          \
    } while (0)
#define dassertp(ENABLE, CONDITION, PRINTED) dassertc(ENABLE, CONDITION, PRINTED, 1)
#define dassert(ENABLE, CONDITION)           dassertc(ENABLE, CONDITION, ("%s", ""), 1)
#define dassert1(ENABLE, CONDITION, VALUE)                                                         \
    dassertc(ENABLE, CONDITION, ("%d: error ival=%d\n", armci_msg_me(), (int)(VALUE)), 1)

#endif
#endif
