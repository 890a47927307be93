/* doorbell.c - counts in shared memory, and eventfds. */
#include "node/doorbell.h"

#include <sys/eventfd.h>
#include <unistd.h>

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
} own;

void armcii_doorbells_use(struct doorbell *all, int rank, int size, MPI_Comm comm)
{
    own.all = all;
    own.rank = rank;
    own.size = size;
    own.comm = comm;
    if (all) atomic_store(&own.cleared, atomic_load(&all[rank].rung));
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

bool armcii_doorbells_open(int bells)
{
    const int wanted = least(bells, least(own.size, PASS_MOST));
    for (own.n = 0; own.n < wanted; own.n++) {
        own.bells[own.n] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (own.bells[own.n] < 0) break;
    }
    if (own.n == wanted) return true;
    armcii_doorbells_end();
    return false;
}

void armcii_doorbells_start(int bells)
{
    if (!own.all || own.size == 1) return;
    int n = own.rank == 0 && armcii_doorbells_open(bells) ? own.n : 0;
    armcii_coll_bcast(&n, (int)sizeof n, 0, own.comm);
    if (n > 0 && armcii_pass(own.bells, n, own.comm))
        own.n = n;
    else
        armcii_doorbells_end();
}

void armcii_doorbells_end(void)
{
    while (own.n > 0)
        close(own.bells[--own.n]);
}

int armcii_doorbell_fd(void)
{
    return own.n > 0 ? own.bells[own.rank % own.n] : -1;
}

void armcii_doorbell_ring_number(unsigned number)
{
    struct doorbell *b = &own.all[number];
    atomic_fetch_add(&b->rung, 1);
    if (atomic_load(&b->asleep)) eventfd_write(own.bells[(int)number % own.n], 1);
}

void armcii_doorbell_ring(int process)
{
    if (own.n == 0 || process == armcii_world->rank || !armcii_world_is_on_node(process)) return;
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
    return true;
}

void armcii_doorbell_arm(bool armed)
{
    if (own.n > 0) atomic_store(&own.all[own.rank].asleep, armed);
}
