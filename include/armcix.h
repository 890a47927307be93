/* armcix.h - extensions to the ARMCI interface: more groups, access modes, sets of mutexes, progress. */
#ifndef ARMCIX_H_INCLUDED
#define ARMCIX_H_INCLUDED

#include <armci.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Split a group as MPI_Comm_split does (a negative color: the caller joins none, rank -1), or duplicate it.  Collective over
 * the parent. */
int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group);
int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group);

/* Access modes: a promise about a region that the library may use to be faster; answers stay right while it is kept. */
enum armcix_access_mode_e {
    ARMCIX_MODE_ALL = 0x1,           /* anything; the mode of a new region */
    ARMCIX_MODE_CONFLICT_FREE = 0x2, /* no two operations in this phase touch the same bytes, unless both read or both accumulate */
    ARMCIX_MODE_NO_LOAD_STORE = 0x4, /* the owner does not load or store its slice */
    ARMCIX_MODE_READ_ONLY = 0x8,     /* nobody writes */
    ARMCIX_MODE_ACC_ONLY = 0x10      /* nothing but accumulates of one type */
};
/* Set (a bitwise or of modes) for the region that holds ptr, an address of the caller's own slice.  Collective over the
 * region's group; completes everything on the region first. */
int ARMCIX_Mode_set(int mode, void *ptr, ARMCI_Group *group);
/* The mode in force; negative: error. */
int ARMCIX_Mode_get(void *ptr);

/* Sets of mutexes, many at a time, over a group (NULL: the world).  `proc` is a rank of that group.
 * Trylock returns 0 when it acquired the mutex, 1 when somebody holds it. */
typedef struct armcix_mutex_hdl_s *armcix_mutex_hdl_t;
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group);
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);

/* Where the byte at `address` of process `proc` (in a slice of global memory, as for ARMCI_Put) lies in the caller's own address space, so
 * that it may be loaded and stored: up to the end of that slice.  NULL where the memory is not shared with the caller: the process is on
 * another node, or ARMCI_SHM=no.  Valid until the region is freed.  Stores are seen by others after the caller's next ARMCI_Fence or
 * ARMCI_Barrier, and are atomic against no operation of ARMCI. */
void *ARMCIX_Local_address(void *address, int proc);

/* Let the MPI library work on what others sent here. */
void ARMCIX_Progress(void);
/* A communicator of all processes in the order of their process numbers; do not free it. */
MPI_Comm ARMCIX_Get_world_comm(void);

#ifdef __cplusplus
}
#endif

#endif
