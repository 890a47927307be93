/* test_method.c - the path of a transfer under each configuration and each defect of an MPI
 * library; and the bytes that each path moves, with operations that take effect at the worst
 * moment. */
#include "fake_job.h"
#include "mpi/quirks.h"
#include "shape_model.h"
#include "unit.h"
#include "transport/rma/rma.h"

#define OPEN_MPI_4 "Open MPI v4.1.4, package: Debian OpenMPI"
#define OPEN_MPI_5 "Open MPI v5.0.11, package: Open MPI"
#define MPICH_4    "MPICH Version:      4.3.2\n"
#define INTEL_2018 "Intel(R) MPI Library 2018.4 for Linux* OS\n"
#define INTEL_2021 "Intel(R) MPI Library 2021.18 for Linux* OS\n"

/* ---- shapes; their memory is never accessed ---- */

enum form {
    CONTIGUOUS,
    NESTED,      /* strides nest on both sides */
    ODD,         /* strides do not nest */
    WIDE,        /* 300 segments, strides nest */
    FOLDED,      /* strided, segments overlap on the remote side */
    FOLDED_HERE, /* ... on the local side */
    BACKWARDS,   /* a negative stride on the remote side */
    BACKWARDS_HERE,
    LIST,        /* vector */
    LONG_LIST,   /* of 300 segments */
    LIST_FOLDED, /* vector, segments overlap on the remote side */
    LIST_FOLDED_HERE,
    FORMS
};
static const char *const form_names[FORMS] = {
    "contiguous", "nested",         "odd",  "wide",      "folded",      "folded here",
    "backwards",  "backwards here", "list", "long list", "list folded", "list folded here"};

enum { MANY = 300 };
static char *const here = (char *)0x100000, *const there = (char *)0x900000;
static void *local[MANY], *remote[MANY];
static struct vector_run run;

static void strided(struct shape *s, int here_stride, int there_stride, int n)
{
    int count[] = {16, n, 2},
        strides[2][2] = {{here_stride, 40 * here_stride}, {there_stride, 40 * there_stride}};
    if (here_stride == 24) strides[0][1] = strides[1][1] = 1000; /* not a multiple */
    if (n == MANY) strides[0][1] = strides[1][1] = MANY * here_stride;
    ck_assert_int_eq(armcii_shape_strided(s, here, strides[0], there, strides[1], count, 2),
                     SHAPE_OK);
    ck_assert_int_eq(s->form, SHAPE_STRIDED);
}

static void list(struct shape *s, size_t n, size_t here_step, size_t there_step)
{
    for (size_t i = 0; i < n; i++) {
        local[i] = here + here_step * i;
        remote[i] = there + there_step * i;
    }
    run = (struct vector_run){local, remote, 16, n};
    ck_assert_int_eq(armcii_shape_vector(s, &run, 1), SHAPE_OK);
}

static void make(enum form form, struct shape *s)
{
    switch (form) {
    case CONTIGUOUS: armcii_shape_contiguous(s, here, there, 4096); break;
    case NESTED: strided(s, 32, 32, 5); break;
    case ODD: strided(s, 24, 24, 5); break;
    case WIDE: strided(s, 32, 32, MANY); break;
    case FOLDED: strided(s, 32, 8, 5); break;
    case FOLDED_HERE: strided(s, 8, 32, 5); break;
    case BACKWARDS: strided(s, 32, -32, 5); break;
    case BACKWARDS_HERE: strided(s, -32, 32, 5); break;
    case LIST: list(s, 10, 32, 64); break;
    case LONG_LIST: list(s, MANY, 16, 64); break;
    case LIST_FOLDED: list(s, 10, 32, 8); break;
    default: list(s, 10, 8, 32); break;
    }
}

/* ---- rows: a configuration, an operation, the expected method for each shape ---- */

/* The method of a transfer; in the rows, its initial. */
enum method { WHOLE, STRIDED, INDEXED, BATCHED, CONSERVATIVE };
static const char method_initials[] = "wsibc";
static const char *const method_paths[] = {"contiguous", "datatype", "datatype", "batched",
                                           "conservative"};

struct row {
    const char *setting[2];
    const char *library;
    bool several_nodes;
    enum op_kind kind;
    const char *methods; /* the initial of a method for each form; blanks do not count */
};

/* Columns as in enum form: contiguous, strided ones, vectors. */
static const struct row rows[] = {
    /* A library without defects. */
    {{0}, "", 0, OP_PUT, "w ssscsss iici"},
    {{0}, "", 0, OP_GET, "w sssscss iiic"},
    {{0}, "", 0, OP_ACC, "w sssbsss iibi"},
    /* Forced methods for strided transfers. */
    {{"ARMCI_STRIDED_METHOD=iov"}, "", 0, OP_PUT, "w iiiciii iici"},
    {{"ARMCI_STRIDED_METHOD=iov", "ARMCI_IOV_METHOD=batched"}, "", 0, OP_GET, "w bbbbcbb bbbc"},
    {{"ARMCI_STRIDED_METHOD=iov", "ARMCI_IOV_METHOD=consrv"}, "", 0, OP_ACC, "w ccccccc cccc"},
    /* Forced methods for vectors. */
    {{"ARMCI_IOV_METHOD=consrv"}, "", 0, OP_PUT, "w ssscsss cccc"},
    {{"ARMCI_IOV_METHOD=batched"}, "", 0, OP_PUT, "w ssscsss bbcb"},
    {{"ARMCI_IOV_METHOD=direct"}, "", 0, OP_PUT, "w ssscsss iici"},
    {{"ARMCI_IOV_METHOD=direct"}, "", 0, OP_ACC, "w sssbsss iibi"},
    /* MPICH: accumulates of many segments. */
    {{0}, MPICH_4, 0, OP_ACC, "w ssbbsss ibbi"},
    {{0}, MPICH_4, 0, OP_PUT, "w ssscsss iici"},
    /* Open MPI: accumulates with indexed types, also when strided transfers are made so; negative
       strides. */
    {{0}, OPEN_MPI_5, 1, OP_ACC, "w sssbsbb bbbb"},
    {{"ARMCI_STRIDED_METHOD=iov"}, OPEN_MPI_5, 0, OP_ACC, "w bbbbbbb bbbb"},
    {{"ARMCI_IOV_METHOD=direct"}, OPEN_MPI_5, 0, OP_ACC, "w sssbsbb bbbb"},
    {{0}, OPEN_MPI_5, 1, OP_GET, "w sssscbb iiic"},
    /* Open MPI 4 between nodes: accumulates with any derived type. */
    {{0}, OPEN_MPI_4, 0, OP_ACC, "w sssbsbb bbbb"},
    {{0}, OPEN_MPI_4, 1, OP_ACC, "w bbbbbbb bbbb"},
    {{0}, OPEN_MPI_4, 1, OP_PUT, "w ssscsbb iici"},
};

static void begin(const struct row *row)
{
    job_start((struct job){.library = row->library,
                           .several_nodes = row->several_nodes,
                           .setting = {row->setting[0], row->setting[1]}});
}

static struct op_verb verb_of(enum op_kind kind)
{
    return (struct op_verb){kind, ELEMENT_INT};
}

static bool has_typing(enum method method, enum rma_typing typing)
{
    if (method == STRIDED) return typing == RMA_STRIDED;
    return method != INDEXED || typing == RMA_INDEXED;
}

/* The path chosen for op. */
static const char *path_of(struct rma_op *op)
{
    armcii_rma_choose(op);
    return armcii_path_names[op->path];
}

TABLE_TEST(paths, rows)
{
    const struct row *row = &rows[_i];
    const char *initial = row->methods;
    begin(row);
    for (enum form form = 0; form < FORMS; form++, initial++) {
        initial += strspn(initial, " ");
        enum method want = (enum method)(strchr(method_initials, *initial) - method_initials);
        struct shape shape;
        make(form, &shape);
        struct rma_op op = {.verb = verb_of(row->kind), .shape = &shape};
        const char *path = path_of(&op);
        ck_assert_msg(strcmp(path, method_paths[want]) == 0 && has_typing(want, op.typing),
                      "row %d, %s: expected %s (%d), seen %s (typing %d)", _i, form_names[form],
                      method_paths[want], want, path, op.typing);
    }
    ck_assert_msg(*initial == '\0', "row %d: too many methods", _i);
}

/* ---- strides of one byte on the side that is read: Intel MPI treats them as contiguous ---- */

static const struct {
    const char *setting[2];
    const char *library;
    enum op_kind kind;
    int inner, outer;
    const char *path;
} byte_rows[] = {
    {{0}, "", OP_PUT, 1, 320, "datatype"},
    {{0}, INTEL_2021, OP_PUT, 1, 320, "batched"},
    {{0}, INTEL_2021, OP_GET, 1, 320, "batched"},
    {{0}, INTEL_2021, OP_GET, 32, 1, "batched"},
    {{0}, INTEL_2021, OP_PUT, 2, 320, "datatype"},
    {{0}, INTEL_2021, OP_PUT, -1, 320, "datatype"},
    {{0}, INTEL_2021, OP_PUT, 32, 320, "datatype"},
    {{0}, INTEL_2018, OP_PUT, 1, 320, "datatype"},
    {{0}, MPICH_4, OP_PUT, 1, 320, "datatype"},
    {{0}, OPEN_MPI_5, OP_GET, 1, 320, "datatype"},
    {{"ARMCI_STRIDED_METHOD=iov"}, INTEL_2021, OP_PUT, 1, 320, "datatype"},
    {{"ARMCI_QUIRKS=-split-byte-strides"}, INTEL_2021, OP_PUT, 1, 320, "datatype"},
    {{"ARMCI_QUIRKS=+split-byte-strides"}, "", OP_PUT, 1, 320, "batched"},
    {{"ARMCI_QUIRKS=+split-byte-strides"}, MPICH_4, OP_GET, 1, 320, "batched"},
    {{"ARMCI_QUIRKS=+split-byte-strides"}, "", OP_PUT, 2, 320, "datatype"},
    {{"ARMCI_QUIRKS=none"}, INTEL_2021, OP_PUT, 1, 320, "datatype"},
    {{"ARMCI_QUIRKS=none,+split-byte-strides"}, INTEL_2021, OP_PUT, 1, 320, "batched"},
};

TABLE_TEST(strides_of_one_byte, byte_rows)
{
    int read[] = {byte_rows[_i].inner, byte_rows[_i].outer}, written[] = {32, 320},
        count[] = {16, 5, 2};
    bool is_put = byte_rows[_i].kind == OP_PUT;
    struct shape shape;
    job_start((struct job){.library = byte_rows[_i].library,
                           .setting = {byte_rows[_i].setting[0], byte_rows[_i].setting[1]}});
    ck_assert_int_eq(armcii_shape_strided(&shape, here, is_put ? read : written, there,
                                          is_put ? written : read, count, 2),
                     SHAPE_OK);
    struct rma_op op = {.verb = verb_of(byte_rows[_i].kind), .shape = &shape};
    const char *seen = path_of(&op);
    ck_assert_msg(strcmp(seen, byte_rows[_i].path) == 0, "row %d: expected %s, seen %s", _i,
                  byte_rows[_i].path, seen);
}

/* ---- limits ---- */

/* Exactly 256 segments are allowed, not one more. */
TEST(segment_limit)
{
    job_start((struct job){.library = MPICH_4});
    struct shape shape;
    struct rma_op op = {.verb = verb_of(OP_ACC), .shape = &shape};
    list(&shape, 256, 32, 32);
    ck_assert_str_eq(path_of(&op), "datatype");
    list(&shape, 257, 32, 32);
    ck_assert_str_eq(path_of(&op), "batched");
    int stride[] = {32, 32 * 128 + 32}, count[] = {16, 128, 2};
    ck_assert_int_eq(armcii_shape_strided(&shape, here, stride, there, stride, count, 2), SHAPE_OK);
    ck_assert_str_eq(path_of(&op), "datatype");
    stride[1] += 32;
    count[1] = 129;
    ck_assert_int_eq(armcii_shape_strided(&shape, here, stride, there, stride, count, 2), SHAPE_OK);
    ck_assert_str_eq(path_of(&op), "batched");
}

static size_t batch_under(const char *first, const char *second, const char *library)
{
    job_start((struct job){.library = library, .setting = {first, second}});
    struct shape shape;
    make(LIST, &shape);
    struct rma_op op = {.verb = verb_of(OP_PUT), .shape = &shape};
    armcii_rma_choose(&op);
    job_end();
    return op.batch;
}

TEST(batch_sizes)
{
    ck_assert_uint_eq(batch_under(NULL, NULL, ""), 128);
    ck_assert_uint_eq(batch_under("ARMCI_OUTSTANDING_LIMIT=7", NULL, ""), 7);
    ck_assert_uint_eq(batch_under("ARMCI_OUTSTANDING_LIMIT=5000", NULL, ""), 5000);
    ck_assert_uint_eq(batch_under("ARMCI_OUTSTANDING_LIMIT=5000", NULL, OPEN_MPI_5), 128);
}

/* A full batch is completed before the next call. */
TEST(batches_are_completed)
{
    job_start((struct job){.setting = {"ARMCI_IOV_METHOD=batched", "ARMCI_OUTSTANDING_LIMIT=4"}});
    struct region *r = job_region(0, 2, 1024);
    static char value[MANY];
    for (size_t i = 0; i < 10; i++) {
        local[i] = &value[i];
        remote[i] = job_address(r, 1, 8 * i);
    }
    run = (struct vector_run){local, remote, 1, 10};
    struct op t = job_put(1, NULL, NULL, 0);
    ck_assert_int_eq(armcii_shape_vector(&t.shape, &run, 1), SHAPE_OK);
    job_nonblocking(t);
    ck_assert_uint_eq(fake_most_in_flight(), 4);
    fake_expect(
        "10 segments",
        "put 0/1 0+1; put 0/1 8+1; put 0/1 16+1; put 0/1 24+1; flush-local 0/1; put 0/1 32+1; "
        "put 0/1 40+1; put 0/1 48+1; put 0/1 56+1; flush-local 0/1; put 0/1 64+1; put 0/1 72+1");
}

static size_t most_in_flight;

/* Issues a transfer whose memory does not exist; returns the number of calls that move bytes. */
static size_t issue_unreal(struct shape *shape, enum op_kind kind, const char *path_name)
{
    static struct window window;
    struct rma_op op = {.verb = verb_of(kind), .shape = shape, .window = &window, .origin = there};
    size_t bytes = (size_t)1 << 40;
    char *memory = there;
    fake_window_over(&window, 1, &memory, &bytes);
    fake_mpi.only_record = true;
    ck_assert_str_eq(path_of(&op), path_name);
    armcii_rma_issue(&op);
    size_t calls = 0, sum = 0;
    for (size_t i = 0; i < fake_calls(); i++) {
        calls += fake_call(i)->bytes > 0;
        sum += fake_call(i)->bytes;
    }
    ck_assert_uint_eq(sum, shape->bytes);
    armcii_window_flush(&window, 0);
    most_in_flight = fake_most_in_flight();
    fake_forget();
    armcii_window_free(&window);
    fake_forget();
    return calls;
}

/* No call with a datatype has more than 1 GiB; the fake checks that. */
TEST(a_gigabyte)
{
    enum { MIB = 1 << 20 };
    job_start((struct job){0});
    struct shape shape;
    int stride[] = {2 * MIB}, count[] = {MIB, 1024};
    ck_assert_int_eq(armcii_shape_strided(&shape, here, stride, there, stride, count, 1), SHAPE_OK);
    ck_assert_uint_eq(issue_unreal(&shape, OP_PUT, "datatype"), 1);
    count[1] = 1023;
    stride[0]++;
    ck_assert_int_eq(armcii_shape_strided(&shape, here, stride, there, stride, count, 1), SHAPE_OK);
    ck_assert_uint_eq(issue_unreal(&shape, OP_GET, "datatype"), 1);
    count[1] = 1025;
    ck_assert_int_eq(armcii_shape_strided(&shape, here, stride, there, stride, count, 1), SHAPE_OK);
    ck_assert_uint_eq(issue_unreal(&shape, OP_PUT, "datatype"), 2);
    count[0] = 1 << 30;
    stride[0] = INT32_MAX - 3;
    ck_assert_int_eq(armcii_shape_strided(&shape, here, stride, there, stride, count, 1), SHAPE_OK);
    ck_assert_uint_eq(issue_unreal(&shape, OP_ACC, "datatype"), 1025);

    list(&shape, 4, (size_t)1 << 29, (size_t)1 << 29);
    run.bytes = 1 << 28;
    ck_assert_int_eq(armcii_shape_vector(&shape, &run, 1), SHAPE_OK);
    ck_assert_uint_eq(issue_unreal(&shape, OP_PUT, "datatype"), 1);
    run.bytes++;
    ck_assert_int_eq(armcii_shape_vector(&shape, &run, 1), SHAPE_OK);
    ck_assert_uint_eq(issue_unreal(&shape, OP_PUT, "batched"), 4);
    run.bytes = 1 << 28;
}

/* The parts of a transfer count as calls in flight. */
TEST(many_parts)
{
    job_start((struct job){.setting = {"ARMCI_DATATYPE_LIMIT=4096", "ARMCI_OUTSTANDING_LIMIT=4"}});
    struct shape shape;
    int stride[] = {4096}, count[] = {2049, 20};
    ck_assert_int_eq(armcii_shape_strided(&shape, here, stride, there, stride, count, 1), SHAPE_OK);
    ck_assert_uint_eq(issue_unreal(&shape, OP_PUT, "datatype"), 20);
    ck_assert_uint_eq(most_in_flight, 4);
}

TEST(smaller_parts)
{
    job_start((struct job){.setting = {"ARMCI_DATATYPE_LIMIT=4096"}});
    struct shape shape;
    int stride[] = {32, 32 * 50}, count[] = {16, 20, 100};
    ck_assert_int_eq(armcii_shape_strided(&shape, here, stride, there, stride, count, 2), SHAPE_OK);
    struct rma_op op = {.verb = verb_of(OP_PUT), .shape = &shape};
    ck_assert_str_eq(path_of(&op), "datatype");
    ck_assert_uint_ge(issue_unreal(&shape, OP_PUT, "datatype"), 8);
    list(&shape, MANY, 32, 32);
    ck_assert_uint_eq(issue_unreal(&shape, OP_PUT, "batched"), MANY);
    list(&shape, 256, 32, 32);
    ck_assert_uint_eq(issue_unreal(&shape, OP_PUT, "datatype"), 1);
}

/* ---- data: every configuration, shapes of every kind ---- */

/* Applies the transfer to `model`, a copy of the arena that it writes. */
static void apply(const struct sample *m, enum op_kind kind, char *model)
{
    enum shape_side to = kind == OP_GET ? SHAPE_LOCAL : SHAPE_REMOTE, from = 1 - to;
    for (size_t i = 0; i < m->expected.n; i += kind == OP_ACC ? sizeof(int) : 1) {
        const struct pair *p = &m->expected.pair[i];
        char *at = model + (p->at[to] - m->arena[to]);
        if (kind == OP_ACC)
            add_elements(ELEMENT_INT, at, p->at[from], sizeof(int));
        else
            *at = *p->at[from];
    }
}

/* Does it consist of whole elements?  Elements that overlap partially have no meaningful sum. */
static bool is_whole(const struct sample *m, enum op_kind kind)
{
    struct shape_iter it;
    struct segment seg;
    size_t lengths = 0;
    if (kind != OP_ACC) return true;
    for (armcii_shape_begin(&it, &m->shape); armcii_shape_next(&it, &seg);)
        lengths |= seg.bytes;
    if (lengths % sizeof(int) != 0) return false;
    return armcii_shape_is_aligned(&m->shape, SHAPE_REMOTE, sizeof(int)) ||
           armcii_shape_is_disjoint(&m->shape, SHAPE_REMOTE);
}

/* A scale of 3 (accumulate only) packs the local side. */
static void move(const struct row *row, struct sample *m, enum fake_order order, int scale)
{
    enum shape_side to = row->kind == OP_GET ? SHAPE_LOCAL : SHAPE_REMOTE;
    char *model = malloc(m->size[to]);
    ck_assert_ptr_nonnull(model);
    memcpy(model, m->arena[to], m->size[to]);
    for (int i = 0; i < scale; i++)
        apply(m, row->kind, model);
    job_start((struct job){.library = row->library,
                           .several_nodes = row->several_nodes,
                           .order = order,
                           .at_once = order == FAKE_AT_ONCE,
                           .seed = m->seed,
                           .setting = {row->setting[0], row->setting[1]}});
    job_region_over(1, m->arena[SHAPE_REMOTE], m->size[SHAPE_REMOTE]);
    struct op t = {.caller = "ARMCI_X",
                   .verb = verb_of(row->kind),
                   .scale = &scale,
                   .target = 1,
                   .shape = m->shape};
    job_blocking(t);
    armcii_fence_all();
    for (size_t i = 0; i < m->size[to]; i++)
        if (m->arena[to][i] != model[i])
            ck_abort_msg(
                "%s; %s %s: kind %d, order %d: byte %zu of the arena: expected %d, seen %d",
                m->text, row->setting[0] ? row->setting[0] : "", row->library, row->kind, order, i,
                model[i], m->arena[to][i]);
    job_end();
    free(model);
}

TABLE_TEST(data, rows)
{
    static const enum sample_kind kinds[] = {SAMPLE_ANY, SAMPLE_PATCH, SAMPLE_VECTOR};
    const struct row *row = &rows[_i];
    const unsigned seeds = (unsigned)unit_effort(160);
    size_t moved = 0;
    for (unsigned seed = 0; seed < seeds; seed++)
        for (int k = 0; k < 3; k++) {
            struct sample m;
            sample_create(&m, kinds[k], seed, (int)(seed % 5));
            if (is_whole(&m, row->kind)) {
                moved += m.shape.bytes > 0;
                move(row, &m, (enum fake_order)(seed % FAKE_ORDERS),
                     row->kind == OP_ACC && seed % 3 == 0 ? 3 : 1);
            }
            sample_free(&m);
        }
    ck_assert_msg(moved > seeds / 3, "only %zu transfers", moved);
}

const struct unit unit = {.end = job_end};
