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
    unsigned long posts; /* receives posted */
    long last_full_poll;
    struct entry {
        char *buffer;
        int sender;                /* of a message that has arrived and is not served; or NONE */
        size_t bytes;              /* of that message */
        unsigned long post_number; /* order in which the receives were posted */
    } entry[MAX_BUFFERS];
    MPI_Request receives[MAX_BUFFERS]; /* one array for MPI_Testsome */
} inbox;

static struct am_receive any_request(void)
{
    return (struct am_receive){inbox.comm, AM_TAG_REQUEST, AM_MESSAGE_MAX};
}

void armcii_inbox_post(int i)
{
    struct am_receive match = any_request();
    inbox.entry[i].sender = NONE;
    inbox.entry[i].post_number = ++inbox.posts;
    armcii_am_receive_post(&match, inbox.entry[i].buffer, &inbox.receives[i]);
}

static void add_buffer(void)
{
    inbox.entry[inbox.size].buffer = armcii_alloc(1, AM_MESSAGE_MAX, "messages from other nodes");
    inbox.receives[inbox.size] = MPI_REQUEST_NULL;
    inbox.entry[inbox.size++].sender = NONE;
}

/* No receive is posted for the buffer, and it holds no message to serve. */
static bool is_free(int i)
{
    return inbox.receives[i] == MPI_REQUEST_NULL && inbox.entry[i].sender == NONE;
}

/* Receive unexpected messages into free inbox. */
static void receive_unexpected(void)
{
    struct am_receive match = any_request();
    for (int i = 0; i < inbox.size; i++) {
        if (!is_free(i)) continue;
        if (!armcii_am_receive_unexpected(&match, inbox.entry[i].buffer, &inbox.receives[i]))
            return;
        inbox.entry[i].post_number = ++inbox.posts;
    }
}

/* Testing all buffers costs as much as several tests of one: do it every INTERVAL microseconds,
 * which is how long a client that stalls may delay others. */
static bool is_full_poll_due(void)
{
    enum { INTERVAL = 200 };
    long now = armcii_clock();
    if (now - inbox.last_full_poll < INTERVAL) return false;
    inbox.last_full_poll = now;
    return true;
}

/* The buffer with the oldest receive: of the next message or of one that stalls; NONE where no
 * receive is posted. */
static int oldest_receive(void)
{
    int oldest = NONE;
    for (int i = 0; i < inbox.size; i++)
        if (inbox.receives[i] != MPI_REQUEST_NULL &&
            (oldest == NONE || inbox.entry[i].post_number < inbox.entry[oldest].post_number))
            oldest = i;
    return oldest;
}

/* Test the oldest buffer, or all; true when any message is complete. */
static bool test_receives(bool all)
{
    int done = 0, which[MAX_BUFFERS];
    MPI_Status statuses[MAX_BUFFERS];
    receive_unexpected();
    if (all) {
        MPI_Testsome(inbox.size, inbox.receives, &done, which, statuses);
        if (done == MPI_UNDEFINED) done = 0;
    } else if ((which[0] = oldest_receive()) != NONE) {
        MPI_Test(&inbox.receives[which[0]], &done, &statuses[0]);
    }
    for (int i = 0; i < done; i++) {
        inbox.entry[which[i]].sender = statuses[i].MPI_SOURCE;
        inbox.entry[which[i]].bytes = armcii_am_received(&statuses[i]);
    }
    return done > 0;
}

/* True if there is a message that no buffer can receive. */
static bool needs_buffer(void)
{
    int there;
    for (int i = 0; i < inbox.size; i++)
        if (is_free(i)) return false;
    MPI_Iprobe(MPI_ANY_SOURCE, AM_TAG_REQUEST, inbox.comm, &there, MPI_STATUS_IGNORE);
    return there;
}

bool armcii_inbox_poll(void)
{
    bool all = is_full_poll_due();
    if (test_receives(all)) return true;
    if (all && inbox.size < MAX_BUFFERS && needs_buffer()) add_buffer();
    return false;
}

int armcii_inbox_size(void)
{
    return inbox.size;
}

struct am_message armcii_inbox_message(int i)
{
    const struct entry *e = &inbox.entry[i];
    if (e->sender == NONE) return (struct am_message){.client = NONE};
    return (struct am_message){(const struct am_message_header *)(void *)e->buffer, e->bytes,
                               e->sender};
}

bool armcii_inbox_has_earlier(int i)
{
    const struct entry *message = &inbox.entry[i];
    for (int j = 0; j < inbox.size; j++) {
        const struct entry *e = &inbox.entry[j];
        const bool is_pending = inbox.receives[j] != MPI_REQUEST_NULL;
        if (e->post_number < message->post_number && (is_pending || e->sender == message->sender))
            return true;
    }
    return false;
}

void armcii_inbox_start(MPI_Comm requests)
{
    inbox.comm = requests;
    while (inbox.size < BUFFERS) {
        add_buffer();
        armcii_inbox_post(inbox.size - 1);
    }
}

void armcii_inbox_end(void)
{
    struct am_receive match = any_request();
    armcii_am_receives_drain(&match, inbox.size, inbox.receives);
    while (inbox.size > 0)
        free(inbox.entry[--inbox.size].buffer);
}
