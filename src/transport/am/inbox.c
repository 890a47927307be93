/* inbox.c - the buffers into which a server receives its clients' messages. */
#include "transport/am/inbox.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/backoff.h"

/* A buffer is served when its message is the next of its client, so that a client that stalls
 * delays no other. When all buffers hold partly received messages, buffers are added. */
enum { BUFFERS = 8, MAX_BUFFERS = INBOX_MOST };
enum { NONE = MAX_BUFFERS, NOBODY = -1 };
static struct {
    struct inbox_arrivals arrivals; /* shared with the server */
    struct am_receive any_request;
    int size;
    unsigned long posts; /* receives posted */
    int first, last;     /* posted receives, oldest first: MPI matches in this order */
    int free;            /* buffers without a receive and without a message */
    long last_full_poll;
    unsigned polls; /* since the clock was read */
    struct inbox_buffer {
        char *bytes;
        int sender;                /* of a message that has arrived and is not served; or NOBODY */
        unsigned long post_number; /* order in which the receives were posted */
        int next;                  /* receive that was posted after this one; or NONE */
    } buffer[MAX_BUFFERS];
    MPI_Request receives[MAX_BUFFERS + 1]; /* one array for MPI_Testsome; [NONE]: there is none */
} inbox;
const struct inbox_arrivals *const armcii_inbox = &inbox.arrivals;

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
    int before = NONE, *link = &inbox.first;
    while (*link != i) {
        before = *link;
        link = &inbox.buffer[before].next;
    }
    *link = inbox.buffer[i].next;
    if (inbox.last == i) inbox.last = before;
}

static void post(int i)
{
    inbox.buffer[i].sender = NOBODY;
    armcii_am_receive_post(&inbox.any_request, inbox.buffer[i].bytes, &inbox.receives[i]);
    if (inbox.receives[i] == MPI_REQUEST_NULL)
        inbox.free++;
    else
        add_posted(i);
}

void armcii_inbox_post(int k)
{
    const int i = inbox.arrivals.message[k].buffer;
    inbox.arrivals.message[k] = inbox.arrivals.message[--inbox.arrivals.count];
    post(i);
}

static int new_buffer(void)
{
    inbox.buffer[inbox.size].bytes = armcii_alloc(1, AM_MESSAGE_MAX, "messages from other nodes");
    inbox.receives[inbox.size] = MPI_REQUEST_NULL;
    inbox.buffer[inbox.size].sender = NOBODY;
    return inbox.size++;
}

/* No receive is posted for the buffer, and it holds no message to serve. */
static bool is_free(int i)
{
    return inbox.receives[i] == MPI_REQUEST_NULL && inbox.buffer[i].sender == NOBODY;
}

/* Receive unexpected messages into free buffers. */
static void receive_unexpected(void)
{
    for (int i = 0; i < inbox.size && inbox.free > 0; i++) {
        if (!is_free(i)) continue;
        if (!armcii_am_receive_unexpected(&inbox.any_request, inbox.buffer[i].bytes,
                                          &inbox.receives[i]))
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
    const size_t bytes = armcii_am_received(status);
    remove_posted(i);
    inbox.buffer[i].sender = status->MPI_SOURCE;
    inbox.arrivals.message[inbox.arrivals.count++] =
        (struct am_message){(const struct am_message_header *)(void *)inbox.buffer[i].bytes, bytes,
                            status->MPI_SOURCE, i};
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
    MPI_Iprobe(MPI_ANY_SOURCE, AM_TAG_REQUEST, armcii_am_comm, &there, MPI_STATUS_IGNORE);
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
    return &inbox.receives[inbox.first];
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

bool armcii_inbox_has_earlier(int k)
{
    const struct inbox_buffer *message = &inbox.buffer[inbox.arrivals.message[k].buffer];
    for (int j = 0; j < inbox.size; j++) {
        const struct inbox_buffer *b = &inbox.buffer[j];
        const bool is_pending = inbox.receives[j] != MPI_REQUEST_NULL;
        if (b->post_number < message->post_number && (is_pending || b->sender == message->sender))
            return true;
    }
    return false;
}

void armcii_inbox_start(void)
{
    inbox.any_request = (struct am_receive){AM_TAG_REQUEST, AM_MESSAGE_MAX};
    inbox.first = inbox.last = NONE;
    inbox.receives[NONE] = MPI_REQUEST_NULL;
    while (inbox.size < BUFFERS)
        post(new_buffer());
}

void armcii_inbox_end(void)
{
    armcii_am_receives_drain(&inbox.any_request, inbox.size, inbox.receives);
    while (inbox.size > 0)
        free(inbox.buffer[--inbox.size].bytes);
    inbox.free = inbox.arrivals.count = 0;
}
