/* test_clients.c - a server of a job of 9,600 processes: its memory, MPI's included, and that
 * nothing is lost. Rank 0 runs the library's server; each other process (64: all of them) speaks
 * the protocol (am/proto.h) for 150 clients, each of which has one call at a time under way and is
 * a rank of its own to the server (client_ranks.h). */
#include "client_ranks.h"
#include "harness.h"
#include "mpi/world.h"
#include "transport/am/server.h"
#include "transport/am/proto.h"

/* The calls of a client, in this order, ROUNDS times. */
enum { ROUNDS = 2, WORDS = 256, LARGE = 64 << 10, ROWS = 64, ROW = 64 };
enum { PUT, FETCH_AND_ADD, GET, LONG_PUT, ACCUMULATE, STRIDED_GET, LARGE_PUT, LARGE_ACC, CALLS };
/* What a server may take, KiB and bytes: MPI itself keeps a kibibyte beside each message that it
 * takes in before the server asks for it (UCX 1.13, messages of 200 to 440 bytes). */
enum { SERVER_MOST = 4 << 10, SERVER_MOST_PER_CLIENT = 1280 };

/* ---- memory of the server ---- */

/* Each client's, and what all clients add to and read. */
struct slot {
    long word, words[WORDS];
};
static struct memory {
    long counter;
    double sums[WORDS], large_sums[LARGE / sizeof(double)];
    unsigned char rows[2 * ROWS * ROW], large[LARGE];
    struct slot slot[];
} * memory; /* as the server sees it; the clients know its address */

static unsigned char byte_at(size_t i)
{
    return (unsigned char)(i * 7 + 3);
}

static void prepare_memory(void)
{
    size_t bytes = sizeof *memory + (size_t)all_clients() * sizeof memory->slot[0];
    if (test_rank() == 0) {
        memory = need_memory(bytes);
        memset(memory, 0, bytes);
        for (size_t i = 0; i < sizeof memory->rows; i++)
            memory->rows[i] = byte_at(i);
    }
    MPI_Bcast(&memory, sizeof memory, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* ---- clients ---- */

static struct client {
    uint16_t sequence;
    uint32_t transmitted, served;
    int call; /* the next one */
    bool awaits_ack, waits_for_credit, awaits_reply, awaits_data, has_message;
    struct am_grant grant; /* what is left of it */
    bool grant_is_new;
    double requested_at, granted_at;
    struct am_reply_bundle bundle;
    MPI_Request bundle_request, reply_request, sending[2];
    long reply, words[WORDS];
    unsigned char rows[ROWS * ROW];
    struct am_credit_request credit;
    _Alignas(8) char message[sizeof(struct am_message_header) + 4096];
} * clients;

static unsigned char large[LARGE];
static double ones[LARGE / sizeof(double)];

static void post_bundle(struct client *c, int k)
{
    PMPI_Irecv(&c->bundle, sizeof c->bundle, MPI_BYTE, 0, tag_of(k, AM_TAG_BUNDLE), from_server,
               &c->bundle_request);
}

static bool has_credit(const struct client *c)
{
    return c->grant.messages > 0 &&
           (c->grant_is_new || now() - c->requested_at < AM_LEASE_US / 2e6);
}

static void send_message(struct client *c, int k)
{
    const struct am_message_header *head = (const void *)c->message;
    c->has_message = c->grant_is_new = false;
    if (c->grant.messages > 0) c->grant.messages--;
    c->awaits_ack = true;
    c->transmitted += armcii_am_message_size(head->bytes);
    PMPI_Isend(c->message, (int)head->bytes, MPI_BYTE, 0, k, to_server, &c->sending[0]);
}

/* As endpoint.c does where nothing is under way. */
static void send_or_request_credit(struct client *c, int k)
{
    struct am_message_header *head = (void *)c->message;
    if (head->bytes > armcii_am_limits->window && !has_credit(c)) {
        c->requested_at = now();
        c->credit = (struct am_credit_request){
            .head = {.bytes = sizeof c->credit, .sequence = c->sequence++},
            .request = {.length = sizeof c->credit.request,
                        .kind = AM_CREDIT,
                        .bytes = armcii_am_limits->message_max}};
        c->waits_for_credit = true;
        c->transmitted += armcii_am_message_size(sizeof c->credit);
        PMPI_Isend(&c->credit, sizeof c->credit, MPI_BYTE, 0, k, to_server, &c->sending[1]);
    }
    head->sequence = c->sequence++;
    c->has_message = c->waits_for_credit;
    if (!c->waits_for_credit) send_message(c, k);
}

static void encode(struct client *c, int k, const struct am_request_header *r,
                   const struct shape *s)
{
    const size_t length = armcii_am_request_length(r, s);
    *(struct am_message_header *)(void *)c->message = (struct am_message_header){
        .bytes = (uint32_t)(sizeof(struct am_message_header) + length), .acknowledge = 1};
    armcii_am_encode(r, s, length, c->message + sizeof(struct am_message_header));
    send_or_request_credit(c, k);
}

static void await_reply(struct client *c, int k, struct am_request_header *r, void *to,
                        size_t bytes)
{
    r->tag = AM_TAG_FIRST;
    c->awaits_reply = true;
    PMPI_Irecv(to, (int)bytes, MPI_BYTE, 0, tag_of(k, AM_TAG_FIRST), from_server,
               &c->reply_request);
}

static long value_of(const struct client *c)
{
    return 1 + c->call;
}

static const enum am_kind kinds[] = {
    [PUT] = AM_PUT,        [FETCH_AND_ADD] = AM_RMW, [GET] = AM_GET,       [LONG_PUT] = AM_PUT,
    [ACCUMULATE] = AM_ACC, [STRIDED_GET] = AM_GET,   [LARGE_PUT] = AM_PUT, [LARGE_ACC] = AM_ACC};

static void start_call(struct client *c, int k)
{
    struct slot *mine = &memory->slot[server_rank(test_rank(), k) - 1];
    struct am_request_header r = {.kind = (uint8_t)kinds[c->call % CALLS]};
    struct shape s;
    const long add = 1;
    const double scale = 1;
    switch (c->call % CALLS) {
    case PUT:
        c->words[0] = value_of(c);
        armcii_shape_contiguous(&s, c->words, &mine->word, sizeof mine->word);
        break;
    case FETCH_AND_ADD:
        r.element = RMW_ADD;
        memcpy(r.scale, &add, sizeof add);
        armcii_shape_contiguous(&s, NULL, &memory->counter, sizeof memory->counter);
        await_reply(c, k, &r, &c->reply, sizeof c->reply);
        break;
    case GET:
        armcii_shape_contiguous(&s, NULL, &mine->word, sizeof mine->word);
        c->awaits_reply = true; /* in the reply bundle */
        break;
    case LONG_PUT:
        for (int i = 0; i < WORDS; i++)
            c->words[i] = value_of(c);
        armcii_shape_contiguous(&s, c->words, mine->words, sizeof mine->words);
        break;
    case ACCUMULATE:
        r.element = ELEMENT_DOUBLE;
        memcpy(r.scale, &scale, sizeof scale);
        armcii_shape_contiguous(&s, ones, memory->sums, sizeof memory->sums);
        break;
    case STRIDED_GET:
        armcii_shape_contiguous(&s, NULL, memory->rows, ROW);
        armcii_shape_strided(&s, c->rows, (int[]){ROW}, memory->rows, (int[]){2 * ROW},
                             (int[]){ROW, ROWS}, 1);
        await_reply(c, k, &r, c->rows, sizeof c->rows);
        break;
    case LARGE_PUT:
        r.data = c->call / CALLS % 2 == 0 ? AM_IN_PLACE : AM_BUFFERED;
        armcii_shape_contiguous(&s, large, memory->large, LARGE);
        await_reply(c, k, &r, NULL, 0);
        break;
    case LARGE_ACC:
        r.data = AM_BUFFERED;
        r.element = ELEMENT_DOUBLE;
        memcpy(r.scale, &scale, sizeof scale);
        armcii_shape_contiguous(&s, ones, memory->large_sums, LARGE);
        await_reply(c, k, &r, NULL, 0);
        break;
    }
    r.waits = r.data != AM_EAGER;
    c->awaits_data = r.data != AM_EAGER;
    encode(c, k, &r, &s);
}

static void check_reply(struct client *c)
{
    size_t i = 0;
    switch (c->call % CALLS) {
    case GET: check_long(c->reply, value_of(c) - (GET - PUT), "what the client has put"); break;
    case STRIDED_GET:
        while (i < sizeof c->rows && c->rows[i] == byte_at(i / ROW * 2 * ROW + i % ROW))
            i++;
        check(i == sizeof c->rows, "byte %zu of the rows", i);
        break;
    default: break;
    }
}

static bool holds_messages; /* the clients keep the credit that they get */

static void handle_bundle(struct client *c, int k)
{
    const struct am_reply_header *head = &c->bundle.head;
    c->served = head->served;
    if (head->rndv_tag) c->awaits_data = false;
    if (head->credit.messages > 0) {
        c->waits_for_credit = false;
        c->grant = head->credit;
        c->grant_is_new = true;
        c->granted_at = now();
    }
    if (head->messages > 0) c->awaits_ack = false;
    if (c->bundle.bytes > 0) {
        memcpy(&c->reply, c->bundle.replies, sizeof c->reply);
        c->awaits_reply = false;
        check_reply(c);
    }
    post_bundle(c, k);
    if (c->has_message && !c->waits_for_credit && !holds_messages) send_message(c, k);
}

/* True when anything has happened. */
static bool advance(struct client *c, int k)
{
    bool any = false;
    if (is_done(&c->bundle_request)) {
        handle_bundle(c, k);
        any = true;
    }
    if (c->awaits_reply && c->call % CALLS != GET && is_done(&c->reply_request)) {
        c->awaits_reply = false;
        check_reply(c);
        if (c->awaits_data)
            PMPI_Isend(c->call % CALLS == LARGE_PUT ? (void *)large : ones, LARGE, MPI_BYTE, 0,
                       tag_of(k, AM_TAG_FIRST + AM_TAG_DATA), from_server, &c->sending[1]);
        any = true;
    }
    if (c->waits_for_credit || c->has_message || c->awaits_ack || c->awaits_reply || c->awaits_data)
        return any;
    for (int i = 0; i < 2; i++)
        PMPI_Wait(&c->sending[i], MPI_STATUS_IGNORE);
    if (++c->call < ROUNDS * CALLS) start_call(c, k);
    return true;
}

static void make_clients(void)
{
    clients = need_zeroed(EACH * sizeof *clients);
    for (int k = 0; k < EACH; k++) {
        clients[k].sending[0] = clients[k].sending[1] = clients[k].reply_request = MPI_REQUEST_NULL;
        post_bundle(&clients[k], k);
    }
}

static void free_clients(void)
{
    for (int k = 0; k < EACH; k++) {
        PMPI_Cancel(&clients[k].bundle_request);
        PMPI_Wait(&clients[k].bundle_request, MPI_STATUS_IGNORE);
    }
    free(clients);
}

static void run_clients(void)
{
    int left = EACH;
    make_clients();
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        ones[i] = 1;
    for (int k = 0; k < EACH; k++)
        start_call(&clients[k], k);
    while (left > 0) {
        bool any = false;
        left = 0;
        for (int k = 0; k < EACH; k++) {
            if (clients[k].call < ROUNDS * CALLS) any |= advance(&clients[k], k);
            left += clients[k].call < ROUNDS * CALLS;
        }
        if (!any) sleep_ms(5);
    }
    for (int k = 0; k < EACH; k++)
        check_long((int32_t)(clients[k].transmitted - clients[k].served), 0,
                   "bytes of a client that were not served");
}

static void handle_answers(double seconds)
{
    for (double until = now() + seconds; now() < until; sleep_ms(1))
        for (int k = 0; k < EACH; k++)
            if (is_done(&clients[k].bundle_request)) handle_bundle(&clients[k], k);
}

static bool get_arrives(int k)
{
    bool arrived = false;
    clients[k].call = STRIDED_GET;
    start_call(&clients[k], k);
    for (double until = now() + 10; now() < until && !arrived;) {
        handle_answers(0.01);
        arrived = is_done(&clients[k].reply_request);
    }
    return arrived;
}

/* The clients whose credit came so much later than the first one's that other credit expired. */
static int count_late(int n)
{
    double first = clients[0].granted_at;
    int late = 0;
    for (int k = 1; k < n; k++)
        if (clients[k].granted_at < first) first = clients[k].granted_at;
    for (int k = 0; k < n; k++)
        late += clients[k].granted_at - first > AM_LEASE_US / 2e6;
    return late;
}

/* More clients than there is credit for, and all keep theirs for a time: credit expires. */
static void wait_for_room_and_get(void)
{
    const int n = EACH - 1;
    make_clients();
    holds_messages = true;
    for (int k = 0; k < n; k++) {
        clients[k].call = LONG_PUT;
        start_call(&clients[k], k);
    }
    handle_answers(0.5);
    for (int k = 0; k < n; k++)
        check(!clients[k].waits_for_credit, "credit of client %d", k);
    check(count_late(n) > 0 && count_late(n) < n / 2, "%d of %d wait for credit", count_late(n), n);
    holds_messages = false;
    for (int k = 0; k < n; k++)
        send_message(&clients[k], k);
    handle_answers(0.5);
    for (int k = 0; k < n; k++)
        check(!clients[k].awaits_ack && !clients[k].has_message, "the put of client %d", k);
    check(get_arrives(n), "the get of a client that did not wait for credit");
    free_clients();
}

/* Each client has one get under way. */
static void get_rows(void)
{
    make_clients();
    for (int k = 0; k < EACH; k++) {
        clients[k].call = STRIDED_GET;
        start_call(&clients[k], k);
    }
    for (int k = 0; k < EACH; k++) {
        while (!is_done(&clients[k].reply_request))
            sleep_ms(5);
        check_reply(&clients[k]);
        while (clients[k].awaits_ack) {
            if (is_done(&clients[k].bundle_request)) handle_bundle(&clients[k], k);
            sleep_ms(1);
        }
    }
    free_clients();
}

/* Seconds of a short get. */
static double time_of_get(struct client *c)
{
    const struct am_request_header r = {.kind = AM_GET};
    struct shape s;
    armcii_shape_contiguous(&s, NULL, &memory->counter, sizeof memory->counter);
    const double begun = now();
    encode(c, 0, &r, &s);
    for (unsigned i = 1; !is_done(&c->bundle_request); i++)
        yield_at_times(i);
    const double took = now() - begun;
    post_bundle(c, 0);
    PMPI_Wait(&c->sending[0], MPI_STATUS_IGNORE);
    return took;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds. */
struct latency {
    double median, best;
};

static struct latency latency(void)
{
    enum { GETS = 4001 };
    static double took[GETS];
    size_t n = 0;
    for (double until = now() + 3; n < GETS && (n == 0 || now() < until); n++)
        took[n] = time_of_get(&clients[0]);
    qsort(took, n, sizeof took[0], compare_doubles);
    return (struct latency){1e6 * took[n / 2], 1e6 * took[0]};
}

/* ---- the server ---- */

/* The clients' first messages pile up: MPI takes them, and nobody serves them. */
static void let_messages_wait(void)
{
    for (double until = now() + 2; now() < until;) {
        int there;
        PMPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        sleep_ms(1);
    }
}

static void check_memory(void)
{
    const long calls = (long)ROUNDS * all_clients();
    check_long(memory->counter, calls, "the counter");
    check_double(memory->sums[0], (double)calls, "the first sum");
    check_double(memory->sums[WORDS - 1], (double)calls, "the last sum");
    for (size_t i = 0; i < LARGE / sizeof(double); i++)
        if (!check_double(memory->large_sums[i], (double)calls, "large sum %zu", i)) break;
    for (int i = 0; i < all_clients(); i++) {
        const struct slot *s = &memory->slot[i];
        const long last = (ROUNDS - 1) * CALLS + 1;
        if (!check_long(s->word, last + PUT, "the word of client %d", i)) break;
        if (!check_long(s->words[WORDS - 1], last + LONG_PUT, "the last word of client %d", i))
            break;
    }
    check_bytes(memory->large, large, LARGE, "the large put");
}

/* Of this process, that of its regions excepted, KiB. */
static long largest_kib(void)
{
    return kib_in("/proc/self/status", "VmHWM:") - not_own_kib();
}

static void run_server(bool waits)
{
    MPI_Request end;
    const long before = kib_in("/proc/self/status", "RssAnon:");
    check(forget_largest(), "/proc/self/clear_refs");
    start_server(&end);
    if (waits) let_messages_wait();
    const double begun = now();
    serve(&end);
    const long grown = largest_kib() - before;
    printf("%d clients in %d processes, the server %s: %ld KiB more, %.1f us a call\n",
           all_clients(), test_ranks() - 1, waits ? "waits for 2 s" : "runs", grown,
           1e6 * (now() - begun) / ROUNDS / CALLS / all_clients());
    const long most = SERVER_MOST + (long)all_clients() * SERVER_MOST_PER_CLIENT / 1024;
    check(grown <= most, "the server grew by %ld KiB, more than %ld KiB", grown, most);
    stop_server();
    check_memory();
    free(memory);
}

static bool begin_job(void)
{
    if (test_ranks() < 2 || armcii_world->nodes > 1) {
        skip("needs clients, and a job of one node, which has no server of its own");
        return false;
    }
    for (size_t i = 0; i < LARGE; i++)
        large[i] = byte_at(i + 1);
    prepare_memory();
    MPI_Comm_dup(MPI_COMM_WORLD, &to_server);
    MPI_Comm_dup(MPI_COMM_WORLD, &from_server);
    armcii_am_share_among(ALL);
    return true;
}

static void end_job(void)
{
    MPI_Request end;
    if (test_rank() > 0) {
        PMPI_Ibarrier(to_server, &end);
        while (!is_done(&end))
            sleep_ms(10);
    }
    MPI_Comm_free(&to_server);
    MPI_Comm_free(&from_server);
}

static void serve_many(const void *row)
{
    if (!begin_job()) return;
    if (test_rank() == 0)
        run_server(*(const bool *)row);
    else
        run_clients();
    if (test_rank() > 0) free_clients();
    end_job();
}

/* Of a client whose server has few, or has served all; on rank 1. */
static struct latency latency_with(bool few)
{
    struct latency us = {0};
    MPI_Request end;
    few_clients = few ? 2 : 0;
    armcii_am_share_among(few ? 2 : ALL);
    if (test_rank() == 0) {
        start_server(&end);
        serve(&end);
        serve_at_once();
        stop_server();
        MPI_Barrier(MPI_COMM_WORLD);
        return us;
    }
    if (few)
        make_clients();
    else
        run_clients();
    wait_for_all();
    if (test_rank() == 1) us = latency();
    wait_for_all();
    free_clients();
    MPI_Barrier(MPI_COMM_WORLD); /* the next messages are for the next server */
    return us;
}

/* The median is a figure for a machine that does nothing else; the gets that other work does not
 * disturb show whether the latency grows with the clients. */
static void compare_latencies(void)
{
    enum { TRIES = 4 }; /* where much else runs, no get may be undisturbed */
    struct latency few = {0}, many = {0};
    int again = 1;
    if (!begin_job()) return;
    for (int try = 0; try < TRIES && again; try++) {
        few = latency_with(true);
        many = latency_with(false);
        again = many.best > 3 * few.best;
        MPI_Bcast(&again, 1, MPI_INT, 1, MPI_COMM_WORLD);
    }
    if (test_rank() == 1)
        printf("a get of 8 bytes: %.2f us with 2 clients (best %.2f), %.2f us with %d (%.2f)\n",
               few.median, few.best, many.median, all_clients(), many.best);
    check(many.best <= 3 * few.best, "%.2f us, %.2f us with few clients", many.best, few.best);
    few_clients = 0;
    if (test_rank() == 0) free(memory);
    MPI_Comm_free(&to_server);
    MPI_Comm_free(&from_server);
}

/* Credit is granted; a client that had to wait for it has no precedence later. */
static void get_after_wait_for_credit(void)
{
    MPI_Request end;
    if (!begin_job()) return;
    if (test_rank() == 0) {
        start_server(&end);
        serve(&end);
        stop_server();
        free(memory);
    } else if (test_rank() == 1) {
        wait_for_room_and_get();
    }
    end_job();
}

/* As many replies as there is memory for are under way, and the other gets wait. */
static void fill_memory(MPI_Request *end)
{
    memset(&seen, 0, sizeof seen);
    seen.withholds = true;
    start_server(end);
    while (seen.arrivals < all_clients())
        armcii_server_serve();
    armcii_server_serve();
    check(seen.replies < all_clients(), "%d replies at a time", seen.replies);
}

static void end_server(MPI_Request *end)
{
    seen.withholds = false;
    serve(end);
    stop_server();
    free(memory);
}

/* Messages of which no other client's is served first, but for those received with it. */
static void check_order(void)
{
    enum { SLOTS = 64 };
    int farthest = 0;
    for (int i = 0; i < seen.replies; i++) {
        int at = 0;
        while (seen.arrived[at] != seen.replied[i])
            at++;
        if (abs(at - i) > farthest) farthest = abs(at - i);
    }
    check(farthest < SLOTS, "a get is %d places from where it came", farthest);
}

/* One reply after the other completes. */
static void complete_replies(void)
{
    MPI_Request end;
    fill_memory(&end);
    const int waiting = all_clients() - seen.replies;
    const long before = seen.decoded;
    while (seen.replies < all_clients()) {
        seen.completions = 1;
        while (seen.completions > 0)
            armcii_server_serve();
        armcii_server_serve();
    }
    const long looks = seen.decoded - before;
    printf("%d gets wait for memory; the server looks at requests %ld times\n", waiting, looks);
    check(looks <= 4L * waiting, "%ld looks at requests for %d gets", looks, waiting);
    check_order();
    end_server(&end);
}

/* The server does not run for a time: a client that took no reply meanwhile is not late. */
static void pause_server(void)
{
    MPI_Request end;
    fill_memory(&end);
    const int sent = seen.replies;
    sleep_ms(700);
    sleep_ms(700);
    for (double until = now() + 0.05; now() < until;)
        armcii_server_serve();
    check_long(seen.replies, sent, "replies under way after a pause");
    for (double until = now() + 10; now() < until && seen.replies == sent;)
        armcii_server_serve();
    check(seen.replies > sent, "the server waits for late clients");
    end_server(&end);
}

static void gets_wait(const void *row)
{
    enum { RANKS = 3 }; /* fewer have so few clients that the server has memory for all */
    if (!needs_ranks(RANKS) || !begin_job()) return;
    if (test_rank() == 0)
        ((const struct test *)row)->run();
    else
        get_rows();
    end_job();
}

static const struct test tests[] = {
    {"a server of 9,600 clients runs", ONE_ROW(serve_many, bool, false)},
    {"a server of 9,600 clients is stopped", ONE_ROW(serve_many, bool, true)},
    {"a server looks at few of many gets that wait, the oldest first",
     ONE_ROW(gets_wait, struct test, .run = complete_replies)},
    {"a server that did not run takes no client for late",
     ONE_ROW(gets_wait, struct test, .run = pause_server)},
    {"a get takes as long with many clients as with 2", compare_latencies},
    {"a get arrives after another client has waited for credit", get_after_wait_for_credit},
};
SUITE();
