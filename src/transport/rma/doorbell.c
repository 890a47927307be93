/* doorbell.c - doorbells: a count in shared memory and, for who sleeps, a datagram. */
#define _GNU_SOURCE
#include "transport/rma/doorbell.h"

#include <mpi.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "transport/shm/node.h"

static int door = -1;
static unsigned heard; /* of the own bell's count */

/* By a name that the system gives, unique in its network namespace; nothing of it is in a file system. */
static bool give_name(int fd, struct doorbell *mine)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t length = sizeof name.sun_family;
    if (bind(fd, (struct sockaddr *)&name, length) != 0) return false;
    length = sizeof name;
    if (getsockname(fd, (struct sockaddr *)&name, &length) != 0) return false;
    length -= (socklen_t)offsetof(struct sockaddr_un, sun_path);
    if (length == 0 || length > sizeof mine->name) return false;
    memcpy(mine->name, name.sun_path, length);
    mine->length = (unsigned char)length;
    return true;
}

static int open_door(struct doorbell *mine)
{
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || give_name(fd, mine)) return fd;
    close(fd);
    return -1;
}

static void send_to(const struct doorbell *b)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    memcpy(name.sun_path, b->name, b->length);
    sendto(door, NULL, 0, MSG_DONTWAIT, (struct sockaddr *)&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + b->length));
}

/* What has come is many rings or one; true if any. */
static bool empty_door(void)
{
    bool any = false;
    char unused;
    while (recv(door, &unused, sizeof unused, MSG_DONTWAIT) >= 0) any = true;
    return any;
}

/* Containers on one node may share memory but no sockets: everybody rings the next one. */
static bool all_are_heard(void)
{
    int next = (armcii_node->rank + 1) % armcii_node->size, mine, all;
    mine = door >= 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, armcii_node->comm);
    if (!all) return false;
    send_to(&armcii_node->doorbells[next]);
    MPI_Barrier(armcii_node->comm);
    mine = empty_door();
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, armcii_node->comm);
    return all;
}

void armcii_doorbell_open(void)
{
    struct doorbell *mine = &armcii_node->doorbells[armcii_node->rank];
    door = open_door(mine);
    heard = atomic_load(&mine->rung);
}

void armcii_doorbells_start(void)
{
    if (!armcii_node->doorbells || armcii_node->size == 1) return;
    armcii_doorbell_open();
    if (!all_are_heard()) armcii_doorbells_end();
}

void armcii_doorbells_end(void)
{
    if (door >= 0) close(door);
    door = -1;
}

int armcii_doorbell_fd(void)
{
    return door;
}

void armcii_doorbell_ring(int process)
{
    if (door < 0) return;
    int neighbour = armcii_node->rank_of[process];
    if (neighbour < 0 || neighbour == armcii_node->rank) return;
    struct doorbell *b = &armcii_node->doorbells[neighbour];
    atomic_fetch_add(&b->rung, 1);
    if (atomic_load(&b->asleep)) send_to(b);
}

bool armcii_doorbell_is_pending(void)
{
    return door >= 0 && atomic_load(&armcii_node->doorbells[armcii_node->rank].rung) != heard;
}

bool armcii_doorbell_clear(void)
{
    if (!armcii_doorbell_is_pending()) return false;
    heard = atomic_load(&armcii_node->doorbells[armcii_node->rank].rung);
    empty_door();
    return true;
}

void armcii_doorbell_arm(bool asleep)
{
    if (door >= 0) atomic_store(&armcii_node->doorbells[armcii_node->rank].asleep, asleep);
}
