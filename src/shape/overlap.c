/* overlap.c - an AVL tree of disjoint intervals. Nodes are indices into one array; index 0 is "no
 * node", of height 0. */
#include "shape/overlap.h"

#include <stdlib.h>

/* An AVL tree of height h has at least Fib(h + 2) - 1 nodes, which exceeds 2^64 at height 93. */
enum { MAX_HEIGHT = 93 };

enum { LEFT, RIGHT };

struct node {
    uintptr_t lo, hi;
    size_t child[2];
    int height;
};

struct overlap_tree {
    size_t capacity, used, root;
    struct node node[]; /* node[0]: none; then `capacity` intervals */
};

struct overlap_tree *armcii_overlap_create(size_t capacity)
{
    size_t bytes;
    if (__builtin_add_overflow(capacity, 1, &bytes) ||
        __builtin_mul_overflow(bytes, sizeof(struct node), &bytes) ||
        __builtin_add_overflow(bytes, sizeof(struct overlap_tree), &bytes))
        return NULL;
    struct overlap_tree *tree = malloc(bytes);
    if (tree == NULL) return NULL;
    tree->capacity = capacity;
    tree->used = tree->root = 0;
    tree->node[0] = (struct node){0};
    return tree;
}

void armcii_overlap_free(struct overlap_tree *tree)
{
    free(tree);
}

int armcii_overlap_height(const struct overlap_tree *tree)
{
    return tree->node[tree->root].height;
}

static int height(const struct overlap_tree *tree, size_t n, int side)
{
    return tree->node[tree->node[n].child[side]].height;
}

static void update_height(struct overlap_tree *tree, size_t n)
{
    int left = height(tree, n, LEFT), right = height(tree, n, RIGHT);
    tree->node[n].height = 1 + (left > right ? left : right);
}

/* Rotates the child of n on `side` above n; returns that child, the new top. */
static size_t rotate(struct overlap_tree *tree, size_t n, int side)
{
    size_t top = tree->node[n].child[side];
    tree->node[n].child[side] = tree->node[top].child[!side];
    tree->node[top].child[!side] = n;
    update_height(tree, n);
    update_height(tree, top);
    return top;
}

/* Rebalances the subtree of n, whose children differ in height by at most two. Returns its top. */
static size_t balance(struct overlap_tree *tree, size_t n)
{
    int lean = height(tree, n, RIGHT) - height(tree, n, LEFT);
    if (lean >= -1 && lean <= 1) {
        update_height(tree, n);
        return n;
    }
    int heavy = lean > 0 ? RIGHT : LEFT;
    size_t child = tree->node[n].child[heavy];
    if (height(tree, child, heavy) < height(tree, child, !heavy))
        tree->node[n].child[heavy] = rotate(tree, child, !heavy);
    return rotate(tree, n, heavy);
}

static size_t new_leaf(struct overlap_tree *tree, uintptr_t lo, uintptr_t hi)
{
    size_t n = ++tree->used;
    tree->node[n] = (struct node){.lo = lo, .hi = hi, .height = 1};
    return n;
}

enum overlap_result armcii_overlap_insert(struct overlap_tree *tree, uintptr_t lo, uintptr_t hi)
{
    if (lo >= hi) return OVERLAP_NONE;

    size_t
        *link[MAX_HEIGHT + 1]; /* the path from the root: where the index of each node is stored */
    int depth = 0;
    link[0] = &tree->root;
    while (*link[depth] != 0) {
        struct node *n = &tree->node[*link[depth]];
        if (lo < n->hi && n->lo < hi) return OVERLAP_FOUND;
        link[++depth] = &n->child[lo < n->lo ? LEFT : RIGHT];
    }
    if (tree->used == tree->capacity) return OVERLAP_FULL;

    *link[depth] = new_leaf(tree, lo, hi);
    while (depth-- > 0) {
        int before = tree->node[*link[depth]].height;
        *link[depth] = balance(tree, *link[depth]);
        if (tree->node[*link[depth]].height == before) break;
    }
    return OVERLAP_NONE;
}
