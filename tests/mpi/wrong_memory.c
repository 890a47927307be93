/* wrong_memory.c - wrong calls that allocate, free, look at and copy memory. */
#include <limits.h>

#include "wrong_calls.h"

static int allocation(struct row *row)
{
    void *base[MOST_RANKS];
    WRONG(ARMCI_Malloc, null, ADDRESS, "base_ptrs", "NULL", ARMCI_Malloc(NULL, 8));
    WRONG(ARMCI_Malloc, negative, COUNT, "bytes", "-8", ARMCI_Malloc(base, -8));
    WRONG(ARMCI_Malloc, smallest, COUNT, "bytes", "-9223372036854775808",
          ARMCI_Malloc(base, LONG_MIN));
    WRONG(ARMCI_Malloc, largest, MEMORY, "bytes", "9223372036854775807",
          ARMCI_Malloc(base, LONG_MAX));
    /* 4 of them are 0, in 64 bits. */
    WRONG(ARMCI_Malloc, quarter, MEMORY, "bytes", "4611686018427387904",
          ARMCI_Malloc(base, 1L << 62));
    WRONG(ARMCI_Malloc_group, null, ADDRESS, "base_ptrs", "NULL",
          ARMCI_Malloc_group(NULL, 8, &stage.world));
    WRONG(ARMCI_Malloc_group, negative, COUNT, "bytes", "-1",
          ARMCI_Malloc_group(base, -1, &stage.world));
    WRONG(ARMCI_Malloc_group, smallest, COUNT, "bytes", "-9223372036854775808",
          ARMCI_Malloc_group(base, LONG_MIN, &stage.self));
    WRONG(ARMCI_Malloc_group, largest, MEMORY, "bytes", "9223372036854775807",
          ARMCI_Malloc_group(base, LONG_MAX, &stage.self));
    WRONG(ARMCI_Malloc_memdev, null, ADDRESS, "base_ptrs", "NULL",
          ARMCI_Malloc_memdev(NULL, 8, "node"));
    WRONG(ARMCI_Malloc_memdev, negative, COUNT, "bytes", "-8", ARMCI_Malloc_memdev(base, -8, NULL));
    WRONG(ARMCI_Malloc_memdev, largest, MEMORY, "bytes", "9223372036854775807",
          ARMCI_Malloc_memdev(base, LONG_MAX, NULL));
    WRONG(ARMCI_Malloc_group_memdev, null, ADDRESS, "base_ptrs", "NULL",
          ARMCI_Malloc_group_memdev(NULL, 8, &stage.world, ""));
    WRONG(ARMCI_Malloc_group_memdev, negative, COUNT, "bytes", "-8",
          ARMCI_Malloc_group_memdev(base, -8, &stage.self, "node"));
    WRONG(ARMCI_Malloc_local, negative, COUNT, "bytes", "-1",
          gives_nothing(!ARMCI_Malloc_local(-1), "ARMCI_Malloc_local"));
    WRONG(ARMCI_Malloc_local, smallest, COUNT, "bytes", "-9223372036854775808",
          gives_nothing(!ARMCI_Malloc_local(LONG_MIN), "ARMCI_Malloc_local"));
    OFF(ARMCI_Malloc, ARMCI_Malloc(base, 8));
    OFF(ARMCI_Malloc_group, ARMCI_Malloc_group(base, 8, &stage.none));
    OFF(ARMCI_Malloc_memdev, ARMCI_Malloc_memdev(base, 8, NULL));
    OFF(ARMCI_Malloc_group_memdev, ARMCI_Malloc_group_memdev(base, 8, &stage.none, "node"));
    OFF(ARMCI_Malloc_local, gives_nothing(!ARMCI_Malloc_local(8), "ARMCI_Malloc_local"));
    return 0;
}

/* The neighbour's address, unless the caller's own memory is there too: then one inside the
 * caller's. */
static char *of_neighbour(void)
{
    char *theirs = stage.base[stage.p], *own[2] = {stage.mine, stage.beside[stage.me]};
    for (int i = 0; i < 2; i++)
        if (theirs >= own[i] && theirs < own[i] + SLICE) return stage.mine + 64;
    return theirs;
}

static int twice(int (*release)(void *))
{
    void **base = region_create(SLICE), *mine = base[stage.me];
    region_free(base);
    return release(mine);
}
/* Every other process passes the base of another region than the rest, its own of both. One
 * process alone cannot differ. */
static int differently(int (*release)(void *))
{
    if (stage.n == 1) return release(stage.mine + 8);
    return release(stage.me % 2 ? stage.beside[stage.me] : stage.mine);
}
/* Process 0 holds no slice of one region, all others pass those of another. */
static int empty_or_other(void)
{
    void *base[MOST_RANKS];
    int code;
    check_long(ARMCI_Malloc(base, stage.me == 0 ? 0 : 64), 0, "ARMCI_Malloc");
    code = stage.n < 3 ? ARMCI_Free(stage.mine + 8)
                       : ARMCI_Free(stage.me == 1   ? base[1]
                                    : stage.me == 0 ? NULL
                                                    : stage.mine);
    check_long(ARMCI_Free(base[stage.me]), 0, "ARMCI_Free of the right ones");
    return code;
}

static int free_world_group(void *ptr)
{
    return ARMCI_Free_group(ptr, &stage.world);
}

/* Of a group, by the world. */
static int free_group_larger(void)
{
    void *base[1];
    int code;
    check_long(ARMCI_Malloc_group(base, 64, &stage.self), 0, "ARMCI_Malloc_group");
    code = free_world_group(base[0]);
    check_long(ARMCI_Free_group(base[0], &stage.self), 0, "ARMCI_Free_group of the right group");
    return code;
}

static int deallocation(struct row *row)
{
    WRONG(ARMCI_Free, local, ADDRESS, "ptr", "0x", ARMCI_Free(stage.nowhere));
    WRONG(ARMCI_Free, inside, ADDRESS, "ptr", "0x", ARMCI_Free(stage.mine + 8));
    WRONG(ARMCI_Free, before, ADDRESS, "ptr", "0x", ARMCI_Free(stage.mine - 8));
    WRONG(ARMCI_Free, after, ADDRESS, "ptr", "0x", ARMCI_Free(stage.mine + SLICE));
    WRONG(ARMCI_Free, neighbour, ADDRESS, "ptr", "0x", ARMCI_Free(of_neighbour()));
    WRONG(ARMCI_Free, twice, ADDRESS, "ptr", "0x", twice(ARMCI_Free));
    WRONG(ARMCI_Free, differently, ADDRESS, "ptr", "0x", differently(ARMCI_Free));
    WRONG(ARMCI_Free, empty_or_other, ADDRESS, "ptr", "", empty_or_other());
    WRONG(ARMCI_Free_group, differently, ADDRESS, "ptr", "0x", differently(free_world_group));
    WRONG(ARMCI_Free_group, other, GROUP, "group", "0x", ARMCI_Free_group(stage.mine, &stage.self));
    WRONG(ARMCI_Free_group, larger, GROUP, "group", "0x", free_group_larger());
    WRONG(ARMCI_Free_group, local, ADDRESS, "ptr", "0x", free_world_group(stage.nowhere));
    WRONG(ARMCI_Free_group, inside, ADDRESS, "ptr", "0x", free_world_group(stage.mine + 64));
    WRONG(ARMCI_Free_group, neighbour, ADDRESS, "ptr", "0x", free_world_group(of_neighbour()));
    WRONG(ARMCI_Free_group, local_of_self, ADDRESS, "ptr", "0x",
          ARMCI_Free_group(stage.nowhere, &stage.self));
    WRONG(ARMCI_Free_group, twice, ADDRESS, "ptr", "0x", twice(free_world_group));
    WRONG(ARMCI_Free_memdev, local, ADDRESS, "ptr", "0x", ARMCI_Free_memdev(stage.nowhere));
    WRONG(ARMCI_Free_memdev, inside, ADDRESS, "ptr", "0x", ARMCI_Free_memdev(stage.mine + 256));
    WRONG(ARMCI_Free_memdev, twice, ADDRESS, "ptr", "0x", twice(ARMCI_Free_memdev));
    WRONG(ARMCI_Free_memdev, differently, ADDRESS, "ptr", "0x", differently(ARMCI_Free_memdev));
    OFF(ARMCI_Free, ARMCI_Free(stage.nowhere));
    OFF(ARMCI_Free_group, free_world_group(stage.nowhere));
    OFF(ARMCI_Free_memdev, ARMCI_Free_memdev(stage.nowhere));
    NEVER_WRONG(ARMCI_Free_local);
    return 0;
}

enum { MEMGET = 64 };

static int memget(size_t bytes, int flag)
{
    armci_meminfo_t info, before;
    memset(&info, 0x5a, sizeof info);
    before = info;
    ARMCI_Memget(bytes, &info, flag);
    check_bytes(&info, &before, sizeof info, "the description after ARMCI_Memget(%zu, ..., %d)",
                bytes, flag);
    return NO_CODE;
}

/* An invalid description of memory of process cpid. */
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
    return NO_CODE;
}

/* Memory of process p that cannot be. */
static int memat_of(const void *base, long bytes)
{
    armci_meminfo_t *info = description(stage.p);
    info->idlist[0] = (long)(intptr_t)base;
    info->idlist[1] = bytes;
    return memat(info);
}

/* Memory that is: of the caller, or of p. */
static armci_meminfo_t *memory_of(int process)
{
    enum { TAG = 7 };
    static armci_meminfo_t mine, theirs;
    if (mine.addr == NULL) {
        ARMCI_Memget(MEMGET, &mine, 0);
        MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, (stage.me + stage.n - 1) % stage.n, TAG, &theirs,
                     sizeof theirs, MPI_BYTE, stage.p, TAG, test_comm(), MPI_STATUS_IGNORE);
    }
    return process == stage.me ? &mine : &theirs;
}

static int memat_sized(int process, long bytes)
{
    armci_meminfo_t changed = *memory_of(process);
    changed.idlist[1] = bytes;
    return memat(&changed);
}

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
    check((char *)there == theirs->armci_addr + MEMGET - sizeof value,
          "ARMCI_Memat of the neighbour's last long: %p", (void *)there);
    check(ARMCI_Memat(theirs, MEMGET) == theirs->armci_addr + MEMGET, "ARMCI_Memat of the end");
    check_long(ARMCI_Put(&value, there, sizeof value, stage.p), 0,
               "ARMCI_Put to memory of ARMCI_Memget");
    check_long(ARMCI_Get(there, &seen, sizeof seen, stage.p), 0,
               "ARMCI_Get from memory of ARMCI_Memget");
    check_long(seen, value, "what was put to memory of ARMCI_Memget");
    ARMCI_Barrier();
    ARMCI_Memctl(memory_of(stage.me));
}

static int memory_of_one_process(struct row *row)
{
    WRONG(ARMCI_Memget, zero, COUNT, "bytes", "0", memget(0, 0));
    WRONG(ARMCI_Memget, negative, COUNT, "bytes", "18446744073709551608", memget((size_t)-8, 0));
    WRONG(ARMCI_Memget, largest, MEMORY, "bytes", "9223372036854775807", memget(PTRDIFF_MAX, 0));
    WRONG(ARMCI_Memget, flag, ARGUMENT, "memflg", "1", memget(8, 1));
    WRONG(ARMCI_Memget, flag_negative, ARGUMENT, "memflg", "-1", memget(8, -1));
    WRONG(ARMCI_Memget, null, ADDRESS, "meminfo", "NULL", SILENT(ARMCI_Memget(8, NULL, 0)));
    WRONG(ARMCI_Memat, null, ADDRESS, "meminfo", "NULL", memat(NULL));
    WRONG(ARMCI_Memat, nothing, ADDRESS, "meminfo", "", memat(description(stage.p)));
    WRONG(ARMCI_Memat, empty, ADDRESS, "meminfo", "0x", memat_of(stage.nowhere, 0));
    WRONG(ARMCI_Memat, negative, ADDRESS, "meminfo", "0x", memat_of(stage.nowhere, -8));
    WRONG(ARMCI_Memat, largest, ADDRESS, "meminfo", "0x", memat_of(stage.nowhere, LONG_MAX));
    WRONG(ARMCI_Memat, high, ADDRESS, "meminfo", "0x", memat_of((void *)-64, 8));
    /* A region is no such memory. */
    WRONG(ARMCI_Memat, region, ADDRESS, "meminfo", "0x", memat_of(stage.there + 8, 8));
    WRONG(ARMCI_Memat, rank, RANK, "meminfo->cpid", "n", memat(description(stage.n)));
    WRONG(ARMCI_Memat, rank_negative, RANK, "meminfo->cpid", "-1", memat(description(-1)));
    WRONG(ARMCI_Memdt, null, ADDRESS, "meminfo", "NULL", SILENT(ARMCI_Memdt(NULL, 0)));
    WRONG(ARMCI_Memctl, null, ADDRESS, "meminfo", "NULL", SILENT(ARMCI_Memctl(NULL)));
    WRONG(ARMCI_Memctl, nothing, ADDRESS, "meminfo", "",
          SILENT(ARMCI_Memctl(description(stage.me))));
    WRONG(ARMCI_Memctl, rank, ADDRESS, "meminfo", "", SILENT(ARMCI_Memctl(description(INT_MIN))));
    OFF(ARMCI_Memget, memget(8, 0));
    OFF(ARMCI_Memat, memat(description(stage.p)));
    OFF(ARMCI_Memdt, SILENT(ARMCI_Memdt(NULL, 0)));
    OFF(ARMCI_Memctl, SILENT(ARMCI_Memctl(description(stage.me))));
    return 0;
}

#define WRONG_MEMAT(NAME, CODE, ARGUMENT, VALUE, CALL)                                             \
    WRONG_AT(BESIDE_MEMGET, ARMCI_Memat, NAME, CODE, ARGUMENT, VALUE, CALL)
#define MEMAT_AT(PROCESS, OFFSET)                                                                  \
    gives_nothing(!ARMCI_Memat(memory_of(PROCESS), OFFSET), "ARMCI_Memat")

static int descriptions(struct row *row)
{
    WRONG_MEMAT(before, RANGE, "offset", "-1 (of 64 bytes)", MEMAT_AT(stage.me, -1));
    WRONG_MEMAT(after, RANGE, "offset", "65 (of 64 bytes)", MEMAT_AT(stage.me, MEMGET + 1));
    WRONG_MEMAT(neighbour_after, RANGE, "offset", "65 (of 64 bytes)",
                MEMAT_AT(stage.p, MEMGET + 1));
    WRONG_MEMAT(smallest_offset, RANGE, "offset", "-9223372036854775808",
                MEMAT_AT(stage.p, LONG_MIN));
    WRONG_MEMAT(largest_offset, RANGE, "offset", "9223372036854775807",
                MEMAT_AT(stage.p, LONG_MAX));
    WRONG_MEMAT(no_size, ADDRESS, "meminfo", "0x", memat_sized(stage.p, 0));
    WRONG_MEMAT(negative_size, ADDRESS, "meminfo", "0x", memat_sized(stage.p, -MEMGET));
    WRONG_MEMAT(largest_size, ADDRESS, "meminfo", "0x", memat_sized(stage.p, LONG_MAX));
    WRONG_MEMAT(larger, ADDRESS, "meminfo", "0x", memat_sized(stage.me, MEMGET + 1));
    WRONG_MEMAT(larger_neighbour, ADDRESS, "meminfo", "0x", memat_larger_neighbour());
    return 0;
}

static int access_and_modes(struct row *row)
{
    WRONG(ARMCI_Access_begin, null, ADDRESS, "ptr", "NULL", SILENT(ARMCI_Access_begin(NULL)));
    WRONG(ARMCI_Access_begin, local, ADDRESS, "ptr", "0x",
          SILENT(ARMCI_Access_begin(stage.nowhere)));
    WRONG(ARMCI_Access_begin, before, ADDRESS, "ptr", "0x",
          SILENT(ARMCI_Access_begin(stage.mine - 1)));
    WRONG(ARMCI_Access_begin, after, ADDRESS, "ptr", "0x",
          SILENT(ARMCI_Access_begin(stage.mine + SLICE)));
    WRONG(ARMCI_Access_end, null, ADDRESS, "ptr", "NULL", SILENT(ARMCI_Access_end(NULL)));
    WRONG(ARMCI_Access_end, local, ADDRESS, "ptr", "0x", SILENT(ARMCI_Access_end(stage.nowhere)));
    WRONG(ARMCI_Access_end, before, ADDRESS, "ptr", "0x", SILENT(ARMCI_Access_end(stage.mine - 1)));
    WRONG(ARMCI_Access_end, after, ADDRESS, "ptr", "0x",
          SILENT(ARMCI_Access_end(stage.mine + SLICE)));
    WRONG(ARMCIX_Mode_set, zero, ARGUMENT, "mode", "0",
          ARMCIX_Mode_set(0, stage.mine, &stage.world));
    WRONG(ARMCIX_Mode_set, unknown, ARGUMENT, "mode", "0x21",
          ARMCIX_Mode_set(0x20 | ARMCIX_MODE_ALL, stage.mine, &stage.world));
    WRONG(ARMCIX_Mode_set, negative, ARGUMENT, "mode", "0xffffffff",
          ARMCIX_Mode_set(-1, stage.mine, &stage.world));
    WRONG(ARMCIX_Mode_set, smallest, ARGUMENT, "mode", "0x80000000",
          ARMCIX_Mode_set(INT_MIN, stage.mine, &stage.world));
    WRONG(ARMCIX_Mode_set, largest, ARGUMENT, "mode", "0x7fffffff",
          ARMCIX_Mode_set(INT_MAX, stage.mine, &stage.world));
    WRONG(ARMCIX_Mode_set, null, ADDRESS, "ptr", "NULL",
          ARMCIX_Mode_set(ARMCIX_MODE_ALL, NULL, &stage.world));
    WRONG(ARMCIX_Mode_set, local, ADDRESS, "ptr", "0x",
          ARMCIX_Mode_set(ARMCIX_MODE_ALL, stage.nowhere, &stage.world));
    WRONG(ARMCIX_Mode_set, after, ADDRESS, "ptr", "0x",
          ARMCIX_Mode_set(ARMCIX_MODE_ALL, stage.mine + SLICE, &stage.world));
    WRONG(ARMCIX_Mode_set, other_group, GROUP, "group", "",
          ARMCIX_Mode_set(ARMCIX_MODE_ALL, stage.mine, &stage.self));
    WRONG(ARMCIX_Mode_get, null, ADDRESS, "ptr", "NULL",
          gives_nothing(ARMCIX_Mode_get(NULL) < 0, "ARMCIX_Mode_get"));
    WRONG(ARMCIX_Mode_get, local, ADDRESS, "ptr", "0x",
          gives_nothing(ARMCIX_Mode_get(stage.nowhere) < 0, "ARMCIX_Mode_get"));
    WRONG(ARMCIX_Mode_get, before, ADDRESS, "ptr", "0x",
          gives_nothing(ARMCIX_Mode_get(stage.mine - 8) < 0, "ARMCIX_Mode_get"));
    OFF(ARMCI_Access_begin, SILENT(ARMCI_Access_begin(stage.nowhere)));
    OFF(ARMCI_Access_end, SILENT(ARMCI_Access_end(stage.nowhere)));
    OFF(ARMCIX_Mode_set, ARMCIX_Mode_set(ARMCIX_MODE_ALL, stage.nowhere, &stage.world));
    OFF(ARMCIX_Mode_get, gives_nothing(ARMCIX_Mode_get(stage.nowhere) < 0, "ARMCIX_Mode_get"));
    return 0;
}

/* Pack and unpack a patch; one argument is replaced. */
struct packing {
    void *ptr;
    int levels, stride_of[17], count_of[18];
    int *stride, *count;
    char *buf;
};

static void *right_packing(int is)
{
    static struct packing p;
    (void)is;
    p = (struct packing){stage.here, 1, {16}, {8, 2}, p.stride_of, p.count_of, stage.here + 512};
    return &p;
}

static void set_counts(struct packing *p, int levels, int count, int stride)
{
    p->levels = levels;
    for (int i = 0; i < levels; i++) {
        p->count_of[i + 1] = count;
        p->stride_of[i] = stride;
    }
}

static int packing_mistakes(struct row *row, void *arguments)
{
    struct packing *p = arguments;
    MISTAKE(levels_negative, 0, 0, COUNT, "stride_levels", "-1", p->levels = -1);
    MISTAKE(levels_many, 0, 0, COUNT, "stride_levels", "17", p->levels = 17);
    MISTAKE(levels_smallest, 0, 0, COUNT, "stride_levels", "-2147483648", p->levels = INT_MIN);
    MISTAKE(stride_null, 0, 0, ADDRESS, "stride_arr", "NULL", p->stride = NULL);
    MISTAKE(count_null, 0, 0, ADDRESS, "count", "NULL", p->count = NULL);
    MISTAKE(count_negative, 0, 0, COUNT, "count", "count[1] = -2", p->count_of[1] = -2);
    MISTAKE(row_negative, 0, 0, COUNT, "count", "count[0] = -2147483648", p->count_of[0] = INT_MIN);
    MISTAKE(total_overflows, 0, 0, COUNT, "count", "3 levels", set_counts(p, 3, INT_MAX, 8));
    MISTAKE(stride_smallest, 0, 0, COUNT, "count", "1 levels", set_counts(p, 1, INT_MAX, INT_MIN));
    MISTAKE(ptr_null, 0, 0, ADDRESS, "ptr", "NULL", p->ptr = NULL);
    MISTAKE(buf_null, 0, 0, ADDRESS, "buf", "NULL", p->buf = NULL);
    return 0;
}

static int packing(struct row *row, void *arguments)
{
    struct packing *p = arguments;
    FUNCTION(armci_read_strided, 0,
             SILENT(armci_read_strided(p->ptr, p->levels, p->stride, p->count, p->buf)));
    FUNCTION(armci_write_strided, 0,
             SILENT(armci_write_strided(p->ptr, p->levels, p->stride, p->count, p->buf)));
    return 0;
}

static int walk(int levels, const int *strides, const int *counts)
{
    stride_info_t s;
    memset(&s, 0x5a, sizeof s);
    armci_stride_info_init(&s, stage.here, levels, strides, counts);
    return gives_nothing(!armci_stride_info_has_more(&s), "armci_stride_info_has_more");
}

static int copies_and_walks(struct row *row)
{
    static const int strides[ARMCI_MAX_STRIDE_LEVEL + 1] = {16, 64},
                                                      ones[ARMCI_MAX_STRIDE_LEVEL + 2] = {
                                                          8, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int two[] = {8, 2}, negative[] = {8, 2, -2}, many[] = {8, INT_MAX, 2};
    const int most = ARMCI_MAX_STRIDE_LEVEL;
    WRONG(ARMCI_Copy, negative, COUNT, "n", "-1",
          SILENT(ARMCI_Copy(stage.here, stage.here + 64, -1)));
    WRONG(ARMCI_Copy, smallest, COUNT, "n", "-2147483648",
          SILENT(ARMCI_Copy(stage.here, stage.here + 64, INT_MIN)));
    WRONG(ARMCI_Copy, from_null, ADDRESS, "src", "NULL", SILENT(ARMCI_Copy(NULL, stage.here, 8)));
    WRONG(ARMCI_Copy, to_null, ADDRESS, "dst", "NULL", SILENT(ARMCI_Copy(stage.here, NULL, 8)));
    WRONG(armci_stride_info_init, null, ADDRESS, "sinfo", "NULL",
          SILENT(armci_stride_info_init(NULL, stage.here, 0, NULL, ones)));
    WRONG(armci_stride_info_init, levels_negative, COUNT, "stride_levels", "-1",
          walk(-1, strides, ones));
    WRONG(armci_stride_info_init, levels_many, COUNT, "stride_levels", "9",
          walk(most + 1, strides, ones));
    WRONG(armci_stride_info_init, levels_largest, COUNT, "stride_levels", "2147483647",
          walk(INT_MAX, strides, ones));
    WRONG(armci_stride_info_init, count_negative, COUNT, "seg_count", "seg_count[2] = -2",
          walk(2, strides, negative));
    WRONG(armci_stride_info_init, overflow, COUNT, "seg_count", "2 levels", walk(2, strides, many));
    WRONG(armci_stride_info_init, strides_null, ADDRESS, "stride_arr", "NULL", walk(1, NULL, two));
    WRONG(armci_stride_info_init, counts_null, ADDRESS, "seg_count", "NULL", walk(0, NULL, NULL));
    WRONG(armci_stride_info_destroy, null, ADDRESS, "sinfo", "NULL",
          SILENT(armci_stride_info_destroy(NULL)));
    WRONG(armci_stride_info_next, null, ADDRESS, "sinfo", "NULL",
          SILENT(armci_stride_info_next(NULL)));
#define WRONG_WALK(FUNCTION)                                                                       \
    WRONG(FUNCTION, null, ADDRESS, "sinfo", "NULL", gives_nothing(!FUNCTION(NULL), #FUNCTION))
    WRONG_WALK(armci_stride_info_size);
    WRONG_WALK(armci_stride_info_count);
    WRONG_WALK(armci_stride_info_pos);
    WRONG_WALK(armci_stride_info_seg_ptr);
    WRONG_WALK(armci_stride_info_seg_size);
    WRONG_WALK(armci_stride_info_seg_off);
    WRONG_WALK(armci_stride_info_has_more);
    return 0;
}

void wrong_memory_collect(void)
{
    static const struct product pack = {packing, packing_mistakes, right_packing, NULL, ALWAYS};
    wrong_calls_add(allocation);
    wrong_calls_add(deallocation);
    wrong_calls_add(memory_of_one_process);
    wrong_calls_add(descriptions);
    wrong_calls_add(access_and_modes);
    wrong_calls_add(copies_and_walks);
    wrong_calls_add_product(&pack);
}
