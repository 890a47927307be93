/* local.c - what works on local memory only: copies, packing of strided patches, walking them. */
#include <string.h>

#include "api/entry.h"
#include "shape/shape.h"

void PARMCI_Copy(void *src, void *dst, int n)
{
    if (armcii_check_count("ARMCI_Copy", "n", n) == 0 && n > 0) memcpy(dst, src, (size_t)n);
}
ARMCII_ALIAS(ARMCI_Copy, PARMCI_Copy);

/* The patch at ptr as a shape whose other side is not used. */
static bool describe(const char *caller, void *ptr, int levels, const int strides[], const int count[], struct shape *s)
{
    if (armcii_check_pointer(caller, "count", count)) return false;
    if (armcii_shape_strided(s, ptr, strides, ptr, strides, count, levels) == SHAPE_OK) return true;
    armcii_error(ARMCI_ERR_COUNT, caller, "count", "the levels or an entry are negative, or too large", "%d levels", levels);
    return false;
}

void parmci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf)
{
    struct shape s;
    if (describe("armci_read_strided", ptr, stride_levels, stride_arr, count, &s)) armcii_shape_unpack(&s, SHAPE_LOCAL, buf);
}
ARMCII_ALIAS(armci_read_strided, parmci_read_strided);

void parmci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf)
{
    struct shape s;
    if (describe("armci_write_strided", ptr, stride_levels, stride_arr, count, &s)) armcii_shape_pack(&s, SHAPE_LOCAL, buf);
}
ARMCII_ALIAS(armci_write_strided, parmci_write_strided);

/* ---- walking a patch ---- */

void parmci_stride_info_init(stride_info_t *sinfo, void *base_ptr, int stride_levels, const int *stride_arr, const int *seg_count)
{
    if (stride_levels < 0 || stride_levels > ARMCI_MAX_STRIDE_LEVEL) {
        armcii_error(ARMCI_ERR_COUNT, "armci_stride_info_init", "stride_levels", "it is negative or too large", "%d", stride_levels);
        return;
    }
    memset(sinfo, 0, sizeof *sinfo);
    sinfo->base_ptr = base_ptr;
    sinfo->stride_levels = stride_levels;
    sinfo->size = 1;
    sinfo->seg_count[0] = seg_count[0];
    for (int i = 0; i < stride_levels; i++) {
        sinfo->stride_arr[i] = stride_arr[i];
        sinfo->seg_count[i + 1] = seg_count[i + 1];
        sinfo->size *= seg_count[i + 1];
    }
}
ARMCII_ALIAS(armci_stride_info_init, parmci_stride_info_init);

void parmci_stride_info_destroy(stride_info_t *sinfo)
{
    sinfo->pos = sinfo->size = 0;
}
ARMCII_ALIAS(armci_stride_info_destroy, parmci_stride_info_destroy);

int parmci_stride_info_size(stride_info_t *sinfo)
{
    return sinfo->size;
}
ARMCII_ALIAS(armci_stride_info_size, parmci_stride_info_size);

int parmci_stride_info_pos(stride_info_t *sinfo)
{
    return sinfo->pos;
}
ARMCII_ALIAS(armci_stride_info_pos, parmci_stride_info_pos);

void parmci_stride_info_next(stride_info_t *sinfo)
{
    if (sinfo->pos >= sinfo->size) return;
    sinfo->pos++;
    for (int i = 0; i < sinfo->stride_levels; i++) {
        if (++sinfo->itr[i] < sinfo->seg_count[i + 1]) return;
        sinfo->itr[i] = 0;
    }
}
ARMCII_ALIAS(armci_stride_info_next, parmci_stride_info_next);

static ptrdiff_t offset(const stride_info_t *sinfo)
{
    ptrdiff_t sum = 0;
    for (int i = 0; i < sinfo->stride_levels; i++) sum += (ptrdiff_t)sinfo->itr[i] * sinfo->stride_arr[i];
    return sum;
}

void *parmci_stride_info_seg_ptr(stride_info_t *sinfo)
{
    return sinfo->base_ptr + offset(sinfo);
}
ARMCII_ALIAS(armci_stride_info_seg_ptr, parmci_stride_info_seg_ptr);

int parmci_stride_info_seg_size(stride_info_t *sinfo)
{
    return sinfo->seg_count[0];
}
ARMCII_ALIAS(armci_stride_info_seg_size, parmci_stride_info_seg_size);

int parmci_stride_info_seg_off(stride_info_t *sinfo)
{
    return (int)offset(sinfo);
}
ARMCII_ALIAS(armci_stride_info_seg_off, parmci_stride_info_seg_off);

int parmci_stride_info_has_more(stride_info_t *sinfo)
{
    return sinfo->pos < sinfo->size;
}
ARMCII_ALIAS(armci_stride_info_has_more, parmci_stride_info_has_more);
