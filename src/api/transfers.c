/* transfers.c - put, get and accumulate: contiguous, strided, single values; blocking and
 * nonblocking; puts with a flag. */
#include <stdint.h>
#include <stdio.h>

#include "api/entry.h"
#include "mem/lookup.h"
#include "transport/shm/shm.h"
#include "core/handle.h"

/* ---- arguments and their checks ---- */

int armcii_check_bytes(const struct op_args *r, const char *argument, int bytes)
{
    if (bytes < 0) return armcii_check_count(r->caller, argument, bytes);
    if (r->verb.kind != OP_ACC || (size_t)bytes % armcii_elements[r->verb.element].size == 0)
        return 0;
    return armcii_error(ARMCI_ERR_ALIGN, r->caller, argument, "accumulate requires whole elements",
                        "%d (%s: %zu bytes)", bytes, armcii_elements[r->verb.element].name,
                        armcii_elements[r->verb.element].size);
}

int armcii_check_local(const struct op_args *r, const char *argument, const void *local, int bytes)
{
    if (!local) return armcii_check_pointer(r->caller, argument, local);
    if ((uintptr_t)local <= UINTPTR_MAX - (size_t)bytes) return 0;
    return armcii_error(ARMCI_ERR_RANGE, r->caller, argument,
                        "the local side leaves the address space", "%p + %d bytes", local, bytes);
}

static const char *local_argument(const struct op_args *r)
{
    return r->verb.kind == OP_GET ? "dst" : "src";
}

static const char *remote_argument(const struct op_args *r)
{
    return r->verb.kind == OP_GET ? "src" : "dst";
}

/* Fill *op: 0, or an error code. The checks are last: nothing is kept in registers for what would
 * follow the report of a wrong argument. */
__attribute__((always_inline)) static inline int
build_contiguous(const struct op_args *r, void *local, void *remote, int bytes, struct op *op)
{
    op->lo = remote;
    op->hi = (char *)((uintptr_t)remote + (size_t)bytes);
    armcii_shape_contiguous(&op->shape, local, remote, (size_t)bytes);
    int rc = armcii_transfer_begin(r, op);
    if (!rc && (bytes < 0 || r->verb.kind == OP_ACC)) rc = armcii_check_bytes(r, "bytes", bytes);
    if (!rc && bytes > 0 && armcii_needs_check(local))
        rc = armcii_check_local(r, local_argument(r), local, bytes);
    return rc;
}

/* The counts of a strided call. */
struct counts {
    const int *count;
    int levels;
};

/* The counts as "{8, 2}". */
static const char *list_counts(struct counts c, char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i <= c.levels && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%d%s", i == 0 ? "{" : ", ",
                                 c.count[i], i == c.levels ? "}" : "");
    return text;
}

enum { COUNTS_TEXT = (SHAPE_MAX_LEVELS + 1) * sizeof ", -2147483648" };

static int report_counts(const struct op_args *r, enum shape_status status, struct counts c)
{
    char text[COUNTS_TEXT];
    int bad = 0;
    switch (status) {
    case SHAPE_BAD_LEVELS:
        return armcii_error(ARMCI_ERR_COUNT, r->caller, "stride_levels", "out of range",
                            "%d (0 to %d)", c.levels, SHAPE_MAX_LEVELS);
    case SHAPE_BAD_COUNT:
        while (c.count[bad] >= 0)
            bad++;
        return armcii_error(ARMCI_ERR_COUNT, r->caller, "count", "an entry is negative",
                            "count[%d] = %d", bad, c.count[bad]);
    default:
        return armcii_error(ARMCI_ERR_COUNT, r->caller, "count", "the total overflows", "%s",
                            list_counts(c, text, sizeof text));
    }
}

static int report_side(const struct op_args *r, const char *argument, const void *first,
                       struct counts c)
{
    char text[COUNTS_TEXT];
    return armcii_error(ARMCI_ERR_COUNT, r->caller, argument, "the patch leaves the address space",
                        "%p (count = %s)", first, list_counts(c, text, sizeof text));
}

static int build_strided(struct op_args r, void *src, const int src_stride[], void *dst,
                         const int dst_stride[], const int count[], int levels, struct op *op)
{
    const struct counts counts = {count, levels};
    struct shape *s = &op->shape;
    char *lo, *hi;
    int rc = armcii_transfer_begin(&r, op);
    if (!rc) rc = armcii_check_pointer(r.caller, "count", count);
    if (!rc && levels > 0) rc = armcii_check_pointer(r.caller, "src_stride_ar", src_stride);
    if (!rc && levels > 0) rc = armcii_check_pointer(r.caller, "dst_stride_ar", dst_stride);
    if (!rc && levels >= 0 && count[0] > 0 && r.verb.kind == OP_ACC)
        rc = armcii_check_bytes(&r, "count[0]", count[0]);
    if (rc) return rc;
    enum shape_status status =
        r.verb.kind == OP_GET
            ? armcii_shape_strided(s, dst, dst_stride, src, src_stride, count, levels)
            : armcii_shape_strided(s, src, src_stride, dst, dst_stride, count, levels);
    if (status != SHAPE_OK) return report_counts(&r, status, counts);
    if (armcii_shape_range(s, SHAPE_LOCAL, &lo, &hi) != SHAPE_OK)
        return report_side(&r, local_argument(&r), s->local, counts);
    if (armcii_shape_range(s, SHAPE_REMOTE, &op->lo, &op->hi) != SHAPE_OK)
        return report_side(&r, remote_argument(&r), s->remote, counts);
    return s->bytes > 0 && !s->local ? armcii_check_local(&r, local_argument(&r), NULL, 0) : 0;
}

/* ---- fast path ---- */

/* Fast path: an operation with valid arguments is executed at once if the thread's cache of
 * slices holds the remote side, or queued if it matches the requests of an aggregate handle. All
 * other operations go through the engine. */

__attribute__((always_inline)) static inline bool
acc_fast(int datatype, const void *scale, const void *src, const void *dst, int bytes, int proc)
{
    if (!armcii_is_direct(proc, dst, (size_t)bytes) || armcii_needs_check(src) || !scale ||
        datatype < 0 || datatype >= ELEMENT_COUNT)
        return false;
    enum element e = (enum element)datatype;
    if ((size_t)bytes % armcii_elements[e].size) return false;
    armcii_apply_accumulate_segment(e, scale, proc, dst, src, (size_t)bytes);
    return true;
}

/* The first and the last local address. */
static bool need_checks(const struct aggregate_rows *rows)
{
    return armcii_needs_check(rows->local) ||
           armcii_needs_check((const void *)((uintptr_t)rows->local +
                                             (rows->n - 1) * (uintptr_t)rows->local_stride));
}

struct aggregate *armcii_queue_for(const struct op_args *r, const void *remote, int bytes,
                                   armci_hdl_t *hdl)
{
    const struct aggregate_key key = {r->proc, r->verb, r->scale};
    if (!hdl || hdl == armcii_blocking || bytes <= 0) return NULL;
    if (r->verb.kind == OP_ACC && (!r->scale || (unsigned)r->verb.element >= ELEMENT_COUNT ||
                                   (unsigned)bytes % armcii_elements[r->verb.element].size != 0))
        return NULL;
    return armcii_handle_list(hdl, &key, remote);
}

/* Queue what matches the requests of an aggregate handle. */
static bool queue_rows(const struct op_args *r, const struct aggregate_rows *rows, int bytes,
                       armci_hdl_t *hdl)
{
    struct aggregate *a = armcii_queue_for(r, rows->remote, bytes, hdl);
    return a && !need_checks(rows) && armcii_aggregate_append_rows(a, rows);
}

/* ---- the engine ---- */

static armci_hdl_t no_handle;
armci_hdl_t *const armcii_blocking = &no_handle;
#define BLOCKING (&no_handle)

int armcii_transfer_run(const struct op *op, armci_hdl_t *hdl)
{
    return hdl == BLOCKING ? armcii_op_blocking(op) : armcii_handle_start(hdl, op);
}

__attribute__((always_inline)) static inline int
contiguous(const struct op_args *r, void *local, void *remote, int bytes, armci_hdl_t *hdl)
{
    struct op op;
    int rc = build_contiguous(r, local, remote, bytes, &op);
    return rc ? rc : armcii_transfer_run(&op, hdl);
}

/* ---- contiguous ---- */

/* A direct transfer takes no lock: nothing that another thread may change is used. Three steps,
 * each with fewer registers to save than the next: at most SHORT_BYTES in the last slice used of
 * that process (no call of a function), more of them (one call), and all the rest. */
enum { SHORT_BYTES = 64 };

static inline bool is_short(const void *remote, const void *local, int bytes, int proc)
{
    return __builtin_expect(!armcii_needs_check(local) && (unsigned)bytes <= SHORT_BYTES, 1) &&
           armcii_last_is_direct(proc, remote, (unsigned)bytes);
}

static inline int copy_there(enum op_kind kind, void *remote, void *local, size_t bytes)
{
    if (kind == OP_PUT)
        armcii_apply_put_segment(remote, local, bytes);
    else
        armcii_apply_get_segment(remote, local, bytes);
    return 0;
}

/* Transfers what is in another slice, on another node, queued or wrong. What the last slice holds
 * is not direct there: the callers have looked. */
__attribute__((noinline)) static int find_and_transfer(enum op_kind kind, void *local, void *remote,
                                                       int bytes, int proc, armci_hdl_t *hdl)
{
    static const char *const names[][2] = {
        [OP_PUT] = {"ARMCI_NbPut", "ARMCI_Put"}, [OP_GET] = {"ARMCI_NbGet", "ARMCI_Get"}};
    const struct op_args r = {
        .caller = names[kind][hdl == BLOCKING], .verb.kind = kind, .proc = proc};
    if (!armcii_needs_check(local) && armcii_page_is_direct(proc, remote, (size_t)bytes))
        return copy_there(kind, remote, local, (size_t)bytes);
    ARMCII_ENTER(r.caller);
    if (!entered) return ARMCI_ERR_STATE;
    if (hdl != BLOCKING) {
        const struct aggregate_rows row = {local, remote, 0, 0, (size_t)bytes, 1};
        if (queue_rows(&r, &row, bytes, hdl)) return 0;
    }
    return contiguous(&r, local, remote, bytes, hdl);
}

__attribute__((noinline)) static int leave_queue(void)
{
    armcii_lock_exit();
    return 0;
}

__attribute__((noinline)) static int leave_and_find(enum op_kind kind, void *local, void *remote,
                                                    int bytes, int proc, armci_hdl_t *hdl)
{
    armcii_lock_exit();
    return find_and_transfer(kind, local, remote, bytes, proc, hdl);
}

/* Queues what continues the list of the last request, if the lock is free. Calls functions only in
 * its last step, so that no register is saved. Negative ranks and lengths match no request. */
static inline int queue_or_find(enum op_kind kind, void *local, void *remote, int bytes, int proc,
                                armci_hdl_t *hdl)
{
    if (!hdl || hdl == BLOCKING || armcii_needs_check(local) ||
        (armcii_lock.enabled && !armcii_lock_try_acquire()))
        return find_and_transfer(kind, local, remote, bytes, proc, hdl);
    if (!armcii_aggregate_append_next(hdl, kind, proc, local, remote, (size_t)bytes))
        return leave_and_find(kind, local, remote, bytes, proc, hdl);
    return leave_queue();
}

/* Transfers more than SHORT_BYTES, or what is not in the last slice, or queues it. */
__attribute__((noinline)) static int put_or_get(enum op_kind kind, void *local, void *remote,
                                                int bytes, int proc, armci_hdl_t *hdl)
{
    if ((unsigned)bytes > SHORT_BYTES && !armcii_needs_check(local) &&
        armcii_last_is_direct(proc, remote, (size_t)bytes))
        return copy_there(kind, remote, local, (size_t)bytes);
    return queue_or_find(kind, local, remote, bytes, proc, hdl);
}

int PARMCI_Put(void *src, void *dst, int bytes, int proc)
{
    if (!is_short(dst, src, bytes, proc))
        return put_or_get(OP_PUT, src, dst, bytes, proc, BLOCKING);
    armcii_apply_put_segment(dst, src, (unsigned)bytes);
    return 0;
}
ARMCII_ALIAS(ARMCI_Put, PARMCI_Put);

int PARMCI_Get(void *src, void *dst, int bytes, int proc)
{
    if (!is_short(src, dst, bytes, proc))
        return put_or_get(OP_GET, dst, src, bytes, proc, BLOCKING);
    armcii_apply_get_segment(src, dst, (unsigned)bytes);
    return 0;
}
ARMCII_ALIAS(ARMCI_Get, PARMCI_Get);

int PARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
    if (!is_short(dst, src, bytes, proc)) return put_or_get(OP_PUT, src, dst, bytes, proc, hdl);
    armcii_apply_put_segment(dst, src, (unsigned)bytes);
    return 0;
}
ARMCII_ALIAS(ARMCI_NbPut, PARMCI_NbPut);

int PARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
    if (!is_short(src, dst, bytes, proc)) return put_or_get(OP_GET, dst, src, bytes, proc, hdl);
    armcii_apply_get_segment(src, dst, (unsigned)bytes);
    return 0;
}
ARMCII_ALIAS(ARMCI_NbGet, PARMCI_NbGet);

int PARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return ARMCI_ERR_STATE;
    if (acc_fast(datatype, scale, src, dst, bytes, proc)) return 0;
    const struct op_args r = acc_to(CALLER, datatype, scale, proc);
    return contiguous(&r, src, dst, bytes, BLOCKING);
}
ARMCII_ALIAS(ARMCI_Acc, PARMCI_Acc);

int PARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc,
                 armci_hdl_t *hdl)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return ARMCI_ERR_STATE;
    const struct op_args r = acc_to(CALLER, datatype, scale, proc);
    if (queue_rows(&r, &(struct aggregate_rows){src, dst, 0, 0, (size_t)bytes, 1}, bytes, hdl))
        return 0;
    if (acc_fast(datatype, scale, src, dst, bytes, proc)) return 0;
    return contiguous(&r, src, dst, bytes, hdl);
}
ARMCII_ALIAS(ARMCI_NbAcc, PARMCI_NbAcc);

/* ---- strided ---- */

/* Queue a few rows; rows that continue each other are one segment. */
static bool queue_strided(const struct op_args *r, void *src, const int src_stride[], void *dst,
                          const int dst_stride[], const int count[], int levels, armci_hdl_t *hdl)
{
    if (!hdl || hdl == BLOCKING || levels != 1 || !count || !src_stride || !dst_stride ||
        count[1] <= 1 || count[1] > AGGREGATE_ROWS ||
        (src_stride[0] == count[0] && dst_stride[0] == count[0]))
        return false;
    struct aggregate_rows rows = {
        src, dst, src_stride[0], dst_stride[0], (size_t)count[0], (size_t)count[1]};
    if (r->verb.kind == OP_GET)
        rows = (struct aggregate_rows){dst, src, dst_stride[0], src_stride[0], rows.bytes, rows.n};
    return queue_rows(r, &rows, count[0], hdl);
}

static int strided(struct op_args r, void *src, const int src_stride[], void *dst,
                   const int dst_stride[], const int count[], int levels, armci_hdl_t *hdl)
{
    ARMCII_ENTER(r.caller);
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    if (queue_strided(&r, src, src_stride, dst, dst_stride, count, levels, hdl)) return 0;
    int rc = build_strided(r, src, src_stride, dst, dst_stride, count, levels, &op);
    return rc ? rc : armcii_transfer_run(&op, hdl);
}

int PARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc)
{
    return strided(put_to(CALLER, proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count,
                   stride_levels, BLOCKING);
}
ARMCII_ALIAS(ARMCI_PutS, PARMCI_PutS);

int PARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc)
{
    return strided(get_from(CALLER, proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count,
                   stride_levels, BLOCKING);
}
ARMCII_ALIAS(ARMCI_GetS, PARMCI_GetS);

int PARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                int dst_stride_ar[], int count[], int stride_levels, int proc)
{
    return strided(acc_to(CALLER, datatype, scale, proc), src_ptr, src_stride_ar, dst_ptr,
                   dst_stride_ar, count, stride_levels, BLOCKING);
}
ARMCII_ALIAS(ARMCI_AccS, PARMCI_AccS);

int PARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t *hdl)
{
    return strided(put_to(CALLER, proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count,
                   stride_levels, hdl);
}
ARMCII_ALIAS(ARMCI_NbPutS, PARMCI_NbPutS);

int PARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t *hdl)
{
    return strided(get_from(CALLER, proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count,
                   stride_levels, hdl);
}
ARMCII_ALIAS(ARMCI_NbGetS, PARMCI_NbGetS);

int PARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                  int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t *hdl)
{
    return strided(acc_to(CALLER, datatype, scale, proc), src_ptr, src_stride_ar, dst_ptr,
                   dst_stride_ar, count, stride_levels, hdl);
}
ARMCII_ALIAS(ARMCI_NbAccS, PARMCI_NbAccS);

/* ---- values ---- */

static int put_value(const char *caller, void *value, void *dst, int bytes, int proc,
                     armci_hdl_t *hdl)
{
    ARMCII_ENTER(caller);
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    if (armcii_is_direct(proc, dst, (size_t)bytes)) {
        armcii_apply_put_segment(dst, value, (size_t)bytes);
        return 0;
    }
    const struct op_args r = put_to(caller, proc);
    int rc = build_contiguous(&r, value, dst, bytes, &op);
    if (!rc) rc = hdl == BLOCKING ? armcii_op_blocking(&op) : armcii_handle_start_value(hdl, &op);
    return rc;
}

static void get_value(const char *caller, void *src, void *value, int bytes, int proc)
{
    ARMCII_ENTER(caller);
    if (!entered) return;
    if (!armcii_is_direct(proc, src, (size_t)bytes)) {
        const struct op_args r = get_from(caller, proc);
        contiguous(&r, value, src, bytes, BLOCKING);
        return;
    }
    armcii_apply_get_segment(src, value, (size_t)bytes);
    armcii_op_poll();
}

#define VALUE_FUNCTIONS(name, type)                                                                \
    int PARMCI_PutValue##name(type src, void *dst, int proc)                                       \
    {                                                                                              \
        return put_value(CALLER, &src, dst, sizeof src, proc, BLOCKING);                           \
    }                                                                                              \
    ARMCII_ALIAS(ARMCI_PutValue##name, PARMCI_PutValue##name);                                     \
    int PARMCI_NbPutValue##name(type src, void *dst, int proc, armci_hdl_t *hdl)                   \
    {                                                                                              \
        return put_value(CALLER, &src, dst, sizeof src, proc, hdl);                                \
    }                                                                                              \
    ARMCII_ALIAS(ARMCI_NbPutValue##name, PARMCI_NbPutValue##name);                                 \
    type PARMCI_GetValue##name(void *src, int proc)                                                \
    {                                                                                              \
        type value = 0;                                                                            \
        get_value(CALLER, src, &value, sizeof value, proc);                                        \
        return value;                                                                              \
    }                                                                                              \
    ARMCII_ALIAS(ARMCI_GetValue##name, PARMCI_GetValue##name)

VALUE_FUNCTIONS(Int, int);
VALUE_FUNCTIONS(Long, long);
VALUE_FUNCTIONS(Float, float);
VALUE_FUNCTIONS(Double, double);

/* ---- flags ---- */

/* The data, and what was queued before, must be in place before the flag is, and the flag must
 * arrive without further calls. */
static int put_then_flag(struct op *data, int *flag, int value)
{
    const struct op_args r = put_to(data->caller, data->target);
    struct op_flag behind = {flag, value, false};
    struct op op;
    struct raddr raddr;
    int rc = armcii_op_resolve(data->caller, "flag", data->target, flag, sizeof *flag, &raddr);
    if (!rc) rc = armcii_op_check_mode(data->caller, "flag", OP_PUT, &raddr);
    if (!rc) rc = build_contiguous(&r, &value, flag, sizeof value, &op);
    if (rc) return rc;
    data->flag = &behind;
    rc = armcii_aggregates_flush(data->target, true);
    if (!rc) rc = armcii_transfer_run(data, BLOCKING);
    data->flag = NULL;
    if (!rc && behind.is_carried) return 0;
    armcii_fence(data->target); /* after an error, too: what was queued may wait for more */
    if (rc) return rc;
    rc = armcii_transfer_run(&op, BLOCKING);
    armcii_fence(data->target);
    return rc;
}

int PARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc)
{
    ARMCII_ENTER(CALLER);
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    const struct op_args r = put_to(CALLER, proc);
    int rc = build_contiguous(&r, src, dst, bytes, &op);
    return rc ? rc : put_then_flag(&op, flag, value);
}
ARMCII_ALIAS(ARMCI_Put_flag, PARMCI_Put_flag);

static int put_strided_flag(const char *caller, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                            int dst_stride_ar[], int count[], int stride_levels, int *flag,
                            int value, int proc)
{
    ARMCII_ENTER(caller);
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    int rc = build_strided(put_to(caller, proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar,
                           count, stride_levels, &op);
    return rc ? rc : put_then_flag(&op, flag, value);
}

int PARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                     int count[], int stride_levels, int *flag, int value, int proc)
{
    return put_strided_flag(CALLER, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count,
                            stride_levels, flag, value, proc);
}
ARMCII_ALIAS(ARMCI_PutS_flag, PARMCI_PutS_flag);

int PARMCI_PutS_flag_dir(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                         int count[], int stride_levels, int *flag, int value, int proc)
{
    return put_strided_flag(CALLER, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count,
                            stride_levels, flag, value, proc);
}
ARMCII_ALIAS(ARMCI_PutS_flag_dir, PARMCI_PutS_flag_dir);
