/* test_consistency.c - location consistency: random puts, gets, accumulates, waits and fences, with
 * operations that take effect at the worst moment, against a model that applies each immediately.
 */
#include "fake_job.h"
#include "shape_model.h"
#include "unit.h"

enum { TARGETS = 3, SLICE = 96, STEPS = 60, LONGEST = 24 };

struct step {
    struct request op;
    char local[LONGEST], expected[LONGEST]; /* of a get */
    size_t bytes;
    bool get;
};

static struct region *region[2];
static char model[2][TARGETS][SLICE] __attribute__((aligned(8)));

static struct op random_transfer(struct rng *r, struct step *s)
{
    static const int one_int = 1;
    static const long one_long = 1;
    int which = rng_between(r, 0, 1), target = rng_between(r, 0, TARGETS - 1),
        kind = rng_between(r, 0, 3);
    s->bytes = 8 * (size_t)rng_between(r, 1, LONGEST / 8);
    size_t offset = 8 * (size_t)rng_between(r, 0, (int)(SLICE - s->bytes) / 8);
    for (size_t i = 0; i < s->bytes; i++)
        s->local[i] = (char)rng_between(r, 0, 50);
    char *there = job_address(region[which], target, offset), *here = &model[which][target][offset];
    struct op t = kind == 1 ? job_get(target, s->local, there, s->bytes)
                            : job_put(target, s->local, there, s->bytes);
    s->get = kind == 1;
    if (kind == 0) memcpy(here, s->local, s->bytes);
    if (kind == 1) memcpy(s->expected, here, s->bytes);
    if (kind >= 2) {
        t.verb = (struct op_verb){OP_ACC, kind == 2 ? ELEMENT_INT : ELEMENT_LONG};
        t.scale = kind == 2 ? (const void *)&one_int : &one_long;
        add_elements(t.verb.element, here, s->local, s->bytes);
    }
    return t;
}

/* Overwrites the buffer, as a program may. */
static void finish(struct step *s, unsigned seed)
{
    armcii_op_wait(&s->op);
    if (s->get && memcmp(s->local, s->expected, s->bytes) != 0)
        ck_abort_msg("seed %u: a get returned wrong bytes", seed);
    s->get = false;
    memset(s->local, 0x5a, sizeof s->local);
}

static void random_program(unsigned seed, enum fake_order order)
{
    struct rng r = rng_start(seed);
    static struct step steps[STEPS];
    memset(model, 0, sizeof model);
    job_start(
        (struct job){.me = rng_between(&r, 0, 3),
                     .order = order,
                     .at_once = order == FAKE_AT_ONCE,
                     .seed = seed,
                     .setting = {rng_between(&r, 0, 1) ? "ARMCI_OUTSTANDING_LIMIT=3" : NULL}});
    region[0] = job_region(0, 4, SLICE);
    region[1] = job_region(0, 4, SLICE);
    for (int i = 0; i < STEPS; i++) {
        struct step *s = &steps[i];
        struct op t = random_transfer(&r, s);
        s->op = job_nonblocking(t);
        switch (rng_between(&r, 0, 9)) {
        case 0: armcii_fence(rng_between(&r, 0, TARGETS - 1)); break;
        case 1: armcii_fence_region(region[0], -1); break;
        case 2: armcii_wait_all(-1); break;
        case 3: break;
        case 4: finish(&steps[rng_between(&r, 0, i)], seed); break;
        default: finish(s, seed); break;
        }
    }
    for (int i = 0; i < STEPS; i++)
        finish(&steps[i], seed);
    armcii_fence_all();
    for (int target = 0; target < TARGETS; target++)
        ck_assert_msg(memcmp(model[0][target], job_address(region[0], target, 0), SLICE) == 0 &&
                          memcmp(model[1][target], job_address(region[1], target, 0), SLICE) == 0,
                      "seed %u, order %d: process %d has wrong bytes", seed, order, target);
    job_end();
}

TEST(random_programs)
{
    for (unsigned seed = 0; seed < (unsigned)unit_effort(1000); seed++)
        for (enum fake_order order = FAKE_AT_ONCE; order < FAKE_ORDERS; order++)
            random_program(seed, order);
}
