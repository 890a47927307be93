/* test_server.c - a server keeps the order of a client's messages, and no client can block it.
 * Starts MPI for one process, without a launcher: the process is the client, too, and sends what
 * client.c would send. */
#include "base/config.h"
#include "mpi/quirks.h"
#include "mpi/world.h"
#include "node/heap.h"
#include "transport/am/server.h"
#include "transport/am/proto.h"
#include "unit.h"

enum { TRIES = 100000, MESSAGES = 40 };

static _Alignas(64) char message[MESSAGES][AM_MESSAGE_MAX];
static MPI_Request sending[MESSAGES];
static int sent, asked, received; /* messages, gets, replies */

/* ---- the first receive, which takes the first message, may seem to be incomplete ---- */

static MPI_Request *receives; /* of the server */
static bool withholds;

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    *done = 0;
    return withholds && request == receives ? MPI_SUCCESS : PMPI_Test(request, done, status);
}

int MPI_Testsome(int n, MPI_Request requests[], int *done, int which[], MPI_Status statuses[])
{
    const MPI_Request first = requests[0];
    receives = requests;
    if (withholds) requests[0] = MPI_REQUEST_NULL;
    int code = PMPI_Testsome(n, requests, done, which, statuses);
    if (withholds) requests[0] = first;
    return code;
}

/* All memory is that of this process. */
bool __wrap_armcii_heap_is_used(int process, const void *memory, size_t bytes);
bool __wrap_armcii_heap_is_used(int process, const void *memory, size_t bytes)
{
    return process == 0 && memory && bytes > 0;
}

static int node;

static void start_with(const char *setting)
{
    *(struct world *)(uintptr_t)armcii_world = (struct world){.size = 1, .node_of = &node};
    armcii_config_read((char *[]){(char *)(uintptr_t)setting, NULL}, NULL);
    armcii_quirks_decide("", true, false);
    armcii_am_share_among(1);
    MPI_Comm_dup(MPI_COMM_SELF, &armcii_am_comm);
    armcii_server_start();
    sent = asked = received = 0;
    receives = NULL;
}

static void start(void)
{
    start_with(NULL);
}

/* A message with one request. */
static void send_message(unsigned sequence, const struct am_request_header *r,
                         const struct shape *s)
{
    char *to = message[sent];
    size_t length = armcii_am_request_length(r, s);
    *(struct am_message_header *)(void *)to =
        (struct am_message_header){.bytes = (uint32_t)(sizeof(struct am_message_header) + length),
                                   .sequence = (uint16_t)sequence};
    armcii_am_encode(r, s, length, to + sizeof(struct am_message_header));
    MPI_Isend(to, (int)(sizeof(struct am_message_header) + length), MPI_BYTE, 0, AM_TAG_REQUEST,
              armcii_am_comm, &sending[sent++]);
}

static void send_put(unsigned sequence, const long *value, long *there)
{
    struct shape s;
    armcii_shape_contiguous(&s, (void *)(uintptr_t)value, there, sizeof *value);
    send_message(sequence, &(struct am_request_header){.kind = AM_PUT}, &s);
}

enum { GETS = 30, SEGMENT = 4096, SEGMENTS = AM_REPLY_MAX / SEGMENT };
static _Alignas(long) char memory[2 * SEGMENT * SEGMENTS], copy[GETS][SEGMENT * SEGMENTS];

static void *from[SEGMENTS], *unused[SEGMENTS];

static void send_vector_get(int number)
{
    struct vector_run run = {unused, from, SEGMENT, SEGMENTS};
    struct shape s;
    for (int i = 0; i < SEGMENTS; i++)
        from[i] = memory + i * (2 * SEGMENT - 8 * (i % 2)), unused[i] = copy[0] + i * SEGMENT;
    ck_assert_int_eq(armcii_shape_vector(&s, &run, 1), SHAPE_OK);
    send_message(
        (unsigned)number,
        &(struct am_request_header){.kind = AM_GET, .tag = (uint16_t)(AM_TAG_FIRST + number)}, &s);
    asked++;
}

static void receive_reply(int number)
{
    MPI_Request reply;
    int done = 0;
    received = number + 1;
    MPI_Irecv(copy[number], sizeof copy[number], MPI_BYTE, 0, AM_TAG_FIRST + number, armcii_am_comm,
              &reply);
    for (int i = 0; i < TRIES && !done; i++) {
        armcii_server_serve();
        MPI_Test(&reply, &done, MPI_STATUS_IGNORE);
    }
    ck_assert_msg(done, "reply %d does not arrive", number);
}

/* A test that failed has not received all replies, without which the server does not end. */
static void stop(void)
{
    while (received < asked)
        receive_reply(received);
    for (int i = 0; i < sent; i++)
        MPI_Wait(&sending[i], MPI_STATUS_IGNORE);
    armcii_server_end();
    MPI_Comm_free(&armcii_am_comm);
}

static void serve_until(const long *there, long value)
{
    for (int i = 0; i < TRIES && *there != value; i++)
        armcii_server_serve();
}

/* ---- order ---- */

/* Messages 1 to n are complete before message 0: they are applied after it, in order. */
static void complete_first_message_last(unsigned n)
{
    long there = -1, value[MESSAGES];
    for (int i = 0; i < TRIES && !receives; i++)
        armcii_server_serve();
    withholds = true;
    for (unsigned i = 0; i <= n; i++) {
        value[i] = (long)i;
        send_put(i, &value[i], &there);
    }
    for (int i = 0; i < 1000; i++)
        armcii_server_serve();
    ck_assert_int_eq(there, -1);
    withholds = false;
    serve_until(&there, (long)n);
    ck_assert_int_eq(there, (long)n);
}

ROW_TEST(messages_of_a_client_are_applied_in_order, 19)
{
    complete_first_message_last((unsigned)_i + 1);
}

/* Without posted receives. */
ROW_TEST(probed_messages_are_applied_in_order, 19)
{
    stop();
    start_with("ARMCI_QUIRKS=+probe-receives");
    complete_first_message_last((unsigned)_i + 1);
}

TEST(sequence_numbers_wrap_around)
{
    long there = -1, value = 0;
    for (unsigned i = 0; i < (1 << 16) + 5; i++) {
        sent = 0;
        value = (long)i;
        send_put(i, &value, &there);
        serve_until(&there, value);
        ck_assert_int_eq(there, value);
        MPI_Wait(&sending[0], MPI_STATUS_IGNORE);
    }
}

/* ---- deferred requests ---- */

/* The replies exceed the server's memory for them: the gets wait, and the put to the same bytes
 * behind them; then each get sees the bytes from before the put. */
TEST(a_put_waits_behind_deferred_gets)
{
    long *there = (long *)(void *)memory, value = 7, before;
    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = (char)(i * 7 + (i >> 10));
    memcpy(&before, memory, sizeof before);
    for (int i = 0; i < GETS; i++)
        send_vector_get(i);
    send_put(GETS, &value, there);
    for (int i = 0; i < 1000; i++)
        armcii_server_serve();
    ck_assert_int_eq(*there, before);
    for (int g = 0; g < GETS; g++) {
        receive_reply(g);
        ck_assert_mem_eq(copy[g], &before, sizeof before);
        for (int i = 1; i < SEGMENTS; i++)
            ck_assert_mem_eq(copy[g] + i * SEGMENT, from[i], SEGMENT);
    }
    serve_until(there, value);
    ck_assert_int_eq(*there, value);
}

const struct unit unit = {.begin = start, .end = stop, .run = unit_run_with_mpi};
