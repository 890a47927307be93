/* build.c - checks the arguments of transfer calls and describes them to the engine. */
#include "armci/build.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "armci/entry.h"

static int check_request(const struct op_args *r)
{
    int rc = armcii_check_process(r->caller, "proc", r->proc);
    if (rc || r->verb.kind != RMA_ACC) return rc;
    rc = armcii_check_element(r->caller, (int)r->verb.element);
    return rc ? rc : armcii_check_pointer(r->caller, "scale", r->scale);
}

static void init_op(const struct op_args *r, struct op *op)
{
    op->caller = r->caller;
    op->verb = r->verb;
    op->scale = r->scale;
    op->target = r->proc;
}

static int check_whole_elements(const struct op_args *r, const char *argument, int bytes)
{
    if (r->verb.kind != RMA_ACC || (size_t)bytes % armcii_element_size(r->verb.element) == 0) return 0;
    return armcii_error(ARMCI_ERR_ALIGN, r->caller, argument, "accumulate requires whole elements", "%d (%s: %zu bytes)", bytes,
                        armcii_element_name(r->verb.element), armcii_element_size(r->verb.element));
}

/* The local pointer of a nonempty transfer. */
static int check_local(const struct op_args *r, const void *src, const void *dst)
{
    return r->verb.kind == RMA_GET ? armcii_check_pointer(r->caller, "dst", dst) : armcii_check_pointer(r->caller, "src", src);
}

static int report_local_wrap(const struct op_args *r, const char *argument, const void *local, int bytes)
{
    return armcii_error(ARMCI_ERR_RANGE, r->caller, argument, "the local side leaves the address space", "%p + %d bytes", local, bytes);
}

/* The local side of a nonempty contiguous transfer. */
static int check_local_piece(const struct op_args *r, const void *src, const void *dst, int bytes)
{
    const void *local = r->verb.kind == RMA_GET ? dst : src;
    int rc = check_local(r, src, dst);
    if (rc || (uintptr_t)local <= UINTPTR_MAX - (size_t)bytes) return rc;
    return report_local_wrap(r, r->verb.kind == RMA_GET ? "dst" : "src", local, bytes);
}

int armcii_build_contiguous(struct op_args r, void *src, void *dst, int bytes, struct op *op)
{
    int rc = check_request(&r);
    if (!rc) rc = armcii_check_count(r.caller, "bytes", bytes);
    if (!rc) rc = check_whole_elements(&r, "bytes", bytes);
    if (!rc && bytes > 0) rc = check_local_piece(&r, src, dst, bytes);
    if (rc) return rc;
    init_op(&r, op);
    if (r.verb.kind == RMA_GET)
        armcii_shape_contiguous(&op->shape, dst, src, (size_t)bytes);
    else
        armcii_shape_contiguous(&op->shape, src, dst, (size_t)bytes);
    return 0;
}

/* One side of a strided call, and the counts of both sides. */
struct side {
    void *ptr;
    const int *stride;
};
struct counts {
    const int *count;
    int levels;
};

/* Does this side fit in the address space? */
static bool is_patch(struct side side, struct counts c)
{
    struct shape s;
    return armcii_shape_strided(&s, side.ptr, side.stride, side.ptr, side.stride, c.count, c.levels) == SHAPE_OK;
}

/* The counts as "{8, 2}". */
static const char *list_counts(struct counts c, char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i <= c.levels && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%d%s", i == 0 ? "{" : ", ", c.count[i], i == c.levels ? "}" : "");
    return text;
}

/* Report the cause: the total overflows, or the source or destination leaves the address space. */
static int report_overflow(const struct op_args *r, struct side src, struct side dst, struct counts c)
{
    static const int zero_stride[SHAPE_MAX_LEVELS];
    char text[(SHAPE_MAX_LEVELS + 1) * sizeof ", -2147483648"];
    list_counts(c, text, sizeof text);
    if (!is_patch((struct side){NULL, zero_stride}, c))
        return armcii_error(ARMCI_ERR_COUNT, r->caller, "count", "the total overflows", "%s", text);
    bool of_src = !is_patch(src, c);
    return armcii_error(ARMCI_ERR_COUNT, r->caller, of_src ? "src" : "dst", "the patch leaves the address space", "%p (count = %s)",
                        of_src ? src.ptr : dst.ptr, text);
}

static int report(const struct op_args *r, enum shape_status status, struct side src, struct side dst, struct counts c)
{
    int bad = 0;
    switch (status) {
    case SHAPE_OK: return 0;
    case SHAPE_BAD_LEVELS:
        return armcii_error(ARMCI_ERR_COUNT, r->caller, "stride_levels", "out of range", "%d (0 to %d)", c.levels, SHAPE_MAX_LEVELS);
    case SHAPE_BAD_COUNT:
        while (c.count[bad] >= 0)
            bad++;
        return armcii_error(ARMCI_ERR_COUNT, r->caller, "count", "an entry is negative", "count[%d] = %d", bad, c.count[bad]);
    default: return report_overflow(r, src, dst, c);
    }
}

int armcii_build_strided(struct op_args r, void *src, const int src_stride[], void *dst, const int dst_stride[], const int count[],
                         int levels, struct op *op)
{
    int rc = check_request(&r);
    if (!rc) rc = armcii_check_pointer(r.caller, "count", count);
    if (!rc && levels > 0) rc = armcii_check_pointer(r.caller, "src_stride_ar", src_stride);
    if (!rc && levels > 0) rc = armcii_check_pointer(r.caller, "dst_stride_ar", dst_stride);
    if (!rc && levels >= 0 && count[0] > 0) rc = check_whole_elements(&r, "count[0]", count[0]);
    if (rc) return rc;
    enum shape_status status = r.verb.kind == RMA_GET ? armcii_shape_strided(&op->shape, dst, dst_stride, src, src_stride, count, levels)
                                                      : armcii_shape_strided(&op->shape, src, src_stride, dst, dst_stride, count, levels);
    if (status != SHAPE_OK)
        return report(&r, status, (struct side){src, src_stride}, (struct side){dst, dst_stride}, (struct counts){count, levels});
    if (op->shape.bytes > 0) rc = check_local(&r, src, dst);
    if (rc) return rc;
    init_op(&r, op);
    return 0;
}

/* Report an invalid local segment: NULL, or beyond the address space. */
static int report_segment(const struct op_args *r, int entry, int i, const void *local, int bytes)
{
    char name[64];
    snprintf(name, sizeof name, "iov[%d].%s[%d]", entry, r->verb.kind == RMA_GET ? "dst_ptr_array" : "src_ptr_array", i);
    return local ? report_local_wrap(r, name, local, bytes) : armcii_check_pointer(r->caller, name, NULL);
}

static int check_entry(const struct op_args *r, const armci_giov_t *v, int entry)
{
    int rc = armcii_check_count(r->caller, "iov.bytes", v->bytes);
    if (!rc) rc = armcii_check_count(r->caller, "iov.ptr_array_len", v->ptr_array_len);
    if (!rc) rc = check_whole_elements(r, "iov.bytes", v->bytes);
    if (rc || v->bytes == 0 || v->ptr_array_len == 0) return rc;
    rc = armcii_check_pointer(r->caller, "iov.src_ptr_array", v->src_ptr_array);
    if (!rc) rc = armcii_check_pointer(r->caller, "iov.dst_ptr_array", v->dst_ptr_array);
    void *const *local = r->verb.kind == RMA_GET ? v->dst_ptr_array : v->src_ptr_array;
    const uintptr_t highest = UINTPTR_MAX - (size_t)v->bytes;
    for (int i = 0; i < v->ptr_array_len && !rc; i++)
        if ((uintptr_t)local[i] - 1 >= highest)
            rc = report_segment(r, entry, i, local[i], v->bytes); /* NULL - 1 wraps to the highest address */
    return rc;
}

int armcii_build_vector(struct op_args r, const armci_giov_t iov[], int iov_len, struct vector_memory *memory, struct op *op)
{
    int rc = check_request(&r);
    if (!rc) rc = armcii_check_count(r.caller, "iov_len", iov_len);
    if (!rc && iov_len > 0) rc = armcii_check_pointer(r.caller, "iov", iov);
    for (int i = 0; i < iov_len && !rc; i++)
        rc = check_entry(&r, &iov[i], i);
    if (rc) return rc;
    memory->runs = iov_len <= VECTOR_RUNS_INLINE ? memory->few : malloc((size_t)iov_len * sizeof *memory->runs);
    if (!memory->runs) return armcii_error(ARMCI_ERR_MEMORY, r.caller, "iov_len", "out of memory", "%d", iov_len);
    for (int i = 0; i < iov_len; i++) {
        void **local = r.verb.kind == RMA_GET ? iov[i].dst_ptr_array : iov[i].src_ptr_array;
        void **remote = r.verb.kind == RMA_GET ? iov[i].src_ptr_array : iov[i].dst_ptr_array;
        memory->runs[i] = (struct vector_run){local, remote, (size_t)iov[i].bytes, (size_t)iov[i].ptr_array_len};
    }
    if (armcii_shape_vector(&op->shape, memory->runs, (size_t)iov_len) != SHAPE_OK) {
        armcii_vector_free(memory);
        return armcii_error(ARMCI_ERR_COUNT, r.caller, "iov", "the total overflows", "%d entries", iov_len);
    }
    init_op(&r, op);
    return 0;
}

void armcii_vector_free(struct vector_memory *memory)
{
    if (memory->runs != memory->few) free(memory->runs);
}
