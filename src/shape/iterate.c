/* iterate.c - the one walk over the segments of a shape. */
#include "shape/shape.h"

void armcii_shape_begin(struct shape_iter *it, const struct shape *s)
{
    it->shape = s;
    it->left = s->nsegs;
    it->run = it->i = 0;
    for (int level = 0; level < s->levels; level++)
        it->index[level] = 0;
    if (s->form == SHAPE_VECTOR) {
        it->local = s->packed;
        it->remote = NULL;
    } else {
        it->local = s->local;
        it->remote = s->remote;
    }
}

/* Go to the next segment of a strided shape; there is one. */
static void step_strided(struct shape_iter *it)
{
    const struct shape *s = it->shape;
    int level = 0;
    while (++it->index[level] == s->count[level + 1]) {
        ptrdiff_t back = (ptrdiff_t)s->count[level + 1] - 1;
        it->local -= back * s->stride[SHAPE_LOCAL][level];
        it->remote -= back * s->stride[SHAPE_REMOTE][level];
        it->index[level++] = 0;
    }
    it->local += s->stride[SHAPE_LOCAL][level];
    it->remote += s->stride[SHAPE_REMOTE][level];
}

/* The next segment of a vector shape; there is one. */
static struct segment next_of_runs(struct shape_iter *it)
{
    const struct shape *s = it->shape;
    const struct vector_run *run = &s->runs[it->run];
    while (it->i == run->n || run->bytes == 0) {
        run = &s->runs[++it->run];
        it->i = 0;
    }
    struct segment seg = {s->packed ? it->local : run->local[it->i], run->remote[it->i], run->bytes};
    it->i++;
    if (s->packed) it->local += run->bytes;
    return seg;
}

bool armcii_shape_next(struct shape_iter *it, struct segment *seg)
{
    if (it->left == 0) return false;
    it->left--;
    if (it->shape->form == SHAPE_VECTOR) {
        *seg = next_of_runs(it);
        return true;
    }
    *seg = (struct segment){it->local, it->remote, it->shape->count[0]};
    if (it->left > 0) step_strided(it);
    return true;
}
