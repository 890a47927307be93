/* hello.c - put and get: every rank leaves a greeting with its right neighbour and fetches back
 * what it left there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armci.h>

enum { ROOM = 64 };

int main(int argc, char **argv)
{
    ARMCI_Init_args(&argc, &argv); /* starts MPI, too */
    int me = armci_msg_me(), n = armci_msg_nproc();
    int right = (me + 1) % n, left = (me + n - 1) % n;

    /* Collective: ROOM bytes on every rank. Afterwards memory[p] is the address of rank p's bytes,
     * valid in rank p. */
    void **memory = malloc((size_t)n * sizeof *memory);
    if (!memory || ARMCI_Malloc(memory, ROOM) != 0) ARMCI_Error("no memory", 1);

    char greeting[ROOM] = "", back[ROOM] = "", expected[ROOM] = "";
    snprintf(greeting, sizeof greeting, "hello from rank %d of %d", me, n);
    ARMCI_Put(greeting, memory[right], ROOM, right); /* greeting may be reused now */
    ARMCI_Get(memory[right], back, ROOM,
              right); /* one's own operations on one rank are seen in order */
    int wrong = strcmp(back, greeting) != 0;

    ARMCI_Barrier(); /* all puts of all ranks are in place now */
    snprintf(expected, sizeof expected, "hello from rank %d of %d", left, n);
    wrong += strcmp(memory[me], expected) != 0; /* one's own part is plain memory */

    armci_msg_igop(&wrong, 1, "+");
    if (me == 0) printf("hello: %s\n", wrong ? "WRONG" : "right");
    ARMCI_Free(memory[me]);
    free(memory);
    ARMCI_Finalize();
    return wrong != 0;
}
