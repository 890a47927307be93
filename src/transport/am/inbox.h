/* inbox.h - the buffers of a server for messages. Messages of a client complete in any order: a
 * buffer keeps one until it is the client's next. Called by the thread that serves. */
#ifndef ARMCII_INBOX_H
#define ARMCII_INBOX_H

#include <mpi.h>
#include <stdbool.h>

#include "transport/am/proto.h"

void armcii_inbox_start(void);
/* No process sends any more, and no message is left. */
void armcii_inbox_end(void);
/* Receive what has arrived, without waiting. */
void armcii_inbox_poll(void);
/* The receive that the next message completes, for a test beside other requests; MPI_REQUEST_NULL
 * where none is posted. When it is complete, call armcii_inbox_complete with its status. */
MPI_Request *armcii_inbox_oldest(void);
void armcii_inbox_complete(const MPI_Status *status);

struct am_message {
    const struct am_message_header *head;
    size_t bytes; /* received */
    int client;
    int buffer; /* for inbox.c */
};
/* The complete messages, for the server to read. */
enum { INBOX_MOST = 64 };
struct inbox_arrivals {
    int count;
    struct am_message message[INBOX_MOST];
};
extern const struct inbox_arrivals *const armcii_inbox;
/* True if an earlier message of the same client is in another buffer, or may be arriving there: MPI
 * matches the messages of a client in order, with receives in the order in which they were posted,
 * but may complete a later one first. */
bool armcii_inbox_has_earlier(int k);
/* Message k is served: receive another one in its buffer. The last message has number k then. */
void armcii_inbox_post(int k);

#endif
