/* comex_calls.c: ComEx for a program that was compiled with ARMCI-MPI's headers.
 *
 * Most functions are the same in both, and lead_calls.c leads the program to ComEx's. Those here
 * translate first what the headers define differently: numbers of operations, types and scopes, the
 * order of members of armci_giov_t, and groups. The program is led to led_X where it calls X. */
#include <stdio.h>
#include <stdlib.h>
#include <armci.h>
#include <message.h>

/* What ARMCI-MPI's armci_giov_t is: ComEx has the last two in the other order. */
struct segments {
    void **from, **to;
    int bytes, number;
};

/* What ARMCI-MPI's ARMCI_Group is: ComEx has an int. Global Arrays reads comm, and nothing else. */
struct group {
    MPI_Comm comm, unused_comm;
    int *unused_lists[2];
    ARMCI_Group id;
    int unused_size;
};

MPI_Comm armci_group_comm(ARMCI_Group *group); /* in ComEx, but in none of its headers */

/* ComEx's numbers, at the places of ARMCI-MPI's, which count from 0. */
enum { LONGEST = 6 };
static const int accumulates[LONGEST] = {ARMCI_ACC_INT, ARMCI_ACC_LNG, ARMCI_ACC_FLT,
                                         ARMCI_ACC_DBL, ARMCI_ACC_CPL, ARMCI_ACC_DCP};
static const int updates[LONGEST] = {ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP,
                                     ARMCI_SWAP_LONG};
static const int types[LONGEST] = {ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT,
                                   ARMCI_DOUBLE};
static const int scopes[LONGEST] = {SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS};

/* Ends the program. The functions that ComEx does not have are led here. */
void led_absent(void)
{
    fprintf(stderr, "ARMCI error: a function or a number that ComEx does not have\n");
    abort();
}

/* Gives ComEx's number for one of ARMCI-MPI's. */
static int translate(const int table[LONGEST], int number)
{
    if (number < 0 || number >= LONGEST || table[number] == 0) led_absent();
    return table[number];
}

void led_ARMCI_Access_begin(void *at)
{
    (void)at; /* ComEx's memory may be read and written at any time */
}

void led_ARMCI_Access_end(void *at)
{
    (void)at;
}

void led_ARMCI_INIT_HANDLE(void *handle)
{
    (void)handle;
}

int led_ARMCI_Uses_shm_grp(void *group)
{
    (void)group; /* ComEx's ends the program; it never says that it uses shared memory */
    return 0;
}

int led_ARMCI_Rmw(int op, void *old, void *at, int value, int proc)
{
    return ARMCI_Rmw(translate(updates, op), old, at, value, proc);
}

int led_ARMCI_Acc(int type, void *scale, void *from, void *to, int bytes, int proc)
{
    return ARMCI_Acc(translate(accumulates, type), scale, from, to, bytes, proc);
}

int led_ARMCI_AccS(int type, void *scale, void *from, int *from_strides, void *to, int *to_strides,
                   int *counts, int levels, int proc)
{
    return ARMCI_AccS(translate(accumulates, type), scale, from, from_strides, to, to_strides,
                      counts, levels, proc);
}

int led_ARMCI_NbAccS(int type, void *scale, void *from, int *from_strides, void *to,
                     int *to_strides, int *counts, int levels, int proc, armci_hdl_t *handle)
{
    return ARMCI_NbAccS(translate(accumulates, type), scale, from, from_strides, to, to_strides,
                        counts, levels, proc, handle);
}

/* Fills ComEx's description of a vector transfer. */
static void describe(armci_giov_t *filled, const struct segments *given, int length)
{
    for (int i = 0; i < length; i++) {
        filled[i].src_ptr_array = given[i].from;
        filled[i].dst_ptr_array = given[i].to;
        filled[i].bytes = given[i].bytes;
        filled[i].ptr_array_len = given[i].number;
    }
}

int led_ARMCI_PutV(struct segments *given, int length, int proc)
{
    armci_giov_t vector[length];
    describe(vector, given, length);
    return ARMCI_PutV(vector, length, proc);
}

int led_ARMCI_GetV(struct segments *given, int length, int proc)
{
    armci_giov_t vector[length];
    describe(vector, given, length);
    return ARMCI_GetV(vector, length, proc);
}

int led_ARMCI_AccV(int type, void *scale, struct segments *given, int length, int proc)
{
    armci_giov_t vector[length];
    describe(vector, given, length);
    return ARMCI_AccV(translate(accumulates, type), scale, vector, length, proc);
}

int led_ARMCI_NbPutV(struct segments *given, int length, int proc, armci_hdl_t *handle)
{
    armci_giov_t vector[length];
    describe(vector, given, length);
    return ARMCI_NbPutV(vector, length, proc, handle);
}

int led_ARMCI_NbGetV(struct segments *given, int length, int proc, armci_hdl_t *handle)
{
    armci_giov_t vector[length];
    describe(vector, given, length);
    return ARMCI_NbGetV(vector, length, proc, handle);
}

int led_ARMCI_NbAccV(int type, void *scale, struct segments *given, int length, int proc,
                     armci_hdl_t *handle)
{
    armci_giov_t vector[length];
    describe(vector, given, length);
    return ARMCI_NbAccV(translate(accumulates, type), scale, vector, length, proc, handle);
}

void led_ARMCI_Group_create(int n, int *members, struct group *made)
{
    ARMCI_Group_create(n, members, &made->id);
    made->comm = armci_group_comm(&made->id);
}

void led_ARMCI_Group_create_child(int n, int *members, struct group *made, struct group *parent)
{
    ARMCI_Group_create_child(n, members, &made->id, &parent->id);
    made->comm = armci_group_comm(&made->id);
}

void led_ARMCI_Group_free(struct group *group)
{
    ARMCI_Group_free(&group->id);
}

int led_ARMCI_Group_rank(struct group *group, int *rank)
{
    return ARMCI_Group_rank(&group->id, rank);
}

void led_ARMCI_Group_size(struct group *group, int *size)
{
    ARMCI_Group_size(&group->id, size);
}

void led_ARMCI_Group_set_default(struct group *group)
{
    ARMCI_Group_set_default(&group->id);
}

void led_ARMCI_Group_get_default(struct group *group)
{
    ARMCI_Group_get_default(&group->id);
    group->comm = armci_group_comm(&group->id);
}

void led_ARMCI_Group_get_world(struct group *group)
{
    ARMCI_Group_get_world(&group->id);
    group->comm = armci_group_comm(&group->id);
}

int led_ARMCI_Absolute_id(struct group *group, int rank)
{
    return ARMCI_Absolute_id(&group->id, rank);
}

int led_ARMCI_Malloc_group(void **addresses, armci_size_t bytes, struct group *group)
{
    return ARMCI_Malloc_group(addresses, bytes, &group->id);
}

int led_ARMCI_Malloc_group_memdev(void **addresses, armci_size_t bytes, struct group *group,
                                  const char *device)
{
    return ARMCI_Malloc_group_memdev(addresses, bytes, &group->id, device);
}

int led_ARMCI_Free_group(void *at, struct group *group)
{
    return ARMCI_Free_group(at, &group->id);
}

void led_armci_msg_group_barrier(struct group *group)
{
    armci_msg_group_barrier(&group->id);
}

void led_armci_msg_group_bcast_scope(int scope, void *data, int bytes, int root,
                                     struct group *group)
{
    armci_msg_group_bcast_scope(translate(scopes, scope), data, bytes, root, &group->id);
}

void led_armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type,
                                   struct group *group)
{
    armci_msg_group_gop_scope(translate(scopes, scope), x, n, op, translate(types, type),
                              &group->id);
}

void led_armci_msg_group_igop(int *x, int n, char *op, struct group *group)
{
    armci_msg_group_igop(x, n, op, &group->id);
}

void led_armci_msg_group_lgop(long *x, int n, char *op, struct group *group)
{
    armci_msg_group_lgop(x, n, op, &group->id);
}

void led_armci_msg_group_llgop(long long *x, int n, char *op, struct group *group)
{
    armci_msg_group_llgop(x, n, op, &group->id);
}

void led_armci_msg_group_fgop(float *x, int n, char *op, struct group *group)
{
    armci_msg_group_fgop(x, n, op, &group->id);
}

void led_armci_msg_group_dgop(double *x, int n, char *op, struct group *group)
{
    armci_msg_group_dgop(x, n, op, &group->id);
}

void led_armci_msg_bcast_scope(int scope, void *data, int bytes, int root)
{
    armci_msg_bcast_scope(translate(scopes, scope), data, bytes, root);
}

void led_armci_msg_gop_scope(int scope, void *x, int n, char *op, int type)
{
    armci_msg_gop_scope(translate(scopes, scope), x, n, op, translate(types, type));
}

void led_armci_msg_reduce(void *x, int n, char *op, int type)
{
    armci_msg_reduce(x, n, op, translate(types, type));
}

void led_armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type)
{
    armci_msg_reduce_scope(translate(scopes, scope), x, n, op, translate(types, type));
}

void led_armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute)
{
    armci_msg_sel_scope(translate(scopes, scope), x, n, op, translate(types, type), contribute);
}
