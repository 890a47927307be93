/* lanes.c - the region of lanes and its mirrors. */
#include "lanes.h"

enum { LEAD_BYTE = 0xa5 };

static size_t slice_bytes(const struct lanes *l)
{
    return (size_t)test_ranks() * l->bytes + 2 * l->lead;
}

struct lanes lanes_create(size_t bytes, size_t lead)
{
    struct lanes l = {.bytes = bytes, .lead = lead};
    size_t all = (size_t)test_ranks() * bytes;
    char *mine;
    l.mirror = need_zeroed(all);
    l.base = region_create(slice_bytes(&l));
    mine = l.base[test_rank()];
    ARMCI_Access_begin(mine);
    memset(mine, LEAD_BYTE, slice_bytes(&l));
    memset(mine + lead, 0, all);
    ARMCI_Access_end(mine);
    ARMCI_Barrier();
    return l;
}

void lanes_free(struct lanes *l)
{
    ARMCI_Barrier();
    region_free(l->base);
    free(l->mirror);
}

char *lanes_remote(const struct lanes *l, int target)
{
    return (char *)l->base[target] + l->lead + (size_t)test_rank() * l->bytes;
}

unsigned char *lanes_mirror(const struct lanes *l, int target)
{
    return l->mirror + (size_t)target * l->bytes;
}

/* What the caller's slice should hold, from everybody's mirrors. To be freed. */
static unsigned char *expected_slice(const struct lanes *l)
{
    unsigned char *expected = need_memory(slice_bytes(l));
    memset(expected, LEAD_BYTE, slice_bytes(l));
    MPI_Alltoall(l->mirror, (int)l->bytes, MPI_BYTE, expected + l->lead, (int)l->bytes, MPI_BYTE,
                 test_comm());
    return expected;
}

void lanes_load(struct lanes *l)
{
    unsigned char *expected = expected_slice(l);
    void *mine = l->base[test_rank()];
    ARMCI_Barrier();
    ARMCI_Access_begin(mine);
    memcpy(mine, expected, slice_bytes(l));
    ARMCI_Access_end(mine);
    ARMCI_Barrier();
    free(expected);
}

void lanes_verify(struct lanes *l, const char *what)
{
    unsigned char *expected = expected_slice(l);
    unsigned char *mine = l->base[test_rank()];
    ARMCI_Barrier();
    ARMCI_Access_begin(mine);
    check_bytes(mine, expected, l->lead, "%s: bytes before the lanes", what);
    for (int r = 0; r < test_ranks(); r++) {
        size_t at = l->lead + (size_t)r * l->bytes;
        check_bytes(mine + at, expected + at, l->bytes, "%s: memory written by rank %d", what, r);
    }
    check_bytes(mine + slice_bytes(l) - l->lead, expected + slice_bytes(l) - l->lead, l->lead,
                "%s: bytes behind the lanes", what);
    ARMCI_Access_end(mine);
    ARMCI_Barrier();
    free(expected);
}

void lanes_end(struct lanes *l, const char *what)
{
    lanes_verify(l, what);
    lanes_free(l);
}
