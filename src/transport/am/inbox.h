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
/* The complete message in buffer i and its sender; NULL: none. Valid until the buffer is posted
 * again.
 */
const struct am_message_header *armcii_inbox_message(int i, int *client);
void armcii_inbox_post(int i);

#endif
