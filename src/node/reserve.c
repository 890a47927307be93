/* reserve.c - memory that regions of this node will need. */
#include "node/reserve.h"

static struct {
    struct reservations *reservations;
    struct reservations none; /* for a process without a node control block */
    struct cgroups groups;    /* of the process, for memory */
    int levels;               /* the topmost groups, which contain all processes of the node */
} own = {.reservations = &own.none};

/* Shared memory of other programs, given `touched` bytes of ARMCI: in the node, then in the groups.
 */
static void read_others(size_t touched, size_t others[OTHERS])
{
    struct memory node;
    armcii_memory_read("", &node);
    others[0] = node.shared;
    for (int i = 0; i < own.levels; i++)
        others[1 + i] = armcii_cgroups_shared(&own.groups, i);
    for (int i = 0; i <= own.levels; i++)
        others[i] = others[i] > touched ? others[i] - touched : 0;
}

void armcii_reservations_start(struct reservations *shared, bool first,
                               const struct cgroups *groups, int levels)
{
    size_t others[OTHERS];
    own.reservations = shared ? shared : &own.none;
    own.groups = *groups;
    own.levels = levels;
    if (!shared || !first) return;
    read_others(0, others);
    for (int i = 0; i <= own.levels; i++)
        atomic_store(&own.reservations->others[i], others[i]);
}

void armcii_reservations_end(void)
{
    own.reservations = &own.none;
    own.levels = 0;
}

void armcii_reservation_add(size_t bytes)
{
    atomic_fetch_add_explicit(&own.reservations->bytes, bytes, memory_order_relaxed);
}

void armcii_reservation_release(size_t bytes)
{
    atomic_fetch_sub_explicit(&own.reservations->bytes, bytes, memory_order_relaxed);
}

/* Bytes available if `reserved` bytes are touched. */
static size_t memory_left(size_t reserved)
{
    struct reserved known = {reserved, atomic_load(&own.reservations->others[0]), {0}};
    for (int i = 0; i < own.levels; i++)
        known.others_in_group[i] = atomic_load(&own.reservations->others[1 + i]);
    return armcii_memory_left("", &own.groups, own.levels, &known);
}

/* Reserves before the check, so that two processes cannot both get the last memory. */
bool armcii_reservation_try(size_t bytes, size_t *left)
{
    size_t before =
        atomic_fetch_add_explicit(&own.reservations->bytes, bytes, memory_order_relaxed);
    *left = memory_left(own.reservations == &own.none ? 0 : before);
    if (armcii_memory_with_tables(bytes) <= *left) return true;
    armcii_reservation_release(bytes);
    return false;
}

void armcii_reservation_correct(size_t touched)
{
    size_t others[OTHERS];
    read_others(touched, others);
    for (int i = 0; i <= own.levels; i++)
        if (others[i] < atomic_load(&own.reservations->others[i]))
            atomic_store(&own.reservations->others[i], others[i]);
}
