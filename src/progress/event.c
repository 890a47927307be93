/* event.c - the events that end a sleep: epoll over the sockets of this process, and an eventfd for
 * wakeups. */
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

#include "base/system.h"

static struct {
    int wakeup_fd, doorbell_fd, epfd;
    /* How well events predict messages. They are reliable above 0. */
    int score;
    unsigned misses;
} event = {.wakeup_fd = -1, .doorbell_fd = -1, .epfd = -1};

enum { SCORE_MIN = -4, SCORE_MAX = 4, MISS_COST = 2 };

/* ---- descriptors ---- */

static bool is_internet_socket(int fd)
{
    int domain;
    socklen_t size = sizeof domain;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
           (domain == AF_INET || domain == AF_INET6);
}

/* Edge-triggered: data that nobody reads end one sleep only. Fails if the descriptor is watched
 * already. */
static void add_fd(int fd, uint32_t events)
{
    struct epoll_event edges = {.events = events | EPOLLET};
    epoll_ctl(event.epfd, EPOLL_CTL_ADD, fd, &edges);
}

void armcii_event_add_fd(int fd)
{
    add_fd(fd, EPOLLIN);
}

void armcii_event_add_sockets(void)
{
    DIR *descriptors = opendir("/proc/self/fd");
    if (!descriptors) return;
    for (struct dirent *e = readdir(descriptors); e; e = readdir(descriptors)) {
        int fd = atoi(e->d_name);
        if (is_internet_socket(fd)) add_fd(fd, EPOLLIN | EPOLLOUT);
    }
    closedir(descriptors);
}

bool armcii_event_start(void)
{
    event.wakeup_fd = armcii_system_descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (event.wakeup_fd < 0) return false;
    event.epfd =
        armcii_system_descriptor(epoll_create1(EPOLL_CLOEXEC)); /* without it no event is seen */
    armcii_event_add_sockets();
    event.score = 0; /* a process that finds no messages itself never sees that its network raises
                  no events */
    event.misses = 0;
    return true;
}

void armcii_event_end(void)
{
    if (event.epfd >= 0) close(event.epfd);
    close(event.wakeup_fd);
    event.epfd = event.wakeup_fd =
        -1; /* a late wakeup must not reach another file with this number */
}

/* ---- sleep ---- */

void armcii_event_wakeup(void)
{
    eventfd_write(event.wakeup_fd, 1);
}

bool armcii_event_drain(void)
{
    enum { BATCH = 16 };
    struct epoll_event events[BATCH];
    bool any = false;
    while (epoll_wait(event.epfd, events, BATCH, 0) > 0)
        any = true;
    return any;
}

void armcii_event_set_doorbell(int fd)
{
    event.doorbell_fd = fd;
}

/* Until a wakeup, the doorbell, or the timeout; or data for `fd`, if it is not -1: then true. */
static bool wait_for(int fd, long timeout)
{
    struct timespec t = {timeout / 1000000, timeout % 1000000 * 1000};
    struct pollfd fds[] = {{.fd = event.wakeup_fd, .events = POLLIN},
                           {.fd = event.doorbell_fd, .events = POLLIN},
                           {.fd = fd, .events = POLLIN}};
    eventfd_t wakeups;
    ppoll(fds, sizeof fds / sizeof fds[0], &t, NULL);
    if (fds[0].revents) eventfd_read(event.wakeup_fd, &wakeups);
    if (fds[1].revents) eventfd_read(event.doorbell_fd, &wakeups);
    return fds[2].revents != 0;
}

bool armcii_event_wait(long timeout)
{
    return wait_for(event.epfd, timeout) && armcii_event_drain();
}

bool armcii_event_wait_ignoring_fds(long timeout)
{
    return wait_for(-1, timeout);
}

/* ---- score ---- */

/* A miss may come from a socket that is not watched yet. Search for such sockets if the miss ended
 * a long sleep, else at every miss whose number is a power of two. */
void armcii_event_account(bool signaled)
{
    if (signaled || armcii_event_drain()) { /* the event may follow the message */
        if (event.score < SCORE_MAX) event.score++;
        return;
    }
    bool was_reliable = event.score > 0;
    event.score = event.score - MISS_COST > SCORE_MIN ? event.score - MISS_COST : SCORE_MIN;
    event.misses++;
    if (was_reliable || (event.misses & (event.misses - 1)) == 0) armcii_event_add_sockets();
}

bool armcii_event_is_reliable(void)
{
    return event.score > 0;
}
