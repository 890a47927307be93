/* vectors.c - put, get and accumulate of generalized I/O vectors. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/entry.h"
#include "core/aggregate.h"

/* ---- arguments ---- */

static int check_segment(const struct op_args *r, int entry, int i, const void *local, int bytes)
{
    char name[64];
    snprintf(name, sizeof name, "iov[%d].%s[%d]", entry,
             r->verb.kind == OP_GET ? "dst_ptr_array" : "src_ptr_array", i);
    return armcii_check_local(r, name, local, bytes);
}

static int check_entry(const struct op_args *r, const armci_giov_t *v, int entry)
{
    int rc = armcii_check_bytes(r, "iov.bytes", v->bytes);
    if (!rc) rc = armcii_check_count(r->caller, "iov.ptr_array_len", v->ptr_array_len);
    if (rc || v->bytes == 0 || v->ptr_array_len == 0) return rc;
    rc = armcii_check_pointer(r->caller, "iov.src_ptr_array", v->src_ptr_array);
    if (!rc) rc = armcii_check_pointer(r->caller, "iov.dst_ptr_array", v->dst_ptr_array);
    void *const *local = r->verb.kind == OP_GET ? v->dst_ptr_array : v->src_ptr_array;
    const uintptr_t highest = UINTPTR_MAX - (size_t)v->bytes;
    for (int i = 0; i < v->ptr_array_len && !rc; i++)
        if ((uintptr_t)local[i] - 1 >= highest) /* NULL - 1 wraps to the highest address */
            rc = check_segment(r, entry, i, local[i], v->bytes);
    return rc;
}

/* A vector operation refers to *memory until it is started. */
enum { VECTOR_RUNS_INLINE = 8 };
struct vector_memory {
    struct vector_run few[VECTOR_RUNS_INLINE];
    struct vector_run *runs;
};
static void vector_free(struct vector_memory *memory)
{
    if (memory->runs != memory->few) free(memory->runs);
}

/* The shape of op from its runs. */
static int set_runs(struct op *op, const struct vector_run *runs, int n)
{
    if (armcii_shape_vector(&op->shape, runs, (size_t)n) != SHAPE_OK)
        return armcii_error(ARMCI_ERR_COUNT, op->caller, "iov", "the total overflows", "%d entries",
                            n);
    if (armcii_shape_range(&op->shape, SHAPE_REMOTE, &op->lo, &op->hi) == SHAPE_OK) return 0;
    return armcii_error(ARMCI_ERR_RANGE, op->caller, "iov", "the transfer leaves the address space",
                        "%d entries", n);
}

static int build_vector(struct op_args r, const armci_giov_t iov[], int iov_len,
                        struct vector_memory *memory, struct op *op)
{
    int rc = armcii_transfer_begin(&r, op);
    if (!rc) rc = armcii_check_count(r.caller, "iov_len", iov_len);
    if (!rc && iov_len > 0) rc = armcii_check_pointer(r.caller, "iov", iov);
    for (int i = 0; i < iov_len && !rc; i++)
        rc = check_entry(&r, &iov[i], i);
    if (rc) return rc;
    memory->runs = iov_len <= VECTOR_RUNS_INLINE ? memory->few
                                                 : malloc((size_t)iov_len * sizeof *memory->runs);
    if (!memory->runs)
        return armcii_error(ARMCI_ERR_MEMORY, r.caller, "iov_len", "out of memory", "%d", iov_len);
    for (int i = 0; i < iov_len; i++) {
        void **local = r.verb.kind == OP_GET ? iov[i].dst_ptr_array : iov[i].src_ptr_array;
        void **remote = r.verb.kind == OP_GET ? iov[i].src_ptr_array : iov[i].dst_ptr_array;
        memory->runs[i] =
            (struct vector_run){local, remote, (size_t)iov[i].bytes, (size_t)iov[i].ptr_array_len};
    }
    rc = set_runs(op, memory->runs, iov_len);
    if (rc) vector_free(memory);
    return rc;
}

/* ---- functions ---- */

static bool has_valid_addresses(void *const local[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (armcii_needs_check(local[i])) return false;
    return true;
}

/* Queue what matches the requests of an aggregate handle. */
static bool queue_list(const struct op_args *r, const armci_giov_t *v, armci_hdl_t *hdl)
{
    if (!hdl || hdl == armcii_blocking || v->ptr_array_len <= 0 || !v->src_ptr_array ||
        !v->dst_ptr_array)
        return false;
    const bool is_get = r->verb.kind == OP_GET;
    const struct vector_run segments = {is_get ? v->dst_ptr_array : v->src_ptr_array,
                                        is_get ? v->src_ptr_array : v->dst_ptr_array,
                                        (size_t)v->bytes, (size_t)v->ptr_array_len};
    struct aggregate *a = armcii_queue_for(r, segments.remote[0], v->bytes, hdl);
    return a && has_valid_addresses(segments.local, segments.n) &&
           armcii_aggregate_append_list(a, &segments);
}

static int vector(struct op_args r, const armci_giov_t iov[], int iov_len, armci_hdl_t *hdl)
{
    ARMCII_ENTER(r.caller);
    struct vector_memory memory;
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    if (iov_len == 1 && iov && queue_list(&r, iov, hdl)) return 0;
    int rc = build_vector(r, iov, iov_len, &memory, &op);
    if (rc) return rc;
    rc = armcii_transfer_run(&op, hdl);
    vector_free(&memory);
    return rc;
}

int PARMCI_PutV(armci_giov_t *iov, int iov_len, int proc)
{
    return vector(put_to(CALLER, proc), iov, iov_len, armcii_blocking);
}
ARMCII_ALIAS(ARMCI_PutV, PARMCI_PutV);

int PARMCI_GetV(armci_giov_t *iov, int iov_len, int proc)
{
    return vector(get_from(CALLER, proc), iov, iov_len, armcii_blocking);
}
ARMCII_ALIAS(ARMCI_GetV, PARMCI_GetV);

int PARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc)
{
    return vector(acc_to(CALLER, datatype, scale, proc), iov, iov_len, armcii_blocking);
}
ARMCII_ALIAS(ARMCI_AccV, PARMCI_AccV);

int PARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl)
{
    return vector(put_to(CALLER, proc), iov, iov_len, hdl);
}
ARMCII_ALIAS(ARMCI_NbPutV, PARMCI_NbPutV);

int PARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl)
{
    return vector(get_from(CALLER, proc), iov, iov_len, hdl);
}
ARMCII_ALIAS(ARMCI_NbGetV, PARMCI_NbGetV);

int PARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc,
                  armci_hdl_t *hdl)
{
    return vector(acc_to(CALLER, datatype, scale, proc), iov, iov_len, hdl);
}
ARMCII_ALIAS(ARMCI_NbAccV, PARMCI_NbAccV);
