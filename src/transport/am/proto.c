/* proto.c - shares of a server's memory, zero-copy messages, any-source receives. */
#include "transport/am/proto.h"

#include "mpi/datatype.h"
#include "mpi/quirks.h"

/* ---- shares ---- */

static struct am_limits limits;
const struct am_limits *const armcii_am_limits = &limits;

/* A window takes two messages, where they are not too short then: one is under way while the other
 * is acknowledged. */
static size_t eager_max_of(size_t window)
{
    enum { LEAST = 16 << 10 };
    size_t most = window / 2 < LEAST + AM_HEADERS_MAX ? LEAST : window / 2 - AM_HEADERS_MAX;
    if (most > armcii_quirks->eager_max) most = armcii_quirks->eager_max;
    return most - most % SHAPE_SPLIT_UNIT; /* fragments of accumulates have so many bytes */
}

/* Half of the window, so that an acknowledgement comes before it is used up; where that is short,
 * the longest message, or all of the window. */
static size_t enough_of(size_t window, size_t message_max)
{
    if (window < message_max) return window;
    return window / 2 > message_max ? window / 2 : message_max;
}

void armcii_am_share_among(int clients)
{
    enum { ALL = 4 << 20, LEAST = 192 };
    limits.window = ALL / (size_t)clients;
    if (limits.window < LEAST) limits.window = LEAST;
    limits.eager_max = eager_max_of(limits.window);
    limits.message_max = limits.eager_max + AM_HEADERS_MAX;
    limits.enough = enough_of(limits.window, limits.message_max);
}

MPI_Comm armcii_am_comm = MPI_COMM_NULL;

/* ---- zero-copy ---- */

static MPI_Datatype zcopy_datatype(struct am_zcopy p, int *count)
{
    *count = p.shape->levels == 0 ? (int)p.shape->bytes : 1;
    return p.shape->levels == 0 ? MPI_BYTE : armcii_datatype_bytes(p.shape, p.side);
}

/* MPI keeps the type until the message is complete. */
static void free_datatype(MPI_Datatype type)
{
    if (type != MPI_BYTE) MPI_Type_free(&type);
}

void armcii_am_send_zcopy(struct am_zcopy from, int to, int tag, MPI_Request *request)
{
    int count;
    MPI_Datatype type = zcopy_datatype(from, &count);
    MPI_Isend(from.address, count, type, to, tag, armcii_am_comm, request);
    free_datatype(type);
}

void armcii_am_receive_zcopy(struct am_zcopy to, int from, int tag, MPI_Request *request)
{
    int count;
    MPI_Datatype type = zcopy_datatype(to, &count);
    MPI_Irecv(to.address, count, type, from, tag, armcii_am_comm, request);
    free_datatype(type);
}

/* ---- any-source receives ---- */

void armcii_am_receive_post(const struct am_receive *match, void *buffer, MPI_Request *receive)
{
    *receive = MPI_REQUEST_NULL;
    if (armcii_quirks->anysource_after_arrival)
        MPI_Irecv(buffer, match->bytes, MPI_BYTE, MPI_ANY_SOURCE, match->tag, armcii_am_comm,
                  receive);
}

bool armcii_am_receive_unexpected(const struct am_receive *match, void *buffer,
                                  MPI_Request *receive)
{
    int there;
    MPI_Message message;
    MPI_Improbe(MPI_ANY_SOURCE, match->tag, armcii_am_comm, &there, &message, MPI_STATUS_IGNORE);
    if (there) MPI_Imrecv(buffer, match->bytes, MPI_BYTE, &message, receive);
    return there;
}

bool armcii_am_receive_ready(const struct am_receive *match, void *buffer, MPI_Request *receive)
{
    if (*receive == MPI_REQUEST_NULL) armcii_am_receive_post(match, buffer, receive);
    return *receive != MPI_REQUEST_NULL || armcii_am_receive_unexpected(match, buffer, receive);
}

size_t armcii_am_received(const MPI_Status *status)
{
    int bytes;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    return bytes < 0 ? SIZE_MAX : (size_t)bytes; /* MPI_UNDEFINED */
}

void armcii_am_receives_drain(const struct am_receive *match, int n, MPI_Request receives[])
{
    int rank;
    MPI_Comm_rank(armcii_am_comm, &rank);
    for (int i = 0; i < n; i++)
        if (receives[i] != MPI_REQUEST_NULL)
            MPI_Send(NULL, 0, MPI_BYTE, rank, match->tag,
                     armcii_am_comm); /* eager: the receive is posted */
    for (int i = 0; i < n; i++)
        MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
}
