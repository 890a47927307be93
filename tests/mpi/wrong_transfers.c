/* wrong_transfers.c - every transfer function times every mistake that its arguments allow. */
#include "wrong_calls.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What a function is, and what a mistake needs. */
enum {
    GET = 1, ACC = 2, CONTIGUOUS = 4, STRIDED = 8, VECTOR = 16, VALUE = 32, FLAG = 64, AGGREGATE = 128, ALL = 256
};

enum { LEVELS = 16, ENTRIES = 3 };

/* Of all transfer functions; each takes what it needs. */
struct arguments {
    int proc, bytes, datatype;
    void *scale;
    char *local, *remote;
    int levels, *count, *local_stride, *remote_stride;
    armci_giov_t *iov;
    int entries, *flag;

    /* what the pointers point to */
    int counts[LEVELS + 1], local_strides[LEVELS], remote_strides[LEVELS];
    void *locals[ENTRIES], *remotes[ENTRIES];
    armci_giov_t iovs[2];
};

/* ------------------------------------------------------------------ the functions */

static int put(struct arguments *a) { return ARMCI_Put(a->local, a->remote, a->bytes, a->proc); }
static int get(struct arguments *a) { return ARMCI_Get(a->remote, a->local, a->bytes, a->proc); }
static int acc(struct arguments *a)
{
    return ARMCI_Acc(a->datatype, a->scale, a->local, a->remote, a->bytes, a->proc);
}
static int nb_put(struct arguments *a) { return ARMCI_NbPut(a->local, a->remote, a->bytes, a->proc, &stage.hdl); }
static int nb_get(struct arguments *a) { return ARMCI_NbGet(a->remote, a->local, a->bytes, a->proc, NULL); }
static int nb_acc(struct arguments *a)
{
    return ARMCI_NbAcc(a->datatype, a->scale, a->local, a->remote, a->bytes, a->proc, &stage.hdl);
}
static int put_flag(struct arguments *a)
{
    return ARMCI_Put_flag(a->local, a->remote, a->bytes, a->flag, 1, a->proc);
}

static int put_s(struct arguments *a)
{
    return ARMCI_PutS(a->local, a->local_stride, a->remote, a->remote_stride, a->count, a->levels, a->proc);
}
static int get_s(struct arguments *a)
{
    return ARMCI_GetS(a->remote, a->remote_stride, a->local, a->local_stride, a->count, a->levels, a->proc);
}
static int acc_s(struct arguments *a)
{
    return ARMCI_AccS(a->datatype, a->scale, a->local, a->local_stride, a->remote, a->remote_stride, a->count,
                      a->levels, a->proc);
}
static int nb_put_s(struct arguments *a)
{
    return ARMCI_NbPutS(a->local, a->local_stride, a->remote, a->remote_stride, a->count, a->levels, a->proc, NULL);
}
static int nb_get_s(struct arguments *a)
{
    return ARMCI_NbGetS(a->remote, a->remote_stride, a->local, a->local_stride, a->count, a->levels, a->proc,
                        &stage.hdl);
}
static int nb_acc_s(struct arguments *a)
{
    return ARMCI_NbAccS(a->datatype, a->scale, a->local, a->local_stride, a->remote, a->remote_stride, a->count,
                        a->levels, a->proc, &stage.hdl);
}
static int put_s_flag(struct arguments *a)
{
    return ARMCI_PutS_flag(a->local, a->local_stride, a->remote, a->remote_stride, a->count, a->levels, a->flag, 1,
                           a->proc);
}
static int put_s_flag_dir(struct arguments *a)
{
    return ARMCI_PutS_flag_dir(a->local, a->local_stride, a->remote, a->remote_stride, a->count, a->levels, a->flag, 1,
                               a->proc);
}

static int put_v(struct arguments *a) { return ARMCI_PutV(a->iov, a->entries, a->proc); }
static int get_v(struct arguments *a) { return ARMCI_GetV(a->iov, a->entries, a->proc); }
static int acc_v(struct arguments *a) { return ARMCI_AccV(a->datatype, a->scale, a->iov, a->entries, a->proc); }
static int nb_put_v(struct arguments *a) { return ARMCI_NbPutV(a->iov, a->entries, a->proc, &stage.hdl); }
static int nb_get_v(struct arguments *a) { return ARMCI_NbGetV(a->iov, a->entries, a->proc, &stage.hdl); }
static int nb_acc_v(struct arguments *a)
{
    return ARMCI_NbAccV(a->datatype, a->scale, a->iov, a->entries, a->proc, NULL);
}

static int put_int(struct arguments *a) { return ARMCI_PutValueInt(-1, a->remote, a->proc); }
static int put_long(struct arguments *a) { return ARMCI_PutValueLong(-1, a->remote, a->proc); }
static int put_float(struct arguments *a) { return ARMCI_PutValueFloat(-1, a->remote, a->proc); }
static int put_double(struct arguments *a) { return ARMCI_PutValueDouble(-1, a->remote, a->proc); }
static int nb_put_int(struct arguments *a) { return ARMCI_NbPutValueInt(-1, a->remote, a->proc, &stage.hdl); }
static int nb_put_long(struct arguments *a) { return ARMCI_NbPutValueLong(-1, a->remote, a->proc, NULL); }
static int nb_put_float(struct arguments *a) { return ARMCI_NbPutValueFloat(-1, a->remote, a->proc, &stage.hdl); }
static int nb_put_double(struct arguments *a) { return ARMCI_NbPutValueDouble(-1, a->remote, a->proc, NULL); }

/* A value that is read wrongly is 0. */
static int read_nothing(bool zero)
{
    return zero ? SAYS_NOTHING : -1;
}
static int get_int(struct arguments *a) { return read_nothing(ARMCI_GetValueInt(a->remote, a->proc) == 0); }
static int get_long(struct arguments *a) { return read_nothing(ARMCI_GetValueLong(a->remote, a->proc) == 0); }
static int get_float(struct arguments *a) { return read_nothing(!(ARMCI_GetValueFloat(a->remote, a->proc) != 0)); }
static int get_double(struct arguments *a) { return read_nothing(!(ARMCI_GetValueDouble(a->remote, a->proc) != 0)); }

/* One request of an aggregate handle, which is issued with the handle's Wait. */
static int aggregate(struct arguments *a, int (*request)(struct arguments *))
{
    int code;

    ARMCI_INIT_HANDLE(&stage.hdl);
    ARMCI_SET_AGGREGATE_HANDLE(&stage.hdl);
    code = request(a);
    check_long(ARMCI_Wait(&stage.hdl), 0, "ARMCI_Wait for an aggregate handle without a request");
    ARMCI_UNSET_AGGREGATE_HANDLE(&stage.hdl);
    return code;
}
static int request_get(struct arguments *a) { return ARMCI_NbGet(a->remote, a->local, a->bytes, a->proc, &stage.hdl); }
static int aggregate_put(struct arguments *a) { return aggregate(a, nb_put); }
static int aggregate_get(struct arguments *a) { return aggregate(a, request_get); }
static int aggregate_acc(struct arguments *a) { return aggregate(a, nb_acc); }
static int aggregate_value(struct arguments *a) { return aggregate(a, nb_put_int); }

struct form {
    const char *function;
    int is;
    int (*call)(struct arguments *a);
};
static const struct form forms[] = {
    { "ARMCI_Put", CONTIGUOUS, put },
    { "ARMCI_Get", CONTIGUOUS | GET, get },
    { "ARMCI_Acc", CONTIGUOUS | ACC, acc },
    { "ARMCI_NbPut", CONTIGUOUS, nb_put },
    { "ARMCI_NbGet", CONTIGUOUS | GET, nb_get },
    { "ARMCI_NbAcc", CONTIGUOUS | ACC, nb_acc },
    { "ARMCI_Put_flag", CONTIGUOUS | FLAG, put_flag },
    { "ARMCI_PutS", STRIDED, put_s },
    { "ARMCI_GetS", STRIDED | GET, get_s },
    { "ARMCI_AccS", STRIDED | ACC, acc_s },
    { "ARMCI_NbPutS", STRIDED, nb_put_s },
    { "ARMCI_NbGetS", STRIDED | GET, nb_get_s },
    { "ARMCI_NbAccS", STRIDED | ACC, nb_acc_s },
    { "ARMCI_PutS_flag", STRIDED | FLAG, put_s_flag },
    { "ARMCI_PutS_flag_dir", STRIDED | FLAG, put_s_flag_dir },
    { "ARMCI_PutV", VECTOR, put_v },
    { "ARMCI_GetV", VECTOR | GET, get_v },
    { "ARMCI_AccV", VECTOR | ACC, acc_v },
    { "ARMCI_NbPutV", VECTOR, nb_put_v },
    { "ARMCI_NbGetV", VECTOR | GET, nb_get_v },
    { "ARMCI_NbAccV", VECTOR | ACC, nb_acc_v },
    { "ARMCI_PutValueInt", VALUE, put_int },
    { "ARMCI_PutValueLong", VALUE, put_long },
    { "ARMCI_PutValueFloat", VALUE, put_float },
    { "ARMCI_PutValueDouble", VALUE, put_double },
    { "ARMCI_NbPutValueInt", VALUE, nb_put_int },
    { "ARMCI_NbPutValueLong", VALUE, nb_put_long },
    { "ARMCI_NbPutValueFloat", VALUE, nb_put_float },
    { "ARMCI_NbPutValueDouble", VALUE, nb_put_double },
    { "ARMCI_GetValueInt", VALUE | GET, get_int },
    { "ARMCI_GetValueLong", VALUE | GET, get_long },
    { "ARMCI_GetValueFloat", VALUE | GET, get_float },
    { "ARMCI_GetValueDouble", VALUE | GET, get_double },
    { "ARMCI_NbPut", CONTIGUOUS | AGGREGATE, aggregate_put },
    { "ARMCI_NbGet", CONTIGUOUS | GET | AGGREGATE, aggregate_get },
    { "ARMCI_NbAcc", CONTIGUOUS | ACC | AGGREGATE, aggregate_acc },
    { "ARMCI_NbPutValueInt", VALUE | AGGREGATE, aggregate_value },
    { NULL, 0, NULL },
};

/* ------------------------------------------------------------------ right arguments */

/* Two segments of 8 bytes, 16 apart in the slice, and a third in the region beside for vectors. */
static void set_right(struct arguments *a)
{
    static double one = 1;

    memset(a, 0, sizeof *a);
    a->proc = stage.p;
    a->bytes = 16;
    a->datatype = ARMCI_ACC_DBL;
    a->scale = &one;
    a->local = stage.here;
    a->remote = stage.there;
    a->levels = 1;
    a->count = a->counts;
    a->local_stride = a->local_strides;
    a->remote_stride = a->remote_strides;
    for (int i = 0; i < LEVELS; i++) {
        a->counts[i + 1] = i == 0 ? 2 : 1;
        a->local_strides[i] = 8;
        a->remote_strides[i] = 16;
    }
    a->counts[0] = 8;
    a->locals[0] = stage.here;
    a->locals[1] = stage.here + 8;
    a->locals[2] = stage.here + 16;
    a->remotes[0] = stage.there;
    a->remotes[1] = stage.guard ? (char *)stage.guard[stage.p] + 16 : NULL;
    a->remotes[2] = stage.there + 128;
    a->iov = a->iovs;
    a->entries = 1;
    a->flag = (int *)(void *)(stage.there + 256);
}

/* The arrays of the entries, which say where from and where to. */
static void set_entries(struct arguments *a, bool get)
{
    for (int i = 0; i < 2; i++)
        a->iovs[i] = (armci_giov_t){ get ? a->remotes : a->locals, get ? a->locals : a->remotes, 8, ENTRIES };
}

/* ------------------------------------------------------------------ the mistakes */

static void proc_n(struct arguments *a) { a->proc = stage.n; }
static void proc_negative(struct arguments *a) { a->proc = -1; }
static void proc_largest(struct arguments *a) { a->proc = INT_MAX; }
static void proc_smallest(struct arguments *a) { a->proc = INT_MIN; }

/* The remote side begins there; of a vector, its last segment. */
static void set_remote(struct arguments *a, char *address)
{
    a->remote = address;
    a->remotes[ENTRIES - 1] = address;
}
static char *last_address(int bytes)
{
    return (char *)(UINTPTR_MAX - (uintptr_t)bytes + 1);
}
static void remote_null(struct arguments *a) { set_remote(a, NULL); }
static void remote_local(struct arguments *a) { set_remote(a, stage.nowhere); }
static void remote_gone(struct arguments *a) { set_remote(a, stage.gone); }
static void remote_before(struct arguments *a) { set_remote(a, stage.there - 8); }
static void remote_after(struct arguments *a) { set_remote(a, stage.there + SLICE + 4); }
static void remote_wraps(struct arguments *a) { set_remote(a, last_address(8)); }
static void value_wraps(struct arguments *a) { set_remote(a, last_address(2)); }

static void leaves(struct arguments *a)
{
    set_remote(a, stage.there + SLICE - 12); /* an aligned address, with 12 bytes to the end */
    a->counts[0] = a->bytes = 16;
}
static void value_leaves(struct arguments *a) { set_remote(a, stage.there + SLICE - 2); }
static void segment_leaves(struct arguments *a) { set_remote(a, stage.there + SLICE - 4); }
static void segment_of_one_region_leaves(struct arguments *a)
{
    segment_leaves(a);
    a->remotes[1] = stage.there + 64;
}
static void largest_leaves(struct arguments *a) { a->bytes = INT_MAX - 15; }
static void contiguous_negative(struct arguments *a) { a->bytes = -1; }
static void contiguous_smallest(struct arguments *a) { a->bytes = INT_MIN; }

/* Counts above the bytes, and a stride for each of the levels. */
static void set_patch(struct arguments *a, int levels, int count, int stride)
{
    a->levels = levels;
    for (int i = 0; i < levels; i++) {
        a->counts[i + 1] = count;
        a->remote_strides[i] = stride;
    }
}
static void last_row_leaves(struct arguments *a) { set_patch(a, 1, SLICE / 16 + 1, 16); }
static void goes_below(struct arguments *a) { set_patch(a, 1, 2, -16); }
static void plane_leaves(struct arguments *a)
{
    set_patch(a, 2, 2, 24);
    a->remote_strides[1] = SLICE - 20; /* the first row of the second plane fits */
}
static void billion_segments(struct arguments *a)
{
    set_patch(a, 2, 1 << 15, 16);
    a->remote_strides[1] = 24;
}
static void billion_segments_below(struct arguments *a)
{
    set_patch(a, 2, 1 << 15, -16);
    a->remote_strides[1] = -24;
}
static void all_levels_leave(struct arguments *a)
{
    set_patch(a, LEVELS, 2, INT_MAX - 7);
    a->remote_strides[1] = INT_MIN; /* in both directions */
}
static void stride_largest(struct arguments *a) { set_patch(a, 1, INT_MAX, INT_MAX - 7); }
static void strides_largest(struct arguments *a)
{
    set_patch(a, 2, INT_MAX, INT_MAX - 7);
    a->counts[2] = 1 << 20;
}
static void stride_smallest(struct arguments *a) { set_patch(a, 1, INT_MAX, INT_MIN); }
static void strides_smallest(struct arguments *a)
{
    set_patch(a, 3, 1 << 20, INT_MIN);
    a->counts[3] = 1 << 19;
}

static void levels_negative(struct arguments *a) { a->levels = -1; }
static void levels_many(struct arguments *a) { a->levels = LEVELS + 1; }
static void levels_largest(struct arguments *a) { a->levels = INT_MAX; }
static void levels_smallest(struct arguments *a) { a->levels = INT_MIN; }
static void count_null(struct arguments *a) { a->count = NULL; }
static void count_negative(struct arguments *a) { a->counts[1] = -2; }
static void count_smallest(struct arguments *a) { a->counts[1] = INT_MIN; }
static void row_negative(struct arguments *a) { a->counts[0] = -8; }
static void negative_after_zero(struct arguments *a)
{
    set_patch(a, 2, 0, 16);
    a->counts[2] = -1;
}
static void total_overflows(struct arguments *a)
{
    set_patch(a, 3, INT_MAX, 16);
    a->counts[0] = INT_MAX - 7;
}
static void every_count_largest(struct arguments *a)
{
    set_patch(a, LEVELS, INT_MAX, INT_MAX - 7);
    a->counts[0] = INT_MAX - 7;
}
static void local_stride_null(struct arguments *a) { a->local_stride = NULL; }
static void remote_stride_null(struct arguments *a) { a->remote_stride = NULL; }
static void local_null(struct arguments *a)
{
    a->local = NULL;
    a->locals[ENTRIES - 1] = NULL;
}
static void local_wraps(struct arguments *a)
{
    a->local = last_address(12); /* a contiguous one has 16 bytes */
    a->locals[ENTRIES - 1] = last_address(4);
}
static void local_goes_below(struct arguments *a)
{
    a->local = (char *)8;
    a->local_strides[0] = -16;
}
/* The wrong segment is not in the first entry. */
static void second_entry(struct arguments *a, char *address)
{
    a->entries = 2;
    a->iovs[0].ptr_array_len = 1;
    a->locals[1] = address;
}
static void second_local_null(struct arguments *a) { second_entry(a, NULL); }
static void second_local_wraps(struct arguments *a) { second_entry(a, last_address(1)); }
static void part_of_element(struct arguments *a) { a->bytes = a->counts[0] = a->iovs[0].bytes = 12; }
static void half_of_element(struct arguments *a)
{
    a->datatype = ARMCI_ACC_DCP;
    a->bytes = a->counts[0] = a->iovs[0].bytes = 8;
}

static void iov_null(struct arguments *a) { a->iov = NULL; }
static void entries_negative(struct arguments *a) { a->entries = -1; }
static void entries_smallest(struct arguments *a) { a->entries = INT_MIN; }
static void entry_bytes(struct arguments *a) { a->iovs[0].bytes = -8; }
static void entry_length(struct arguments *a) { a->iovs[0].ptr_array_len = -3; }
static void second_entry_bytes(struct arguments *a)
{
    a->entries = 2;
    a->iovs[1].bytes = INT_MIN;
}
static void second_entry_length(struct arguments *a)
{
    a->entries = 2;
    a->iovs[1].ptr_array_len = INT_MIN;
}
static void sources_null(struct arguments *a) { a->iovs[0].src_ptr_array = NULL; }
static void destinations_null(struct arguments *a) { a->iovs[0].dst_ptr_array = NULL; }

static void type_unknown(struct arguments *a) { a->datatype = ARMCI_ACC_DCP + 1; }
static void type_negative(struct arguments *a) { a->datatype = -1; }
static void type_largest(struct arguments *a) { a->datatype = INT_MAX; }
static void type_smallest(struct arguments *a) { a->datatype = INT_MIN; }
static void scale_null(struct arguments *a) { a->scale = NULL; }

static void set_flag(struct arguments *a, char *address) { a->flag = (int *)(void *)address; }
static void flag_null(struct arguments *a) { a->flag = NULL; }
static void flag_local(struct arguments *a) { set_flag(a, stage.nowhere); }
static void flag_gone(struct arguments *a) { set_flag(a, stage.gone); }
static void flag_before(struct arguments *a) { set_flag(a, stage.there - 4); }
static void flag_leaves(struct arguments *a) { set_flag(a, stage.there + SLICE - 2); }

/* Names of arguments that differ: of the remote and the local side, of a length. */
static const char REMOTE[] = "remote", LOCAL_SIDE[] = "local", LENGTH[] = "length", SECOND_LOCAL[] = "second local",
                  REMOTE_STRIDE[] = "remote stride", LOCAL_STRIDE[] = "local stride";

struct mistake {
    const char *name;
    int of, not_of; /* what the function must be (one of), and must not be */
    int code;
    const char *argument, *value;
    void (*make)(struct arguments *a);
};
static const struct mistake mistakes[] = {
    { "proc_n", ALL, 0, ARMCI_ERR_RANK, "proc", "n", proc_n },
    { "proc_negative", ALL, 0, ARMCI_ERR_RANK, "proc", "-1", proc_negative },
    { "proc_largest", ALL, 0, ARMCI_ERR_RANK, "proc", "2147483647", proc_largest },
    { "proc_smallest", ALL, 0, ARMCI_ERR_RANK, "proc", "-2147483648", proc_smallest },

    { "remote_null", ALL, 0, ARMCI_ERR_ADDRESS, REMOTE, "", remote_null },
    { "remote_local", ALL, 0, ARMCI_ERR_ADDRESS, REMOTE, "0x", remote_local },
    { "remote_gone", ALL, 0, ARMCI_ERR_ADDRESS, REMOTE, "0x", remote_gone },
    { "remote_before", ALL, 0, ARMCI_ERR_ADDRESS, REMOTE, "0x", remote_before },
    { "remote_after", ALL, 0, ARMCI_ERR_ADDRESS, REMOTE, "0x", remote_after },
    { "remote_wraps", CONTIGUOUS | VECTOR, AGGREGATE, ARMCI_ERR_RANGE, REMOTE, "", remote_wraps },
    { "remote_wraps", AGGREGATE, VALUE, ARMCI_ERR_ADDRESS, REMOTE, "0x", remote_wraps },
    { "remote_wraps", STRIDED, 0, ARMCI_ERR_COUNT, REMOTE, "0x", remote_wraps },
    { "remote_wraps", VALUE, AGGREGATE, ARMCI_ERR_RANGE, REMOTE, "", value_wraps },
    { "leaves", CONTIGUOUS | STRIDED, 0, ARMCI_ERR_RANGE, REMOTE, "0x", leaves },
    { "leaves", VALUE, 0, ARMCI_ERR_RANGE, REMOTE, "0x", value_leaves },
    { "leaves", VECTOR, 0, ARMCI_ERR_RANGE, REMOTE, "0x", segment_leaves },
    { "leaves_one_region", VECTOR, 0, ARMCI_ERR_RANGE, REMOTE, "0x", segment_of_one_region_leaves },
    { "largest_leaves", CONTIGUOUS, 0, ARMCI_ERR_RANGE, REMOTE, "0x", largest_leaves },
    { "last_row_leaves", STRIDED, 0, ARMCI_ERR_RANGE, REMOTE, "0x", last_row_leaves },
    { "goes_below", STRIDED, 0, ARMCI_ERR_RANGE, REMOTE, "0x", goes_below },
    { "plane_leaves", STRIDED, 0, ARMCI_ERR_RANGE, REMOTE, "0x", plane_leaves },
    { "billion_segments", STRIDED, 0, ARMCI_ERR_RANGE, REMOTE, "0x", billion_segments },
    { "billion_segments_below", STRIDED, 0, ARMCI_ERR_RANGE, REMOTE, "0x", billion_segments_below },
    { "all_levels_leave", STRIDED, 0, ARMCI_ERR_RANGE, REMOTE, "0x", all_levels_leave },
    { "stride_largest", STRIDED, 0, ARMCI_ERR_RANGE, REMOTE, "0x", stride_largest },
    { "strides_largest", STRIDED, 0, ARMCI_ERR_RANGE, REMOTE, "0x", strides_largest },
    { "stride_smallest", STRIDED, 0, ARMCI_ERR_COUNT, REMOTE, "0x", stride_smallest },
    { "strides_smallest", STRIDED, 0, ARMCI_ERR_COUNT, REMOTE, "0x", strides_smallest },

    { "bytes_negative", CONTIGUOUS, 0, ARMCI_ERR_COUNT, "bytes", "-1", contiguous_negative },
    { "bytes_smallest", CONTIGUOUS, 0, ARMCI_ERR_COUNT, "bytes", "-2147483648", contiguous_smallest },
    { "levels_negative", STRIDED, 0, ARMCI_ERR_COUNT, "stride_levels", "-1", levels_negative },
    { "levels_many", STRIDED, 0, ARMCI_ERR_COUNT, "stride_levels", "17", levels_many },
    { "levels_largest", STRIDED, 0, ARMCI_ERR_COUNT, "stride_levels", "2147483647", levels_largest },
    { "levels_smallest", STRIDED, 0, ARMCI_ERR_COUNT, "stride_levels", "-2147483648", levels_smallest },
    { "count_negative", STRIDED, 0, ARMCI_ERR_COUNT, "count", "count[1] = -2", count_negative },
    { "count_smallest", STRIDED, 0, ARMCI_ERR_COUNT, "count", "count[1] = -2147483648", count_smallest },
    { "row_negative", STRIDED, 0, ARMCI_ERR_COUNT, "count", "count[0] = -8", row_negative },
    { "negative_after_zero", STRIDED, 0, ARMCI_ERR_COUNT, "count", "count[2] = -1", negative_after_zero },
    { "total_overflows", STRIDED, 0, ARMCI_ERR_COUNT, "count", "{2147483640, 2147483647, 2147483647, 2147483647}",
      total_overflows },
    { "every_count_largest", STRIDED, 0, ARMCI_ERR_COUNT, "count", "{2147483640, 2147483647, ", every_count_largest },
    { "iov_len_negative", VECTOR, 0, ARMCI_ERR_COUNT, "iov_len", "-1", entries_negative },
    { "iov_len_smallest", VECTOR, 0, ARMCI_ERR_COUNT, "iov_len", "-2147483648", entries_smallest },
    { "iov_bytes", VECTOR, 0, ARMCI_ERR_COUNT, "iov", "-8", entry_bytes },
    { "iov_segments", VECTOR, 0, ARMCI_ERR_COUNT, "iov", "-3", entry_length },
    { "second_bytes", VECTOR, 0, ARMCI_ERR_COUNT, "iov", "-2147483648", second_entry_bytes },
    { "second_segments", VECTOR, 0, ARMCI_ERR_COUNT, "iov", "-2147483648", second_entry_length },

    { "count_null", STRIDED, 0, ARMCI_ERR_ADDRESS, "count", "NULL", count_null },
    { "local_stride_null", STRIDED, 0, ARMCI_ERR_ADDRESS, LOCAL_STRIDE, "NULL", local_stride_null },
    { "remote_stride_null", STRIDED, 0, ARMCI_ERR_ADDRESS, REMOTE_STRIDE, "NULL", remote_stride_null },
    { "local_null", ALL, VALUE, ARMCI_ERR_ADDRESS, LOCAL_SIDE, "NULL", local_null },
    { "second_local_null", VECTOR, 0, ARMCI_ERR_ADDRESS, SECOND_LOCAL, "NULL", second_local_null },
    { "local_wraps", CONTIGUOUS | VECTOR, VALUE, ARMCI_ERR_RANGE, LOCAL_SIDE, "0x", local_wraps },
    { "local_wraps", STRIDED, 0, ARMCI_ERR_COUNT, LOCAL_SIDE, "0x", local_wraps },
    { "local_goes_below", STRIDED, 0, ARMCI_ERR_COUNT, LOCAL_SIDE, "0x8 ", local_goes_below },
    { "second_local_wraps", VECTOR, 0, ARMCI_ERR_RANGE, SECOND_LOCAL, "0x", second_local_wraps },
    { "iov_null", VECTOR, 0, ARMCI_ERR_ADDRESS, "iov", "NULL", iov_null },
    { "iov_src_null", VECTOR, 0, ARMCI_ERR_ADDRESS, "iov.src_ptr_array", "NULL", sources_null },
    { "iov_dst_null", VECTOR, 0, ARMCI_ERR_ADDRESS, "iov.dst_ptr_array", "NULL", destinations_null },
    { "scale_null", ACC, 0, ARMCI_ERR_ADDRESS, "scale", "NULL", scale_null },

    { "type_unknown", ACC, 0, ARMCI_ERR_TYPE, "datatype", "6", type_unknown },
    { "type_negative", ACC, 0, ARMCI_ERR_TYPE, "datatype", "-1", type_negative },
    { "type_largest", ACC, 0, ARMCI_ERR_TYPE, "datatype", "2147483647", type_largest },
    { "type_smallest", ACC, 0, ARMCI_ERR_TYPE, "datatype", "-2147483648", type_smallest },
    { "part_of_element", ACC, 0, ARMCI_ERR_ALIGN, LENGTH, "12", part_of_element },
    { "half_of_element", ACC, 0, ARMCI_ERR_ALIGN, LENGTH, "8", half_of_element },

    { "flag_null", FLAG, 0, ARMCI_ERR_ADDRESS, "flag", "", flag_null },
    { "flag_local", FLAG, 0, ARMCI_ERR_ADDRESS, "flag", "0x", flag_local },
    { "flag_gone", FLAG, 0, ARMCI_ERR_ADDRESS, "flag", "0x", flag_gone },
    { "flag_before", FLAG, 0, ARMCI_ERR_ADDRESS, "flag", "0x", flag_before },
    { "flag_leaves", FLAG, 0, ARMCI_ERR_RANGE, "flag", "0x", flag_leaves },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
};

/* What the function calls an argument. */
static const char *name_of(const char *argument, int is)
{
    bool get = is & GET;

    if (argument == REMOTE)
        return is & VECTOR ? "iov" : get ? "src" : "dst";
    if (argument == LOCAL_SIDE && is & VECTOR)
        return get ? "iov[0].dst_ptr_array[2]" : "iov[0].src_ptr_array[2]";
    if (argument == LOCAL_SIDE)
        return get ? "dst" : "src";
    if (argument == SECOND_LOCAL)
        return get ? "iov[1].dst_ptr_array[1]" : "iov[1].src_ptr_array[1]";
    if (argument == REMOTE_STRIDE)
        return get ? "src_stride_ar" : "dst_stride_ar";
    if (argument == LOCAL_STRIDE)
        return get ? "dst_stride_ar" : "src_stride_ar";
    if (argument == LENGTH)
        return is & VECTOR ? "iov.bytes" : is & STRIDED ? "count[0]" : "bytes";
    return argument;
}

static int make(const void *form, const void *mistake)
{
    const struct form *f = form;
    const struct mistake *m = mistake;
    struct arguments a;

    set_right(&a);
    set_entries(&a, f->is & GET);
    if (m)
        m->make(&a);
    return f->call(&a);
}

void wrong_transfers_collect(void)
{
    for (const struct form *f = forms; f->function; f++) {
        const char *kind = f->is & AGGREGATE ? "aggregate_" : "";
        struct wrong_call w = { .function = f->function, .of_family = make, .form = f };
        for (const struct mistake *m = mistakes; m->name; m++) {
            if (!((f->is | ALL) & m->of) || (f->is & m->not_of))
                continue;
            w.moment = RUNNING;
            w.code = m->code;
            w.argument = name_of(m->argument, f->is);
            w.value = m->value;
            w.mistake = m;
            snprintf(w.name, sizeof w.name, "%s.%s%s", f->function, kind, m->name);
            wrong_calls_add(w);
        }
        if (f->is & AGGREGATE)
            continue;
        w.moment = ARMCI_OFF;
        w.code = ARMCI_ERR_STATE;
        w.argument = "state";
        w.value = "off";
        w.mistake = NULL;
        snprintf(w.name, sizeof w.name, "%s.off", f->function);
        wrong_calls_add(w);
    }
}
