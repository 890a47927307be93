/* wrong_calls.h - calls with a wrong argument, each with what the library has to say; and the memory they work on.
 *
 * Every function is tried, argument by argument.  A file for each part of the interface adds its calls to the list:
 * single ones, and products of functions that share an argument and the wrong values it may have. */
#ifndef TEST_WRONG_CALLS_H
#define TEST_WRONG_CALLS_H

#include "harness.h"

#include <armcix.h>

/* What a call returns where the function returns nothing, or nothing that tells of an error. */
enum { SAYS_NOTHING = -1000 };

/* When a call is wrong. */
enum moment {
    RUNNING,   /* between ARMCI_Init and ARMCI_Finalize; the argument is wrong */
    BESIDE_MEMGET, /* the same, but the call uses ARMCI_Memget, after which wrong addresses are taken for such memory */
    ARMCI_OFF, /* before ARMCI_Init and after ARMCI_Finalize, whatever MPI does */
    MPI_OFF,   /* before MPI_Init and after MPI_Finalize */
    MPI_ENDED, /* after MPI_Finalize */
    NEVER      /* the function has no wrong call: it takes nothing, or anything */
};

struct wrong_call {
    char name[80];        /* FUNCTION.WHAT */
    enum moment moment;
    int code;             /* ARMCI_ERR_...: what kind of mistake it is */
    const char *function; /* named in the message */
    const char *argument; /* named in the message, or how its name begins */
    const char *value;    /* how the value in the message begins; "n": the number of processes; "": anything */
    int (*single)(void);  /* make the call: its code (positive), or SAYS_NOTHING */
    /* Or, where single is NULL: a function of a family, with one of the mistakes that they share. */
    int (*of_family)(const void *form, const void *mistake);
    const void *form, *mistake;
};

/* The list, complete after wrong_calls_collect, which needs no MPI. */
void wrong_calls_collect(void);
int wrong_calls_count(void);
const struct wrong_call *wrong_calls_get(int i);
/* Make the call; returns its code, or SAYS_NOTHING. */
int wrong_calls_make(const struct wrong_call *w);

/* ---- for the files that add to the list */

void wrong_calls_add(struct wrong_call w);
/* A row of a table of single calls that ends with a function of NULL. */
struct single_call {
    const char *function, *what;
    int code;
    const char *argument, *value;
    int (*call)(void);
};
void wrong_calls_add_singles(enum moment moment, const struct single_call *table);
/* Functions that may not be called while `moment` holds; the message names `argument`. */
struct off_call {
    const char *function;
    int (*call)(void);
};
void wrong_calls_add_off(enum moment moment, const char *argument, const struct off_call *table);

/* Functions that take a process number: n, -1, INT_MAX and INT_MIN are wrong. */
struct rank_form {
    const char *function, *argument;
    int (*call)(int rank);
    bool minus_one_is_right;
};
void wrong_calls_add_ranks(const struct rank_form *table);

void wrong_transfers_collect(void);
void wrong_memory_collect(void);
void wrong_sync_collect(void);
void wrong_groups_collect(void);
void wrong_messages_collect(void);
void wrong_start_collect(void);

/* ---- what the calls work on */

/* A slice: its last int lies at 512, where a long would leave it; in no slice is the byte before or the 59 bytes after
 * it, wherever the library puts slices, since they are aligned to 64. */
enum { SLICE = 516, LOCAL = 1024, MOST_RANKS = 64 };

struct stage {
    int me, p, n;         /* the caller, the process that calls go to, the number of processes */
    void **base, **guard; /* two regions */
    char *there, *mine;   /* the slices of p and of the caller in base */
    char *gone;           /* in p, in a region that is freed */
    char *here;           /* LOCAL bytes of local memory */
    char *nowhere;        /* local memory, as an address of p: in no region */
    armci_hdl_t hdl;
    ARMCI_Group world, self; /* of all, of the caller */
    ARMCI_Group none, garbage, freed, foreign; /* no group; no group; a copy of one that is freed; one of others */
    MPI_Comm between;        /* an intercommunicator; MPI_COMM_NULL with one process */
};
extern struct stage stage;

/* Set the stage; collective.  prepare before the first call, end after the last. */
void wrong_calls_prepare(void);
void wrong_calls_end(void);
/* Has any byte in reach changed since prepare?  Collective: everything is complete before it looks. */
void wrong_calls_check_untouched(const char *after);
/* After the calls BESIDE_MEMGET: the memory they were made with works.  Collective. */
void wrong_calls_check_memget(void);
/* Before the library is started there is only the local buffer: set it, look at it. */
void wrong_calls_set_local(void);
void wrong_calls_check_local(const char *after);

/* ---- what must work after each of them (wrong_after.c) */

/* Collective: prepare and end.  run: a small random program of the caller against its model, local errors are counted;
 * check_sum: collective, what all programs together must have left. */
void after_prepare(void);
void after_run(int number, const char *after);
void after_check_sum(void);
void after_end(void);

#endif
