/* test_acc.c - accumulates: what the random programs, whose sums are whole numbers in whole
 * elements, do not try. */
#include "op.h"

/* Elements that overlap one another in part have no meaningful sum; nothing else is touched, and
 * all calls succeed. */
static void test_partial_overlaps(void)
{
    enum { GAP = 0x3c, EDGE = 16, HULL = 8 + 3 * 19, ROOM = 2 * EDGE + HULL };
    void **base = region_create(ROOM);
    int target = (test_rank() + 1) % test_ranks(), stride = 3, count[] = {8, 20};
    unsigned char edge[ROOM], seen[ROOM];
    double one = 1, ones[20];
    void *here[20], *there[20];
    armci_giov_t v = {here, there, 8, 20};
    memset(edge, GAP, ROOM);
    for (int i = 0; i < 20; i++) {
        ones[i] = i;
        here[i] = ones + i;
        there[i] = (char *)base[target] + EDGE + (i * 7 % 20) * 3;
    }
    ARMCI_Put(edge, base[target], ROOM, target);
    check_long(ARMCI_AccS(ARMCI_ACC_DBL, &one, ones, (int[]){8}, (char *)base[target] + EDGE,
                          &stride, count, 1, target),
               0, "ARMCI_AccS, doubles 3 bytes apart");
    check_long(ARMCI_AccV(ARMCI_ACC_DBL, &one, &v, 1, target), 0,
               "ARMCI_AccV, doubles 3 bytes apart");
    ARMCI_Get(base[target], seen, ROOM, target);
    check_bytes(seen, edge, EDGE, "bytes before doubles that overlap");
    check_bytes(seen + EDGE + HULL, edge, EDGE, "bytes behind doubles that overlap");
    region_done(base);
}

static void test_precision(void)
{
    void **base = region_create(16);
    int target = (test_rank() + 1) % test_ranks();
    long l = (1L << 40) + 1, l_scale = (1L << 20) + 3, l_seen = 5;
    double d = 1099511627777.0, d_scale = 3, d_seen = 0.5;
    ARMCI_Put(&l_seen, base[target], 8, target);
    ARMCI_Put(&d_seen, (char *)base[target] + 8, 8, target);
    ARMCI_Acc(ARMCI_ACC_LNG, &l_scale, &l, base[target], 8, target);
    ARMCI_Acc(ARMCI_ACC_DBL, &d_scale, &d, (char *)base[target] + 8, 8, target);
    ARMCI_Get(base[target], &l_seen, 8, target);
    ARMCI_Get((char *)base[target] + 8, &d_seen, 8, target);
    check_long(l_seen, 5 + l * l_scale, "ARMCI_Acc long of 2^40 + 1 scaled by 2^20 + 3");
    check_double(d_seen, 0.5 + d * d_scale, "ARMCI_Acc double of 2^40 + 1 scaled by 3");
    region_done(base);
}

static void test_scales(void)
{
    void **base = region_create(64);
    int target = (test_rank() + 1) % test_ranks();
    float start[4] = {1, 2, 3, 4}, add[4] = {10, 20, 30, 40}, seen[4], i_unit[2] = {0, 1};
    float zero = 0, minus = -1, turned[4] = {1 - 20, 2 + 10, 3 - 40, 4 + 30},
          less[4] = {-9, -18, -27, -36};
    ARMCI_Put(start, base[target], 16, target);
    ARMCI_Acc(ARMCI_ACC_FLT, &zero, add, base[target], 16, target);
    ARMCI_Get(base[target], seen, 16, target);
    check_bytes(seen, start, 16, "ARMCI_Acc float with scale 0");
    ARMCI_Acc(ARMCI_ACC_FLT, &minus, add, base[target], 16, target);
    ARMCI_Get(base[target], seen, 16, target);
    check_bytes(seen, less, 16, "ARMCI_Acc float with scale -1");
    ARMCI_Put(start, base[target], 16, target);
    ARMCI_Acc(ARMCI_ACC_CPL, i_unit, add, base[target], 16, target);
    ARMCI_Get(base[target], seen, 16, target);
    check_bytes(seen, turned, 16, "ARMCI_Acc complex with scale i");
    region_done(base);
}

/* Between nodes each segment is cut, by what the clients of a server leave to each. */
static void test_long_segments(void)
{
    enum { SEGMENTS = 2, DOUBLES = 7168, APART = DOUBLES + 5, ALL = SEGMENTS * APART };
    enum { BYTES = DOUBLES * 8, ROOM = ALL * 8 };
    void **base = region_create(ROOM);
    int target = (test_rank() + 1) % test_ranks();
    double *add = malloc(ROOM), *seen = malloc(ROOM), scale = 2;
    void *here[SEGMENTS], *there[SEGMENTS];
    armci_giov_t v = {here, there, BYTES, SEGMENTS};
    for (int i = 0; i < ALL; i++)
        seen[i] = i, add[i] = i % 1000 + 1;
    ARMCI_Put(seen, base[target], ROOM, target);
    for (int i = 0; i < SEGMENTS; i++) {
        here[i] = add + i * APART;
        there[i] = (double *)base[target] + i * APART;
    }
    ARMCI_AccV(ARMCI_ACC_DBL, &scale, &v, 1, target);
    ARMCI_Get(base[target], seen, ROOM, target);
    for (int i = 0; i < ALL; i++)
        if (!check_double(seen[i], i + (i % APART < DOUBLES ? 2 * add[i] : 0), "double %d", i))
            break;
    free(add);
    free(seen);
    region_done(base);
}

static const struct test tests[] = {
    {"long segments of a vector", test_long_segments},
    {"elements that overlap in part", test_partial_overlaps},
    {"long and double keep their precision", test_precision},
    {"scales 0, -1 and i", test_scales},
};
SUITE();
