/* test_receive.c - any-source receives: whether a receive is posted or messages are probed for, and
 * that both get them. Starts MPI for one process, without a launcher. */
#include "base/config.h"
#include "mpi/quirks.h"
#include "transport/am/proto.h"
#include "unit.h"

enum { TAG = 5, OTHER_TAG = 6, VALUES = 4, TRIES = 1000000 };

static const char mpich_402[] = "MPICH Version:\t4.0.2\nMPICH Device:\tch4:ucx\n";
static const char mpich_432[] = "MPICH Version:\t4.3.2\nMPICH Device:\tch4:ucx ofi\n";
static const char another[] = "Another MPI 4.3.2\n";

static struct am_receive any_source(void)
{
    armcii_am_comm = MPI_COMM_SELF;
    return (struct am_receive){TAG, VALUES * sizeof(int)};
}

static void decide(const char *first, const char *second, const char *library, bool several_nodes)
{
    armcii_config_read((char *[]){(char *)first, (char *)second, NULL}, NULL);
    armcii_quirks_decide(library, several_nodes, armcii_config->quirks);
}

/* ---- posting ---- */

static const struct {
    const char *setting[2];
    const char *library;
    bool several_nodes, over_ofi, is_posted;
} rows[] = {
    {{0}, another, true, false, true},
    {{0}, mpich_402, true, false, true},
    {{0}, mpich_432, false, false, true},
    {{0}, mpich_432, true, false, false},
    {{0}, mpich_432, true, true, true},
    {{"ARMCI_QUIRKS=-probe-receives"}, mpich_432, true, false, true},
    {{"ARMCI_QUIRKS=+probe-receives"}, mpich_402, true, false, false},
    {{"ARMCI_QUIRKS=+probe-receives"}, another, false, false, false},
    {{"ARMCI_QUIRKS=none"}, mpich_432, true, false, true},
    {{"ARMCI_QUIRKS=none,+probe-receives"}, mpich_432, true, false, false},
};

TABLE_TEST(posted_or_probed, rows)
{
    int buffer[VALUES];
    MPI_Request receive;
    struct am_receive in = any_source();
    setenv("MPIR_CVAR_CH4_NETMOD", rows[_i].over_ofi ? "ofi" : "", 1);
    decide(rows[_i].setting[0], rows[_i].setting[1], rows[_i].library, rows[_i].several_nodes);
    armcii_am_receive_post(&in, buffer, &receive);
    bool seen = receive != MPI_REQUEST_NULL;
    armcii_am_receives_drain(&in, 1, &receive);
    ck_assert_msg(seen == rows[_i].is_posted, "row %d: expected %d, seen %d", _i,
                  rows[_i].is_posted, seen);
    ck_assert(receive == MPI_REQUEST_NULL);
}

/* ---- messages ---- */

static void send(int tag, const int value[], MPI_Request *request)
{
    MPI_Isend(value, VALUES, MPI_INT, 0, tag, MPI_COMM_SELF, request);
}

static bool has_arrived(int buffer[], MPI_Request *receive, MPI_Status *status)
{
    int arrived = 0;
    const struct am_receive in = any_source();
    if (armcii_am_receive_ready(&in, buffer, receive)) MPI_Test(receive, &arrived, status);
    return arrived;
}

static void expect_arrival(int buffer[], MPI_Request *receive, const int value[])
{
    MPI_Status status = {.MPI_SOURCE = -1};
    int tries = 0;
    while (!has_arrived(buffer, receive, &status))
        ck_assert_msg(tries++ < TRIES, "the message does not arrive");
    ck_assert_int_eq(status.MPI_SOURCE, 0);
    ck_assert_uint_eq(armcii_am_received(&status), VALUES * sizeof(int));
    ck_assert_mem_eq(buffer, value, VALUES * sizeof(int));
    ck_assert(*receive == MPI_REQUEST_NULL);
}

static void expect_no_arrival(int buffer[], MPI_Request *receive)
{
    MPI_Status status = {.MPI_SOURCE = -1};
    for (int i = 0; i < 100; i++)
        ck_assert(!has_arrived(buffer, receive, &status));
    ck_assert_int_eq(status.MPI_SOURCE, -1);
}

/* Two messages arrive in order, a message with another tag does not. */
ROW_TEST(messages_arrive, 2)
{
    static const int first[VALUES] = {1, 2, 3, 4}, second[VALUES] = {5, 6, 7, 8},
                     other[VALUES] = {9, 9, 9, 9};
    int buffer[VALUES], other_buffer[VALUES];
    MPI_Request receive = MPI_REQUEST_NULL, sends[3];
    struct am_receive in = any_source();
    decide(_i ? "ARMCI_QUIRKS=+probe-receives" : NULL, NULL, another, true);
    expect_no_arrival(buffer, &receive);
    send(OTHER_TAG, other, &sends[0]);
    expect_no_arrival(buffer, &receive);
    send(TAG, first, &sends[1]);
    send(TAG, second, &sends[2]);
    expect_arrival(buffer, &receive, first);
    expect_arrival(buffer, &receive, second);
    expect_no_arrival(buffer, &receive);
    MPI_Recv(other_buffer, VALUES, MPI_INT, 0, OTHER_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
    armcii_am_receives_drain(&in, 1, &receive);
}

const struct unit unit = {.run = unit_run_with_mpi};
