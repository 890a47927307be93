/* doorbell.c - counts in shared memory, and eventfds. */
#include "node/doorbell.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/system.h"

#include "mpi/coll.h"
#include "mpi/world.h"
#include "node/pass.h"

static struct {
    struct doorbell *all; /* [size]; NULL: there are none */
    int rank, size;
    MPI_Comm comm;
    int bells[PASS_MOST]; /* [n]; doorbell i has number i % n */
    int n;
    atomic_uint cleared; /* the own count when it was cleared last */
} doorbell;

void armcii_doorbells_use(struct doorbell *all, int rank, int size, MPI_Comm comm)
{
    doorbell.all = all;
    doorbell.rank = rank;
    doorbell.size = size;
    doorbell.comm = comm;
    if (all) atomic_store(&doorbell.cleared, atomic_load(&all[rank].rung));
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

bool armcii_doorbells_open(int bells)
{
    const int wanted = least(bells, least(doorbell.size, PASS_MOST));
    for (doorbell.n = 0; doorbell.n < wanted; doorbell.n++) {
        doorbell.bells[doorbell.n] =
            armcii_system_descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        if (doorbell.bells[doorbell.n] < 0) break;
    }
    if (doorbell.n == wanted) return true;
    armcii_doorbells_end();
    return false;
}

void armcii_doorbells_start(int bells)
{
    if (!doorbell.all || doorbell.size == 1) return;
    int n = doorbell.rank == 0 && armcii_doorbells_open(bells) ? doorbell.n : 0;
    armcii_coll_bcast(&n, (int)sizeof n, 0, doorbell.comm);
    if (n > 0 && armcii_pass(doorbell.bells, n, doorbell.comm))
        doorbell.n = n;
    else
        armcii_doorbells_end();
}

void armcii_doorbells_end(void)
{
    while (doorbell.n > 0)
        close(doorbell.bells[--doorbell.n]);
}

int armcii_doorbell_fd(void)
{
    return doorbell.n > 0 ? doorbell.bells[doorbell.rank % doorbell.n] : -1;
}

static void ring(int number)
{
    struct doorbell *b = &doorbell.all[number];
    atomic_fetch_add(&b->rung, 1);
    if (atomic_load(&b->asleep)) eventfd_write(doorbell.bells[number % doorbell.n], 1);
}

void armcii_doorbell_ring_server(void)
{
    ring(0);
}

void armcii_doorbell_ring(int process)
{
    if (doorbell.n == 0 || process == armcii_world->rank || !armcii_world_is_on_node(process))
        return;
    ring(armcii_world->local_rank_of[process]);
}

/* True if it was rung since it was cleared last. */
static bool is_pending(void)
{
    return doorbell.all &&
           atomic_load(&doorbell.all[doorbell.rank].rung) != atomic_load(&doorbell.cleared);
}

bool armcii_doorbell_clear(void)
{
    if (!is_pending()) return false;
    atomic_store(&doorbell.cleared, atomic_load(&doorbell.all[doorbell.rank].rung));
    return true;
}

static void arm(bool armed)
{
    if (doorbell.n > 0) atomic_store(&doorbell.all[doorbell.rank].asleep, armed);
}

bool armcii_doorbell_begin_sleep(void)
{
    arm(true);
    return !is_pending();
}

void armcii_doorbell_end_sleep(void)
{
    arm(false);
}
