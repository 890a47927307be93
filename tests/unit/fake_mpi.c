/* fake_mpi.c - simulated windows and the record of calls. */
#include "fake_mpi.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shape_model.h"

enum { MOST_WINDOWS = 64, MOST_MEMBERS = 16, MOST_ATTACHED = 16, MOST_BYTES = 1 << 30 };

/* A contiguous part of an operation. */
struct piece {
    char *local;
    char *there;          /* in the simulated memory */
    size_t bytes, packed; /* length, position in `data` */
};

enum effect { EFFECT_MOVE, EFFECT_UPDATE, EFFECT_SWAP };

struct request {
    int rank;
    enum effect effect;
    struct op_verb verb;    /* EFFECT_MOVE */
    enum rmw_update update; /* EFFECT_UPDATE */
    int expected;           /* EFFECT_SWAP */
    void *old;              /* receives the old value */
    size_t npieces, bytes;
    struct piece *pieces;
    char *data; /* the local buffer at local completion; NULL: not complete locally */
    bool done;  /* has taken effect */
    struct request *next;
};

struct extent {
    char *memory;
    size_t bytes;
};

struct fake_window {
    const struct window *handle; /* NULL: freed */
    bool dynamic, owned;
    unsigned members;
    struct extent slice[MOST_MEMBERS]; /* not of dynamic windows */
    size_t pad[MOST_MEMBERS];
    struct extent attached[MOST_ATTACHED]; /* of dynamic windows */
    struct request *first, **last;
    size_t in_flight[MOST_MEMBERS];
};

struct fake_settings fake_mpi;
static struct fake_window windows[MOST_WINDOWS];
static int window_count;
static struct rng random_state;
static struct fake_call *calls;
static size_t call_count, call_room, most_in_flight;
static char *text;

static const char *const names[FAKE_KINDS] = {
    "put",    "get",   "acc",         "shape-put", "shape-get", "shape-acc", "fetch-and-op",
    "cas",    "flush", "flush-local", "sync",      "progress",  "create",    "create-dynamic",
    "attach", "free",
};

static void *allocate(size_t bytes)
{
    void *memory = calloc(bytes ? bytes : 1, 1);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

/* ---- the record ---- */

void (*fake_meanwhile)(void);

static void record(struct fake_call call)
{
    void (*others)(void) = fake_meanwhile;
    fake_meanwhile = NULL;
    if (others) others();
    if (call_count == call_room) {
        call_room = call_room ? 2 * call_room : 64;
        calls = realloc(calls, call_room * sizeof *calls);
        ck_assert_ptr_nonnull(calls);
    }
    calls[call_count++] = call;
}

size_t fake_calls(void)
{
    return call_count;
}

const struct fake_call *fake_call(size_t i)
{
    ck_assert_uint_lt(i, call_count);
    return &calls[i];
}

size_t fake_count(enum fake_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < call_count; i++)
        n += calls[i].kind == kind;
    return n;
}

void fake_forget(void)
{
    call_count = most_in_flight = 0;
}

size_t fake_most_in_flight(void)
{
    return most_in_flight;
}

const char *fake_text(void)
{
    enum { LONGEST = 100 };
    text = realloc(text, call_count * LONGEST + 1);
    ck_assert_ptr_nonnull(text);
    char *end = text;
    *end = '\0';
    for (size_t i = 0; i < call_count; i++) {
        const struct fake_call *c = &calls[i];
        end += sprintf(end, "%s%s %d/%d", i ? "; " : "", names[c->kind], c->window, c->rank);
        if (c->bytes) end += sprintf(end, " %td+%zu", (ptrdiff_t)c->disp, c->bytes);
        if (c->segments > 1) end += sprintf(end, " in %zu", c->segments);
    }
    return text;
}

void fake_expect(const char *where, const char *expected)
{
    if (strcmp(fake_text(), expected) != 0)
        ck_abort_msg("%s: expected calls \"%s\", seen \"%s\"", where, expected, text);
    fake_forget();
}

/* ---- windows ---- */

static struct fake_window *find(const struct window *w)
{
    for (int i = window_count - 1; i >= 0; i--)
        if (windows[i].handle == w) return &windows[i];
    ck_abort_msg("a call on a window that does not exist");
}

static int number_of(const struct fake_window *f)
{
    return (int)(f - windows);
}

/* Records a call on an existing window. */
static struct fake_window *called(const struct window *w, struct fake_call call)
{
    struct fake_window *f = find(w);
    call.window = number_of(f);
    record(call);
    return f;
}

static struct fake_window *open_window(const struct window *w, unsigned members)
{
    ck_assert_int_lt(window_count, MOST_WINDOWS);
    ck_assert_uint_le(members, MOST_MEMBERS);
    struct fake_window *f = &windows[window_count++];
    *f = (struct fake_window){.handle = w, .members = members};
    f->last = &f->first;
    return f;
}

static bool fails_now(void)
{
    return fake_mpi.failures > 0 && fake_mpi.failures-- > 0;
}

void fake_window_over(struct window *w, unsigned members, char *const memory[],
                      const size_t bytes[])
{
    struct fake_window *f = open_window(w, members);
    for (unsigned i = 0; i < members; i++)
        f->slice[i] = (struct extent){memory[i], bytes[i]};
    *w = (struct window){.base = memory[0]};
}

char *fake_memory(const struct window *w, int rank)
{
    return find(w)->slice[rank].memory + fake_pad(w, rank);
}

size_t fake_pad(const struct window *w, int rank)
{
    return find(w)->pad[rank];
}

int armcii_window_create(struct window *w, size_t bytes, size_t unit, enum window_memory memory,
                         MPI_Comm comm)
{
    (void)memory;
    (void)comm;
    record((struct fake_call){.kind = FAKE_CREATE, .window = window_count, .bytes = bytes});
    if (fails_now()) return 1;
    struct fake_window *f = open_window(w, fake_mpi.members);
    f->owned = true;
    size_t rounded = (bytes + unit - 1) / unit * unit;
    for (unsigned i = 0; i < f->members; i++) {
        f->pad[i] = fake_mpi.pad * (i + 1);
        f->slice[i] = (struct extent){allocate(f->pad[i] + rounded + 1), f->pad[i] + rounded};
    }
    *w = (struct window){.base = bytes ? fake_memory(w, 0) : NULL, .pad = f->pad[0]};
    return 0;
}

int armcii_window_create_dynamic(struct window *w, MPI_Comm comm)
{
    (void)comm;
    record((struct fake_call){.kind = FAKE_CREATE_DYNAMIC, .window = window_count});
    if (fails_now()) return 1;
    open_window(w, fake_mpi.members)->dynamic = true;
    *w = (struct window){.base = NULL};
    return 0;
}

/* The fake has no shared memory. */
int armcii_window_create_over(struct window *w, void *memory, size_t bytes, MPI_Comm comm)
{
    (void)w, (void)memory, (void)bytes, (void)comm;
    ck_abort_msg("a window over shared memory");
}

int armcii_window_attach(struct window *w, void *memory, size_t bytes)
{
    struct fake_window *f = called(w, (struct fake_call){.kind = FAKE_ATTACH, .bytes = bytes});
    if (fails_now()) return 1;
    ck_assert_msg(f->dynamic, "memory attached to window %d, which is not dynamic", number_of(f));
    for (int i = 0; i < MOST_ATTACHED; i++)
        if (!f->attached[i].memory) {
            f->attached[i] = (struct extent){memory, bytes};
            return 0;
        }
    ck_abort_msg("more than %d pieces of memory attached", MOST_ATTACHED);
}

static void close_window(struct fake_window *f)
{
    ck_assert_msg(!f->first, "window %d is freed with incomplete operations", number_of(f));
    for (unsigned i = 0; f->owned && i < f->members; i++)
        free(f->slice[i].memory);
    f->handle = NULL;
}

void armcii_window_free(struct window *w)
{
    struct fake_window *f = called(w, (struct fake_call){.kind = FAKE_FREE});
    close_window(f);
}

/* ---- operations ---- */

static bool contains(struct extent e, const char *at, size_t bytes)
{
    return e.memory && at >= e.memory && bytes <= e.bytes &&
           (size_t)(at - e.memory) <= e.bytes - bytes;
}

/* The simulated memory at a displacement; fails if it is not in the slice. */
static char *resolve(const struct fake_window *f, int rank, MPI_Aint disp, size_t bytes)
{
    ck_assert_msg(rank >= 0 && (unsigned)rank < f->members, "window %d has no member %d",
                  number_of(f), rank);
    if (fake_mpi.only_record) return NULL;
    char *at = f->dynamic ? (char *)disp : f->slice[rank].memory + disp;
    bool inside = !f->dynamic && contains(f->slice[rank], at, bytes);
    for (int i = 0; f->dynamic && i < MOST_ATTACHED; i++)
        inside |= contains(f->attached[i], at, bytes);
    ck_assert_msg(inside,
                  "%zu bytes at displacement %td are not in the slice of member %d of window %d",
                  bytes, (ptrdiff_t)disp, rank, number_of(f));
    return at;
}

static bool reads_remote(const struct request *op)
{
    return op->effect != EFFECT_MOVE || op->verb.kind == OP_GET;
}

/* Copies the local buffer, which the caller may then reuse. */
static void complete_local(struct request *op)
{
    if (op->data) return;
    op->data = allocate(op->bytes);
    for (size_t i = 0; i < op->npieces; i++)
        memcpy(op->data + op->pieces[i].packed, op->pieces[i].local, op->pieces[i].bytes);
}

static void move(const struct request *op, const struct piece *p)
{
    const char *data = op->data + p->packed;
    switch (op->verb.kind) {
    case OP_PUT: memcpy(p->there, data, p->bytes); break;
    case OP_GET: memcpy(p->local, p->there, p->bytes); break;
    case OP_ACC: add_elements(op->verb.element, p->there, data, p->bytes); break;
    }
}

static void update(const struct request *op)
{
    char old[sizeof(long)], *there = op->pieces[0].there;
    memcpy(old, there, op->bytes);
    if (op->effect == EFFECT_SWAP) {
        if (memcmp(there, &op->expected, op->bytes) == 0) memcpy(there, op->data, op->bytes);
    } else if (op->update == RMW_REPLACE)
        memcpy(there, op->data, op->bytes);
    else
        add_elements(op->bytes == sizeof(int) ? ELEMENT_INT : ELEMENT_LONG, there, op->data,
                     op->bytes);
    memcpy(op->old, old, op->bytes);
}

static void take_effect(struct request *op)
{
    if (op->done || fake_mpi.only_record) return;
    complete_local(op);
    op->done = true;
    if (op->effect != EFFECT_MOVE) {
        update(op);
        return;
    }
    bool backwards = fake_mpi.order == FAKE_REVERSED || fake_mpi.order == FAKE_SHUFFLED;
    for (size_t i = 0; i < op->npieces; i++)
        move(op, &op->pieces[backwards ? op->npieces - 1 - i : i]);
}

static void free_operation(struct request *op)
{
    free(op->pieces);
    free(op->data);
    free(op);
}

static void count_in_flight(struct fake_window *f, int rank)
{
    size_t n = 0;
    f->in_flight[rank]++;
    for (int i = 0; i < window_count; i++)
        n += windows[i].in_flight[rank];
    if (n > most_in_flight) most_in_flight = n;
}

/* Queues an operation without its `data`. */
static void start(struct fake_window *f, struct request op)
{
    struct request *queued = allocate(sizeof *queued);
    *queued = op;
    *f->last = queued;
    f->last = &queued->next;
    count_in_flight(f, op.rank);
    if (fake_mpi.order == FAKE_AT_ONCE) take_effect(queued);
}

static struct request one_piece(int rank, void *local, char *there, size_t bytes)
{
    struct request op = {
        .rank = rank, .npieces = 1, .bytes = bytes, .pieces = allocate(sizeof *op.pieces)};
    op.pieces[0] = (struct piece){local, there, bytes, 0};
    return op;
}

static void check_elements(struct op_verb verb, size_t bytes)
{
    ck_assert_msg(bytes > 0, "an operation of 0 bytes");
    if (verb.kind != OP_ACC) return;
    ck_assert_msg(bytes % armcii_elements[verb.element].align == 0, "accumulate of %zu bytes of %s",
                  bytes, armcii_elements[verb.element].name);
}

void armcii_window_transfer(struct window *w, struct op_verb verb, int target, void *local,
                            MPI_Aint disp, size_t bytes)
{
    struct fake_window *f =
        called(w, (struct fake_call){FAKE_PUT + verb.kind, 0, target, disp, bytes, 1, 0});
    char *there = resolve(f, target, disp, bytes);
    check_elements(verb, bytes);
    struct request op = one_piece(target, local, there, bytes);
    op.verb = verb;
    start(f, op);
}

static int by_address(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    return x->memory < y->memory ? -1 : x->memory > y->memory;
}

/* MPI forbids that one call writes a byte twice. */
static void check_disjoint(const struct request *op)
{
    struct extent *written = allocate(op->npieces * sizeof *written);
    for (size_t i = 0; i < op->npieces; i++)
        written[i] =
            (struct extent){op->verb.kind == OP_GET ? op->pieces[i].local : op->pieces[i].there,
                            op->pieces[i].bytes};
    qsort(written, op->npieces, sizeof *written, by_address);
    for (size_t i = 1; i < op->npieces; i++)
        if (written[i - 1].memory + written[i - 1].bytes > written[i].memory)
            ck_abort_msg("one call with a datatype writes the same bytes twice");
    free(written);
}

void armcii_window_transfer_shape(struct window *w, struct op_verb verb, int target,
                                  const struct shape *shape, const char *origin,
                                  enum rma_typing typing)
{
    struct shape_iter it;
    struct segment seg;
    char *lo, *hi;
    ck_assert_int_eq(armcii_shape_range(shape, SHAPE_REMOTE, &lo, &hi), SHAPE_OK);
    struct fake_window *f =
        called(w, (struct fake_call){FAKE_SHAPE_PUT + verb.kind, 0, target, lo - origin,
                                     shape->bytes, shape->nsegs, typing});
    ck_assert_msg(shape->bytes <= MOST_BYTES, "one call with a datatype of %zu bytes",
                  shape->bytes);
    ck_assert_msg(shape->form != SHAPE_VECTOR || typing == RMA_INDEXED,
                  "a vector that is not indexed");
    struct request op = {
        .rank = target, .verb = verb, .pieces = allocate(shape->nsegs * sizeof *op.pieces)};
    for (armcii_shape_begin(&it, shape); armcii_shape_next(&it, &seg);) {
        char *there = resolve(f, target, seg.remote - origin, seg.bytes);
        check_elements(verb, seg.bytes);
        op.pieces[op.npieces++] = (struct piece){seg.local, there, seg.bytes, op.bytes};
        op.bytes += seg.bytes;
    }
    if (!fake_mpi.only_record) check_disjoint(&op);
    start(f, op);
}

void armcii_window_fetch_and_op(struct window *w, enum rmw_update how, int target, MPI_Aint disp,
                                size_t bytes, const void *value, void *old)
{
    struct fake_window *f =
        called(w, (struct fake_call){FAKE_FETCH_AND_OP, 0, target, disp, bytes, 1, 0});
    struct request op = one_piece(target, NULL, resolve(f, target, disp, bytes), bytes);
    op.effect = EFFECT_UPDATE;
    op.update = how;
    op.old = old;
    op.pieces[0].local = (char *)(uintptr_t)value; /* only read */
    start(f, op);
}

void armcii_window_compare_and_swap(struct window *w, int target, MPI_Aint disp, int expected,
                                    int desired, int *old)
{
    struct fake_window *f =
        called(w, (struct fake_call){FAKE_COMPARE_AND_SWAP, 0, target, disp, sizeof(int), 1, 0});
    struct request op =
        one_piece(target, &desired, resolve(f, target, disp, sizeof(int)), sizeof(int));
    op.effect = EFFECT_SWAP;
    op.expected = expected;
    op.old = old;
    complete_local(&op); /* `desired` is valid only during this call */
    start(f, op);
}

/* ---- completion ---- */

/* Moves the operations to a member (-1: to all) from the queue to an array that the caller frees.
 */
static struct request **take_out(struct fake_window *f, int rank, size_t *n)
{
    size_t room = 1;
    for (const struct request *op = f->first; op; op = op->next)
        room++;
    struct request **taken = allocate(room * sizeof *taken);
    *n = 0;
    struct request **link = &f->first;
    while (*link) {
        struct request *op = *link;
        if (op->rank == rank) {
            taken[(*n)++] = op;
            *link = op->next;
        } else
            link = &op->next;
    }
    f->last = link;
    return taken;
}

static void reorder(struct request **op, size_t n)
{
    if (fake_mpi.order != FAKE_REVERSED && fake_mpi.order != FAKE_SHUFFLED) return;
    for (size_t i = n; i > (fake_mpi.order == FAKE_REVERSED ? (n + 1) / 2 : 1); i--) {
        size_t other = fake_mpi.order == FAKE_REVERSED
                           ? n - i
                           : (size_t)rng_between(&random_state, 0, (int)i - 1);
        struct request *was = op[i - 1];
        op[i - 1] = op[other];
        op[other] = was;
    }
}

void armcii_window_flush(struct window *w, int target)
{
    struct fake_window *f = called(w, (struct fake_call){.kind = FAKE_FLUSH, .rank = target});
    size_t n;
    struct request **op = take_out(f, target, &n);
    reorder(op, n);
    for (size_t i = 0; i < n; i++) {
        take_effect(op[i]);
        free_operation(op[i]);
    }
    free(op);
    f->in_flight[target] = 0;
}

/* For operations that read remote memory, local completion is completion. */
void armcii_window_flush_local(struct window *w, int target)
{
    struct fake_window *f = called(w, (struct fake_call){.kind = FAKE_FLUSH_LOCAL, .rank = target});
    for (struct request *op = f->first; op; op = op->next) {
        if (op->rank != target || fake_mpi.only_record) continue;
        if (reads_remote(op))
            take_effect(op);
        else
            complete_local(op);
    }
    f->in_flight[target] = 0;
}

void armcii_window_sync(struct window *w)
{
    called(w, (struct fake_call){.kind = FAKE_SYNC});
}

void armcii_mpi_progress(MPI_Comm comm)
{
    (void)comm, record((struct fake_call){.kind = FAKE_PROGRESS});
}

unsigned armcii_mpi_progress_calls(void)
{
    return 0;
}
bool armcii_mpi_is_progressing(void)
{
    return false;
}

/* ---- begin and end ---- */

void fake_mpi_start(enum fake_order order, unsigned members, unsigned seed)
{
    fake_mpi = (struct fake_settings){.order = order, .members = members};
    random_state = rng_start(seed);
    window_count = 0;
    fake_forget();
}

void fake_mpi_end(void)
{
    for (int i = 0; i < window_count; i++)
        if (windows[i].handle) close_window(&windows[i]);
    window_count = 0;
    free(calls);
    free(text);
    calls = NULL;
    text = NULL;
    call_count = call_room = 0;
}
