/** @file armcix.h
 * Extensions of the ARMCI interface.
 */
#ifndef ARMCIX_H_INCLUDED
#define ARMCIX_H_INCLUDED

#include <armci.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup moregroups Splitting and duplicating groups
 * Collective over the parent.
 * @errors `ARMCI_ERR_GROUP`: invalid parent group, or the caller is not a member.
 * `ARMCI_ERR_ADDRESS`: NULL.
 * @source None of the papers. @{ */
/** Split a group as MPI_Comm_split does; with a negative `color` the caller joins no group and gets
 * rank -1. */
int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group);
/** Duplicate a group. */
int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group);
/** @} */
/** @defgroup modes Access modes
 * A promise of the program about a region, which no path uses for speed. By default it is not
 * checked. With `ARMCI_DEBUG_ALLOC=yes` or `slow`, when the mode is set, an operation that breaks
 * ARMCIX_MODE_READ_ONLY (put, accumulate, flag, read-modify-write) or ARMCIX_MODE_ACC_ONLY (all but
 * accumulates) transfers nothing and is an error `ARMCI_ERR_ARGUMENT`. The other modes, loads and
 * stores are never checked; ARMCIX_MODE_ALL allows all.
 * @completion `ARMCIX_Mode_set` is collective over the region's group and completes everything on
 * the region first.
 * @errors `ARMCI_ERR_ARGUMENT`: not a combination of modes. `ARMCI_ERR_ADDRESS`: not in a slice of
 * the caller. `ARMCI_ERR_GROUP`: not the group of the region.
 * @source [C] @{ */
/** Modes, combined by bitwise or. */
enum armcix_access_mode_e {
    ARMCIX_MODE_ALL = 0x1,           /**< no restriction; the mode of a new region */
    ARMCIX_MODE_CONFLICT_FREE = 0x2, /**< no two operations in this phase touch the same bytes,
                                        unless both read or both accumulate */
    ARMCIX_MODE_NO_LOAD_STORE = 0x4, /**< the owner does not load or store its slice */
    ARMCIX_MODE_READ_ONLY = 0x8,     /**< no process writes */
    ARMCIX_MODE_ACC_ONLY = 0x10      /**< only accumulates of one type */
};
/** Set the mode of the region that holds `ptr`, an address of the caller's own slice. It has an
 * effect only with `ARMCI_DEBUG_ALLOC`: operations that break it are refused. */
int ARMCIX_Mode_set(int mode, void *ptr, ARMCI_Group *group);
/** The mode in force; negative: error. */
int ARMCIX_Mode_get(void *ptr);
/** @} */
/** @defgroup mutexsets Sets of mutexes
 * Any number of sets of mutexes, over a group (NULL: the world). `proc` is a rank in that group.
 * Otherwise as `ARMCI_Create_mutexes`.
 * @completion Creating and destroying is collective over the group. `ARMCIX_Unlock_hdl` first
 * completes, remotely, all pending operations of the caller.
 * @errors `ARMCI_ERR_HANDLE`: not a set, or a destroyed one. `ARMCI_ERR_MUTEX`, `ARMCI_ERR_RANK`,
 * `ARMCI_ERR_COUNT`, `ARMCI_ERR_MEMORY`, `ARMCI_ERR_GROUP`.
 * @threads A mutex belongs to the process that locked it. Of two threads of a process that lock the
 * same one, the second waits for the first.
 * @source [C] @{ */
/** A set of mutexes, or NULL. */
typedef struct armcix_mutex_hdl_s *armcix_mutex_hdl_t;
/** Create a set in which the caller owns `count` >= 0 mutexes; NULL: error. */
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group);
/** Destroy a set. */
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);
/** Acquire a mutex. */
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
/** Acquire a mutex if no process holds it: 0 if it was acquired, else 1. */
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
/** Release a mutex. */
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
/** @} */
/** @defgroup reach Memory of processes on the node
 * Loads and stores in the slices of other processes on the node.
 * @completion Other processes see the stores after the caller's next `ARMCI_Fence` or
 * `ARMCI_Barrier`.
 * @atomicity Loads and stores are not atomic against any ARMCI operation.
 * @errors NULL: `ARMCI_ERR_RANK`; `ARMCI_ERR_ADDRESS`, if the memory of the process is shared.
 * @source None of the papers. @{ */
/** The address, in the caller's address space, of the byte at `address` of process `proc` (in a
 * slice of global memory, as for ARMCI_Put). It is valid up to the end of that slice and until the
 * region is freed. NULL, without a message, if the memory is not shared with the caller: the
 * process is on another node, or `ARMCI_SHM=no`. */
void *ARMCIX_Local_address(void *address, int proc);
/** @} */
/** @defgroup progress Progress and the communicator
 * For programs that use MPI.
 * @completion `ARMCIX_Progress` does not wait. It helps if operations of other processes on the
 * caller's memory wait until the caller enters MPI (between nodes without servers), or the
 * caller's own operations wait for its calls (`ARMCI_PROGRESS=none`).
 * @errors `ARMCIX_Get_world_comm`: MPI_COMM_NULL if ARMCI is not running.
 * @source [C] @{ */
/** Progress requests of other processes to the caller, and the caller's outstanding operations. */
void ARMCIX_Progress(void);
/** A communicator of all processes in the order of their process numbers; do not free it. It has
 * the error handler MPI_ERRORS_ARE_FATAL. */
MPI_Comm ARMCIX_Get_world_comm(void);
/** @} */

/** @defgroup errors Errors
 * For bindings to other languages, which turn errors into exceptions.
 * @completion The handler runs in the thread of the wrong call, before that call returns its code.
 * It must return, and call no function of this library.
 * @errors None. It may be called at any time, while no other thread is in a call.
 * @source None of the papers; error handlers as in MPI. @{ */
/** Set the function that is called for an invalid argument, instead of printing the line and ending
 * the job, whatever `ARMCI_ERRORS` says: with a code of `ARMCI_Err_e` and the line without rank,
 * such as "ARMCI_Put: proc = 17 (of 2): invalid rank". The text is valid during the call. NULL
 * restores the default. */
void ARMCIX_Set_error_handler(void (*handler)(int code, const char *text));
/** @} */

/** @defgroup counters Counters
 * How this process has moved data, for tools. Operations by loads and stores of the node have no
 * counter.
 * @units Operations, messages and requests, from ARMCI_Init on. An operation is one put, get,
 * accumulate or read-modify-write; the requests of an aggregate handle are one when they are
 * issued.
 * @completion Local. Counts of other threads may be a moment old.
 * @errors 0 for NULL. It may be called at any time.
 * @source None of the papers. @{ */
/** Indices of counters. */
enum armcix_counter_e {
    ARMCIX_SERVER = 0,           /**< operations sent to a server of another node */
    ARMCIX_RMA_CONTIGUOUS = 1,   /**< operations as one MPI one-sided call */
    ARMCIX_RMA_DATATYPE = 2,     /**< operations as MPI calls with derived datatypes */
    ARMCIX_RMA_BATCHED = 3,      /**< operations as one MPI call for each segment */
    ARMCIX_RMA_CONSERVATIVE = 4, /**< the same, each call complete before the next */
    ARMCIX_RMA_ATOMIC = 5,       /**< read-modify-writes as an atomic MPI call */
    ARMCIX_MESSAGES = 6,         /**< messages sent to servers; each has one or more requests */
    ARMCIX_SERVED = 7            /**< requests of other processes that this process has served */
};
/** Store the first `n` counters in `values`; returns how many there are. */
int ARMCIX_Counters(unsigned long values[], int n);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
