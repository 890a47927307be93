/* doorbell.c - a count in shared memory, and a datagram socket. */
#define _GNU_SOURCE
#include "node/doorbell.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "mpi/coll.h"
#include "mpi/world.h"

static struct {
    struct doorbell *all; /* [size], and those of the progress ranks; NULL: there are none */
    int rank, size;
    MPI_Comm comm;
    int fd;
    atomic_uint cleared; /* the own count when it was cleared last */
} own = {.fd = -1};

/* Bind to a name that the kernel chooses, unique in the network namespace and in no file system,
 * and publish it. */
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
    sendto(own.fd, NULL, 0, MSG_DONTWAIT, (struct sockaddr *)&name,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + b->length));
}

/* Read all datagrams; true if there was one. */
static bool drain_socket(void)
{
    bool any = false;
    char unused;
    while (recv(own.fd, &unused, sizeof unused, MSG_DONTWAIT) >= 0)
        any = true;
    return any;
}

/* Containers on one node may share memory but no network namespace: each process sends a datagram
 * to the next one. */
static bool test_datagrams(void)
{
    int next = (own.rank + 1) % own.size;
    if (!armcii_coll_all(own.fd >= 0, own.comm)) return false;
    send_datagram(&own.all[next]);
    armcii_coll_barrier(own.comm);
    return armcii_coll_all(drain_socket(), own.comm);
}

void armcii_doorbells_use(struct doorbell *all, int rank, int size, MPI_Comm comm)
{
    own.all = all;
    own.rank = rank;
    own.size = size;
    own.comm = comm;
}

void armcii_doorbell_open(void)
{
    struct doorbell *mine = &own.all[own.rank];
    own.fd = open_socket(mine);
    atomic_store(&own.cleared, atomic_load(&mine->rung));
}

void armcii_doorbells_start(void)
{
    if (!own.all || own.size == 1) return;
    armcii_doorbell_open();
    if (!test_datagrams()) armcii_doorbells_end();
}

void armcii_doorbells_end(void)
{
    if (own.fd >= 0) close(own.fd);
    own.fd = -1;
}

int armcii_doorbell_fd(void)
{
    return own.fd;
}

void armcii_doorbell_ring_number(unsigned number)
{
    struct doorbell *b = &own.all[number];
    atomic_fetch_add(&b->rung, 1);
    if (atomic_load(&b->asleep)) send_datagram(b);
}

void armcii_doorbell_ring(int process)
{
    if (own.fd < 0 || process == armcii_world->rank || !armcii_world_is_on_node(process)) return;
    armcii_doorbell_ring_number((unsigned)armcii_world->local_rank_of[process]);
}

bool armcii_doorbell_is_pending(void)
{
    return own.all && atomic_load(&own.all[own.rank].rung) != atomic_load(&own.cleared);
}

bool armcii_doorbell_clear(void)
{
    if (!armcii_doorbell_is_pending()) return false;
    atomic_store(&own.cleared, atomic_load(&own.all[own.rank].rung));
    drain_socket();
    return true;
}

void armcii_doorbell_arm(bool armed)
{
    if (own.fd >= 0) atomic_store(&own.all[own.rank].asleep, armed);
}
