/* layout.c - derived datatypes of random shape. */
#include "layout.h"

#include <string.h>

const char *layout_kind_name(enum layout_kind kind)
{
    static const char *const names[] = {"contiguous", "basic type", "vector",   "hvector",
                                        "subarray",   "indexed",    "hindexed", "struct"};
    return names[kind];
}

static void add_segment(struct layout *l, int offset, int length)
{
    l->offset[l->segments] = offset;
    l->length[l->segments++] = length;
    l->extent = offset + length;
}

static void start(struct layout *l, enum layout_kind kind)
{
    l->kind = kind;
    l->times = 1;
    l->segments = 0;
}

static void contiguous(struct layout *l, enum layout_kind kind, MPI_Datatype basic, int size,
                       int count)
{
    start(l, kind);
    add_segment(l, 0, count * size);
    if (kind == LAYOUT_BASIC) {
        l->type = basic;
        l->times = count;
    } else {
        MPI_Type_contiguous(count, basic, &l->type);
    }
}

/* The number of rows of equal length: divides count. */
static int draw_rows(struct rng *r, int count)
{
    int rows = rng_between(r, 1, count < LAYOUT_SEGMENTS ? count : LAYOUT_SEGMENTS);
    while (count % rows)
        rows--;
    return rows;
}

/* vector, hvector or subarray of `rows` rows. */
static void regular(struct layout *l, struct rng *r, MPI_Datatype basic, int size, int rows,
                    int block)
{
    int gap = rng_between(r, 0, 9), first = 0;
    if (l->kind == LAYOUT_VECTOR) MPI_Type_vector(rows, block, block + gap, basic, &l->type);
    if (l->kind == LAYOUT_HVECTOR)
        MPI_Type_create_hvector(rows, block, (MPI_Aint)(block + gap) * size, basic, &l->type);
    if (l->kind == LAYOUT_SUBARRAY) {
        int column = rng_between(r, 0, gap), top = rng_between(r, 0, 2);
        first = top * (block + gap) + column;
        MPI_Type_create_subarray(2, (int[]){top + rows + 1, block + gap}, (int[]){rows, block},
                                 (int[]){top, column}, MPI_ORDER_C, basic, &l->type);
    }
    for (int i = 0; i < rows; i++)
        add_segment(l, (first + i * (block + gap)) * size, block * size);
}

/* indexed, hindexed or struct of blocks of random length. */
static void irregular(struct layout *l, struct rng *r, MPI_Datatype basic, int size, int count)
{
    int blocks[LAYOUT_SEGMENTS], places[LAYOUT_SEGMENTS],
        n = 0, longest = count / rng_between(r, 1, 100) + 1, at = 0;
    MPI_Aint displacements[LAYOUT_SEGMENTS];
    MPI_Datatype types[LAYOUT_SEGMENTS];
    for (int left = count; left > 0; left -= blocks[n++]) {
        int block = rng_between(r, 1, longest);
        blocks[n] = block < left && n < LAYOUT_SEGMENTS - 1 ? block : left;
        at += rng_between(r, n > 0, 8); /* adjacent segments would be one */
        places[n] = at;
        displacements[n] = (MPI_Aint)at * size;
        types[n] = basic;
        add_segment(l, at * size, blocks[n] * size);
        at += blocks[n];
    }
    if (l->kind == LAYOUT_INDEXED) MPI_Type_indexed(n, blocks, places, basic, &l->type);
    if (l->kind == LAYOUT_HINDEXED)
        MPI_Type_create_hindexed(n, blocks, displacements, basic, &l->type);
    if (l->kind == LAYOUT_STRUCT) MPI_Type_create_struct(n, blocks, displacements, types, &l->type);
}

static enum layout_kind draw_kind(struct rng *r, unsigned kinds)
{
    int kind;
    do
        kind = rng_between(r, 0, LAYOUT_KINDS - 1);
    while (!(kinds & 1u << kind));
    return (enum layout_kind)kind;
}

void layout_draw(struct layout *l, struct rng *r, unsigned kinds, MPI_Datatype basic, int size,
                 int count, int room)
{
    start(l, draw_kind(r, kinds));
    if (l->kind <= LAYOUT_BASIC) {
        contiguous(l, l->kind, basic, size, count);
    } else if (l->kind <= LAYOUT_SUBARRAY) {
        int rows = draw_rows(r, count);
        regular(l, r, basic, size, rows, count / rows);
    } else {
        irregular(l, r, basic, size, count);
    }
    if (l->extent > room) {
        layout_free(l);
        contiguous(l, LAYOUT_CONTIGUOUS, basic, size, count);
    }
    if (l->kind != LAYOUT_BASIC) MPI_Type_commit(&l->type);
}

void layout_draw_rows(struct layout *l, struct rng *r, MPI_Datatype basic, int size, int rows,
                      int block)
{
    start(l, LAYOUT_VECTOR);
    regular(l, r, basic, size, rows, block);
    MPI_Type_commit(&l->type);
}

void layout_free(struct layout *l)
{
    if (l->kind != LAYOUT_BASIC) MPI_Type_free(&l->type);
}

void layout_pack(const struct layout *l, const char *from, char *packed)
{
    for (int i = 0; i < l->segments; packed += l->length[i++])
        memcpy(packed, from + l->offset[i], (size_t)l->length[i]);
}

void layout_unpack(const struct layout *l, const char *packed, char *to)
{
    for (int i = 0; i < l->segments; packed += l->length[i++])
        memcpy(to + l->offset[i], packed, (size_t)l->length[i]);
}
