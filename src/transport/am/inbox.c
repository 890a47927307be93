/* inbox.c - the buffers into which a server receives its clients' messages. */
#include "transport/am/inbox.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/backoff.h"

/* A buffer is served when its message is the next of its client, so that a client that stalls
 * delays no other. When all buffers hold partly received messages, buffers are added. */
enum { BUFFERS = 8, MAX_BUFFERS = 64 };
enum { NONE = -1 };
static struct {
    MPI_Comm comm;
    int size;
    unsigned long posts;             /* receives posted */
    int first, last;                 /* posted receives, oldest first: MPI matches in this order */
    int free;                        /* buffers without a receive and without a message */
    int arrived[MAX_BUFFERS], count; /* buffers with a complete message that is not served */
    long last_full_poll;
    unsigned polls; /* since the clock was read */
    struct inbox_buffer {
        char *bytes;
        int sender;                /* of a message that has arrived and is not served; or NONE */
        size_t length;             /* of that message, in bytes */
        unsigned long post_number; /* order in which the receives were posted */
        int next;                  /* receive that was posted after this one; or NONE */
    } buffer[MAX_BUFFERS];
    MPI_Request receives[MAX_BUFFERS]; /* one array for MPI_Testsome */
    MPI_Request none;                  /* MPI_REQUEST_NULL */
} inbox;

static struct am_receive any_request(void)
{
    return (struct am_receive){inbox.comm, AM_TAG_REQUEST, AM_MESSAGE_MAX};
}

/* The buffer's receive has been posted, as the last one. */
static void add_posted(int i)
{
    inbox.buffer[i].post_number = ++inbox.posts;
    inbox.buffer[i].next = NONE;
    if (inbox.first == NONE)
        inbox.first = i;
    else
        inbox.buffer[inbox.last].next = i;
    inbox.last = i;
}

/* The buffer's receive is complete: that of the first, mostly. */
static void remove_posted(int i)
{
    int before = NONE;
    for (int j = inbox.first; j != i; j = inbox.buffer[j].next)
        before = j;
    if (before == NONE)
        inbox.first = inbox.buffer[i].next;
    else
        inbox.buffer[before].next = inbox.buffer[i].next;
    if (inbox.last == i) inbox.last = before;
}

static void post(int i)
{
    struct am_receive match = any_request();
    inbox.buffer[i].sender = NONE;
    armcii_am_receive_post(&match, inbox.buffer[i].bytes, &inbox.receives[i]);
    if (inbox.receives[i] == MPI_REQUEST_NULL)
        inbox.free++;
    else
        add_posted(i);
}

void armcii_inbox_post(int k)
{
    const int i = inbox.arrived[k];
    inbox.arrived[k] = inbox.arrived[--inbox.count];
    post(i);
}

static int new_buffer(void)
{
    inbox.buffer[inbox.size].bytes = armcii_alloc(1, AM_MESSAGE_MAX, "messages from other nodes");
    inbox.receives[inbox.size] = MPI_REQUEST_NULL;
    inbox.buffer[inbox.size].sender = NONE;
    return inbox.size++;
}

/* No receive is posted for the buffer, and it holds no message to serve. */
static bool is_free(int i)
{
    return inbox.receives[i] == MPI_REQUEST_NULL && inbox.buffer[i].sender == NONE;
}

/* Receive unexpected messages into free buffers. */
static void receive_unexpected(void)
{
    struct am_receive match = any_request();
    for (int i = 0; i < inbox.size && inbox.free > 0; i++) {
        if (!is_free(i)) continue;
        if (!armcii_am_receive_unexpected(&match, inbox.buffer[i].bytes, &inbox.receives[i]))
            return;
        inbox.free--;
        add_posted(i);
    }
}

/* Testing all buffers costs as much as several tests of one: do it every INTERVAL microseconds,
 * which is how long a client that stalls may delay others. */
static bool is_full_poll_due(void)
{
    enum { INTERVAL = 200 };
    long now = armcii_clock();
    inbox.polls = 0;
    if (now - inbox.last_full_poll < INTERVAL) return false;
    inbox.last_full_poll = now;
    return true;
}

static void complete(int i, const MPI_Status *status)
{
    remove_posted(i);
    inbox.buffer[i].sender = status->MPI_SOURCE;
    inbox.buffer[i].length = armcii_am_received(status);
    inbox.arrived[inbox.count++] = i;
}

void armcii_inbox_complete(const MPI_Status *status)
{
    complete(inbox.first, status);
}

/* True if there is a message that no buffer can receive. */
static bool needs_buffer(void)
{
    int there;
    if (inbox.free > 0 || inbox.size == MAX_BUFFERS) return false;
    MPI_Iprobe(MPI_ANY_SOURCE, AM_TAG_REQUEST, inbox.comm, &there, MPI_STATUS_IGNORE);
    return there;
}

static void poll_all(void)
{
    int done, which[MAX_BUFFERS];
    MPI_Status statuses[MAX_BUFFERS];
    MPI_Testsome(inbox.size, inbox.receives, &done, which, statuses);
    if (done == MPI_UNDEFINED) done = 0;
    for (int i = 0; i < done; i++)
        complete(which[i], &statuses[i]);
    if (done > 0 || !needs_buffer()) return;
    new_buffer();
    inbox.free++;
}

MPI_Request *armcii_inbox_oldest(void)
{
    enum { CLOCK_EVERY = 16 }; /* rounds of a thread that waits */
    if (inbox.free > 0) receive_unexpected();
    if (++inbox.polls >= CLOCK_EVERY && is_full_poll_due()) poll_all();
    return inbox.first == NONE ? &inbox.none : &inbox.receives[inbox.first];
}

void armcii_inbox_poll(void)
{
    int done;
    MPI_Status status;
    if (inbox.free > 0) receive_unexpected();
    if (is_full_poll_due()) {
        poll_all();
    } else if (inbox.first != NONE) {
        MPI_Test(&inbox.receives[inbox.first], &done, &status);
        if (done) complete(inbox.first, &status);
    }
}

int armcii_inbox_count(void)
{
    return inbox.count;
}

struct am_message armcii_inbox_message(int k)
{
    const struct inbox_buffer *b = &inbox.buffer[inbox.arrived[k]];
    return (struct am_message){(const struct am_message_header *)(void *)b->bytes, b->length,
                               b->sender};
}

bool armcii_inbox_has_earlier(int k)
{
    const struct inbox_buffer *message = &inbox.buffer[inbox.arrived[k]];
    for (int j = 0; j < inbox.size; j++) {
        const struct inbox_buffer *b = &inbox.buffer[j];
        const bool is_pending = inbox.receives[j] != MPI_REQUEST_NULL;
        if (b->post_number < message->post_number && (is_pending || b->sender == message->sender))
            return true;
    }
    return false;
}

void armcii_inbox_start(MPI_Comm requests)
{
    inbox.comm = requests;
    inbox.first = inbox.last = NONE;
    inbox.none = MPI_REQUEST_NULL;
    while (inbox.size < BUFFERS)
        post(new_buffer());
}

void armcii_inbox_end(void)
{
    struct am_receive match = any_request();
    armcii_am_receives_drain(&match, inbox.size, inbox.receives);
    while (inbox.size > 0)
        free(inbox.buffer[--inbox.size].bytes);
    inbox.free = inbox.count = 0;
}
