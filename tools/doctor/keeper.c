/* keeper.c - takes lines, with a time limit for each probe. */
#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

void keeper_start(struct keeper *k, int descriptor, void (*deliver)(const struct line *l))
{
    *k = (struct keeper){.descriptor = descriptor,
                         .deliver = deliver,
                         .rank = -1,
                         .deadline = now() + KEEPER_START_SECONDS};
}

static void begin(struct keeper *k, const struct line *l)
{
    snprintf(k->probe, sizeof k->probe, "%s", l->field[1]);
    k->deadline = now() + strtod(l->field[2], NULL) + k->spare;
    snprintf(k->outcome, sizeof k->outcome, "%s", l->field[3]);
    snprintf(k->workaround, sizeof k->workaround, "%s", l->field[4]);
}

static void note(struct keeper *k, const struct line *l)
{
    const char *kind = l->field[0];
    if (strcmp(kind, "rank") == 0) k->rank = atoi(l->field[1]);
    if (strcmp(kind, "begin") == 0) begin(k, l);
    if (strcmp(kind, "end") == 0) k->ended = true;
    if (strcmp(kind, "alone") == 0) k->alone = true;
    if (strcmp(kind, "row") != 0 && strcmp(kind, "end") != 0) return;
    k->probe[0] = '\0';
    k->deadline = now() + KEEPER_START_SECONDS;
}

static void take(struct keeper *k, const char *text)
{
    struct line line;
    if (!line_parse(&line, text)) {
        if (k->other_lines) fprintf(stderr, "%s\n", text);
        return;
    }
    note(k, &line);
    k->deliver(&line);
}

/* Split the input into lines. */
static void take_all(struct keeper *k)
{
    char *end;
    k->buffer[k->filled] = '\0';
    char *at = k->buffer;
    for (; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        take(k, at);
    }
    k->filled -= (size_t)(at - k->buffer);
    memmove(k->buffer, at, k->filled);
    if (k->filled == sizeof k->buffer - 1) k->filled = 0; /* too long: not a line of the protocol */
}

enum keeper_reason keeper_watch(struct keeper *k, const volatile int *ended, int peers)
{
    for (;;) {
        double left = k->deadline - now();
        struct pollfd p[2] = {{.fd = k->descriptor, .events = POLLIN},
                              {.fd = peers, .events = POLLIN}};
        if (*ended) return KEEPER_SIGNAL;
        if (left <= 0) return KEEPER_TIME;
        int n = poll(p, 2, left > 0.5 ? 500 : (int)(left * 1000) + 1);
        if (n <= 0) continue;
        if (p[0].revents) {
            ssize_t got =
                read(k->descriptor, k->buffer + k->filled, sizeof k->buffer - 1 - k->filled);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return KEEPER_CLOSED;
            k->filled += (size_t)got;
            take_all(k);
        } else if (p[1].revents) {
            return KEEPER_PEER;
        }
    }
}

void keeper_fail(struct keeper *k, const char *how)
{
    char text[LINE_ROOM];
    struct line line;
    if (!k->probe[0]) return;
    snprintf(text, sizeof text, "@doctor\trow\t%s\t%s\t%s\t%s", k->probe, k->outcome, how,
             k->workaround);
    k->probe[0] = '\0';
    if (line_parse(&line, text)) k->deliver(&line);
}
