/* fuzz_overlap.c - the overlap tree against a list that is searched from end to end. */
#include <check.h>
#include <stdlib.h>

#include "input.h"
#include "shape/overlap.h"

enum { MOST = 600 };

struct interval {
    uintptr_t lo, hi;
};

struct model {
    struct interval in[MOST];
    size_t n, capacity;
};

static enum overlap_result expected(struct model *m, struct interval x)
{
    if (x.lo >= x.hi) return OVERLAP_NONE;
    for (size_t i = 0; i < m->n; i++)
        if (x.lo < m->in[i].hi && m->in[i].lo < x.hi) return OVERLAP_FOUND;
    if (m->n == m->capacity) return OVERLAP_FULL;
    m->in[m->n++] = x;
    return OVERLAP_NONE;
}

/* The height of the highest AVL tree with n nodes. */
static int highest(size_t n)
{
    size_t least = 1, next = 2; /* nodes that a tree of height 1, 2, ... needs */
    int height = 0;
    while (least <= n) {
        size_t above = least + next + 1;
        least = next;
        next = above;
        height++;
    }
    return height;
}

/* Two bytes of place and one of length, spread over the address space as the input began by saying. */
static struct interval choose(struct input *in, unsigned spread)
{
    uintptr_t place = input_byte(in), length;
    place = (place << 8 | input_byte(in)) << spread;
    length = input_byte(in);
    if (length == 255) return (struct interval){place, place - input_byte(in)}; /* empty, or to the end of all */
    length = length % 16 == 0 ? length / 16 << spread : length % 16;
    return (struct interval){place, place + length};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct model m;
    unsigned spread = input_byte(&in) % 49;
    m.n = 0;
    m.capacity = (size_t)input_between(&in, 0, MOST);
    struct overlap_tree *tree = armcii_overlap_create(m.capacity);
    ck_assert_ptr_nonnull(tree);
    while (in.left > 0) {
        struct interval x = choose(&in, spread);
        enum overlap_result want = expected(&m, x), seen = armcii_overlap_insert(tree, x.lo, x.hi);
        ck_assert_msg(seen == want, "[%#jx, %#jx) after %zu: expected %d, seen %d", (uintmax_t)x.lo, (uintmax_t)x.hi,
                      m.n, (int)want, (int)seen);
        ck_assert_msg(armcii_overlap_height(tree) <= highest(m.n), "%zu intervals: height %d", m.n,
                      armcii_overlap_height(tree));
    }
    armcii_overlap_free(tree);
    return 0;
}
