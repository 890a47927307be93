/* pass.c - passes descriptors of the first member to the other ones. */
#define _GNU_SOURCE
#include "node/pass.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/log.h"
#include "base/system.h"
#include "mpi/coll.h"

/* SECONDS: before a silent host counts as dead. ATTEMPTS: a crowd of strangers may push a member
 * out before the host has read its request. */
enum { SECONDS = 30, ATTEMPTS = 100 };

/* What a member sends, once it is connected. */
struct request {
    unsigned char secret[PASS_SECRET];
    int rank;
};

/* The answer: a secret, with room for descriptors. */
struct parcel {
    struct msghdr message;
    struct iovec data;
    unsigned char secret[PASS_SECRET + 1]; /* a byte more: longer ones are wrong */
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(PASS_MOST * sizeof(int))];
    } control;
};

/* Signal handlers of the program interrupt system calls: with a time limit on the socket even those
 * that were installed with SA_RESTART. */
static bool is_interrupted(ssize_t result)
{
    return result < 0 && errno == EINTR;
}

/* Takes as long for every secret. */
static bool is_same(const unsigned char a[PASS_SECRET], const unsigned char b[PASS_SECRET])
{
    unsigned difference = 0;
    for (int i = 0; i < PASS_SECRET; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

/* ---- who is there ---- */

static ino_t namespace(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_ino : 0;
}

struct pass_member armcii_pass_self(void)
{
    return (struct pass_member){(long)getpid(), namespace("/proc/self/ns/pid"),
                                namespace("/proc/self/ns/net")};
}

/* True if the process at the other end has the caller's user and the member's number, as far as the
 * caller's namespaces show them. Users without a mapping look alike. */
static bool may_be(int socket, const struct pass_member *member)
{
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.uid != getuid())
        return false;
    ino_t processes = member->processes ? namespace("/proc/self/ns/pid") : 0;
    return processes == 0 || processes != member->processes || peer.pid == member->process;
}

/* ---- the host ---- */

static bool make_secrets(struct pass_credentials *credentials)
{
    unsigned char secrets[2 * PASS_SECRET];
    ssize_t got;
    do
        got = getrandom(secrets, sizeof secrets, 0);
    while (is_interrupted(got));
    if (got != (ssize_t)sizeof secrets) return false;
    memcpy(credentials->request, secrets, PASS_SECRET);
    memcpy(credentials->answer, secrets + PASS_SECRET, PASS_SECRET);
    return true;
}

/* Under a name that the kernel chooses, unique in the network namespace and in no file system. */
static bool listen_for_clients(int s, char name[PASS_NAME])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof address.sun_family;
    if (s < 0 || bind(s, (struct sockaddr *)&address, length) != 0 || listen(s, PASS_CLIENTS) != 0)
        return false;
    length = sizeof address;
    if (getsockname(s, (struct sockaddr *)&address, &length) != 0) return false;
    memcpy(name, address.sun_path + 1, PASS_NAME);
    return true;
}

bool armcii_pass_open(struct pass_server *server)
{
    server->waiting = 0;
    server->credentials = (struct pass_credentials){0};
    server->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (make_secrets(&server->credentials) &&
        listen_for_clients(server->listener, server->credentials.name))
        return true;
    armcii_pass_close(server);
    server->credentials.name[0] = '\0';
    return false;
}

void armcii_pass_close(struct pass_server *server)
{
    for (int i = 0; i < server->waiting; i++)
        close(server->clients[i]);
    server->waiting = 0;
    if (server->listener >= 0) close(server->listener);
    server->listener = -1;
}

static void make_parcel(struct parcel *p, size_t bytes)
{
    *p = (struct parcel){.data = {.iov_base = p->secret, .iov_len = bytes}};
    p->message = (struct msghdr){.msg_iov = &p->data,
                                 .msg_iovlen = 1,
                                 .msg_control = p->control.room,
                                 .msg_controllen = sizeof p->control.room};
}

static void send_descriptors(int client, const struct pass_server *server)
{
    struct parcel p;
    size_t bytes = (size_t)server->n * sizeof *server->fds;
    make_parcel(&p, PASS_SECRET);
    memcpy(p.secret, server->credentials.answer, PASS_SECRET);
    p.message.msg_controllen = CMSG_SPACE(bytes);
    p.control.head = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(bytes), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&p.control.head), server->fds, bytes);
    while (is_interrupted(sendmsg(client, &p.message, MSG_NOSIGNAL)))
        continue;
}

/* Answer a client that has asked rightly; false: nothing has come from this one yet. */
static bool answer(int client, const struct pass_server *server)
{
    struct {
        struct request request;
        char more;
    } said;
    ssize_t got;
    do
        got = recv(client, &said, sizeof said, MSG_DONTWAIT);
    while (is_interrupted(got));
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (got == (ssize_t)sizeof said.request &&
        is_same(said.request.secret, server->credentials.request) && said.request.rank > 0 &&
        said.request.rank < server->size && may_be(client, &server->members[said.request.rank]))
        send_descriptors(client, server);
    return true;
}

static void dismiss(struct pass_server *server, int i)
{
    close(server->clients[i]);
    server->waiting--;
    memmove(server->clients + i, server->clients + i + 1,
            (size_t)(server->waiting - i) * sizeof *server->clients);
}

/* Let in who has come. Without descriptors for further clients, or with too many of these, the
 * oldest leaves; if there is none, nobody else gets in, and learns so. */
static void admit(struct pass_server *server)
{
    for (int i = 0; i < PASS_CLIENTS && server->listener >= 0; i++) {
        int client = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        bool is_short = client < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
        if (client < 0 && !is_short && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (client < 0 && !is_short && (errno == EINTR || errno == ECONNABORTED)) continue;
        if (client < 0 && (!is_short || server->waiting == 0)) {
            close(server->listener);
            server->listener = -1;
            return;
        }
        if (is_short || server->waiting == PASS_CLIENTS) dismiss(server, 0);
        if (client < 0) continue;
        if (answer(client, server))
            close(client);
        else
            server->clients[server->waiting++] = client;
    }
}

void armcii_pass_serve(struct pass_server *server, int milliseconds)
{
    struct pollfd fds[1 + PASS_CLIENTS];
    fds[0] = (struct pollfd){.fd = server->listener, .events = POLLIN};
    for (int i = 0; i < server->waiting; i++)
        fds[1 + i] = (struct pollfd){.fd = server->clients[i], .events = POLLIN};
    if (poll(fds, (nfds_t)(1 + server->waiting), milliseconds) <= 0) return;
    for (int i = server->waiting - 1; i >= 0; i--)
        if (fds[1 + i].revents && answer(server->clients[i], server)) dismiss(server, i);
    if (fds[0].revents) admit(server);
}

/* ---- the other members ---- */

static void limit_time(int s)
{
    struct timeval limit = {.tv_sec = SECONDS};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit); /* of connect, too */
}

/* A socket to the host; -1: the host cannot be reached. */
static int connect_to(const char name[PASS_NAME], const struct pass_member *host)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path + 1, name, PASS_NAME); /* abstract: begins with a zero */
    socklen_t length =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strnlen(name, PASS_NAME));
    int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), status;
    if (s < 0) return -1;
    limit_time(s);
    do
        status = connect(s, (struct sockaddr *)&address, length);
    while (is_interrupted(status));
    if (status == 0 && may_be(s, host)) return s;
    close(s);
    return -1;
}

static void send_request(int s, const struct pass_credentials *credentials, int rank)
{
    struct request r = {.rank = rank};
    memcpy(r.secret, credentials->request, PASS_SECRET);
    while (is_interrupted(send(s, &r, sizeof r, MSG_NOSIGNAL)))
        continue;
}

/* The number of descriptors in the parcel, which become the caller's. */
static int take_descriptors(struct parcel *p, int fds[PASS_MOST])
{
    const struct cmsghdr *head = CMSG_FIRSTHDR(&p->message);
    if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) return 0;
    size_t bytes = head->cmsg_len - CMSG_LEN(0);
    const int n = (int)(bytes / sizeof fds[0]);
    memcpy(fds, CMSG_DATA(head), bytes);
    for (int i = 0; i < n; i++)
        fds[i] = armcii_system_descriptor(fds[i]);
    return n;
}

static bool receive(int s, const struct pass_credentials *credentials, int fds[], int n)
{
    struct parcel p;
    ssize_t got;
    int taken[PASS_MOST];
    do {
        make_parcel(&p, sizeof p.secret);
        got = recvmsg(s, &p.message, MSG_CMSG_CLOEXEC);
    } while (is_interrupted(got));
    int count = got < 0 ? 0 : take_descriptors(&p, taken);
    if (got == PASS_SECRET && is_same(p.secret, credentials->answer) && count == n) {
        memcpy(fds, taken, (size_t)n * sizeof *fds);
        return true;
    }
    for (int i = 0; i < count; i++)
        close(taken[i]);
    return false;
}

bool armcii_pass_fetch(const struct pass_credentials *credentials, const struct pass_member *host,
                       int rank, int fds[], int n)
{
    const ino_t network = namespace("/proc/self/ns/net");
    const long end = armcii_clock() + SECONDS * 1000000L;
    bool received = false;
    if (!credentials->name[0]) return false;
    /* Another process may have that name in another network, and would learn the secret. */
    if (network != 0 && host->network != 0 && network != host->network) return false;
    for (int i = 0; i < ATTEMPTS && !received && armcii_clock() < end; i++) {
        int s = connect_to(credentials->name, host);
        if (s < 0) return false;
        send_request(s, credentials, rank);
        received = receive(s, credentials, fds, n);
        close(s);
    }
    return received;
}

/* ---- all members ---- */

/* Of all members, on each. */
static struct pass_member *gather_members(int size, MPI_Comm comm)
{
    const struct pass_member self = armcii_pass_self();
    struct pass_member *members =
        armcii_alloc((size_t)size, sizeof *members, "tables of %d processes", size);
    armcii_coll_allgather(&self, members, (int)sizeof self, comm);
    return members;
}

/* Serve until all members know how all have fared. */
static void serve_all(struct pass_server *server, MPI_Request *request)
{
    int done = 0;
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(request, &done, MPI_STATUS_IGNORE)) {
        armcii_pass_serve(server, 1);
        armcii_backoff.progress();
    }
    armcii_pass_close(server);
}

bool armcii_pass(int fds[], int n, MPI_Comm comm)
{
    int rank, size, passed = 1, all;
    MPI_Request request;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (size == 1) return true;
    struct pass_member *members = gather_members(size, comm);
    struct pass_server server = {
        .members = members, .size = size, .fds = fds, .n = n, .listener = -1};
    if (rank == 0) passed = armcii_pass_open(&server);
    armcii_coll_bcast(&server.credentials, (int)sizeof server.credentials, 0, comm);
    if (rank > 0) passed = armcii_pass_fetch(&server.credentials, &members[0], rank, fds, n);
    MPI_Iallreduce(&passed, &all, 1, MPI_INT, MPI_MIN, comm, &request);
    if (rank == 0)
        serve_all(&server, &request);
    else
        armcii_coll_wait(&request);
    for (int i = 0; rank > 0 && passed && !all && i < n; i++)
        close(fds[i]);
    free(members);
    return all;
}
