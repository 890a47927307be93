/* lock.c - mutexes: money moves between accounts, all of them on rank 0. Get, change and put are
 * three steps, so they stand between Lock and Unlock, which also completes the puts: the next
 * holder sees them. Without the lock transfers get lost. */
#include <stdio.h>
#include <stdlib.h>

#include <armci.h>

enum { ACCOUNTS = 4, START = 1000, TRANSFERS = 500 };

/* Take from the account that has most and give to the one that has least: depends on all, changes
 * two, counts itself. */
static void transfer(long *accounts)
{
    int most = 0, least = 0;
    for (int i = 1; i < ACCOUNTS; i++) {
        if (accounts[i] > accounts[most]) most = i;
        if (accounts[i] < accounts[least]) least = i;
    }
    for (volatile int i = 0; i < 20000; i++)
        continue; /* other work: long enough for somebody to come in between */
    accounts[most] -= 7;
    accounts[least] += 7;
    accounts[ACCOUNTS]++;
}

static void work(void *bank)
{
    long accounts[ACCOUNTS + 1]; /* and the number of transfers */
    for (int i = 0; i < TRANSFERS; i++) {
        ARMCI_Lock(0, 0); /* mutex 0 of rank 0 */
        ARMCI_Get(bank, accounts, sizeof accounts, 0);
        transfer(accounts);
        ARMCI_Put(accounts, bank, sizeof accounts, 0);
        ARMCI_Unlock(0, 0);
    }
}

int main(int argc, char **argv)
{
    ARMCI_Init_args(&argc, &argv);
    int me = armci_msg_me(), n = armci_msg_nproc();
    void **memory = malloc((size_t)n * sizeof *memory);
    if (!memory || ARMCI_Malloc(memory, me == 0 ? (ACCOUNTS + 1) * sizeof(long) : 0) != 0)
        ARMCI_Error("no memory", 1);
    if (ARMCI_Create_mutexes(me == 0 ? 1 : 0) != 0)
        ARMCI_Error("no mutex", 1); /* collective; this rank nodes so many */
    long *mine = memory[me];
    for (int i = 0; me == 0 && i <= ACCOUNTS; i++)
        mine[i] = i < ACCOUNTS ? START : 0;
    ARMCI_Barrier();

    work(memory[0]);
    ARMCI_Barrier();

    long total = 0, transfers = 0;
    for (int i = 0; me == 0 && i < ACCOUNTS; i++)
        total += mine[i];
    if (me == 0) transfers = mine[ACCOUNTS];
    int wrong = me == 0 && (total != ACCOUNTS * START || transfers != (long)n * TRANSFERS);
    if (me == 0)
        printf("lock: %ld transfers, %ld in the bank: %s\n", transfers, total,
               wrong ? "WRONG" : "right");
    armci_msg_igop(&wrong, 1, "+");
    ARMCI_Destroy_mutexes();
    ARMCI_Free(memory[me]);
    free(memory);
    ARMCI_Finalize();
    return wrong != 0;
}
