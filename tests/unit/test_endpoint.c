/* test_endpoint.c - what a client pays for the endpoints it has, for short gets, and for small
 * windows. Starts MPI for one process, without a launcher: the process is the server, too; the
 * others of the world are only names. */
#include <time.h>

#include "base/config.h"
#include "base/lock.h"
#include "mpi/quirks.h"
#include "mpi/world.h"
#include "node/heap.h"
#include "transport/am/am.h"
#include "transport/am/endpoint.h"
#include "transport/am/outstanding.h"
#include "transport/am/proto.h"
#include "transport/am/server.h"
#include "unit.h"
#include "../../tools/lib/clock.h"

enum { PROCESSES = 4096, OPERATIONS = 2000, ROUNDS = 9 };

static struct world *the_world; /* a node for each process */

/* All memory is that of this process. */
bool __wrap_armcii_heap_is_used(int process, const void *memory, size_t bytes);
bool __wrap_armcii_heap_is_used(int process, const void *memory, size_t bytes)
{
    return process == 0 && memory && bytes > 0;
}

static void start(void)
{
    the_world = (struct world *)(uintptr_t)armcii_world;
    *the_world = (struct world){.size = PROCESSES, .nodes = PROCESSES};
    the_world->node_of = malloc(PROCESSES * sizeof(int));
    ck_assert_ptr_nonnull(the_world->node_of);
    for (int i = 0; i < PROCESSES; i++)
        the_world->node_of[i] = i;
    armcii_config_read((char *[]){NULL}, NULL);
    armcii_quirks_decide("", true, false);
    armcii_am_share_among(1);
    MPI_Comm_dup(MPI_COMM_SELF, &armcii_am_comm);
    armcii_endpoints_start();
    armcii_server_start();
}

static void fence(int process)
{
    armcii_am_complete(&(struct op_set){.target = process}, COMPLETE_REMOTE);
}

static void stop(void)
{
    fence(-1);
    armcii_endpoints_end();
    armcii_server_end();
    MPI_Comm_free(&armcii_am_comm);
    free(the_world->node_of);
    *the_world = (struct world){0};
}

static int messages, credit_requests;
static size_t data_sent; /* that MPI may deliver before a receive is posted */

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm in,
              MPI_Request *request)
{
    messages++;
    credit_requests += tag == AM_TAG_REQUEST && count == sizeof(struct am_credit_request) &&
                       ((const struct am_credit_request *)buffer)->request.kind == AM_CREDIT;
    if (tag >= AM_TAG_FIRST + AM_TAG_DATA)
        data_sent += count < AM_UNEXPECTED_MAX ? (size_t)count : AM_UNEXPECTED_MAX;
    return PMPI_Isend(buffer, count, type, to, tag, in, request);
}

/* To this process. */
static struct request start_op(enum op_kind kind, const struct shape *s)
{
    struct op op = {.verb = {.kind = kind}, .shape = *s};
    armcii_shape_range(s, SHAPE_REMOTE, &op.lo, &op.hi);
    struct request req = {0};
    armcii_client_start(&op, NULL, &req);
    return req;
}

static void put_and_fence(const struct shape *s)
{
    start_op(OP_PUT, s);
    fence(0);
}

static void put_and_fence_all(const struct shape *s)
{
    start_op(OP_PUT, s);
    fence(-1);
}

static void get(const struct shape *s)
{
    const struct request req = start_op(OP_GET, s);
    armcii_client_wait(&req);
}

static void (*const operations[])(const struct shape *s) = {put_and_fence, put_and_fence_all, get};

/* Microseconds of OPERATIONS operations; the least of several rounds. */
static double time_of(void (*operation)(const struct shape *s))
{
    long here = 1, there = 2;
    double least = 0;
    struct shape s;
    armcii_shape_contiguous(&s, &here, &there, sizeof here);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = own_time();
        for (int i = 0; i < OPERATIONS; i++)
            operation(&s);
        double time = own_time() - begin;
        if (round == 0 || time < least) least = time;
    }
    return least;
}

ROW_TEST(an_operation_costs_the_same_with_many_endpoints, 3)
{
    double few = time_of(operations[_i]);
    for (int server = 1; server < PROCESSES; server++)
        armcii_endpoint(server);
    double many = time_of(operations[_i]);
    ck_assert_msg(many < 3 * few, "%d operations take %g s with one endpoint, %g s with %d",
                  OPERATIONS, few, many, PROCESSES);
}

enum { GETS = 200, LONGER = AM_SHORT_REPLY + 8 };

static size_t length_of(int get)
{
    return get % 50 == 49 ? LONGER : (size_t)(get % 13 + 1);
}

/* Short gets between longer ones: the replies to the short ones come together, in the order of the
 * requests. */
TEST(short_gets_share_messages)
{
    static char here[GETS][LONGER], there[GETS][LONGER];
    struct request req[GETS];
    struct shape s;
    for (int i = 0; i < GETS * LONGER; i++)
        there[i / LONGER][i % LONGER] = (char)(i % 251 + 1);
    messages = 0;
    for (int i = 0; i < GETS; i++) {
        armcii_shape_contiguous(&s, here[i], there[i], length_of(i));
        req[i] = start_op(OP_GET, &s);
    }
    for (int i = 0; i < GETS; i++)
        armcii_client_wait(&req[i]);
    for (int i = 0; i < GETS; i++) {
        ck_assert_mem_eq(here[i], there[i], length_of(i));
        if (length_of(i) < LONGER) ck_assert_int_eq(here[i][length_of(i)], 0);
    }
    ck_assert_int_le(messages, GETS / 4);
}

/* ---- the window ---- */

TEST(windows_of_up_to_124_clients_take_two_messages)
{
    for (int clients = 1; clients <= 124; clients++) {
        armcii_am_share_among(clients);
        ck_assert_uint_ge(armcii_am_limits->window, 2 * armcii_am_limits->message_max);
        ck_assert_uint_ge(armcii_am_limits->eager_max, 16 << 10);
    }
}

enum { PUTS = 16, LONG_PUT = 200 << 10, SENDING = 32 };
static char long_here[PUTS][LONG_PUT], long_there[PUTS][LONG_PUT];
static int puts_begun;
static bool holds_messages;

static void put_long(void)
{
    struct shape s;
    const int i = puts_begun++;
    armcii_shape_contiguous(&s, long_here[i], long_there[i], LONG_PUT);
    start_op(OP_PUT, &s);
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    *done = 0;
    return holds_messages ? MPI_SUCCESS : PMPI_Test(request, done, status);
}

/* While a put waits for a buffer, another thread puts, and so on; then there are buffers. */
int sched_yield(void)
{
    if (holds_messages && puts_begun > 0 && puts_begun < PUTS) put_long();
    if (puts_begun == PUTS) holds_messages = false;
    return 0;
}

TEST(data_of_puts_that_waited_at_once_stay_within_the_window)
{
    static char replies[SENDING][2 * LONGER], asked[2 * LONGER];
    struct shape s;
    armcii_am_share_among(8);
    armcii_endpoints_end();
    armcii_endpoints_start();
    for (int i = 0; i < PUTS * LONG_PUT; i++)
        long_here[i / LONG_PUT][i % LONG_PUT] = (char)(i % 253);
    holds_messages = true;
    for (int i = 0; i < SENDING; i++) { /* all buffers */
        armcii_shape_contiguous(&s, replies[i], asked, sizeof asked);
        start_op(OP_GET, &s);
    }
    data_sent = 0;
    put_long();
    ck_assert_int_eq(puts_begun, PUTS);
    ck_assert_uint_gt(data_sent, 0);
    ck_assert_uint_le(data_sent, armcii_am_limits->window);
    armcii_client_wait_all(-1);
    fence(-1);
    ck_assert_mem_eq(long_there, long_here, sizeof long_here);
}

/* ---- credit ---- */

enum { CREDIT_PUTS = 256, CREDIT_PUT = 16 << 10 };
static char credit_here[CREDIT_PUT], credit_there[CREDIT_PUTS][CREDIT_PUT];

/* The windows of 9,600 clients. */
static void have_many_clients(void)
{
    armcii_am_share_among(9600);
    armcii_endpoints_end();
    armcii_endpoints_start();
    credit_requests = 0;
    memset(credit_there, 0, sizeof credit_there);
    for (int i = 0; i < CREDIT_PUT; i++)
        credit_here[i] = (char)(i % 249 + 1);
}

/* Without a fence, and with one behind each put. */
static void put_many(size_t bytes, bool fences)
{
    struct shape s;
    have_many_clients();
    for (int i = 0; i < CREDIT_PUTS; i++) {
        armcii_shape_contiguous(&s, credit_here, credit_there[i], bytes);
        start_op(OP_PUT, &s);
        if (fences) fence(0);
        ck_assert_uint_le(armcii_endpoint(0)->unserved,
                          AM_LEASE_WINDOW * armcii_am_limits->message_max);
    }
    fence(0);
    for (int i = 0; i < CREDIT_PUTS; i++)
        ck_assert_mem_eq(credit_there[i], credit_here, bytes);
    ck_assert_int_ge(credit_requests, 1);
    ck_assert_int_le(credit_requests, 1 + CREDIT_PUTS / AM_LEASE_MESSAGES);
}

static const size_t credit_bytes[] = {512, 4096, CREDIT_PUT};

TABLE_TEST(a_stream_requests_credit_once_a_lease, credit_bytes)
{
    put_many(credit_bytes[_i], false);
}

TABLE_TEST(puts_with_fences_request_credit_once_a_lease, credit_bytes)
{
    put_many(credit_bytes[_i], true);
}

/* The server may have given it to others. */
TEST(a_lease_is_void_after_a_time)
{
    struct shape s;
    have_many_clients();
    armcii_shape_contiguous(&s, credit_here, credit_there[0], CREDIT_PUT);
    for (int i = 1; i <= 3; i++) {
        put_and_fence(&s);
        ck_assert_int_eq(credit_requests, i);
        nanosleep(&(struct timespec){.tv_nsec = (AM_LEASE_US / 2 + 1000) * 1000L}, NULL);
    }
}

const struct unit unit = {.begin = start, .end = stop, .run = unit_run_with_mpi};
