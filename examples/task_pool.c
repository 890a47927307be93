/* task_pool.c - dynamic load balancing: ranks draw task numbers from one counter by ARMCI_Rmw until
 * there are none left, and put each result where it belongs. No rank serves the others: the counter
 * is memory of rank 0. */
#include <stdio.h>
#include <stdlib.h>

#include <armci.h>

enum { TASKS = 500 };

/* Rank 0 holds these. */
struct bufpool {
    long next;
    int done[TASKS]; /* how often a task was done: must be once */
    long result[TASKS];
};

/* A task: steps of the Collatz sequence from a number to 1; the time differs by task. */
static long work(long number)
{
    long steps = 0;
    for (long x = number + 1; x != 1; steps++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return steps;
}

/* Address of a field of rank 0's pool, for ARMCI calls with process 0. */
#define IN_POOL(field) (&((struct bufpool *)memory[0])->field)

static int do_tasks(void *memory[])
{
    int drawn = 0, one = 1;
    long task;
    for (;;) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &task, IN_POOL(next), 1, 0);
        if (task >= TASKS) return drawn;
        long result = work(task);
        ARMCI_Put(&result, IN_POOL(result[task]), sizeof result, 0);
        ARMCI_Acc(ARMCI_ACC_INT, &one, &one, IN_POOL(done[task]), sizeof one, 0);
        drawn++;
    }
}

static int count_wrong(const struct bufpool *pool)
{
    int wrong = 0;
    for (long task = 0; task < TASKS; task++)
        wrong += pool->done[task] != 1 || pool->result[task] != work(task);
    return wrong;
}

int main(int argc, char **argv)
{
    ARMCI_Init_args(&argc, &argv);
    int me = armci_msg_me(), n = armci_msg_nproc();
    void **memory = malloc((size_t)n * sizeof *memory);
    if (!memory || ARMCI_Malloc(memory, me == 0 ? sizeof(struct bufpool) : 0) != 0)
        ARMCI_Error("no memory", 1);
    if (me == 0) *(struct bufpool *)memory[0] = (struct bufpool){0};
    ARMCI_Barrier();

    int drawn = do_tasks(memory), all = drawn;
    ARMCI_Barrier();
    armci_msg_igop(&all, 1, "+");
    int wrong = me == 0 ? count_wrong(memory[0]) + (all != TASKS) : 0;
    armci_msg_igop(&wrong, 1, "+");
    if (me == 0)
        printf("task_pool: %d tasks, %d of them by rank 0: %s\n", all, drawn,
               wrong ? "WRONG" : "right");
    ARMCI_Free(memory[me]);
    free(memory);
    ARMCI_Finalize();
    return wrong != 0;
}
