/** @file armci.h
 * The ARMCI one-sided communication interface. */
/** @mainpage ARMCI one-sided communication
 *
 * ARMCI moves data between the memory of the caller and memory of any other process that was
 * allocated with `ARMCI_Malloc`, without the other process taking part. A global address is a
 * process number and an address. The address is the one that is valid in that process
 * (`ARMCI_Malloc` returns such addresses), no matter which process uses it.
 *
 * The following holds for every function unless its description says otherwise:
 * @units Sizes, the first entry of a count array and strides are bytes. Process numbers are ranks
 * in the communicator that ARMCI was started on. Totals may exceed 2 GiB, though arguments are
 * ints.
 * @completion A blocking put or accumulate returns when the local buffer may be used again (local
 * completion). Its data are in the target's memory after `ARMCI_Fence` of the target,
 * `ARMCI_AllFence`, `ARMCI_Barrier` or `ARMCI_Unlock` (remote completion). A blocking get returns
 * when the data have arrived [A].
 * @ordering Location consistency: a process sees its own blocking operations on one target in the
 * order in which it issued them [B]. Other processes may see them in another order, unless a fence
 * separates them. Non-blocking operations are unordered until waited for.
 * @buffers The local buffer of a transfer may itself lie in global memory. It needs no alignment.
 * @errors Functions that return int return 0 on success (`ARMCI_Init_mpi_comm` returns 1). An
 * invalid argument prints one line (rank, function, argument, value, reason) and aborts the job.
 * With `ARMCI_ERRORS=return` the call returns a code of `ARMCI_Err_e` instead and changes nothing.
 * Before `ARMCI_Init` and after `ARMCI_Finalize` every function returns `ARMCI_ERR_STATE`, except
 * those whose description says that they may be called at any time.
 * @threads With MPI_THREAD_MULTIPLE any thread may call. One lock serializes the threads of a
 * process; a thread that waits for a mutex, a notification, a message, a barrier or the other
 * processes of a collective call does not hold it. At lower levels one thread at a time may call,
 * as MPI defines the level. Collective calls on one group must come from one thread at a time;
 * calls on different groups may come from different threads, in an order that differs between
 * processes.
 * @profiling Every function is a weak alias of one whose name begins with P or p (`parmci.h`): a
 * tool may define `ARMCI_Put` itself and call `PARMCI_Put` from it.
 * @sources The functions refer to them by letter.
 * - [A] J. Nieplocha, B. Carpenter, "ARMCI: A Portable Remote Memory Copy Library for Distributed
 * Array Libraries and Compiler Run-Time Systems", RTSPP of IPPS/SPDP 1999: transfers, strided and
 * vector formats, fence, read-modify-write, mutexes.
 * - [B] J. Nieplocha, V. Tipparaju, M. Krishnan, D. Panda, "High Performance Remote Memory Access
 * Communication: The ARMCI Approach", Int. J. High Perform. Comput. Appl. 20(2), 2006: handles,
 * aggregation, consistency.
 * - [C] J. Dinan, P. Balaji, J. Hammond, S. Krishnamoorthy, V. Tipparaju, "Supporting the Global
 * Arrays PGAS Model Using MPI One-Sided Communication", IPDPS 2012: vector methods, access epochs,
 * mutexes over MPI.
 * - [D] J. Dinan, S. Krishnamoorthy, P. Balaji, J. Hammond, M. Krishnan, V. Tipparaju, A. Vishnu,
 * "Noncollective Communicator Creation in MPI", EuroMPI 2011: groups that only their members
 * create.
 */
#ifndef ARMCI_H_INCLUDED
#define ARMCI_H_INCLUDED

#ifdef __cplusplus
extern "C++" { /* a program may include this file inside extern "C" */
#endif
#include <mpi.h>
#ifdef __cplusplus
}
#endif
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup constants Constants and types
 * Names that several families share. @{ */
/** Identifies an ARMCI over MPI-3, for conditional compilation. */
#define ARMCI_MPI 3

/** Version of this library at compile time; ARMCI_RMA_Version() returns the version at run time. */
#define ARMCI_RMA_VERSION_MAJOR 0
/** See ARMCI_RMA_VERSION_MAJOR. */
#define ARMCI_RMA_VERSION_MINOR 2
/** See ARMCI_RMA_VERSION_MAJOR. */
#define ARMCI_RMA_VERSION_PATCH 0

/** Stride levels that every strided call accepts; this library accepts up to 16. */
#define ARMCI_MAX_STRIDE_LEVEL 8

/** A number of bytes. */
typedef long armci_size_t;

/** Element types of accumulate. `*scale` has the same type. */
enum ARMCI_Acc_e {
    ARMCI_ACC_INT = 0, /**< int */
    ARMCI_ACC_LNG = 1, /**< long */
    ARMCI_ACC_FLT = 2, /**< float */
    ARMCI_ACC_DBL = 3, /**< double */
    ARMCI_ACC_CPL = 4, /**< two floats: real, imaginary */
    ARMCI_ACC_DCP = 5  /**< two doubles: real, imaginary */
};

/** Operations of ARMCI_Rmw. */
enum ARMCI_Rmw_e {
    ARMCI_FETCH_AND_ADD = 0,      /**< add to an int */
    ARMCI_FETCH_AND_ADD_LONG = 1, /**< add to a long */
    ARMCI_SWAP = 2,               /**< exchange an int */
    ARMCI_SWAP_LONG = 3           /**< exchange a long */
};

/** Return codes, for invalid arguments with `ARMCI_ERRORS=return`. */
enum ARMCI_Err_e {
    ARMCI_SUCCESS = 0,     /**< no error */
    ARMCI_ERR_STATE = 1,   /**< called before ARMCI_Init or after ARMCI_Finalize */
    ARMCI_ERR_RANK = 2,    /**< process number or rank out of range */
    ARMCI_ERR_ADDRESS = 3, /**< NULL, or an address outside all global regions of that process (it
                              may not be in the region's group) */
    ARMCI_ERR_RANGE = 4,   /**< transfer begins inside a region and exceeds it */
    ARMCI_ERR_COUNT = 5,   /**< negative or overflowing count, size, stride level */
    ARMCI_ERR_TYPE = 6,    /**< unknown element type, operation, scope or operator */
    ARMCI_ERR_ALIGN = 7,   /**< accumulate length is not a multiple of the element size; rmw address
                              is not aligned to its type */
    ARMCI_ERR_MUTEX =
        8, /**< mutex out of range, unlock without lock, no mutexes or mutexes already created */
    ARMCI_ERR_GROUP = 9,    /**< invalid or freed group, or the caller is not a member */
    ARMCI_ERR_HANDLE = 10,  /**< NULL instead of a handle */
    ARMCI_ERR_MEMORY = 11,  /**< out of memory */
    ARMCI_ERR_ARGUMENT = 12 /**< any other invalid argument */
};

/** A non-blocking handle: an opaque value of 8 bytes; the library keeps the state. A handle may be
 * used without initialization, and reused after ARMCI_Wait. It may be copied, but only one copy may
 * be waited for. */
typedef struct {
    unsigned int slot; /**< private to the library */
    unsigned int tag;  /**< private to the library */
} armci_hdl_t;

/** One entry of a vector transfer: segments of equal length. */
typedef struct {
    void **src_ptr_array; /**< source address of each segment */
    void **dst_ptr_array; /**< destination address of each segment */
    int bytes;            /**< length of each segment */
    int ptr_array_len;    /**< number of segments */
} armci_giov_t;

/** A group of processes. A copy by value is equivalent to the original. */
typedef struct {
    MPI_Comm comm;     /**< the group's communicator on its members, MPI_COMM_NULL elsewhere */
    MPI_Comm reserved; /**< private to the library */
    int *grp_to_abs;   /**< [size]: rank in the group -> process number */
    int *abs_to_grp;   /**< NULL: no group has a table of all processes */
    int rank;          /**< the caller's rank in the group, or -1 */
    int size;          /**< number of members */
} ARMCI_Group;

/** Description of memory from ARMCI_Memget: may be sent to any process and used there in
 * ARMCI_Memat. */
typedef struct armci_meminfo_ds {
    char *armci_addr; /**< address for ARMCI calls with process cpid */
    char *addr;       /**< address in the process that allocated it */
    size_t size;      /**< bytes */
    int cpid;         /**< the process that allocated it */
    long idlist[128]; /**< private to the library: address and size of the memory, even if the
                         program changes addr and size */
} armci_meminfo_t;
/** @} */
/** @defgroup start Initialization and finalization
 * ARMCI runs on the processes of one communicator. The program may initialize MPI before; otherwise
 * ARMCI initializes it. MPI goes on after `ARMCI_Finalize`; if ARMCI has initialized it and the
 * program does not call `MPI_Finalize`, that happens when the process exits. Calls nest: further
 * initializations only increase a count, and the matching `ARMCI_Finalize` ends ARMCI. After that
 * ARMCI may be initialized again, also on another communicator. The program's communicators are
 * never used for messages.
 * @completion Initialization and finalization are collective. `ARMCI_Finalize` completes all
 * operations, also remotely, and frees all regions, groups and mutexes. A program must call it
 * before `MPI_Finalize`; otherwise `MPI_Finalize` does the same first, with a warning. After the
 * end, `ARMCI_Finalize` returns 0. A process that leaves the program before the end, by exit or a
 * return from main, ends the job with a line and a status other than 0. A child of fork may leave
 * in any way: nothing of ARMCI or MPI happens in it.
 * @errors `ARMCI_ERR_ARGUMENT`: invalid thread level, MPI_COMM_NULL, or an
 * intercommunicator. `ARMCI_ERR_STATE`: MPI is finalized, or a communicator is given
 * and MPI is not initialized. `ARMCI_Initialized`, `ARMCI_Cleanup`, `ARMCI_Error` and
 * `ARMCI_RMA_Version` may be called at any time.
 * @threads Initialize and finalize from one thread. The thread level that MPI provides decides
 * whether several threads may call, and whether the library can run server threads between nodes.
 * @source [A]; communicators and thread levels as in [C]. @{ */
/** Initialize ARMCI on MPI_COMM_WORLD. Initializes MPI (thread level SINGLE) if the program has
 * not. */
int ARMCI_Init(void);
/** As ARMCI_Init; `argc` and `argv` are passed to MPI_Init if ARMCI initializes MPI. */
int ARMCI_Init_args(int *argc, char ***argv);
/** As ARMCI_Init; if ARMCI initializes MPI, it requests thread level `requested` (MPI_THREAD_SINGLE
 * to MPI_THREAD_MULTIPLE). */
int ARMCI_Init_thread(int requested);
/** As ARMCI_Init_thread, on a communicator: process numbers are ranks in `comm`. */
int ARMCI_Init_thread_comm(int requested, MPI_Comm comm);
/** As ARMCI_Init, on a communicator; MPI must be initialized. Returns 1 on success, also if ARMCI
 * runs already, and 0 on error, as GA_Initialize_comm of Global Arrays expects. */
int ARMCI_Init_mpi_comm(MPI_Comm comm);
/** 1 between initialization and finalization, else 0. */
int ARMCI_Initialized(void);
/** Complete all operations, free regions, groups and mutexes; finalize MPI if ARMCI started it. */
int ARMCI_Finalize(void);
/** Release resources that would outlive the process; for error paths and signal handlers. Not
 * collective. */
void ARMCI_Cleanup(void);
/** Print `msg`, `code` and the rank to standard error; abort the job: by MPI_Abort with exit status
 * `code`, or abort(3) where MPI does not run, since Hydra goes on where such a process exits. */
void ARMCI_Error(const char *msg, int code);
/** "major.minor.patch" of the library in use. */
const char *ARMCI_RMA_Version(void);
/** @} */
/** @defgroup memory Global memory
 * A region is allocated by all processes, or by those of a group. Each process contributes a slice;
 * sizes may differ and may be 0. A slice is aligned to at least 64 bytes and not cleared. The owner
 * may load and store it, processes on the same node can too
 * (`ARMCIX_Local_address`), and all processes reach it by transfers.
 * @units Bytes; a region may exceed the range of int. `base_ptrs` has one entry for each process
 * (of the group), in the order of ranks: the address of that process's slice in that process, NULL
 * if the slice has 0 bytes. Transfers name processes by process number, also for regions of groups.
 * @completion Collective. Allocation returns when all processes can use the memory. Freeing first
 * completes all outstanding operations on the region: the data of gets have arrived; waiting for
 * their handles is still allowed and does nothing.
 * @errors `ARMCI_ERR_COUNT`: negative size. `ARMCI_ERR_MEMORY`, on all processes: not enough memory
 * (checked before any is allocated), or another process passes a negative size.
 * `ARMCI_ERR_ADDRESS`: not the base address of a region, or `base_ptrs` is NULL. `ARMCI_ERR_GROUP`:
 * the caller is not a member of the group, or the region is not of this group.
 * @threads Collective calls of one group from one thread at a time.
 * @source [A]; on groups [B]. @{ */
/** Allocate `bytes` of global memory on every process; stores the addresses of all slices in
 * `base_ptrs`. */
int ARMCI_Malloc(void **base_ptrs, armci_size_t bytes);
/** Free a region. `ptr`: the caller's own base pointer, NULL if its slice has 0 bytes; at least one
 * process passes a base pointer, unless all slices have 0 bytes. */
int ARMCI_Free(void *ptr);
/** As ARMCI_Malloc over the processes of a group. */
int ARMCI_Malloc_group(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group);
/** As ARMCI_Free, which frees a region of a group, too; the group must be that of the region. */
int ARMCI_Free_group(void *ptr, ARMCI_Group *group);
/** As ARMCI_Malloc; `device` names a kind of memory. It is a hint: every name, "" and NULL
 * included, gives main memory. */
int ARMCI_Malloc_memdev(void **base_ptrs, armci_size_t bytes, const char *device);
/** As ARMCI_Malloc_memdev over the processes of a group. */
int ARMCI_Malloc_group_memdev(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group,
                              const char *device);
/** As ARMCI_Free. */
int ARMCI_Free_memdev(void *ptr);
/** @} */
/** @defgroup local Local memory
 * Private memory of the caller, and copies within it. Not collective; other processes cannot reach
 * it.
 * @errors `ARMCI_ERR_COUNT`: a negative number of bytes. `ARMCI_Malloc_local` returns NULL for 0
 * bytes, and, without a message, if there is no memory. `ARMCI_Free_local` and `ARMCI_Copy` may be
 * called at any time.
 * @threads From any thread, at any level.
 * @source [A] @{ */
/** Allocate memory for local buffers, aligned to 64 bytes. */
void *ARMCI_Malloc_local(armci_size_t bytes);
/** Free memory of ARMCI_Malloc_local; NULL is ignored. */
int ARMCI_Free_local(void *ptr);
/** Copy `n` bytes within the caller's memory; `src` and `dst` do not overlap. */
void ARMCI_Copy(void *src, void *dst, int n);
/** @} */
/** @defgroup memget Global memory of one process
 * Non-collective global memory: one process allocates, sends the description to others by any
 * means, and they reach the memory by it.
 * `*meminfo` may be copied bytewise. Global Pointer arrays also use its member armci_addr directly:
 * in a process that has called `ARMCI_Memget` or `ARMCI_Memat`, an address where none of its groups
 * has a region (nor had, where nodes share memory) is assumed to be such memory.
 * @completion `ARMCI_Memctl` completes all outstanding operations of the caller, gets included. The
 * program must ensure that no other process still uses the memory.
 * @errors `ARMCI_ERR_COUNT`: 0 bytes. `ARMCI_ERR_ARGUMENT`: flags are not 0. `ARMCI_ERR_ADDRESS`:
 * not memory of `ARMCI_Memget`. `ARMCI_ERR_RANGE`: the offset exceeds the memory.
 * `ARMCI_ERR_MEMORY`: out of memory, or the MPI library lacks dynamic windows, which are needed if
 * the processes of a node cannot share memory, or reach other nodes by MPI RMA.
 * @source None of the papers; the interface of Global Pointer arrays. @{ */
/** Allocate `bytes` > 0 in the caller and describe it in `*meminfo`; `memflg` must be 0. */
void ARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg);
/** The address `offset` bytes into the allocation, for ARMCI calls with process meminfo->cpid;
 * NULL: error. */
void *ARMCI_Memat(armci_meminfo_t *meminfo, long offset);
/** End the use of an address from ARMCI_Memat. */
void ARMCI_Memdt(armci_meminfo_t *meminfo, long offset);
/** Free the memory; called by the process that allocated it. */
void ARMCI_Memctl(armci_meminfo_t *meminfo);
/** @} */
/** @defgroup access Access to the caller's slice
 * A process may load and store its own slices at any time. Begin and end order these loads and
 * stores with operations of other processes.
 * @completion The caller's loads after `ARMCI_Access_begin` see all operations that other processes
 * fenced before it. After `ARMCI_Access_end` and a barrier or a message, gets of other processes
 * see what the caller stored before it.
 * @errors `ARMCI_ERR_ADDRESS`: the address is not in a slice of the caller.
 * @source [C] @{ */
/** Begin loads and stores of the slice that contains `ptr`. */
void ARMCI_Access_begin(void *ptr);
/** End loads and stores of the slice that contains `ptr`. */
void ARMCI_Access_end(void *ptr);
/** @} */
/** @defgroup contiguous Contiguous transfers
 * One contiguous block on each side. For put and accumulate `src` is local and `dst` is in the
 * memory of `proc`; for get `src` is in the memory of `proc` and `dst` is local.
 * @shape `bytes` contiguous bytes; 0 transfers nothing, and no pointer but `scale` is checked then.
 * The remote side lies in one slice.
 * @units Bytes. An accumulate adds whole elements: `bytes` is a multiple of the element's size.
 * Addresses may be unaligned, for put, get and accumulate.
 * @completion Put and accumulate return when `src` may be used again, get when the data are in
 * `dst`. Remote completion of put and accumulate is a fence.
 * @ordering The caller sees its own blocking transfers to one process in the order of the calls.
 * @atomicity Accumulates are atomic for each element against all other accumulates of that type, of
 * any shape and from any process; not against put, get, rmw or the owner's loads and stores. This
 * holds for elements at the same address. Elements that overlap in part are added one after the
 * other, with undefined sums.
 * @errors `ARMCI_ERR_RANK`, `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_RANGE`, `ARMCI_ERR_COUNT`; accumulates
 * also `ARMCI_ERR_TYPE`, `ARMCI_ERR_ALIGN`, `ARMCI_ERR_MEMORY`.
 * @source [A] @{ */
/** Copy from the caller's `src` to `dst` in the memory of `proc`. */
int ARMCI_Put(void *src, void *dst, int bytes, int proc);
/** Copy from `src` in the memory of `proc` to the caller's `dst`. */
int ARMCI_Get(void *src, void *dst, int bytes, int proc);
/** `dst[i] += *scale * src[i]` for all elements; `datatype` is one of `ARMCI_Acc_e`, `*scale` of
 * that type. */
int ARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);
/** @} */
/** @defgroup strided Strided transfers
 * A patch of a multi-dimensional array, without packing. The two sides have the same counts and may
 * have different strides.
 * @shape `count[0]` contiguous bytes, repeated `count[1]` times at distances of `stride_ar[0]`, all
 * that `count[2]` times at distances of `stride_ar[1]`, and so on. `count` has `stride_levels` + 1
 * entries, each stride array `stride_levels`. With 0 levels it is a contiguous transfer. Up to 16
 * levels. A count of 0 anywhere transfers nothing.
 * @units Strides and `count[0]` are bytes; the other counts are numbers of repetitions. Strides may
 * be negative and need not be multiples of one another. Segments may overlap (put and get: the data
 * of the last segment remain; accumulate: each segment is added). For an accumulate `count[0]` is a
 * multiple of the element's size; strides need not be. The remote side lies in one slice.
 * @completion As for contiguous transfers: put and accumulate return when the patch may be used
 * again, get when the data are in place.
 * @ordering As for contiguous transfers, and together with them.
 * @errors `ARMCI_ERR_RANK`, `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_RANGE` (any byte outside the slice),
 * `ARMCI_ERR_COUNT` (negative counts, levels out of range, a total that overflows); accumulates
 * also `ARMCI_ERR_TYPE`, `ARMCI_ERR_ALIGN`, `ARMCI_ERR_MEMORY`.
 * @source [A] @{ */
/** Copy a patch from the caller to `proc`. */
int ARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
/** Copy a patch from `proc` to the caller. */
int ARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
/** Add a patch, multiplied by `*scale`, to one in the memory of `proc`; see ARMCI_Acc. */
int ARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
               int dst_stride_ar[], int count[], int stride_levels, int proc);
/** @} */
/** @defgroup vector Vector transfers
 * Any number of segments, at any addresses on both sides, in one call.
 * @shape `iov` has `iov_len` entries; an entry has `ptr_array_len` segments of `bytes` bytes each,
 * segment i from `src_ptr_array[i]` to `dst_ptr_array[i]`. Segments may lie in several regions of
 * `proc`, and may overlap: for a put the data of the last segment remain, an accumulate adds each.
 * All segments are checked before any is sent.
 * @units Bytes. For an accumulate `bytes` of each entry is a multiple of the element's size;
 * addresses may be unaligned.
 * @completion As for contiguous transfers. The entries and their arrays of pointers may be reused
 * when the call, blocking or not, returns.
 * @ordering As for contiguous transfers; within one call the segments of a put or get take effect
 * in their order.
 * @errors `ARMCI_ERR_RANK`, `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_RANGE`, `ARMCI_ERR_COUNT`,
 * `ARMCI_ERR_MEMORY`; accumulates also `ARMCI_ERR_TYPE`, `ARMCI_ERR_ALIGN`.
 * @source [A]; the methods for MPI windows [C]. @{ */
/** Copy segments from the caller to `proc`. */
int ARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
/** Copy segments from `proc` to the caller. */
int ARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);
/** Add segments, multiplied by `*scale`, to those in the memory of `proc`; see ARMCI_Acc. */
int ARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc);
/** @} */
/** @defgroup flag Put with flag
 * A put; when its data are in place, `value` is stored in the int `*flag` of the target. A process
 * that sees the flag sees the data, and what the caller put or accumulated to `proc` before,
 * without waiting: non-blocking, or queued in an aggregate handle. An unaligned flag may be torn.
 * @completion As of a put: the local buffer may be reused; data and flag arrive without further
 * calls, and are remotely complete after a fence.
 * @ordering The flag after all of these, for every observer that reads the flag by ARMCI or, where
 * memory is shared, by loads. A target that only loads its own memory sees the flag if transfers
 * use loads and stores or a server; with windows some MPI libraries need the target inside MPI.
 * @errors Those of the put; the flag must lie in a slice of `proc` (`ARMCI_ERR_ADDRESS`,
 * `ARMCI_ERR_RANGE`), otherwise nothing is transferred.
 * @source [B] @{ */
/** ARMCI_Put, then the flag. */
int ARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc);
/** ARMCI_PutS, then the flag. */
int ARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                    int count[], int stride_levels, int *flag, int value, int proc);
/** ARMCI_PutS_flag under an older name. */
int ARMCI_PutS_flag_dir(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                        int count[], int stride_levels, int *flag, int value, int proc);
/** @} */
/** @defgroup values Single values
 * One value, passed or returned instead of a buffer. The remote address may be unaligned.
 * @completion As for contiguous transfers.
 * @errors As for contiguous transfers. The gets cannot return a code: with `ARMCI_ERRORS=return`
 * they return 0.
 * @source [B] @{ */
/** Put an int. */
int ARMCI_PutValueInt(int src, void *dst, int proc);
/** Put a long. */
int ARMCI_PutValueLong(long src, void *dst, int proc);
/** Put a float. */
int ARMCI_PutValueFloat(float src, void *dst, int proc);
/** Put a double. */
int ARMCI_PutValueDouble(double src, void *dst, int proc);
/** Get an int. */
int ARMCI_GetValueInt(void *src, int proc);
/** Get a long. */
long ARMCI_GetValueLong(void *src, int proc);
/** Get a float. */
float ARMCI_GetValueFloat(void *src, int proc);
/** Get a double. */
double ARMCI_GetValueDouble(void *src, int proc);
/** @} */
/** @defgroup patches Packing patches
 * Copy between a patch of the caller's memory and a contiguous buffer. Local; the patch is
 * described as for strided transfers.
 * @errors `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_COUNT`: nothing is copied. May be called at any time.
 * @threads From any thread, at any level.
 * @source [A] @{ */
/** Pack the strided patch at `ptr` into `buf`. */
void armci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);
/** Unpack `buf` into the strided patch at `ptr`. */
void armci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);
/** @} */
/** @defgroup walk Iterating over patches
 * Visit the segments of a strided patch one after the other. Local; at most
 * `ARMCI_MAX_STRIDE_LEVEL` levels.
 * @errors `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_COUNT`: an empty sequence. May be called at any time.
 * @threads From any thread, at any level; one thread at a time uses an iterator.
 * @source None of the papers; an interface that Global Arrays uses. @{ */
/** State of an iterator; programs use only the functions. */
typedef struct {
    char *base_ptr;                            /**< beginning of the patch */
    int stride_levels;                         /**< as for strided transfers */
    int stride_arr[ARMCI_MAX_STRIDE_LEVEL];    /**< bytes */
    int seg_count[ARMCI_MAX_STRIDE_LEVEL + 1]; /**< bytes of a segment, then repetitions */
    int size;                                  /**< number of segments */
    int pos;                                   /**< index of the current segment */
    int itr[ARMCI_MAX_STRIDE_LEVEL];           /**< its index in each level */
} stride_info_t;
/** Initialize an iterator at the first segment. */
void armci_stride_info_init(stride_info_t *sinfo, void *base_ptr, int stride_levels,
                            const int *stride_arr, const int *seg_count);
/** Destroy an iterator. */
void armci_stride_info_destroy(stride_info_t *sinfo);
/** Number of segments. */
int armci_stride_info_size(stride_info_t *sinfo);
/** armci_stride_info_size under another name. */
int armci_stride_info_count(stride_info_t *sinfo);
/** Index of the current segment, from 0. */
int armci_stride_info_pos(stride_info_t *sinfo);
/** Advance to the next segment. */
void armci_stride_info_next(stride_info_t *sinfo);
/** Address of the current segment. */
void *armci_stride_info_seg_ptr(stride_info_t *sinfo);
/** Bytes of a segment. */
int armci_stride_info_seg_size(stride_info_t *sinfo);
/** Bytes from the beginning of the patch to the current segment. */
int armci_stride_info_seg_off(stride_info_t *sinfo);
/** 1 while there is a current segment, 0 after the last. */
int armci_stride_info_has_more(stride_info_t *sinfo);
/** @} */
/** @defgroup nonblocking Non-blocking transfers
 * The same transfers, started by one call and completed by another. `hdl` represents the operations
 * started with it: one or many, of any kind and to any processes; NULL is the implicit handle.
 * There may be any number of handles and of outstanding operations.
 * @completion Between the call and `ARMCI_Wait` (`ARMCI_WaitProc`, `ARMCI_WaitAll`) the local
 * buffer belongs to the library: the program must not change it, and must not read the buffer of a
 * get. `*scale`, strides, counts and entries of vectors may be reused when the call returns.
 * Waiting is local completion; a fence is remote completion, as for the blocking forms.
 * @ordering Operations that were not yet waited for are unordered, among themselves and against
 * blocking ones. A fence completes them, too.
 * @errors Those of the blocking form, reported by the call and not by the wait; nothing is started
 * then. `ARMCI_INIT_HANDLE`: `ARMCI_ERR_HANDLE` for NULL; it may be called at any time.
 * @source [B] @{ */
/** Reset a handle: nothing is outstanding. Optional before the first use. */
void ARMCI_INIT_HANDLE(armci_hdl_t *hdl);
/** Start ARMCI_Put. */
int ARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
/** Start ARMCI_Get. */
int ARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
/** Start ARMCI_Acc. */
int ARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc,
                armci_hdl_t *hdl);
/** Start ARMCI_PutS. */
int ARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                 int count[], int stride_levels, int proc, armci_hdl_t *hdl);
/** Start ARMCI_GetS. */
int ARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                 int count[], int stride_levels, int proc, armci_hdl_t *hdl);
/** Start ARMCI_AccS. */
int ARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                 int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t *hdl);
/** Start ARMCI_PutV. */
int ARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
/** Start ARMCI_GetV. */
int ARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
/** Start ARMCI_AccV. */
int ARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc,
                 armci_hdl_t *hdl);
/** Start ARMCI_PutValueInt. */
int ARMCI_NbPutValueInt(int src, void *dst, int proc, armci_hdl_t *hdl);
/** Start ARMCI_PutValueLong. */
int ARMCI_NbPutValueLong(long src, void *dst, int proc, armci_hdl_t *hdl);
/** Start ARMCI_PutValueFloat. */
int ARMCI_NbPutValueFloat(float src, void *dst, int proc, armci_hdl_t *hdl);
/** Start ARMCI_PutValueDouble. */
int ARMCI_NbPutValueDouble(double src, void *dst, int proc, armci_hdl_t *hdl);
/** @} */
/** @defgroup aggregate Aggregate handles
 * An aggregate handle collects non-blocking requests of any form and issues them together: one
 * vector transfer for those of one kind to one slice of a process (accumulates: of one type and
 * scale). Many small transfers to one process cost far less this way.
 * @completion Collected requests are issued by `ARMCI_Wait` or `ARMCI_Test` on the handle, by a
 * fence of their target, when many are collected, or when the handle is unset. The local buffers
 * are in use until the wait; strides, counts, lists of addresses, scales and values of
 * `ARMCI_NbPutValue` are copied. A request that is long, or needs loads and stores only, is
 * executed immediately; so is one to memory of ARMCI_Memget that no `ARMCI_Memat` here has opened.
 * @ordering Puts of one handle to one process: that of their calls. Requests of different kinds:
 * none.
 * @errors `ARMCI_ERR_HANDLE` for NULL. A request is checked at once; an invalid one is not
 * collected.
 * @source [B] @{ */
/** Make a handle an aggregate handle, before its first request. */
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *hdl);
/** Make it a plain handle again; issues the collected requests. */
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *hdl);
/** @} */
/** @defgroup wait Local completion
 * Wait for non-blocking transfers: afterwards their local buffers may be used again, and the data
 * of gets have arrived.
 * @completion Local. Waiting for a handle with nothing outstanding is valid, and the handle may be
 * reused. A handle need not be waited for if another call completes its transfers (a fence
 * completes puts and accumulates): complete transfers occupy no resources.
 * @errors `ARMCI_WaitProc`: `ARMCI_ERR_RANK`.
 * @source [B] @{ */
/** Complete all operations of the handle; NULL: the implicit handle. */
int ARMCI_Wait(armci_hdl_t *hdl);
/** 0: complete, as after ARMCI_Wait; 1: not yet. Does not wait, and makes progress, so that a loop
 * on it ends; an aggregate handle first issues its requests. With MPI windows, where only a flush
 * detects completion, it completes the operation instead. */
int ARMCI_Test(armci_hdl_t *hdl);
/** Complete all non-blocking operations to `proc`, of any handle. */
int ARMCI_WaitProc(int proc);
/** Complete all non-blocking operations. */
int ARMCI_WaitAll(void);
/** @} */
/** @defgroup fence Remote completion
 * After a fence all operations that the caller issued before, blocking or not, are complete in the
 * target's memory, and later operations of any process see them. The cost of a fence depends on
 * what is pending: no operations, no cost.
 * @completion Remote, of the caller's own operations. `ARMCI_Barrier` is `ARMCI_AllFence` on every
 * process, then a barrier: afterwards the operations of all processes are complete, and owners may
 * load their slices.
 * @ordering Operations before a fence take effect before those after it, for every observer.
 * @errors `ARMCI_Fence`: `ARMCI_ERR_RANK`. `ARMCI_GroupFence`, `ARMCI_GroupBarrier`:
 * `ARMCI_ERR_GROUP`.
 * @threads A fence completes the operations of all threads of the process.
 * @source [A] @{ */
/** Complete the caller's operations to `proc`. */
void ARMCI_Fence(int proc);
/** Complete the caller's operations to all processes. */
void ARMCI_AllFence(void);
/** Complete the caller's operations to the members of a group. */
void ARMCI_GroupFence(ARMCI_Group *group);
/** ARMCI_AllFence on every process, then a barrier of all. Collective. */
void ARMCI_Barrier(void);
/** ARMCI_GroupFence on every member, then a barrier of the group. Collective over the group. No
 * other ARMCI has it; Global Arrays asks for it (its issue 325). */
void ARMCI_GroupBarrier(ARMCI_Group *group);
/** @} */
/** @defgroup rmw Read-modify-write
 * One atomic operation on an int or a long in the memory of `proc`. The old value is stored in
 * `*ploc`.
 * @units `op` implies the type of `*prem` and `*ploc`: int or long. `prem` is aligned to it. For a
 * swap `*ploc` holds the new value on entry; for a fetch-and-add `value` is added.
 * @completion Complete, also remotely, when the call returns.
 * @ordering After the caller's own earlier blocking operations on those bytes.
 * @atomicity Against every other `ARMCI_Rmw` of the same type, from any process; not against put,
 * accumulate or the owner's loads and stores.
 * @errors `ARMCI_ERR_RANK`, `ARMCI_ERR_TYPE` (invalid operation), `ARMCI_ERR_ALIGN`,
 * `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_RANGE`.
 * @source [A] @{ */
/** Fetch and add, or swap: `op` is one of `ARMCI_Rmw_e`. */
int ARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc);
/** @} */
/** @defgroup mutexes Mutexes
 * Each process owns mutexes, which any process may lock. A mutex is identified by its number and
 * its owner. Mutexes are fair: granted in the order in which requests reach the owner's node. One
 * set exists at a time; `armcix.h` has any number of sets.
 * @completion `ARMCI_Unlock` first completes, remotely, all pending operations of the caller, so
 * that the next holder sees them. Creating and destroying is collective.
 * @errors `ARMCI_ERR_MUTEX`: no mutexes exist, or they exist already; the process owns no such
 * mutex; the caller holds it already, or does not hold it. `ARMCI_ERR_COUNT`, `ARMCI_ERR_RANK`,
 * `ARMCI_ERR_MEMORY`.
 * @threads A mutex belongs to the process that locked it. Of two threads of a process that lock the
 * same one, the second waits for the first.
 * @source [A]; over MPI windows [C]. @{ */
/** Create `count` >= 0 mutexes of the caller, numbered from 0; counts of processes may differ. */
int ARMCI_Create_mutexes(int count);
/** Destroy the mutexes of all processes. No process may hold one. */
int ARMCI_Destroy_mutexes(void);
/** Acquire a mutex of process `proc`. Not recursive; a process may hold several. */
void ARMCI_Lock(int mutex, int proc);
/** Release a mutex. */
void ARMCI_Unlock(int mutex, int proc);
/** @} */
/** @defgroup notify Notification
 * Point to point: each `armci_notify` of `proc` lets one `armci_notify_wait` for the caller return
 * in `proc`.
 * @completion All operations that the caller issued to `proc` before are complete when the
 * notification arrives. Counts of notifications wrap from 2^31 - 1 to 0.
 * @errors A negative number: minus `ARMCI_ERR_RANK`, minus `ARMCI_ERR_ADDRESS` (NULL), minus
 * `ARMCI_ERR_STATE`.
 * @source [B] @{ */
/** Notify `proc`; returns the number of notifications sent to it. */
int armci_notify(int proc);
/** Wait for a notification of `proc`; stores the number of waits in `*pval`; returns the number of
 * notifications received, at least as many. */
int armci_notify_wait(int proc, int *pval);
/** @} */
/** @defgroup groups Groups
 * A group is a list of processes with a private communicator, for global memory, mutexes, barriers
 * and reductions among these processes. Transfers always name processes by process number.
 * @completion The members of the new group call; other processes of the parent may call, too, and
 * get a group with rank -1. Freeing completes all pending operations of the caller; regions and
 * mutexes of the group remain until they are freed.
 * @errors `ARMCI_ERR_GROUP`: invalid or freed group, the caller is not a member, or an attempt to
 * free the world. `ARMCI_ERR_RANK`: the parent has no such rank, or it is listed twice.
 * `ARMCI_ERR_COUNT`: no member, or more members than the parent has. `ARMCI_Group_rank` and
 * `ARMCI_Group_size` may be called at any time.
 * @threads Threads may create groups concurrently if the lists of members differ.
 * @source [B]; creation by the members alone [D]. @{ */
/** Create a group of the `n` processes whose ranks in the default group are in `pid_list`;
 * `pid_list[i]` gets rank i. If MPI creates no communicator for it, every member reports the error
 * `ARMCI_ERR_MEMORY`, and `*group_out` is as of a process that is not a member. */
void ARMCI_Group_create(int n, int *pid_list, ARMCI_Group *group_out);
/** As ARMCI_Group_create, with ranks in `*parent`. */
void ARMCI_Group_create_child(int n, int *pid_list, ARMCI_Group *group_out, ARMCI_Group *parent);
/** Free a group; a group with rank -1 is ignored. */
void ARMCI_Group_free(ARMCI_Group *group);
/** The caller's rank; if it is not a member, -1 and a nonzero return, without a message. */
int ARMCI_Group_rank(ARMCI_Group *group, int *rank);
/** The number of members. */
void ARMCI_Group_size(ARMCI_Group *group, int *size);
/** Set the default group, which is only the parent of ARMCI_Group_create. Initially it is the
 * world. */
void ARMCI_Group_set_default(ARMCI_Group *group);
/** The default group. */
void ARMCI_Group_get_default(ARMCI_Group *group_out);
/** The group of all processes. */
void ARMCI_Group_get_world(ARMCI_Group *group_out);
/** Process number of rank `group_rank` of the group; negative: error. */
int ARMCI_Absolute_id(ARMCI_Group *group, int group_rank);
/** The group's communicator, as in its member comm. It has the error handler MPI_ERRORS_ARE_FATAL,
 * whatever those of the program have. */
MPI_Comm armci_group_comm(ARMCI_Group *group);
/** @} */
/** @defgroup topology Nodes
 * Which processes are on the same node, that is, machine. They share memory unless `ARMCI_SHM=no`.
 * With `ARMCI_NODES=rank` every process is a separate node here and in the scopes of messages;
 * transfers still use shared memory.
 * @errors A negative number, or 0 from functions that return 0 or 1: `ARMCI_ERR_RANK`,
 * `ARMCI_ERR_ARGUMENT` (invalid kind of domain).
 * @source [B] @{ */
/** Kinds of domains: only shared-memory nodes. */
enum armci_domain_e { ARMCI_DOMAIN_SMP = 0 /**< a node */ };
/** One of `armci_domain_e`. */
typedef int armci_domain_t;

/** Number of processes in domain `id`; -1: the caller's. */
int armci_domain_nprocs(armci_domain_t domain, int id);
/** The domain of a process. */
int armci_domain_id(armci_domain_t domain, int glob_proc_id);
/** The process number of member `loc_proc_id` of domain `id`. */
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
/** The caller's domain. */
int armci_domain_my_id(armci_domain_t domain);
/** Number of domains. */
int armci_domain_count(armci_domain_t domain);
/** 1: `proc` is in the caller's domain. */
int armci_domain_same_id(armci_domain_t domain, int proc);
/** 1: `proc` is on the caller's node. */
int ARMCI_Same_node(int proc);
/** ARMCI_Same_node under an older name. */
int armci_sameclusnode(int proc);
/** 1: the processes of a node share the memory of their regions; ARMCIX_Local_address returns its
 * address. */
int ARMCI_Uses_shm(void);
/** As ARMCI_Uses_shm; the result does not depend on the group. */
int ARMCI_Uses_shm_grp(ARMCI_Group *group);
/** A hint of older programs: bytes of shared memory per process. Has no effect. */
void ARMCI_Set_shm_limit(unsigned long shmemlimit);
/** @} */

#ifdef __cplusplus
}
#endif

#include <message.h>
#include <armci_old.h>
#include <parmci.h>

#endif
