/* wrong_messages.c - wrong calls of the message-passing family. */
#include <limits.h>

#include "wrong_calls.h"

/* What a function takes beside x, n and op. */
enum { ANY = 0, SCOPE = 1, TYPE = 2, FLOATING = 4, SELECTION = 8 };

struct arguments {
    int scope, n, type;
    void *x;
    char *op;
};

static void *right(int is)
{
    static struct arguments a;
    (void)is;
    a = (struct arguments){SCOPE_ALL, 8, ARMCI_LONG, stage.here, "max"};
    return &a;
}

static int reductions(struct row *row, void *arguments)
{
    struct arguments *a = arguments;
#define REDUCTION(NAME, IS, ...) FUNCTION(NAME, IS, SILENT(NAME(__VA_ARGS__)))
    REDUCTION(armci_msg_igop, 0, a->x, a->n, a->op);
    REDUCTION(armci_msg_lgop, 0, a->x, a->n, a->op);
    REDUCTION(armci_msg_llgop, 0, a->x, a->n, a->op);
    REDUCTION(armci_msg_fgop, FLOATING, a->x, a->n, a->op);
    REDUCTION(armci_msg_dgop, FLOATING, a->x, a->n, a->op);
    REDUCTION(armci_msg_clus_igop, 0, a->x, a->n, a->op);
    REDUCTION(armci_msg_clus_lgop, 0, a->x, a->n, a->op);
    REDUCTION(armci_msg_clus_llgop, 0, a->x, a->n, a->op);
    REDUCTION(armci_msg_clus_fgop, FLOATING, a->x, a->n, a->op);
    REDUCTION(armci_msg_clus_dgop, FLOATING, a->x, a->n, a->op);
    REDUCTION(armci_msg_group_igop, 0, a->x, a->n, a->op, &stage.world);
    REDUCTION(armci_msg_group_lgop, 0, a->x, a->n, a->op, &stage.self);
    REDUCTION(armci_msg_group_llgop, 0, a->x, a->n, a->op, &stage.world);
    REDUCTION(armci_msg_group_fgop, FLOATING, a->x, a->n, a->op, &stage.self);
    REDUCTION(armci_msg_group_dgop, FLOATING, a->x, a->n, a->op, &stage.world);
    REDUCTION(armci_msg_gop_scope, SCOPE | TYPE, a->scope, a->x, a->n, a->op, a->type);
    REDUCTION(armci_msg_group_gop_scope, SCOPE | TYPE, a->scope, a->x, a->n, a->op, a->type,
              &stage.world);
    REDUCTION(armci_msg_reduce, TYPE, a->x, a->n, a->op, a->type);
    REDUCTION(armci_msg_reduce_scope, SCOPE | TYPE, a->scope, a->x, a->n, a->op, a->type);
    REDUCTION(armci_msg_sel, TYPE | SELECTION, a->x, a->n, a->op, a->type, 1);
    REDUCTION(armci_msg_sel_scope, SCOPE | TYPE | SELECTION, a->scope, a->x, a->n, a->op, a->type,
              1);
    return 0;
}

static int mistakes(struct row *row, void *arguments)
{
    struct arguments *a = arguments;
    MISTAKE(n_negative, ANY, 0, COUNT, "n", "-1", a->n = -1);
    MISTAKE(n_smallest, ANY, 0, COUNT, "n", "-2147483648", a->n = INT_MIN);
    MISTAKE(x_null, ANY, 0, ADDRESS, "x", "NULL", a->x = NULL);
    MISTAKE(op_null, ANY, 0, ADDRESS, "op", "NULL", a->op = NULL);
    MISTAKE(op_unknown, ANY, 0, TYPE, "op", "\"xyz\"", a->op = "xyz");
    MISTAKE(op_empty, ANY, 0, TYPE, "op", "\"\"", a->op = "");
    MISTAKE(op_of_two_lines, ANY, 0, TYPE, "op", "\"x?y?",
            a->op = "x\ny\x1b[31m and much, much, much more");
    MISTAKE(op_of_integers, FLOATING | TYPE, 0, TYPE, "op", "\"or\"", a->op = "or",
            a->type = ARMCI_DOUBLE);
    MISTAKE(op_and, FLOATING, 0, TYPE, "op", "\"&&\"", a->op = "&&");
    MISTAKE(op_sum, SELECTION, 0, TYPE, "op", "\"+\"", a->op = "+");
    MISTAKE(op_absolute, SELECTION, 0, TYPE, "op", "\"absmax\"", a->op = "absmax");
    MISTAKE(record_small, SELECTION, 0, COUNT, "n", "7", a->n = 7);
    MISTAKE(record_empty, SELECTION, 0, COUNT, "n", "0", a->n = 0);
    MISTAKE(scope_unknown, SCOPE, 0, TYPE, "scope", "3", a->scope = SCOPE_MASTERS + 1);
    MISTAKE(scope_negative, SCOPE, 0, TYPE, "scope", "-1", a->scope = -1);
    MISTAKE(scope_largest, SCOPE, 0, TYPE, "scope", "2147483647", a->scope = INT_MAX);
    MISTAKE(type_unknown, TYPE, 0, TYPE, "type", "5", a->type = ARMCI_DOUBLE + 1);
    MISTAKE(type_negative, TYPE, 0, TYPE, "type", "-1", a->type = -1);
    MISTAKE(type_smallest, TYPE, 0, TYPE, "type", "-2147483648", a->type = INT_MIN);
    return 0;
}

enum { TAG = 5 };

static int rcv(void *buffer, int buflen, int from)
{
    int length = -5;
    armci_msg_rcv(TAG, buffer, buflen, &length, from);
    check_long(length, -5, "*msglen after a wrong armci_msg_rcv");
    return NO_CODE;
}

static int rcv_any(void *buffer, int buflen)
{
    int length = -5, from = armci_msg_rcvany(TAG, buffer, buflen, &length);
    check(from < 0, "armci_msg_rcvany gives process %d", from);
    check_long(length, -5, "*msglen after a wrong armci_msg_rcvany");
    return NO_CODE;
}

/* A message round the ring that does not fit the buffer of a receive from any rank or from the
 * left; afterwards a larger buffer receives it. One process alone, to which MPI need not deliver
 * what it sends itself, passes a negative length. */
static int too_long(bool any)
{
    int left = (stage.me + stage.n - 1) % stage.n, length = 0;
    char larger[24] = "", message[24] = "this takes 24 bytes ...";
    if (stage.n == 1) return any ? rcv_any(stage.here, -1) : rcv(stage.here, -1, 0);
    armci_msg_snd(TAG, message, sizeof message, stage.p);
    if (any)
        rcv_any(stage.here, 0);
    else
        rcv(stage.here, 23, left);
    armci_msg_rcv(TAG, larger, sizeof larger, &length, left);
    check_long(length, sizeof message, "bytes of the message that was too long");
    check_bytes(larger, message, sizeof message, "the message that was too long");
    return NO_CODE;
}

static int two_sided(struct row *row)
{
    WRONG(armci_msg_snd, negative, COUNT, "len", "-1",
          SILENT(armci_msg_snd(TAG, stage.here, -1, stage.p)));
    WRONG(armci_msg_snd, smallest, COUNT, "len", "-2147483648",
          SILENT(armci_msg_snd(TAG, stage.here, INT_MIN, stage.p)));
    WRONG(armci_msg_snd, null, ADDRESS, "buffer", "NULL",
          SILENT(armci_msg_snd(TAG, NULL, 8, stage.p)));
    WRONG(armci_msg_rcv, negative, COUNT, "buflen", "-1", rcv(stage.here, -1, stage.p));
    WRONG(armci_msg_rcv, null, ADDRESS, "buffer", "NULL", rcv(NULL, 8, stage.p));
    WRONG(armci_msg_rcv, short, COUNT, "buflen", "", too_long(false));
    WRONG(armci_msg_rcvany, negative, COUNT, "buflen", "-1", rcv_any(stage.here, -1));
    WRONG(armci_msg_rcvany, smallest, COUNT, "buflen", "-2147483648", rcv_any(stage.here, INT_MIN));
    WRONG(armci_msg_rcvany, null, ADDRESS, "buffer", "NULL", rcv_any(NULL, 8));
    WRONG(armci_msg_rcvany, short, COUNT, "buflen", "", too_long(true));
    OFF(armci_msg_snd, SILENT(armci_msg_snd(TAG, stage.here, 8, 0)));
    OFF(armci_msg_rcv, rcv(stage.here, 8, 0));
    OFF(armci_msg_rcvany, rcv_any(stage.here, 8));
    OFF(armci_msg_barrier, SILENT(armci_msg_barrier()));
    OFF(armci_msg_group_barrier, SILENT(armci_msg_group_barrier(&stage.none)));
    return 0;
}

/* Place number `left_out` has no pointer. */
static int tree_in(bool group, int scope, int left_out)
{
    int at[4] = {-7, -7, -7, -7}, *to[4];
    for (int i = 0; i < 4; i++)
        to[i] = i == left_out ? NULL : &at[i];
    if (group)
        armci_msg_group_bintree(scope, to[0], to[1], to[2], to[3], &stage.world);
    else
        armci_msg_bintree(scope, to[0], to[1], to[2], to[3]);
    for (int i = 0; i < 4; i++)
        check_long(at[i], -7, "place %d after a wrong call of armci_msg_bintree", i);
    return NO_CODE;
}

static int trees(struct row *row)
{
    WRONG(armci_msg_bintree, scope, TYPE, "scope", "3", tree_in(false, 3, -1));
    WRONG(armci_msg_bintree, scope_negative, TYPE, "scope", "-1", tree_in(false, -1, -1));
    WRONG(armci_msg_bintree, no_root, ADDRESS, "Root", "NULL", tree_in(false, SCOPE_ALL, 0));
    WRONG(armci_msg_bintree, no_up, ADDRESS, "Up", "NULL", tree_in(false, SCOPE_NODE, 1));
    WRONG(armci_msg_bintree, no_left, ADDRESS, "Left", "NULL", tree_in(false, SCOPE_ALL, 2));
    WRONG(armci_msg_bintree, no_right, ADDRESS, "Right", "NULL", tree_in(false, SCOPE_MASTERS, 3));
    WRONG(armci_msg_group_bintree, scope, TYPE, "scope", "2147483647", tree_in(true, INT_MAX, -1));
    WRONG(armci_msg_group_bintree, no_root, ADDRESS, "Root", "NULL", tree_in(true, SCOPE_ALL, 0));
    WRONG(armci_msg_group_bintree, no_right, ADDRESS, "Right", "NULL", tree_in(true, SCOPE_ALL, 3));
    OFF(armci_msg_bintree, tree_in(false, SCOPE_ALL, -1));
    OFF(armci_msg_group_bintree, tree_in(true, SCOPE_ALL, -1));
    return 0;
}

static int broadcasts(struct row *row)
{
    char *here = stage.here;
    ARMCI_Group *world = &stage.world;
#define WRONG_BCAST(FUNCTION, NAME, CODE, ARGUMENT, VALUE, ...)                                    \
    WRONG(FUNCTION, NAME, CODE, ARGUMENT, VALUE, SILENT(FUNCTION(__VA_ARGS__)))
    WRONG_BCAST(armci_msg_bcast, negative, COUNT, "len", "-1", here, -1, 0);
    WRONG_BCAST(armci_msg_bcast, null, ADDRESS, "buffer", "NULL", NULL, 8, 0);
    WRONG_BCAST(armci_msg_brdcst, smallest, COUNT, "len", "-2147483648", here, INT_MIN, 0);
    WRONG_BCAST(armci_msg_brdcst, null, ADDRESS, "buffer", "NULL", NULL, 8, 0);
    WRONG_BCAST(armci_msg_bcast_scope, negative, COUNT, "len", "-1", SCOPE_NODE, here, -1, 0);
    WRONG_BCAST(armci_msg_bcast_scope, null, ADDRESS, "buffer", "NULL", SCOPE_ALL, NULL, 8, 0);
    WRONG_BCAST(armci_msg_bcast_scope, scope, TYPE, "scope", "3", 3, here, 8, 0);
    WRONG_BCAST(armci_msg_bcast_scope, scope_smallest, TYPE, "scope", "-2147483648", INT_MIN, here,
                8, 0);
    WRONG_BCAST(armci_msg_group_bcast_scope, negative, COUNT, "len", "-1", SCOPE_ALL, here, -1, 0,
                world);
    WRONG_BCAST(armci_msg_group_bcast_scope, null, ADDRESS, "buf", "NULL", SCOPE_ALL, NULL, 8, 0,
                world);
    WRONG_BCAST(armci_msg_group_bcast_scope, scope, TYPE, "scope", "3", 3, here, 8, 0, world);
    /* A process that is no member of the group. */
    WRONG_BCAST(armci_msg_group_bcast_scope, root_of_other, RANK, "root", "", SCOPE_ALL, here, 8,
                stage.n > 1 ? stage.p : stage.n, &stage.self);
    WRONG_BCAST(armci_msg_clus_brdcst, negative, COUNT, "len", "-1", here, -1);
    WRONG_BCAST(armci_msg_clus_brdcst, null, ADDRESS, "buf", "NULL", NULL, 8);
    WRONG_BCAST(armci_grp_clus_brdcst, negative, COUNT, "len", "-1", here, -1, 0, 1, world);
    WRONG_BCAST(armci_grp_clus_brdcst, null, ADDRESS, "buf", "NULL", NULL, 8, 0, 1, world);
    WRONG_BCAST(armci_grp_clus_brdcst, none, COUNT, "grp_clus_nproc", "0", here, 8, 0, 0, world);
    WRONG_BCAST(armci_grp_clus_brdcst, many, COUNT, "grp_clus_nproc", "2147483647", here, 8, 0,
                INT_MAX, world);
    OFF(armci_grp_clus_brdcst, SILENT(armci_grp_clus_brdcst(here, 8, 0, 1, world)));
    OFF(armci_msg_bcast, SILENT(armci_msg_bcast(here, 8, 0)));
    OFF(armci_msg_brdcst, SILENT(armci_msg_brdcst(here, 8, 0)));
    OFF(armci_msg_bcast_scope, SILENT(armci_msg_bcast_scope(SCOPE_ALL, here, 8, 0)));
    OFF(armci_msg_group_bcast_scope,
        SILENT(armci_msg_group_bcast_scope(SCOPE_ALL, here, 8, 0, world)));
    OFF(armci_msg_clus_brdcst, SILENT(armci_msg_clus_brdcst(here, 8)));
    return 0;
}

static int exchange(int n)
{
    void *table[MOST_RANKS], *before[MOST_RANKS];
    memset(table, 0x5a, sizeof table);
    memcpy(before, table, sizeof table);
    armci_exchange_address(table, n);
    check_bytes(table, before, sizeof table, "the addresses after armci_exchange_address(%d)", n);
    return NO_CODE;
}

static int exchange_in(int n)
{
    void *table[MOST_RANKS] = {NULL};
    armci_exchange_address_grp(table, n, &stage.self);
    return NO_CODE;
}

static int exchanges(struct row *row)
{
    WRONG(armci_exchange_address, many, COUNT, "n", "", exchange(stage.n + 1));
    WRONG(armci_exchange_address, none, COUNT, "n", "0", exchange(0));
    WRONG(armci_exchange_address, negative, COUNT, "n", "-1", exchange(-1));
    WRONG(armci_exchange_address, largest, COUNT, "n", "2147483647", exchange(INT_MAX));
    WRONG(armci_exchange_address, null, ADDRESS, "ptr_ar", "NULL",
          SILENT(armci_exchange_address(NULL, stage.n)));
    WRONG(armci_exchange_address_grp, many, COUNT, "n", "2", exchange_in(2));
    WRONG(armci_exchange_address_grp, smallest, COUNT, "n", "-2147483648", exchange_in(INT_MIN));
    WRONG(armci_exchange_address_grp, null, ADDRESS, "ptr_ar", "NULL",
          SILENT(armci_exchange_address_grp(NULL, 1, &stage.self)));
    OFF(armci_exchange_address, exchange(1));
    OFF(armci_exchange_address_grp, exchange_in(1));
    return 0;
}

static int with_rank(struct row *row, void *arguments)
{
    int *rank = arguments;
    RANK(armci_msg_snd, "to", 0, SILENT(armci_msg_snd(TAG, stage.here, 8, *rank)));
    RANK(armci_msg_rcv, "from", 0, rcv(stage.here, 8, *rank));
    RANK(armci_msg_bcast, "root", 0, SILENT(armci_msg_bcast(stage.here, 8, *rank)));
    RANK(armci_msg_brdcst, "root", 0, SILENT(armci_msg_brdcst(stage.here, 8, *rank)));
    RANK(armci_msg_bcast_scope, "root", 0,
         SILENT(armci_msg_bcast_scope(SCOPE_ALL, stage.here, 8, *rank)));
    RANK(armci_grp_clus_brdcst, "grp_master", 0,
         SILENT(armci_grp_clus_brdcst(stage.here, 8, *rank, 1, &stage.world)));
    RANK(armci_msg_group_bcast_scope, "root", 0,
         SILENT(armci_msg_group_bcast_scope(SCOPE_ALL, stage.here, 8, *rank, &stage.world)));
    return 0;
}

void wrong_messages_collect(void)
{
    static const struct product reduce = {reductions, mistakes, right, NULL, 0};
    wrong_calls_add_product(&reduce);
    wrong_calls_add_ranks(with_rank);
    wrong_calls_add(two_sided);
    wrong_calls_add(trees);
    wrong_calls_add(broadcasts);
    wrong_calls_add(exchanges);
}
