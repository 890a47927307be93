/* event.c - sleeping on the sockets of this process. */
#define _GNU_SOURCE
#include "progress/event.h"

#include <dirent.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

static int bell = -1; /* an eventfd, by which others wake */
static int ears = -1; /* an epoll of the connections */
static int trust;     /* in what is heard, between these; there is some from 1 on */
enum { LEAST = -4, MOST = 4 };
static unsigned misses;

static bool is_connection(int fd)
{
    int domain;
    socklen_t size = sizeof domain;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && (domain == AF_INET || domain == AF_INET6);
}

/* Each thing that comes is told once: what nobody reads keeps nobody awake.  false: it was listened to already. */
static bool listen_to(int fd, uint32_t events)
{
    struct epoll_event event = {.events = events | EPOLLET};
    return epoll_ctl(ears, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Returns how many connections are new. */
static int listen_to_connections(void)
{
    int n = 0;
    DIR *descriptors = opendir("/proc/self/fd");
    if (!descriptors) return 0;
    for (struct dirent *e = readdir(descriptors); e; e = readdir(descriptors)) {
        int fd = atoi(e->d_name);
        if (is_connection(fd) && listen_to(fd, EPOLLIN | EPOLLOUT)) n++;
    }
    closedir(descriptors);
    return n;
}

void armcii_event_start(void)
{
    bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ears = epoll_create1(EPOLL_CLOEXEC);
    if (bell < 0) armcii_fatal("no descriptor for a thread that waits for messages"); /* without ears it hears nothing */
    trust = listen_to_connections() > 0; /* until the first that is missed */
    misses = 0;
}

void armcii_event_end(void)
{
    if (ears >= 0) close(ears);
    close(bell);
    ears = bell = -1; /* nobody rings what has that number next */
}

void armcii_event_wakeup(void)
{
    eventfd_write(bell, 1);
}

static bool has_something_come(void)
{
    enum { AT_ONCE = 16 };
    struct epoll_event events[AT_ONCE];
    bool any = false;
    while (epoll_wait(ears, events, AT_ONCE, 0) > 0) any = true;
    return any;
}

/* Until one of the first n descriptors has something. */
static void sleep_on(struct pollfd *on, nfds_t n, long microseconds)
{
    struct timespec most = {microseconds / 1000000, microseconds % 1000000 * 1000};
    eventfd_t rung;
    ppoll(on, n, &most, NULL);
    if (on[0].revents) eventfd_read(bell, &rung);
}

bool armcii_event_wait(long microseconds)
{
    struct pollfd on[] = {{.fd = bell, .events = POLLIN}, {.fd = ears, .events = POLLIN}};
    sleep_on(on, 2, microseconds);
    return on[1].revents && has_something_come();
}

bool armcii_event_wait_ignoring_fds(long microseconds)
{
    sleep_on(&(struct pollfd){.fd = bell, .events = POLLIN}, 1, microseconds);
    return false;
}

/* One that was missed weighs more than one that was heard.  It may have come on a new connection: look for such ones where it had to wait,
 * server_map ever more seldom. */
void armcii_event_account(bool heard)
{
    if (heard || has_something_come()) { /* or it came just now */
        if (trust < MOST) trust++;
        return;
    }
    bool costly = trust > 0; /* it waited for long */
    trust = trust - 2 > LEAST ? trust - 2 : LEAST;
    misses++;
    if (costly || (misses & (misses - 1)) == 0) listen_to_connections();
}

void armcii_event_add_fd(int descriptor)
{
    listen_to(descriptor, EPOLLIN);
}

void armcii_event_add_sockets(void)
{
    listen_to_connections();
}

bool armcii_event_is_reliable(void)
{
    return trust > 0;
}

bool armcii_event_drain(void)
{
    return has_something_come();
}
