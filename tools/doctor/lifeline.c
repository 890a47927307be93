/* lifeline.c - one message from keeper to keeper. */
#include "lifeline.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int lifeline_listen(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0) return -1;
    if (bind(s, (struct sockaddr *)&any, sizeof any) == 0 && listen(s, 16) == 0) return s;
    close(s);
    return -1;
}

/* The addresses of this node, its own name for itself last. */
static void list_addresses(char *text, size_t size)
{
    struct ifaddrs *all, *i;
    size_t used = 0;
    text[0] = '\0';
    if (getifaddrs(&all) != 0) return;
    for (int loop = 0; loop < 2; loop++)
        for (i = all; i; i = i->ifa_next) {
            char name[INET_ADDRSTRLEN];
            if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET) continue;
            struct in_addr a = ((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr;
            if ((ntohl(a.s_addr) >> 24 == 127) != loop || used + sizeof name > size) continue;
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "", inet_ntop(AF_INET, &a, name, sizeof name));
        }
    freeifaddrs(all);
}

void lifeline_address(int listening, char *text, size_t size)
{
    char addresses[LIFELINE_ROOM - 60];
    struct sockaddr_in own = {0};
    socklen_t length = sizeof own;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    list_addresses(addresses, sizeof addresses);
    if (listening < 0 || getsockname(listening, (struct sockaddr *)&own, &length) != 0 || !addresses[0])
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%s %d %lx%lx", addresses, ntohs(own.sin_port), (unsigned long)t.tv_nsec * 2654435761u,
                 (unsigned long)getpid());
}

static int connect_to(const char *name, int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    struct timeval second = {.tv_sec = 1};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0) return -1;
    setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second); /* bounds connect, too */
    if (inet_pton(AF_INET, name, &to.sin_addr) == 1 && connect(s, (struct sockaddr *)&to, sizeof to) == 0) return s;
    close(s);
    return -1;
}

void lifeline_tell(const char *address, const char *text)
{
    char addresses[LIFELINE_ROOM], token[64], message[LIFELINE_ROOM], *rest;
    int port;
    if (sscanf(address, "%339s %d %63s", addresses, &port, token) != 3) return;
    int n = snprintf(message, sizeof message, "%s %s\n", token, text);
    for (char *name = strtok_r(addresses, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        int s = connect_to(name, port);
        if (s < 0) continue;
        ssize_t sent = send(s, message, (size_t)n, MSG_NOSIGNAL);
        close(s);
        if (sent == n) return;
    }
}

void lifeline_hear(int listening, const char *address, char *text, size_t size)
{
    char token[64], message[LIFELINE_ROOM];
    text[0] = '\0';
    int s = accept(listening, NULL, NULL);
    if (s < 0) return;
    struct pollfd p = {.fd = s, .events = POLLIN};
    ssize_t n = poll(&p, 1, 1000) == 1 ? recv(s, message, sizeof message - 1, 0) : 0;
    close(s);
    if (n <= 0 || sscanf(address, "%*s %*d %63s", token) != 1) return;
    message[n] = '\0';
    size_t k = strlen(token);
    if (strncmp(message, token, k) == 0 && message[k] == ' ')
        snprintf(text, size, "%.*s", (int)strcspn(message + k + 1, "\n"), message + k + 1);
}
