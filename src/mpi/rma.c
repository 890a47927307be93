/* rma.c - one-sided calls. */
#include "mpi/rma.h"

#include <limits.h>
#include <string.h>

#include "base/fault.h"
#include "config-build.h"
#include "mpi/datatype.h"

#if defined(HAVE_MPI_PUT_C) && defined(HAVE_MPI_GET_C) && defined(HAVE_MPI_ACCUMULATE_C)
#define LARGE_COUNTS 1 /* MPI-4 */
#else
#define LARGE_COUNTS 0
#endif

static struct basic_type basic_of(struct rma_verb verb)
{
    return verb.kind == RMA_ACC ? armcii_basic_element(verb.element) : armcii_basic_byte();
}

static bool is_lost_by_fault(struct rma_verb verb)
{
    if (armcii_fault("transfers-do-nothing")) return true;
    if (verb.kind == RMA_PUT) return armcii_fault("put-does-nothing");
    if (verb.kind == RMA_GET) return armcii_fault("get-does-nothing");
    return armcii_fault("acc-lost");
}

static void issue(struct window *w, struct rma_verb verb, int target, void *local, int local_count, MPI_Datatype local_type, MPI_Aint disp,
                  int count, MPI_Datatype type)
{
    if (is_lost_by_fault(verb)) return;
    switch (verb.kind) {
    case RMA_PUT: MPI_Put(local, local_count, local_type, target, disp, count, type, w->win); break;
    case RMA_GET: MPI_Get(local, local_count, local_type, target, disp, count, type, w->win); break;
    case RMA_ACC: MPI_Accumulate(local, local_count, local_type, target, disp, count, type, MPI_SUM, w->win); break;
    }
}

/* n may exceed INT_MAX. */
static void issue_large(struct window *w, struct rma_verb verb, int target, char *local, MPI_Aint disp, size_t n, struct basic_type basic)
{
#if LARGE_COUNTS
    MPI_Count count = (MPI_Count)n;
    if (is_lost_by_fault(verb)) return;
    switch (verb.kind) {
    case RMA_PUT: MPI_Put_c(local, count, basic.type, target, disp, count, basic.type, w->win); break;
    case RMA_GET: MPI_Get_c(local, count, basic.type, target, disp, count, basic.type, w->win); break;
    case RMA_ACC: MPI_Accumulate_c(local, count, basic.type, target, disp, count, basic.type, MPI_SUM, w->win); break;
    }
#else
    const size_t most = 1 << 30;
    while (n > 0) {
        size_t part = n < most ? n : most;
        issue(w, verb, target, local, (int)part, basic.type, disp, (int)part, basic.type);
        local += part * basic.size;
        disp += (MPI_Aint)(part * basic.size);
        n -= part;
    }
#endif
}

void armcii_rma_contiguous(struct window *w, struct rma_verb verb, int target, void *local, MPI_Aint disp, size_t bytes)
{
    struct basic_type basic = basic_of(verb);
    size_t n = bytes / basic.size;
    if (n <= INT_MAX)
        issue(w, verb, target, local, (int)n, basic.type, disp, (int)n, basic.type);
    else
        issue_large(w, verb, target, local, disp, n, basic);
}

/* One side of a call; owned: the caller frees the type. */
struct side {
    const char *start;
    int count;
    MPI_Datatype type;
    bool owned;
};

static struct side side_of(const struct shape *s, enum shape_side which, struct basic_type basic, const char *origin,
                           enum rma_typing typing)
{
    const char *first = which == SHAPE_LOCAL ? s->local : s->remote;
    if (s->form == SHAPE_VECTOR && which == SHAPE_LOCAL && s->packed)
        return (struct side){s->packed, (int)(s->bytes / basic.size), basic.type, false};
    if (s->form == SHAPE_VECTOR || typing == RMA_INDEXED)
        return (struct side){origin, 1, armcii_datatype_indexed(s, which, basic, origin), true};
    if (s->levels == 0) return (struct side){first, (int)(s->bytes / basic.size), basic.type, false};
    if (typing == RMA_SUBARRAY && armcii_shape_nests(s, which) && armcii_shape_is_aligned(s, which, basic.size))
        return (struct side){first, 1, armcii_datatype_subarray(s, which, basic), false};
    return (struct side){first, 1, armcii_datatype_vector(s, which, basic), false};
}

void armcii_rma_shape(struct window *w, struct rma_verb verb, int target, const struct shape *shape, const char *origin,
                      enum rma_typing typing)
{
    struct basic_type basic = basic_of(verb);
    struct side local = side_of(shape, SHAPE_LOCAL, basic, MPI_BOTTOM, typing);
    struct side remote = side_of(shape, SHAPE_REMOTE, basic, origin, typing);
    issue(w, verb, target, (char *)local.start, local.count, local.type, remote.start - origin, remote.count, remote.type);
    if (local.owned) armcii_datatype_free_indexed(&local.type);
    if (remote.owned) armcii_datatype_free_indexed(&remote.type);
}

void armcii_rma_fetch_and_op(struct window *w, enum rmw_update update, int target, MPI_Aint disp, size_t bytes, const void *value,
                             void *old)
{
    MPI_Datatype type = bytes == sizeof(int) ? MPI_INT : MPI_LONG;
    MPI_Fetch_and_op(value, old, type, target, disp, update == RMW_ADD ? MPI_SUM : MPI_REPLACE, w->win);
}

void armcii_rma_compare_and_swap(struct window *w, int target, MPI_Aint disp, int expected, int desired, int *old)
{
    MPI_Compare_and_swap(&desired, &expected, old, MPI_INT, target, disp, w->win);
}
