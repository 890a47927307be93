/* walk.c - the segments of a transfer, in the order in which ARMCI names them. */
#include <string.h>

#include "program.h"

static bool is_empty(const struct transfer *t)
{
    for (int i = 0; i <= t->levels; i++)
        if (t->count[i] == 0) return true;
    return false;
}

void walk_begin(struct walk *w, const struct transfer *t)
{
    memset(w, 0, sizeof *w);
    w->t = t;
    w->local = t->local.offset;
    w->remote = t->remote.offset;
    w->done = t->form != VECTOR && is_empty(t);
}

static bool next_of_vector(struct walk *w, struct segment *segment)
{
    const struct transfer *t = w->t;
    while (w->entry < t->entries) {
        const struct entry *e = &t->entry[w->entry];
        if (w->segment < e->n && e->bytes > 0) {
            *segment = t->segment[e->first + w->segment++];
            return true;
        }
        w->entry++;
        w->segment = 0;
    }
    return false;
}

static void step(struct walk *w)
{
    const struct transfer *t = w->t;
    for (int i = 0; i < t->levels; i++) {
        w->local += t->local_stride[i];
        w->remote += t->remote_stride[i];
        if (++w->at[i] < t->count[i + 1]) return;
        w->local -= (long)w->at[i] * t->local_stride[i];
        w->remote -= (long)w->at[i] * t->remote_stride[i];
        w->at[i] = 0;
    }
    w->done = true;
}

bool walk_next(struct walk *w, struct segment *segment)
{
    if (w->t->form == VECTOR) return next_of_vector(w, segment);
    if (w->done) return false;
    *segment = (struct segment){w->t->remote.memory, w->remote, w->local, w->t->count[0]};
    step(w);
    return true;
}

long transfer_bytes(const struct transfer *t)
{
    struct walk w;
    struct segment s;
    long bytes = 0;
    for (walk_begin(&w, t); walk_next(&w, &s);)
        bytes += s.bytes;
    return bytes;
}
