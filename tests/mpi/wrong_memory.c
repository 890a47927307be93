/* wrong_memory.c - wrong calls that allocate, free, look at and copy memory. */
#include "wrong_calls.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ allocation */

static int malloc_null(void) { return ARMCI_Malloc(NULL, 8); }
static int malloc_of(long bytes)
{
    void *base[MOST_RANKS];

    return ARMCI_Malloc(base, bytes);
}
static int malloc_negative(void) { return malloc_of(-8); }
static int malloc_smallest(void) { return malloc_of(LONG_MIN); }
static int malloc_largest(void) { return malloc_of(LONG_MAX); }
/* 4 of them are 0, in 64 bits. */
static int malloc_quarter(void) { return malloc_of(1L << 62); }
static int malloc_group_null(void) { return ARMCI_Malloc_group(NULL, 8, &stage.world); }
static int malloc_group_of(long bytes, ARMCI_Group *group)
{
    void *base[MOST_RANKS];

    return ARMCI_Malloc_group(base, bytes, group);
}
static int malloc_group_negative(void) { return malloc_group_of(-1, &stage.world); }
static int malloc_self_negative(void) { return malloc_group_of(LONG_MIN, &stage.self); }
static int malloc_group_largest(void) { return malloc_group_of(LONG_MAX, &stage.self); }
static int malloc_memdev_null(void) { return ARMCI_Malloc_memdev(NULL, 8, "node"); }
static int malloc_memdev_of(long bytes)
{
    void *base[MOST_RANKS];

    return ARMCI_Malloc_memdev(base, bytes, NULL);
}
static int malloc_memdev_negative(void) { return malloc_memdev_of(-8); }
static int malloc_memdev_largest(void) { return malloc_memdev_of(LONG_MAX); }
static int malloc_group_memdev_null(void) { return ARMCI_Malloc_group_memdev(NULL, 8, &stage.world, ""); }
static int malloc_group_memdev_negative(void)
{
    void *base[MOST_RANKS];

    return ARMCI_Malloc_group_memdev(base, -8, &stage.self, "node");
}
static int malloc_local_of(long bytes)
{
    check(!ARMCI_Malloc_local(bytes), "ARMCI_Malloc_local(%ld) gives memory", bytes);
    return SAYS_NOTHING;
}
static int malloc_local_negative(void) { return malloc_local_of(-1); }
static int malloc_local_smallest(void) { return malloc_local_of(LONG_MIN); }

/* ------------------------------------------------------------------ free */

/* The neighbour's address, unless the caller's own memory is there too: then one inside the caller's. */
static char *of_neighbour(void)
{
    char *theirs = stage.base[stage.p], *own[2] = { stage.mine, stage.guard[stage.me] };

    for (int i = 0; i < 2; i++)
        if (theirs >= own[i] && theirs < own[i] + SLICE)
            return stage.mine + 64;
    return theirs;
}

/* Free a region, then again. */
static int twice(int (*release)(void *))
{
    void **base = region_create(SLICE), *mine = base[stage.me];

    region_free(base);
    return release(mine);
}
/* Every other process passes the base of another region than the rest, its own of both.  One process alone cannot differ. */
static int differently(int (*release)(void *))
{
    if (stage.n == 1)
        return release(stage.mine + 8);
    return release(stage.me % 2 ? stage.guard[stage.me] : stage.mine);
}
/* Process 0 holds no slice of one region, all others pass those of another. */
static int empty_or_other(void)
{
    void *base[MOST_RANKS];
    int code;

    check_long(ARMCI_Malloc(base, stage.me == 0 ? 0 : 64), 0, "ARMCI_Malloc");
    code = stage.n < 3 ? ARMCI_Free(stage.mine + 8) : ARMCI_Free(stage.me == 1 ? base[1] : stage.me == 0 ? NULL : stage.mine);
    check_long(ARMCI_Free(base[stage.me]), 0, "ARMCI_Free of the right ones");
    return code;
}
static int free_world_group(void *ptr) { return ARMCI_Free_group(ptr, &stage.world); }
static int free_self_group(void *ptr) { return ARMCI_Free_group(ptr, &stage.self); }

static int free_local(void) { return ARMCI_Free(stage.nowhere); }
static int free_inside(void) { return ARMCI_Free(stage.mine + 8); }
static int free_before(void) { return ARMCI_Free(stage.mine - 8); }
static int free_after(void) { return ARMCI_Free(stage.mine + SLICE); }
static int free_neighbour(void) { return ARMCI_Free(of_neighbour()); }
static int free_twice(void) { return twice(ARMCI_Free); }
static int free_differently(void) { return differently(ARMCI_Free); }
static int free_group_differently(void) { return differently(free_world_group); }
static int free_memdev_differently(void) { return differently(ARMCI_Free_memdev); }
static int free_group_other(void) { return free_self_group(stage.mine); }
/* Of a group, by the world. */
static int free_group_larger(void)
{
    void *base[1];
    int code;

    check_long(ARMCI_Malloc_group(base, 64, &stage.self), 0, "ARMCI_Malloc_group");
    code = free_world_group(base[0]);
    check_long(free_self_group(base[0]), 0, "ARMCI_Free_group of the right group");
    return code;
}
static int free_group_local(void) { return free_world_group(stage.nowhere); }
static int free_group_inside(void) { return free_world_group(stage.mine + 64); }
static int free_group_neighbour(void) { return free_world_group(of_neighbour()); }
static int free_group_self(void) { return free_self_group(stage.nowhere); }
static int free_group_twice(void) { return twice(free_world_group); }
static int free_memdev_local(void) { return ARMCI_Free_memdev(stage.nowhere); }
static int free_memdev_inside(void) { return ARMCI_Free_memdev(stage.mine + 256); }
static int free_memdev_twice(void) { return twice(ARMCI_Free_memdev); }

/* ------------------------------------------------------------------ of one process alone */

enum { MEMGET = 64 };

static int memget(size_t bytes, int flag)
{
    armci_meminfo_t info, before;

    memset(&info, 0x5a, sizeof info);
    before = info;
    ARMCI_Memget(bytes, &info, flag);
    check_bytes(&info, &before, sizeof info, "the description after ARMCI_Memget(%zu, ..., %d)", bytes, flag);
    return SAYS_NOTHING;
}
static int memget_zero(void) { return memget(0, 0); }
static int memget_negative(void) { return memget((size_t)-8, 0); }
static int memget_largest(void) { return memget(PTRDIFF_MAX, 0); }
static int memget_flag(void) { return memget(8, 1); }
static int memget_flag_negative(void) { return memget(8, -1); }
static int memget_null(void) { ARMCI_Memget(8, NULL, 0); return SAYS_NOTHING; }

/* A description that is none: of process cpid. */
static armci_meminfo_t *description(int cpid)
{
    static armci_meminfo_t info;

    memset(&info, 0, sizeof info);
    info.cpid = cpid;
    return &info;
}
static int memat(armci_meminfo_t *info)
{
    check(!ARMCI_Memat(info, 0), "ARMCI_Memat gives an address");
    return SAYS_NOTHING;
}
static int memat_null(void) { return memat(NULL); }
static int memat_nothing(void) { return memat(description(stage.p)); }
/* Memory of process p that cannot be. */
static int memat_of(const void *base, long bytes)
{
    armci_meminfo_t *info = description(stage.p);

    info->idlist[0] = (long)(intptr_t)base;
    info->idlist[1] = bytes;
    return memat(info);
}
static int memat_empty(void) { return memat_of(stage.nowhere, 0); }
static int memat_negative(void) { return memat_of(stage.nowhere, -8); }
static int memat_largest(void) { return memat_of(stage.nowhere, LONG_MAX); }
static int memat_high(void) { return memat_of((void *)-64, 8); }
/* A region is no such memory. */
static int memat_region(void) { return memat_of(stage.there + 8, 8); }

/* Memory that is: of the caller, or of p. */
static armci_meminfo_t *memory_of(int process)
{
    enum { TAG = 7 };
    static armci_meminfo_t mine, theirs;

    if (mine.addr == NULL) {
        ARMCI_Memget(MEMGET, &mine, 0);
        MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, (stage.me + stage.n - 1) % stage.n, TAG, &theirs, sizeof theirs, MPI_BYTE, stage.p,
                     TAG, test_comm(), MPI_STATUS_IGNORE);
    }
    return process == stage.me ? &mine : &theirs;
}
/* With an offset that leads out of it. */
static int memat_at(int process, long offset)
{
    check(!ARMCI_Memat(memory_of(process), offset), "ARMCI_Memat gives an address at offset %ld", offset);
    return SAYS_NOTHING;
}
static int memat_before(void) { return memat_at(stage.me, -1); }
static int memat_after(void) { return memat_at(stage.me, MEMGET + 1); }
static int memat_smallest_offset(void) { return memat_at(stage.p, LONG_MIN); }
static int memat_largest_offset(void) { return memat_at(stage.p, LONG_MAX); }
static int memat_neighbour_after(void) { return memat_at(stage.p, MEMGET + 1); }
/* With another size. */
static int memat_sized(int process, long bytes)
{
    armci_meminfo_t changed = *memory_of(process);

    changed.idlist[1] = bytes;
    return memat(&changed);
}
static int memat_no_size(void) { return memat_sized(stage.p, 0); }
static int memat_negative_size(void) { return memat_sized(stage.p, -MEMGET); }
static int memat_largest_size(void) { return memat_sized(stage.p, LONG_MAX); }
static int memat_larger(void) { return memat_sized(stage.me, MEMGET + 1); }
/* Where no memory is shared, another process's size must be believed. */
static int memat_larger_neighbour(void)
{
    bool shared = ARMCIX_Local_address(memory_of(stage.p)->armci_addr, stage.p) != NULL;

    return memat_sized(stage.p, shared ? 1L << 40 : -1);
}

void wrong_calls_check_memget(void)
{
    armci_meminfo_t *theirs = memory_of(stage.p);
    long value = 70 + stage.me, *there = ARMCI_Memat(theirs, MEMGET - (long)sizeof value), seen = 0;

    check((char *)there == theirs->armci_addr + MEMGET - sizeof value, "ARMCI_Memat of the neighbour's last long: %p", (void *)there);
    check(ARMCI_Memat(theirs, MEMGET) == theirs->armci_addr + MEMGET, "ARMCI_Memat of the end");
    check_long(ARMCI_Put(&value, there, sizeof value, stage.p), 0, "ARMCI_Put to memory of ARMCI_Memget");
    check_long(ARMCI_Get(there, &seen, sizeof seen, stage.p), 0, "ARMCI_Get from memory of ARMCI_Memget");
    check_long(seen, value, "what was put to memory of ARMCI_Memget");
    ARMCI_Barrier();
    ARMCI_Memctl(memory_of(stage.me));
}

static int memat_rank(void) { return memat(description(stage.n)); }
static int memat_rank_negative(void) { return memat(description(-1)); }
static int memdt_null(void) { ARMCI_Memdt(NULL, 0); return SAYS_NOTHING; }
static int memctl(armci_meminfo_t *info) { ARMCI_Memctl(info); return SAYS_NOTHING; }
static int memctl_null(void) { return memctl(NULL); }
static int memctl_nothing(void) { return memctl(description(stage.me)); }
static int memctl_rank(void) { return memctl(description(INT_MIN)); }

/* ------------------------------------------------------------------ access */

static int access_begin(void *ptr) { ARMCI_Access_begin(ptr); return SAYS_NOTHING; }
static int access_end(void *ptr) { ARMCI_Access_end(ptr); return SAYS_NOTHING; }
static int begin_null(void) { return access_begin(NULL); }
static int begin_local(void) { return access_begin(stage.nowhere); }
static int begin_before(void) { return access_begin(stage.mine - 1); }
static int begin_after(void) { return access_begin(stage.mine + SLICE); }
static int end_null(void) { return access_end(NULL); }
static int end_local(void) { return access_end(stage.nowhere); }
static int end_before(void) { return access_end(stage.mine - 1); }
static int end_after(void) { return access_end(stage.mine + SLICE); }

static int mode_set(int mode) { return ARMCIX_Mode_set(mode, stage.mine, &stage.world); }
static int mode_of(void *ptr) { return ARMCIX_Mode_set(ARMCIX_MODE_ALL, ptr, &stage.world); }
static int mode_zero(void) { return mode_set(0); }
static int mode_unknown(void) { return mode_set(0x20 | ARMCIX_MODE_ALL); }
static int mode_negative(void) { return mode_set(-1); }
static int mode_smallest(void) { return mode_set(INT_MIN); }
static int mode_largest(void) { return mode_set(INT_MAX); }
static int mode_null(void) { return mode_of(NULL); }
static int mode_local(void) { return mode_of(stage.nowhere); }
static int mode_after(void) { return mode_of(stage.mine + SLICE); }
static int mode_other_group(void) { return ARMCIX_Mode_set(ARMCIX_MODE_ALL, stage.mine, &stage.self); }
static int mode_get(void *ptr)
{
    check(ARMCIX_Mode_get(ptr) < 0, "ARMCIX_Mode_get gives a mode");
    return SAYS_NOTHING;
}
static int mode_get_null(void) { return mode_get(NULL); }
static int mode_get_local(void) { return mode_get(stage.nowhere); }
static int mode_get_before(void) { return mode_get(stage.mine - 8); }

/* ------------------------------------------------------------------ copies */

static int copy(void *src, void *dst, int n) { ARMCI_Copy(src, dst, n); return SAYS_NOTHING; }
static int copy_negative(void) { return copy(stage.here, stage.here + 64, -1); }
static int copy_smallest(void) { return copy(stage.here, stage.here + 64, INT_MIN); }
static int copy_from_null(void) { return copy(NULL, stage.here, 8); }
static int copy_to_null(void) { return copy(stage.here, NULL, 8); }

/* Pack and unpack a patch; one argument is replaced. */
struct packing {
    void *ptr;
    int levels, stride_of[17], count_of[18];
    int *stride, *count;
    char *buf;
};
static void set_right(struct packing *p)
{
    *p = (struct packing){ stage.here, 1, { 16 }, { 8, 2 }, NULL, NULL, stage.here + 512 };
    p->stride = p->stride_of;
    p->count = p->count_of;
}
static void set_counts(struct packing *p, int levels, int count, int stride)
{
    p->levels = levels;
    for (int i = 0; i < levels; i++) {
        p->count_of[i + 1] = count;
        p->stride_of[i] = stride;
    }
}

struct packing_mistake {
    const char *name;
    int code;
    const char *argument, *value;
    void (*make)(struct packing *p);
};
static void pack_levels_negative(struct packing *p) { p->levels = -1; }
static void pack_levels_many(struct packing *p) { p->levels = 17; }
static void pack_levels_smallest(struct packing *p) { p->levels = INT_MIN; }
static void pack_stride_null(struct packing *p) { p->stride = NULL; }
static void pack_count_null(struct packing *p) { p->count = NULL; }
static void pack_count_negative(struct packing *p) { p->count_of[1] = -2; }
static void pack_row_negative(struct packing *p) { p->count_of[0] = INT_MIN; }
static void pack_overflow(struct packing *p) { set_counts(p, 3, INT_MAX, 8); }
static void pack_wraps(struct packing *p) { set_counts(p, 1, INT_MAX, INT_MIN); }
static void pack_ptr_null(struct packing *p) { p->ptr = NULL; }
static void pack_buf_null(struct packing *p) { p->buf = NULL; }

static const struct packing_mistake packing_mistakes[] = {
    { "levels_negative", ARMCI_ERR_COUNT, "stride_levels", "-1", pack_levels_negative },
    { "levels_many", ARMCI_ERR_COUNT, "stride_levels", "17", pack_levels_many },
    { "levels_smallest", ARMCI_ERR_COUNT, "stride_levels", "-2147483648", pack_levels_smallest },
    { "stride_null", ARMCI_ERR_ADDRESS, "stride_arr", "NULL", pack_stride_null },
    { "count_null", ARMCI_ERR_ADDRESS, "count", "NULL", pack_count_null },
    { "count_negative", ARMCI_ERR_COUNT, "count", "count[1] = -2", pack_count_negative },
    { "row_negative", ARMCI_ERR_COUNT, "count", "count[0] = -2147483648", pack_row_negative },
    { "total_overflows", ARMCI_ERR_COUNT, "count", "3 levels", pack_overflow },
    { "stride_smallest", ARMCI_ERR_COUNT, "count", "1 levels", pack_wraps },
    { "ptr_null", ARMCI_ERR_ADDRESS, "ptr", "NULL", pack_ptr_null },
    { "buf_null", ARMCI_ERR_ADDRESS, "buf", "NULL", pack_buf_null },
    { NULL, 0, NULL, NULL, NULL },
};

struct packing_form {
    const char *function;
    void (*call)(void *, int, int *, int *, char *);
};
static const struct packing_form packing_forms[] = {
    { "armci_read_strided", armci_read_strided },
    { "armci_write_strided", armci_write_strided },
};

static int make_packing(const void *form, const void *mistake)
{
    const struct packing_form *f = form;
    const struct packing_mistake *m = mistake;
    struct packing p;

    set_right(&p);
    m->make(&p);
    f->call(p.ptr, p.levels, p.stride, p.count, p.buf);
    return SAYS_NOTHING;
}

/* ------------------------------------------------------------------ walks */

static int walk_init(int levels, const int *strides, const int *counts)
{
    stride_info_t s;

    memset(&s, 0x5a, sizeof s);
    armci_stride_info_init(&s, stage.here, levels, strides, counts);
    check(!armci_stride_info_has_more(&s), "a walk that was not begun has more");
    return SAYS_NOTHING;
}
static const int walk_strides[ARMCI_MAX_STRIDE_LEVEL + 1] = { 16, 64 };
static int walk_counts(int first, int second)
{
    int counts[3] = { 8, first, second };

    return walk_init(2, walk_strides, counts);
}
static int init_levels(int levels)
{
    int counts[ARMCI_MAX_STRIDE_LEVEL + 2] = { 8, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

    return walk_init(levels, walk_strides, counts);
}
static int init_negative(void) { return init_levels(-1); }
static int init_many(void) { return init_levels(ARMCI_MAX_STRIDE_LEVEL + 1); }
static int init_largest(void) { return init_levels(INT_MAX); }
static int init_count_negative(void) { return walk_counts(2, -2); }
static int init_overflow(void) { return walk_counts(INT_MAX, 2); }
static int init_strides_null(void)
{
    int counts[2] = { 8, 2 };

    return walk_init(1, NULL, counts);
}
static int init_counts_null(void) { return walk_init(0, NULL, NULL); }
static int init_null(void)
{
    int count = 8;

    armci_stride_info_init(NULL, stage.here, 0, NULL, &count);
    return SAYS_NOTHING;
}
static int walk_destroy(void) { armci_stride_info_destroy(NULL); return SAYS_NOTHING; }
static int walk_next(void) { armci_stride_info_next(NULL); return SAYS_NOTHING; }
static int nothing_from(bool zero, const char *function)
{
    check(zero, "%s(NULL) is not 0", function);
    return SAYS_NOTHING;
}
static int walk_size(void) { return nothing_from(armci_stride_info_size(NULL) == 0, "armci_stride_info_size"); }
static int walk_pos(void) { return nothing_from(armci_stride_info_pos(NULL) == 0, "armci_stride_info_pos"); }
static int walk_ptr(void) { return nothing_from(!armci_stride_info_seg_ptr(NULL), "armci_stride_info_seg_ptr"); }
static int walk_bytes(void) { return nothing_from(!armci_stride_info_seg_size(NULL), "armci_stride_info_seg_size"); }
static int walk_off(void) { return nothing_from(!armci_stride_info_seg_off(NULL), "armci_stride_info_seg_off"); }
static int walk_more(void) { return nothing_from(!armci_stride_info_has_more(NULL), "armci_stride_info_has_more"); }

/* ------------------------------------------------------------------ the list */

static const struct single_call singles[] = {
    { "ARMCI_Malloc", "null", ARMCI_ERR_ADDRESS, "base_ptrs", "NULL", malloc_null },
    { "ARMCI_Malloc", "negative", ARMCI_ERR_COUNT, "bytes", "-8", malloc_negative },
    { "ARMCI_Malloc", "smallest", ARMCI_ERR_COUNT, "bytes", "-9223372036854775808", malloc_smallest },
    { "ARMCI_Malloc", "largest", ARMCI_ERR_MEMORY, "bytes", "9223372036854775807", malloc_largest },
    { "ARMCI_Malloc", "quarter", ARMCI_ERR_MEMORY, "bytes", "4611686018427387904", malloc_quarter },
    { "ARMCI_Malloc_group", "null", ARMCI_ERR_ADDRESS, "base_ptrs", "NULL", malloc_group_null },
    { "ARMCI_Malloc_group", "negative", ARMCI_ERR_COUNT, "bytes", "-1", malloc_group_negative },
    { "ARMCI_Malloc_group", "smallest", ARMCI_ERR_COUNT, "bytes", "-9223372036854775808", malloc_self_negative },
    { "ARMCI_Malloc_group", "largest", ARMCI_ERR_MEMORY, "bytes", "9223372036854775807", malloc_group_largest },
    { "ARMCI_Malloc_memdev", "null", ARMCI_ERR_ADDRESS, "base_ptrs", "NULL", malloc_memdev_null },
    { "ARMCI_Malloc_memdev", "negative", ARMCI_ERR_COUNT, "bytes", "-8", malloc_memdev_negative },
    { "ARMCI_Malloc_memdev", "largest", ARMCI_ERR_MEMORY, "bytes", "9223372036854775807", malloc_memdev_largest },
    { "ARMCI_Malloc_group_memdev", "null", ARMCI_ERR_ADDRESS, "base_ptrs", "NULL", malloc_group_memdev_null },
    { "ARMCI_Malloc_group_memdev", "negative", ARMCI_ERR_COUNT, "bytes", "-8", malloc_group_memdev_negative },
    { "ARMCI_Malloc_local", "negative", ARMCI_ERR_COUNT, "bytes", "-1", malloc_local_negative },
    { "ARMCI_Malloc_local", "smallest", ARMCI_ERR_COUNT, "bytes", "-9223372036854775808", malloc_local_smallest },
    { "ARMCI_Free", "local", ARMCI_ERR_ADDRESS, "ptr", "0x", free_local },
    { "ARMCI_Free", "inside", ARMCI_ERR_ADDRESS, "ptr", "0x", free_inside },
    { "ARMCI_Free", "before", ARMCI_ERR_ADDRESS, "ptr", "0x", free_before },
    { "ARMCI_Free", "after", ARMCI_ERR_ADDRESS, "ptr", "0x", free_after },
    { "ARMCI_Free", "neighbour", ARMCI_ERR_ADDRESS, "ptr", "0x", free_neighbour },
    { "ARMCI_Free", "twice", ARMCI_ERR_ADDRESS, "ptr", "0x", free_twice },
    { "ARMCI_Free", "differently", ARMCI_ERR_ADDRESS, "ptr", "0x", free_differently },
    { "ARMCI_Free", "empty_or_other", ARMCI_ERR_ADDRESS, "ptr", "", empty_or_other },
    { "ARMCI_Free_group", "differently", ARMCI_ERR_ADDRESS, "ptr", "0x", free_group_differently },
    { "ARMCI_Free_group", "other", ARMCI_ERR_GROUP, "group", "0x", free_group_other },
    { "ARMCI_Free_group", "larger", ARMCI_ERR_GROUP, "group", "0x", free_group_larger },
    { "ARMCI_Free_group", "local", ARMCI_ERR_ADDRESS, "ptr", "0x", free_group_local },
    { "ARMCI_Free_group", "inside", ARMCI_ERR_ADDRESS, "ptr", "0x", free_group_inside },
    { "ARMCI_Free_group", "neighbour", ARMCI_ERR_ADDRESS, "ptr", "0x", free_group_neighbour },
    { "ARMCI_Free_group", "local_of_self", ARMCI_ERR_ADDRESS, "ptr", "0x", free_group_self },
    { "ARMCI_Free_group", "twice", ARMCI_ERR_ADDRESS, "ptr", "0x", free_group_twice },
    { "ARMCI_Free_memdev", "local", ARMCI_ERR_ADDRESS, "ptr", "0x", free_memdev_local },
    { "ARMCI_Free_memdev", "inside", ARMCI_ERR_ADDRESS, "ptr", "0x", free_memdev_inside },
    { "ARMCI_Free_memdev", "twice", ARMCI_ERR_ADDRESS, "ptr", "0x", free_memdev_twice },
    { "ARMCI_Free_memdev", "differently", ARMCI_ERR_ADDRESS, "ptr", "0x", free_memdev_differently },
    { "ARMCI_Memget", "zero", ARMCI_ERR_COUNT, "bytes", "0", memget_zero },
    { "ARMCI_Memget", "negative", ARMCI_ERR_COUNT, "bytes", "18446744073709551608", memget_negative },
    { "ARMCI_Memget", "largest", ARMCI_ERR_MEMORY, "bytes", "9223372036854775807", memget_largest },
    { "ARMCI_Memget", "flag", ARMCI_ERR_ARGUMENT, "memflg", "1", memget_flag },
    { "ARMCI_Memget", "flag_negative", ARMCI_ERR_ARGUMENT, "memflg", "-1", memget_flag_negative },
    { "ARMCI_Memget", "null", ARMCI_ERR_ADDRESS, "meminfo", "NULL", memget_null },
    { "ARMCI_Memat", "null", ARMCI_ERR_ADDRESS, "meminfo", "NULL", memat_null },
    { "ARMCI_Memat", "nothing", ARMCI_ERR_ADDRESS, "meminfo", "", memat_nothing },
    { "ARMCI_Memat", "empty", ARMCI_ERR_ADDRESS, "meminfo", "0x", memat_empty },
    { "ARMCI_Memat", "negative", ARMCI_ERR_ADDRESS, "meminfo", "0x", memat_negative },
    { "ARMCI_Memat", "largest", ARMCI_ERR_ADDRESS, "meminfo", "0x", memat_largest },
    { "ARMCI_Memat", "high", ARMCI_ERR_ADDRESS, "meminfo", "0x", memat_high },
    { "ARMCI_Memat", "region", ARMCI_ERR_ADDRESS, "meminfo", "0x", memat_region },
    { "ARMCI_Memat", "rank", ARMCI_ERR_RANK, "meminfo->cpid", "n", memat_rank },
    { "ARMCI_Memat", "rank_negative", ARMCI_ERR_RANK, "meminfo->cpid", "-1", memat_rank_negative },
    { "ARMCI_Memdt", "null", ARMCI_ERR_ADDRESS, "meminfo", "NULL", memdt_null },
    { "ARMCI_Memctl", "null", ARMCI_ERR_ADDRESS, "meminfo", "NULL", memctl_null },
    { "ARMCI_Memctl", "nothing", ARMCI_ERR_ADDRESS, "meminfo", "", memctl_nothing },
    { "ARMCI_Memctl", "rank", ARMCI_ERR_ADDRESS, "meminfo", "", memctl_rank },
    { "ARMCI_Access_begin", "null", ARMCI_ERR_ADDRESS, "ptr", "NULL", begin_null },
    { "ARMCI_Access_begin", "local", ARMCI_ERR_ADDRESS, "ptr", "0x", begin_local },
    { "ARMCI_Access_begin", "before", ARMCI_ERR_ADDRESS, "ptr", "0x", begin_before },
    { "ARMCI_Access_begin", "after", ARMCI_ERR_ADDRESS, "ptr", "0x", begin_after },
    { "ARMCI_Access_end", "null", ARMCI_ERR_ADDRESS, "ptr", "NULL", end_null },
    { "ARMCI_Access_end", "local", ARMCI_ERR_ADDRESS, "ptr", "0x", end_local },
    { "ARMCI_Access_end", "before", ARMCI_ERR_ADDRESS, "ptr", "0x", end_before },
    { "ARMCI_Access_end", "after", ARMCI_ERR_ADDRESS, "ptr", "0x", end_after },
    { "ARMCIX_Mode_set", "zero", ARMCI_ERR_ARGUMENT, "mode", "0", mode_zero },
    { "ARMCIX_Mode_set", "unknown", ARMCI_ERR_ARGUMENT, "mode", "0x21", mode_unknown },
    { "ARMCIX_Mode_set", "negative", ARMCI_ERR_ARGUMENT, "mode", "0xffffffff", mode_negative },
    { "ARMCIX_Mode_set", "smallest", ARMCI_ERR_ARGUMENT, "mode", "0x80000000", mode_smallest },
    { "ARMCIX_Mode_set", "largest", ARMCI_ERR_ARGUMENT, "mode", "0x7fffffff", mode_largest },
    { "ARMCIX_Mode_set", "null", ARMCI_ERR_ADDRESS, "ptr", "NULL", mode_null },
    { "ARMCIX_Mode_set", "local", ARMCI_ERR_ADDRESS, "ptr", "0x", mode_local },
    { "ARMCIX_Mode_set", "after", ARMCI_ERR_ADDRESS, "ptr", "0x", mode_after },
    { "ARMCIX_Mode_set", "other_group", ARMCI_ERR_GROUP, "group", "", mode_other_group },
    { "ARMCIX_Mode_get", "null", ARMCI_ERR_ADDRESS, "ptr", "NULL", mode_get_null },
    { "ARMCIX_Mode_get", "local", ARMCI_ERR_ADDRESS, "ptr", "0x", mode_get_local },
    { "ARMCIX_Mode_get", "before", ARMCI_ERR_ADDRESS, "ptr", "0x", mode_get_before },
    { "ARMCI_Copy", "negative", ARMCI_ERR_COUNT, "n", "-1", copy_negative },
    { "ARMCI_Copy", "smallest", ARMCI_ERR_COUNT, "n", "-2147483648", copy_smallest },
    { "ARMCI_Copy", "from_null", ARMCI_ERR_ADDRESS, "src", "NULL", copy_from_null },
    { "ARMCI_Copy", "to_null", ARMCI_ERR_ADDRESS, "dst", "NULL", copy_to_null },
    { "armci_stride_info_init", "null", ARMCI_ERR_ADDRESS, "sinfo", "NULL", init_null },
    { "armci_stride_info_init", "levels_negative", ARMCI_ERR_COUNT, "stride_levels", "-1", init_negative },
    { "armci_stride_info_init", "levels_many", ARMCI_ERR_COUNT, "stride_levels", "9", init_many },
    { "armci_stride_info_init", "levels_largest", ARMCI_ERR_COUNT, "stride_levels", "2147483647", init_largest },
    { "armci_stride_info_init", "count_negative", ARMCI_ERR_COUNT, "seg_count", "seg_count[2] = -2",
      init_count_negative },
    { "armci_stride_info_init", "overflow", ARMCI_ERR_COUNT, "seg_count", "2 levels", init_overflow },
    { "armci_stride_info_init", "strides_null", ARMCI_ERR_ADDRESS, "stride_arr", "NULL", init_strides_null },
    { "armci_stride_info_init", "counts_null", ARMCI_ERR_ADDRESS, "seg_count", "NULL", init_counts_null },
    { "armci_stride_info_destroy", "null", ARMCI_ERR_ADDRESS, "sinfo", "NULL", walk_destroy },
    { "armci_stride_info_next", "null", ARMCI_ERR_ADDRESS, "sinfo", "NULL", walk_next },
    { "armci_stride_info_size", "null", ARMCI_ERR_ADDRESS, "sinfo", "NULL", walk_size },
    { "armci_stride_info_pos", "null", ARMCI_ERR_ADDRESS, "sinfo", "NULL", walk_pos },
    { "armci_stride_info_seg_ptr", "null", ARMCI_ERR_ADDRESS, "sinfo", "NULL", walk_ptr },
    { "armci_stride_info_seg_size", "null", ARMCI_ERR_ADDRESS, "sinfo", "NULL", walk_bytes },
    { "armci_stride_info_seg_off", "null", ARMCI_ERR_ADDRESS, "sinfo", "NULL", walk_off },
    { "armci_stride_info_has_more", "null", ARMCI_ERR_ADDRESS, "sinfo", "NULL", walk_more },
    { NULL, NULL, 0, NULL, NULL, NULL },
};

/* Not before the others: see BESIDE_MEMGET. */
static const struct single_call beside_memget[] = {
    { "ARMCI_Memat", "before", ARMCI_ERR_RANGE, "offset", "-1 (of 64 bytes)", memat_before },
    { "ARMCI_Memat", "after", ARMCI_ERR_RANGE, "offset", "65 (of 64 bytes)", memat_after },
    { "ARMCI_Memat", "neighbour_after", ARMCI_ERR_RANGE, "offset", "65 (of 64 bytes)", memat_neighbour_after },
    { "ARMCI_Memat", "smallest_offset", ARMCI_ERR_RANGE, "offset", "-9223372036854775808", memat_smallest_offset },
    { "ARMCI_Memat", "largest_offset", ARMCI_ERR_RANGE, "offset", "9223372036854775807", memat_largest_offset },
    { "ARMCI_Memat", "no_size", ARMCI_ERR_ADDRESS, "meminfo", "0x", memat_no_size },
    { "ARMCI_Memat", "negative_size", ARMCI_ERR_ADDRESS, "meminfo", "0x", memat_negative_size },
    { "ARMCI_Memat", "largest_size", ARMCI_ERR_ADDRESS, "meminfo", "0x", memat_largest_size },
    { "ARMCI_Memat", "larger", ARMCI_ERR_ADDRESS, "meminfo", "0x", memat_larger },
    { "ARMCI_Memat", "larger_neighbour", ARMCI_ERR_ADDRESS, "meminfo", "0x", memat_larger_neighbour },
    { NULL, NULL, 0, NULL, NULL, NULL },
};

static int malloc_off(void) { return malloc_of(8); }
static int malloc_group_off(void) { return malloc_group_of(8, &stage.none); }
static int malloc_memdev_off(void) { return malloc_memdev_of(8); }
static int malloc_local_off(void) { return malloc_local_of(8); }
static int malloc_group_memdev_off(void)
{
    void *base[MOST_RANKS];

    return ARMCI_Malloc_group_memdev(base, 8, &stage.none, "node");
}
static int memget_off(void) { return memget(8, 0); }

static const struct off_call off[] = {
    { "ARMCI_Malloc", malloc_off },
    { "ARMCI_Malloc_group", malloc_group_off },
    { "ARMCI_Malloc_memdev", malloc_memdev_off },
    { "ARMCI_Malloc_group_memdev", malloc_group_memdev_off },
    { "ARMCI_Malloc_local", malloc_local_off },
    { "ARMCI_Free", free_local },
    { "ARMCI_Free_group", free_group_local },
    { "ARMCI_Free_memdev", free_memdev_local },
    { "ARMCI_Memget", memget_off },
    { "ARMCI_Memat", memat_nothing },
    { "ARMCI_Memdt", memdt_null },
    { "ARMCI_Memctl", memctl_nothing },
    { "ARMCI_Access_begin", begin_local },
    { "ARMCI_Access_end", end_local },
    { "ARMCIX_Mode_set", mode_local },
    { "ARMCIX_Mode_get", mode_get_local },
    { NULL, NULL },
};

static const struct off_call never[] = {
    { "ARMCI_Free_local", NULL },
    { NULL, NULL },
};

void wrong_memory_collect(void)
{
    wrong_calls_add_singles(RUNNING, singles);
    wrong_calls_add_singles(BESIDE_MEMGET, beside_memget);
    for (size_t i = 0; i < sizeof packing_forms / sizeof packing_forms[0]; i++)
        for (const struct packing_mistake *m = packing_mistakes; m->name; m++) {
            struct wrong_call w = { .code = m->code, .function = packing_forms[i].function, .argument = m->argument,
                                    .value = m->value, .of_family = make_packing, .form = &packing_forms[i],
                                    .mistake = m };
            snprintf(w.name, sizeof w.name, "%s.%s", w.function, m->name);
            wrong_calls_add(w);
        }
    wrong_calls_add_off(ARMCI_OFF, "state", off);
    wrong_calls_add_off(NEVER, "state", never);
}
