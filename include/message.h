/** @file message.h
 * Message passing for Global Arrays and other libraries: messages, broadcasts, reductions,
 * barriers.
 */
#ifndef ARMCI_MESSAGE_H_INCLUDED
#define ARMCI_MESSAGE_H_INCLUDED

#include <armci.h>

#ifdef __GNUC__ /* C90 and C++98 have no long long */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long"
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup scopes Scopes and types of messages
 * Definitions shared by the functions of `message.h`. They use private communicators, separate from
 * the program's messages.
 * @{ */
/** The participants of a collective. */
enum armci_scope_e {
    SCOPE_ALL = 0,    /**< every process (of the group) */
    SCOPE_NODE = 1,   /**< the processes of the caller's node */
    SCOPE_MASTERS = 2 /**< the first process of each node; others return immediately, with their
                         data unchanged */
};
/** Types of elements. */
enum armci_type_e {
    ARMCI_INT = 0,       /**< int */
    ARMCI_LONG = 1,      /**< long */
    ARMCI_LONG_LONG = 2, /**< long long */
    ARMCI_FLOAT = 3,     /**< float */
    ARMCI_DOUBLE = 4     /**< double */
};
/** @} */
/** @defgroup program Programs without MPI
 * For programs that call no MPI function themselves.
 * @errors `armci_msg_me` and `armci_msg_nproc` return a negative number if neither ARMCI nor MPI is
 * running. The others may be called at any time.
 * @source None of the papers; names that older programs use. @{ */
/** Initialize MPI if it is not initialized. */
void armci_msg_init(int *argc, char ***argv);
/** Initialize MPI if it is not initialized. The communicator has no effect: ARMCI_Init_mpi_comm
 * starts ARMCI on one. */
void armci_msg_init_comm(MPI_Comm comm);
/** Finalize MPI if it is not finalized. */
void armci_msg_finalize(void);
/** The caller's process number; before ARMCI_Init its rank in MPI_COMM_WORLD. */
int armci_msg_me(void);
/** The number of processes; before ARMCI_Init the size of MPI_COMM_WORLD. */
int armci_msg_nproc(void);
/** Abort the job with exit status `code`. */
void armci_msg_abort(int code);
/** Seconds since a fixed time in the past. */
double armci_timer(void);
/** @} */
/** @defgroup twosided Two-sided messages
 * The target calls a function to receive a message. A tag is any int, of which the lowest 15 bits
 * are significant.
 * @units Bytes.
 * @completion `armci_msg_snd` returns when the buffer may be used again: short messages may be
 * buffered, long ones wait for the receiver. The receiving functions return when the message has
 * arrived. Messages do not complete one-sided operations.
 * @ordering Messages of one tag from one process to another arrive in the order in which they were
 * sent.
 * @errors `ARMCI_ERR_RANK`, `ARMCI_ERR_COUNT` (negative, or the buffer is too short: the message is
 * not received, and a call with a longer buffer can receive it), `ARMCI_ERR_ADDRESS`.
 * @source None of the papers; the message interface that Global Arrays uses. @{ */
/** Send `len` bytes. */
void armci_msg_snd(int tag, void *buffer, int len, int to);
/** Receive from a process; stores the number of bytes received in `*msglen` (may be NULL). */
void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from);
/** Receive from any process; returns the sender, or a negative number on error. */
int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen);
/** @} */
/** @defgroup msgbarrier Message barriers
 * Barriers that, unlike `ARMCI_Barrier`, do not complete one-sided operations.
 * @errors `ARMCI_ERR_GROUP`.
 * @source None of the papers. @{ */
/** Wait for all processes. */
void armci_msg_barrier(void);
/** Wait for the members of a group. */
void armci_msg_group_barrier(ARMCI_Group *group);
/** @} */
/** @defgroup bintree Binary trees
 * The caller's neighbours in a binary tree over the processes of a scope: process numbers, or -1.
 * Local.
 * @errors `ARMCI_ERR_TYPE`: invalid scope. `ARMCI_ERR_ADDRESS`: NULL. `ARMCI_ERR_GROUP`.
 * @source None of the papers. @{ */
/** Over all processes. */
void armci_msg_bintree(int scope, int *Root, int *Up, int *Left, int *Right);
/** Over the processes of a group. */
void armci_msg_group_bintree(int scope, int *Root, int *Up, int *Left, int *Right,
                             ARMCI_Group *group);
/** @} */
/** @defgroup broadcast Broadcast
 * Every process in the scope gets the bytes of `root`, a process number also in the group form.
 * Collective over the scope.
 * @units Bytes.
 * @errors `ARMCI_ERR_COUNT`, `ARMCI_ERR_TYPE` (invalid scope), `ARMCI_ERR_RANK` (`root` is not in
 * the scope), `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_GROUP`.
 * @source None of the papers. @{ */
/** Broadcast `len` bytes to all. */
void armci_msg_bcast(void *buffer, int len, int root);
/** Broadcast within a scope. */
void armci_msg_bcast_scope(int scope, void *buffer, int len, int root);
/** armci_msg_bcast under another name. */
void armci_msg_brdcst(void *buffer, int len, int root);
/** Broadcast within a scope of a group. */
void armci_msg_group_bcast_scope(int scope, void *buf, int len, int root, ARMCI_Group *group);
/** Broadcast from rank `grp_master` of the group to that rank and the next `grp_clus_nproc` - 1.
 * Collective over these ranks; other members may call, too. */
void armci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group *mastergroup);
/** @} */
/** @defgroup select Selection
 * Each process passes a record `x` of `n` bytes. Of the processes with `contribute` != 0, the
 * record whose first element (of `type`) is largest (operator "max") or smallest ("min") replaces
 * `x` on all processes of the scope. In a tie the lowest process number wins. Collective over the
 * scope.
 * @units Bytes.
 * @errors `ARMCI_ERR_TYPE` (scope, type, operator), `ARMCI_ERR_COUNT` (negative, or shorter than
 * the element), `ARMCI_ERR_ADDRESS`.
 * @source None of the papers. @{ */
/** Among all. */
void armci_msg_sel(void *x, int n, char *op, int type, int contribute);
/** Within a scope. */
void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute);
/** @} */
/** @defgroup reductions Reductions
 * `x[i]` becomes the reduction of all `x[i]` of the scope, on all processes; the two functions
 * named reduce store it at the first process of the scope only. Operators: "+", "*", "max", "min",
 * "absmax", "absmin"; for integer types also "or" (bitwise), "&&" and "||" (also "land", "lor"),
 * which give 0 or 1. Text after the operator is ignored. Collective over the scope or group.
 * @units `n` counts elements of the type.
 * @errors `ARMCI_ERR_TYPE` (scope, type, operator, or an operator that the type lacks),
 * `ARMCI_ERR_COUNT`, `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_GROUP`.
 * @source None of the papers. @{ */
/** To the first process of all. */
void armci_msg_reduce(void *x, int n, char *op, int type);
/** To the first process of a scope. */
void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type);
/** Within a scope, any type. */
void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type);
/** Ints, over all. */
void armci_msg_igop(int *x, int n, char *op);
/** Longs, over all. */
void armci_msg_lgop(long *x, int n, char *op);
/** Long longs, over all. */
void armci_msg_llgop(long long *x, int n, char *op);
/** Floats, over all. */
void armci_msg_fgop(float *x, int n, char *op);
/** Doubles, over all. */
void armci_msg_dgop(double *x, int n, char *op);
/** Within a scope of a group, any type. */
void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group);
/** Ints, over a group. */
void armci_msg_group_igop(int *x, int n, char *op, ARMCI_Group *group);
/** Longs, over a group. */
void armci_msg_group_lgop(long *x, int n, char *op, ARMCI_Group *group);
/** Long longs, over a group. */
void armci_msg_group_llgop(long long *x, int n, char *op, ARMCI_Group *group);
/** Floats, over a group. */
void armci_msg_group_fgop(float *x, int n, char *op, ARMCI_Group *group);
/** Doubles, over a group. */
void armci_msg_group_dgop(double *x, int n, char *op, ARMCI_Group *group);
/** @} */
/** @defgroup node Broadcast and reductions within a node
 * Short forms for the scope SCOPE_NODE. Collective over the caller's node.
 * @units `len` is bytes, `n` counts elements.
 * @errors As for broadcasts and reductions.
 * @source None of the papers. @{ */
/** Broadcast `len` bytes from the node's first process. */
void armci_msg_clus_brdcst(void *buf, int len);
/** Ints. */
void armci_msg_clus_igop(int *x, int n, char *op);
/** Longs. */
void armci_msg_clus_lgop(long *x, int n, char *op);
/** Long longs. */
void armci_msg_clus_llgop(long long *x, int n, char *op);
/** Floats. */
void armci_msg_clus_fgop(float *x, int n, char *op);
/** Doubles. */
void armci_msg_clus_dgop(double *x, int n, char *op);
/** @} */
/** @defgroup exchange Exchange of addresses
 * Every process sets `ptr_ar[its own rank]`; afterwards every process has all `n` entries.
 * Collective.
 * @units `n` is the number of processes (of the group).
 * @errors `ARMCI_ERR_COUNT`: `n` is another number. `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_GROUP`.
 * @source None of the papers. @{ */
/** Among all. */
void armci_exchange_address(void *ptr_ar[], int n);
/** Within a group. */
void armci_exchange_address_grp(void *ptr_ar[], int n, ARMCI_Group *group);
/** @} */

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif
