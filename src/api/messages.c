/* messages.c - the armci_msg_* family: two-sided messages, barriers, broadcasts, exchange. */
#include <stdlib.h>

#include "api/entry.h"
#include "mpi/coll.h"
#include "mpi/world.h"

/* These functions do not take the global lock, since they wait inside MPI for other processes. */

void parmci_msg_init(int *argc, char ***argv)
{
    int running;
    MPI_Initialized(&running);
    if (!running) MPI_Init(argc, argv);
}
ARMCII_ALIAS(armci_msg_init, parmci_msg_init);

void parmci_msg_init_comm(MPI_Comm comm)
{
    (void)comm; /* processes have numbers of their own before ARMCI_Init only in MPI_COMM_WORLD */
    parmci_msg_init(NULL, NULL);
}
ARMCII_ALIAS(armci_msg_init_comm, parmci_msg_init_comm);

void parmci_msg_finalize(void)
{
    int running, finalized;
    MPI_Initialized(&running);
    MPI_Finalized(&finalized);
    if (running && !finalized) MPI_Finalize();
}
ARMCII_ALIAS(armci_msg_finalize, parmci_msg_finalize);

/* Programs query rank and size before ARMCI_Init, too: then MPI must be running. */
static bool check_mpi_running(const char *caller)
{
    int running, finalized;
    MPI_Initialized(&running);
    MPI_Finalized(&finalized);
    if (running && !finalized) return true;
    armcii_error(ARMCI_ERR_STATE, caller, "state", "neither ARMCI nor MPI is running", "%s", "off");
    return false;
}

int parmci_msg_me(void)
{
    int rank = -1;
    if (armcii_entry.is_open) return armcii_world->rank;
    if (check_mpi_running(CALLER)) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}
ARMCII_ALIAS(armci_msg_me, parmci_msg_me);

int parmci_msg_nproc(void)
{
    int size = -1;
    if (armcii_entry.is_open) return armcii_world->size;
    if (check_mpi_running(CALLER)) MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}
ARMCII_ALIAS(armci_msg_nproc, parmci_msg_nproc);

void parmci_msg_abort(int code)
{
    PARMCI_Error(CALLER, code);
}
ARMCII_ALIAS(armci_msg_abort, parmci_msg_abort);

double parmci_timer(void)
{
    return MPI_Wtime();
}
ARMCII_ALIAS(armci_timer, parmci_timer);

/* ---- two-sided ---- */

/* ARMCI allows any int as a tag; MPI guarantees 0 to 32767. */
static int mpi_tag(int tag)
{
    return tag & 0x7fff;
}

static bool check_buffer(const char *caller, const void *buffer, const char *length_name,
                         int length)
{
    if (armcii_check_count(caller, length_name, length)) return false;
    return length == 0 || armcii_check_pointer(caller, "buffer", buffer) == 0;
}

void parmci_msg_snd(int tag, void *buffer, int len, int to)
{
    if (armcii_is_running(CALLER) && armcii_check_process(CALLER, "to", to) == 0 &&
        check_buffer(CALLER, buffer, "len", len))
        armcii_coll_send(buffer, len, to, mpi_tag(tag), armcii_world->messages);
}
ARMCII_ALIAS(armci_msg_snd, parmci_msg_snd);

/* The sender; -1 if the message is longer than the buffer: it stays available for a larger buffer.
 */
static int receive(const char *caller, int tag, void *buffer, int buflen, int *msglen, int from)
{
    MPI_Status status;
    int length;
    bool received =
        armcii_coll_receive(buffer, buflen, from, mpi_tag(tag), armcii_world->messages, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    if (!received) {
        armcii_error(ARMCI_ERR_COUNT, caller, "buflen",
                     "the message is longer and was not received", "%d (of %d)", buflen, length);
        return -1;
    }
    if (msglen) *msglen = length;
    return status.MPI_SOURCE;
}

void parmci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from)
{
    if (armcii_is_running(CALLER) && armcii_check_process(CALLER, "from", from) == 0 &&
        check_buffer(CALLER, buffer, "buflen", buflen))
        receive(CALLER, tag, buffer, buflen, msglen, from);
}
ARMCII_ALIAS(armci_msg_rcv, parmci_msg_rcv);

int parmci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen)
{
    if (!armcii_is_running(CALLER) || !check_buffer(CALLER, buffer, "buflen", buflen)) return -1;
    return receive(CALLER, tag, buffer, buflen, msglen, MPI_ANY_SOURCE);
}
ARMCII_ALIAS(armci_msg_rcvany, parmci_msg_rcvany);

/* ---- barriers and trees ---- */

/* 0 or an error code, with a message. */
int armcii_check_scope(const char *caller, int scope)
{
    if (scope >= SCOPE_ALL && scope <= SCOPE_MASTERS) return 0;
    return armcii_error(ARMCI_ERR_TYPE, caller, "scope", "invalid scope", "%d", scope);
}

void parmci_msg_barrier(void)
{
    armcii_barrier_of(armcii_world_team(CALLER));
}
ARMCII_ALIAS(armci_msg_barrier, parmci_msg_barrier);

void parmci_msg_group_barrier(ARMCI_Group *group)
{
    armcii_barrier_of(armcii_group_team(CALLER, group));
}
ARMCII_ALIAS(armci_msg_group_barrier, parmci_msg_group_barrier);

static void get_tree_position(const char *caller, struct team *team, int scope, int *Root, int *Up,
                              int *Left, int *Right)
{
    if (!team || armcii_check_scope(caller, scope)) return;
    if (armcii_check_pointer(caller, "Root", Root) || armcii_check_pointer(caller, "Up", Up) ||
        armcii_check_pointer(caller, "Left", Left) || armcii_check_pointer(caller, "Right", Right))
        return;
    struct tree_position p = armcii_tree(team, (enum team_scope)scope);
    *Root = p.root;
    *Up = p.up;
    *Left = p.left;
    *Right = p.right;
}

void parmci_msg_bintree(int scope, int *Root, int *Up, int *Left, int *Right)
{
    get_tree_position(CALLER, armcii_world_team(CALLER), scope, Root, Up, Left, Right);
}
ARMCII_ALIAS(armci_msg_bintree, parmci_msg_bintree);

void parmci_msg_group_bintree(int scope, int *Root, int *Up, int *Left, int *Right,
                              ARMCI_Group *group)
{
    get_tree_position(CALLER, armcii_group_team(CALLER, group), scope, Root, Up, Left, Right);
}
ARMCII_ALIAS(armci_msg_group_bintree, parmci_msg_group_bintree);

/* ---- broadcast ---- */

/* buffer_name: the argument name of the caller. */
static void broadcast(const char *caller, struct team *team, int scope, const char *buffer_name,
                      void *buffer, int len, int root)
{
    if (!team || armcii_check_scope(caller, scope)) return;
    MPI_Comm comm = armcii_team_scope_comm(team, (enum team_scope)scope);
    if (comm == MPI_COMM_NULL || armcii_check_count(caller, "len", len))
        return; /* the caller may be no member */
    if (len > 0 && armcii_check_pointer(caller, buffer_name, buffer)) return;
    int rank = armcii_scope_rank(team, (enum team_scope)scope, root);
    if (rank < 0)
        armcii_error(ARMCI_ERR_RANK, caller, "root", "the process is not in the scope", "%d", root);
    else
        armcii_coll_bcast(buffer, len, rank, comm);
}

void parmci_msg_bcast_scope(int scope, void *buffer, int len, int root)
{
    broadcast(CALLER, armcii_world_team(CALLER), scope, "buffer", buffer, len, root);
}
ARMCII_ALIAS(armci_msg_bcast_scope, parmci_msg_bcast_scope);

void parmci_msg_bcast(void *buffer, int len, int root)
{
    broadcast(CALLER, armcii_world_team(CALLER), SCOPE_ALL, "buffer", buffer, len, root);
}
ARMCII_ALIAS(armci_msg_bcast, parmci_msg_bcast);

void parmci_msg_brdcst(void *buffer, int len, int root)
{
    broadcast(CALLER, armcii_world_team(CALLER), SCOPE_ALL, "buffer", buffer, len, root);
}
ARMCII_ALIAS(armci_msg_brdcst, parmci_msg_brdcst);

void parmci_msg_group_bcast_scope(int scope, void *buf, int len, int root, ARMCI_Group *group)
{
    broadcast(CALLER, armcii_group_team(CALLER, group), scope, "buf", buf, len, root);
}
ARMCII_ALIAS(armci_msg_group_bcast_scope, parmci_msg_group_bcast_scope);

void parmci_msg_clus_brdcst(void *buf, int len)
{
    struct team *team = armcii_world_team(CALLER);
    if (team)
        broadcast(CALLER, team, SCOPE_NODE, "buf", buf, len,
                  armcii_domain_member(armcii_world->domain, 0));
}
ARMCII_ALIAS(armci_msg_clus_brdcst, parmci_msg_clus_brdcst);

/* The members of the range make a team for it. */
static void broadcast_in_range(const char *caller, const struct team *team, int first, int n,
                               void *buf, int len)
{
    int *ranks = armcii_alloc((size_t)n, sizeof *ranks, "a broadcast among %d ranks", n);
    struct team *range;
    for (int i = 0; i < n; i++)
        ranks[i] = first + i;
    armcii_lock_enter();
    bool made = armcii_team_create_by_members(team, n, ranks, &range);
    armcii_lock_exit();
    free(ranks);
    if (!made) {
        armcii_error(ARMCI_ERR_MEMORY, caller, "grp_clus_nproc",
                     "MPI creates no communicator for it", "%d", n);
        return;
    }
    armcii_coll_bcast(buf, len, 0, range->comm);
    armcii_lock_enter();
    armcii_team_close(range);
    armcii_lock_exit();
}

void parmci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc,
                            ARMCI_Group *mastergroup)
{
    struct team *team = armcii_group_team(CALLER, mastergroup);
    if (!team || armcii_check_count(CALLER, "len", len)) return;
    if (len > 0 && armcii_check_pointer(CALLER, "buf", buf)) return;
    if (grp_master < 0 || grp_master >= team->size)
        armcii_error(ARMCI_ERR_RANK, CALLER, "grp_master", "the group has no such rank",
                     "%d (of %d)", grp_master, team->size);
    else if (grp_clus_nproc < 1 || grp_clus_nproc > team->size - grp_master)
        armcii_error(ARMCI_ERR_COUNT, CALLER, "grp_clus_nproc",
                     "the group has fewer ranks from there", "%d (of %d)", grp_clus_nproc,
                     team->size - grp_master);
    else if (team->rank >= grp_master && team->rank < grp_master + grp_clus_nproc)
        broadcast_in_range(CALLER, team, grp_master, grp_clus_nproc, buf, len);
}
ARMCII_ALIAS(armci_grp_clus_brdcst, parmci_grp_clus_brdcst);

/* ---- exchange ---- */

static void exchange(const char *caller, struct team *team, void *ptr_ar[], int n)
{
    if (!team) return;
    if (n != team->size) {
        armcii_error(ARMCI_ERR_COUNT, caller, "n", "must be the number of processes", "%d (of %d)",
                     n, team->size);
        return;
    }
    if (armcii_check_pointer(caller, "ptr_ar", ptr_ar)) return;
    armcii_coll_allgather(&ptr_ar[team->rank], ptr_ar, (int)sizeof ptr_ar[0], team->comm);
}

void parmci_exchange_address(void *ptr_ar[], int n)
{
    exchange(CALLER, armcii_world_team(CALLER), ptr_ar, n);
}
ARMCII_ALIAS(armci_exchange_address, parmci_exchange_address);

void parmci_exchange_address_grp(void *ptr_ar[], int n, ARMCI_Group *group)
{
    exchange(CALLER, armcii_group_team(CALLER, group), ptr_ar, n);
}
ARMCII_ALIAS(armci_exchange_address_grp, parmci_exchange_address_grp);
