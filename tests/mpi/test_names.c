/* test_names.c - a program may put itself between ARMCI_X and PARMCI_X (test_symbols.py: every
 * function has both names). */
#include "harness.h"

static int puts_seen, barriers_seen,
    messages_seen; /* calls that came through the functions below */

/* The program's own ARMCI_Put takes the place of the library's, which stays in reach under its
 * profiling name. */
int ARMCI_Put(void *src, void *dst, int bytes, int proc)
{
    puts_seen++;
    return PARMCI_Put(src, dst, bytes, proc);
}

void ARMCI_Barrier(void)
{
    barriers_seen++;
    PARMCI_Barrier();
}

void armci_msg_igop(int *x, int n, char *op)
{
    messages_seen++;
    parmci_msg_igop(x, n, op);
}

static void the_program_in_between(void)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n, value = 40 + me, sum = 1;
    void **base = region_create(sizeof value);
    puts_seen = barriers_seen = messages_seen = 0;
    check_long(ARMCI_Put(&value, base[right], sizeof value, right), 0, "ARMCI_Put");
    ARMCI_Barrier();
    armci_msg_igop(&sum, 1, "+");
    check_long(puts_seen, 1, "puts seen by the program");
    check_long(barriers_seen, 1, "barriers seen by the program");
    check_long(messages_seen, 1, "reductions seen by the program");
    check_long(sum, n, "sum");
    check_long(PARMCI_GetValueInt(base[me], me), 40 + (me + n - 1) % n, "what was put");
    PARMCI_Barrier(); /* everybody has read */
    PARMCI_Barrier();
    value += 100;
    check_long(PARMCI_Put(&value, base[right], sizeof value, right), 0, "PARMCI_Put");
    PARMCI_Barrier();
    check_long(puts_seen, 1, "puts seen by the program after PARMCI_Put");
    check_long(ARMCI_GetValueInt(base[me], me), 140 + (me + n - 1) % n,
               "what was put through the profiling name");
    PARMCI_Barrier();
    region_free(base);
}

static void the_library_stays_inside(void)
{
    int me = test_rank(), value = 3, one = 1;
    void **base = region_create(64);
    puts_seen = barriers_seen = messages_seen = 0;
    ARMCI_PutValueInt(value, base[me], me);
    ARMCI_Acc(ARMCI_ACC_INT, &one, &one, base[me], sizeof one, me);
    ARMCI_Create_mutexes(1);
    ARMCI_Destroy_mutexes();
    PARMCI_Barrier();
    region_free(base);
    check_long(puts_seen + barriers_seen + messages_seen, 0,
               "calls of the library through replaced names");
}

static const struct test tests[] = {
    {"the program may put itself in between", the_program_in_between},
    {"the library does not call itself through the program", the_library_stays_inside},
};
SUITE();
