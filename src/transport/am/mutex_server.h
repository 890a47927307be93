/* mutex_server.h - clients in line for mutexes of the server's node. Called by the thread that
 * serves. */
#ifndef ARMCII_MUTEX_SERVER_H
#define ARMCII_MUTEX_SERVER_H

#include <stdbool.h>

struct mutex;
/* True when the client has the mutex; else it is in line. */
bool armcii_mutex_server_lock(struct mutex *m, int client, int tag);
/* Its holder, a client, releases it; true when it passes to the next one: *client, *tag. */
bool armcii_mutex_server_unlock(struct mutex *m, int *client, int *tag);
/* Calls grant for each client that has its mutex now. */
void armcii_mutex_server_grant(void (*grant)(int client, int tag));
/* Clients in line wait for nothing any more. */
void armcii_mutex_server_end(void);

#endif
