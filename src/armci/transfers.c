/* transfers.c - put, get and accumulate: contiguous, strided, vector, single values; blocking and nonblocking; puts with a flag. */
#include "armci/build.h"
#include "armci/entry.h"
#include "mem/directory.h"
#include "transport/shm/apply.h"
#include "core/handle.h"

/* Fast path: an operation with valid arguments is executed at once if the address cache holds the remote side, or queued if it matches the
 * requests of an aggregate handle.  All other operations go through the engine. */

/* NULL, or in the upper half of the address space, where a transfer could wrap around: the engine checks such addresses. */
static bool needs_check(const void *local)
{
    return (intptr_t)local <= 0;
}

__attribute__((always_inline)) static inline bool put_fast(const void *src, const void *dst, int bytes, int proc)
{
    char *there = armcii_addr_cache_lookup(proc, dst, (size_t)bytes);
    if (!there || needs_check(src)) return false;
    armcii_stats_transfer(STATS_PUT, proc, (size_t)bytes, bytes > 0);
    armcii_apply_put_piece(there, src, (size_t)bytes);
    return true;
}

__attribute__((always_inline)) static inline bool get_fast(const void *src, void *dst, int bytes, int proc)
{
    const char *there = armcii_addr_cache_lookup(proc, src, (size_t)bytes);
    if (!there || needs_check(dst)) return false;
    armcii_stats_transfer(STATS_GET, proc, (size_t)bytes, bytes > 0);
    armcii_apply_get_piece(there, dst, (size_t)bytes);
    return true;
}

__attribute__((always_inline)) static inline bool acc_fast(int datatype, const void *scale, const void *src, const void *dst, int bytes,
                                                           int proc)
{
    const char *there = armcii_addr_cache_lookup(proc, dst, (size_t)bytes);
    if (!there || needs_check(src) || !scale || datatype < 0 || datatype >= ELEMENT_COUNT) return false;
    enum element e = (enum element)datatype;
    if ((size_t)bytes % armcii_element_size(e)) return false;
    armcii_stats_transfer(STATS_ACC, proc, (size_t)bytes, bytes > 0);
    armcii_apply_accumulate_piece(e, scale, proc, dst, there - (const char *)dst, src, (size_t)bytes);
    return true;
}

/* Negative ranks match no queued request. */
static bool queue_fast(armci_hdl_t *hdl, enum rma_kind kind, int proc, void *local, void *remote, int bytes)
{
    if (bytes <= 0 || needs_check(local) || !armcii_handle_queue_next(hdl, kind, proc, local, remote, (size_t)bytes)) return false;
    if (armcii_stats_on) armcii_stats_note_transfer((enum stats_kind)kind, proc, (size_t)bytes, 1, true);
    return true;
}

/* ---- the engine ---- */

static armci_hdl_t no_handle;
#define BLOCKING (&no_handle) /* in place of a handle, where NULL is the implicit handle */

static int counted(int rc, const struct op *op, armci_hdl_t *hdl)
{
    if (rc == 0 && armcii_stats_on)
        armcii_stats_note_transfer((enum stats_kind)op->verb.kind, op->target, op->shape.bytes, op->shape.nsegs,
                                   hdl != BLOCKING && armcii_handle_queues(hdl, op));
    return rc;
}

static int run(const struct op *op, armci_hdl_t *hdl)
{
    return counted(hdl == BLOCKING ? armcii_op_blocking(op) : armcii_handle_start(hdl, op), op, hdl);
}

static int contiguous(struct op_args r, void *src, void *dst, int bytes, armci_hdl_t *hdl)
{
    struct op op;
    int rc = armcii_build_contiguous(r, src, dst, bytes, &op);
    return rc ? rc : run(&op, hdl);
}

/* ---- contiguous ---- */

int PARMCI_Put(void *src, void *dst, int bytes, int proc)
{
    ARMCII_ENTER("ARMCI_Put");
    if (!entered) return ARMCI_ERR_STATE;
    if (put_fast(src, dst, bytes, proc)) return 0;
    return contiguous(armcii_put_to("ARMCI_Put", proc), src, dst, bytes, BLOCKING);
}
ARMCII_ALIAS(ARMCI_Put, PARMCI_Put);

int PARMCI_Get(void *src, void *dst, int bytes, int proc)
{
    ARMCII_ENTER("ARMCI_Get");
    if (!entered) return ARMCI_ERR_STATE;
    if (get_fast(src, dst, bytes, proc)) return 0;
    return contiguous(armcii_get_from("ARMCI_Get", proc), src, dst, bytes, BLOCKING);
}
ARMCII_ALIAS(ARMCI_Get, PARMCI_Get);

int PARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc)
{
    ARMCII_ENTER("ARMCI_Acc");
    if (!entered) return ARMCI_ERR_STATE;
    if (acc_fast(datatype, scale, src, dst, bytes, proc)) return 0;
    return contiguous(armcii_acc_to("ARMCI_Acc", datatype, scale, proc), src, dst, bytes, BLOCKING);
}
ARMCII_ALIAS(ARMCI_Acc, PARMCI_Acc);

int PARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbPut");
    if (!entered) return ARMCI_ERR_STATE;
    if (put_fast(src, dst, bytes, proc) || queue_fast(hdl, RMA_PUT, proc, src, dst, bytes)) return 0;
    return contiguous(armcii_put_to("ARMCI_NbPut", proc), src, dst, bytes, hdl);
}
ARMCII_ALIAS(ARMCI_NbPut, PARMCI_NbPut);

int PARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbGet");
    if (!entered) return ARMCI_ERR_STATE;
    if (get_fast(src, dst, bytes, proc) || queue_fast(hdl, RMA_GET, proc, dst, src, bytes)) return 0;
    return contiguous(armcii_get_from("ARMCI_NbGet", proc), src, dst, bytes, hdl);
}
ARMCII_ALIAS(ARMCI_NbGet, PARMCI_NbGet);

int PARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbAcc");
    if (!entered) return ARMCI_ERR_STATE;
    if (acc_fast(datatype, scale, src, dst, bytes, proc)) return 0;
    return contiguous(armcii_acc_to("ARMCI_NbAcc", datatype, scale, proc), src, dst, bytes, hdl);
}
ARMCII_ALIAS(ARMCI_NbAcc, PARMCI_NbAcc);

/* ---- strided ---- */

static int strided(struct op_args r, void *src, const int src_stride[], void *dst, const int dst_stride[], const int count[], int levels,
                   armci_hdl_t *hdl)
{
    ARMCII_ENTER(r.caller);
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_build_strided(r, src, src_stride, dst, dst_stride, count, levels, &op);
    return rc ? rc : run(&op, hdl);
}

int PARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc)
{
    return strided(armcii_put_to("ARMCI_PutS", proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, BLOCKING);
}
ARMCII_ALIAS(ARMCI_PutS, PARMCI_PutS);

int PARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc)
{
    return strided(armcii_get_from("ARMCI_GetS", proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, BLOCKING);
}
ARMCII_ALIAS(ARMCI_GetS, PARMCI_GetS);

int PARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc)
{
    return strided(armcii_acc_to("ARMCI_AccS", datatype, scale, proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels,
                   BLOCKING);
}
ARMCII_ALIAS(ARMCI_AccS, PARMCI_AccS);

int PARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc,
                  armci_hdl_t *hdl)
{
    return strided(armcii_put_to("ARMCI_NbPutS", proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, hdl);
}
ARMCII_ALIAS(ARMCI_NbPutS, PARMCI_NbPutS);

int PARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc,
                  armci_hdl_t *hdl)
{
    return strided(armcii_get_from("ARMCI_NbGetS", proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, hdl);
}
ARMCII_ALIAS(ARMCI_NbGetS, PARMCI_NbGetS);

int PARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                  int stride_levels, int proc, armci_hdl_t *hdl)
{
    return strided(armcii_acc_to("ARMCI_NbAccS", datatype, scale, proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count,
                   stride_levels, hdl);
}
ARMCII_ALIAS(ARMCI_NbAccS, PARMCI_NbAccS);

/* ---- vector ---- */

static int vector(struct op_args r, const armci_giov_t iov[], int iov_len, armci_hdl_t *hdl)
{
    ARMCII_ENTER(r.caller);
    struct vector_memory memory;
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_build_vector(r, iov, iov_len, &memory, &op);
    if (rc) return rc;
    rc = run(&op, hdl);
    armcii_vector_free(&memory);
    return rc;
}

int PARMCI_PutV(armci_giov_t *iov, int iov_len, int proc)
{
    return vector(armcii_put_to("ARMCI_PutV", proc), iov, iov_len, BLOCKING);
}
ARMCII_ALIAS(ARMCI_PutV, PARMCI_PutV);

int PARMCI_GetV(armci_giov_t *iov, int iov_len, int proc)
{
    return vector(armcii_get_from("ARMCI_GetV", proc), iov, iov_len, BLOCKING);
}
ARMCII_ALIAS(ARMCI_GetV, PARMCI_GetV);

int PARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc)
{
    return vector(armcii_acc_to("ARMCI_AccV", datatype, scale, proc), iov, iov_len, BLOCKING);
}
ARMCII_ALIAS(ARMCI_AccV, PARMCI_AccV);

int PARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl)
{
    return vector(armcii_put_to("ARMCI_NbPutV", proc), iov, iov_len, hdl);
}
ARMCII_ALIAS(ARMCI_NbPutV, PARMCI_NbPutV);

int PARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl)
{
    return vector(armcii_get_from("ARMCI_NbGetV", proc), iov, iov_len, hdl);
}
ARMCII_ALIAS(ARMCI_NbGetV, PARMCI_NbGetV);

int PARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl)
{
    return vector(armcii_acc_to("ARMCI_NbAccV", datatype, scale, proc), iov, iov_len, hdl);
}
ARMCII_ALIAS(ARMCI_NbAccV, PARMCI_NbAccV);

/* ---- values ---- */

static int put_value(const char *caller, void *value, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER(caller);
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    if (put_fast(value, dst, bytes, proc)) return 0;
    int rc = armcii_build_contiguous(armcii_put_to(caller, proc), value, dst, bytes, &op);
    return rc ? rc : counted(hdl == BLOCKING ? armcii_op_blocking(&op) : armcii_handle_start_value(hdl, &op), &op, hdl);
}

static void get_value(const char *caller, void *src, void *value, int bytes, int proc)
{
    ARMCII_ENTER(caller);
    if (!entered) return;
    if (get_fast(src, value, bytes, proc))
        armcii_op_poll();
    else
        contiguous(armcii_get_from(caller, proc), src, value, bytes, BLOCKING);
}

#define VALUE_FUNCTIONS(name, type)                                                                                                        \
    int PARMCI_PutValue##name(type src, void *dst, int proc)                                                                               \
    {                                                                                                                                      \
        return put_value("ARMCI_PutValue" #name, &src, dst, sizeof src, proc, BLOCKING);                                                   \
    }                                                                                                                                      \
    ARMCII_ALIAS(ARMCI_PutValue##name, PARMCI_PutValue##name);                                                                             \
    int PARMCI_NbPutValue##name(type src, void *dst, int proc, armci_hdl_t *hdl)                                                           \
    {                                                                                                                                      \
        return put_value("ARMCI_NbPutValue" #name, &src, dst, sizeof src, proc, hdl);                                                      \
    }                                                                                                                                      \
    ARMCII_ALIAS(ARMCI_NbPutValue##name, PARMCI_NbPutValue##name);                                                                         \
    type PARMCI_GetValue##name(void *src, int proc)                                                                                        \
    {                                                                                                                                      \
        type value = 0;                                                                                                                    \
        get_value("ARMCI_GetValue" #name, src, &value, sizeof value, proc);                                                                \
        return value;                                                                                                                      \
    }                                                                                                                                      \
    ARMCII_ALIAS(ARMCI_GetValue##name, PARMCI_GetValue##name)

VALUE_FUNCTIONS(Int, int);
VALUE_FUNCTIONS(Long, long);
VALUE_FUNCTIONS(Float, float);
VALUE_FUNCTIONS(Double, double);

/* ---- flags ---- */

/* Complete the data remotely before the flag is put, and the flag before return. */
static int put_then_flag(const struct op *data, int *flag, int value)
{
    struct op op;
    struct raddr raddr;
    int rc = armcii_op_resolve(data->caller, "flag", data->target, flag, sizeof *flag, &raddr);
    if (!rc) rc = armcii_build_contiguous(armcii_put_to(data->caller, data->target), &value, flag, sizeof value, &op);
    if (!rc) rc = run(data, BLOCKING);
    if (rc) return rc;
    armcii_fence(data->target);
    rc = run(&op, BLOCKING);
    armcii_fence(data->target);
    return rc;
}

int PARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc)
{
    ARMCII_ENTER("ARMCI_Put_flag");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_build_contiguous(armcii_put_to("ARMCI_Put_flag", proc), src, dst, bytes, &op);
    return rc ? rc : put_then_flag(&op, flag, value);
}
ARMCII_ALIAS(ARMCI_Put_flag, PARMCI_Put_flag);

static int put_strided_flag(const char *caller, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                            int stride_levels, int *flag, int value, int proc)
{
    ARMCII_ENTER(caller);
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_build_strided(armcii_put_to(caller, proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, &op);
    return rc ? rc : put_then_flag(&op, flag, value);
}

int PARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int *flag,
                     int value, int proc)
{
    return put_strided_flag("ARMCI_PutS_flag", src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, flag, value, proc);
}
ARMCII_ALIAS(ARMCI_PutS_flag, PARMCI_PutS_flag);

int PARMCI_PutS_flag_dir(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int *flag,
                         int value, int proc)
{
    return put_strided_flag("ARMCI_PutS_flag_dir", src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, flag, value, proc);
}
ARMCII_ALIAS(ARMCI_PutS_flag_dir, PARMCI_PutS_flag_dir);
