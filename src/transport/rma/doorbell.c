/* doorbell.c - a doorbell is a count in shared memory, and a datagram socket that ends its owner's sleep. */
#define _GNU_SOURCE
#include "transport/rma/doorbell.h"

#include <mpi.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "mpi/coll.h"
#include "transport/shm/node.h"

static int fd = -1;
static unsigned cleared; /* the own count when it was cleared last */

/* Bind to a name that the kernel chooses, unique in the network namespace and in no file system, and publish it. */
static bool bind_to_name(int s, struct doorbell *mine)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t length = sizeof name.sun_family;
    if (bind(s, (struct sockaddr *)&name, length) != 0) return false;
    length = sizeof name;
    if (getsockname(s, (struct sockaddr *)&name, &length) != 0) return false;
    length -= (socklen_t)offsetof(struct sockaddr_un, sun_path);
    if (length == 0 || length > sizeof mine->name) return false;
    memcpy(mine->name, name.sun_path, length);
    mine->length = (unsigned char)length;
    return true;
}

static int open_socket(struct doorbell *mine)
{
    int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s < 0 || bind_to_name(s, mine)) return s;
    close(s);
    return -1;
}

static void send_datagram(const struct doorbell *b)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    memcpy(name.sun_path, b->name, b->length);
    sendto(fd, NULL, 0, MSG_DONTWAIT, (struct sockaddr *)&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + b->length));
}

/* Read all datagrams; true if there was one. */
static bool drain_socket(void)
{
    bool any = false;
    char unused;
    while (recv(fd, &unused, sizeof unused, MSG_DONTWAIT) >= 0)
        any = true;
    return any;
}

/* Containers on one node may share memory but no network namespace: each process sends a datagram to the next one. */
static bool test_datagrams(void)
{
    int next = (armcii_node->rank + 1) % armcii_node->size;
    if (!armcii_coll_all(fd >= 0, armcii_node->comm)) return false;
    send_datagram(&armcii_node->doorbells[next]);
    MPI_Barrier(armcii_node->comm);
    return armcii_coll_all(drain_socket(), armcii_node->comm);
}

void armcii_doorbell_open(void)
{
    struct doorbell *mine = &armcii_node->doorbells[armcii_node->rank];
    fd = open_socket(mine);
    cleared = atomic_load(&mine->rung);
}

void armcii_doorbells_start(void)
{
    if (!armcii_node->doorbells || armcii_node->size == 1) return;
    armcii_doorbell_open();
    if (!test_datagrams()) armcii_doorbells_end();
}

void armcii_doorbells_end(void)
{
    if (fd >= 0) close(fd);
    fd = -1;
}

int armcii_doorbell_fd(void)
{
    return fd;
}

void armcii_doorbell_ring(int process)
{
    if (fd < 0) return;
    int neighbour = armcii_node->rank_of[process];
    if (neighbour < 0 || neighbour == armcii_node->rank) return;
    struct doorbell *b = &armcii_node->doorbells[neighbour];
    atomic_fetch_add(&b->rung, 1);
    if (atomic_load(&b->asleep)) send_datagram(b);
}

bool armcii_doorbell_is_pending(void)
{
    return fd >= 0 && atomic_load(&armcii_node->doorbells[armcii_node->rank].rung) != cleared;
}

bool armcii_doorbell_clear(void)
{
    if (!armcii_doorbell_is_pending()) return false;
    cleared = atomic_load(&armcii_node->doorbells[armcii_node->rank].rung);
    drain_socket();
    return true;
}

void armcii_doorbell_arm(bool armed)
{
    if (fd >= 0) atomic_store(&armcii_node->doorbells[armcii_node->rank].asleep, armed);
}
