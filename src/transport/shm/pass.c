/* pass.c - descriptors by SCM_RIGHTS. */
#define _GNU_SOURCE
#include "transport/shm/pass.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/thread.h"

struct wish {
    int descriptor; /* of the owner */
    dev_t device;
    ino_t inode;
};

enum { SECONDS = 30 /* before a silent peer counts as dead */ };

static struct {
    int socket;
    char name[PASS_NAME];
    pthread_t thread;
    bool runs;
    atomic_bool ending;
} pass;

static socklen_t address_of(const char name[PASS_NAME], struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path + 1, name, PASS_NAME); /* abstract: begins with a zero */
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strnlen(name, PASS_NAME));
}

/* The kernel shows the peer's user as this process's namespace has it: the same number is the same
 * user. */
static bool is_own_user(int peer)
{
    struct ucred user;
    socklen_t length = sizeof user;
    return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &user, &length) == 0 && user.uid == getuid();
}

static bool is_file(int descriptor, dev_t device, ino_t inode)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

/* One byte, with the descriptor if it is valid. */
static void send_descriptor(int peer, int descriptor)
{
    char byte = 0;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof descriptor)];
    } control = {0};
    struct msghdr message = {.msg_iov = &(struct iovec){&byte, 1}, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof descriptor),
                                        .cmsg_level = SOL_SOCKET,
                                        .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.head), &descriptor, sizeof descriptor);
    }
    sendmsg(peer, &message, MSG_NOSIGNAL);
}

static int receive_descriptor(int peer)
{
    char byte;
    int descriptor = -1;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof descriptor)];
    } control;
    struct msghdr message = {.msg_iov = &(struct iovec){&byte, 1},
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    if (recvmsg(peer, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
    return descriptor;
}

static void limit_waits(int s)
{
    struct timeval limit = {.tv_sec = SECONDS};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

static void serve(int peer)
{
    struct wish wish;
    limit_waits(peer);
    if (is_own_user(peer) && recv(peer, &wish, sizeof wish, 0) == sizeof wish)
        send_descriptor(peer,
                        is_file(wish.descriptor, wish.device, wish.inode) ? wish.descriptor : -1);
}

static void *run(void *unused)
{
    while (!atomic_load(&pass.ending)) {
        int peer = accept4(pass.socket, NULL, NULL, SOCK_CLOEXEC);
        if (peer < 0) {
            usleep(1000); /* no descriptor is left: the peer waits meanwhile */
            continue;
        }
        serve(peer);
        close(peer);
    }
    return unused;
}

/* Listens under a name that the kernel chooses. */
static bool start_thread(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t length = sizeof name.sun_family;
    if (bind(pass.socket, (struct sockaddr *)&name, length) != 0) return false;
    length = sizeof name;
    if (listen(pass.socket, SOMAXCONN) != 0 ||
        getsockname(pass.socket, (struct sockaddr *)&name, &length) != 0)
        return false;
    memcpy(pass.name, name.sun_path + 1, sizeof pass.name);
    return armcii_thread_create(&pass.thread, run);
}

bool armcii_pass_start(void)
{
    if (pass.runs) return true;
    pass.socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (pass.socket < 0) return false;
    atomic_store(&pass.ending, false);
    pass.runs = start_thread();
    if (!pass.runs) {
        close(pass.socket);
        memset(pass.name, 0, sizeof pass.name);
    }
    return pass.runs;
}

void armcii_pass_end(void)
{
    if (!pass.runs) return;
    atomic_store(&pass.ending, true);
    shutdown(pass.socket, SHUT_RDWR); /* ends accept */
    pthread_join(pass.thread, NULL);
    close(pass.socket);
    memset(pass.name, 0, sizeof pass.name);
    pass.runs = false;
}

void armcii_pass_name(char name[PASS_NAME])
{
    memcpy(name, pass.name, sizeof pass.name);
}

int armcii_pass_receive(const char name[PASS_NAME], int descriptor, dev_t device, ino_t inode)
{
    struct sockaddr_un address;
    struct wish wish = {descriptor, device, inode};
    int s = name[0] ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1, received = -1;
    if (s < 0) return -1;
    limit_waits(s);
    if (connect(s, (struct sockaddr *)&address, address_of(name, &address)) == 0 &&
        is_own_user(s) && send(s, &wish, sizeof wish, MSG_NOSIGNAL) == sizeof wish)
        received = receive_descriptor(s);
    close(s);
    return received;
}
