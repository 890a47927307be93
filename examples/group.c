/* group.c - groups: the even and the odd ranks work concurrently, each group with separate memory,
 * and synchronize at the end. Only the members of a group call what is collective over it;
 * transfers name ranks of the world all the same. */
#include <stdio.h>
#include <stdlib.h>

#include <armci.h>

/* The group of all ranks that are even, or odd, as this one is. */
static ARMCI_Group make_group(int me, int n)
{
    ARMCI_Group group;
    int *members = malloc((size_t)n * sizeof *members), count = 0;
    if (!members) ARMCI_Error("no memory", 1);
    for (int p = me % 2; p < n; p += 2)
        members[count++] = p;
    ARMCI_Group_create(count, members, &group); /* collective over the members */
    free(members);
    return group;
}

/* Every member adds its world rank + 1 to a value at each member; what this rank's value is in the
 * end. */
static int add_up(ARMCI_Group *group)
{
    int rank, size, one = 1;
    ARMCI_Group_rank(group, &rank);
    ARMCI_Group_size(group, &size);
    void **values = malloc((size_t)size * sizeof *values); /* by rank in the group */
    if (!values || ARMCI_Malloc_group(values, sizeof(int), group) != 0) ARMCI_Error("no memory", 1);
    int *mine = values[rank];
    *mine = 0;
    armci_msg_group_barrier(group);
    int share = ARMCI_Absolute_id(group, rank) + 1;
    for (int k = 0; k < size; k++)
        ARMCI_Acc(ARMCI_ACC_INT, &one, &share, values[k], sizeof share,
                  ARMCI_Absolute_id(group, k));
    ARMCI_GroupFence(group);
    armci_msg_group_barrier(group);
    int sum = *mine;
    ARMCI_Free_group(values[rank], group);
    free(values);
    return sum;
}

int main(int argc, char **argv)
{
    ARMCI_Init_args(&argc, &argv);
    int me = armci_msg_me(), n = armci_msg_nproc(), expected = 0;
    ARMCI_Group group = make_group(me, n);
    int sum = add_up(&group);
    for (int p = me % 2; p < n; p += 2)
        expected += p + 1;
    int wrong = sum != expected;
    ARMCI_Group_free(&group);

    int both[2] = {me == 0 ? sum : 0, me == 1 ? sum : 0};
    armci_msg_igop(both, 2, "+"); /* over all ranks */
    wrong += both[0] + both[1] != n * (n + 1) / 2;
    armci_msg_igop(&wrong, 1, "+");
    if (me == 0)
        printf("group: even ranks %d, odd ranks %d: %s\n", both[0], both[1],
               wrong ? "WRONG" : "right");
    ARMCI_Finalize();
    return wrong != 0;
}
