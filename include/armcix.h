/** @file armcix.h
 * Extensions of the ARMCI interface.
 */
#ifndef ARMCIX_H_INCLUDED
#define ARMCIX_H_INCLUDED

#include <armci.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup moregroups More ways to make groups
 * Collective over the parent.
 * @errors `ARMCI_ERR_GROUP`: the parent is no group that the caller is a member of. `ARMCI_ERR_ADDRESS`: NULL.
 * @source None of the papers. @{ */
/** Split a group as MPI_Comm_split does; with a negative `color` the caller joins none and gets rank -1. */
int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group);
/** Duplicate a group. */
int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group);
/** @} */
/** @defgroup modes Access modes
 * A promise about a region that the library may use to be faster; answers stay right while it is kept. No path makes use of modes
 * yet; `ARMCI_VERIFY` does.
 * @completion `ARMCIX_Mode_set` is collective over the region's group and completes everything on the region first.
 * @errors `ARMCI_ERR_ARGUMENT`: no combination of modes. `ARMCI_ERR_ADDRESS`: no slice of the caller. `ARMCI_ERR_GROUP`: not the region's
 * group.
 * @source [C] @{ */
/** Modes, to be combined by bitwise or. */
enum armcix_access_mode_e {
    ARMCIX_MODE_ALL = 0x1,           /**< anything; the mode of a new region */
    ARMCIX_MODE_CONFLICT_FREE = 0x2, /**< no two operations in this phase touch the same bytes, unless both read or both accumulate */
    ARMCIX_MODE_NO_LOAD_STORE = 0x4, /**< the owner does not load or store its slice */
    ARMCIX_MODE_READ_ONLY = 0x8,     /**< nobody writes */
    ARMCIX_MODE_ACC_ONLY = 0x10      /**< nothing but accumulates of one type */
};
/** Set the mode of the region that holds `ptr`, an address of the caller's own slice. */
int ARMCIX_Mode_set(int mode, void *ptr, ARMCI_Group *group);
/** The mode in force; negative: error. */
int ARMCIX_Mode_get(void *ptr);
/** @} */
/** @defgroup mutexsets Sets of mutexes
 * Sets of mutexes, many at a time, over a group (NULL: the world). `proc` is a rank of that group. In all else they are like those of
 * `ARMCI_Create_mutexes`.
 * @completion Creating and destroying is collective over the group. `ARMCIX_Unlock_hdl` first completes, remotely, what the caller has
 * pending.
 * @errors `ARMCI_ERR_HANDLE`: no set, or a destroyed one. `ARMCI_ERR_MUTEX`, `ARMCI_ERR_RANK`, `ARMCI_ERR_COUNT`, `ARMCI_ERR_MEMORY`,
 * `ARMCI_ERR_GROUP`.
 * @threads A mutex belongs to the process that locked it. Of two threads of a process that lock the same one, the second waits for the
 * first.
 * @source [C] @{ */
/** A set of mutexes; NULL is none. */
typedef struct armcix_mutex_hdl_s *armcix_mutex_hdl_t;
/** Create a set, in which the caller nodes `count` >= 0; NULL: error. */
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group);
/** Destroy it. */
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);
/** Acquire a mutex. */
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
/** Acquire it if nobody holds it: 0 when it was acquired, 1 when not. */
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
/** Release it. */
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
/** @} */
/** @defgroup reach Memory of neighbours
 * Loads and stores in the slices of other processes on the node.
 * @completion Stores are seen by others after the caller's next `ARMCI_Fence` or `ARMCI_Barrier`.
 * @atomicity Loads and stores are atomic against no operation of ARMCI.
 * @errors NULL: `ARMCI_ERR_RANK`, `ARMCI_ERR_ADDRESS`.
 * @source None of the papers. @{ */
/** Where the byte at `address` of process `proc` (in a slice of global memory, as for ARMCI_Put) lies in the caller's own address space,
 * up to the end of that slice and until the region is freed. NULL, without a message, where the memory is not shared with the caller: the
 * process is on another node, or `ARMCI_SHM=no`. */
void *ARMCIX_Local_address(void *address, int proc);
/** @} */
/** @defgroup progress Progress and the communicator
 * For programs that know of MPI.
 * @completion `ARMCIX_Progress` waits for nothing. It is of use where operations of others on the caller's memory wait for the caller to
 * enter MPI: between nodes without servers; and where the library has no thread that lets the caller's own go on: with progress ranks
 * as servers (`ARMCI_PROGRESS=rank`).
 * @errors `ARMCIX_Get_world_comm`: MPI_COMM_NULL where ARMCI is not running.
 * @source [C] @{ */
/** Let the MPI library work on what others sent here, and on what the caller has under way. */
void ARMCIX_Progress(void);
/** A communicator of all processes in the order of their process numbers; do not free it. */
MPI_Comm ARMCIX_Get_world_comm(void);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
