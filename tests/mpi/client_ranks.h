/* client_ranks.h - many clients of a server as ranks of its own: the program replaces MPI's
 * functions where the server calls them. A client's number is in the tag of its messages. */
#ifndef CLIENT_RANKS_H
#define CLIENT_RANKS_H

#include <mpi.h>
#include <stdbool.h>

/* Clients of each process but rank 0, which is the server; of the job that is played. */
enum { EACH = 150, ALL = 64 * EACH };

extern MPI_Comm to_server, from_server, server_comm; /* the last: what the server is told */
extern int few_clients;                              /* that the server knows of; 0: all */
int all_clients(void);

/* The server's rank of a client is behind its own, 0. */
int server_rank(int process, int client);
/* A client uses three tags: of reply bundles, of one reply, and of the data of one put. */
int tag_of(int client, int tag);

/* What the server has received and sent, while its replies are withheld: `completions` more of them
 * complete. */
struct seen {
    bool withholds;
    int completions, arrivals, replies;
    long decoded; /* requests: each time that the server looks at one */
    int arrived[ALL], replied[ALL];
};
extern struct seen seen;

/* The library's server: the second ends when all ranks have come to wait_for_all; the third serves
 * without sleeps until then, the next time. */
void start_server(MPI_Request *end);
void serve(MPI_Request *end);
void serve_at_once(void);
void stop_server(void);
void wait_for_all(void);

bool is_done(MPI_Request *request);
void sleep_ms(long ms);
/* Where others use the processors, whoever polls lets the other side in. */
void yield_at_times(unsigned poll);

#endif
