/* site.c - the memory that the rows access, and small collectives. */
#include "site.h"

#include <armci.h>
#include <message.h> /* not every armci.h includes it */
#ifdef ARMCI_RMA_VERSION_MAJOR
#include <armcix.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Private buffers begin in the middle of a page: some processors copy many times more slowly if the
 * destination's offset in its page is a few bytes larger than the source's. Slices begin at, or 8
 * bytes after, the beginning of a page. */
enum { PAGE = 4096, INTO_PAGE = PAGE / 2 };
_Static_assert(INTO_PAGE + MARGIN <= PAGE, "the rest of the last page holds the margin");

static char *new_buffer(void)
{
    char *pages = aligned_alloc(PAGE, LARGEST_TRANSFER + PAGE);
    if (!pages) return NULL;
    memset(pages, 1, LARGEST_TRANSFER + PAGE);
    return pages + INTO_PAGE;
}

static void free_buffer(char *buffer)
{
    if (buffer) free(buffer - INTO_PAGE);
}

/* The owner touches every page of its slice first, as a program would. */
static void touch_slice(struct site *site)
{
    site_access_begin(site);
    memset(site->slice, 1, BUFFER_BYTES);
    site_access_end(site);
    site_barrier();
}

void *site_direct(void *address, int rank)
{
    if (rank == armci_msg_me()) return address;
#ifdef ARMCI_RMA_VERSION_MAJOR
    return ARMCIX_Local_address(address, rank);
#else
    return NULL;
#endif
}

/* Another ARMCI may have no function that tells. */
static bool shares_memory(int rank)
{
    if (rank == armci_msg_me()) return true;
#ifdef ARMCI_RMA_VERSION_MAJOR
    return ARMCI_Same_node(rank) && ARMCI_Uses_shm();
#else
    return false;
#endif
}

static void use_region(struct site *site)
{
    site->remote = site->slices[site->target];
    site->slice = site->slices[site->me];
    touch_slice(site);
    site->same_memory = shares_memory(site->target);
}

bool site_open(struct site *site)
{
    *site = (struct site){.me = armci_msg_me(), .ranks = armci_msg_nproc()};
    site->target = site->ranks > 1 ? 1 : 0;
    site->local = new_buffer();
    site->spare = new_buffer();
    site->slices = calloc((size_t)site->ranks, sizeof *site->slices);
    bool complete = site_all(site->local && site->spare && site->slices);
    if (complete) complete = site_all(ARMCI_Malloc(site->slices, BUFFER_BYTES) == 0);
    if (complete) {
        use_region(site);
        ARMCI_Create_mutexes(1);
    }
    return complete;
}

void site_close(struct site *site)
{
    ARMCI_Destroy_mutexes();
    ARMCI_Free(site->slice);
    free_buffer(site->local);
    free_buffer(site->spare);
    free(site->slices);
}

/* Implementations that define ARMCI_MPI have (and need) a call before local access. */
void site_access_begin(const struct site *site)
{
#ifdef ARMCI_MPI
    ARMCI_Access_begin(site->slice);
#else
    (void)site;
#endif
}

void site_access_end(const struct site *site)
{
#ifdef ARMCI_MPI
    ARMCI_Access_end(site->slice);
#else
    (void)site;
#endif
}

void site_barrier(void)
{
    armci_msg_barrier();
}

long site_share(long value)
{
    armci_msg_brdcst(&value, (int)sizeof value, 0);
    return value;
}

long site_sum(long mine)
{
    char plus[] = "+";
    armci_msg_lgop(&mine, 1, plus);
    return mine;
}

bool site_all(bool mine)
{
    return site_sum(!mine) == 0;
}

/* A hash of the hostname. */
static long number_of_machine(void)
{
    char name[256] = "";
    unsigned long number = 5381;
    if (gethostname(name, sizeof name - 1) != 0) return 1;
    for (const char *c = name; *c; c++)
        number = number * 33 + (unsigned char)*c;
    return (long)(number & ~0UL >> 1);
}

bool site_target_here(const struct site *site)
{
    long mine = number_of_machine();
    long other = site_sum(site->me == site->target ? mine : 0);
    return site_share(mine) == other;
}

int site_ranks_here(const struct site *site)
{
    char plus[] = "+";
    int here = 0;
    long *machines = calloc((size_t)site->ranks, sizeof *machines);
    if (!site_all(machines != NULL)) {
        free(machines);
        return site->ranks;
    }
    machines[site->me] = number_of_machine();
    armci_msg_lgop(machines, site->ranks, plus);
    for (int rank = 0; rank < site->ranks; rank++)
        here += machines[rank] == machines[site->me];
    free(machines);
    return here;
}
