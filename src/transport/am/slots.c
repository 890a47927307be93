/* slots.c - the buffers into which a server receives its clients' messages. */
#include "transport/am/am.h"

#include <stdlib.h>

#include "base/log.h"

/* A slot is served when its message is the next of its client, so that a client that stalls delays
 * no other. When all slots hold partly received messages, slots are added. */
enum { SLOTS = 8, MAX_SLOTS = 64 };
static char *slot[MAX_SLOTS];
static MPI_Request receives[MAX_SLOTS];
static int sender[MAX_SLOTS]; /* of a message that has arrived and is not served; or NONE */
static unsigned long post_number[MAX_SLOTS], posts; /* order in which the receives were posted */
static int slots;
enum { NONE = -1 };

static MPI_Comm comm;

static struct am_receive any_request(void)
{
    return (struct am_receive){comm, AM_TAG_REQUEST, AM_MESSAGE_MAX};
}

void armcii_slot_post(int i)
{
    struct am_receive match = any_request();
    sender[i] = NONE;
    post_number[i] = ++posts;
    armcii_am_receive_post(&match, slot[i], &receives[i]);
}

static void add_slot(void)
{
    slot[slots] = armcii_alloc(1, AM_MESSAGE_MAX, "messages from other nodes");
    receives[slots] = MPI_REQUEST_NULL;
    sender[slots++] = NONE;
}

/* No receive is posted for the slot, and it holds no message to serve. */
static bool is_free(int i)
{
    return receives[i] == MPI_REQUEST_NULL && sender[i] == NONE;
}

/* Receive unexpected messages into free slots. */
static void receive_unexpected(void)
{
    struct am_receive match = any_request();
    for (int i = 0; i < slots; i++) {
        if (!is_free(i)) continue;
        if (!armcii_am_receive_unexpected(&match, slot[i], &receives[i])) return;
        post_number[i] = ++posts;
    }
}

/* Testing all slots costs as much as several tests of one: do it every INTERVAL microseconds, which
 * is how long a client that stalls may delay others. */
static bool is_full_poll_due(void)
{
    enum { INTERVAL = 200 };
    static long last;
    long now = armcii_clock();
    if (now - last < INTERVAL) return false;
    last = now;
    return true;
}

/* The slot with the oldest receive: of the next message or of one that stalls; NONE where no
 * receive is posted. */
static int oldest_slot(void)
{
    int oldest = NONE;
    for (int i = 0; i < slots; i++)
        if (receives[i] != MPI_REQUEST_NULL &&
            (oldest == NONE || post_number[i] < post_number[oldest]))
            oldest = i;
    return oldest;
}

/* Test the oldest slot, or all; true when any message is complete. */
static bool test_slots(bool all)
{
    int done = 0, which[MAX_SLOTS];
    MPI_Status statuses[MAX_SLOTS];
    receive_unexpected();
    if (all) {
        MPI_Testsome(slots, receives, &done, which, statuses);
        if (done == MPI_UNDEFINED) done = 0;
    } else if ((which[0] = oldest_slot()) != NONE) {
        MPI_Test(&receives[which[0]], &done, &statuses[0]);
    }
    for (int i = 0; i < done; i++)
        sender[which[i]] = statuses[i].MPI_SOURCE;
    return done > 0;
}

/* Is there a message that no slot can receive? */
static bool needs_slot(void)
{
    int there;
    for (int i = 0; i < slots; i++)
        if (is_free(i)) return false;
    MPI_Iprobe(MPI_ANY_SOURCE, AM_TAG_REQUEST, comm, &there, MPI_STATUS_IGNORE);
    return there;
}

bool armcii_slots_poll(void)
{
    bool all = is_full_poll_due();
    if (test_slots(all)) return true;
    if (all && slots < MAX_SLOTS && needs_slot()) add_slot();
    return false;
}

int armcii_slots(void)
{
    return slots;
}

const struct am_message_header *armcii_slot_message(int i, int *client)
{
    *client = sender[i];
    return sender[i] == NONE ? NULL : (const struct am_message_header *)(void *)slot[i];
}

void armcii_slots_start(MPI_Comm requests)
{
    comm = requests;
    while (slots < SLOTS) {
        add_slot();
        armcii_slot_post(slots - 1);
    }
}

void armcii_slots_end(void)
{
    struct am_receive match = any_request();
    armcii_am_receives_drain(&match, slots, receives);
    while (slots > 0)
        free(slot[--slots]);
}
