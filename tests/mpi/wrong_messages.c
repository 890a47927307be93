/* wrong_messages.c - wrong calls of the message-passing family. */
#include "wrong_calls.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ reductions */

/* What a function takes beside x, n and op. */
enum { SCOPE = 1, TYPE = 2, FLOATING = 4, SELECTION = 8 };

struct arguments {
    int scope, n, type;
    void *x;
    char *op;
};

static int igop(struct arguments *a) { armci_msg_igop(a->x, a->n, a->op); return SAYS_NOTHING; }
static int lgop(struct arguments *a) { armci_msg_lgop(a->x, a->n, a->op); return SAYS_NOTHING; }
static int llgop(struct arguments *a) { armci_msg_llgop(a->x, a->n, a->op); return SAYS_NOTHING; }
static int fgop(struct arguments *a) { armci_msg_fgop(a->x, a->n, a->op); return SAYS_NOTHING; }
static int dgop(struct arguments *a) { armci_msg_dgop(a->x, a->n, a->op); return SAYS_NOTHING; }
static int node_igop(struct arguments *a) { armci_msg_clus_igop(a->x, a->n, a->op); return SAYS_NOTHING; }
static int node_lgop(struct arguments *a) { armci_msg_clus_lgop(a->x, a->n, a->op); return SAYS_NOTHING; }
static int node_llgop(struct arguments *a) { armci_msg_clus_llgop(a->x, a->n, a->op); return SAYS_NOTHING; }
static int node_fgop(struct arguments *a) { armci_msg_clus_fgop(a->x, a->n, a->op); return SAYS_NOTHING; }
static int node_dgop(struct arguments *a) { armci_msg_clus_dgop(a->x, a->n, a->op); return SAYS_NOTHING; }
static int group_igop(struct arguments *a)
{
    armci_msg_group_igop(a->x, a->n, a->op, &stage.world);
    return SAYS_NOTHING;
}
static int group_lgop(struct arguments *a)
{
    armci_msg_group_lgop(a->x, a->n, a->op, &stage.self);
    return SAYS_NOTHING;
}
static int group_llgop(struct arguments *a)
{
    armci_msg_group_llgop(a->x, a->n, a->op, &stage.world);
    return SAYS_NOTHING;
}
static int group_fgop(struct arguments *a)
{
    armci_msg_group_fgop(a->x, a->n, a->op, &stage.self);
    return SAYS_NOTHING;
}
static int group_dgop(struct arguments *a)
{
    armci_msg_group_dgop(a->x, a->n, a->op, &stage.world);
    return SAYS_NOTHING;
}
static int gop_scope(struct arguments *a)
{
    armci_msg_gop_scope(a->scope, a->x, a->n, a->op, a->type);
    return SAYS_NOTHING;
}
static int group_gop_scope(struct arguments *a)
{
    armci_msg_group_gop_scope(a->scope, a->x, a->n, a->op, a->type, &stage.world);
    return SAYS_NOTHING;
}
static int reduce(struct arguments *a) { armci_msg_reduce(a->x, a->n, a->op, a->type); return SAYS_NOTHING; }
static int reduce_scope(struct arguments *a)
{
    armci_msg_reduce_scope(a->scope, a->x, a->n, a->op, a->type);
    return SAYS_NOTHING;
}
static int sel(struct arguments *a) { armci_msg_sel(a->x, a->n, a->op, a->type, 1); return SAYS_NOTHING; }
static int sel_scope(struct arguments *a)
{
    armci_msg_sel_scope(a->scope, a->x, a->n, a->op, a->type, 1);
    return SAYS_NOTHING;
}

struct form {
    const char *function;
    int takes;
    int (*call)(struct arguments *a);
};
static const struct form forms[] = {
    { "armci_msg_igop", 0, igop },
    { "armci_msg_lgop", 0, lgop },
    { "armci_msg_llgop", 0, llgop },
    { "armci_msg_fgop", FLOATING, fgop },
    { "armci_msg_dgop", FLOATING, dgop },
    { "armci_msg_clus_igop", 0, node_igop },
    { "armci_msg_clus_lgop", 0, node_lgop },
    { "armci_msg_clus_llgop", 0, node_llgop },
    { "armci_msg_clus_fgop", FLOATING, node_fgop },
    { "armci_msg_clus_dgop", FLOATING, node_dgop },
    { "armci_msg_group_igop", 0, group_igop },
    { "armci_msg_group_lgop", 0, group_lgop },
    { "armci_msg_group_llgop", 0, group_llgop },
    { "armci_msg_group_fgop", FLOATING, group_fgop },
    { "armci_msg_group_dgop", FLOATING, group_dgop },
    { "armci_msg_gop_scope", SCOPE | TYPE, gop_scope },
    { "armci_msg_group_gop_scope", SCOPE | TYPE, group_gop_scope },
    { "armci_msg_reduce", TYPE, reduce },
    { "armci_msg_reduce_scope", SCOPE | TYPE, reduce_scope },
    { "armci_msg_sel", TYPE | SELECTION, sel },
    { "armci_msg_sel_scope", SCOPE | TYPE | SELECTION, sel_scope },
    { NULL, 0, NULL },
};

static void n_negative(struct arguments *a) { a->n = -1; }
static void n_smallest(struct arguments *a) { a->n = INT_MIN; }
static void x_null(struct arguments *a) { a->x = NULL; }
static void op_null(struct arguments *a) { a->op = NULL; }
static void op_unknown(struct arguments *a) { a->op = "xyz"; }
static void op_empty(struct arguments *a) { a->op = ""; }
static void op_of_two_lines(struct arguments *a) { a->op = "x\ny\x1b[31m and much, much, much more"; }
static void op_of_integers(struct arguments *a)
{
    a->op = "or";
    a->type = ARMCI_DOUBLE;
}
static void op_and(struct arguments *a) { a->op = "&&"; }
static void op_sum(struct arguments *a) { a->op = "+"; }
static void op_absolute(struct arguments *a) { a->op = "absmax"; }
static void record_small(struct arguments *a) { a->n = 7; }
static void record_empty(struct arguments *a) { a->n = 0; }
static void scope_unknown(struct arguments *a) { a->scope = SCOPE_MASTERS + 1; }
static void scope_negative(struct arguments *a) { a->scope = -1; }
static void scope_largest(struct arguments *a) { a->scope = INT_MAX; }
static void type_unknown(struct arguments *a) { a->type = ARMCI_DOUBLE + 1; }
static void type_negative(struct arguments *a) { a->type = -1; }
static void type_smallest(struct arguments *a) { a->type = INT_MIN; }

struct mistake {
    const char *name;
    int of; /* the function takes that; 0: any */
    int code;
    const char *argument, *value;
    void (*make)(struct arguments *a);
};
static const struct mistake mistakes[] = {
    { "n_negative", 0, ARMCI_ERR_COUNT, "n", "-1", n_negative },
    { "n_smallest", 0, ARMCI_ERR_COUNT, "n", "-2147483648", n_smallest },
    { "x_null", 0, ARMCI_ERR_ADDRESS, "x", "NULL", x_null },
    { "op_null", 0, ARMCI_ERR_ADDRESS, "op", "NULL", op_null },
    { "op_unknown", 0, ARMCI_ERR_TYPE, "op", "\"xyz\"", op_unknown },
    { "op_empty", 0, ARMCI_ERR_TYPE, "op", "\"\"", op_empty },
    { "op_of_two_lines", 0, ARMCI_ERR_TYPE, "op", "\"x?y?", op_of_two_lines },
    { "op_of_integers", FLOATING | TYPE, ARMCI_ERR_TYPE, "op", "\"or\"", op_of_integers },
    { "op_and", FLOATING, ARMCI_ERR_TYPE, "op", "\"&&\"", op_and },
    { "op_sum", SELECTION, ARMCI_ERR_TYPE, "op", "\"+\"", op_sum },
    { "op_absolute", SELECTION, ARMCI_ERR_TYPE, "op", "\"absmax\"", op_absolute },
    { "record_small", SELECTION, ARMCI_ERR_COUNT, "n", "7", record_small },
    { "record_empty", SELECTION, ARMCI_ERR_COUNT, "n", "0", record_empty },
    { "scope_unknown", SCOPE, ARMCI_ERR_TYPE, "scope", "3", scope_unknown },
    { "scope_negative", SCOPE, ARMCI_ERR_TYPE, "scope", "-1", scope_negative },
    { "scope_largest", SCOPE, ARMCI_ERR_TYPE, "scope", "2147483647", scope_largest },
    { "type_unknown", TYPE, ARMCI_ERR_TYPE, "type", "5", type_unknown },
    { "type_negative", TYPE, ARMCI_ERR_TYPE, "type", "-1", type_negative },
    { "type_smallest", TYPE, ARMCI_ERR_TYPE, "type", "-2147483648", type_smallest },
    { NULL, 0, 0, NULL, NULL, NULL },
};

static int make(const void *form, const void *mistake)
{
    const struct form *f = form;
    const struct mistake *m = mistake;
    struct arguments a = { SCOPE_ALL, 8, ARMCI_LONG, stage.here, "max" };

    if (m)
        m->make(&a);
    return f->call(&a);
}

static void add_reductions(void)
{
    for (const struct form *f = forms; f->function; f++) {
        struct wrong_call w = { .function = f->function, .of_family = make, .form = f };
        for (const struct mistake *m = mistakes; m->name; m++) {
            if (m->of && !(m->of & f->takes))
                continue;
            w.moment = RUNNING;
            w.code = m->code;
            w.argument = m->argument;
            w.value = m->value;
            w.mistake = m;
            snprintf(w.name, sizeof w.name, "%s.%s", f->function, m->name);
            wrong_calls_add(w);
        }
        w.moment = ARMCI_OFF;
        w.code = ARMCI_ERR_STATE;
        w.argument = "state";
        w.value = "off";
        w.mistake = NULL;
        snprintf(w.name, sizeof w.name, "%s.off", f->function);
        wrong_calls_add(w);
    }
}

/* ------------------------------------------------------------------ two-sided messages */

enum { TAG = 5 };

static int snd(void *buffer, int len, int to) { armci_msg_snd(TAG, buffer, len, to); return SAYS_NOTHING; }
static int rcv(void *buffer, int buflen, int from)
{
    int length = -5;

    armci_msg_rcv(TAG, buffer, buflen, &length, from);
    check_long(length, -5, "*msglen after a wrong armci_msg_rcv");
    return SAYS_NOTHING;
}
static int rcv_any(void *buffer, int buflen)
{
    int length = -5, from = armci_msg_rcvany(TAG, buffer, buflen, &length);

    check(from < 0, "armci_msg_rcvany gives process %d", from);
    check_long(length, -5, "*msglen after a wrong armci_msg_rcvany");
    return SAYS_NOTHING;
}
static int snd_to(int to) { return snd(stage.here, 8, to); }
static int snd_negative(void) { return snd(stage.here, -1, stage.p); }
static int snd_smallest(void) { return snd(stage.here, INT_MIN, stage.p); }
static int snd_null(void) { return snd(NULL, 8, stage.p); }
static int rcv_from(int from) { return rcv(stage.here, 8, from); }
static int rcv_negative(void) { return rcv(stage.here, -1, stage.p); }
static int rcv_null(void) { return rcv(NULL, 8, stage.p); }
static int any_negative(void) { return rcv_any(stage.here, -1); }
static int any_smallest(void) { return rcv_any(stage.here, INT_MIN); }
static int any_null(void) { return rcv_any(NULL, 8); }

/* A message round the ring that the buffer of `receive` does not hold; afterwards it is received into a larger one.
 * One process alone, to which MPI need not deliver what it sends itself, makes the call `alone`. */
static int too_long(int (*receive)(int left), int (*alone)(void))
{
    int left = (stage.me + stage.n - 1) % stage.n, length = 0, code;
    char larger[24] = "", message[24] = "this takes 24 bytes ...";

    if (stage.n == 1)
        return alone();
    armci_msg_snd(TAG, message, sizeof message, stage.p);
    code = receive(left);
    armci_msg_rcv(TAG, larger, sizeof larger, &length, left);
    check_long(length, sizeof message, "bytes of the message that was too long");
    check_bytes(larger, message, sizeof message, "the message that was too long");
    return code;
}
static int short_rcv(int left) { return rcv(stage.here, 23, left); }
static int short_any(int left) { (void)left; return rcv_any(stage.here, 0); }
static int rcv_short(void) { return too_long(short_rcv, rcv_negative); }
static int any_short(void) { return too_long(short_any, any_negative); }

/* ------------------------------------------------------------------ trees, broadcasts, addresses */

/* The place number `left_out` is not asked for. */
static int tree_of(int scope, int left_out, bool group)
{
    int at[4] = { -7, -7, -7, -7 }, *to[4];

    for (int i = 0; i < 4; i++)
        to[i] = i == left_out ? NULL : &at[i];
    if (group)
        armci_msg_group_bintree(scope, to[0], to[1], to[2], to[3], &stage.world);
    else
        armci_msg_bintree(scope, to[0], to[1], to[2], to[3]);
    for (int i = 0; i < 4; i++)
        check_long(at[i], -7, "place %d after a wrong call of armci_msg_bintree", i);
    return SAYS_NOTHING;
}
static int tree(int scope, int left_out) { return tree_of(scope, left_out, false); }
static int group_tree(int scope, int left_out) { return tree_of(scope, left_out, true); }
static int tree_scope(void) { return tree(3, -1); }
static int tree_scope_negative(void) { return tree(-1, -1); }
static int tree_no_root(void) { return tree(SCOPE_ALL, 0); }
static int tree_no_up(void) { return tree(SCOPE_NODE, 1); }
static int tree_no_left(void) { return tree(SCOPE_ALL, 2); }
static int tree_no_right(void) { return tree(SCOPE_MASTERS, 3); }
static int group_tree_scope(void) { return group_tree(INT_MAX, -1); }
static int group_tree_no_root(void) { return group_tree(SCOPE_ALL, 0); }
static int group_tree_no_right(void) { return group_tree(SCOPE_ALL, 3); }

static int bcast(void *buffer, int len, int root) { armci_msg_bcast(buffer, len, root); return SAYS_NOTHING; }
static int brdcst(void *buffer, int len, int root) { armci_msg_brdcst(buffer, len, root); return SAYS_NOTHING; }
static int bcast_in(int scope, void *buffer, int len, int root)
{
    armci_msg_bcast_scope(scope, buffer, len, root);
    return SAYS_NOTHING;
}
static int group_bcast(int scope, void *buf, int len, int root)
{
    armci_msg_group_bcast_scope(scope, buf, len, root, &stage.world);
    return SAYS_NOTHING;
}
static int node_bcast(void *buf, int len) { armci_msg_clus_brdcst(buf, len); return SAYS_NOTHING; }

static int bcast_root(int root) { return bcast(stage.here, 8, root); }
static int bcast_negative(void) { return bcast(stage.here, -1, 0); }
static int bcast_null(void) { return bcast(NULL, 8, 0); }
static int brdcst_root(int root) { return brdcst(stage.here, 8, root); }
static int brdcst_negative(void) { return brdcst(stage.here, INT_MIN, 0); }
static int brdcst_null(void) { return brdcst(NULL, 8, 0); }
static int scope_root(int root) { return bcast_in(SCOPE_ALL, stage.here, 8, root); }
static int scope_negative_length(void) { return bcast_in(SCOPE_NODE, stage.here, -1, 0); }
static int scope_null(void) { return bcast_in(SCOPE_ALL, NULL, 8, 0); }
static int scope_three(void) { return bcast_in(3, stage.here, 8, 0); }
static int scope_below(void) { return bcast_in(INT_MIN, stage.here, 8, 0); }
static int group_root(int root) { return group_bcast(SCOPE_ALL, stage.here, 8, root); }
static int group_negative(void) { return group_bcast(SCOPE_ALL, stage.here, -1, 0); }
static int group_null(void) { return group_bcast(SCOPE_ALL, NULL, 8, 0); }
static int group_three(void) { return group_bcast(3, stage.here, 8, 0); }
/* A process that the group has not. */
static int group_root_of_other(void)
{
    armci_msg_group_bcast_scope(SCOPE_ALL, stage.here, 8, stage.n > 1 ? stage.p : stage.n, &stage.self);
    return SAYS_NOTHING;
}
static int node_negative(void) { return node_bcast(stage.here, -1); }
static int node_null(void) { return node_bcast(NULL, 8); }

static int exchange(int n)
{
    void *table[MOST_RANKS], *before[MOST_RANKS];

    memset(table, 0x5a, sizeof table);
    memcpy(before, table, sizeof table);
    armci_exchange_address(table, n);
    check_bytes(table, before, sizeof table, "the addresses after armci_exchange_address(%d)", n);
    return SAYS_NOTHING;
}
static int exchange_in(int n)
{
    void *table[MOST_RANKS] = { NULL };

    armci_exchange_address_grp(table, n, &stage.self);
    return SAYS_NOTHING;
}
static int exchange_many(void) { return exchange(stage.n + 1); }
static int exchange_none(void) { return exchange(0); }
static int exchange_negative(void) { return exchange(-1); }
static int exchange_largest(void) { return exchange(INT_MAX); }
static int exchange_null(void) { armci_exchange_address(NULL, stage.n); return SAYS_NOTHING; }
static int exchange_group_many(void) { return exchange_in(2); }
static int exchange_group_smallest(void) { return exchange_in(INT_MIN); }
static int exchange_group_null(void) { armci_exchange_address_grp(NULL, 1, &stage.self); return SAYS_NOTHING; }

/* ------------------------------------------------------------------ the list */

static const struct rank_form ranks[] = {
    { "armci_msg_snd", "to", snd_to, false },
    { "armci_msg_rcv", "from", rcv_from, false },
    { "armci_msg_bcast", "root", bcast_root, false },
    { "armci_msg_brdcst", "root", brdcst_root, false },
    { "armci_msg_bcast_scope", "root", scope_root, false },
    { "armci_msg_group_bcast_scope", "root", group_root, false },
    { NULL, NULL, NULL, false },
};

static const struct single_call singles[] = {
    { "armci_msg_snd", "negative", ARMCI_ERR_COUNT, "len", "-1", snd_negative },
    { "armci_msg_snd", "smallest", ARMCI_ERR_COUNT, "len", "-2147483648", snd_smallest },
    { "armci_msg_snd", "null", ARMCI_ERR_ADDRESS, "buffer", "NULL", snd_null },
    { "armci_msg_rcv", "negative", ARMCI_ERR_COUNT, "buflen", "-1", rcv_negative },
    { "armci_msg_rcv", "null", ARMCI_ERR_ADDRESS, "buffer", "NULL", rcv_null },
    { "armci_msg_rcv", "short", ARMCI_ERR_COUNT, "buflen", "", rcv_short },
    { "armci_msg_rcvany", "negative", ARMCI_ERR_COUNT, "buflen", "-1", any_negative },
    { "armci_msg_rcvany", "smallest", ARMCI_ERR_COUNT, "buflen", "-2147483648", any_smallest },
    { "armci_msg_rcvany", "null", ARMCI_ERR_ADDRESS, "buffer", "NULL", any_null },
    { "armci_msg_rcvany", "short", ARMCI_ERR_COUNT, "buflen", "", any_short },
    { "armci_msg_bintree", "scope", ARMCI_ERR_TYPE, "scope", "3", tree_scope },
    { "armci_msg_bintree", "scope_negative", ARMCI_ERR_TYPE, "scope", "-1", tree_scope_negative },
    { "armci_msg_bintree", "no_root", ARMCI_ERR_ADDRESS, "Root", "NULL", tree_no_root },
    { "armci_msg_bintree", "no_up", ARMCI_ERR_ADDRESS, "Up", "NULL", tree_no_up },
    { "armci_msg_bintree", "no_left", ARMCI_ERR_ADDRESS, "Left", "NULL", tree_no_left },
    { "armci_msg_bintree", "no_right", ARMCI_ERR_ADDRESS, "Right", "NULL", tree_no_right },
    { "armci_msg_group_bintree", "scope", ARMCI_ERR_TYPE, "scope", "2147483647", group_tree_scope },
    { "armci_msg_group_bintree", "no_root", ARMCI_ERR_ADDRESS, "Root", "NULL", group_tree_no_root },
    { "armci_msg_group_bintree", "no_right", ARMCI_ERR_ADDRESS, "Right", "NULL", group_tree_no_right },
    { "armci_msg_bcast", "negative", ARMCI_ERR_COUNT, "len", "-1", bcast_negative },
    { "armci_msg_bcast", "null", ARMCI_ERR_ADDRESS, "buffer", "NULL", bcast_null },
    { "armci_msg_brdcst", "smallest", ARMCI_ERR_COUNT, "len", "-2147483648", brdcst_negative },
    { "armci_msg_brdcst", "null", ARMCI_ERR_ADDRESS, "buffer", "NULL", brdcst_null },
    { "armci_msg_bcast_scope", "negative", ARMCI_ERR_COUNT, "len", "-1", scope_negative_length },
    { "armci_msg_bcast_scope", "null", ARMCI_ERR_ADDRESS, "buffer", "NULL", scope_null },
    { "armci_msg_bcast_scope", "scope", ARMCI_ERR_TYPE, "scope", "3", scope_three },
    { "armci_msg_bcast_scope", "scope_smallest", ARMCI_ERR_TYPE, "scope", "-2147483648", scope_below },
    { "armci_msg_group_bcast_scope", "negative", ARMCI_ERR_COUNT, "len", "-1", group_negative },
    { "armci_msg_group_bcast_scope", "null", ARMCI_ERR_ADDRESS, "buf", "NULL", group_null },
    { "armci_msg_group_bcast_scope", "scope", ARMCI_ERR_TYPE, "scope", "3", group_three },
    { "armci_msg_group_bcast_scope", "root_of_other", ARMCI_ERR_RANK, "root", "", group_root_of_other },
    { "armci_msg_clus_brdcst", "negative", ARMCI_ERR_COUNT, "len", "-1", node_negative },
    { "armci_msg_clus_brdcst", "null", ARMCI_ERR_ADDRESS, "buf", "NULL", node_null },
    { "armci_exchange_address", "many", ARMCI_ERR_COUNT, "n", "", exchange_many },
    { "armci_exchange_address", "none", ARMCI_ERR_COUNT, "n", "0", exchange_none },
    { "armci_exchange_address", "negative", ARMCI_ERR_COUNT, "n", "-1", exchange_negative },
    { "armci_exchange_address", "largest", ARMCI_ERR_COUNT, "n", "2147483647", exchange_largest },
    { "armci_exchange_address", "null", ARMCI_ERR_ADDRESS, "ptr_ar", "NULL", exchange_null },
    { "armci_exchange_address_grp", "many", ARMCI_ERR_COUNT, "n", "2", exchange_group_many },
    { "armci_exchange_address_grp", "smallest", ARMCI_ERR_COUNT, "n", "-2147483648", exchange_group_smallest },
    { "armci_exchange_address_grp", "null", ARMCI_ERR_ADDRESS, "ptr_ar", "NULL", exchange_group_null },
    { NULL, NULL, 0, NULL, NULL, NULL },
};

static int snd_off(void) { return snd_to(0); }
static int rcv_off(void) { return rcv_from(0); }
static int any_off(void) { return rcv_any(stage.here, 8); }
static int barrier_off(void) { armci_msg_barrier(); return SAYS_NOTHING; }
static int group_barrier_off(void) { armci_msg_group_barrier(&stage.none); return SAYS_NOTHING; }
static int tree_off(void) { return tree(SCOPE_ALL, -1); }
static int group_tree_off(void) { return group_tree(SCOPE_ALL, -1); }
static int bcast_off(void) { return bcast_root(0); }
static int brdcst_off(void) { return brdcst_root(0); }
static int scope_off(void) { return scope_root(0); }
static int group_bcast_off(void) { return group_root(0); }
static int node_off(void) { return node_bcast(stage.here, 8); }
static int exchange_off(void) { return exchange(1); }
static int exchange_group_off(void) { return exchange_in(1); }

static const struct off_call off[] = {
    { "armci_msg_snd", snd_off },
    { "armci_msg_rcv", rcv_off },
    { "armci_msg_rcvany", any_off },
    { "armci_msg_barrier", barrier_off },
    { "armci_msg_group_barrier", group_barrier_off },
    { "armci_msg_bintree", tree_off },
    { "armci_msg_group_bintree", group_tree_off },
    { "armci_msg_bcast", bcast_off },
    { "armci_msg_brdcst", brdcst_off },
    { "armci_msg_bcast_scope", scope_off },
    { "armci_msg_group_bcast_scope", group_bcast_off },
    { "armci_msg_clus_brdcst", node_off },
    { "armci_exchange_address", exchange_off },
    { "armci_exchange_address_grp", exchange_group_off },
    { NULL, NULL },
};

void wrong_messages_collect(void)
{
    add_reductions();
    wrong_calls_add_ranks(ranks);
    wrong_calls_add_singles(RUNNING, singles);
    wrong_calls_add_off(ARMCI_OFF, "state", off);
}
