/* test_wire.c - a server and a client that get wrong messages: 25,000 messages of every kind,
 * 100,000 with ARMCI_TEST_LONG=1, right ones and mutated ones. Each is either carried out, within
 * the memory that its process has for others, or ends the job with one line that names its sender.
 *
 * This program and the files that handle messages are compiled with AddressSanitizer, where there
 * is one, all other memory of the heap is closed, and wire_mpi.c stands for MPI. server.c is
 * included, because after a line that would end the job the test puts it back into a state without
 * messages. */
#define _GNU_SOURCE
#include "transport/am/server.c" /* NOLINT(bugprone-suspicious-include) */

#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/config.h"
#include "mpi/quirks.h"
#include "transport/am/am.h"
#include "transport/am/endpoint.h"
#include "transport/am/outstanding.h"
#include "tools/lib/rng.h"
#include "unit.h"
#include "wire_mpi.h"

enum { MESSAGES = 100000, CLIENT = 2, SERVER = 2 };
enum {
    MUTEXES = 4096, /* bytes at the end of the slices */
    PIECE = 1 << 20,
    SLICES = 4 << 20,
    STEPS = 64,
    MUTANTS_OF_100 = 90
};

/* ---- this process: rank 0 of 0 and 1 on a node, 2 and 3 on another ---- */

static int node_of[] = {0, 0, 2, 2}, local_rank_of[] = {0, 1, 0, 1};
static struct stripe stripes[STRIPES];
static char *piece, *slices; /* what it has for others */
static struct rng rng;

int __wrap_armcii_segment_share(size_t bytes, MPI_Comm comm, enum obstacle *obstacle);
int __wrap_armcii_segment_share(size_t bytes, MPI_Comm comm, enum obstacle *obstacle)
{
    (void)comm, (void)obstacle;
    int file = memfd_create("wire", MFD_CLOEXEC);
    return file >= 0 && ftruncate(file, (off_t)bytes) == 0 ? file : -1;
}

bool __wrap_armcii_coll_all(bool mine, MPI_Comm comm);
bool __wrap_armcii_coll_all(bool mine, MPI_Comm comm)
{
    (void)comm;
    return mine;
}

static void close_memory(char *from, const char *to)
{
    ck_assert_int_eq(mprotect(from, (size_t)(to - from), PROT_NONE), 0);
}

/* A piece that the process has alone, and memory of regions; the rest of the heap, but for its
 * state behind it, cannot be touched. */
static void start_memory(void)
{
    armcii_heap_start();
    ck_assert_uint_gt(armcii_heap->bytes, 0);
    piece = armcii_heap_take(PIECE);
    ck_assert_ptr_nonnull(piece);
    slices = armcii_heap->base + armcii_heap_alloc(HEAP_SMALL, SLICES, HUGE_PAGE, SIZE_MAX);
    close_memory(armcii_heap->base, piece);
    close_memory(piece + PIECE, slices);
    close_memory(slices + SLICES, armcii_heap->base + armcii_heap->bytes);
}

/* ---- the line that ends the job ---- */

static sigjmp_buf end_of_job;
static char *line;
static size_t line_length;
static FILE *lines;

static void end_job(int status)
{
    (void)status;
    siglongjmp(end_of_job, 1);
}

/* One line, which names the sender. */
static void check_line(int sender)
{
    char name[32];
    fflush(lines);
    snprintf(name, sizeof name, "rank %d sent ", sender);
    ck_assert_msg(line_length > 0 && strstr(line, name) &&
                      strchr(line, '\n') == line + line_length - 1,
                  "instead of one line about rank %d: \"%s\"", sender, line);
    rewind(lines);
}

static void start(void)
{
    *(struct world *)(uintptr_t)armcii_world =
        (struct world){.size = 4, .nodes = 2, .node_of = node_of, .local_rank_of = local_rank_of};
    *(struct node *)(uintptr_t)armcii_node =
        (struct node){.shares_memory = true, .size = 2, .stripes = stripes};
    armcii_config_read((char *[]){NULL}, NULL);
    armcii_quirks_decide("none", true, false);
    armcii_am_share_among(4);
    rng = rng_start(1);
    start_memory();
    wire_start();
    armcii_error_set_abort(end_job);
    lines = stderr = open_memstream(&line, &line_length);
}

/* ---- right requests ---- */

/* What a message asks for, to see whether that is done. */
struct asked {
    enum am_kind kind;
    enum am_data data;
    struct shape shape; /* local: the data */
    int tag;
};
enum { DATA = 40 << 10, SEGMENTS = 8, MOST_ASKED = 4 };
static _Alignas(64) char data[MOST_ASKED][DATA];
static void *far[MOST_ASKED][SEGMENTS], *near[MOST_ASKED][SEGMENTS];
static struct vector_run run[MOST_ASKED];
static _Alignas(64) char message[AM_MESSAGE_MAX + 64];

static char *some_memory(size_t bytes)
{
    const bool in_piece = rng_chance(&rng, 50);
    const size_t all = in_piece ? PIECE : SLICES - MUTEXES, edge = rng_chance(&rng, 10);
    const size_t at = edge ? all - bytes : (size_t)rng_below(&rng, (long)(all - bytes));
    return (in_piece ? piece : slices) + at / 16 * 16;
}

/* `element`: its bytes. Segments do not overlap. */
static void make_shape(struct shape *s, int i, size_t element)
{
    const size_t bytes = element * (size_t)rng_range(&rng, 1, 16);
    const int n = rng_between(&rng, 2, SEGMENTS);
    char *there = some_memory(2 * SEGMENTS * 256);
    switch (rng_below(&rng, 3)) {
    case 0: armcii_shape_contiguous(s, data[i], there, bytes); break;
    case 1: {
        int count[] = {(int)bytes, n}, tight[] = {(int)bytes}, wide[] = {256};
        armcii_shape_strided(s, data[i], tight, there, wide, count, 1);
        break;
    }
    default:
        for (int j = 0; j < n; j++) {
            near[i][j] = data[i] + (size_t)j * bytes;
            far[i][j] = there + (size_t)((j * 5) % 8) * 256;
        }
        run[i] = (struct vector_run){near[i], far[i], bytes, (size_t)n};
        armcii_shape_vector(s, &run[i], 1);
    }
}

/* Of more than `least` and up to `most` bytes, multiples of 16. */
static void make_long_shape(struct shape *s, int i, size_t least, size_t most)
{
    const size_t bytes = (size_t)rng_range(&rng, (long)least / 128 + 1, (long)most / 128) * 128;
    int count[] = {(int)bytes / SEGMENTS, SEGMENTS}, tight[] = {count[0]}, wide[] = {count[0] + 64};
    char *there = some_memory(bytes + 64 * SEGMENTS);
    if (rng_chance(&rng, 50))
        armcii_shape_contiguous(s, data[i], there, bytes);
    else
        armcii_shape_strided(s, data[i], tight, there, wide, count, 1);
}

static const struct am_request_header kinds[] = {
    {.kind = AM_PUT},
    {.kind = AM_PUT},
    {.kind = AM_ACC},
    {.kind = AM_GET},
    {.kind = AM_GET},
    {.kind = AM_PUT, .data = AM_IN_PLACE},
    {.kind = AM_PUT, .data = AM_IN_PLACE, .waits = true},
    {.kind = AM_ACC, .data = AM_BUFFERED},
    {.kind = AM_ACC, .data = AM_BUFFERED, .waits = true},
    {.kind = AM_PUT, .data = AM_BUFFERED},
    {.kind = AM_PUT, .data = AM_BUFFERED, .waits = true},
    {.kind = AM_RMW},
    {.kind = AM_LOCK},
    {.kind = AM_TRYLOCK},
    {.kind = AM_UNLOCK},
    {.kind = AM_CREDIT}};

/* Append request i to the message. */
static size_t append(char *to, int i, struct asked *a)
{
    const long operand = 3;
    struct am_flag flag = {0};
    struct am_request_header r = kinds[rng_below(&rng, sizeof kinds / sizeof *kinds)];
    enum element e = (enum element)rng_below(&rng, ELEMENT_COUNT);
    const bool is_acc = r.kind == AM_ACC;
    *a = (struct asked){
        .kind = r.kind, .data = r.data, .tag = AM_TAG_FIRST + (int)rng_below(&rng, AM_TAGS)};
    if (r.kind >= AM_LOCK) {
        struct mutex *m = (struct mutex *)(void *)(slices + SLICES - MUTEXES) + i;
        *m = (struct mutex){0};
        if (r.kind == AM_UNLOCK) {
            atomic_store(&m->tickets, 1);
            atomic_store(&m->holder, CLIENT);
            a->tag = 0;
        }
        *(struct am_request_header *)(void *)to =
            armcii_am_header((enum am_kind)r.kind, 0, m, a->tag);
        return sizeof(struct am_request_header);
    }
    make_shape(&a->shape, i, is_acc ? armcii_elements[e].size : 1);
    if (r.kind == AM_GET && rng_chance(&rng, 30)) make_long_shape(&a->shape, i, 0, DATA);
    if (r.data != AM_EAGER) make_long_shape(&a->shape, i, AM_MESSAGE_MAX, DATA);
    if (r.kind == AM_RMW) {
        armcii_shape_contiguous(&a->shape, data[i], some_memory(8), rng_chance(&rng, 50) ? 4 : 8);
        r.element = (uint8_t)rng_below(&rng, 2);
        memcpy(r.scale, &operand, sizeof operand);
    }
    if (r.kind == AM_CREDIT)
        armcii_shape_contiguous(&a->shape, NULL, NULL, armcii_am_limits->message_max);
    if (is_acc) {
        r.element = (uint8_t)e;
        memcpy(r.scale, armcii_elements[e].one, armcii_elements[e].size);
    }
    if (r.data == AM_IN_PLACE && rng_chance(&rng, 50))
        flag = (struct am_flag){(uint64_t)(uintptr_t)(slices + SLICES - 8), 7};
    if (r.data == AM_IN_PLACE) memcpy(r.scale, &flag, sizeof flag);
    if (armcii_am_has_data((enum am_kind)r.kind, (enum am_data)r.data) || r.kind == AM_CREDIT ||
        (r.kind == AM_GET && armcii_am_is_short_reply(a->shape.bytes)))
        a->tag = 0;
    r.tag = (uint16_t)a->tag;
    const size_t length = armcii_am_request_length(&r, &a->shape);
    armcii_am_encode(&r, &a->shape, length, to);
    return length;
}

static struct asked asked[MOST_ASKED];

/* A right message of the client with up to so many requests; how many it has. */
static int make_message(size_t *bytes, int most)
{
    struct am_message_header *head = (struct am_message_header *)(void *)message;
    const int n = rng_between(&rng, most == 1, most);
    size_t at = sizeof *head;
    memset(message, 0, 4096);
    for (int i = 0; i < n; i++)
        at += append(message + at, i, &asked[i]);
    *head = (struct am_message_header){(uint32_t)at, (uint16_t)(rng_chance(&rng, 70)),
                                       server.clients[CLIENT].next_sequence};
    *bytes = at;
    return n;
}

/* ---- mutations ---- */

static const uint64_t extremes[] = {
    0,          1,          7,          8,          63,
    255,        0x7f,       0x7fff,     0x8000,     0xffff,
    0x7fffffff, 0x80000000, 0xffffffff, 1ull << 59, (1ull << 59) + 1,
    1ull << 61, 1ull << 62, 1ull << 63, UINT64_MAX, UINT64_MAX - 7,
    INT64_MAX,  3,          16,         17,         4096};

static void overwrite(char *at, size_t rest)
{
    const size_t size = (size_t)1 << rng_below(&rng, 4);
    uint64_t value = extremes[rng_below(&rng, sizeof extremes / sizeof *extremes)];
    if (rng_chance(&rng, 10)) value = (uint64_t)(uintptr_t)some_memory(8) - 8;
    memcpy(at, &value, size < rest ? size : rest);
}

/* Of a message in `m`, and how many bytes of it arrive; `most`: that it may have. */
static void mutate(char *m, size_t *bytes, size_t most)
{
    const int times = rng_between(&rng, 1, 3);
    for (int i = 0; i < times; i++) {
        /* Headers are what matters. */
        const size_t n = *bytes > 0 ? *bytes : 1,
                     at = (size_t)rng_below(&rng, rng_chance(&rng, 70) && n > 96 ? 96 : (long)n);
        switch (rng_below(&rng, 8)) {
        case 0:
        case 1: m[at] ^= (char)(1 << rng_below(&rng, 8)); break;
        case 2: overwrite(m + at / 8 * 8, n - at / 8 * 8); break;
        case 3: overwrite(m + at, n - at); break;
        case 4: *bytes = (size_t)rng_below(&rng, (long)n); break; /* truncated */
        case 5: {                                                 /* extended */
            const size_t more = (size_t)rng_below(&rng, 200);
            rng_bytes(&rng, m + *bytes, more / 8 * 8);
            *bytes = *bytes + more < most ? *bytes + more : most;
            break;
        }
        case 6:
            memmove(m + at, m + (size_t)rng_below(&rng, (long)n), (n - at) / 2);
            break; /* spliced */
        default: rng_bytes(&rng, m + at / 8 * 8, 8); break;
        }
        /* The length of a message is only seldom what is wrong. */
        if (rng_chance(&rng, 80) && *bytes >= sizeof(struct am_message_header) && m == message)
            ((struct am_message_header *)(void *)m)->bytes = (uint32_t)*bytes;
    }
}

/* ---- the server ---- */

static void forget_everything(void)
{
    pthread_mutex_unlock(&server.serving);
    for (int c = 0; c < server.ranks; c++)
        for (struct deferred *d; (d = server.clients[c].oldest) != NULL; free(d))
            server.clients[c].oldest = d->next;
    const uint16_t next = server.clients[CLIENT].next_sequence;
    memset(server.clients, 0, (size_t)server.ranks * sizeof *server.clients);
    server.clients[CLIENT] = (struct client){.rank = CLIENT, .next_sequence = next};
    server.deferring = 0;
    server.for_reply_credit = (struct client_queue){NULL, &server.for_reply_credit.first};
    server.for_request_credit = (struct client_queue){NULL, &server.for_request_credit.first};
    server.bundle.bytes = 0;
    server.bundle.head = (struct am_reply_header){0};
    wire_difference = 0;
    while (armcii_replies_progress()) {
    }
    armcii_mutex_server_end();
    armcii_credits_end();
    armcii_credits_start(server.ranks);
    while (armcii_inbox->count > 0)
        armcii_inbox_post(0);
}

/* The message is served, with all that it begins. */
static void serve_it(void)
{
    int steps = 0;
    do {
        armcii_server_serve();
        ck_assert_msg(steps++ < STEPS, "a message is neither carried out nor refused");
    } while (!wire_is_taken() || armcii_replies_progress() || server.deferring);
}

static bool is_equal(const struct shape *s)
{
    struct shape_iter it;
    struct segment seg;
    bool equal = true;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);)
        equal = equal && memcmp(seg.local, seg.remote, seg.bytes) == 0;
    return equal;
}

static void clear(const struct shape *s)
{
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);)
        memset(seg.remote, 0, seg.bytes);
}

/* Of one request, which was right. */
static void check_done(const struct asked *a)
{
    if (armcii_am_has_data(a->kind, a->data))
        ck_assert_msg(is_equal(&a->shape), "the data of %s", armcii_am_kind_name(a->kind));
    if (a->kind == AM_GET && a->tag) {
        ck_assert_int_eq(wire_last.tag, a->tag);
        ck_assert_uint_eq(wire_last.bytes, a->shape.bytes);
    }
    if (a->data == AM_IN_PLACE) {
        memset(data[0], 0x5a, DATA);
        ck_assert(is_equal(&a->shape));
    }
    if (a->kind == AM_LOCK || a->kind == AM_TRYLOCK) {
        int granted;
        ck_assert_int_eq(wire_last.tag, a->tag);
        memcpy(&granted, wire_last.data, sizeof granted);
        ck_assert_int_eq(granted, 1);
    }
}

/* True: it was refused. */
static bool receive(size_t bytes)
{
    wire_deliver(AM_TAG_REQUEST, CLIENT, message, bytes);
    if (sigsetjmp(end_of_job, 0) != 0) {
        check_line(CLIENT);
        forget_everything();
        return true;
    }
    serve_it();
    return false;
}

/* One right request after the other has the right effect. */
TEST(right_messages_are_carried_out)
{
    armcii_server_start();
    for (int i = 0; i < unit_effort(5000); i++) {
        size_t bytes;
        rng_bytes(&rng, data[0], DATA);
        for (size_t j = 0; j < DATA; j++) /* no NaN, no overflow */
            data[0][j] = (char)(data[0][j] & (j % 4 == 3 ? 0x3f : 0x7f));
        const int n = make_message(&bytes, 1);
        if (asked[0].kind == AM_ACC) clear(&asked[0].shape);
        wire_forget_sent();
        ck_assert_msg(!receive(bytes), "refused: %s", line);
        for (int j = 0; j < n; j++)
            check_done(&asked[j]);
    }
}

TEST(wrong_messages_are_refused)
{
    int refused = 0;
    const int messages = unit_effort(MESSAGES);
    armcii_server_start();
    for (int i = 0; i < messages; i++) {
        size_t bytes;
        if (i % 1000 == 0) alarm(10);
        make_message(&bytes, MOST_ASKED);
        const bool is_wrong = rng_chance(&rng, MUTANTS_OF_100);
        if (is_wrong) mutate(message, &bytes, AM_MESSAGE_MAX);
        if (is_wrong && rng_chance(&rng, 2)) wire_difference = rng_range(&rng, -9, -1);
        const bool was_refused = receive(bytes);
        ck_assert_msg(is_wrong || !was_refused, "message %d is refused: %s", i, line);
        wire_difference = 0;
        refused += was_refused;
    }
    alarm(0);
    printf("%d messages, %d refused\n", messages, refused);
    ck_assert_int_gt(refused, messages / 2);
}

/* ---- the client ---- */

enum {
    BUNDLES = 20000,
    GETS = 8,
    MOST_TAGS = 8,
    FRAGMENTS = AM_RNDV_MIN / 2 + 64,
    LONG_PUT = AM_RNDV_MIN + 64
};

/* What the server has to send. */
static struct {
    int messages, gets, tags, tag[MOST_TAGS];
    uint32_t transmitted;
} owed;
static uint64_t here[GETS];

static void note_message(const void *sent, size_t bytes)
{
    const struct am_message_header *head = sent;
    owed.transmitted += armcii_am_message_size(bytes);
    owed.messages += head->acknowledge;
    for (size_t at = sizeof *head; at < bytes;) {
        struct am_request_header r;
        memcpy(&r, (const char *)sent + at, sizeof r);
        if (r.data != AM_EAGER && !r.waits) owed.transmitted += armcii_am_rndv_size(r.bytes);
        if (r.data == AM_IN_PLACE) owed.tag[owed.tags++] = r.tag;
        owed.gets += r.kind == AM_GET && r.tag == 0;
        at += r.length;
    }
}

/* No operation meets the bytes of another one, for which it would wait. */
static void start_op(enum op_kind kind, void *local, size_t bytes)
{
    static size_t at;
    struct op op = {.verb = {.kind = kind}, .target = SERVER};
    struct request req = {0};
    at += LONG_PUT;
    armcii_shape_contiguous(&op.shape, local, (char *)0x1000 + at, bytes);
    armcii_shape_range(&op.shape, SHAPE_REMOTE, &op.lo, &op.hi);
    armcii_client_start(&op, NULL, &req);
}

static void start_ops(void)
{
    static char long_one[LONG_PUT];
    for (int i = rng_between(&rng, 1, GETS); i > 0; i--)
        start_op(OP_GET, &here[i - 1], sizeof here[0]);
    for (int i = rng_between(&rng, 0, 5); i > 0; i--)
        start_op(OP_PUT, long_one, 8);
    if (rng_chance(&rng, 2)) start_op(OP_PUT, long_one, FRAGMENTS);
    for (int i = rng_between(&rng, 0, 2); i > 0; i--)
        start_op(OP_PUT, long_one, LONG_PUT);
    armcii_endpoints_send();
}

/* Of all that is owed; how long it is. */
static size_t make_bundle(struct am_reply_bundle *b)
{
    b->head = (struct am_reply_header){.messages = owed.messages,
                                       .rndv_tag = owed.tags ? owed.tag[owed.tags - 1] : 0,
                                       .served = owed.transmitted};
    b->bytes = (uint64_t)owed.gets * sizeof here[0];
    memset(b->replies, 0x11, sizeof here);
    return offsetof(struct am_reply_bundle, replies) + (size_t)b->bytes;
}

/* The client has taken the reply bundle. */
static void count_bundle(const struct am_reply_bundle *b)
{
    owed.messages -= b->head.messages;
    owed.gets -= (int)(b->bytes / sizeof here[0]);
    int i = 0;
    while (i < owed.tags && owed.tag[i] != b->head.rndv_tag)
        i++;
    if (i < owed.tags) owed.tag[i] = owed.tag[--owed.tags];
}

/* True: it was refused. */
static bool take_bundle(const struct am_reply_bundle *b, int from, size_t bytes)
{
    wire_deliver(AM_TAG_BUNDLE, from, (const char *)b, bytes);
    if (sigsetjmp(end_of_job, 0) != 0) {
        check_line(from);
        return true;
    }
    armcii_endpoints_progress();
    ck_assert(wire_is_taken());
    count_bundle(b);
    return false;
}

static void start_client(void)
{
    wire_on_message = note_message;
    armcii_endpoints_start();
}

/* Whatever was refused or taken, right bundles then complete everything. */
TEST(wrong_bundles_are_refused)
{
    static struct am_reply_bundle b;
    int refused = 0;
    const int bundles = unit_effort(BUNDLES);
    start_client();
    for (int i = 0; i < bundles; i++) {
        start_ops();
        size_t bytes = make_bundle(&b);
        const int from = rng_chance(&rng, 2) ? 3 : SERVER;
        mutate((char *)&b, &bytes, sizeof b);
        refused += take_bundle(&b, from, bytes);
        for (int j = 0; armcii_endpoints_are_busy() || owed.messages + owed.gets + owed.tags > 0;
             j++) {
            ck_assert_int_lt(j, STEPS);
            bytes = make_bundle(&b);
            ck_assert_msg(!take_bundle(&b, SERVER, bytes), "bundle %d is refused: %s", i, line);
            armcii_endpoints_send();
        }
    }
    printf("%d bundles, %d refused\n", bundles, refused);
    ck_assert_int_gt(refused, bundles / 2);
}

static void get(void)
{
    static char there[2 * AM_SHORT_REPLY];
    start_op(OP_GET, there, sizeof there);
    armcii_endpoints_progress();
}

static void update(void)
{
    armcii_client_rmw(NULL, SERVER, RMW_ADD, sizeof(long), piece, 1);
}

/* The reply says 0x5a5a5a5a. */
static void lock_mutex(void)
{
    armcii_client_lock(SERVER, piece);
}

static void trylock_mutex(void)
{
    armcii_client_trylock(SERVER, piece);
}

static const struct {
    void (*ask)(void);
    long difference;
} replies_of[] = {{get, -1},       {update, -1},     {update, -8},
                  {lock_mutex, 0}, {lock_mutex, -1}, {trylock_mutex, 0}};

TABLE_TEST(wrong_replies_are_refused, replies_of)
{
    start_client();
    wire_difference = replies_of[_i].difference;
    if (sigsetjmp(end_of_job, 0) == 0) {
        replies_of[_i].ask();
        ck_abort_msg("the reply is believed");
    }
    check_line(SERVER);
}

const struct unit unit = {.begin = start};
