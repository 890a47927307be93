/* patch.c - operations on local memory: copies, packing and iteration of strided patches. */
#include <limits.h>
#include <string.h>

#include "api/entry.h"
#include "shape/shape.h"

void PARMCI_Copy(void *src, void *dst, int n)
{
    if (armcii_check_count(CALLER, "n", n) || n == 0) return;
    if (armcii_check_pointer(CALLER, "src", src) || armcii_check_pointer(CALLER, "dst", dst))
        return;
    memcpy(dst, src, (size_t)n);
}
ARMCII_ALIAS(ARMCI_Copy, PARMCI_Copy);

/* Check the levels, the arrays and the counts of a strided patch. */
static bool check_patch(const char *caller, int levels, int most, const int strides[],
                        const char *count_name, const int count[])
{
    if (levels < 0 || levels > most) {
        armcii_error(ARMCI_ERR_COUNT, caller, "stride_levels", "out of range", "%d (0 to %d)",
                     levels, most);
        return false;
    }
    if (armcii_check_pointer(caller, count_name, count)) return false;
    if (levels > 0 && armcii_check_pointer(caller, "stride_arr", strides)) return false;
    for (int i = 0; i <= levels; i++) {
        if (count[i] >= 0) continue;
        armcii_error(ARMCI_ERR_COUNT, caller, count_name, "an entry is negative", "%s[%d] = %d",
                     count_name, i, count[i]);
        return false;
    }
    return true;
}

/* Describe the patch at ptr as the local side of a shape; false, with a message, if an argument is
 * invalid. */
static bool make_shape(const char *caller, void *ptr, int levels, const int strides[],
                       const int count[], const char *buf, struct shape *s)
{
    if (!check_patch(caller, levels, SHAPE_MAX_LEVELS, strides, "count", count)) return false;
    char *lo, *hi;
    if (armcii_shape_strided(s, ptr, strides, ptr, strides, count, levels) != SHAPE_OK ||
        armcii_shape_range(s, SHAPE_LOCAL, &lo, &hi) != SHAPE_OK) {
        armcii_error(ARMCI_ERR_COUNT, caller, "count",
                     "the total overflows, or the patch leaves the address space",
                     "%d levels at %p", levels, ptr);
        return false;
    }
    return s->bytes == 0 || (armcii_check_pointer(caller, "ptr", ptr) == 0 &&
                             armcii_check_pointer(caller, "buf", buf) == 0);
}

void parmci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf)
{
    struct shape s;
    if (make_shape(CALLER, ptr, stride_levels, stride_arr, count, buf, &s))
        armcii_shape_unpack(&s, buf);
}
ARMCII_ALIAS(armci_read_strided, parmci_read_strided);

void parmci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf)
{
    struct shape s;
    if (make_shape(CALLER, ptr, stride_levels, stride_arr, count, buf, &s))
        armcii_shape_pack(&s, buf);
}
ARMCII_ALIAS(armci_write_strided, parmci_write_strided);

/* ---- iteration over a patch ---- */

static bool check_iterator(const char *caller, const stride_info_t *sinfo)
{
    return armcii_check_pointer(caller, "sinfo", sinfo) == 0;
}

/* false: the product exceeds INT_MAX, and no count is 0. */
static bool count_segments(int levels, const int seg_count[], int *size)
{
    int product = 1;
    bool overflow = false, empty = false;
    for (int i = 1; i <= levels; i++) {
        overflow |= __builtin_mul_overflow(product, seg_count[i], &product);
        empty |= seg_count[i] == 0;
    }
    if (overflow && !empty) return false;
    *size = empty ? 0 : product;
    return true;
}

void parmci_stride_info_init(stride_info_t *sinfo, void *base_ptr, int stride_levels,
                             const int *stride_arr, const int *seg_count)
{
    int size;
    if (!check_iterator(CALLER, sinfo)) return;
    memset(sinfo, 0, sizeof *sinfo); /* empty if an argument is invalid */
    if (!check_patch(CALLER, stride_levels, ARMCI_MAX_STRIDE_LEVEL, stride_arr, "seg_count",
                     seg_count))
        return;
    if (!count_segments(stride_levels, seg_count, &size)) {
        armcii_error(ARMCI_ERR_COUNT, CALLER, "seg_count", "the number of segments exceeds INT_MAX",
                     "%d levels", stride_levels);
        return;
    }
    sinfo->base_ptr = base_ptr;
    sinfo->stride_levels = stride_levels;
    sinfo->size = size;
    memcpy(sinfo->seg_count, seg_count, ((size_t)stride_levels + 1) * sizeof seg_count[0]);
    if (stride_levels > 0)
        memcpy(sinfo->stride_arr, stride_arr, (size_t)stride_levels * sizeof stride_arr[0]);
}
ARMCII_ALIAS(armci_stride_info_init, parmci_stride_info_init);

void parmci_stride_info_destroy(stride_info_t *sinfo)
{
    if (check_iterator(CALLER, sinfo)) sinfo->pos = sinfo->size = 0;
}
ARMCII_ALIAS(armci_stride_info_destroy, parmci_stride_info_destroy);

int parmci_stride_info_size(stride_info_t *sinfo)
{
    return check_iterator(CALLER, sinfo) ? sinfo->size : 0;
}
ARMCII_ALIAS(armci_stride_info_size, parmci_stride_info_size);

int parmci_stride_info_count(stride_info_t *sinfo)
{
    return check_iterator(CALLER, sinfo) ? sinfo->size : 0;
}
ARMCII_ALIAS(armci_stride_info_count, parmci_stride_info_count);

int parmci_stride_info_pos(stride_info_t *sinfo)
{
    return check_iterator(CALLER, sinfo) ? sinfo->pos : 0;
}
ARMCII_ALIAS(armci_stride_info_pos, parmci_stride_info_pos);

void parmci_stride_info_next(stride_info_t *sinfo)
{
    if (!check_iterator(CALLER, sinfo) || sinfo->pos >= sinfo->size) return;
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
    for (int i = 0; i < sinfo->stride_levels; i++)
        sum += (ptrdiff_t)sinfo->itr[i] * sinfo->stride_arr[i];
    return sum;
}

void *parmci_stride_info_seg_ptr(stride_info_t *sinfo)
{
    return check_iterator(CALLER, sinfo) ? sinfo->base_ptr + offset(sinfo) : NULL;
}
ARMCII_ALIAS(armci_stride_info_seg_ptr, parmci_stride_info_seg_ptr);

int parmci_stride_info_seg_size(stride_info_t *sinfo)
{
    return check_iterator(CALLER, sinfo) ? sinfo->seg_count[0] : 0;
}
ARMCII_ALIAS(armci_stride_info_seg_size, parmci_stride_info_seg_size);

int parmci_stride_info_seg_off(stride_info_t *sinfo)
{
    return check_iterator(CALLER, sinfo) ? (int)offset(sinfo) : 0;
}
ARMCII_ALIAS(armci_stride_info_seg_off, parmci_stride_info_seg_off);

int parmci_stride_info_has_more(stride_info_t *sinfo)
{
    return check_iterator(CALLER, sinfo) && sinfo->pos < sinfo->size;
}
ARMCII_ALIAS(armci_stride_info_has_more, parmci_stride_info_has_more);
