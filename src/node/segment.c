/* segment.c - anonymous files that the processes of a node share. */
#define _GNU_SOURCE
#include "node/segment.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mpi/coll.h"

/* Batch systems may limit the size of files; exceeding the limit ends the process (SIGXFSZ). */
static bool is_within_limit(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

int armcii_segment_descriptor(size_t bytes)
{
    int fd = is_within_limit(bytes) ? memfd_create("armci", MFD_CLOEXEC) : -1;
    if (fd < 0) return -1;
    if (ftruncate(fd, (off_t)bytes) == 0) return fd;
    close(fd);
    return -1;
}

struct segment_handle armcii_segment_handle(int fd)
{
    struct stat status;
    struct segment_handle handle = {.process = (long)getpid(), .descriptor = -1};
    if (fd < 0 || fstat(fd, &status) != 0) return handle;
    handle.descriptor = fd;
    handle.device = status.st_dev;
    handle.inode = status.st_ino;
    return handle;
}

/* The descriptor if it is the segment; else -1, and it is closed. */
static int verify(int fd, const struct segment_handle *handle)
{
    struct stat status;
    if (fd < 0) return -1;
    if (fstat(fd, &status) == 0 && status.st_dev == handle->device &&
        status.st_ino == handle->inode)
        return fd;
    close(fd);
    return -1;
}

int armcii_segment_open(const struct segment_handle *handle)
{
    char path[64];
    if (handle->descriptor < 0) return -1;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", handle->process, handle->descriptor);
    return verify(open(path, O_RDWR | O_CLOEXEC), handle);
}

/* ---- passing ---- */

/* AT_ONCE: connections, of which a socket may hold 128 that are not accepted. */
enum { NAME = 8, AT_ONCE = 64, SECONDS = 30 /* before a silent peer counts as dead */ };

/* A message of one byte, with room for a descriptor. */
struct parcel {
    struct msghdr message;
    struct iovec data;
    char byte;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
};

static void make_parcel(struct parcel *p)
{
    *p = (struct parcel){.data = {.iov_base = &p->byte, .iov_len = 1}};
    p->message = (struct msghdr){.msg_iov = &p->data,
                                 .msg_iovlen = 1,
                                 .msg_control = p->control.room,
                                 .msg_controllen = sizeof p->control.room};
}

static void send_descriptor(int peer, int fd)
{
    struct parcel p;
    make_parcel(&p);
    p.control.head = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&p.control.head), &fd, sizeof fd);
    sendmsg(peer, &p.message, MSG_NOSIGNAL);
}

static int receive_descriptor(int peer)
{
    struct parcel p;
    int fd = -1;
    make_parcel(&p);
    if (recvmsg(peer, &p.message, MSG_CMSG_CLOEXEC) != 1) return -1;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&p.message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(head), sizeof fd);
    return fd;
}

/* The kernel shows the peer's user as this process's namespace has it: the same number is the same
 * user. */
static bool is_own_user(int peer)
{
    struct ucred user;
    socklen_t length = sizeof user;
    return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &user, &length) == 0 && user.uid == getuid();
}

/* Listens under a name that the kernel chooses; no name on failure. */
static int listen_for_peers(char name[NAME])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof address.sun_family;
    int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (s < 0 || bind(s, (struct sockaddr *)&address, length) != 0 || listen(s, AT_ONCE) != 0)
        return s;
    length = sizeof address;
    if (getsockname(s, (struct sockaddr *)&address, &length) == 0)
        memcpy(name, address.sun_path + 1, NAME);
    return s;
}

/* A socket to the first member; -1: it cannot be reached from here. */
static int connect_to(const char name[NAME])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval limit = {.tv_sec = SECONDS};
    memcpy(address.sun_path + 1, name, NAME); /* abstract: begins with a zero */
    socklen_t length =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strnlen(name, NAME));
    int s = name[0] ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
    if (s < 0) return -1;
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(s, (struct sockaddr *)&address, length) == 0 && is_own_user(s)) return s;
    close(s);
    return -1;
}

static void serve(int listener, int peers, int fd)
{
    while (peers > 0) {
        int peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (peer < 0) return;
        if (is_own_user(peer)) {
            send_descriptor(peer, fd);
            peers--;
        }
        close(peer);
    }
}

/* Some members at a time connect, and all know how many did so. */
static int pass(int fd, const struct segment_handle *handle, MPI_Comm comm)
{
    int rank, size, listener = -1;
    char name[NAME] = "";
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0) listener = listen_for_peers(name);
    armcii_coll_bcast(name, NAME, 0, comm);
    for (int first = 1; first < size; first += AT_ONCE) {
        int s = rank >= first && rank < first + AT_ONCE ? connect_to(name) : -1;
        int connected = s >= 0, peers;
        armcii_coll_allreduce(&connected, &peers, 1, MPI_INT, MPI_SUM, comm);
        if (rank == 0) serve(listener, peers, fd);
        if (s < 0) continue;
        fd = verify(receive_descriptor(s), handle);
        close(s);
    }
    if (listener >= 0) close(listener);
    return fd;
}

/* ---- sharing ---- */

int armcii_segment_share(size_t bytes, MPI_Comm comm)
{
    int rank, fd = -1;
    struct segment_handle handle = {0};
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        fd = armcii_segment_descriptor(bytes);
        handle = armcii_segment_handle(fd);
    }
    armcii_coll_bcast(&handle, (int)sizeof handle, 0, comm);
    if (rank > 0) fd = armcii_segment_open(&handle);
    if (armcii_coll_all(fd >= 0, comm)) return fd;
    if (rank > 0 && fd >= 0) close(fd);
    if (handle.descriptor < 0) return -1;
    fd = pass(rank == 0 ? fd : -1, &handle, comm);
    if (armcii_coll_all(fd >= 0, comm)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

bool armcii_segment_is_possible(MPI_Comm comm)
{
    int fd = armcii_segment_share(1, comm);
    if (fd >= 0) close(fd); /* all have opened it */
    return fd >= 0;
}
