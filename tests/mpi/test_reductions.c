/* test_reductions.c - every reduction, type, operator, scope and group against a sum done by hand.
 */
#include "harness.h"
#include "scopes.h"

enum { TYPES = ARMCI_DOUBLE + 1, LARGE = 100000, MOST = 16 };

static const char *const operators[] = {"+",      "*",  "max",  "min", "absmax",
                                        "absmin", "or", "land", "lor"};
enum { OPERATORS = sizeof operators / sizeof *operators };

static bool takes_floating(const char *op)
{
    return strchr(op, 'o') == NULL && strcmp(op, "land") != 0;
}

static bool is_floating(int type)
{
    return type == ARMCI_FLOAT || type == ARMCI_DOUBLE;
}

static size_t size_of(int type)
{
    static const size_t sizes[TYPES] = {sizeof(int), sizeof(long), sizeof(long long), sizeof(float),
                                        sizeof(double)};
    return sizes[type];
}

/* What process p contributes to element i: small enough that every reduction of it is exact in
 * every type. */
static long contribution(int p, int i, const char *op)
{
    long value = (p * 7 + i * 3 + i / 11) % 23 - 11;
    if (strcmp(op, "*") == 0) return value % 4 == 0 ? 3 : value % 4;
    if (strcmp(op, "or") == 0) return 1L << ((p * 5 + i) % 29);
    if (strcmp(op, "land") == 0 || strcmp(op, "lor") == 0) return (i / (p + 1)) % 3 * 5;
    return value;
}

static long combine(long a, long b, const char *op)
{
    switch (op[0] == 'a' ? op[3] : op[0]) {
    case '+': return a + b;
    case '*': return a * b;
    case 'o': return a | b;
    case 'l': return op[1] == 'a' ? (a && b) : (a || b);
    default: break;
    }
    if (op[0] == 'a') a = labs(a), b = labs(b);
    return strstr(op, "max") ? (a > b ? a : b) : (a < b ? a : b);
}

static long model(const struct scope *s, int i, const char *op)
{
    long value = contribution(s->list[0], i, op);
    if (op[0] == 'a') value = labs(value);
    if (op[0] == 'l') value = value != 0;
    for (int k = 1; k < s->n; k++)
        value = combine(value, contribution(s->list[k], i, op), op);
    return value;
}

static void store(void *x, int type, int i, long value)
{
    switch (type) {
    case ARMCI_INT: ((int *)x)[i] = (int)value; break;
    case ARMCI_LONG: ((long *)x)[i] = value; break;
    case ARMCI_LONG_LONG: ((long long *)x)[i] = value; break;
    case ARMCI_FLOAT: ((float *)x)[i] = (float)value; break;
    default: ((double *)x)[i] = (double)value;
    }
}

static void fill(void *x, int type, int n, int p, const char *op)
{
    for (int i = 0; i < n; i++)
        store(x, type, i, contribution(p, i, op));
}

/* x, reduced over s by the call `how`, is right on a member and unchanged elsewhere. */
static void check_reduced(const void *x, int type, int n, const char *op, const struct scope *s,
                          const char *how)
{
    void *expected = need_memory((size_t)n * size_of(type));
    fill(expected, type, n, test_rank(), op);
    for (int i = 0; i < n && s->place >= 0; i++)
        store(expected, type, i, model(s, i, op));
    check_bytes(x, expected, (size_t)n * size_of(type), "%s(%d, \"%s\") of type %d", how, n, op,
                type);
    free(expected);
}

struct call {
    const char *name;
    void (*reduce)(void *x, int n, char *op, int type);
};

/* Try a call with each type, operator and some lengths. */
static void try_all(const struct call *call, const struct scope *s, const int lengths[], int count)
{
    void *x = need_memory(LARGE * sizeof(double));
    for (int type = 0; type < TYPES; type++)
        for (int o = 0; o < OPERATORS; o++)
            for (int k = 0; k < count; k++) {
                char op[8];
                if (is_floating(type) && !takes_floating(operators[o])) continue;
                strcpy(op, operators[o]);
                fill(x, type, lengths[k] + 1, test_rank(), op);
                call->reduce(x, lengths[k], op, type);
                check_reduced(x, type, lengths[k], op, s, call->name);
                if (lengths[k] < LARGE) {
                    char last[8], kept[8];
                    memset(kept, 0, sizeof kept);
                    memcpy(last, (char *)x + (size_t)lengths[k] * size_of(type), size_of(type));
                    store(kept, type, 0, contribution(test_rank(), lengths[k], op));
                    check_bytes(last, kept, size_of(type), "%s: the element after the %d",
                                call->name, lengths[k]);
                }
            }
    free(x);
}

static const int few[] = {1, 0, 7, 1000};

static void gop_all(void *x, int n, char *op, int type)
{
    armci_msg_gop_scope(SCOPE_ALL, x, n, op, type);
}

static void gop_node(void *x, int n, char *op, int type)
{
    armci_msg_gop_scope(SCOPE_NODE, x, n, op, type);
}

static void gop_masters(void *x, int n, char *op, int type)
{
    armci_msg_gop_scope(SCOPE_MASTERS, x, n, op, type);
}

/* The functions of a family that has one for each type. */
#define CALL_BY_TYPE(FAMILY, ...)                                                                  \
    do {                                                                                           \
        switch (type) {                                                                            \
        case ARMCI_INT: FAMILY##_igop(__VA_ARGS__); break;                                         \
        case ARMCI_LONG: FAMILY##_lgop(__VA_ARGS__); break;                                        \
        case ARMCI_LONG_LONG: FAMILY##_llgop(__VA_ARGS__); break;                                  \
        case ARMCI_FLOAT: FAMILY##_fgop(__VA_ARGS__); break;                                       \
        default: FAMILY##_dgop(__VA_ARGS__);                                                       \
        }                                                                                          \
    } while (0)

static void gop_typed(void *x, int n, char *op, int type)
{
    CALL_BY_TYPE(armci_msg, x, n, op);
}

static void gop_clus(void *x, int n, char *op, int type)
{
    CALL_BY_TYPE(armci_msg_clus, x, n, op);
}

static ARMCI_Group group; /* the one that the next two calls are tried on */

static void gop_group(void *x, int n, char *op, int type)
{
    armci_msg_group_gop_scope(SCOPE_ALL, x, n, op, type, &group);
}

static void gop_group_typed(void *x, int n, char *op, int type)
{
    CALL_BY_TYPE(armci_msg_group, x, n, op, &group);
}

/* A scope, the calls that reduce over it, and some lengths. */
struct over {
    int scope;
    struct call calls[2];
    int lengths[4], count;
};

static void over_scope(const void *row)
{
    const struct over *o = row;
    struct scope s;
    scope_members(o->scope, &s);
    for (int i = 0; i < 2 && o->calls[i].reduce; i++)
        try_all(&o->calls[i], &s, o->lengths, o->count);
}

/* GA's mirrored arrays: the sum over the node, then between the masters, then back is the sum over
 * all. */
static void node_and_masters_make_all(void)
{
    struct scope node;
    double x[5];
    int n = test_ranks(), count = 1;
    scope_members(SCOPE_NODE, &node);
    for (int i = 0; i < 5; i++)
        x[i] = 10 * test_rank() + i;
    armci_msg_gop_scope(SCOPE_NODE, x, 5, "+", ARMCI_DOUBLE);
    armci_msg_gop_scope(SCOPE_MASTERS, x, 5, "+", ARMCI_DOUBLE);
    armci_msg_bcast_scope(SCOPE_NODE, x, sizeof x, node.list[0]);
    for (int i = 0; i < 5; i++)
        check_double(x[i], 5.0 * n * (n - 1) + n * i, "element %d of the sum", i);
    armci_msg_gop_scope(SCOPE_NODE, &count, 1, "+", ARMCI_INT);
    check_long(count, node.n, "processes on the node");
    armci_msg_gop_scope(SCOPE_MASTERS, &count, 1, "+", ARMCI_INT);
    if (node.place == 0) check_long(count, n, "processes on all nodes");
}

/* Groups of one, of every other in falling order, of all; collective over their members alone. */
static void over_groups(void)
{
    const struct call calls[] = {{"armci_msg_group_gop_scope", gop_group},
                                 {"armci_msg_group_?gop", gop_group_typed}};
    int n = test_ranks();
    struct scope s;
    for (int kind = 0; kind < 3; kind++) {
        s.n = 0;
        s.place = -1;
        for (int p = n - 1; p >= 0; p--)
            if ((kind == 0 && p == n / 2) || (kind == 1 && p % 2 == 0) || kind == 2) {
                if (p == test_rank()) s.place = s.n;
                s.list[s.n++] = p;
            }
        ARMCI_Group_create(s.n, s.list, &group);
        for (int i = 0; i < 2 && s.place >= 0; i++)
            try_all(&calls[i], &s, few, 4);
        ARMCI_Group_free(&group);
    }
}

/* The first process of the scope has the result of a reduce, the others have what they had. */
static void at_the_root_only(void)
{
    static const int scopes[] = {SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS};
    long x[9];
    for (int k = 0; k < 4; k++)
        for (int o = 0; o < OPERATORS; o++) {
            struct scope s;
            char op[8];
            scope_members(k < 3 ? scopes[k] : SCOPE_ALL, &s);
            strcpy(op, operators[o]);
            fill(x, ARMCI_LONG, 9, test_rank(), op);
            if (k < 3)
                armci_msg_reduce_scope(scopes[k], x, 9, op, ARMCI_LONG);
            else
                armci_msg_reduce(x, 9, op, ARMCI_LONG);
            if (s.place > 0) s.place = -1;
            check_reduced(x, ARMCI_LONG, 9, op, &s, "armci_msg_reduce");
        }
}

/* Values that an int, or a float, would spoil. */
static void full_width(void)
{
    int n = test_ranks();
    long x = (1L << 45) + test_rank();
    long long y = -(1LL << 50) - test_rank();
    double z = 1e300 + test_rank();
    float f = 0.5f;
    armci_msg_lgop(&x, 1, "+");
    check_long(x, n * (1L << 45) + n * (n - 1) / 2, "sum of large longs");
    armci_msg_llgop(&y, 1, "absmax");
    check_long((long)y, (1L << 50) + n - 1, "absmax of long longs below 0");
    armci_msg_dgop(&z, 1, "max");
    check_double(z, 1e300, "max of large doubles");
    armci_msg_fgop(&f, 1, "+");
    check_double((double)f, 0.5 * n, "sum of floats");
}

#define FEW {1, 0, 7, 1000}, 4

static const struct test tests[] = {
    {"every type and operator over all",
     ONE_ROW(over_scope, struct over, SCOPE_ALL,
             {{"armci_msg_gop_scope(ALL)", gop_all}, {"armci_msg_?gop", gop_typed}}, FEW)},
    {"large arrays",
     ONE_ROW(over_scope, struct over, SCOPE_ALL, {{"armci_msg_?gop", gop_typed}}, {LARGE - 1}, 1)},
    {"every type and operator over the node",
     ONE_ROW(over_scope, struct over, SCOPE_NODE,
             {{"armci_msg_gop_scope(NODE)", gop_node}, {"armci_msg_clus_?gop", gop_clus}}, FEW)},
    {"every type and operator between masters",
     ONE_ROW(over_scope, struct over, SCOPE_MASTERS,
             {{"armci_msg_gop_scope(MASTERS)", gop_masters}}, FEW)},
    {"node and masters together make all", node_and_masters_make_all},
    {"every type and operator over groups", over_groups},
    {"reduce leaves the result at the first process", at_the_root_only},
    {"large values keep their width", full_width},
};
SUITE();
