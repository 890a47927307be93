/* values.c - puts and gets of single values, and puts with a flag. */
#include <string.h>

#include "armci/build.h"
#include "armci/entry.h"
#include "base/lock.h"
#include "mem/directory.h"
#include "mem/region.h"
#include "transport/transport.h"
#include "transport/shm/apply.h"
#include "core/handle.h"

static int put_value(const char *caller, void *value, void *dst, int bytes, int proc)
{
    ARMCII_ENTER(caller);
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    char *there = armcii_addr_cache_lookup(proc, dst, (size_t)bytes);
    if (there) {
        armcii_stats_at_once(STATS_PUT, proc, (size_t)bytes);
        armcii_apply_put_piece(there, value, (size_t)bytes);
        return 0;
    }
    int rc = armcii_build_contiguous(armcii_put_to(caller, proc), value, dst, bytes, &op);
    return rc ? rc : armcii_op_blocking(&op);
}

static int start_put_value(const char *caller, void *value, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
    ARMCII_ENTER(caller);
    struct op op;
    if (!entered) return ARMCI_ERR_STATE;
    char *there = armcii_addr_cache_lookup(proc, dst, (size_t)bytes);
    if (there) {
        armcii_stats_at_once(STATS_PUT, proc, (size_t)bytes);
        armcii_apply_put_piece(there, value, (size_t)bytes);
        return 0;
    }
    int rc = armcii_build_contiguous(armcii_put_to(caller, proc), value, dst, bytes, &op);
    return rc ? rc : armcii_handle_start_value(hdl, &op);
}

static void get_value(const char *caller, void *src, void *value, int bytes, int proc)
{
    ARMCII_ENTER(caller);
    struct op op;
    if (!entered) return;
    const char *there = armcii_addr_cache_lookup(proc, src, (size_t)bytes);
    if (there) {
        armcii_stats_at_once(STATS_GET, proc, (size_t)bytes);
        armcii_apply_get_piece(there, value, (size_t)bytes);
        if (armcii_transports_need_progress) armcii_progress_on_poll();
        return;
    }
    if (armcii_build_contiguous(armcii_get_from(caller, proc), src, value, bytes, &op) == 0) armcii_op_blocking(&op);
}

int PARMCI_PutValueInt(int src, void *dst, int proc)
{
    return put_value("ARMCI_PutValueInt", &src, dst, sizeof src, proc);
}
ARMCII_ALIAS(ARMCI_PutValueInt, PARMCI_PutValueInt);

int PARMCI_NbPutValueInt(int src, void *dst, int proc, armci_hdl_t *hdl)
{
    return start_put_value("ARMCI_NbPutValueInt", &src, dst, sizeof src, proc, hdl);
}
ARMCII_ALIAS(ARMCI_NbPutValueInt, PARMCI_NbPutValueInt);

int PARMCI_GetValueInt(void *src, int proc)
{
    int value = 0;
    get_value("ARMCI_GetValueInt", src, &value, sizeof value, proc);
    return value;
}
ARMCII_ALIAS(ARMCI_GetValueInt, PARMCI_GetValueInt);

int PARMCI_PutValueLong(long src, void *dst, int proc)
{
    return put_value("ARMCI_PutValueLong", &src, dst, sizeof src, proc);
}
ARMCII_ALIAS(ARMCI_PutValueLong, PARMCI_PutValueLong);

int PARMCI_NbPutValueLong(long src, void *dst, int proc, armci_hdl_t *hdl)
{
    return start_put_value("ARMCI_NbPutValueLong", &src, dst, sizeof src, proc, hdl);
}
ARMCII_ALIAS(ARMCI_NbPutValueLong, PARMCI_NbPutValueLong);

long PARMCI_GetValueLong(void *src, int proc)
{
    long value = 0;
    get_value("ARMCI_GetValueLong", src, &value, sizeof value, proc);
    return value;
}
ARMCII_ALIAS(ARMCI_GetValueLong, PARMCI_GetValueLong);

int PARMCI_PutValueFloat(float src, void *dst, int proc)
{
    return put_value("ARMCI_PutValueFloat", &src, dst, sizeof src, proc);
}
ARMCII_ALIAS(ARMCI_PutValueFloat, PARMCI_PutValueFloat);

int PARMCI_NbPutValueFloat(float src, void *dst, int proc, armci_hdl_t *hdl)
{
    return start_put_value("ARMCI_NbPutValueFloat", &src, dst, sizeof src, proc, hdl);
}
ARMCII_ALIAS(ARMCI_NbPutValueFloat, PARMCI_NbPutValueFloat);

float PARMCI_GetValueFloat(void *src, int proc)
{
    float value = 0;
    get_value("ARMCI_GetValueFloat", src, &value, sizeof value, proc);
    return value;
}
ARMCII_ALIAS(ARMCI_GetValueFloat, PARMCI_GetValueFloat);

int PARMCI_PutValueDouble(double src, void *dst, int proc)
{
    return put_value("ARMCI_PutValueDouble", &src, dst, sizeof src, proc);
}
ARMCII_ALIAS(ARMCI_PutValueDouble, PARMCI_PutValueDouble);

int PARMCI_NbPutValueDouble(double src, void *dst, int proc, armci_hdl_t *hdl)
{
    return start_put_value("ARMCI_NbPutValueDouble", &src, dst, sizeof src, proc, hdl);
}
ARMCII_ALIAS(ARMCI_NbPutValueDouble, PARMCI_NbPutValueDouble);

double PARMCI_GetValueDouble(void *src, int proc)
{
    double value = 0;
    get_value("ARMCI_GetValueDouble", src, &value, sizeof value, proc);
    return value;
}
ARMCII_ALIAS(ARMCI_GetValueDouble, PARMCI_GetValueDouble);

/* ---- flags ---- */

/* Complete the data remotely before the flag is put, and the flag before return. */
static int put_then_flag(const struct op *data, int *flag, int value)
{
    struct op op;
    struct raddr raddr;
    int rc = armcii_op_resolve(data->caller, "flag", data->target, flag, sizeof *flag, &raddr);
    if (!rc) rc = armcii_build_contiguous(armcii_put_to(data->caller, data->target), &value, flag, sizeof value, &op);
    if (!rc) rc = armcii_op_blocking(data);
    if (rc) return rc;
    armcii_fence(data->target);
    rc = armcii_op_blocking(&op);
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
