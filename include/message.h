/* message.h - the ARMCI message-passing family: what GA and other libraries need beside one-sided calls, on any MPI.
 *
 * Sizes named `len` or `buflen` are bytes, `n` counts elements of `type` (armci_msg_sel: bytes).  Process numbers are those of
 * ARMCI.  All functions but snd, rcv, rcvany, me, nproc, abort, timer and bintree are collective over their scope or group.
 * Messages travel on a communicator of the library's own: they never meet the application's.
 *
 * Scopes: SCOPE_ALL every process; SCOPE_NODE the processes of the caller's node; SCOPE_MASTERS the first process of each node
 * (other processes return at once, their data unchanged).  Roots are process numbers.
 * Operators: "+", "*", "max", "min", "absmax", "absmin"; for integer types also "or" (bitwise), "&&", "||" ("land", "lor").
 * Only the beginning of the text counts.
 */
#ifndef ARMCI_MESSAGE_H_INCLUDED
#define ARMCI_MESSAGE_H_INCLUDED

#include <armci.h>

#ifdef __cplusplus
extern "C" {
#endif

enum armci_scope_e { SCOPE_ALL = 0, SCOPE_NODE = 1, SCOPE_MASTERS = 2 };
enum armci_type_e { ARMCI_INT = 0, ARMCI_LONG = 1, ARMCI_LONG_LONG = 2, ARMCI_FLOAT = 3, ARMCI_DOUBLE = 4 };

/* Start and end for programs that know no MPI: MPI_Init, MPI_Finalize where the program (or ARMCI) has not done it. */
void armci_msg_init(int *argc, char ***argv);
void armci_msg_finalize(void);

int armci_msg_me(void);          /* the caller's process number */
int armci_msg_nproc(void);       /* number of processes */
void armci_msg_abort(int code);  /* abort the job with exit status `code` */
double armci_timer(void);        /* seconds since some fixed moment */

/* Two-sided messages.  rcv and rcvany store the bytes received in *msglen (may be NULL); rcvany returns the sender. */
void armci_msg_snd(int tag, void *buffer, int len, int to);
void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from);
int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen);

/* Barriers.  They complete no one-sided operation: see ARMCI_Barrier. */
void armci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group *group);

/* The caller's place in a binary tree over the scope: process numbers, -1 where there is none. */
void armci_msg_bintree(int scope, int *Root, int *Up, int *Left, int *Right);
void armci_msg_group_bintree(int scope, int *Root, int *Up, int *Left, int *Right, ARMCI_Group *group);

/* Broadcast `len` bytes.  root is a process number, in the group form too. */
void armci_msg_bcast(void *buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void *buffer, int len, int root);
void armci_msg_brdcst(void *buffer, int len, int root);
void armci_msg_group_bcast_scope(int scope, void *buf, int len, int root, ARMCI_Group *group);

/* Selection: among the processes that call with contribute != 0, the record x of n bytes whose first element (of `type`) is
 * largest (op "max") or smallest ("min") replaces x everywhere; among equal ones that of the lowest process number. */
void armci_msg_sel(void *x, int n, char *op, int type, int contribute);
void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute);

/* x[i] = reduction over all of x[i], everywhere (gop) or at the first process of the scope only (reduce). */
void armci_msg_reduce(void *x, int n, char *op, int type);
void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type);
void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type);
void armci_msg_igop(int *x, int n, char *op);
void armci_msg_lgop(long *x, int n, char *op);
void armci_msg_llgop(long long *x, int n, char *op);
void armci_msg_fgop(float *x, int n, char *op);
void armci_msg_dgop(double *x, int n, char *op);
void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group);
void armci_msg_group_igop(int *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_lgop(long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_llgop(long long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_fgop(float *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_dgop(double *x, int n, char *op, ARMCI_Group *group);

/* The same over the caller's node (its first process is the root of the broadcast). */
void armci_msg_clus_brdcst(void *buf, int len);
void armci_msg_clus_igop(int *x, int n, char *op);
void armci_msg_clus_lgop(long *x, int n, char *op);
void armci_msg_clus_llgop(long long *x, int n, char *op);
void armci_msg_clus_fgop(float *x, int n, char *op);
void armci_msg_clus_dgop(double *x, int n, char *op);

/* Every process sets ptr_ar[its own rank]; afterwards all n (the number of processes, of the group) entries are everywhere. */
void armci_exchange_address(void *ptr_ar[], int n);
void armci_exchange_address_grp(void *ptr_ar[], int n, ARMCI_Group *group);

#ifdef __cplusplus
}
#endif

#endif
