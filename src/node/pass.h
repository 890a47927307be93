/* pass.h - passes descriptors from one process of a node to the others, over a socket.
 *
 * The kernel shows the name of the socket to every user of the network namespace, and shows users
 * without a mapping in the caller's user namespace as one and the same. So the two sides prove a
 * secret to each other, which MPI has brought them, before a descriptor goes. */
#ifndef ARMCII_PASS_H
#define ARMCII_PASS_H

#include <mpi.h>
#include <stdbool.h>
#include <sys/types.h>

enum { PASS_MOST = 16, PASS_NAME = 8, PASS_SECRET = 16, PASS_CLIENTS = 64 };

/* What tells a member from other processes. */
struct pass_member {
    long process;
    ino_t processes, network; /* namespaces; 0: unknown */
};

/* What the host, which has the descriptors, tells the other members by MPI. */
struct pass_credentials {
    char name[PASS_NAME]; /* of the host's socket; empty: there is none */
    unsigned char request[PASS_SECRET], answer[PASS_SECRET]; /* what a member, then the host, shows
                                                                first */
};

/* Of the host. */
struct pass_server {
    struct pass_credentials credentials;
    const struct pass_member *members; /* [size]; the host is the first */
    int size;
    const int *fds; /* [n] */
    int n, listener;
    int clients[PASS_CLIENTS], waiting; /* connections without a word so far, the oldest first */
};

/* Collective over comm: the descriptors fds[0..n) of the first member, n <= PASS_MOST, which become
 * descriptors of every other one. False, on all members, if one of them gets none: then nothing is
 * open on those. The members must share a network namespace. */
bool armcii_pass(int fds[], int n, MPI_Comm comm);

/* ---- its steps, without MPI ---- */

struct pass_member armcii_pass_self(void);
/* Make the socket and the secrets; false, and an empty name, if the system refuses. */
bool armcii_pass_open(struct pass_server *server);
/* Serve who has come, or wait for so many milliseconds. Never waits for a client that is silent. */
void armcii_pass_serve(struct pass_server *server, int milliseconds);
void armcii_pass_close(struct pass_server *server);
/* The descriptors of the host; false, with nothing open, if there are none for member `rank`. */
bool armcii_pass_fetch(const struct pass_credentials *credentials, const struct pass_member *host,
                       int rank, int fds[], int n);

#endif
