/* wrong_table.h - what the rows of the table of wrong calls are made of.
 *
 * A function (wrong_functions.c) has right arguments and words: KEY, or KEY:ARGUMENT, what it calls
 * the argument. A mistake (wrong_mistakes.c) is made with each function that has one of the keys
 * it is OF, and none of those after a minus. */
#ifndef TEST_WRONG_TABLE_H
#define TEST_WRONG_TABLE_H

#include <limits.h>

#include "wrong_calls.h"

enum { LEVELS = 16, ENTRIES = 3, TAG = 5, MEMGET = 64 };

/* Of all functions; each takes what it needs. Set right before each call. */
struct arguments {
    int proc, bytes, datatype, levels, entries, op, mode, len, n, scope, domain, member, mutex;
    int left_out; /* place in a tree that has no pointer */
    long size, offset;
    void *scale, *x, *ptr, **base;
    char *local, *remote, *operation, *buf;
    int *count, *local_stride, *remote_stride, *flag, *list, *out;
    armci_giov_t *iov;
    armci_hdl_t *hdl;
    ARMCI_Group *group, *new_group;
    armci_meminfo_t *info;
    stride_info_t *walk;
    armcix_mutex_hdl_t set;
    MPI_Comm comm;

    /* what the pointers point to */
    int counts[LEVELS + 1], local_strides[LEVELS], remote_strides[LEVELS], ranks[2], number;
    double one;
    void *locals[ENTRIES], *remotes[ENTRIES], *table[MOST_RANKS];
    armci_giov_t iovs[2];
    ARMCI_Group world, created;
    armci_meminfo_t memory;
    stride_info_t walked;
};
extern struct arguments a;

/* The row that is looked for. */
struct row {
    int wanted, next; /* next: the row that comes next */
    bool make;        /* make it; else describe it only */
    struct description {
        enum moment moment;
        int code;
        const char *function, *words;        /* of a function */
        const char *name, *argument, *value; /* of a mistake */
        const char *of;                      /* NULL: of the function before it */
        bool own_call;                       /* the mistake is a call of its own */
    } description;
};
extern struct row row;

bool row_is(struct description description);

#define ROW(CALL, ...)                                                                             \
    if (row_is((struct description){__VA_ARGS__})) return CALL
/* A function that returns a code, the code negative, nothing; a value that is 0, or negative, for
 * nothing. */
#define CALL(NAME, WORDS, CALL)      ROW(CALL, .function = #NAME, .words = WORDS)
#define CODE(NAME, WORDS, ...)       ROW(NAME(__VA_ARGS__), .function = #NAME, .words = WORDS)
#define MINUS_CODE(NAME, WORDS, ...) ROW(-NAME(__VA_ARGS__), .function = #NAME, .words = WORDS)
#define VOID(NAME, WORDS, ...)       ROW(SILENT(NAME(__VA_ARGS__)), .function = #NAME, .words = WORDS)
#define ZERO(NAME, WORDS, ...)       ROW(nothing(!NAME(__VA_ARGS__)), .function = #NAME, .words = WORDS)
#define NEGATIVE(NAME, WORDS, ...)                                                                 \
    ROW(nothing(NAME(__VA_ARGS__) < 0), .function = #NAME, .words = WORDS)
#define SILENT(CALL) ((CALL), NO_CODE)
/* The result of a call that must give nothing. */
int nothing(bool is_nothing);

/* A mistake of the function above; the last parameter is an expression that changes an argument. */
#define WRONG(NAME, CODE, ARGUMENT, VALUE, ...)                                                    \
    MISTAKE_AT(RUNNING, NAME, NULL, CODE, ARGUMENT, VALUE, __VA_ARGS__)
#define WRONG_AT(MOMENT, NAME, CODE, ARGUMENT, VALUE, ...)                                         \
    MISTAKE_AT(MOMENT, NAME, NULL, CODE, ARGUMENT, VALUE, __VA_ARGS__)
/* One of every function that it is OF. ARGUMENT: @KEY is what the function calls that argument, and
 * a name that begins with _ comes after that. */
#define MISTAKE(NAME, OF, CODE, ARGUMENT, VALUE, ...)                                              \
    MISTAKE_AT(RUNNING, NAME, OF, CODE, ARGUMENT, VALUE, __VA_ARGS__)
#define MISTAKE_AT(MOMENT, NAME, OF, CODE, ARGUMENT, VALUE, ...)                                   \
    ROW((__VA_ARGS__, 0), MOMENT, ARMCI_ERR_##CODE, .name = #NAME, .argument = ARGUMENT,           \
        .value = VALUE, .of = OF)
/* A call of its own of the function above. */
#define WRONG_CALL(NAME, CODE, ARGUMENT, VALUE, CALL)                                              \
    ROW(CALL, RUNNING, ARMCI_ERR_##CODE, .name = #NAME, .argument = ARGUMENT, .value = VALUE,      \
        .own_call = true)

/* Two mistakes: -1 and the smallest integer; three: the largest too. */
#define TOO_SMALL(NAME, OF, CODE, ARGUMENT, LVALUE)                                                \
    MISTAKE(NAME##negative, OF, CODE, ARGUMENT, "-1", LVALUE = -1);                                \
    MISTAKE(NAME##smallest, OF, CODE, ARGUMENT, "-2147483648", LVALUE = INT_MIN)
#define ENDS(NAME, OF, CODE, ARGUMENT, LVALUE)                                                     \
    TOO_SMALL(NAME, OF, CODE, ARGUMENT, LVALUE);                                                   \
    MISTAKE(NAME##largest, OF, CODE, ARGUMENT, "2147483647", LVALUE = INT_MAX)

extern call_table *const function_tables[], *const mistake_tables[];

/* Levels, and a count and a stride for each. */
void set_patch(int levels, int count, int stride);
armcix_mutex_hdl_t destroyed_set(void);

#endif
