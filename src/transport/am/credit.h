/* credit.h - the server's memory for its clients, as credit in bytes: for replies to gets and the
 * data of buffered rendezvous, and for messages longer than the window. Called by the thread that
 * serves. */
#ifndef ARMCII_CREDIT_H
#define ARMCII_CREDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/am/proto.h"

/* AM_REPLY_CREDIT: bytes of all clients together; three fragments of an accumulate of one client
 * fit into its part: one is added, one arrives, one is requested. AM_REPLY_OVERHEAD: bytes beside
 * the data of a reply, which Open MPI keeps (measured). AM_CREDIT_US: microseconds of the server's
 * after which credit for replies expires. */
enum { AM_REPLY_CREDIT = 1 << 21, AM_REPLY_OVERHEAD = 4 << 10, AM_CREDIT_US = 1000000 };

void armcii_credits_start(int clients);
void armcii_credits_end(void);

/* ---- replies ---- */

/* True if a reply of that cost fits into the client's reserved credit. The reserve lets short gets
 * proceed while other clients use up the shared credit. */
bool armcii_credit_is_reserved(int client, size_t cost);
/* True if a reply of that cost fits into the shared credit. A client may use at most three quarters
 * of what the others leave (a dynamic threshold); where no reply is in flight, one of any length is
 * admitted. */
bool armcii_credit_suffices(int client, size_t cost);
/* True if the client has taken credit. */
bool armcii_credit_is_used(int client);
/* Take credit for a reply that begins. */
void armcii_credit_take(int client, size_t cost);
/* Give the credit of a reply in flight back to the shared pool: its client may be stopped. */
void armcii_credit_expire(int client, size_t cost);
/* Return the credit of a complete reply. */
void armcii_credit_return(int client, size_t cost, bool expired);

/* ---- messages longer than the window ---- */

/* What may be granted to the client, which has no credit: a lease, or one message where others have
 * to wait, or leases take much of the memory and the client seldom asks; none where it is used up.
 */
struct am_grant armcii_credit_offer(int client);
void armcii_credit_grant(int client, struct am_grant grant);
/* A message of the client has arrived, which may be the last of its credit. */
void armcii_credit_count_message(int client);
/* All that the client has sent is served: return its credit if that is used up; in any case. */
void armcii_credit_end_used(int client);
void armcii_credit_end(int client);

/* ---- expiry ---- */

/* Return the microseconds that the server has run while it looked for credit. */
long armcii_credit_now(void);
/* Let grants expire, now and then; true when replies should, too. For the server, at each request
 * for credit, and often while clients wait. */
bool armcii_credit_tick(void);

/* True if what was refused since the last call may be granted now. */
bool armcii_credit_was_freed(void);

#endif
