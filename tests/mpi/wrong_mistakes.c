/* wrong_mistakes.c - the mistakes that functions share. */
#include "wrong_table.h"

static char *last_address(int bytes)
{
    return (char *)(UINTPTR_MAX - (uintptr_t)bytes + 1);
}

/* The remote side begins there; of a vector, its last segment. */
static void set_remote(char *address)
{
    a.remote = address;
    a.remotes[ENTRIES - 1] = address;
}

static void set_bytes(int bytes)
{
    a.counts[0] = a.bytes = a.iovs[0].bytes = bytes;
}

/* The wrong segment is not in the first entry. */
static void second_entry(char *address)
{
    a.entries = 2;
    a.iovs[0].ptr_array_len = 1;
    a.locals[1] = address;
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

static void *freed_base(void)
{
    void **base = region_create(SLICE), *mine = base[stage.me];
    region_free(base);
    return mine;
}

/* Every other process passes the base of another region than the rest, its own of both. One
 * process alone cannot differ. */
static void *different_bases(void)
{
    if (stage.n == 1) return stage.mine + 8;
    return stage.me % 2 ? stage.beside[stage.me] : stage.mine;
}

/* The caller twice; alone, a rank that is not there takes its place, since a group of 2 has too
 * many members. */
static void name_twice(void)
{
    a.n = stage.n > 1 ? 2 : 1;
    a.ranks[0] = stage.n > 1 ? stage.me : stage.n;
    a.ranks[1] = stage.me;
}

static int ranks(void)
{
    MISTAKE(_n, "rank", RANK, "@rank", "n", a.proc = stage.n);
    MISTAKE(_negative, "rank -minus_one", RANK, "@rank", "-1", a.proc = -1);
    MISTAKE(_largest, "rank", RANK, "@rank", "2147483647", a.proc = INT_MAX);
    MISTAKE(_smallest, "rank", RANK, "@rank", "-2147483648", a.proc = INT_MIN);
    return 0;
}

static int remote_sides(void)
{
    MISTAKE(remote_null, "remote", ADDRESS, "@remote", "", set_remote(NULL));
    MISTAKE(remote_local, "remote", ADDRESS, "@remote", "0x", set_remote(stage.nowhere));
    MISTAKE(remote_gone, "remote", ADDRESS, "@remote", "0x", set_remote(stage.gone));
    MISTAKE(remote_before, "remote", ADDRESS, "@remote", "0x", set_remote(stage.there - 8));
    MISTAKE(remote_after, "remote", ADDRESS, "@remote", "0x", set_remote(stage.there + SLICE + 4));
    MISTAKE(remote_wraps, "contiguous vector", RANGE, "@remote", "", set_remote(last_address(8)));
    MISTAKE(remote_wraps, "strided", COUNT, "@remote", "0x", set_remote(last_address(8)));
    MISTAKE(remote_wraps, "value", RANGE, "@remote", "", set_remote(last_address(2)));
    /* An aligned address, with 12 bytes to the end. */
    MISTAKE(leaves, "contiguous strided", RANGE, "@remote", "0x",
            set_remote(stage.there + SLICE - 12), a.counts[0] = a.bytes = 16);
    MISTAKE(leaves, "value", RANGE, "@remote", "0x", set_remote(stage.there + SLICE - 2));
    MISTAKE(leaves, "vector", RANGE, "@remote", "0x", set_remote(stage.there + SLICE - 4));
    MISTAKE(leaves_one_region, "vector", RANGE, "@remote", "0x",
            set_remote(stage.there + SLICE - 4), a.remotes[1] = stage.there + 64);
    MISTAKE(largest_leaves, "contiguous", RANGE, "@remote", "0x", a.bytes = INT_MAX - 15);
    MISTAKE(last_row_leaves, "strided", RANGE, "@remote", "0x", set_patch(1, SLICE / 16 + 1, 16));
    MISTAKE(goes_below, "strided", RANGE, "@remote", "0x", set_patch(1, 2, -16));
    /* The first row of the second plane fits. */
    MISTAKE(plane_leaves, "strided", RANGE, "@remote", "0x", set_patch(2, 2, 24),
            a.remote_strides[1] = SLICE - 20);
    MISTAKE(billion_segments, "strided", RANGE, "@remote", "0x", set_patch(2, 1 << 15, 16),
            a.remote_strides[1] = 24);
    MISTAKE(billion_segments_below, "strided", RANGE, "@remote", "0x", set_patch(2, 1 << 15, -16),
            a.remote_strides[1] = -24);
    /* In both directions. */
    MISTAKE(all_levels_leave, "strided", RANGE, "@remote", "0x", set_patch(LEVELS, 2, INT_MAX - 7),
            a.remote_strides[1] = INT_MIN);
    MISTAKE(stride_largest, "strided", RANGE, "@remote", "0x", set_patch(1, INT_MAX, INT_MAX - 7));
    MISTAKE(strides_largest, "strided", RANGE, "@remote", "0x", set_patch(2, INT_MAX, INT_MAX - 7),
            a.counts[2] = 1 << 20);
    MISTAKE(stride_smallest, "strided", COUNT, "@remote", "0x", set_patch(1, INT_MAX, INT_MIN));
    MISTAKE(strides_smallest, "strided", COUNT, "@remote", "0x", set_patch(3, 1 << 20, INT_MIN),
            a.counts[3] = 1 << 19);
    MISTAKE(flag_null, "flag", ADDRESS, "flag", "", a.flag = NULL);
    MISTAKE(flag_local, "flag", ADDRESS, "flag", "0x", a.flag = (void *)stage.nowhere);
    MISTAKE(flag_gone, "flag", ADDRESS, "flag", "0x", a.flag = (void *)stage.gone);
    MISTAKE(flag_before, "flag", ADDRESS, "flag", "0x", a.flag = (void *)(stage.there - 4));
    MISTAKE(flag_leaves, "flag", RANGE, "flag", "0x", a.flag = (void *)(stage.there + SLICE - 2));
    return 0;
}

static int counts(void)
{
    TOO_SMALL(bytes_, "contiguous", COUNT, "bytes", a.bytes);
    ENDS(levels_, "levels", COUNT, "stride_levels", a.levels);
    MISTAKE(levels_many, "patch", COUNT, "stride_levels", "17", a.levels = LEVELS + 1);
    MISTAKE(count_null, "patch", ADDRESS, "count", "NULL", a.count = NULL);
    MISTAKE(count_negative, "patch", COUNT, "count", "count[1] = -2", a.counts[1] = -2);
    MISTAKE(count_smallest, "patch", COUNT, "count", "count[1] = -2147483648",
            a.counts[1] = INT_MIN);
    MISTAKE(row_negative, "strided", COUNT, "count", "count[0] = -8", a.counts[0] = -8);
    MISTAKE(negative_after_zero, "patch", COUNT, "count", "count[2] = -1", set_patch(2, 0, 16),
            a.counts[2] = -1);
    MISTAKE(total_overflows, "strided", COUNT, "count",
            "{2147483640, 2147483647, 2147483647, 2147483647}", set_patch(3, INT_MAX, 16),
            a.counts[0] = INT_MAX - 7);
    MISTAKE(every_count_largest, "strided", COUNT, "count", "{2147483640, 2147483647, ",
            set_patch(LEVELS, INT_MAX, INT_MAX - 7), a.counts[0] = INT_MAX - 7);
    MISTAKE(row_negative, "pack", COUNT, "count", "count[0] = -2147483648", a.counts[0] = INT_MIN);
    MISTAKE(total_overflows, "pack", COUNT, "count", "3 levels", set_patch(3, INT_MAX, 8));
    MISTAKE(stride_smallest, "pack", COUNT, "count", "1 levels", set_patch(1, INT_MAX, INT_MIN));
    MISTAKE(stride_null, "pack", ADDRESS, "stride_arr", "NULL", a.remote_stride = NULL);
    MISTAKE(ptr_null, "pack", ADDRESS, "ptr", "NULL", a.ptr = NULL);
    MISTAKE(buf_null, "pack", ADDRESS, "buf", "NULL", a.buf = NULL);
    TOO_SMALL(iov_len_, "vector", COUNT, "iov_len", a.entries);
    MISTAKE(iov_bytes, "vector", COUNT, "iov", "-8", a.iovs[0].bytes = -8);
    MISTAKE(iov_segments, "vector", COUNT, "iov", "-3", a.iovs[0].ptr_array_len = -3);
    MISTAKE(second_bytes, "vector", COUNT, "iov", "-2147483648", a.entries = 2,
            a.iovs[1].bytes = INT_MIN);
    MISTAKE(second_segments, "vector", COUNT, "iov", "-2147483648", a.entries = 2,
            a.iovs[1].ptr_array_len = INT_MIN);
    return 0;
}

static int local_sides(void)
{
    MISTAKE(local_stride_null, "local_stride", ADDRESS, "@local_stride", "NULL",
            a.local_stride = NULL);
    MISTAKE(remote_stride_null, "remote_stride", ADDRESS, "@remote_stride", "NULL",
            a.remote_stride = NULL);
    MISTAKE(local_null, "local", ADDRESS, "@local", "NULL", a.local = NULL,
            a.locals[ENTRIES - 1] = NULL);
    MISTAKE(second_local_null, "second", ADDRESS, "@second", "NULL", second_entry(NULL));
    /* A contiguous one has 16 bytes. */
    MISTAKE(local_wraps, "contiguous vector", RANGE, "@local", "0x", a.local = last_address(12),
            a.locals[ENTRIES - 1] = last_address(4));
    MISTAKE(local_wraps, "strided", COUNT, "@local", "0x", a.local = last_address(12));
    MISTAKE(local_goes_below, "strided", COUNT, "@local", "0x8 ", a.local = (char *)8,
            a.local_strides[0] = -16);
    MISTAKE(second_local_wraps, "second", RANGE, "@second", "0x", second_entry(last_address(1)));
    MISTAKE(iov_null, "vector", ADDRESS, "iov", "NULL", a.iov = NULL);
    MISTAKE(iov_src_null, "vector", ADDRESS, "iov.src_ptr_array", "NULL",
            a.iovs[0].src_ptr_array = NULL);
    MISTAKE(iov_dst_null, "vector", ADDRESS, "iov.dst_ptr_array", "NULL",
            a.iovs[0].dst_ptr_array = NULL);
    MISTAKE(scale_null, "acc", ADDRESS, "scale", "NULL", a.scale = NULL);
    MISTAKE(type_unknown, "acc", TYPE, "datatype", "6", a.datatype = ARMCI_ACC_DCP + 1);
    ENDS(type_, "acc", TYPE, "datatype", a.datatype);
    MISTAKE(part_of_element, "acc", ALIGN, "@length", "12", set_bytes(12));
    MISTAKE(half_of_element, "acc", ALIGN, "@length", "8", set_bytes(8),
            a.datatype = ARMCI_ACC_DCP);
    return 0;
}

static int memory(void)
{
    MISTAKE(null, "base", ADDRESS, "base_ptrs", "NULL", a.base = NULL);
    MISTAKE(negative, "size", COUNT, "bytes", "-8", a.size = -8);
    MISTAKE(smallest, "size", COUNT, "bytes", "-9223372036854775808", a.size = LONG_MIN);
    MISTAKE(largest, "base", MEMORY, "bytes", "9223372036854775807", a.size = LONG_MAX);
    MISTAKE(local, "ptr", ADDRESS, "ptr", "0x", a.ptr = stage.nowhere);
    MISTAKE(before, "ptr", ADDRESS, "ptr", "0x", a.ptr = stage.mine - 1);
    MISTAKE(after, "ptr", ADDRESS, "ptr", "0x", a.ptr = stage.mine + SLICE);
    MISTAKE(null, "slice", ADDRESS, "ptr", "NULL", a.ptr = NULL);
    MISTAKE(inside, "free", ADDRESS, "ptr", "0x", a.ptr = stage.mine + 8);
    MISTAKE(neighbour, "free", ADDRESS, "ptr", "0x", a.ptr = of_neighbour());
    MISTAKE(twice, "free", ADDRESS, "ptr", "0x", a.ptr = freed_base());
    MISTAKE(differently, "free", ADDRESS, "ptr", "0x", a.ptr = different_bases());
    MISTAKE(null, "info", ADDRESS, "meminfo", "NULL", a.info = NULL);
    MISTAKE(null, "walk", ADDRESS, "sinfo", "NULL", a.walk = NULL);
    MISTAKE(null, "operand", ADDRESS, "prem", "", a.remote = NULL);
    MISTAKE(local, "operand", ADDRESS, "prem", "0x", a.remote = stage.nowhere);
    MISTAKE(gone, "operand", ADDRESS, "prem", "0x", a.remote = stage.gone);
    MISTAKE(before, "operand", ADDRESS, "prem", "0x", a.remote = stage.there - a.size);
    MISTAKE(after, "operand", ADDRESS, "prem", "0x", a.remote = stage.there + SLICE + 4);
    MISTAKE(end_of_memory, "operand", ADDRESS, "prem", "0x", a.remote = last_address((int)a.size));
    MISTAKE(half, "operand", ALIGN, "prem", "0x", a.remote = stage.there + a.size / 2);
    MISTAKE(odd, "operand", ALIGN, "prem", "0x", a.remote = stage.there + 1);
    MISTAKE(leaves, "long", RANGE, "prem", "0x", a.remote = stage.there + SLICE - 4);
    return 0;
}

static int groups_and_handles(void)
{
    MISTAKE(group_none, "group -no_member", GROUP, "@group", "", a.group = &stage.none);
    MISTAKE(group_garbage, "group", GROUP, "@group", "", a.group = &stage.garbage);
    MISTAKE(group_freed, "group", GROUP, "@group", "", a.group = &stage.freed);
    MISTAKE(group_foreign, "group -no_member", GROUP, "@group", "", a.group = &stage.foreign);
    MISTAKE(group_null, "group -null_group", GROUP, "@group", "", a.group = NULL);
    MISTAKE(group_null, "asked", ADDRESS, "group", "NULL", a.group = NULL);
    MISTAKE(n_zero, "create", COUNT, "n", "0", a.n = 0);
    ENDS(n_, "create", COUNT, "n", a.n);
    MISTAKE(n_many, "create", COUNT, "n", "", a.n = stage.n + 1);
    MISTAKE(list_null, "create", ADDRESS, "pid_list", "NULL", a.list = NULL);
    MISTAKE(list_n, "create", RANK, "pid_list", "pid_list[0] = ", a.ranks[0] = stage.n);
    MISTAKE(list_negative, "create", RANK, "pid_list", "pid_list[0] = -1", a.ranks[0] = -1);
    MISTAKE(list_largest, "create", RANK, "pid_list", "pid_list[0] = 2147483647",
            a.ranks[0] = INT_MAX);
    MISTAKE(list_smallest, "create", RANK, "pid_list", "pid_list[0] = -2147483648",
            a.ranks[0] = INT_MIN);
    MISTAKE(twice, "create", RANK, "pid_list", "pid_list[", name_twice());
    MISTAKE(out_null, "create", ADDRESS, "group_out", "NULL", a.new_group = NULL);
    MISTAKE(null, "new", ADDRESS, "@new", "NULL", a.new_group = NULL);
    MISTAKE(domain, "domain", ARGUMENT, "domain", "1", a.domain = 1);
    ENDS(domain_, "domain", ARGUMENT, "domain", a.domain);
    MISTAKE(null, "hdl", HANDLE, "hdl", "NULL", a.hdl = NULL);
    MISTAKE(null, "set", HANDLE, "hdl", "", a.set = NULL);
    MISTAKE(garbage, "set", HANDLE, "hdl", "0x", a.set = (armcix_mutex_hdl_t)(void *)stage.nowhere);
    MISTAKE(destroyed, "of_set", HANDLE, "hdl", "0x", a.set = destroyed_set());
    MISTAKE(mutex_one, "mutex", MUTEX, "mutex", "1", a.mutex = 1);
    ENDS(mutex_, "mutex", MUTEX, "mutex", a.mutex);
    MISTAKE(null, "comm", ARGUMENT, "comm", "MPI_COMM_NULL", a.comm = MPI_COMM_NULL);
    MISTAKE(between, "comm", ARGUMENT, "comm", "", a.comm = stage.between);
    MISTAKE_AT(MPI_OFF, mpi_off, "comm", STATE, "comm", "", a.comm = MPI_COMM_SELF);
    return 0;
}

static int message_arguments(void)
{
    ENDS(op_, "rmw", TYPE, "op", a.op);
    TOO_SMALL(, "len", COUNT, "@len", a.len);
    MISTAKE(null, "buffer", ADDRESS, "@buffer", "NULL", a.x = NULL);
    TOO_SMALL(n_, "op", COUNT, "n", a.n);
    MISTAKE(x_null, "op", ADDRESS, "x", "NULL", a.x = NULL);
    MISTAKE(op_null, "op", ADDRESS, "op", "NULL", a.operation = NULL);
    MISTAKE(op_unknown, "op", TYPE, "op", "\"xyz\"", a.operation = "xyz");
    MISTAKE(op_empty, "op", TYPE, "op", "\"\"", a.operation = "");
    MISTAKE(op_of_two_lines, "op", TYPE, "op", "\"x?y?",
            a.operation = "x\ny\x1b[31m and much, much, much more");
    MISTAKE(op_of_integers, "floating typed", TYPE, "op", "\"or\"", a.operation = "or",
            a.datatype = ARMCI_DOUBLE);
    MISTAKE(op_and, "floating", TYPE, "op", "\"&&\"", a.operation = "&&");
    MISTAKE(op_sum, "record", TYPE, "op", "\"+\"", a.operation = "+");
    MISTAKE(op_absolute, "record", TYPE, "op", "\"absmax\"", a.operation = "absmax");
    MISTAKE(record_small, "record", COUNT, "n", "7", a.n = 7);
    MISTAKE(record_empty, "record", COUNT, "n", "0", a.n = 0);
    MISTAKE(scope, "scope", TYPE, "scope", "3", a.scope = SCOPE_MASTERS + 1);
    MISTAKE(scope_unknown, "op_scope", TYPE, "scope", "3", a.scope = SCOPE_MASTERS + 1);
    ENDS(scope_, "scope op_scope", TYPE, "scope", a.scope);
    MISTAKE(type_unknown, "typed", TYPE, "type", "5", a.datatype = ARMCI_DOUBLE + 1);
    ENDS(type_, "typed", TYPE, "type", a.datatype);
    MISTAKE(no_root, "tree", ADDRESS, "Root", "NULL", a.left_out = 0);
    MISTAKE(no_up, "tree", ADDRESS, "Up", "NULL", a.left_out = 1);
    MISTAKE(no_left, "tree", ADDRESS, "Left", "NULL", a.left_out = 2);
    MISTAKE(no_right, "tree", ADDRESS, "Right", "NULL", a.left_out = 3);
    return 0;
}

call_table *const mistake_tables[] = {
    ranks, remote_sides, counts, local_sides, memory, groups_and_handles, message_arguments, NULL};
