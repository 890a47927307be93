/* transfers.c - put, get and accumulate: contiguous, strided, vector; blocking and nonblocking. */
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
    armcii_stats_at_once(STATS_PUT, proc, (size_t)bytes);
    armcii_apply_put_piece(there, src, (size_t)bytes);
    return true;
}

__attribute__((always_inline)) static inline bool get_fast(const void *src, void *dst, int bytes, int proc)
{
    const char *there = armcii_addr_cache_lookup(proc, src, (size_t)bytes);
    if (!there || needs_check(dst)) return false;
    armcii_stats_at_once(STATS_GET, proc, (size_t)bytes);
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
    armcii_stats_at_once(STATS_ACC, proc, (size_t)bytes);
    armcii_apply_accumulate_piece(e, scale, proc, dst, there - (const char *)dst, src, (size_t)bytes);
    return true;
}

/* Negative ranks match no queued request. */
static bool queue_fast(armci_hdl_t *hdl, enum rma_kind kind, int proc, void *local, void *remote, int bytes)
{
    return bytes > 0 && !needs_check(local) && armcii_handle_queue_next(hdl, kind, proc, local, remote, (size_t)bytes);
}

/* ---- contiguous ---- */

int PARMCI_Put(void *src, void *dst, int bytes, int proc)
{
    ARMCII_ENTER("ARMCI_Put");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    if (put_fast(src, dst, bytes, proc)) return 0;
    int rc = armcii_build_contiguous(armcii_put_to("ARMCI_Put", proc), src, dst, bytes, &op);
    return rc ? rc : armcii_op_blocking(&op);
}
ARMCII_ALIAS(ARMCI_Put, PARMCI_Put);

int PARMCI_Get(void *src, void *dst, int bytes, int proc)
{
    ARMCII_ENTER("ARMCI_Get");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    if (get_fast(src, dst, bytes, proc)) return 0;
    int rc = armcii_build_contiguous(armcii_get_from("ARMCI_Get", proc), src, dst, bytes, &op);
    return rc ? rc : armcii_op_blocking(&op);
}
ARMCII_ALIAS(ARMCI_Get, PARMCI_Get);

int PARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc)
{
    ARMCII_ENTER("ARMCI_Acc");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    if (acc_fast(datatype, scale, src, dst, bytes, proc)) return 0;
    int rc = armcii_build_contiguous(armcii_acc_to("ARMCI_Acc", datatype, scale, proc), src, dst, bytes, &op);
    return rc ? rc : armcii_op_blocking(&op);
}
ARMCII_ALIAS(ARMCI_Acc, PARMCI_Acc);

int PARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbPut");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    if (put_fast(src, dst, bytes, proc) || queue_fast(hdl, RMA_PUT, proc, src, dst, bytes)) return 0;
    int rc = armcii_build_contiguous(armcii_put_to("ARMCI_NbPut", proc), src, dst, bytes, &op);
    return rc ? rc : armcii_handle_start(hdl, &op);
}
ARMCII_ALIAS(ARMCI_NbPut, PARMCI_NbPut);

int PARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbGet");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    if (get_fast(src, dst, bytes, proc) || queue_fast(hdl, RMA_GET, proc, dst, src, bytes)) return 0;
    int rc = armcii_build_contiguous(armcii_get_from("ARMCI_NbGet", proc), src, dst, bytes, &op);
    return rc ? rc : armcii_handle_start(hdl, &op);
}
ARMCII_ALIAS(ARMCI_NbGet, PARMCI_NbGet);

int PARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbAcc");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    if (acc_fast(datatype, scale, src, dst, bytes, proc)) return 0;
    int rc = armcii_build_contiguous(armcii_acc_to("ARMCI_NbAcc", datatype, scale, proc), src, dst, bytes, &op);
    return rc ? rc : armcii_handle_start(hdl, &op);
}
ARMCII_ALIAS(ARMCI_NbAcc, PARMCI_NbAcc);

/* ---- strided ---- */

int PARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc)
{
    ARMCII_ENTER("ARMCI_PutS");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    int rc =
        armcii_build_strided(armcii_put_to("ARMCI_PutS", proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, &op);
    return rc ? rc : armcii_op_blocking(&op);
}
ARMCII_ALIAS(ARMCI_PutS, PARMCI_PutS);

int PARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc)
{
    ARMCII_ENTER("ARMCI_GetS");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_build_strided(armcii_get_from("ARMCI_GetS", proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels,
                                  &op);
    return rc ? rc : armcii_op_blocking(&op);
}
ARMCII_ALIAS(ARMCI_GetS, PARMCI_GetS);

int PARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc)
{
    ARMCII_ENTER("ARMCI_AccS");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_build_strided(armcii_acc_to("ARMCI_AccS", datatype, scale, proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count,
                                  stride_levels, &op);
    return rc ? rc : armcii_op_blocking(&op);
}
ARMCII_ALIAS(ARMCI_AccS, PARMCI_AccS);

int PARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc,
                  armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbPutS");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_build_strided(armcii_put_to("ARMCI_NbPutS", proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels,
                                  &op);
    return rc ? rc : armcii_handle_start(hdl, &op);
}
ARMCII_ALIAS(ARMCI_NbPutS, PARMCI_NbPutS);

int PARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc,
                  armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbGetS");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_build_strided(armcii_get_from("ARMCI_NbGetS", proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count,
                                  stride_levels, &op);
    return rc ? rc : armcii_handle_start(hdl, &op);
}
ARMCII_ALIAS(ARMCI_NbGetS, PARMCI_NbGetS);

int PARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                  int stride_levels, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbAccS");
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_build_strided(armcii_acc_to("ARMCI_NbAccS", datatype, scale, proc), src_ptr, src_stride_ar, dst_ptr, dst_stride_ar,
                                  count, stride_levels, &op);
    return rc ? rc : armcii_handle_start(hdl, &op);
}
ARMCII_ALIAS(ARMCI_NbAccS, PARMCI_NbAccS);

/* ---- vector ---- */

static int vector_blocking(struct op_args r, const armci_giov_t iov[], int iov_len)
{
    struct vector_memory memory;
    struct op op;
    int rc = armcii_build_vector(r, iov, iov_len, &memory, &op);
    if (rc) return rc;
    rc = armcii_op_blocking(&op);
    armcii_vector_free(&memory);
    return rc;
}

static int vector_start(struct op_args r, const armci_giov_t iov[], int iov_len, armci_hdl_t *hdl)
{
    struct vector_memory memory;
    struct op op;
    int rc = armcii_build_vector(r, iov, iov_len, &memory, &op);
    if (rc) return rc;
    rc = armcii_handle_start(hdl, &op);
    armcii_vector_free(&memory);
    return rc;
}

int PARMCI_PutV(armci_giov_t *iov, int iov_len, int proc)
{
    ARMCII_ENTER("ARMCI_PutV");
    if (!entered) return ARMCI_ERR_STATE;
    return vector_blocking(armcii_put_to("ARMCI_PutV", proc), iov, iov_len);
}
ARMCII_ALIAS(ARMCI_PutV, PARMCI_PutV);

int PARMCI_GetV(armci_giov_t *iov, int iov_len, int proc)
{
    ARMCII_ENTER("ARMCI_GetV");
    if (!entered) return ARMCI_ERR_STATE;
    return vector_blocking(armcii_get_from("ARMCI_GetV", proc), iov, iov_len);
}
ARMCII_ALIAS(ARMCI_GetV, PARMCI_GetV);

int PARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc)
{
    ARMCII_ENTER("ARMCI_AccV");
    if (!entered) return ARMCI_ERR_STATE;
    return vector_blocking(armcii_acc_to("ARMCI_AccV", datatype, scale, proc), iov, iov_len);
}
ARMCII_ALIAS(ARMCI_AccV, PARMCI_AccV);

int PARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbPutV");
    if (!entered) return ARMCI_ERR_STATE;
    return vector_start(armcii_put_to("ARMCI_NbPutV", proc), iov, iov_len, hdl);
}
ARMCII_ALIAS(ARMCI_NbPutV, PARMCI_NbPutV);

int PARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbGetV");
    if (!entered) return ARMCI_ERR_STATE;
    return vector_start(armcii_get_from("ARMCI_NbGetV", proc), iov, iov_len, hdl);
}
ARMCII_ALIAS(ARMCI_NbGetV, PARMCI_NbGetV);

int PARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER("ARMCI_NbAccV");
    if (!entered) return ARMCI_ERR_STATE;
    return vector_start(armcii_acc_to("ARMCI_NbAccV", datatype, scale, proc), iov, iov_len, hdl);
}
ARMCII_ALIAS(ARMCI_NbAccV, PARMCI_NbAccV);
