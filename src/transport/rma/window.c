/* window.c - RMA windows and the calls on them. */
#include "transport/rma/window.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/lock.h"
#include "mpi/coll.h"
#include "mpi/datatype.h"
#include "mpi/errors.h"
#include "mpi/progress.h"
#include "mpi/quirks.h"

enum { SLICE_ALIGNMENT = 64 };

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) & ~(unit - 1);
}

/* ---- creation ---- */

/* Noncontiguous: each slice begins on a page that its owner touches first. */
static int allocate_shared(struct window *w, size_t bytes, MPI_Comm comm)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    int rc = MPI_Win_allocate_shared((MPI_Aint)bytes, 1, info, comm, &w->base, &w->win);
    MPI_Info_free(&info);
    return rc;
}

/* More kinds of memory: that of the caller, and none. */
enum { GIVEN = WINDOW_MEMORY_SHARED + 1, DYNAMIC };

/* Create a window, over w->base if `memory` is GIVEN, and begin its epoch. The error
 * handler of the communicator applies. */
static int create(struct window *w, size_t bytes, unsigned memory, MPI_Comm comm)
{
    int rc;
    MPI_Errhandler before = armcii_errors_ask(comm);
    unsigned entries = armcii_lock_suspend();
    switch (memory) {
    case WINDOW_MEMORY_MPI:
        rc = MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, comm, &w->base, &w->win);
        break;
    case WINDOW_MEMORY_SHARED: rc = allocate_shared(w, bytes, comm); break;
    case GIVEN:
        rc = MPI_Win_create(w->base, (MPI_Aint)bytes, 1, MPI_INFO_NULL, comm, &w->win);
        break;
    default: rc = MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &w->win); break;
    }
    armcii_lock_resume(entries);
    armcii_errors_end(comm, before);
    if (rc == MPI_SUCCESS) MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win);
    return rc;
}

/* MPI does not align enough (Open MPI's osc/sm: 8 bytes), so the slice begins at the next multiple
 * of 64. */
static void align_base(struct window *w, size_t bytes)
{
    uintptr_t begin = (uintptr_t)w->base;
    w->pad = bytes > 0 ? round_up(begin, SLICE_ALIGNMENT) - begin : 0;
    w->base = bytes > 0 ? (void *)(begin + w->pad) : NULL;
}

int armcii_window_create(struct window *w, size_t bytes, size_t unit, enum window_memory memory,
                         MPI_Comm comm)
{
    size_t slice = bytes > 0 ? round_up(bytes + SLICE_ALIGNMENT, unit) : 0;
    *w = (struct window){.base = NULL};
    int rc = create(w, slice, memory, comm);
    if (rc == MPI_SUCCESS) align_base(w, bytes);
    return rc;
}

int armcii_window_create_over(struct window *w, void *memory, size_t bytes, MPI_Comm comm)
{
    assert((uintptr_t)memory % 16 == 0);
    *w = (struct window){.base = memory};
    return create(w, bytes, GIVEN, comm);
}

int armcii_window_create_dynamic(struct window *w, MPI_Comm comm)
{
    *w = (struct window){.base = NULL};
    return create(w, 0, DYNAMIC, comm);
}

int armcii_window_attach(struct window *w, void *memory, size_t bytes)
{
    MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN);
    int rc = MPI_Win_attach(w->win, memory, (MPI_Aint)bytes);
    MPI_Win_set_errhandler(w->win, MPI_ERRORS_ARE_FATAL);
    return rc;
}

void armcii_window_free(struct window *w)
{
    unsigned entries = armcii_lock_suspend();
    MPI_Win_unlock_all(w->win);
    MPI_Win_free(&w->win);
    armcii_lock_resume(entries);
    w->base = NULL;
}

/* ---- completion ---- */

void armcii_window_flush(struct window *w, int target)
{
    armcii_mpi_begin_progress();
    MPI_Win_flush(target, w->win);
    armcii_mpi_end_progress();
}

void armcii_window_flush_local(struct window *w, int target)
{
    armcii_mpi_begin_progress();
    if (armcii_quirks->local_completion)
        MPI_Win_flush_local(target, w->win);
    else
        MPI_Win_flush(target, w->win);
    armcii_mpi_end_progress();
}

void armcii_window_sync(struct window *w)
{
    MPI_Win_sync(w->win);
}

/* ---- put, get, accumulate ---- */

static struct basic_type basic_of(struct op_verb verb)
{
    return verb.kind == OP_ACC ? armcii_basic_element(verb.element) : armcii_basic_byte();
}

static void issue(struct window *w, struct op_verb verb, int target, void *local, int local_count,
                  MPI_Datatype local_type, MPI_Aint disp, int count, MPI_Datatype type)
{
    switch (verb.kind) {
    case OP_PUT: MPI_Put(local, local_count, local_type, target, disp, count, type, w->win); break;
    case OP_GET: MPI_Get(local, local_count, local_type, target, disp, count, type, w->win); break;
    case OP_ACC:
        MPI_Accumulate(local, local_count, local_type, target, disp, count, type, MPI_SUM, w->win);
        break;
    }
}

/* MPI's counts are ints: more elements take several calls. */
void armcii_window_transfer(struct window *w, struct op_verb verb, int target, void *local,
                            MPI_Aint disp, size_t bytes)
{
    const size_t most = 1 << 30;
    struct basic_type basic = basic_of(verb);
    size_t n = bytes / basic.size;
    for (char *at = local;; at += most * basic.size, disp += (MPI_Aint)(most * basic.size)) {
        int count = (int)(n < most ? n : most);
        issue(w, verb, target, at, count, basic.type, disp, count, basic.type);
        if (n <= most) return;
        n -= most;
    }
}

/* One side of a call; owned: the caller frees the type. */
struct side {
    const char *start;
    int count;
    MPI_Datatype type;
    bool owned;
};

static struct side side_of(const struct shape *s, enum shape_side which, struct basic_type basic,
                           const char *origin, enum rma_typing typing)
{
    const char *first = which == SHAPE_LOCAL ? s->local : s->remote;
    if (s->form == SHAPE_VECTOR && which == SHAPE_LOCAL && s->packed)
        return (struct side){s->packed, (int)(s->bytes / basic.size), basic.type, false};
    if (s->form == SHAPE_VECTOR || typing == RMA_INDEXED)
        return (struct side){origin, 1, armcii_datatype_indexed(s, which, basic, origin), true};
    if (s->levels == 0)
        return (struct side){first, (int)(s->bytes / basic.size), basic.type, false};
    if (typing == RMA_STRIDED && armcii_shape_nests(s, which) &&
        armcii_shape_is_aligned(s, which, basic.size))
        return (struct side){first, 1, armcii_datatype_subarray(s, which, basic), false};
    return (struct side){first, 1, armcii_datatype_vector(s, which, basic), false};
}

void armcii_window_transfer_shape(struct window *w, struct op_verb verb, int target,
                                  const struct shape *shape, const char *origin,
                                  enum rma_typing typing)
{
    struct basic_type basic = basic_of(verb);
    struct side local = side_of(shape, SHAPE_LOCAL, basic, MPI_BOTTOM, typing);
    struct side remote = side_of(shape, SHAPE_REMOTE, basic, origin, typing);
    issue(w, verb, target, (char *)local.start, local.count, local.type, remote.start - origin,
          remote.count, remote.type);
    if (local.owned) armcii_datatype_free_indexed(&local.type);
    if (remote.owned) armcii_datatype_free_indexed(&remote.type);
}

/* ---- atomics ---- */

void armcii_window_fetch_and_op(struct window *w, enum rmw_update update, int target, MPI_Aint disp,
                                size_t bytes, const void *value, void *old)
{
    MPI_Datatype type = bytes == sizeof(int) ? MPI_INT : MPI_LONG;
    MPI_Fetch_and_op(value, old, type, target, disp, update == RMW_ADD ? MPI_SUM : MPI_REPLACE,
                     w->win);
}

void armcii_window_compare_and_swap(struct window *w, int target, MPI_Aint disp, int expected,
                                    int desired, int *old)
{
    MPI_Compare_and_swap(&desired, &expected, old, MPI_INT, target, disp, w->win);
}
