/* slots.c - the buffers into which a server receives its clients' messages. */
#include "transport/am/am.h"

#include <stdlib.h>

#include "base/log.h"

/* A slot is served when its message is the next of its client, so that a client that stalls delays
 * no other. When all slots hold partly received messages, slots are added. */
enum { SLOTS = 8, MAX_SLOTS = 64 };
enum { NONE = -1 };
static struct {
    MPI_Comm comm;
    int size;
    unsigned long posts; /* receives posted */
    long last_full_poll;
    struct slot {
        char *buffer;
        int sender;                /* of a message that has arrived and is not served; or NONE */
        unsigned long post_number; /* order in which the receives were posted */
    } slot[MAX_SLOTS];
    MPI_Request receives[MAX_SLOTS]; /* one array for MPI_Testsome */
} slots;

static struct am_receive any_request(void)
{
    return (struct am_receive){slots.comm, AM_TAG_REQUEST, AM_MESSAGE_MAX};
}

void armcii_slot_post(int i)
{
    struct am_receive match = any_request();
    slots.slot[i].sender = NONE;
    slots.slot[i].post_number = ++slots.posts;
    armcii_am_receive_post(&match, slots.slot[i].buffer, &slots.receives[i]);
}

static void add_slot(void)
{
    slots.slot[slots.size].buffer = armcii_alloc(1, AM_MESSAGE_MAX, "messages from other nodes");
    slots.receives[slots.size] = MPI_REQUEST_NULL;
    slots.slot[slots.size++].sender = NONE;
}

/* No receive is posted for the slot, and it holds no message to serve. */
static bool is_free(int i)
{
    return slots.receives[i] == MPI_REQUEST_NULL && slots.slot[i].sender == NONE;
}

/* Receive unexpected messages into free slots. */
static void receive_unexpected(void)
{
    struct am_receive match = any_request();
    for (int i = 0; i < slots.size; i++) {
        if (!is_free(i)) continue;
        if (!armcii_am_receive_unexpected(&match, slots.slot[i].buffer, &slots.receives[i])) return;
        slots.slot[i].post_number = ++slots.posts;
    }
}

/* Testing all slots costs as much as several tests of one: do it every INTERVAL microseconds, which
 * is how long a client that stalls may delay others. */
static bool is_full_poll_due(void)
{
    enum { INTERVAL = 200 };
    long now = armcii_clock();
    if (now - slots.last_full_poll < INTERVAL) return false;
    slots.last_full_poll = now;
    return true;
}

/* The slot with the oldest receive: of the next message or of one that stalls; NONE where no
 * receive is posted. */
static int oldest_slot(void)
{
    int oldest = NONE;
    for (int i = 0; i < slots.size; i++)
        if (slots.receives[i] != MPI_REQUEST_NULL &&
            (oldest == NONE || slots.slot[i].post_number < slots.slot[oldest].post_number))
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
        MPI_Testsome(slots.size, slots.receives, &done, which, statuses);
        if (done == MPI_UNDEFINED) done = 0;
    } else if ((which[0] = oldest_slot()) != NONE) {
        MPI_Test(&slots.receives[which[0]], &done, &statuses[0]);
    }
    for (int i = 0; i < done; i++)
        slots.slot[which[i]].sender = statuses[i].MPI_SOURCE;
    return done > 0;
}

/* Is there a message that no slot can receive? */
static bool needs_slot(void)
{
    int there;
    for (int i = 0; i < slots.size; i++)
        if (is_free(i)) return false;
    MPI_Iprobe(MPI_ANY_SOURCE, AM_TAG_REQUEST, slots.comm, &there, MPI_STATUS_IGNORE);
    return there;
}

bool armcii_slots_poll(void)
{
    bool all = is_full_poll_due();
    if (test_slots(all)) return true;
    if (all && slots.size < MAX_SLOTS && needs_slot()) add_slot();
    return false;
}

int armcii_slots(void)
{
    return slots.size;
}

const struct am_message_header *armcii_slot_message(int i, int *client)
{
    *client = slots.slot[i].sender;
    return slots.slot[i].sender == NONE
               ? NULL
               : (const struct am_message_header *)(void *)slots.slot[i].buffer;
}

void armcii_slots_start(MPI_Comm requests)
{
    slots.comm = requests;
    while (slots.size < SLOTS) {
        add_slot();
        armcii_slot_post(slots.size - 1);
    }
}

void armcii_slots_end(void)
{
    struct am_receive match = any_request();
    armcii_am_receives_drain(&match, slots.size, slots.receives);
    while (slots.size > 0)
        free(slots.slot[--slots.size].buffer);
}
