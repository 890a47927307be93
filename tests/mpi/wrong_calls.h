/* wrong_calls.h - calls with a wrong argument, each with the error that the library must report;
 * and the memory they work on.
 *
 * Every function is tried, argument by argument. A file for each part of the interface has tables:
 * single calls, and products of functions that share an argument and the mistakes that it allows.
 */
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

/* A table is a function with a row for each call (the macros below). It describes the row that is
 * wanted, and makes its call on request. */
struct row {
    int wanted, next; /* next: the row that comes next */
    bool make;        /* make the call; else describe it only */
    struct description {
        enum moment moment;
        int code;             /* ARMCI_ERR_...: the kind of mistake */
        const char *function; /* named in the message */
        const char *argument; /* named in the message, or how its name begins */
        const char *value; /* how the value in the message begins; "n": the number of processes; "":
                              anything */
        const char *name;  /* of the mistake; of a function in a product: what its cases are called
                              before that */
        int is;            /* of a function in a product: bits of the file */
        int of, not_of;    /* of a mistake in a product: the function must be one of these (0: any),
                              and none of those */
    } description;
};
/* Is this the wanted row, whose call is to be made? */
bool row_is(struct row *row, struct description description);
typedef int call_table(struct row *row);

/* One wrong call: WRONG(ARMCI_Free, inside, ADDRESS, "ptr", "0x", ARMCI_Free(stage.mine + 8)). */
#define ROW(CALL, ...)                                                                             \
    if (row_is(row, (struct description){__VA_ARGS__})) return CALL
#define WRONG(FUNCTION, NAME, CODE, ARGUMENT, VALUE, CALL)                                         \
    WRONG_AT(RUNNING, FUNCTION, NAME, CODE, ARGUMENT, VALUE, CALL)
#define WRONG_AT(MOMENT, FUNCTION, NAME, CODE, ARGUMENT, VALUE, CALL)                              \
    ROW(CALL, .moment = MOMENT, .code = ARMCI_ERR_##CODE, .function = #FUNCTION,                   \
        .argument = ARGUMENT, .value = VALUE, .name = #NAME)
/* A call while the library does not run, and a function that has no wrong call. */
#define OFF(FUNCTION, CALL) WRONG_AT(ARMCI_OFF, FUNCTION, off, STATE, "state", "", CALL)
#define NEVER_WRONG(FUNCTION)                                                                      \
    ROW(NO_CODE, .moment = NEVER, .function = #FUNCTION, .argument = "state", .value = "",         \
        .name = "never")
/* The code of a call that returns none. */
#define SILENT(CALL) ((CALL), NO_CODE)
/* The same, of a function that returns a value: is it the one that stands for nothing? */
int gives_nothing(bool nothing, const char *function);

/* Every function of a product is called with every mistake that it allows. */
struct product {
    int (*functions)(struct row *row, void *arguments); /* rows of FUNCTION */
    int (*mistakes)(struct row *row,
                    void *arguments); /* rows of MISTAKE, which change the arguments */
    void *(*right)(int is);           /* right arguments for such a function */
    const char *(*name_of)(
        const char *argument,
        int is);   /* what the function calls an argument of a mistake; NULL: the same */
    int never_off; /* functions that are not called while the library does not run */
};
enum { ALWAYS = ~0 };
#define FUNCTION(NAME, IS, CALL) FUNCTION_OF(NAME, NULL, NULL, IS, CALL)
#define FUNCTION_OF(NAME, ARGUMENT, PREFIX, IS, CALL)                                              \
    ROW(CALL, .function = #NAME, .argument = ARGUMENT, .name = PREFIX, .is = IS)
/* The last parameter is an expression. */
#define MISTAKE(NAME, OF, NOT_OF, CODE, ARGUMENT, VALUE, ...)                                      \
    ROW((__VA_ARGS__, 0), .code = ARMCI_ERR_##CODE, .argument = ARGUMENT, .value = VALUE,          \
        .name = #NAME, .of = OF, .not_of = NOT_OF)

struct wrong_call {
    char name[80];                  /* FUNCTION.MISTAKE */
    struct description description; /* of the function and of the mistake */
    call_table *table;              /* the row of this, */
    const struct product *product;  /* or of this a function */
    int row, mistake;               /* and a mistake; -1: none */
};

/* The list, complete after wrong_calls_collect, which needs no MPI. */
void wrong_calls_collect(void);
int wrong_calls_count(void);
const struct wrong_call *wrong_calls_get(int i);
/* Make the call; returns its code, or NO_CODE. */
int wrong_calls_make(const struct wrong_call *w);

void wrong_calls_add(call_table *table);
void wrong_calls_add_product(const struct product *product);
/* Functions that take a process number, rows of RANK: n, -1, INT_MAX and INT_MIN are wrong. */
enum { MINUS_ONE_IS_RIGHT = 1 };
#define RANK(NAME, ARGUMENT, IS, CALL) FUNCTION_OF(NAME, ARGUMENT, ARGUMENT "_", IS, CALL)
void wrong_calls_add_ranks(int (*functions)(struct row *row, void *rank));

void wrong_transfers_collect(void);
void wrong_memory_collect(void);
void wrong_sync_collect(void);
void wrong_groups_collect(void);
void wrong_messages_collect(void);
void wrong_start_collect(void);

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
