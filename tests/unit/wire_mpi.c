/* wire_mpi.c - the MPI of test_wire. */
#include "wire_mpi.h"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#endif
#include <stdint.h>
#include <string.h>

#include "mpi/datatype.h"
#include "shape/shape.h"
#include "unit.h"

/* Values of requests: a posted any-source receive, or data and sends, which are complete. */
enum { POSTED = 0x100, RECEIVED = 0x1000, SENT = 0x8000, MOST = 64, MOST_DATA = 1024 };

static struct {
    struct posted {
        char *buffer;
        size_t bytes;
        int tag;
        unsigned long number; /* 0: free */
    } posted[MOST];
    unsigned long posts;
    struct {
        int from;
        size_t bytes;
    } data[MOST_DATA];
    int received;
    struct {
        int tag, from;
        size_t bytes;
        bool is_there;
        char bytes_of[AM_MESSAGE_MAX + 8];
    } arriving;
    const struct shape *shape; /* of the last derived datatype */
    enum shape_side side;
} wire;
long wire_difference;
struct wire_sent wire_last;
struct am_reply_bundle wire_bundle;
void (*wire_on_message)(const void *message, size_t bytes);
int wire_count;

void wire_start(void)
{
    for (int i = 0; i < MOST; i++)
        wire.posted[i].number = 0;
    wire_forget_sent();
    wire.arriving.is_there = false;
}

void wire_forget_sent(void)
{
    wire_count = 0;
    wire_last.tag = 0;
}

void wire_deliver(int tag, int from, const char *message, size_t bytes)
{
    wire.arriving.tag = tag;
    wire.arriving.from = from;
    wire.arriving.bytes = bytes;
    wire.arriving.is_there = true;
    memcpy(wire.arriving.bytes_of, message, bytes);
}

bool wire_is_taken(void)
{
    return !wire.arriving.is_there;
}

static MPI_Request request_of(intptr_t value)
{
    return (MPI_Request)value;
}

static intptr_t value_of(MPI_Request request)
{
    return (intptr_t)request;
}

/* MPI_Get_count reads the count where MPI keeps the tag. */
static void set_status(MPI_Status *status, int from, size_t bytes)
{
    if (status == MPI_STATUS_IGNORE) return;
    memset(status, 0, sizeof *status);
    status->MPI_SOURCE = from;
    status->MPI_TAG = (int)bytes;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    (void)type;
    *count = status->MPI_TAG;
    return MPI_SUCCESS;
}

/* ---- datatypes ---- */

MPI_Datatype __wrap_armcii_datatype_bytes(const struct shape *s, enum shape_side side);
MPI_Datatype __wrap_armcii_datatype_bytes(const struct shape *s, enum shape_side side)
{
    wire.shape = s;
    wire.side = side;
    return MPI_BYTE;
}

/* Bytes of the derived datatype that an address begins; writes or reads them. */
static size_t touch_shape(bool writes)
{
    struct shape_iter it;
    struct segment seg;
    size_t bytes = 0;
    for (armcii_shape_begin(&it, wire.shape); armcii_shape_next(&it, &seg); bytes += seg.bytes) {
        char *at = wire.side == SHAPE_LOCAL ? seg.local : seg.remote;
        if (writes)
            memset(at, 0x5a, seg.bytes);
        else
            memcpy(wire_last.data, at, seg.bytes < 8 ? seg.bytes : 8);
    }
    wire.shape = NULL;
    return bytes;
}

/* ---- receives ---- */

static void post(char *buffer, int n, int tag, MPI_Request *request)
{
    int i = 0;
    while (i < MOST && wire.posted[i].number)
        i++;
    ck_assert_int_lt(i, MOST);
    wire.posted[i] = (struct posted){buffer, (size_t)n, tag, ++wire.posts};
    ASAN_POISON_MEMORY_REGION(buffer, (size_t)n);
    *request = request_of(POSTED + i);
}

int MPI_Irecv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    (void)type, (void)comm;
    if (from == MPI_ANY_SOURCE) {
        post(buffer, n, tag, request);
        return MPI_SUCCESS;
    }
    size_t bytes = (size_t)n;
    if (wire.shape)
        bytes = touch_shape(true);
    else if (n > 0)
        memset(buffer, 0x5a, bytes);
    const int i = wire.received++ % MOST_DATA;
    wire.data[i].from = from;
    wire.data[i].bytes = bytes + (size_t)wire_difference;
    *request = request_of(RECEIVED + i);
    return MPI_SUCCESS;
}

static bool is_oldest(const struct posted *p)
{
    for (int i = 0; i < MOST; i++) {
        const struct posted *q = &wire.posted[i];
        if (q->number && q->tag == p->tag && q->number < p->number) return false;
    }
    return true;
}

static bool complete_posted(struct posted *p, MPI_Status *status)
{
    if (!wire.arriving.is_there || wire.arriving.tag != p->tag || !is_oldest(p)) return false;
    ck_assert_uint_le(wire.arriving.bytes, p->bytes);
    ASAN_UNPOISON_MEMORY_REGION(p->buffer, wire.arriving.bytes);
    memcpy(p->buffer, wire.arriving.bytes_of, wire.arriving.bytes);
    set_status(status, wire.arriving.from, wire.arriving.bytes);
    wire.arriving.is_there = false;
    p->number = 0;
    return true;
}

static bool complete(MPI_Request *request, MPI_Status *status)
{
    const intptr_t value = value_of(*request);
    if (*request == MPI_REQUEST_NULL) {
        set_status(status, MPI_ANY_SOURCE, 0);
        return true;
    }
    if (value >= POSTED && value < POSTED + MOST) {
        if (!complete_posted(&wire.posted[value - POSTED], status)) return false;
    } else if (value >= RECEIVED && value < RECEIVED + MOST_DATA) {
        set_status(status, wire.data[value - RECEIVED].from, wire.data[value - RECEIVED].bytes);
    }
    *request = MPI_REQUEST_NULL;
    return true;
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    *done = complete(request, status);
    return MPI_SUCCESS;
}

int MPI_Testsome(int n, MPI_Request requests[], int *done, int which[], MPI_Status statuses[])
{
    bool any = false;
    *done = 0;
    for (int i = 0; i < n; i++) {
        if (requests[i] == MPI_REQUEST_NULL) continue;
        any = true;
        if (complete(&requests[i], &statuses[*done])) which[(*done)++] = i;
    }
    if (!any) *done = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    (void)status;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *there, MPI_Status *status)
{
    (void)from, (void)tag, (void)comm, (void)status;
    *there = 0;
    return MPI_SUCCESS;
}

/* A message that no posted receive takes. */
int MPI_Improbe(int from, int tag, MPI_Comm comm, int *there, MPI_Message *message,
                MPI_Status *status)
{
    (void)from, (void)comm, (void)message, (void)status;
    *there = wire.arriving.is_there && wire.arriving.tag == tag;
    for (int i = 0; i < MOST; i++)
        *there = *there && !(wire.posted[i].number && wire.posted[i].tag == tag);
    return MPI_SUCCESS;
}

int MPI_Imrecv(void *buffer, int n, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    (void)type, (void)message;
    post(buffer, n, wire.arriving.tag, request);
    return MPI_SUCCESS;
}

/* ---- sends ---- */

int MPI_Isend(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    (void)type, (void)comm;
    wire_count++;
    if (tag == AM_TAG_BUNDLE) {
        wire.shape = NULL;
        memcpy(&wire_bundle, buffer,
               (size_t)n < sizeof wire_bundle ? (size_t)n : sizeof wire_bundle);
        *request = request_of(SENT);
        return MPI_SUCCESS;
    }
    if (tag == AM_TAG_REQUEST && wire_on_message) wire_on_message(buffer, (size_t)n);
    wire_last.tag = tag;
    wire_last.to = to;
    wire_last.bytes = (size_t)n;
    if (wire.shape) {
        wire_last.bytes = touch_shape(false);
    } else {
        const char *last = (const char *)buffer + n;
        if (n > 0)
            memcpy(wire_last.data, buffer,
                   (size_t)n < sizeof wire_last.data ? (size_t)n : sizeof wire_last.data);
        for (const char *at = buffer; at < last; at += 4096) /* all of it is there */
            wire_last.data[sizeof wire_last.data - 1] = *(const volatile char *)at;
    }
    *request = request_of(SENT);
    return MPI_SUCCESS;
}

int MPI_Send(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    (void)buffer, (void)n, (void)type, (void)to, (void)tag, (void)comm;
    return MPI_SUCCESS;
}

/* ---- the communicator ---- */

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = 4;
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return MPI_SUCCESS;
}
