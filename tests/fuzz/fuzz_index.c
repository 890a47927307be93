/* fuzz_index.c - the index of addresses against a list that is searched from end to end. */
#include <check.h>

#include "mem/index.h"
#include "input.h"

enum { PROCESSES = 3, MOST = 400 };

struct entry {
    int process;
    struct interval at;
};

struct model {
    struct entry entry[MOST];
    size_t n;
};

static bool overlap(const struct entry *e, int process, uintptr_t lo, uintptr_t hi)
{
    return e->process == process && e->at.lo < hi && lo < e->at.hi;
}

static bool is_free(const struct model *m, int process, uintptr_t lo, uintptr_t hi)
{
    for (size_t i = 0; i < m->n; i++)
        if (overlap(&m->entry[i], process, lo, hi)) return false;
    return true;
}

/* Any value that tells regions apart. */
static struct region *name(size_t number)
{
    return (struct region *)(uintptr_t)(number + 1);
}

static void insert(struct index *x, struct model *m, int process, uintptr_t lo, uintptr_t hi, size_t number)
{
    if (lo >= hi || m->n == MOST || !is_free(m, process, lo, hi)) return;
    struct interval at = {.lo = lo, .hi = hi, .region = name(number)};
    ck_assert(armcii_index_insert(x, process, at));
    m->entry[m->n++] = (struct entry){process, at};
}

static void drop(struct index *x, struct model *m, int process, uintptr_t lo, uintptr_t hi)
{
    if (lo >= hi) return;
    armcii_index_remove(x, process, lo, hi);
    size_t kept = 0;
    for (size_t i = 0; i < m->n; i++)
        if (!overlap(&m->entry[i], process, lo, hi)) m->entry[kept++] = m->entry[i];
    m->n = kept;
}

static void look_up(struct index *x, const struct model *m, int process, uintptr_t address)
{
    const struct interval *want = NULL, *seen = armcii_index_find(x, process, address);
    for (size_t i = 0; i < m->n; i++) {
        const struct entry *e = &m->entry[i];
        if (e->process == process && e->at.lo <= address && address < e->at.hi) want = &e->at;
    }
    ck_assert_msg((want == NULL) == (seen == NULL), "%#jx of process %d: expected %s", (uintmax_t)address, process,
                  want ? "a region" : "none");
    ck_assert_msg(want == NULL || (want->lo == seen->lo && want->hi == seen->hi && want->region == seen->region),
                  "%#jx of process %d: another region", (uintmax_t)address, process);
}

/* One step: three bytes, the last ones the place and length. */
static void step(struct index *x, struct model *m, struct input *in, size_t number)
{
    uint8_t what = input_byte(in);
    int process = what / 4 % PROCESSES;
    uintptr_t lo = input_byte(in), hi = lo + input_byte(in) % 32;
    if (what >= 128) lo += UINTPTR_MAX - 512, hi += UINTPTR_MAX - 512;
    if (what % 4 == 0) drop(x, m, process, lo, hi);
    if (what % 4 == 1) insert(x, m, process, lo, hi, number);
    look_up(x, m, process, lo);
    look_up(x, m, process, hi);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct model m;
    m.n = 0;
    struct index *x = armcii_index_create(PROCESSES);
    ck_assert_ptr_nonnull(x);
    for (size_t number = 0; in.left > 0; number++)
        step(x, &m, &in, number);
    armcii_index_free(x);
    return 0;
}
