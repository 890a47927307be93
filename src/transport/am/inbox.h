/* inbox.h - the buffers of a server for messages. Messages of a client complete in any order: a
 * buffer keeps one until it is the client's next. Called by the thread that serves. */
#ifndef ARMCII_INBOX_H
#define ARMCII_INBOX_H

#include <mpi.h>
#include <stdbool.h>

#include "transport/am/proto.h"

void armcii_inbox_start(MPI_Comm comm);
/* No process sends any more, and no message is left. */
void armcii_inbox_end(void);
/* Receive what has arrived, without waiting; true when any message is complete. */
bool armcii_inbox_poll(void);
int armcii_inbox_size(void);
/* The complete message in buffer i. Valid until the buffer is posted again. */
struct am_message {
    const struct am_message_header *head; /* NULL: none */
    size_t bytes;                         /* received */
    int client;
};
struct am_message armcii_inbox_message(int i);
/* True if an earlier message of the same client is in another buffer, or may be arriving there: MPI
 * matches the messages of a client in order, with receives in the order in which they were posted.
 */
bool armcii_inbox_has_earlier(int i);
void armcii_inbox_post(int i);

#endif
