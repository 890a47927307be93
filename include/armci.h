/* armci.h - the ARMCI one-sided communication interface.
 *
 * ARMCI moves data between the memory of the caller and memory of any other process that was allocated
 * with ARMCI_Malloc, without the other process taking part.  A global address is the pair <process, address>:
 * the address is the one that is valid in that process (the pointers that ARMCI_Malloc hands out), whoever uses it.
 *
 * Sources of the semantics, cited below by their letter:
 *   [A] J. Nieplocha, B. Carpenter, "ARMCI: A Portable Remote Memory Copy Library for Distributed Array Libraries and
 *       Compiler Run-Time Systems", RTSPP/IPPS 1999 (transfers, strided and vector formats, fence, rmw, mutexes).
 *   [B] J. Nieplocha, V. Tipparaju, M. Krishnan, D. Panda, "High Performance Remote Memory Access Communication: The
 *       ARMCI Approach", Int. J. High Perform. Comput. Appl. 20(2), 2006 (handles, aggregation, consistency).
 *   [C] J. Dinan, P. Balaji, J. Hammond, S. Krishnamoorthy, V. Tipparaju, "Supporting the Global Arrays PGAS Model Using
 *       MPI One-Sided Communication", IPDPS 2012 (vector methods, access epochs, mutexes over MPI).
 *
 * Conventions that hold for every function unless its comment says otherwise:
 *   - all sizes, counts[0] and strides are BYTES; process numbers are ranks in the communicator ARMCI was started on;
 *   - functions that return int return 0 on success; a wrong argument prints one line (rank, function, argument, value,
 *     why) and aborts the job, or with ARMCI_ERRORS=return returns a nonzero ARMCI_ERR_* code and changes nothing;
 *   - a blocking put or accumulate returns when the local buffer may be reused; its data is sure to be in the target's
 *     memory after ARMCI_Fence(target), ARMCI_AllFence or ARMCI_Barrier; a blocking get returns with the data [A, 2.4];
 *   - location consistency: a process sees its own blocking operations on one target in the order it issued them [B, 2.3];
 *   - the local buffer of a transfer may itself lie in global memory;
 *   - every ARMCI_X is a weak alias of PARMCI_X (parmci.h), so that a tool can intercept it;
 *   - thread safe when MPI was started with MPI_THREAD_MULTIPLE.
 */
#ifndef ARMCI_H_INCLUDED
#define ARMCI_H_INCLUDED

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tells sources which ARMCI this is: one over MPI-3 RMA. */
#define ARMCI_MPI 3

/* Version of this library at compile time; ARMCI_RMA_Version() gives the one at run time. */
#define ARMCI_RMA_VERSION_MAJOR 0
#define ARMCI_RMA_VERSION_MINOR 1
#define ARMCI_RMA_VERSION_PATCH 0

/* Stride levels that every strided call takes at least; ARMCI_RMA takes up to 16. */
#define ARMCI_MAX_STRIDE_LEVEL 8

typedef long armci_size_t; /* bytes */

/* Element types of accumulate.  *scale has the same type. */
enum ARMCI_Acc_e {
    ARMCI_ACC_INT = 0, /* int */
    ARMCI_ACC_LNG = 1, /* long */
    ARMCI_ACC_FLT = 2, /* float */
    ARMCI_ACC_DBL = 3, /* double */
    ARMCI_ACC_CPL = 4, /* two floats: real, imaginary */
    ARMCI_ACC_DCP = 5  /* two doubles: real, imaginary */
};

/* Operations of ARMCI_Rmw. */
enum ARMCI_Rmw_e { ARMCI_FETCH_AND_ADD = 0, ARMCI_FETCH_AND_ADD_LONG = 1, ARMCI_SWAP = 2, ARMCI_SWAP_LONG = 3 };

/* What a call returns for a wrong argument when ARMCI_ERRORS=return. */
enum ARMCI_Err_e {
    ARMCI_SUCCESS = 0,
    ARMCI_ERR_STATE = 1,    /* before ARMCI_Init, or after ARMCI_Finalize */
    ARMCI_ERR_RANK = 2,     /* process number or rank out of range */
    ARMCI_ERR_ADDRESS = 3,  /* address lies in no global region of that process (perhaps no member of the region's group), or NULL */
    ARMCI_ERR_RANGE = 4,    /* transfer begins inside a region and leaves it */
    ARMCI_ERR_COUNT = 5,    /* negative or overflowing count, size, stride level */
    ARMCI_ERR_TYPE = 6,     /* unknown element type, operation, scope or operator */
    ARMCI_ERR_ALIGN = 7,    /* accumulate or rmw on an address not aligned to its element */
    ARMCI_ERR_MUTEX = 8,    /* mutex out of range, unlock without lock, mutexes missing or existing already */
    ARMCI_ERR_GROUP = 9,    /* not a live group, or the caller is not a member */
    ARMCI_ERR_HANDLE = 10,  /* NULL where a handle must be */
    ARMCI_ERR_MEMORY = 11,  /* out of memory */
    ARMCI_ERR_ARGUMENT = 12 /* any other wrong argument */
};

/* A non-blocking handle: a cookie of 8 bytes, all state is kept elsewhere.  It may be used uninitialised, and again after
 * Wait without a new initialisation; it may be copied, but only one copy may be waited for. */
typedef struct {
    unsigned int slot;
    unsigned int tag;
} armci_hdl_t;

/* One entry of a vector transfer: ptr_array_len segments of `bytes` bytes each, from src_ptr_array[i] to dst_ptr_array[i]. */
typedef struct {
    void **src_ptr_array;
    void **dst_ptr_array;
    int bytes;
    int ptr_array_len;
} armci_giov_t;

/* A group of processes.  Copies by value are as good as the original.  `comm` is a valid MPI communicator of the group
 * on its members, MPI_COMM_NULL elsewhere; `rank` is the caller's rank in it or -1. */
typedef struct {
    MPI_Comm comm;
    MPI_Comm reserved;
    int *grp_to_abs; /* [size]: rank in the group -> process number */
    int *abs_to_grp; /* [processes]: process number -> rank in the group or -1 */
    int rank;
    int size;
} ARMCI_Group;

/* Memory from ARMCI_Memget: may be sent to any process and used there in ARMCI_Memat. */
typedef struct armci_meminfo_ds {
    char *armci_addr; /* address for ARMCI calls with process cpid */
    char *addr;       /* address in the process that allocated it */
    size_t size;      /* bytes */
    int cpid;         /* the process that allocated it */
    long idlist[128]; /* the library's: where the memory begins and its size, whatever the program does to addr and size */
} armci_meminfo_t;

/* ---------------------------------------------------------------- start and end ---- */

/* Start ARMCI on MPI_COMM_WORLD.  Collective.  Starts MPI (thread level SINGLE) if the program has not; then
 * ARMCI_Finalize ends MPI too.  A second start while it runs does nothing but count: as many ends are needed. */
int ARMCI_Init(void);
/* As ARMCI_Init; argc and argv are passed on to MPI_Init where MPI is not yet started. */
int ARMCI_Init_args(int *argc, char ***argv);
/* As ARMCI_Init, starting MPI, where it is not yet started, with thread level `requested` (MPI_THREAD_...). */
int ARMCI_Init_thread(int requested);
/* As ARMCI_Init_thread, on a communicator: process numbers are ranks in comm.  Collective over comm. */
int ARMCI_Init_thread_comm(int requested, MPI_Comm comm);
/* As ARMCI_Init, on a communicator.  MPI must be started.  Collective over comm. */
int ARMCI_Init_mpi_comm(MPI_Comm comm);
/* 1 between a start and the matching end, else 0.  May be called at any time. */
int ARMCI_Initialized(void);
/* Complete everything, free all regions, groups and mutexes.  Collective.  ARMCI may be started again afterwards. */
int ARMCI_Finalize(void);
/* Release what would outlive the process; for use in error paths and signal handlers.  Not collective. */
void ARMCI_Cleanup(void);
/* Print `msg` and `code` with the caller's rank on standard error and abort the job. */
void ARMCI_Error(const char *msg, int code);
/* "major.minor.patch" of the library in use. */
const char *ARMCI_RMA_Version(void);

/* ---------------------------------------------------------------- memory ----------- */

/* Allocate `bytes` (may differ by process, may be 0) of global memory on every process.  Collective.
 * base_ptrs[p], p < number of processes, becomes the address of p's slice in p, NULL where p asked for 0 bytes.
 * Slices are aligned to at least 64 bytes and not cleared. */
int ARMCI_Malloc(void **base_ptrs, armci_size_t bytes);
/* Free a region.  Collective.  ptr: the caller's own base pointer (NULL where its slice is 0 bytes; then at least one
 * process must pass a real one).  Completes everything outstanding on it. */
int ARMCI_Free(void *ptr);
/* As ARMCI_Malloc and ARMCI_Free over a group: base_ptrs[0..group size), collective over the group.
 * Transfers still name processes by process number. */
int ARMCI_Malloc_group(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group);
int ARMCI_Free_group(void *ptr, ARMCI_Group *group);
/* Memory suited as local buffer; not collective, not remotely accessible.  NULL for 0 bytes or when there is none. */
void *ARMCI_Malloc_local(armci_size_t bytes);
int ARMCI_Free_local(void *ptr);
/* As ARMCI_Malloc...; `device` names a kind of memory: "" , NULL and "host" are main memory, the one kind so far;
 * any other name is taken as a hint and gives main memory too. */
int ARMCI_Malloc_memdev(void **base_ptrs, armci_size_t bytes, const char *device);
int ARMCI_Malloc_group_memdev(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group, const char *device);
int ARMCI_Free_memdev(void *ptr);
/* Non-collective global memory.  Memget allocates `bytes` > 0 in the caller and describes it in *meminfo (memflg must be
 * 0).  *meminfo may be copied to other processes; ARMCI_Memat(meminfo, offset) gives, anywhere, the address `offset`
 * bytes from the beginning of the allocation, for calls with process meminfo->cpid.  (Global Pointer arrays also use
 * armci_addr itself: in a process that has called Memget or Memat, addresses in no region are taken for such memory.)
 * Memdt ends the use of such an address; Memctl, in the allocating process, frees it. */
void ARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg);
void *ARMCI_Memat(armci_meminfo_t *meminfo, long offset);
void ARMCI_Memdt(armci_meminfo_t *meminfo, long offset);
void ARMCI_Memctl(armci_meminfo_t *meminfo);
/* Between Access_begin and Access_end the caller may load and store its own slice of the region that holds ptr; all
 * that other processes had fenced before Access_begin is seen, all stored before Access_end is seen by later gets. */
void ARMCI_Access_begin(void *ptr);
void ARMCI_Access_end(void *ptr);
/* Local copy of n bytes; src and dst do not overlap. */
void ARMCI_Copy(void *src, void *dst, int n);

/* ---------------------------------------------------------------- transfers -------- */

/* Contiguous [A, 2.1].  Put: src is local, dst in the memory of proc.  Get: src in the memory of proc, dst local. */
int ARMCI_Put(void *src, void *dst, int bytes, int proc);
int ARMCI_Get(void *src, void *dst, int bytes, int proc);
/* dst[i] += *scale * src[i], atomic per element against every other accumulate of that type.  datatype: ARMCI_Acc_e.
 * bytes is a multiple of the element's size, dst aligned to it (complex: to its part). */
int ARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);

/* Strided [A, 2.1]: count[0] contiguous bytes, repeated count[1] times at stride_ar[0], that count[2] times at
 * stride_ar[1], ...: count has stride_levels + 1 entries, the stride arrays stride_levels each.  Strides are any byte
 * distances, not necessarily multiples of one another, negative ones included.  A count of 0 transfers nothing. */
int ARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
               int proc);
int ARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
               int proc);
int ARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
               int count[], int stride_levels, int proc);

/* Vector [A, 2.1]: iov_len entries of segments.  Segments may lie in several regions of proc and may overlap: put then
 * leaves the last one's data, accumulate adds each. */
int ARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
int ARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);
int ARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc);

/* Put, then store `value` in *flag on proc: whoever sees the flag sees the data.  `value` is an int handed by value. */
int ARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc);
int ARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                    int *flag, int value, int proc);
/* As ARMCI_PutS_flag (kept for programs that use the name of older libraries). */
int ARMCI_PutS_flag_dir(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                        int stride_levels, int *flag, int value, int proc);

/* One value from a register; dst (src) aligned to the type or not. */
int ARMCI_PutValueInt(int src, void *dst, int proc);
int ARMCI_PutValueLong(long src, void *dst, int proc);
int ARMCI_PutValueFloat(float src, void *dst, int proc);
int ARMCI_PutValueDouble(double src, void *dst, int proc);
int ARMCI_GetValueInt(void *src, int proc);
long ARMCI_GetValueLong(void *src, int proc);
float ARMCI_GetValueFloat(void *src, int proc);
double ARMCI_GetValueDouble(void *src, int proc);

/* Local: write_strided packs the strided patch at ptr into buf, read_strided unpacks buf into the patch. */
void armci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);
void armci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);

/* Walk the segments of a strided patch; local.  The caller sees only the functions; size is the number of segments, seg_off the
 * offset of the current one from base_ptr in bytes.  stride_levels <= ARMCI_MAX_STRIDE_LEVEL. */
typedef struct {
    char *base_ptr;
    int stride_levels;
    int stride_arr[ARMCI_MAX_STRIDE_LEVEL];
    int seg_count[ARMCI_MAX_STRIDE_LEVEL + 1];
    int size, pos, itr[ARMCI_MAX_STRIDE_LEVEL];
} stride_info_t;
void armci_stride_info_init(stride_info_t *sinfo, void *base_ptr, int stride_levels, const int *stride_arr, const int *seg_count);
void armci_stride_info_destroy(stride_info_t *sinfo);
int armci_stride_info_size(stride_info_t *sinfo);
int armci_stride_info_pos(stride_info_t *sinfo);
void armci_stride_info_next(stride_info_t *sinfo);
void *armci_stride_info_seg_ptr(stride_info_t *sinfo);
int armci_stride_info_seg_size(stride_info_t *sinfo);
int armci_stride_info_seg_off(stride_info_t *sinfo);
int armci_stride_info_has_more(stride_info_t *sinfo);

/* ---------------------------------------------------------------- non-blocking ----- */

/* Non-blocking forms [B, 2.2].  The local buffer must not be touched (get: nor read) before ARMCI_Wait.  hdl may be NULL:
 * the implicit handle.  One handle may carry many operations.  Operations not yet waited for are unordered. */
void ARMCI_INIT_HANDLE(armci_hdl_t *hdl);
int ARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
int ARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
int ARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                 int proc, armci_hdl_t *hdl);
int ARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                 int proc, armci_hdl_t *hdl);
int ARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                 int count[], int stride_levels, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
int ARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
int ARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutValueInt(int src, void *dst, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutValueLong(long src, void *dst, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutValueFloat(float src, void *dst, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutValueDouble(double src, void *dst, int proc, armci_hdl_t *hdl);

/* An aggregate handle [B, 2.2.2] collects contiguous requests and issues them together, as one vector transfer for each
 * run of requests of one kind to one process, at Wait.  SET before the first request; UNSET makes it a plain handle. */
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *hdl);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *hdl);

/* ---------------------------------------------------------------- completion ------- */

/* Local completion of all that the handle carries (get: the data is there).  A handle with nothing outstanding is no
 * error.  NULL: the implicit handle. */
int ARMCI_Wait(armci_hdl_t *hdl);
/* 0: complete (then as after Wait), nonzero: not yet.  Over MPI's plain one-sided calls it completes what it asks about. */
int ARMCI_Test(armci_hdl_t *hdl);
/* Local completion of everything non-blocking towards proc, and of everything non-blocking. */
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);
/* Remote completion: all that the caller issued to proc (to everyone, to the members of group) is in place and seen by any
 * later operation of anyone.  Costs nothing when nothing is pending there.  [A, 2.4] */
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
void ARMCI_GroupFence(ARMCI_Group *group);
/* AllFence on every process, then a barrier.  Collective. */
void ARMCI_Barrier(void);

/* ---------------------------------------------------------------- atomics ---------- */

/* Atomic read-modify-write on an int or long at prem in proc [A, 2.3].  The old value is stored in *ploc.
 * FETCH_AND_ADD[_LONG]: *prem += value.  SWAP[_LONG]: *prem = the value that *ploc holds on entry.
 * Atomic against every other ARMCI_Rmw; prem aligned to its type. */
int ARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc);

/* Mutexes [A, 2.3].  Collective; the caller hosts `count` >= 0 mutexes, named 0..count-1 together with the host's
 * process number; the count may differ by process.  One set at a time.  Fair: granted in the order of the requests. */
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
/* Acquire and release.  Not recursive; a process may hold several.  Unlock first fences what the caller has pending, so that
 * the next holder sees it. */
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

/* Point-to-point notification: armci_notify(proc) lets one armci_notify_wait(caller) return in proc, after everything that
 * the caller had issued to proc is in place.  notify returns the number of notifications sent to proc so far; wait returns the
 * number received, at least that of waits, and stores the number of waits in *pval.  Negative: error. */
int armci_notify(int proc);
int armci_notify_wait(int proc, int *pval);

/* ---------------------------------------------------------------- groups ----------- */

/* A group of the n processes whose ranks in the default group (child: in *parent) are in pid_list; rank i of the new group
 * is pid_list[i].  Called by the members; others of the parent may call too and get a group with rank -1.
 * (With ARMCI_NONCOLLECTIVE_GROUPS=no all processes of the parent must call.) */
void ARMCI_Group_create(int n, int *pid_list, ARMCI_Group *group_out);
void ARMCI_Group_create_child(int n, int *pid_list, ARMCI_Group *group_out, ARMCI_Group *parent);
void ARMCI_Group_free(ARMCI_Group *group);
/* The caller's rank, -1 and a nonzero return where it is no member. */
int ARMCI_Group_rank(ARMCI_Group *group, int *rank);
void ARMCI_Group_size(ARMCI_Group *group, int *size);
/* The default group is the parent of ARMCI_Group_create, nothing else; at start it is the world. */
void ARMCI_Group_set_default(ARMCI_Group *group);
void ARMCI_Group_get_default(ARMCI_Group *group_out);
void ARMCI_Group_get_world(ARMCI_Group *group_out);
/* Process number of rank `group_rank` of the group; negative: error. */
int ARMCI_Absolute_id(ARMCI_Group *group, int group_rank);
/* The group's communicator, as in its member comm. */
MPI_Comm armci_group_comm(ARMCI_Group *group);

/* ---------------------------------------------------------------- topology --------- */

/* A domain is a shared-memory node; ARMCI_DOMAIN_SMP is the one kind. */
enum armci_domain_e { ARMCI_DOMAIN_SMP = 0 };
typedef int armci_domain_t;

int armci_domain_nprocs(armci_domain_t domain, int id);                        /* processes in domain id (-1: the caller's) */
int armci_domain_id(armci_domain_t domain, int glob_proc_id);                  /* domain of a process */
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id); /* process number of a domain's member */
int armci_domain_my_id(armci_domain_t domain);                                 /* the caller's domain */
int armci_domain_count(armci_domain_t domain);                                 /* number of domains */
int armci_domain_same_id(armci_domain_t domain, int proc);                     /* 1: proc is in the caller's domain */
int ARMCI_Same_node(int proc);                                                 /* 1: proc is on the caller's node */
int armci_sameclusnode(int proc);                                              /* the same, under an older name */
/* 1: neighbours' slices of a region can be loaded and stored directly through the pointers of ARMCI_Malloc.  0 here. */
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group *group);
/* A hint of older programs: bytes of shared memory per process wanted.  Has no effect: there is no limit to set. */
void ARMCI_Set_shm_limit(unsigned long shmemlimit);

#ifdef __cplusplus
}
#endif

#include <message.h>
#include <parmci.h>

#endif
