/* test_index.c - the address index against a list with linear search. */
#include "mem/lookup.h"
#include "shape_model.h"
#include "unit.h"

enum { PROCESSES = 3, ROOM = 200 };

/* Stand-ins for regions, of which only the address counts. */
static char letters[8];

static struct region *name(int i)
{
    return (struct region *)(void *)&letters[i];
}

static struct interval interval(uintptr_t lo, uintptr_t hi, int i)
{
    return (struct interval){.lo = lo, .hi = hi, .region = name(i)};
}

static struct index *x;

static void begin(void)
{
    x = armcii_index_create(PROCESSES);
    ck_assert_ptr_nonnull(x);
}

static void end(void)
{
    armcii_index_free(x);
}

static void insert(int process, uintptr_t lo, uintptr_t hi, int i)
{
    ck_assert_msg(armcii_index_insert(x, process, interval(lo, hi, i)), "[%ju, %ju) not inserted",
                  (uintmax_t)lo, (uintmax_t)hi);
}

/* ---- the model ---- */

struct list {
    struct interval at[ROOM];
    size_t n;
};

static bool overlaps(struct interval a, uintptr_t lo, uintptr_t hi)
{
    return a.lo < hi && lo < a.hi;
}

static void list_remove(struct list *l, uintptr_t lo, uintptr_t hi)
{
    size_t left = 0;
    for (size_t i = 0; i < l->n; i++)
        if (!overlaps(l->at[i], lo, hi)) l->at[left++] = l->at[i];
    l->n = left;
}

static bool list_has_room(const struct list *l, uintptr_t lo, uintptr_t hi)
{
    for (size_t i = 0; i < l->n; i++)
        if (overlaps(l->at[i], lo, hi)) return false;
    return l->n < ROOM;
}

static const struct interval *list_find(const struct list *l, uintptr_t address)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].lo <= address && address < l->at[i].hi) return &l->at[i];
    return NULL;
}

static bool same(const struct interval *a, const struct interval *b)
{
    return a && b ? a->lo == b->lo && a->hi == b->hi && a->region == b->region : a == b;
}

static void expect(int process, uintptr_t address, const struct interval *want, const char *where)
{
    const struct interval *seen = armcii_index_find(x, process, address);
    if (same(seen, want)) return;
    ck_abort_msg("%s: process %d, address %ju: expected [%ju, %ju) of %p, seen [%ju, %ju) of %p",
                 where, process, (uintmax_t)address, (uintmax_t)(want ? want->lo : 0),
                 (uintmax_t)(want ? want->hi : 0), (void *)(want ? want->region : NULL),
                 (uintmax_t)(seen ? seen->lo : 0), (uintmax_t)(seen ? seen->hi : 0),
                 (void *)(seen ? seen->region : NULL));
}

/* ---- random steps ---- */

struct tally {
    size_t inserted, removed, hits, misses;
};

static void random_step(struct list model[], struct rng *r, int space, struct tally *tally)
{
    int process = rng_between(r, 0, PROCESSES - 1);
    struct list *l = &model[process];
    uintptr_t lo = 4096 + (uintptr_t)rng_between(r, 0, space),
              hi = lo + (uintptr_t)rng_between(r, 1, 40);
    switch (rng_between(r, 0, 5)) {
    case 0:
    case 1:
        if (!list_has_room(l, lo, hi)) return;
        l->at[l->n] = interval(lo, hi, rng_between(r, 0, 7));
        ck_assert(armcii_index_insert(x, process, l->at[l->n++]));
        tally->inserted++;
        return;
    case 2: {
        size_t before = l->n;
        list_remove(l, lo, hi);
        armcii_index_remove(x, process, lo, hi);
        tally->removed += before - l->n;
        return;
    }
    default: {
        const struct interval *want = list_find(l, lo);
        expect(process, lo, want, "random");
        ++*(want ? &tally->hits : &tally->misses);
    }
    }
}

TEST(random_steps)
{
    struct tally tally = {0};
    for (unsigned seed = 0; seed < 200; seed++) {
        struct rng r = rng_start(seed);
        static struct list model[PROCESSES];
        for (int p = 0; p < PROCESSES; p++)
            model[p].n = 0;
        int space = rng_between(&r, 50, 5000);
        end();
        begin();
        for (int i = 0; i < 2000; i++)
            random_step(model, &r, space, &tally);
        for (int p = 0; p < PROCESSES; p++)
            for (uintptr_t a = 4000; a < 4200 + (uintptr_t)space; a++)
                expect(p, a, list_find(&model[p], a), "at the end");
    }
    ck_assert_msg(tally.inserted > 10000 && tally.removed > 10000 && tally.hits > 10000 &&
                      tally.misses > 10000,
                  "the samples are too easy: %zu inserted, %zu removed, %zu hits, %zu misses",
                  tally.inserted, tally.removed, tally.hits, tally.misses);
}

/* ---- single properties ---- */

TEST(empty_index)
{
    for (int p = 0; p < PROCESSES; p++) {
        expect(p, 0, NULL, "empty");
        expect(p, UINTPTR_MAX, NULL, "empty");
        armcii_index_remove(x, p, 0, UINTPTR_MAX);
    }
    armcii_index_free(NULL);
}

TEST(highest_addresses)
{
    struct interval top = interval(UINTPTR_MAX - 10, UINTPTR_MAX, 1), bottom = interval(1, 2, 2);
    insert(0, top.lo, top.hi, 1);
    insert(0, bottom.lo, bottom.hi, 2);
    expect(0, UINTPTR_MAX - 1, &top, "top");
    expect(0, UINTPTR_MAX, NULL, "above");
    expect(0, 1, &bottom, "bottom");
    expect(0, 0, NULL, "below");
}

/* Regions of all sizes with gaps, touching here and there, inserted in a scattered order. */
TEST(many_regions)
{
    enum { MANY = 5000, STEP = 1777 /* no common divisor with MANY */ };
    struct interval *all = malloc(MANY * sizeof *all);
    ck_assert_ptr_nonnull(all);
    uintptr_t lo = 4096;
    for (size_t i = 0; i < MANY; i++) {
        all[i] = interval(lo, lo + 1 + i % 97, (int)(i % 8));
        lo = all[i].hi + i % 3;
    }
    for (size_t i = 0; i < MANY; i++)
        ck_assert(armcii_index_insert(x, 1, all[i * STEP % MANY]));
    for (size_t i = 0; i < MANY; i++) {
        expect(1, all[i].lo, &all[i], "first byte");
        expect(1, all[i].hi - 1, &all[i], "last byte");
        if (i % 3) expect(1, all[i].hi, NULL, "gap");
    }
    armcii_index_remove(x, 1, 4096, lo);
    for (size_t i = 0; i < MANY; i++)
        expect(1, all[i].lo, NULL, "all removed");
    free(all);
}

const struct unit unit = {.begin = begin, .end = end};
