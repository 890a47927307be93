/* wrong_transfers.c - every transfer function times every mistake that its arguments allow. */
#include <limits.h>

#include "wrong_calls.h"

/* What a function is, and what a mistake needs. */
enum {
    ANY = 0,
    GET = 1,
    ACC = 2,
    CONTIGUOUS = 4,
    STRIDED = 8,
    VECTOR = 16,
    VALUE = 32,
    FLAG = 64,
    AGGREGATE = 128
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

#define LOCAL_SIDE  a->local, a->local_stride
#define REMOTE_SIDE a->remote, a->remote_stride
#define PATCH       a->count, a->levels
#define SCALE       a->datatype, a->scale

static int contiguous(struct row *row, void *arguments)
{
    struct arguments *a = arguments;
    FUNCTION(ARMCI_Put, CONTIGUOUS, ARMCI_Put(a->local, a->remote, a->bytes, a->proc));
    FUNCTION(ARMCI_Get, CONTIGUOUS | GET, ARMCI_Get(a->remote, a->local, a->bytes, a->proc));
    FUNCTION(ARMCI_Acc, CONTIGUOUS | ACC, ARMCI_Acc(SCALE, a->local, a->remote, a->bytes, a->proc));
    FUNCTION(ARMCI_NbPut, CONTIGUOUS,
             ARMCI_NbPut(a->local, a->remote, a->bytes, a->proc, &stage.hdl));
    FUNCTION(ARMCI_NbGet, CONTIGUOUS | GET,
             ARMCI_NbGet(a->remote, a->local, a->bytes, a->proc, NULL));
    FUNCTION(ARMCI_NbAcc, CONTIGUOUS | ACC,
             ARMCI_NbAcc(SCALE, a->local, a->remote, a->bytes, a->proc, &stage.hdl));
    FUNCTION(ARMCI_Put_flag, CONTIGUOUS | FLAG,
             ARMCI_Put_flag(a->local, a->remote, a->bytes, a->flag, 1, a->proc));
    return 0;
}

static int strided_and_vector(struct row *row, void *arguments)
{
    struct arguments *a = arguments;
    FUNCTION(ARMCI_PutS, STRIDED, ARMCI_PutS(LOCAL_SIDE, REMOTE_SIDE, PATCH, a->proc));
    FUNCTION(ARMCI_GetS, STRIDED | GET, ARMCI_GetS(REMOTE_SIDE, LOCAL_SIDE, PATCH, a->proc));
    FUNCTION(ARMCI_AccS, STRIDED | ACC, ARMCI_AccS(SCALE, LOCAL_SIDE, REMOTE_SIDE, PATCH, a->proc));
    FUNCTION(ARMCI_NbPutS, STRIDED, ARMCI_NbPutS(LOCAL_SIDE, REMOTE_SIDE, PATCH, a->proc, NULL));
    FUNCTION(ARMCI_NbGetS, STRIDED | GET,
             ARMCI_NbGetS(REMOTE_SIDE, LOCAL_SIDE, PATCH, a->proc, &stage.hdl));
    FUNCTION(ARMCI_NbAccS, STRIDED | ACC,
             ARMCI_NbAccS(SCALE, LOCAL_SIDE, REMOTE_SIDE, PATCH, a->proc, &stage.hdl));
    FUNCTION(ARMCI_PutS_flag, STRIDED | FLAG,
             ARMCI_PutS_flag(LOCAL_SIDE, REMOTE_SIDE, PATCH, a->flag, 1, a->proc));
    FUNCTION(ARMCI_PutS_flag_dir, STRIDED | FLAG,
             ARMCI_PutS_flag_dir(LOCAL_SIDE, REMOTE_SIDE, PATCH, a->flag, 1, a->proc));
    FUNCTION(ARMCI_PutV, VECTOR, ARMCI_PutV(a->iov, a->entries, a->proc));
    FUNCTION(ARMCI_GetV, VECTOR | GET, ARMCI_GetV(a->iov, a->entries, a->proc));
    FUNCTION(ARMCI_AccV, VECTOR | ACC, ARMCI_AccV(SCALE, a->iov, a->entries, a->proc));
    FUNCTION(ARMCI_NbPutV, VECTOR, ARMCI_NbPutV(a->iov, a->entries, a->proc, &stage.hdl));
    FUNCTION(ARMCI_NbGetV, VECTOR | GET, ARMCI_NbGetV(a->iov, a->entries, a->proc, &stage.hdl));
    FUNCTION(ARMCI_NbAccV, VECTOR | ACC, ARMCI_NbAccV(SCALE, a->iov, a->entries, a->proc, NULL));
    return 0;
}

/* A value that is read wrongly is 0. */
static int read_nothing(bool zero)
{
    return zero ? NO_CODE : -1;
}

static int values(struct row *row, void *arguments)
{
    struct arguments *a = arguments;
    FUNCTION(ARMCI_PutValueInt, VALUE, ARMCI_PutValueInt(-1, a->remote, a->proc));
    FUNCTION(ARMCI_PutValueLong, VALUE, ARMCI_PutValueLong(-1, a->remote, a->proc));
    FUNCTION(ARMCI_PutValueFloat, VALUE, ARMCI_PutValueFloat(-1, a->remote, a->proc));
    FUNCTION(ARMCI_PutValueDouble, VALUE, ARMCI_PutValueDouble(-1, a->remote, a->proc));
    FUNCTION(ARMCI_NbPutValueInt, VALUE, ARMCI_NbPutValueInt(-1, a->remote, a->proc, &stage.hdl));
    FUNCTION(ARMCI_NbPutValueLong, VALUE, ARMCI_NbPutValueLong(-1, a->remote, a->proc, NULL));
    FUNCTION(ARMCI_NbPutValueFloat, VALUE,
             ARMCI_NbPutValueFloat(-1, a->remote, a->proc, &stage.hdl));
    FUNCTION(ARMCI_NbPutValueDouble, VALUE, ARMCI_NbPutValueDouble(-1, a->remote, a->proc, NULL));
    FUNCTION(ARMCI_GetValueInt, VALUE | GET,
             read_nothing(ARMCI_GetValueInt(a->remote, a->proc) == 0));
    FUNCTION(ARMCI_GetValueLong, VALUE | GET,
             read_nothing(ARMCI_GetValueLong(a->remote, a->proc) == 0));
    FUNCTION(ARMCI_GetValueFloat, VALUE | GET,
             read_nothing(!(ARMCI_GetValueFloat(a->remote, a->proc) != 0)));
    FUNCTION(ARMCI_GetValueDouble, VALUE | GET,
             read_nothing(!(ARMCI_GetValueDouble(a->remote, a->proc) != 0)));
    return 0;
}

static void begin_aggregate(void)
{
    ARMCI_INIT_HANDLE(&stage.hdl);
    ARMCI_SET_AGGREGATE_HANDLE(&stage.hdl);
}

static int end_aggregate(int code)
{
    check_long(ARMCI_Wait(&stage.hdl), 0, "ARMCI_Wait for an aggregate handle without a request");
    ARMCI_UNSET_AGGREGATE_HANDLE(&stage.hdl);
    return code;
}

/* One request of an aggregate handle, which is issued with the handle's Wait. */
#define AGGREGATED(NAME, IS, CALL)                                                                 \
    FUNCTION_OF(NAME, NULL, "aggregate_", (IS) | AGGREGATE,                                        \
                end_aggregate((begin_aggregate(), (CALL))))

static int aggregates(struct row *row, void *arguments)
{
    struct arguments *a = arguments;
    AGGREGATED(ARMCI_NbPut, CONTIGUOUS,
               ARMCI_NbPut(a->local, a->remote, a->bytes, a->proc, &stage.hdl));
    AGGREGATED(ARMCI_NbGet, CONTIGUOUS | GET,
               ARMCI_NbGet(a->remote, a->local, a->bytes, a->proc, &stage.hdl));
    AGGREGATED(ARMCI_NbAcc, CONTIGUOUS | ACC,
               ARMCI_NbAcc(SCALE, a->local, a->remote, a->bytes, a->proc, &stage.hdl));
    AGGREGATED(ARMCI_NbPutValueInt, VALUE, ARMCI_NbPutValueInt(-1, a->remote, a->proc, &stage.hdl));
    return 0;
}

/* Two segments of 8 bytes, 16 apart in the slice, and a third in the region beside for vectors. */
static void *right(int is)
{
    static struct arguments arguments, *a = &arguments;
    static double one = 1;
    bool get = is & GET;
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
    a->remotes[1] = stage.beside ? (char *)stage.beside[stage.p] + 16 : NULL;
    a->remotes[2] = stage.there + 128;
    a->iov = a->iovs;
    a->entries = 1;
    for (int i = 0; i < 2; i++)
        a->iovs[i] =
            (armci_giov_t){get ? a->remotes : a->locals, get ? a->locals : a->remotes, 8, ENTRIES};
    a->flag = (int *)(void *)(stage.there + 256);
    return a;
}

/* Names of arguments that differ: of the remote and the local side, of a length. */
static const char REMOTE[] = "remote", SOURCE[] = "local", LENGTH[] = "length",
                  SECOND_SOURCE[] = "second local", REMOTE_STRIDE[] = "remote stride",
                  LOCAL_STRIDE[] = "local stride";

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

static void set_bytes(struct arguments *a, int bytes)
{
    a->counts[0] = a->bytes = a->iovs[0].bytes = bytes;
}

/* Counts above the bytes, and a stride for each of the levels. */
static void set_patch(struct arguments *a, int levels, int count, int stride)
{
    a->levels = levels;
    for (int i = 0; i < levels; i++) {
        a->counts[i + 1] = count;
        a->remote_strides[i] = stride;
    }
}

/* The wrong segment is not in the first entry. */
static void second_entry(struct arguments *a, char *address)
{
    a->entries = 2;
    a->iovs[0].ptr_array_len = 1;
    a->locals[1] = address;
}

static int remote_mistakes(struct row *row, void *arguments)
{
    struct arguments *a = arguments;
    MISTAKE(proc_n, ANY, 0, RANK, "proc", "n", a->proc = stage.n);
    MISTAKE(proc_negative, ANY, 0, RANK, "proc", "-1", a->proc = -1);
    MISTAKE(proc_largest, ANY, 0, RANK, "proc", "2147483647", a->proc = INT_MAX);
    MISTAKE(proc_smallest, ANY, 0, RANK, "proc", "-2147483648", a->proc = INT_MIN);
    MISTAKE(remote_null, ANY, 0, ADDRESS, REMOTE, "", set_remote(a, NULL));
    MISTAKE(remote_local, ANY, 0, ADDRESS, REMOTE, "0x", set_remote(a, stage.nowhere));
    MISTAKE(remote_gone, ANY, 0, ADDRESS, REMOTE, "0x", set_remote(a, stage.gone));
    MISTAKE(remote_before, ANY, 0, ADDRESS, REMOTE, "0x", set_remote(a, stage.there - 8));
    MISTAKE(remote_after, ANY, 0, ADDRESS, REMOTE, "0x", set_remote(a, stage.there + SLICE + 4));
    MISTAKE(remote_wraps, CONTIGUOUS | VECTOR, AGGREGATE, RANGE, REMOTE, "",
            set_remote(a, last_address(8)));
    MISTAKE(remote_wraps, AGGREGATE, VALUE, ADDRESS, REMOTE, "0x", set_remote(a, last_address(8)));
    MISTAKE(remote_wraps, STRIDED, 0, COUNT, REMOTE, "0x", set_remote(a, last_address(8)));
    MISTAKE(remote_wraps, VALUE, AGGREGATE, RANGE, REMOTE, "", set_remote(a, last_address(2)));
    /* An aligned address, with 12 bytes to the end. */
    MISTAKE(leaves, CONTIGUOUS | STRIDED, 0, RANGE, REMOTE, "0x",
            set_remote(a, stage.there + SLICE - 12), a->counts[0] = a->bytes = 16);
    MISTAKE(leaves, VALUE, 0, RANGE, REMOTE, "0x", set_remote(a, stage.there + SLICE - 2));
    MISTAKE(leaves, VECTOR, 0, RANGE, REMOTE, "0x", set_remote(a, stage.there + SLICE - 4));
    MISTAKE(leaves_one_region, VECTOR, 0, RANGE, REMOTE, "0x",
            set_remote(a, stage.there + SLICE - 4), a->remotes[1] = stage.there + 64);
    MISTAKE(largest_leaves, CONTIGUOUS, 0, RANGE, REMOTE, "0x", a->bytes = INT_MAX - 15);
    MISTAKE(last_row_leaves, STRIDED, 0, RANGE, REMOTE, "0x", set_patch(a, 1, SLICE / 16 + 1, 16));
    MISTAKE(goes_below, STRIDED, 0, RANGE, REMOTE, "0x", set_patch(a, 1, 2, -16));
    /* The first row of the second plane fits. */
    MISTAKE(plane_leaves, STRIDED, 0, RANGE, REMOTE, "0x", set_patch(a, 2, 2, 24),
            a->remote_strides[1] = SLICE - 20);
    MISTAKE(billion_segments, STRIDED, 0, RANGE, REMOTE, "0x", set_patch(a, 2, 1 << 15, 16),
            a->remote_strides[1] = 24);
    MISTAKE(billion_segments_below, STRIDED, 0, RANGE, REMOTE, "0x", set_patch(a, 2, 1 << 15, -16),
            a->remote_strides[1] = -24);
    /* In both directions. */
    MISTAKE(all_levels_leave, STRIDED, 0, RANGE, REMOTE, "0x", set_patch(a, LEVELS, 2, INT_MAX - 7),
            a->remote_strides[1] = INT_MIN);
    MISTAKE(stride_largest, STRIDED, 0, RANGE, REMOTE, "0x", set_patch(a, 1, INT_MAX, INT_MAX - 7));
    MISTAKE(strides_largest, STRIDED, 0, RANGE, REMOTE, "0x", set_patch(a, 2, INT_MAX, INT_MAX - 7),
            a->counts[2] = 1 << 20);
    MISTAKE(stride_smallest, STRIDED, 0, COUNT, REMOTE, "0x", set_patch(a, 1, INT_MAX, INT_MIN));
    MISTAKE(strides_smallest, STRIDED, 0, COUNT, REMOTE, "0x", set_patch(a, 3, 1 << 20, INT_MIN),
            a->counts[3] = 1 << 19);
    MISTAKE(flag_null, FLAG, 0, ADDRESS, "flag", "", a->flag = NULL);
    MISTAKE(flag_local, FLAG, 0, ADDRESS, "flag", "0x", a->flag = (int *)(void *)stage.nowhere);
    MISTAKE(flag_gone, FLAG, 0, ADDRESS, "flag", "0x", a->flag = (int *)(void *)stage.gone);
    MISTAKE(flag_before, FLAG, 0, ADDRESS, "flag", "0x",
            a->flag = (int *)(void *)(stage.there - 4));
    MISTAKE(flag_leaves, FLAG, 0, RANGE, "flag", "0x",
            a->flag = (int *)(void *)(stage.there + SLICE - 2));
    return 0;
}

static int count_mistakes(struct row *row, void *arguments)
{
    struct arguments *a = arguments;
    MISTAKE(bytes_negative, CONTIGUOUS, 0, COUNT, "bytes", "-1", a->bytes = -1);
    MISTAKE(bytes_smallest, CONTIGUOUS, 0, COUNT, "bytes", "-2147483648", a->bytes = INT_MIN);
    MISTAKE(levels_negative, STRIDED, 0, COUNT, "stride_levels", "-1", a->levels = -1);
    MISTAKE(levels_many, STRIDED, 0, COUNT, "stride_levels", "17", a->levels = LEVELS + 1);
    MISTAKE(levels_largest, STRIDED, 0, COUNT, "stride_levels", "2147483647", a->levels = INT_MAX);
    MISTAKE(levels_smallest, STRIDED, 0, COUNT, "stride_levels", "-2147483648",
            a->levels = INT_MIN);
    MISTAKE(count_negative, STRIDED, 0, COUNT, "count", "count[1] = -2", a->counts[1] = -2);
    MISTAKE(count_smallest, STRIDED, 0, COUNT, "count", "count[1] = -2147483648",
            a->counts[1] = INT_MIN);
    MISTAKE(row_negative, STRIDED, 0, COUNT, "count", "count[0] = -8", a->counts[0] = -8);
    MISTAKE(negative_after_zero, STRIDED, 0, COUNT, "count", "count[2] = -1",
            set_patch(a, 2, 0, 16), a->counts[2] = -1);
    MISTAKE(total_overflows, STRIDED, 0, COUNT, "count",
            "{2147483640, 2147483647, 2147483647, 2147483647}", set_patch(a, 3, INT_MAX, 16),
            a->counts[0] = INT_MAX - 7);
    MISTAKE(every_count_largest, STRIDED, 0, COUNT, "count", "{2147483640, 2147483647, ",
            set_patch(a, LEVELS, INT_MAX, INT_MAX - 7), a->counts[0] = INT_MAX - 7);
    MISTAKE(iov_len_negative, VECTOR, 0, COUNT, "iov_len", "-1", a->entries = -1);
    MISTAKE(iov_len_smallest, VECTOR, 0, COUNT, "iov_len", "-2147483648", a->entries = INT_MIN);
    MISTAKE(iov_bytes, VECTOR, 0, COUNT, "iov", "-8", a->iovs[0].bytes = -8);
    MISTAKE(iov_segments, VECTOR, 0, COUNT, "iov", "-3", a->iovs[0].ptr_array_len = -3);
    MISTAKE(second_bytes, VECTOR, 0, COUNT, "iov", "-2147483648", a->entries = 2,
            a->iovs[1].bytes = INT_MIN);
    MISTAKE(second_segments, VECTOR, 0, COUNT, "iov", "-2147483648", a->entries = 2,
            a->iovs[1].ptr_array_len = INT_MIN);
    return 0;
}

static int local_mistakes(struct row *row, void *arguments)
{
    struct arguments *a = arguments;
    MISTAKE(count_null, STRIDED, 0, ADDRESS, "count", "NULL", a->count = NULL);
    MISTAKE(local_stride_null, STRIDED, 0, ADDRESS, LOCAL_STRIDE, "NULL", a->local_stride = NULL);
    MISTAKE(remote_stride_null, STRIDED, 0, ADDRESS, REMOTE_STRIDE, "NULL",
            a->remote_stride = NULL);
    MISTAKE(local_null, ANY, VALUE, ADDRESS, SOURCE, "NULL", a->local = NULL,
            a->locals[ENTRIES - 1] = NULL);
    MISTAKE(second_local_null, VECTOR, 0, ADDRESS, SECOND_SOURCE, "NULL", second_entry(a, NULL));
    /* A contiguous one has 16 bytes. */
    MISTAKE(local_wraps, CONTIGUOUS | VECTOR, VALUE, RANGE, SOURCE, "0x",
            a->local = last_address(12), a->locals[ENTRIES - 1] = last_address(4));
    MISTAKE(local_wraps, STRIDED, 0, COUNT, SOURCE, "0x", a->local = last_address(12));
    MISTAKE(local_goes_below, STRIDED, 0, COUNT, SOURCE, "0x8 ", a->local = (char *)8,
            a->local_strides[0] = -16);
    MISTAKE(second_local_wraps, VECTOR, 0, RANGE, SECOND_SOURCE, "0x",
            second_entry(a, last_address(1)));
    MISTAKE(iov_null, VECTOR, 0, ADDRESS, "iov", "NULL", a->iov = NULL);
    MISTAKE(iov_src_null, VECTOR, 0, ADDRESS, "iov.src_ptr_array", "NULL",
            a->iovs[0].src_ptr_array = NULL);
    MISTAKE(iov_dst_null, VECTOR, 0, ADDRESS, "iov.dst_ptr_array", "NULL",
            a->iovs[0].dst_ptr_array = NULL);
    MISTAKE(scale_null, ACC, 0, ADDRESS, "scale", "NULL", a->scale = NULL);
    MISTAKE(type_unknown, ACC, 0, TYPE, "datatype", "6", a->datatype = ARMCI_ACC_DCP + 1);
    MISTAKE(type_negative, ACC, 0, TYPE, "datatype", "-1", a->datatype = -1);
    MISTAKE(type_largest, ACC, 0, TYPE, "datatype", "2147483647", a->datatype = INT_MAX);
    MISTAKE(type_smallest, ACC, 0, TYPE, "datatype", "-2147483648", a->datatype = INT_MIN);
    MISTAKE(part_of_element, ACC, 0, ALIGN, LENGTH, "12", set_bytes(a, 12));
    MISTAKE(half_of_element, ACC, 0, ALIGN, LENGTH, "8", set_bytes(a, 8),
            a->datatype = ARMCI_ACC_DCP);
    return 0;
}

static int mistakes(struct row *row, void *arguments)
{
    remote_mistakes(row, arguments);
    count_mistakes(row, arguments);
    return local_mistakes(row, arguments);
}

/* What the function calls an argument. */
static const char *name_of(const char *argument, int is)
{
    bool get = is & GET;
    if (argument == REMOTE) return is & VECTOR ? "iov" : get ? "src" : "dst";
    if (argument == SOURCE && is & VECTOR)
        return get ? "iov[0].dst_ptr_array[2]" : "iov[0].src_ptr_array[2]";
    if (argument == SOURCE) return get ? "dst" : "src";
    if (argument == SECOND_SOURCE)
        return get ? "iov[1].dst_ptr_array[1]" : "iov[1].src_ptr_array[1]";
    if (argument == REMOTE_STRIDE) return get ? "src_stride_ar" : "dst_stride_ar";
    if (argument == LOCAL_STRIDE) return get ? "dst_stride_ar" : "src_stride_ar";
    if (argument == LENGTH) return is & VECTOR ? "iov.bytes" : is & STRIDED ? "count[0]" : "bytes";
    return argument;
}

void wrong_transfers_collect(void)
{
    static const struct product products[] = {
        {contiguous, mistakes, right, name_of, 0},
        {strided_and_vector, mistakes, right, name_of, 0},
        {values, mistakes, right, name_of, 0},
        {aggregates, mistakes, right, name_of, AGGREGATE},
    };
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
        wrong_calls_add_product(&products[i]);
}
