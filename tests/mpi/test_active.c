/* test_active.c - many clients of one server at the same time. 100 of 9,600 clients put 2 KiB each,
 * and wait: they seldom request credit, and pay little more than clients of a server that has only
 * 100. Short requests of 1 to 63 clients: how many a server carries out in a second. Rank
 * 0 runs the library's server, rank 1 speaks the protocol (am/proto.h) for the clients, each of
 * which is a rank of its own to the server (client_ranks.h). */
#include "client_ranks.h"
#include "harness.h"
#include "mpi/world.h"
#include "transport/am/proto.h"

enum { ACTIVE = 100, PUTS = 1000, BYTES = 2 << 10 };

static char *memory; /* as the server sees it; the clients know its address */
static char data[BYTES];

static struct client {
    uint16_t sequence;
    struct am_grant grant; /* what is left of it */
    double requested_at;
    int puts, requests; /* acknowledged; for credit */
    struct am_reply_bundle bundle;
    MPI_Request receive, put, request;
    struct am_credit_request credit;
    _Alignas(8) char message[sizeof(struct am_message_header) + sizeof(struct am_request_header) +
                             BYTES];
} clients[ACTIVE];

static void receive_bundle(struct client *c)
{
    PMPI_Irecv(&c->bundle, sizeof c->bundle, MPI_BYTE, 0, tag_of((int)(c - clients), AM_TAG_BUNDLE),
               from_server, &c->receive);
}

static void send(struct client *c, void *message, uint32_t bytes, MPI_Request *request)
{
    struct am_message_header *head = message;
    head->bytes = bytes;
    head->sequence = c->sequence++;
    PMPI_Wait(request, MPI_STATUS_IGNORE);
    PMPI_Isend(message, (int)bytes, MPI_BYTE, 0, (int)(c - clients), to_server, request);
}

static void send_put(struct client *c)
{
    if (c->grant.messages > 0) c->grant.messages--;
    send(c, c->message, sizeof c->message, &c->put);
}

/* As endpoint.c does where nothing is under way. */
static void put(struct client *c)
{
    if (sizeof c->message <= armcii_am_limits->window ||
        (c->grant.messages > 0 && now() - c->requested_at < AM_LEASE_US / 2e6)) {
        send_put(c);
        return;
    }
    c->requests++;
    c->requested_at = now();
    c->credit.request = (struct am_request_header){.length = sizeof c->credit.request,
                                                   .kind = AM_CREDIT,
                                                   .bytes = armcii_am_limits->message_max};
    send(c, &c->credit, sizeof c->credit, &c->request);
}

static void start_client(struct client *c)
{
    const struct am_request_header r = {.kind = AM_PUT};
    struct shape s;
    *c = (struct client){.put = MPI_REQUEST_NULL, .request = MPI_REQUEST_NULL};
    armcii_shape_contiguous(&s, data, memory + (c - clients) * BYTES, BYTES);
    armcii_am_encode(&r, &s, armcii_am_request_length(&r, &s),
                     c->message + sizeof(struct am_message_header));
    ((struct am_message_header *)(void *)c->message)->acknowledge = 1;
    receive_bundle(c);
    put(c);
}

/* True: its last put is acknowledged. */
static bool take_bundle(struct client *c)
{
    const struct am_reply_header head = c->bundle.head;
    receive_bundle(c);
    if (head.credit.messages > 0) {
        c->grant = head.credit;
        send_put(c);
    }
    c->puts += head.messages;
    if (head.messages > 0 && c->puts < PUTS) put(c);
    return c->puts == PUTS;
}

static void end_client(struct client *c)
{
    PMPI_Cancel(&c->receive);
    PMPI_Wait(&c->receive, MPI_STATUS_IGNORE);
    PMPI_Wait(&c->put, MPI_STATUS_IGNORE);
    PMPI_Wait(&c->request, MPI_STATUS_IGNORE);
}

/* Microseconds of a put; *requests: for credit. */
static double run_clients(void *requests)
{
    int *count = requests;
    const double begun = now();
    for (int k = 0; k < ACTIVE; k++)
        start_client(&clients[k]);
    int left = ACTIVE;
    for (unsigned i = 1; left > 0; i++) {
        struct client *c = &clients[i % ACTIVE];
        yield_at_times(i);
        if (c->puts < PUTS && is_done(&c->receive)) left -= take_bundle(c);
    }
    const double took = now() - begun;
    *count = 0;
    for (int k = 0; k < ACTIVE; k++) {
        end_client(&clients[k]);
        *count += clients[k].requests;
    }
    return 1e6 * took / ACTIVE / PUTS;
}

static void check_memory(void)
{
    for (int k = 0; k < ACTIVE; k++)
        if (!check_bytes(memory + k * BYTES, data, BYTES, "the puts of a client")) break;
    memset(memory, 0, ACTIVE * BYTES);
}

/* Run the clients of a server that knows of `known` and divides its memory among `all`; return what
 * they say. */
static double with_server(int known, int all, double (*run)(void *), void *what)
{
    MPI_Request end;
    double result = 0;
    few_clients = known;
    armcii_am_share_among(all);
    if (test_rank() == 0) {
        start_server(&end);
        serve(&end);
        serve_at_once();
        stop_server();
    } else {
        wait_for_all();
        if (test_rank() == 1) result = run(what);
        wait_for_all();
    }
    MPI_Barrier(MPI_COMM_WORLD); /* the next messages are for the next server */
    return result;
}

static double put_as_some_of(int all, int *requests)
{
    const double us = with_server(EACH, all, run_clients, requests);
    if (test_rank() == 0) check_memory();
    return us;
}

static bool begin(void)
{
    if (test_ranks() < 2 || armcii_world->nodes > 1) {
        skip("needs clients, and a job of one node, which has no server of its own");
        return false;
    }
    for (int i = 0; i < BYTES; i++)
        data[i] = (char)(i * 7 + 3);
    if (test_rank() == 0) memory = need_zeroed(ACTIVE * BYTES);
    MPI_Bcast(&memory, sizeof memory, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &to_server);
    MPI_Comm_dup(MPI_COMM_WORLD, &from_server);
    return true;
}

static void end(void)
{
    MPI_Comm_free(&to_server);
    MPI_Comm_free(&from_server);
    if (test_rank() == 0) free(memory);
}

static void put_as_active_ones(void)
{
    int requests = 0, none = 0;
    if (!begin()) return;
    const double few = put_as_some_of(ACTIVE, &none), many = put_as_some_of(ALL, &requests);
    if (test_rank() == 1) {
        const double terms = PUTS / AM_LEASE_MESSAGES +
                             many * ACTIVE * PUTS / (AM_LEASE_US / 2), /* the lease ends */
            most = ACTIVE * (10 + terms);
        printf("%d clients put 2 KiB: %.2f us each, %.2f us as some of %d, with %d requests for "
               "credit for %d puts\n",
               ACTIVE, few, many, ALL, requests, ACTIVE * PUTS);
        check_long(none, 0, "requests for credit where windows are large");
        check(requests >= ACTIVE && requests <= most, "%d requests for credit, more than %.0f",
              requests, most);
    }
    end();
}

/* ---- requests of a second ---- */

enum { MOST_CLIENTS = 63, REQUESTS = 20000, ROWS = 8, ROW = 64 };
enum load { PUT_WORD, PUT_PATCH, COUNT, LOADS };
static const char *const load_names[LOADS] = {
    [PUT_WORD] = "put 8 B", [PUT_PATCH] = "putS 8 x 64 B", [COUNT] = "fetch-and-add"};

/* Each client has one request under way: the memory of the server is the counter, then its slices.
 */
static void prepare_request(struct client *c, enum load load)
{
    const long one = 1;
    struct am_request_header r = {.kind = AM_PUT};
    struct shape s;
    char *own = memory + sizeof one + (c - clients) * 2 * ROWS * ROW;
    int count[] = {ROW, ROWS}, near = ROW, far = 2 * ROW;
    if (load == COUNT) {
        r = (struct am_request_header){.kind = AM_RMW, .element = RMW_ADD, .tag = AM_TAG_FIRST};
        memcpy(r.scale, &one, sizeof one);
    }
    if (load == PUT_PATCH)
        armcii_shape_strided(&s, data, &near, own, &far, count, 1);
    else
        armcii_shape_contiguous(&s, data, load == COUNT ? memory : own, sizeof one);
    const size_t length = armcii_am_request_length(&r, &s);
    armcii_am_encode(&r, &s, length, c->message + sizeof(struct am_message_header));
    *(struct am_message_header *)(void *)c->message =
        (struct am_message_header){.bytes = (uint32_t)(sizeof(struct am_message_header) + length),
                                   .acknowledge = load != COUNT};
}

static void send_one(struct client *c, enum load load)
{
    const uint32_t bytes = ((const struct am_message_header *)(const void *)c->message)->bytes;
    PMPI_Irecv(&c->bundle, sizeof c->bundle, MPI_BYTE, 0,
               tag_of((int)(c - clients), load == COUNT ? AM_TAG_FIRST : AM_TAG_BUNDLE),
               from_server, &c->receive);
    send(c, c->message, bytes, &c->put);
}

struct load_of {
    int clients;
    enum load load;
};

/* Requests of all clients in a second. */
static double send_requests(void *what)
{
    const struct load_of *l = what;
    const int n = l->clients;
    for (int k = 0; k < n; k++) {
        clients[k] = (struct client){.put = MPI_REQUEST_NULL, .request = MPI_REQUEST_NULL};
        prepare_request(&clients[k], l->load);
    }
    const double begun = now();
    for (int k = 0; k < n; k++)
        send_one(&clients[k], l->load);
    for (unsigned i = 0, sent = (unsigned)n, done = 0; done < REQUESTS; i++) {
        struct client *c = &clients[i % (unsigned)n];
        yield_at_times(i);
        if (c->receive == MPI_REQUEST_NULL || !is_done(&c->receive)) continue;
        done++;
        if (sent++ < REQUESTS) send_one(c, l->load);
    }
    const double took = now() - begun;
    for (int k = 0; k < n; k++)
        PMPI_Wait(&clients[k].put, MPI_STATUS_IGNORE);
    return REQUESTS / took;
}

static void check_load(const struct load_of *l)
{
    const int rows = l->load == PUT_PATCH ? ROWS : 1, row = l->load == PUT_PATCH ? ROW : 8;
    if (l->load == COUNT) check_long(*(long *)(void *)memory, REQUESTS, "the counter");
    for (int i = 0; i < l->clients * rows && l->load != COUNT; i++) {
        const char *at = memory + sizeof(long) + i / rows * 2 * ROWS * ROW + i % rows * 2 * ROW;
        if (!check_bytes(at, data + i % rows * ROW, (size_t)row, "what a client has put")) break;
    }
}

/* Times are printed only: who measures leaves a processor to each of the two ranks. */
static void serve_many_requests(void)
{
    static const int counts[] = {1, 2, 4, 8, 16, 32, MOST_CLIENTS};
    if (!begin()) return;
    for (int load = 0; load < LOADS; load++) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            struct load_of l = {counts[i], (enum load)load};
            if (test_rank() == 0) memset(memory, 0, ACTIVE * BYTES);
            const double rate = with_server(l.clients, l.clients, send_requests, &l);
            if (test_rank() == 0) check_load(&l);
            if (test_rank() == 1)
                printf("requests of a second, %s: %.0f of %d clients\n", load_names[load], rate,
                       l.clients);
        }
    }
    end();
}

static const struct test tests[] = {
    {"100 active clients of 9,600 request credit once a lease", put_as_active_ones},
    {"a server carries out the requests of 1 to 63 clients, each fetch-and-add once",
     serve_many_requests},
};
SUITE();
