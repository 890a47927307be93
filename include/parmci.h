/* parmci.h - the profiling names: ARMCI_X is a weak alias of PARMCI_X, so that a tool can define
 * ARMCI_X and call PARMCI_X from it. Written by tools/gen-parmci from armci.h, message.h and
 * armcix.h; do not edit. */
#ifndef PARMCI_H_INCLUDED
#define PARMCI_H_INCLUDED

#include <armci.h>

#ifdef __GNUC__ /* C90 and C++98 have no long long */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long"
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* from armci.h */
int PARMCI_Init(void);
int PARMCI_Init_args(int *argc, char ***argv);
int PARMCI_Init_thread(int requested);
int PARMCI_Init_thread_comm(int requested, MPI_Comm comm);
int PARMCI_Init_mpi_comm(MPI_Comm comm);
int PARMCI_Initialized(void);
int PARMCI_Finalize(void);
void PARMCI_Cleanup(void);
void PARMCI_Error(const char *msg, int code);
const char *PARMCI_RMA_Version(void);
int PARMCI_Malloc(void **base_ptrs, armci_size_t bytes);
int PARMCI_Free(void *ptr);
int PARMCI_Malloc_group(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group);
int PARMCI_Free_group(void *ptr, ARMCI_Group *group);
int PARMCI_Malloc_memdev(void **base_ptrs, armci_size_t bytes, const char *device);
int PARMCI_Malloc_group_memdev(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group,
                               const char *device);
int PARMCI_Free_memdev(void *ptr);
void *PARMCI_Malloc_local(armci_size_t bytes);
int PARMCI_Free_local(void *ptr);
void PARMCI_Copy(void *src, void *dst, int n);
void PARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg);
void *PARMCI_Memat(armci_meminfo_t *meminfo, long offset);
void PARMCI_Memdt(armci_meminfo_t *meminfo, long offset);
void PARMCI_Memctl(armci_meminfo_t *meminfo);
void PARMCI_Access_begin(void *ptr);
void PARMCI_Access_end(void *ptr);
int PARMCI_Put(void *src, void *dst, int bytes, int proc);
int PARMCI_Get(void *src, void *dst, int bytes, int proc);
int PARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);
int PARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc);
int PARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc);
int PARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                int dst_stride_ar[], int count[], int stride_levels, int proc);
int PARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
int PARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);
int PARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc);
int PARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc);
int PARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                     int count[], int stride_levels, int *flag, int value, int proc);
int PARMCI_PutS_flag_dir(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                         int count[], int stride_levels, int *flag, int value, int proc);
int PARMCI_PutValueInt(int src, void *dst, int proc);
int PARMCI_PutValueLong(long src, void *dst, int proc);
int PARMCI_PutValueFloat(float src, void *dst, int proc);
int PARMCI_PutValueDouble(double src, void *dst, int proc);
int PARMCI_GetValueInt(void *src, int proc);
long PARMCI_GetValueLong(void *src, int proc);
float PARMCI_GetValueFloat(void *src, int proc);
double PARMCI_GetValueDouble(void *src, int proc);
void parmci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);
void parmci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);
void parmci_stride_info_init(stride_info_t *sinfo, void *base_ptr, int stride_levels,
                             const int *stride_arr, const int *seg_count);
void parmci_stride_info_destroy(stride_info_t *sinfo);
int parmci_stride_info_size(stride_info_t *sinfo);
int parmci_stride_info_count(stride_info_t *sinfo);
int parmci_stride_info_pos(stride_info_t *sinfo);
void parmci_stride_info_next(stride_info_t *sinfo);
void *parmci_stride_info_seg_ptr(stride_info_t *sinfo);
int parmci_stride_info_seg_size(stride_info_t *sinfo);
int parmci_stride_info_seg_off(stride_info_t *sinfo);
int parmci_stride_info_has_more(stride_info_t *sinfo);
void PARMCI_INIT_HANDLE(armci_hdl_t *hdl);
int PARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
int PARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
int PARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc,
                 armci_hdl_t *hdl);
int PARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t *hdl);
int PARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t *hdl);
int PARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                  int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
int PARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
int PARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc,
                  armci_hdl_t *hdl);
int PARMCI_NbPutValueInt(int src, void *dst, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutValueLong(long src, void *dst, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutValueFloat(float src, void *dst, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutValueDouble(double src, void *dst, int proc, armci_hdl_t *hdl);
void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *hdl);
void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *hdl);
int PARMCI_Wait(armci_hdl_t *hdl);
int PARMCI_Test(armci_hdl_t *hdl);
int PARMCI_WaitProc(int proc);
int PARMCI_WaitAll(void);
void PARMCI_Fence(int proc);
void PARMCI_AllFence(void);
void PARMCI_GroupFence(ARMCI_Group *group);
void PARMCI_Barrier(void);
void PARMCI_GroupBarrier(ARMCI_Group *group);
int PARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc);
int PARMCI_Create_mutexes(int count);
int PARMCI_Destroy_mutexes(void);
void PARMCI_Lock(int mutex, int proc);
void PARMCI_Unlock(int mutex, int proc);
int parmci_notify(int proc);
int parmci_notify_wait(int proc, int *pval);
void PARMCI_Group_create(int n, int *pid_list, ARMCI_Group *group_out);
void PARMCI_Group_create_child(int n, int *pid_list, ARMCI_Group *group_out, ARMCI_Group *parent);
void PARMCI_Group_free(ARMCI_Group *group);
int PARMCI_Group_rank(ARMCI_Group *group, int *rank);
void PARMCI_Group_size(ARMCI_Group *group, int *size);
void PARMCI_Group_set_default(ARMCI_Group *group);
void PARMCI_Group_get_default(ARMCI_Group *group_out);
void PARMCI_Group_get_world(ARMCI_Group *group_out);
int PARMCI_Absolute_id(ARMCI_Group *group, int group_rank);
MPI_Comm parmci_group_comm(ARMCI_Group *group);
int parmci_domain_nprocs(armci_domain_t domain, int id);
int parmci_domain_id(armci_domain_t domain, int glob_proc_id);
int parmci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
int parmci_domain_my_id(armci_domain_t domain);
int parmci_domain_count(armci_domain_t domain);
int parmci_domain_same_id(armci_domain_t domain, int proc);
int PARMCI_Same_node(int proc);
int parmci_sameclusnode(int proc);
int PARMCI_Uses_shm(void);
int PARMCI_Uses_shm_grp(ARMCI_Group *group);
void PARMCI_Set_shm_limit(unsigned long shmemlimit);

/* from message.h */
void parmci_msg_init(int *argc, char ***argv);
void parmci_msg_init_comm(MPI_Comm comm);
void parmci_msg_finalize(void);
int parmci_msg_me(void);
int parmci_msg_nproc(void);
void parmci_msg_abort(int code);
double parmci_timer(void);
void parmci_msg_snd(int tag, void *buffer, int len, int to);
void parmci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from);
int parmci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen);
void parmci_msg_barrier(void);
void parmci_msg_group_barrier(ARMCI_Group *group);
void parmci_msg_bintree(int scope, int *Root, int *Up, int *Left, int *Right);
void parmci_msg_group_bintree(int scope, int *Root, int *Up, int *Left, int *Right,
                              ARMCI_Group *group);
void parmci_msg_bcast(void *buffer, int len, int root);
void parmci_msg_bcast_scope(int scope, void *buffer, int len, int root);
void parmci_msg_brdcst(void *buffer, int len, int root);
void parmci_msg_group_bcast_scope(int scope, void *buf, int len, int root, ARMCI_Group *group);
void parmci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc,
                            ARMCI_Group *mastergroup);
void parmci_msg_sel(void *x, int n, char *op, int type, int contribute);
void parmci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute);
void parmci_msg_reduce(void *x, int n, char *op, int type);
void parmci_msg_reduce_scope(int scope, void *x, int n, char *op, int type);
void parmci_msg_gop_scope(int scope, void *x, int n, char *op, int type);
void parmci_msg_igop(int *x, int n, char *op);
void parmci_msg_lgop(long *x, int n, char *op);
void parmci_msg_llgop(long long *x, int n, char *op);
void parmci_msg_fgop(float *x, int n, char *op);
void parmci_msg_dgop(double *x, int n, char *op);
void parmci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group);
void parmci_msg_group_igop(int *x, int n, char *op, ARMCI_Group *group);
void parmci_msg_group_lgop(long *x, int n, char *op, ARMCI_Group *group);
void parmci_msg_group_llgop(long long *x, int n, char *op, ARMCI_Group *group);
void parmci_msg_group_fgop(float *x, int n, char *op, ARMCI_Group *group);
void parmci_msg_group_dgop(double *x, int n, char *op, ARMCI_Group *group);
void parmci_msg_clus_brdcst(void *buf, int len);
void parmci_msg_clus_igop(int *x, int n, char *op);
void parmci_msg_clus_lgop(long *x, int n, char *op);
void parmci_msg_clus_llgop(long long *x, int n, char *op);
void parmci_msg_clus_fgop(float *x, int n, char *op);
void parmci_msg_clus_dgop(double *x, int n, char *op);
void parmci_exchange_address(void *ptr_ar[], int n);
void parmci_exchange_address_grp(void *ptr_ar[], int n, ARMCI_Group *group);

/* from armcix.h */
struct armcix_mutex_hdl_s;
int PARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group);
int PARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group);
int PARMCIX_Mode_set(int mode, void *ptr, ARMCI_Group *group);
int PARMCIX_Mode_get(void *ptr);
struct armcix_mutex_hdl_s *PARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group);
int PARMCIX_Destroy_mutexes_hdl(struct armcix_mutex_hdl_s *hdl);
void PARMCIX_Lock_hdl(struct armcix_mutex_hdl_s *hdl, int mutex, int proc);
int PARMCIX_Trylock_hdl(struct armcix_mutex_hdl_s *hdl, int mutex, int proc);
void PARMCIX_Unlock_hdl(struct armcix_mutex_hdl_s *hdl, int mutex, int proc);
void *PARMCIX_Local_address(void *address, int proc);
void PARMCIX_Progress(void);
MPI_Comm PARMCIX_Get_world_comm(void);
void PARMCIX_Set_error_handler(void (*handler)(int code, const char *text));
int PARMCIX_Counters(unsigned long values[], int n);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif
