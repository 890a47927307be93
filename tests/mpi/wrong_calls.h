/* wrong_calls.h - calls with a wrong argument, each with the error that the library must report
 * (wrong_table.h), and the memory they work on. */
#ifndef TEST_WRONG_CALLS_H
#define TEST_WRONG_CALLS_H

#include "harness.h"

/* The result of a call whose function returns no code. */
enum { NO_CODE = -1000 };

/* When a call is wrong. */
enum moment {
    RUNNING,       /* between ARMCI_Init and ARMCI_Finalize; the argument is wrong */
    BESIDE_MEMGET, /* the same, but the call uses ARMCI_Memget, after which wrong addresses are
                      taken for such memory */
    ARMCI_OFF,     /* before ARMCI_Init and after ARMCI_Finalize, whatever MPI does */
    ARMCI_UNUSED,  /* before the first ARMCI_Init */
    MPI_OFF,       /* before MPI_Init and after MPI_Finalize */
    MPI_ENDED,     /* after MPI_Finalize */
    NEVER          /* the function has no wrong call: it takes nothing, or anything */
};

/* A function with rows; makes the call, or the mistake, of the row that is wanted. */
typedef int call_table(void);

struct wrong_call {
    char name[80];     /* FUNCTION.MISTAKE */
    char argument[40]; /* named in the message, or how its name begins */
    enum moment moment;
    int code; /* ARMCI_ERR_...: the kind of mistake */
    const char *function, *words;
    const char *value; /* how the value in the message begins; "n": the number of processes; "":
                          anything */
    call_table *calls, *mistakes; /* a row of each; NULL: none */
    int call, mistake;
};

/* The list, complete after wrong_calls_collect, which needs no MPI. */
void wrong_calls_collect(void);
int wrong_calls_count(void);
const struct wrong_call *wrong_calls_get(int i);
/* Make the call; returns its code, or NO_CODE. */
int wrong_calls_make(const struct wrong_call *w);

/* A slice: its last int lies at 512, where a long would leave it; in no slice is the byte before or
 * the 59 bytes after it, wherever the library puts slices, since they are aligned to 64. */
enum { SLICE = 516, HERE = 1024 };

struct stage {
    int me, p, n;          /* the caller, the process that calls go to, the number of processes */
    void **base, **beside; /* two regions */
    char *there, *mine;    /* the slices of p and of the caller in base */
    char *gone;            /* in p, in a region that is freed */
    char *here;            /* HERE bytes of local memory */
    char *nowhere;         /* local memory, as an address of p: in no region */
    armci_hdl_t hdl;
    ARMCI_Group world, self; /* of all, of the caller */
    ARMCI_Group none, garbage, freed,
        foreign;      /* no group; no group; a copy of one that is freed; one of others */
    MPI_Comm between; /* an intercommunicator; MPI_COMM_NULL with one process */
};
extern struct stage stage;

/* Set the stage; collective.  prepare before the first call, end after the last. */
void wrong_calls_prepare(void);
void wrong_calls_end(void);
/* Has any byte in reach changed since prepare?  Collective: everything is complete before it looks.
 */
void wrong_calls_check_untouched(const char *after);
/* After the calls BESIDE_MEMGET: the memory they were made with works. Collective. */
void wrong_calls_check_memget(void);
/* Before the library is started there is only the local buffer: set it, look at it. */
void wrong_calls_set_local(void);
void wrong_calls_check_local(const char *after);

#endif
