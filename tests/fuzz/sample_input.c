/* sample_input.c - samples from the bytes of a fuzzer, and the bytes they stand for in the plainest way. */
#include "sample_input.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 2048, MOST_REACH = 1 << 13, ARENA = 2048 };

/* Ends of the bytes of one side relative to its first one. */
struct addr_cache_entry {
    long lo, hi;
};

/* ---- memory */

/* An arena of that many bytes whose contents follow from the input. */
static char *filled(size_t bytes, uint8_t first)
{
    char *arena = malloc(bytes + 1);
    ck_assert_ptr_nonnull(arena);
    for (size_t i = 0; i < bytes; i++)
        arena[i] = (char)(first + i * 7 + i / 251);
    return arena;
}

/* ---- strided */

static long stride_wanted(struct input *in, const struct sample *m, int side, int level, struct addr_cache_entry r)
{
    long below = level > 1 ? m->stride[side][level - 2] : 1, width = r.hi - r.lo;
    switch (input_byte(in) % 9) {
    case 0: return below * m->count[level - 1]; /* continues the level below */
    case 1: return width;
    case 2: return width + input_byte(in);
    case 3: return -width - input_byte(in);
    case 4: return below * input_between(in, -4, 11);
    case 5: return (int8_t)input_byte(in);
    case 6: return input_between(in, -32768, 32767);
    case 7: return 16 * input_byte(in);
    default: return side == SHAPE_REMOTE ? m->stride[SHAPE_LOCAL][level - 1] : 0;
    }
}

/* Choose the stride of a level on one side, and widen the reach by it.  A level that is not walked may have any. */
static int choose_stride(struct input *in, const struct sample *m, int side, int level, struct addr_cache_entry *r)
{
    int steps = m->count[level] - 1;
    if (steps < 1) return input_int(in);
    long stride = stride_wanted(in, m, side, level, *r), room = (MOST_REACH - (r->hi - r->lo)) / steps;
    if (stride > room || stride < -room) stride %= room + 1;
    long way = stride * steps;
    *(way < 0 ? &r->lo : &r->hi) += way;
    return (int)stride;
}

/* Levels, counts and strides; returns the reach of both sides. */
static void choose_strided(struct sample *m, struct input *in, struct addr_cache_entry reach[2])
{
    m->levels = input_between(in, 0, SHAPE_MAX_LEVELS);
    m->count[0] = input_between(in, 0, 255);
    int total = m->count[0];
    reach[0] = reach[1] = (struct addr_cache_entry){0, total};
    for (int level = 1; level <= m->levels; level++) {
        int n = input_between(in, 0, 255);
        m->count[level] = n > 15 ? n % 3 + 1 : n; /* mostly small ones: else few levels have more than one */
        if (total * m->count[level] > MOST_BYTES) m->count[level] = 1;
        total *= m->count[level];
        for (int side = 0; side < 2; side++)
            m->stride[side][level - 1] = choose_stride(in, m, side, level, &reach[side]);
    }
}

static char *moved(char *from, int times, int stride)
{
    return (char *)((uintptr_t)from + (uintptr_t)((long)times * stride));
}

/* The nested loops that a strided call stands for. */
static void nested_loops(struct sample *m, int level, char *local, char *remote)
{
    if (level == 0) {
        bytes_add(&m->expected, local, remote, (size_t)m->count[0]);
        return;
    }
    for (int i = 0; i < m->count[level]; i++)
        nested_loops(m, level - 1, moved(local, i, m->stride[SHAPE_LOCAL][level - 1]),
                     moved(remote, i, m->stride[SHAPE_REMOTE][level - 1]));
}

static bool has_zero_count(const struct sample *m)
{
    for (int i = 0; i <= m->levels; i++)
        if (m->count[i] == 0) return true;
    return false;
}

static size_t describe(char *text, size_t size, size_t used, const char *title, const int *number, int n)
{
    used += (size_t)snprintf(text + used, size - used, "%s", title);
    for (int i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, " %d", number[i]);
    return used < size ? used : size - 1;
}

static void describe_strided(struct sample *m)
{
    size_t used = describe(m->text, sizeof m->text, 0, "counts", m->count, m->levels + 1);
    used = describe(m->text, sizeof m->text, used, ", local strides", m->stride[SHAPE_LOCAL], m->levels);
    describe(m->text, sizeof m->text, used, ", remote strides", m->stride[SHAPE_REMOTE], m->levels);
}

void sample_strided(struct sample *m, struct input *in)
{
    struct addr_cache_entry reach[2];
    memset(m, 0, sizeof *m);
    choose_strided(m, in, reach);
    describe_strided(m);
    for (int side = 0; side < 2; side++) {
        size_t before = input_byte(in) % 32, after = input_byte(in) % 32;
        m->size[side] = before + (size_t)(reach[side].hi - reach[side].lo) + after;
        m->arena[side] = filled(m->size[side], input_byte(in));
        m->base[side] = m->arena[side] + (long)before - reach[side].lo;
    }
    if (!has_zero_count(m)) nested_loops(m, m->levels, m->base[0], m->base[1]);
    enum shape_status status = armcii_shape_strided(&m->shape, m->base[0], m->stride[0], m->base[1], m->stride[1],
                                                    m->count, m->levels);
    ck_assert_msg(status == SHAPE_OK, "%s: status %d", m->text, (int)status);
}

/* ---- vector */

/* The addresses of one side of a run. */
static void **choose_addresses(struct sample *m, struct input *in, int side, size_t bytes, size_t n, bool aligned)
{
    void **at = malloc(n * sizeof *at + 1);
    ck_assert_ptr_nonnull(at);
    for (size_t i = 0; i < n; i++) {
        size_t offset = (size_t)input_between(in, 0, (int)(ARENA - bytes));
        if (aligned) offset &= ~(size_t)7;
        at[i] = bytes > 0 ? m->arena[side] + offset : (void *)(uintptr_t)offset;
    }
    return at;
}

static void choose_run(struct sample *m, struct input *in, struct vector_run *run)
{
    size_t bytes = input_byte(in), n = input_byte(in) % 24;
    bool aligned = input_byte(in) % 2;
    void **local = choose_addresses(m, in, SHAPE_LOCAL, bytes, n, aligned);
    void **remote = choose_addresses(m, in, SHAPE_REMOTE, bytes, n, aligned);
    *run = (struct vector_run){local, remote, bytes, n};
    for (size_t i = 0; i < n; i++)
        bytes_add(&m->expected, local[i], remote[i], bytes);
}

void sample_vector(struct sample *m, struct input *in)
{
    memset(m, 0, sizeof *m);
    for (int side = 0; side < 2; side++) {
        m->size[side] = ARENA;
        m->arena[side] = filled(ARENA, input_byte(in));
    }
    m->nruns = (size_t)input_between(in, 0, 4);
    size_t used = (size_t)snprintf(m->text, sizeof m->text, "runs of (segments x bytes)");
    for (size_t i = 0; i < m->nruns; i++) {
        choose_run(m, in, &m->run[i]);
        used += (size_t)snprintf(m->text + used, sizeof m->text - used, " %zux%zu", m->run[i].n, m->run[i].bytes);
    }
    enum shape_status status = armcii_shape_vector(&m->shape, m->run, m->nruns);
    ck_assert_msg(status == SHAPE_OK, "%s: status %d", m->text, (int)status);
}
