/* event.c - epoll over the sockets of this process, and an eventfd for wakeups. */
#define _GNU_SOURCE
#include "progress/thread.h"

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

static int wakeup_fd = -1, epfd = -1;

/* How well events predict messages.  They are reliable above 0. */
static int score;
enum { SCORE_MIN = -4, SCORE_MAX = 4, MISS_COST = 2 };
static unsigned misses;

/* ---- descriptors ---- */

static bool is_internet_socket(int fd)
{
    int domain;
    socklen_t size = sizeof domain;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && (domain == AF_INET || domain == AF_INET6);
}

/* Edge-triggered: data that nobody reads end one sleep only.  False if the descriptor is watched already. */
static bool add_fd(int fd, uint32_t events)
{
    struct epoll_event event = {.events = events | EPOLLET};
    return epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event) == 0;
}

void armcii_event_add_fd(int fd)
{
    add_fd(fd, EPOLLIN);
}

int armcii_event_add_sockets(void)
{
    int n = 0;
    DIR *descriptors = opendir("/proc/self/fd");
    if (!descriptors) return 0;
    for (struct dirent *e = readdir(descriptors); e; e = readdir(descriptors)) {
        int fd = atoi(e->d_name);
        if (is_internet_socket(fd) && add_fd(fd, EPOLLIN | EPOLLOUT)) n++;
    }
    closedir(descriptors);
    return n;
}

void armcii_event_start(void)
{
    wakeup_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    epfd = epoll_create1(EPOLL_CLOEXEC);
    if (wakeup_fd < 0) armcii_fatal("no descriptor for a thread that waits for messages"); /* without epfd, no event is seen */
    score = armcii_event_add_sockets() > 0;                                                /* reliable until the first miss */
    misses = 0;
}

void armcii_event_end(void)
{
    if (epfd >= 0) close(epfd);
    close(wakeup_fd);
    epfd = wakeup_fd = -1; /* a late wakeup must not reach another file with this number */
}

/* ---- sleep ---- */

void armcii_event_wakeup(void)
{
    eventfd_write(wakeup_fd, 1);
}

bool armcii_event_drain(void)
{
    enum { BATCH = 16 };
    struct epoll_event events[BATCH];
    bool any = false;
    while (epoll_wait(epfd, events, BATCH, 0) > 0)
        any = true;
    return any;
}

/* The first descriptor is wakeup_fd. */
static void wait_for_any(struct pollfd *fds, nfds_t n, long timeout)
{
    struct timespec t = {timeout / 1000000, timeout % 1000000 * 1000};
    eventfd_t wakeups;
    ppoll(fds, n, &t, NULL);
    if (fds[0].revents) eventfd_read(wakeup_fd, &wakeups);
}

bool armcii_event_wait(long timeout)
{
    struct pollfd fds[] = {{.fd = wakeup_fd, .events = POLLIN}, {.fd = epfd, .events = POLLIN}};
    wait_for_any(fds, 2, timeout);
    return fds[1].revents && armcii_event_drain();
}

bool armcii_event_wait_ignoring_fds(long timeout)
{
    wait_for_any(&(struct pollfd){.fd = wakeup_fd, .events = POLLIN}, 1, timeout);
    return false;
}

/* ---- score ---- */

/* A miss may come from a socket that is not watched yet.  Search for such sockets if the miss ended a long sleep, else at every miss whose
 * number is a power of two. */
void armcii_event_account(bool signaled)
{
    if (signaled || armcii_event_drain()) { /* the event may follow the message */
        if (score < SCORE_MAX) score++;
        return;
    }
    bool was_reliable = score > 0;
    score = score - MISS_COST > SCORE_MIN ? score - MISS_COST : SCORE_MIN;
    misses++;
    if (was_reliable || (misses & (misses - 1)) == 0) armcii_event_add_sockets();
}

bool armcii_event_is_reliable(void)
{
    return score > 0;
}
