/* test_proto.c - requests: the fragments of a shape, encoded and decoded, are the shape. */
#include "mpi/quirks.h"
#include "mpi/world.h"
#include "node/heap.h"
#include "transport/am/fragment.h"
#include "transport/am/proto.h"
#include "shape_model.h"
#include "unit.h"

enum { BUFFER = AM_PACKED_MAX + AM_HEADERS_MAX }; /* for what a server receives in buffers */
static _Alignas(64) char message[BUFFER];
static struct am_decoded decoded;

enum { ARENA = 4 << 20 };
static char *local, *remote;

/* All memory is that of every process. */
bool __wrap_armcii_heap_is_used(int process, const void *memory, size_t bytes);
bool __wrap_armcii_heap_is_used(int process, const void *memory, size_t bytes)
{
    return process >= 0 && memory && bytes > 0;
}

static int nodes[4];

static void use_library(const char *mpi, bool workarounds)
{
    armcii_quirks_decide(mpi, true, workarounds);
    armcii_am_share_among(1);
}

static void start(void)
{
    *(struct world *)(uintptr_t)armcii_world = (struct world){.size = 4, .node_of = nodes};
    use_library("none", false);
    local = malloc(ARENA);
    remote = malloc(ARENA);
    ck_assert(local && remote);
    for (int i = 0; i < ARENA; i++)
        local[i] = (char)(i * 7 + (i >> 8));
}

static void stop(void)
{
    free(remote);
    free(local);
    free(decoded.runs);
    decoded = (struct am_decoded){0};
}

/* Encode the fragment as a put and decode it: append its bytes, with the data as local side, to
 * *seen. */
static void transmit(const struct shape *fragment, struct bytes *seen)
{
    const struct am_request_header request = {.kind = AM_PUT, .owner = 3};
    size_t length = armcii_am_request_length(&request, fragment);
    if (fragment->bytes <= armcii_am_limits->eager_max)
        ck_assert_uint_le(length + sizeof(struct am_message_header), armcii_am_limits->message_max);
    ck_assert_uint_le(length, BUFFER);
    ck_assert_uint_eq(length % 8, 0); /* the next request is aligned */
    memset(message, 0xee, sizeof message);
    armcii_am_encode(&request, fragment, length, message);
    const struct am_request_header *header = (const struct am_request_header *)(void *)message;
    ck_assert_uint_eq(header->length, length);
    ck_assert_int_eq(header->owner, 3);
    if (length < sizeof message) ck_assert_int_eq(message[length], (char)0xee);
    ck_assert_msg(armcii_am_decode(header, length, &decoded), "%s", decoded.wrong);
    size_t before = seen->n;
    bytes_add_shape(seen, &decoded.shape);
    for (size_t i = before; i < seen->n;
         i++) /* the next fragment overwrites the message: copy the byte itself */
        seen->pair[i].at[SHAPE_LOCAL] =
            (char *)(uintptr_t)(unsigned char)*seen->pair[i].at[SHAPE_LOCAL];
}

/* The same bytes in the same order, at the same remote addresses. */
static void check_seen(const struct shape *s, const struct bytes *seen)
{
    struct bytes expected = {0};
    bytes_add_shape(&expected, s);
    ck_assert_uint_eq(seen->n, expected.n);
    for (size_t i = 0; i < seen->n; i++) {
        const struct pair *e = &expected.pair[i], *p = &seen->pair[i];
        if (p->at[SHAPE_REMOTE] != e->at[SHAPE_REMOTE])
            ck_abort_msg("byte %zu of %zu: expected at %p, seen at %p", i, seen->n,
                         (void *)e->at[SHAPE_REMOTE], (void *)p->at[SHAPE_REMOTE]);
        if ((uintptr_t)p->at[SHAPE_LOCAL] != (unsigned char)*e->at[SHAPE_LOCAL])
            ck_abort_msg("byte %zu of %zu: expected %d, seen %d", i, seen->n,
                         (unsigned char)*e->at[SHAPE_LOCAL], (int)(uintptr_t)p->at[SHAPE_LOCAL]);
    }
    bytes_free(&expected);
}

static size_t travel_in_fragments(const struct shape *s)
{
    struct am_cursor cursor;
    struct vector_run runs[AM_RUNS];
    struct shape fragment;
    struct bytes seen = {0};
    size_t fragments = 0;
    armcii_am_fragment_begin_accumulate(&cursor, s);
    for (; armcii_am_fragment_next(s, &cursor, runs, &fragment); fragments++) {
        if (fragment.bytes > armcii_am_limits->eager_max) ck_assert(fragment.form != SHAPE_VECTOR);
        const bool inside = s->form == SHAPE_VECTOR && cursor.offset > 0; /* a segment */
        if (inside) ck_assert_uint_eq(fragment.bytes % SHAPE_SPLIT_UNIT, 0);
        transmit(&fragment, &seen);
    }
    check_seen(s, &seen);
    bytes_free(&seen);
    return fragments;
}

static void travels(struct sample *m)
{
    travel_in_fragments(&m->shape);
}

TEST(small_shapes_travel)
{
    on_samples(200, 6, travels);
}

/* ---- what needs several fragments */

static struct shape patch(int segment, int n, int planes)
{
    struct shape s;
    int count[3] = {segment, n, planes}, far[2] = {2 * segment, 2 * segment * n + 8},
        near[2] = {segment, segment * n};
    ck_assert_int_eq(armcii_shape_strided(&s, local, near, remote, far, count, 2), SHAPE_OK);
    return s;
}

/* Evenly spaced segments: short ones become a patch, zero-copy ones stay a vector. */
TEST(even_vectors_travel_as_patches_unless_their_segments_are_long)
{
    static char memory[2][4];
    for (int is_long = 0; is_long < 2; is_long++) {
        struct shape vector, patch;
        size_t bytes = is_long ? AM_FRAGMENT_MAX + 8 : AM_FRAGMENT_MAX;
        void *near[3], *far[3];
        for (int i = 0; i < 3; i++) {
            near[i] = (char *)((uintptr_t)memory[0] + (uintptr_t)i * 2 * AM_FRAGMENT_MAX);
            far[i] = (char *)((uintptr_t)memory[1] + (uintptr_t)i * 3 * AM_FRAGMENT_MAX);
        }
        struct vector_run run = {near, far, bytes, 3};
        ck_assert_int_eq(armcii_shape_vector(&vector, &run, 1), SHAPE_OK);
        const struct shape *seen = armcii_am_vector_to_strided(&vector, &patch);
        ck_assert_msg(seen == (is_long ? &vector : &patch), "segments of %zu bytes: expected %s",
                      bytes, is_long ? "a vector" : "a patch");
    }
}

TEST(long_patches_travel)
{
    const struct shape rows = patch(24, 1000, 80), long_rows = patch(100000, 3, 2);
    ck_assert_uint_eq(travel_in_fragments(&rows), 4);
    ck_assert_uint_le(travel_in_fragments(&long_rows), 6);
    use_library("MPICH Version:\t4.0.2", true); /* packed, as short */
    ck_assert_uint_eq(travel_in_fragments(&rows), 4);
    ck_assert_uint_le(travel_in_fragments(&long_rows), 6);
}

/* Run r has n[r] segments of bytes[r] bytes. */
static void vector_travels(const size_t bytes[], const size_t n[], size_t nruns,
                           size_t least_fragments)
{
    struct vector_run *runs = calloc(nruns, sizeof *runs);
    size_t at = 0;
    struct shape s;
    for (size_t r = 0; r < nruns; r++) {
        void **from = calloc(n[r] + 1, sizeof *from), **to = calloc(n[r] + 1, sizeof *to);
        for (size_t i = 0; i < n[r]; i++, at += bytes[r] + 8) {
            from[i] = local + at;
            to[i] = remote + (ARENA - at - bytes[r]);
        }
        ck_assert_uint_le(at, ARENA);
        runs[r] = (struct vector_run){from, to, bytes[r], n[r]};
    }
    ck_assert_int_eq(armcii_shape_vector(&s, runs, nruns), SHAPE_OK);
    ck_assert_uint_ge(travel_in_fragments(&s), least_fragments);
    for (size_t r = 0; r < nruns; r++) {
        free((void *)(uintptr_t)runs[r].local);
        free((void *)(uintptr_t)runs[r].remote);
    }
    free(runs);
}

TEST(long_vectors_travel)
{
    enum { RUNS = 200 };
    size_t bytes[RUNS], n[RUNS];
    for (size_t r = 0; r < RUNS; r++) {
        bytes[r] = r % 17;
        n[r] = r % 23;
    }
    vector_travels(bytes, n, RUNS, 3);
    vector_travels((size_t[]){8}, (size_t[]){9000}, 1, 4);
    vector_travels((size_t[]){20000, 16}, (size_t[]){7, 100}, 2, 3);
    vector_travels((size_t[]){1, 200000, 3, AM_FRAGMENT_MAX, 60000, 5},
                   (size_t[]){2, 2, 0, 1, 3, 1000}, 6, 10);
}

/* Of an accumulate: each fragment has whole elements, however many clients share the room. */
TEST(long_segments_are_cut_between_elements)
{
    for (int clients = 2; clients < 40; clients++) {
        armcii_am_share_among(clients);
        vector_travels((size_t[]){57344}, (size_t[]){2}, 1, 4);
    }
}

/* ---- how long shapes are cut */

static size_t first_fragment(const struct shape *s, enum shape_side written, bool *in_order)
{
    struct am_cursor cursor;
    struct vector_run runs[AM_RUNS];
    struct shape fragment;
    armcii_am_fragment_begin(&cursor, s, written);
    ck_assert(armcii_am_fragment_next(s, &cursor, runs, &fragment));
    *in_order = cursor.in_order;
    return fragment.bytes;
}

TEST(long_patches_are_one_fragment_where_mpi_is_fast_else_packed)
{
    bool in_order;
    struct shape s = patch(512, 100, 20);
    ck_assert_uint_eq(first_fragment(&s, SHAPE_REMOTE, &in_order), s.bytes);
    ck_assert(!in_order);
    ck_assert_uint_le(first_fragment(&s, SHAPE_LOCAL, &in_order), AM_REPLY_MAX);
    ck_assert(!in_order);
    use_library("MPICH Version:\t4.0.2", true);
    ck_assert_uint_le(first_fragment(&s, SHAPE_REMOTE, &in_order), AM_PACKED_MAX);
    ck_assert_uint_gt(first_fragment(&s, SHAPE_REMOTE, &in_order), AM_PACKED_MAX / 2);
    ck_assert_uint_gt(first_fragment(&s, SHAPE_LOCAL, &in_order), AM_FRAGMENT_MAX);
    ck_assert(!in_order);
}

/* Up to 64 KiB every fragment is eager and not needlessly small. */
static void has_fragments_of(const char *mpi, const struct shape *s, size_t most)
{
    struct am_cursor cursor;
    struct vector_run runs[AM_RUNS];
    struct shape fragment;
    size_t sum = 0;
    use_library(mpi, true);
    armcii_am_fragment_begin(&cursor, s, SHAPE_LOCAL);
    for (; armcii_am_fragment_next(s, &cursor, runs, &fragment); sum += fragment.bytes) {
        ck_assert_uint_le(fragment.bytes, most);
        ck_assert_uint_ge(2 * fragment.bytes, s->bytes - sum < most ? 2 * (s->bytes - sum) : most);
    }
    ck_assert_uint_eq(sum, s->bytes);
}

TEST(moderate_data_are_eager)
{
    enum { BYTES = AM_RNDV_MIN, SEGMENT = 1 << 10 };
    static void *near[BYTES / SEGMENT], *far[BYTES / SEGMENT];
    struct shape contiguous, rows = patch(SEGMENT, 8, 8), list;
    for (int i = 0; i < BYTES / SEGMENT; i++)
        near[i] = local + i * SEGMENT, far[i] = remote + i * SEGMENT + i * i * 8;
    struct vector_run run = {near, far, SEGMENT, BYTES / SEGMENT};
    armcii_shape_contiguous(&contiguous, local, remote, BYTES);
    armcii_shape_vector(&list, &run, 1);
    const struct shape *const shapes[] = {&contiguous, &rows, &list};
    for (int i = 0; i < 3; i++) {
        has_fragments_of("MPICH Version:\t4.0.2", shapes[i], 16 << 10);
        has_fragments_of("Open MPI v4.1.4, package: x", shapes[i], 32 << 10);
    }
}

/* Longer contiguous data are zero-copy. */
TEST(long_contiguous_data_are_one_fragment)
{
    bool in_order;
    struct shape s;
    armcii_shape_contiguous(&s, local, remote, AM_RNDV_MIN + 1);
    ck_assert_uint_eq(first_fragment(&s, SHAPE_REMOTE, &in_order), s.bytes);
}

/* A segment above the eager limit takes eager fragments without other segments. */
TEST(moderate_vectors_of_long_segments_travel)
{
    struct vector_run runs[2];
    struct shape s;
    void *near[4], *far[4];
    for (int i = 0; i < 4; i++)
        near[i] = local + i * 24000, far[i] = remote + i * 25000;
    runs[0] = (struct vector_run){near, far, 20000, 2};
    runs[1] = (struct vector_run){near + 2, far + 2, 1000, 2};
    use_library("MPICH Version:\t4.0.2", true);
    armcii_shape_vector(&s, runs, 2);
    ck_assert_uint_eq(travel_in_fragments(&s), 5);
}

TEST(backward_strides_are_packed)
{
    bool in_order;
    struct shape s = patch(512, 100, 20);
    s.stride[SHAPE_REMOTE][0] = -1024;
    s.remote += 200000;
    ck_assert_uint_le(first_fragment(&s, SHAPE_REMOTE, &in_order), AM_PACKED_MAX);
}

/* Derived datatypes of Intel MPI ignore a stride of one byte. */
TEST(strides_with_defective_datatypes_are_packed)
{
    bool in_order;
    struct shape s = patch(512, 100, 20);
    s.stride[SHAPE_LOCAL][0] = 1;
    ck_assert_uint_eq(first_fragment(&s, SHAPE_REMOTE, &in_order), s.bytes);
    use_library("Intel(R) MPI Library 2021.18", true);
    ck_assert_uint_le(first_fragment(&s, SHAPE_REMOTE, &in_order), AM_PACKED_MAX);
}

TEST(fragments_that_write_a_byte_twice_stay_in_order)
{
    bool in_order;
    struct shape s = patch(512, 100, 20);
    s.stride[SHAPE_REMOTE][1] = 512;
    ck_assert_uint_le(first_fragment(&s, SHAPE_REMOTE, &in_order), AM_FRAGMENT_MAX);
    ck_assert(in_order);
    first_fragment(&s, SHAPE_LOCAL, &in_order);
    ck_assert(!in_order);
}

/* One request of a put may correspond to several replies of a get. */
TEST(replies_that_write_a_byte_twice_stay_in_order)
{
    static const char *const mpi[] = {"MPICH Version:\t4.0.2", "Open MPI v4.1.4, package: x"};
    bool in_order;
    struct shape s = patch(1024, 40, 1);
    s.stride[SHAPE_LOCAL][0] = 512;
    for (int i = 0; i < 2; i++) {
        use_library(mpi[i], true);
        ck_assert_uint_lt(first_fragment(&s, SHAPE_LOCAL, &in_order), s.bytes);
        ck_assert(in_order);
        first_fragment(&s, SHAPE_REMOTE, &in_order);
        ck_assert(!in_order);
    }
}

const struct unit unit = {.begin = start, .end = stop};
