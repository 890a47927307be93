/* wire_mpi.h - the MPI of test_wire: messages between servers and clients that the test writes
 * itself. No process but this one exists, and everything that is sent has arrived. */
#ifndef WIRE_MPI_H
#define WIRE_MPI_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "transport/am/proto.h"

/* Forget all messages. */
void wire_start(void);
/* A message that the oldest receive for that tag from any source takes when it is tested next. */
void wire_deliver(int tag, int from, const char *message, size_t bytes);
/* False: the message has not been taken. */
bool wire_is_taken(void);

/* Data of a receive from one process: their bytes are 0x5a. They are as long as the receive, or
 * differ by so much. */
extern long wire_difference;

/* What was sent since the last call of wire_start, or of wire_forget_sent. */
struct wire_sent {
    int tag, to;
    size_t bytes;
    char data[AM_MESSAGE_MAX]; /* the first ones */
};
extern struct wire_sent wire_last;         /* the last one that is no bundle */
extern struct am_reply_bundle wire_bundle; /* the last one that is */
extern int wire_count;
/* Called for each message to a server. */
extern void (*wire_on_message)(const void *message, size_t bytes);
void wire_forget_sent(void);

#endif
