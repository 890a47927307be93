/** @file armci.h
 * The ARMCI one-sided communication interface. */
/** @mainpage ARMCI one-sided communication
 *
 * ARMCI moves data between the memory of the caller and memory of any other process that was allocated with `ARMCI_Malloc`, without the
 * other process taking part. A global address is a process number and an address: the address is the one that is valid in that process
 * (the pointers that `ARMCI_Malloc` hands out), whoever uses it.
 *
 * What holds for every function unless its own description says otherwise:
 * @units Sizes, the first entry of a count array and strides are bytes. Process numbers are ranks in the communicator that ARMCI was
 * started on. Totals may pass 2 GiB: only the single arguments are ints.
 * @completion A blocking put or accumulate returns when the local buffer may be used again (local completion). Its data are sure to be in
 * the target's memory after `ARMCI_Fence` of the target, `ARMCI_AllFence`, `ARMCI_Barrier` or `ARMCI_Unlock` (remote completion). A
 * blocking get returns with the data [A].
 * @ordering Location consistency: a process sees its own blocking operations on one target in the order in which it issued them [B].
 * Nothing is said of the order in which others see them, but for fences. Non-blocking operations are unordered until waited for.
 * @buffers The local buffer of a transfer may itself lie in global memory. It needs no alignment.
 * @errors Functions that return int return 0 on success. A wrong argument prints one line (rank, function, argument, value, why) and
 * aborts the job, or with `ARMCI_ERRORS=return` the call returns a code of `ARMCI_Err_e` and changes nothing. Every function but those
 * that say they may be called at any time returns `ARMCI_ERR_STATE` before `ARMCI_Init` and after `ARMCI_Finalize`.
 * @threads Any thread may call when MPI was started with MPI_THREAD_MULTIPLE; threads of a process then take turns, but none waits for
 * another one that waits for a mutex, a notification, a message, a barrier or the other processes of a collective call. At lower levels
 * one thread at a time may call, as the level says. Collective calls on one group must come from one thread at a time; calls on different
 * groups may come from different threads, in an order that differs between processes.
 * @profiling Every function is a weak alias of one whose name begins with P or p (`parmci.h`): a tool may define `ARMCI_Put` itself and
 * call `PARMCI_Put` from it.
 * @sources Their letters stand with the functions that come from them.
 * - [A] J. Nieplocha, B. Carpenter, "ARMCI: A Portable Remote Memory Copy Library for Distributed Array Libraries and Compiler Run-Time
 *   Systems", RTSPP of IPPS/SPDP 1999: transfers, strided and vector formats, fence, read-modify-write, mutexes.
 * - [B] J. Nieplocha, V. Tipparaju, M. Krishnan, D. Panda, "High Performance Remote Memory Access Communication: The ARMCI Approach",
 *   Int. J. High Perform. Comput. Appl. 20(2), 2006: handles, aggregation, consistency.
 * - [C] J. Dinan, P. Balaji, J. Hammond, S. Krishnamoorthy, V. Tipparaju, "Supporting the Global Arrays PGAS Model Using MPI One-Sided
 *   Communication", IPDPS 2012: vector methods, access epochs, mutexes over MPI.
 * - [D] J. Dinan, S. Krishnamoorthy, P. Balaji, J. Hammond, M. Krishnan, V. Tipparaju, A. Vishnu, "Noncollective Communicator Creation in
 *   MPI", EuroMPI 2011: groups that only their members create.
 */
#ifndef ARMCI_H_INCLUDED
#define ARMCI_H_INCLUDED

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup constants Constants and types
 * Names that several families share. @{ */
/** Tells sources which ARMCI this is: one over MPI-3 RMA. */
#define ARMCI_MPI 3

/** Version of this library at compile time; ARMCI_RMA_Version() gives the one at run time. */
#define ARMCI_RMA_VERSION_MAJOR 0
/** See ARMCI_RMA_VERSION_MAJOR. */
#define ARMCI_RMA_VERSION_MINOR 1
/** See ARMCI_RMA_VERSION_MAJOR. */
#define ARMCI_RMA_VERSION_PATCH 0

/** Stride levels that every strided call takes at least; this library takes up to 16. */
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

/** What a call returns for a wrong argument when `ARMCI_ERRORS=return`. */
enum ARMCI_Err_e {
    ARMCI_SUCCESS = 0,      /**< nothing was wrong */
    ARMCI_ERR_STATE = 1,    /**< before ARMCI_Init, or after ARMCI_Finalize */
    ARMCI_ERR_RANK = 2,     /**< process number or rank out of range */
    ARMCI_ERR_ADDRESS = 3,  /**< address lies in no global region of that process (perhaps no member of the region's group), or NULL */
    ARMCI_ERR_RANGE = 4,    /**< transfer begins inside a region and leaves it */
    ARMCI_ERR_COUNT = 5,    /**< negative or overflowing count, size, stride level */
    ARMCI_ERR_TYPE = 6,     /**< unknown element type, operation, scope or operator */
    ARMCI_ERR_ALIGN = 7,    /**< accumulate of a length that is no whole number of elements; rmw on an address not aligned to its type */
    ARMCI_ERR_MUTEX = 8,    /**< mutex out of range, unlock without lock, mutexes missing or existing already */
    ARMCI_ERR_GROUP = 9,    /**< not a live group, or the caller is not a member */
    ARMCI_ERR_HANDLE = 10,  /**< NULL where a handle must be */
    ARMCI_ERR_MEMORY = 11,  /**< out of memory */
    ARMCI_ERR_ARGUMENT = 12 /**< any other wrong argument */
};

/** A non-blocking handle: a cookie of 8 bytes, all state is kept elsewhere. It may be used uninitialised, and again after Wait without a
 * new initialisation; it may be copied, but only one copy may be waited for. */
typedef struct {
    unsigned int slot; /**< the library's */
    unsigned int tag;  /**< the library's */
} armci_hdl_t;

/** One entry of a vector transfer: segments of one length. */
typedef struct {
    void **src_ptr_array; /**< where each segment comes from */
    void **dst_ptr_array; /**< where each goes */
    int bytes;            /**< of each segment */
    int ptr_array_len;    /**< number of segments */
} armci_giov_t;

/** A group of processes. Copies by value are as good as the original. */
typedef struct {
    MPI_Comm comm;     /**< the group's communicator on its members, MPI_COMM_NULL elsewhere */
    MPI_Comm reserved; /**< the library's */
    int *grp_to_abs;   /**< [size]: rank in the group -> process number */
    int *abs_to_grp;   /**< [processes]: process number -> rank in the group or -1 */
    int rank;          /**< the caller's rank in the group, or -1 */
    int size;          /**< number of members */
} ARMCI_Group;

/** Memory from ARMCI_Memget: may be sent to any process and used there in ARMCI_Memat. */
typedef struct armci_meminfo_ds {
    char *armci_addr; /**< address for ARMCI calls with process cpid */
    char *addr;       /**< address in the process that allocated it */
    size_t size;      /**< bytes */
    int cpid;         /**< the process that allocated it */
    long idlist[128]; /**< the library's: where the memory begins and its size, whatever the program does to addr and size */
} armci_meminfo_t;
/** @} */
/** @defgroup start Start and end
 * ARMCI runs on the processes of one communicator. MPI may be started before, or is started by ARMCI, which then ends it too. A second
 * start while it runs does nothing but count: as many ends are needed. After the last end ARMCI may be started again, on another
 * communicator too. The program's communicators are never used for messages. On request (`ARMCI_PROGRESS=rank`) the last process of
 * each node is progress ranks: the start does not return to it, and ARMCI runs on the others, in the same order.
 * @completion `ARMCI_Finalize` completes everything, remotely too, and frees all regions, groups and mutexes. Starts and the end are
 * collective. A program must call it before `MPI_Finalize`; if it does not, `MPI_Finalize` does the same first, with a warning, and a later
 * `ARMCI_Finalize` returns 0.
 * @errors `ARMCI_ERR_ARGUMENT`: no thread level of MPI, MPI_COMM_NULL, an intercommunicator, no process that can be set aside.
 * `ARMCI_ERR_STATE`: MPI has ended, or has not begun where a communicator is given. `ARMCI_Initialized`, `ARMCI_Cleanup`,
 * `ARMCI_Error` and `ARMCI_RMA_Version` may be called at any time.
 * @threads Start and end from one thread. The level that MPI gives decides whether several threads may call, and whether the library can
 * have a server of its own between nodes.
 * @source [A]; communicators and thread levels as in [C]. @{ */
/** Start ARMCI on MPI_COMM_WORLD, and MPI (thread level SINGLE) where it is not yet started. */
int ARMCI_Init(void);
/** As ARMCI_Init; `argc` and `argv` are passed on to MPI_Init where MPI is not yet started. */
int ARMCI_Init_args(int *argc, char ***argv);
/** As ARMCI_Init, starting MPI, where it is not yet started, with thread level `requested` (MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE). */
int ARMCI_Init_thread(int requested);
/** As ARMCI_Init_thread, on a communicator: process numbers are ranks in `comm`. */
int ARMCI_Init_thread_comm(int requested, MPI_Comm comm);
/** As ARMCI_Init, on a communicator; MPI must be started. */
int ARMCI_Init_mpi_comm(MPI_Comm comm);
/** 1 between a start and the matching end, else 0. */
int ARMCI_Initialized(void);
/** Complete everything, free all regions, groups and mutexes, end MPI where ARMCI has started it. */
int ARMCI_Finalize(void);
/** Release what would outlive the process; for use in error paths and signal handlers. Not collective. */
void ARMCI_Cleanup(void);
/** Print `msg` and `code` with the caller's rank on standard error and abort the job with exit status `code`. */
void ARMCI_Error(const char *msg, int code);
/** "major.minor.patch" of the library in use. */
const char *ARMCI_RMA_Version(void);
/** @} */
/** @defgroup memory Global memory
 * A region is allocated by all processes, or by those of a group, each of which gives a slice of its own size, perhaps none. The slice is
 * aligned to at least 64 bytes and not cleared. The owner may load and store it; a neighbour on the same node can too
 * (`ARMCIX_Local_address`), and everybody reaches it by transfers.
 * @units Bytes; a region may have more than the machine's int can say. `base_ptrs` has one entry for each process (of the group), in the
 * order of its ranks: the address of that process's slice in that process, NULL where it has 0 bytes. Transfers name processes by process
 * number, in regions of groups too.
 * @completion Collective. Allocation returns when the memory can be used by all. Freeing first completes all that is outstanding on it: the
 * data of gets have come; their handles may still be waited for, which does nothing.
 * @errors `ARMCI_ERR_COUNT`: a negative size. `ARMCI_ERR_MEMORY`: not enough memory, found before it is promised and told to all; also
 * where another process gives a negative size. `ARMCI_ERR_ADDRESS`: no base address of a region, or NULL for `base_ptrs`.
 * `ARMCI_ERR_GROUP`: no group of the caller's, or not that of the region.
 * @threads Collective calls of one group from one thread at a time.
 * @source [A]; on groups [B]. @{ */
/** Allocate `bytes` of global memory on every process; `base_ptrs` gets the addresses of all slices. */
int ARMCI_Malloc(void **base_ptrs, armci_size_t bytes);
/** Free a region. `ptr`: the caller's own base pointer, NULL where its slice has 0 bytes; at least one process must pass a real one. */
int ARMCI_Free(void *ptr);
/** As ARMCI_Malloc over the processes of a group. */
int ARMCI_Malloc_group(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group);
/** As ARMCI_Free for a region of a group. */
int ARMCI_Free_group(void *ptr, ARMCI_Group *group);
/** As ARMCI_Malloc; `device` names a kind of memory: "", NULL and "node" are main memory, and any other name is a hint that gives main
 * memory too. */
int ARMCI_Malloc_memdev(void **base_ptrs, armci_size_t bytes, const char *device);
/** As ARMCI_Malloc_memdev over the processes of a group. */
int ARMCI_Malloc_group_memdev(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group, const char *device);
/** As ARMCI_Free. */
int ARMCI_Free_memdev(void *ptr);
/** @} */
/** @defgroup local Local memory
 * Memory of the caller alone, and copies within it. Not collective; other processes cannot reach it.
 * @errors `ARMCI_ERR_COUNT`: a negative number of bytes. `ARMCI_Malloc_local` returns NULL for 0 bytes, and without a message where there
 * is no memory. `ARMCI_Free_local` and `ARMCI_Copy` may be called at any time.
 * @threads From any thread, at any level.
 * @source [A] @{ */
/** Memory suited as a local buffer, aligned to 64 bytes. */
void *ARMCI_Malloc_local(armci_size_t bytes);
/** Free memory of ARMCI_Malloc_local; NULL is nothing. */
int ARMCI_Free_local(void *ptr);
/** Copy `n` bytes within the caller's memory; `src` and `dst` do not overlap. */
void ARMCI_Copy(void *src, void *dst, int n);
/** @} */
/** @defgroup memget Global memory of one process
 * Non-collective global memory: one process allocates, passes the description on by any means, and others reach the memory by it.
 * `*meminfo` may be copied as it is. Global Pointer arrays also use its member armci_addr directly: in a process that has called
 * `ARMCI_Memget` or `ARMCI_Memat`, addresses in no region are taken for such memory.
 * @completion `ARMCI_Memctl` completes all that the caller has outstanding, gets too; that nobody else still uses the memory is the
 * program's affair.
 * @errors `ARMCI_ERR_COUNT`: 0 bytes. `ARMCI_ERR_ARGUMENT`: flags that are not 0. `ARMCI_ERR_ADDRESS`: no memory of `ARMCI_Memget`.
 * `ARMCI_ERR_RANGE`: an offset that leads out of it. `ARMCI_ERR_MEMORY`: none left, or the MPI library has no dynamic windows where they
 * are needed (memory that the processes of a node cannot share).
 * @source None of the papers; the interface of Global Pointer arrays. @{ */
/** Allocate `bytes` > 0 in the caller and describe it in `*meminfo`; `memflg` must be 0. */
void ARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg);
/** The address, for calls with process meminfo->cpid, that is `offset` bytes from the beginning of the allocation; NULL: error. */
void *ARMCI_Memat(armci_meminfo_t *meminfo, long offset);
/** End the use of an address from ARMCI_Memat. */
void ARMCI_Memdt(armci_meminfo_t *meminfo, long offset);
/** Free the memory, in the process that has allocated it. */
void ARMCI_Memctl(armci_meminfo_t *meminfo);
/** @} */
/** @defgroup access Access to one's own slice
 * A process may load and store its own slices at any time. Between begin and end it sees what others do, and they see what it does.
 * @completion All that other processes had fenced before `ARMCI_Access_begin` is seen by the caller's loads; all that the caller stored
 * before `ARMCI_Access_end` is seen by later gets of anyone who learns of it by a barrier or a message.
 * @errors `ARMCI_ERR_ADDRESS`: the address lies in no slice of the caller.
 * @source [C] @{ */
/** Begin to load and store the slice that `ptr`, any address of it, lies in. */
void ARMCI_Access_begin(void *ptr);
/** End it. */
void ARMCI_Access_end(void *ptr);
/** @} */
/** @defgroup contiguous Contiguous transfers
 * One piece of memory here, one of the same length there. For a put and an accumulate `src` is local and `dst` in the memory of `proc`;
 * for a get `src` is in the memory of `proc` and `dst` local.
 * @shape `bytes` bytes without gaps; 0 transfers nothing, and no pointer is looked at then. The remote side lies in one slice.
 * @units Bytes. An accumulate adds whole elements: `bytes` is a multiple of the element's size. No address needs alignment, for put, get
 * or accumulate.
 * @completion Put and accumulate return when `src` may be used again, get when the data are in `dst`. Remote completion of put and
 * accumulate is a fence.
 * @ordering The caller's own blocking transfers to one process take effect there in the order of the calls, as its own later ones see it.
 * @atomicity Accumulates are atomic for each element against all other accumulates of that type, of whatever shape and from whomever; not
 * against put, get, rmw or the owner's own loads and stores. An element is the same one where it begins at the same address: elements that
 * overlap in part are added one after the other, and their sums then mean little.
 * @errors `ARMCI_ERR_RANK`, `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_RANGE`, `ARMCI_ERR_COUNT`; accumulates also `ARMCI_ERR_TYPE`,
 * `ARMCI_ERR_ALIGN`, `ARMCI_ERR_MEMORY`.
 * @source [A] @{ */
/** Copy from the caller's `src` to `dst` in the memory of `proc`. */
int ARMCI_Put(void *src, void *dst, int bytes, int proc);
/** Copy from `src` in the memory of `proc` to the caller's `dst`. */
int ARMCI_Get(void *src, void *dst, int bytes, int proc);
/** `dst[i] += *scale * src[i]` for all elements; `datatype` is one of `ARMCI_Acc_e`, `*scale` of that type. */
int ARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);
/** @} */
/** @defgroup strided Strided transfers
 * A patch of an array with any number of dimensions, without packing it: both sides have the same counts and strides of their own.
 * @shape `count[0]` contiguous bytes, repeated `count[1]` times at distances of `stride_ar[0]`, all that `count[2]` times at distances of
 * `stride_ar[1]`, and so on. `count` has `stride_levels` + 1 entries, each stride array `stride_levels`. With `stride_levels` 0 it is a
 * contiguous transfer. Up to 16 levels. A count of 0 anywhere transfers nothing.
 * @units Strides and `count[0]` are bytes, the other counts numbers. Strides are any distances, not necessarily multiples of one another,
 * negative ones included; pieces may overlap (put and get: the last one's data remain; accumulate: each is added). For an accumulate
 * `count[0]` is a multiple of the element's size; strides need not be. The remote side lies in one slice.
 * @completion As for contiguous transfers: put and accumulate return when the patch may be used again, get when the data are in place.
 * @ordering As for contiguous transfers, with which they mix.
 * @errors `ARMCI_ERR_RANK`, `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_RANGE` (any byte outside the slice), `ARMCI_ERR_COUNT` (negative counts,
 * levels out of range, a total that overflows); accumulates also `ARMCI_ERR_TYPE`, `ARMCI_ERR_ALIGN`,
 * `ARMCI_ERR_MEMORY`.
 * @source [A] @{ */
/** Copy a patch from the caller to `proc`. */
int ARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc);
/** Copy a patch from `proc` to the caller. */
int ARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc);
/** Add a patch, multiplied by `*scale`, to one in the memory of `proc`; see ARMCI_Acc. */
int ARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
/** @} */
/** @defgroup vector Vector transfers
 * Any number of segments, each from anywhere to anywhere, in one call.
 * @shape `iov` has `iov_len` entries; an entry has `ptr_array_len` segments of `bytes` bytes each, segment i from `src_ptr_array[i]` to
 * `dst_ptr_array[i]`. Segments may lie in several regions of `proc`, and may overlap: a put leaves the last one's data, an accumulate
 * adds each. Nothing is sent before all segments are found right.
 * @units Bytes. For an accumulate `bytes` of each entry is a multiple of the element's size; no address needs alignment.
 * @completion As for contiguous transfers. The entries and their arrays of pointers are no longer needed when the call, blocking or not,
 * returns.
 * @ordering As for contiguous transfers; within one call the segments of a put or get count as one after the other.
 * @errors `ARMCI_ERR_RANK`, `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_RANGE`, `ARMCI_ERR_COUNT`, `ARMCI_ERR_MEMORY`; accumulates also
 * `ARMCI_ERR_TYPE`, `ARMCI_ERR_ALIGN`.
 * @source [A]; how they are carried out over MPI windows [C]. @{ */
/** Copy segments from the caller to `proc`. */
int ARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
/** Copy segments from `proc` to the caller. */
int ARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);
/** Add segments, multiplied by `*scale`, to those in the memory of `proc`; see ARMCI_Acc. */
int ARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc);
/** @} */
/** @defgroup flag Puts that raise a flag
 * A put, and when its data are in place `value` is stored in the int `*flag` of the target: whoever sees the flag sees the data.
 * @completion Data and flag are remotely complete when the call returns.
 * @ordering The flag after the data, for every observer that reads the flag by ARMCI or, where memory is shared, by loads. A target that
 * only looks at its own memory sees the flag where transfers come by loads and stores or by a server; over MPI's windows some libraries
 * want it to call MPI.
 * @errors Those of the put; the flag has to lie in a slice of `proc` (`ARMCI_ERR_ADDRESS`, `ARMCI_ERR_RANGE`), else nothing is
 * transferred.
 * @source [B] @{ */
/** ARMCI_Put, then the flag. */
int ARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc);
/** ARMCI_PutS, then the flag. */
int ARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int *flag,
                    int value, int proc);
/** As ARMCI_PutS_flag, under the name of older libraries. */
int ARMCI_PutS_flag_dir(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int *flag,
                        int value, int proc);
/** @} */
/** @defgroup values Single values
 * One value from or to a register instead of a buffer. The remote address is aligned to the type or not.
 * @completion As for contiguous transfers: the put's value is never needed after the call.
 * @errors As for contiguous transfers. The gets have no way to return a code: with `ARMCI_ERRORS=return` they return 0.
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
 * Between a patch of the caller's memory and a buffer without gaps. Local; the patch is described as for strided transfers.
 * @errors `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_COUNT`; nothing is copied then. May be called at any time.
 * @threads From any thread, at any level.
 * @source [A] @{ */
/** Pack the strided patch at `ptr` into `buf`. */
void armci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);
/** Unpack `buf` into the strided patch at `ptr`. */
void armci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);
/** @} */
/** @defgroup walk Walking over patches
 * Visit the segments of a strided patch one after the other. Local; at most `ARMCI_MAX_STRIDE_LEVEL` levels.
 * @errors `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_COUNT`: the walk is then one over nothing. May be called at any time.
 * @threads From any thread, at any level; a walk belongs to one thread.
 * @source None of the papers; an interface that Global Arrays uses. @{ */
/** The state of a walk; the program uses the functions only. */
typedef struct {
    char *base_ptr;                            /**< where the patch begins */
    int stride_levels;                         /**< as for strided transfers */
    int stride_arr[ARMCI_MAX_STRIDE_LEVEL];    /**< bytes */
    int seg_count[ARMCI_MAX_STRIDE_LEVEL + 1]; /**< bytes of a segment, then numbers */
    int size;                                  /**< number of segments */
    int pos;                                   /**< number of the current one */
    int itr[ARMCI_MAX_STRIDE_LEVEL];           /**< its place in each level */
} stride_info_t;
/** Begin a walk at the first segment. */
void armci_stride_info_init(stride_info_t *sinfo, void *base_ptr, int stride_levels, const int *stride_arr, const int *seg_count);
/** End a walk. */
void armci_stride_info_destroy(stride_info_t *sinfo);
/** Number of segments. */
int armci_stride_info_size(stride_info_t *sinfo);
/** Number of the current segment, from 0. */
int armci_stride_info_pos(stride_info_t *sinfo);
/** Go to the next segment. */
void armci_stride_info_next(stride_info_t *sinfo);
/** Address of the current segment. */
void *armci_stride_info_seg_ptr(stride_info_t *sinfo);
/** Bytes of a segment. */
int armci_stride_info_seg_size(stride_info_t *sinfo);
/** Bytes from the beginning of the patch to the current segment. */
int armci_stride_info_seg_off(stride_info_t *sinfo);
/** 1 while there is a current segment, 0 behind the last. */
int armci_stride_info_has_more(stride_info_t *sinfo);
/** @} */
/** @defgroup nonblocking Non-blocking transfers
 * The same transfers, started by one call and completed by another. `hdl` stands for what was started with it: one operation or many, of
 * any kind and to any processes; NULL is the implicit handle, of which there is one. There may be any number of handles and of operations
 * outstanding.
 * @completion Between the call and `ARMCI_Wait` (`ARMCI_WaitProc`, `ARMCI_WaitAll`) the local buffer belongs to the library: not to be
 * changed, for a get not to be read. `*scale`, strides, counts and entries of vectors may be used again at once, as may the value of an
 * `ARMCI_NbPutValue`. Waiting is local completion; remote completion is a fence, as for the blocking forms.
 * @ordering Operations that were not yet waited for are unordered, among themselves and against blocking ones. A fence is for them too.
 * @errors Those of the blocking form, found at the call and not at the wait; nothing is started then. `ARMCI_INIT_HANDLE`:
 * `ARMCI_ERR_HANDLE` for NULL; may be called at any time.
 * @source [B] @{ */
/** Make the handle one with nothing outstanding; not needed before its first use. */
void ARMCI_INIT_HANDLE(armci_hdl_t *hdl);
/** Start ARMCI_Put. */
int ARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
/** Start ARMCI_Get. */
int ARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
/** Start ARMCI_Acc. */
int ARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
/** Start ARMCI_PutS. */
int ARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc,
                 armci_hdl_t *hdl);
/** Start ARMCI_GetS. */
int ARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc,
                 armci_hdl_t *hdl);
/** Start ARMCI_AccS. */
int ARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                 int stride_levels, int proc, armci_hdl_t *hdl);
/** Start ARMCI_PutV. */
int ARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
/** Start ARMCI_GetV. */
int ARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
/** Start ARMCI_AccV. */
int ARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
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
 * An aggregate handle collects contiguous non-blocking requests and issues them together: one vector transfer for each run of requests of
 * one kind to one process. For many small transfers to one process that is far cheaper than one by one.
 * @completion What was collected goes out at `ARMCI_Wait` or `ARMCI_Test` on the handle, at a fence of its target, when a request of
 * another kind or to another process comes, or when the handle is unset. The local buffers are needed until the wait; values of
 * `ARMCI_NbPutValue` are copied. On shared memory a request is carried out at once.
 * @errors `ARMCI_ERR_HANDLE` for NULL. A request is checked when it is handed over; a wrong one is not kept.
 * @source [B] @{ */
/** Make the handle an aggregate one, before its first request. */
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *hdl);
/** Make it a plain handle again; what it has collected is started. */
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *hdl);
/** @} */
/** @defgroup wait Local completion
 * Wait for non-blocking transfers: afterwards their local buffers may be used again, and the data of gets are there.
 * @completion Local. A handle with nothing outstanding is no error, and may be used for new transfers at once. A handle need not be waited
 * for where something else completes its transfers (a fence completes puts and accumulates): the library keeps nothing of what is complete.
 * @errors `ARMCI_WaitProc`: `ARMCI_ERR_RANK`.
 * @source [B] @{ */
/** Complete all that the handle carries; NULL: the implicit handle. */
int ARMCI_Wait(armci_hdl_t *hdl);
/** 0: complete, as after ARMCI_Wait; 1: not yet. It does not wait, and lets all that is under way go on, so that a loop on it ends; an
 * aggregate handle first starts what it has collected. Only over MPI's windows, where nothing but waiting tells, it completes the
 * operation. */
int ARMCI_Test(armci_hdl_t *hdl);
/** Complete everything non-blocking towards `proc`, under whatever handle. */
int ARMCI_WaitProc(int proc);
/** Complete everything non-blocking. */
int ARMCI_WaitAll(void);
/** @} */
/** @defgroup fence Remote completion
 * After a fence all that the caller has issued before, blocking or not, is in the target's memory, and any later operation of anyone sees
 * it. A fence costs what is pending: nothing where nothing is.
 * @completion Remote, of the caller's own operations. `ARMCI_Barrier` is `ARMCI_AllFence` on every process, then a barrier: afterwards
 * everything that anyone had issued is in place, and may be loaded by its owner.
 * @ordering Operations before a fence take effect before those after it, for every observer.
 * @errors `ARMCI_Fence`: `ARMCI_ERR_RANK`. `ARMCI_GroupFence`: `ARMCI_ERR_GROUP`.
 * @threads A fence is for the operations of all threads of the process.
 * @source [A] @{ */
/** Complete what the caller has issued to `proc`. */
void ARMCI_Fence(int proc);
/** Complete what the caller has issued to anyone. */
void ARMCI_AllFence(void);
/** Complete what the caller has issued to the members of a group. */
void ARMCI_GroupFence(ARMCI_Group *group);
/** ARMCI_AllFence on every process, then a barrier of all. Collective. */
void ARMCI_Barrier(void);
/** @} */
/** @defgroup rmw Read-modify-write
 * One atomic operation on an int or a long in the memory of `proc`. The old value is stored in `*ploc`.
 * @units `op` says the type of `*prem` and `*ploc`: int or long. `prem` is aligned to it. For a swap `*ploc` holds the new value on
 * entry, and `value` is not used; for a fetch-and-add `value` is added.
 * @completion Complete, remotely too, when the call returns.
 * @ordering After the caller's own earlier blocking operations on those bytes.
 * @atomicity Against every other `ARMCI_Rmw` of the same type, from anyone; not against put, accumulate or the owner's loads and stores.
 * @errors `ARMCI_ERR_RANK`, `ARMCI_ERR_TYPE` (no such operation), `ARMCI_ERR_ALIGN`, `ARMCI_ERR_ADDRESS`, `ARMCI_ERR_RANGE`.
 * @source [A] @{ */
/** Fetch and add, or swap: `op` is one of `ARMCI_Rmw_e`. */
int ARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc);
/** @} */
/** @defgroup mutexes Mutexes
 * A process nodes mutexes, which anyone may lock. A mutex is named by its number and its node. They are fair: granted in the order of the
 * requests. One set at a time; `armcix.h` has sets in any number.
 * @completion `ARMCI_Unlock` first completes, remotely, what the caller has pending, so that the next holder sees it. Creating and
 * destroying is collective.
 * @errors `ARMCI_ERR_MUTEX`: there are none, there are some already, the process nodes no such mutex, the caller holds it already or does
 * not hold it. `ARMCI_ERR_COUNT`, `ARMCI_ERR_RANK`, `ARMCI_ERR_MEMORY`.
 * @threads A mutex belongs to the process that locked it. Of two threads of a process that lock the same one, the second waits for the
 * first.
 * @source [A]; over MPI windows [C]. @{ */
/** Node `count` >= 0 mutexes, numbered from 0; the count may differ by process. */
int ARMCI_Create_mutexes(int count);
/** Destroy the mutexes of all processes; nobody holds one. */
int ARMCI_Destroy_mutexes(void);
/** Acquire a mutex of process `proc`. Not recursive; a process may hold several. */
void ARMCI_Lock(int mutex, int proc);
/** Release it. */
void ARMCI_Unlock(int mutex, int proc);
/** @} */
/** @defgroup notify Notification
 * Point to point: `armci_notify` of `proc` lets one `armci_notify_wait` for the caller return in `proc`.
 * @completion Everything that the caller had issued to `proc` is in place before the notification arrives.
 * Numbers of notifications begin again at 0 after 2^31 - 1.
 * @errors A negative number: minus `ARMCI_ERR_RANK`, minus `ARMCI_ERR_ADDRESS` (NULL), minus `ARMCI_ERR_STATE`.
 * @source [B] @{ */
/** Notify `proc`; returns the number of notifications sent to it so far. */
int armci_notify(int proc);
/** Wait for a notification of `proc`; stores the number of waits in `*pval`, returns that of notifications received, which is not less. */
int armci_notify_wait(int proc, int *pval);
/** @} */
/** @defgroup groups Groups
 * A group is a list of processes with a communicator of its own: for global memory, mutexes, barriers and reductions among some.
 * Transfers name processes by process number always.
 * @completion Called by the members of the new group; other processes of the parent may call too, and get a group with rank -1. With
 * `ARMCI_NONCOLLECTIVE_GROUPS=no` all processes of the parent must call. Freeing completes all that the caller has pending; regions and
 * mutexes of the group live on until they are freed.
 * @errors `ARMCI_ERR_GROUP`: no group that the caller is a member of, or a freed one; the world cannot be freed. `ARMCI_ERR_RANK`: the
 * parent has no such rank, or it is named twice. `ARMCI_ERR_COUNT`: no member, or more than the parent has. `ARMCI_Group_rank` and
 * `ARMCI_Group_size` may be called at any time.
 * @threads Threads may create groups at once where the lists of members differ.
 * @source [B]; created by the members alone [D]. @{ */
/** A group of the `n` processes whose ranks in the default group are in `pid_list`; rank i of the new group is `pid_list[i]`. */
void ARMCI_Group_create(int n, int *pid_list, ARMCI_Group *group_out);
/** The same with ranks in `*parent`. */
void ARMCI_Group_create_child(int n, int *pid_list, ARMCI_Group *group_out, ARMCI_Group *parent);
/** Free a group; a group with rank -1 is nothing. */
void ARMCI_Group_free(ARMCI_Group *group);
/** The caller's rank; -1 and a nonzero return, without a message, where it is no member. */
int ARMCI_Group_rank(ARMCI_Group *group, int *rank);
/** The number of members. */
void ARMCI_Group_size(ARMCI_Group *group, int *size);
/** Set the default group: the parent of ARMCI_Group_create, nothing else. At start it is the world. */
void ARMCI_Group_set_default(ARMCI_Group *group);
/** The default group. */
void ARMCI_Group_get_default(ARMCI_Group *group_out);
/** The group of all processes. */
void ARMCI_Group_get_world(ARMCI_Group *group_out);
/** Process number of rank `group_rank` of the group; negative: error. */
int ARMCI_Absolute_id(ARMCI_Group *group, int group_rank);
/** The group's communicator, as in its member comm. */
MPI_Comm armci_group_comm(ARMCI_Group *group);
/** @} */
/** @defgroup topology Nodes
 * Which processes are on one node, that is, one machine: their memory is shared unless `ARMCI_SHM=no` says otherwise. With
 * `ARMCI_NODES=rank` every process is a node of its own here and in the scopes of messages; transfers go by shared memory all the same.
 * @errors A negative number, or 0 for the questions with a yes or no: `ARMCI_ERR_RANK`, `ARMCI_ERR_ARGUMENT` (no such kind of domain).
 * @source [B] @{ */
/** A domain is a shared-memory node; there is no other kind. */
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
/** 1: the processes of a node share the memory of their regions; ARMCIX_Local_address then tells where. */
int ARMCI_Uses_shm(void);
/** The same, for a group; it is the same for all. */
int ARMCI_Uses_shm_grp(ARMCI_Group *group);
/** A hint of older programs: bytes of shared memory per process wanted. Has no effect: there is no limit to set. */
void ARMCI_Set_shm_limit(unsigned long shmemlimit);
/** @} */

#ifdef __cplusplus
}
#endif

#include <message.h>
#include <parmci.h>

#endif
