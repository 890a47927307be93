/* cpus.h - the processors and the memory that the processes of a node may use: affinity masks,
 * /proc/meminfo and control groups, versions 1 (the default of RHEL 8 and its kin) and 2.
 *
 * The kernel counts a page of shared memory when it is touched, so untouched memory of regions
 * looks free. The node's control block therefore counts the bytes that regions have reserved. A
 * region is refused where the rest of the memory does not suffice, since the kernel would kill the
 * job at the first touch. SIZE_MAX always means: no limit, or unknown. */
#ifndef ARMCII_CPUS_H
#define ARMCII_CPUS_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MASK_WORDS = 128 }; /* for the 8192 processors that Linux has at most */
struct node_cpus {
    size_t processors;   /* that the processes of the node may use together */
    bool oversubscribed; /* more processes on the node than processors */
    bool has_free;       /* a processor is left for the server */
    /* Bits of the processors of the node's processes, and of those and their launchers together. */
    uint64_t taken[MASK_WORDS], of_job[MASK_WORDS];
};

/* Collective over the processes of a node. reserved: a count in their control block, initially 0;
 * NULL: reservations are not counted. */
void armcii_cpus_start(struct node_cpus *cpus, atomic_size_t *reserved, MPI_Comm on_node);
void armcii_cpus_end(void);

/* The number of processors that this process may use. */
size_t armcii_cpus_allowed(void);

/* Bytes available to the node once all reserved memory is touched, of which `touched` bytes are. */
size_t armcii_memory_left(size_t touched);

/* Reserve bytes, and release them. One process of the node calls these for each piece of memory. */
void armcii_reservation_add(size_t bytes);
void armcii_reservation_release(size_t bytes);
/* Reserve bytes if they are available, given that `touched` reserved bytes are in use; *left: what
 * was available. Reads system files. */
bool armcii_reservation_try(size_t bytes, size_t touched, size_t *left);

/* ---- for tests: root is the folder that contains proc/ and sys/; "" for the real ones ---- */

/* Bytes that the node and the control groups of this process leave. A group bounds those below it;
 * without `own_group`, only groups above that of this process count. */
size_t armcii_memory_available(const char *root, bool own_group);
/* The quota of the same groups in whole processors, at least 1. */
size_t armcii_cpu_quota(const char *root, bool own_group);
/* The number of processors in a mask of MASK_WORDS words. */
size_t armcii_cpus_count(const uint64_t mask[]);

#endif
