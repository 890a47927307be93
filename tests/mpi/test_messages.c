/* test_messages.c - messages between two, broadcasts, selection, trees, exchange of addresses, on a
 * communicator of the library's own. */
#include "../../tools/lib/clock.h"
#include "harness.h"
#include "scopes.h"

enum { TAG = 17, MOST = 16 };

/* Messages of every length to the right neighbour, in order; the buffer beyond the length is
 * untouched. */
static void send_and_receive(void)
{
    static const int lengths[] = {4, 0, 1, 1000, 7, 300000, 64, 3};
    enum { COUNT = sizeof lengths / sizeof *lengths, BUFFER = 300010 };
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n, left = (me + n - 1) % n;
    unsigned char *out = need_memory(BUFFER), *in = need_memory(BUFFER),
                  *expected = need_memory(BUFFER);
    needs_ranks(2);
    for (int round = 0; round < 2 && n > 1; round++)
        for (int i = 0; i < COUNT; i++) {
            int got = -1;
            fill_bytes(out, (size_t)lengths[i], me + i);
            memset(in, 0xee, BUFFER);
            memset(expected, 0xee, BUFFER);
            fill_bytes(expected, (size_t)lengths[i], left + i);
            if (me != 0) armci_msg_rcv(TAG, in, BUFFER, round ? NULL : &got, left);
            armci_msg_snd(TAG, out, lengths[i], right);
            if (me == 0) armci_msg_rcv(TAG, in, BUFFER, round ? NULL : &got, left);
            if (round == 0) check_long(got, lengths[i], "length of message %d", i);
            check_bytes(in, expected, BUFFER, "message %d of %d bytes", i, lengths[i]);
        }
    free(out);
    free(in);
    free(expected);
}

/* Many small messages before the first receive: they come in the order they were sent, each tag by
 * itself. */
static void order_and_tags(void)
{
    int me = test_rank(), n = test_ranks(), other = me ^ 1;
    needs_ranks(2);
    if (other >= n) return;
    if (me % 2 == 0) {
        for (int i = 0; i < 20; i++) {
            int values[2] = {i, 1000 + i};
            armci_msg_snd(TAG, &values[0], sizeof(int), other);
            armci_msg_snd(TAG + 1, &values[1], sizeof(int), other);
        }
        return;
    }
    for (int i = 0; i < 20; i++) {
        int value = -1;
        armci_msg_rcv(TAG + 1, &value, sizeof value, NULL, other);
        check_long(value, 1000 + i, "message %d of the second tag", i);
    }
    for (int i = 0; i < 20; i++) {
        int value = -1;
        armci_msg_rcv(TAG, &value, sizeof value, NULL, other);
        check_long(value, i, "message %d of the first tag", i);
    }
}

/* Rank 0 receives from anybody: the right number from each, in each one's order, with lengths. */
static void receive_from_any(void)
{
    enum { EACH = 25 };
    int n = test_ranks(), me = test_rank(), next[MOST] = {0};
    needs_ranks(2);
    for (int i = 0; i < EACH && me > 0; i++) {
        int record[3] = {me, i, 5};
        armci_msg_snd(TAG, record, i % 2 ? 8 : 12, 0);
    }
    for (int i = 0; i < EACH * (n - 1) && me == 0; i++) {
        int record[3] = {-1, -1, -1}, length = -1,
            from = armci_msg_rcvany(TAG, record, sizeof record, &length);
        if (!check(from > 0 && from < n, "armci_msg_rcvany says %d", from)) return;
        check_long(record[0], from, "sender");
        check_long(record[1], next[from], "number of the message of %d", from);
        check_long(length, next[from]++ % 2 ? 8 : 12, "length");
    }
}

static void who_am_i(void)
{
    double before = armci_timer(), after;
    check_long(armci_msg_me(), test_rank(), "armci_msg_me");
    check_long(armci_msg_nproc(), test_ranks(), "armci_msg_nproc");
    for (double end = MPI_Wtime() + 0.02; MPI_Wtime() < end;)
        continue;
    after = armci_timer();
    check(after - before >= 0.019 && after - before < 5, "armci_timer says %g s for 0.02 s",
          after - before);
}

/* By a clock that all processes of the machine share: that of MPI_Wtime begins in each process of
 * Open MPI at the first call. */
static void barrier_waits(void)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    for (int i = 0; i < 2 * test_ranks(); i++) {
        double late = 0.03, begun, entered, last;
        MPI_Barrier(test_comm());
        begun = now();
        while (test_rank() == i / 2 && now() < begun + late)
            continue;
        entered = now();
        if (i % 2)
            armci_msg_barrier();
        else
            armci_msg_group_barrier(&world);
        double left = now();
        MPI_Allreduce(&entered, &last, 1, MPI_DOUBLE, MPI_MAX, test_comm());
        check(left >= last, "barrier left %g s before the last process came", last - left);
    }
}

static void broadcasts(void)
{
    static const int lengths[] = {0, 1, 4, 1000, 100001};
    unsigned char *bytes = need_memory(100001), *expected = need_memory(100001);
    for (int k = 0; k < 5; k++)
        for (int root = 0; root < test_ranks(); root++)
            for (int form = 0; form < 3; form++) {
                fill_bytes(bytes, (size_t)lengths[k], test_rank() + k);
                fill_bytes(expected, (size_t)lengths[k], root + k);
                if (form == 0)
                    armci_msg_bcast(bytes, lengths[k], root);
                else if (form == 1)
                    armci_msg_brdcst(bytes, lengths[k], root);
                else
                    armci_msg_bcast_scope(SCOPE_ALL, bytes, lengths[k], root);
                check_bytes(bytes, expected, (size_t)lengths[k], "broadcast %d of %d bytes from %d",
                            form, lengths[k], root);
            }
    free(bytes);
    free(expected);
}

/* Broadcasts inside the node, from any of its members, and between the first of each node. */
static void broadcasts_on_scopes(void)
{
    struct scope s;
    unsigned char bytes[333], expected[333];
    scope_members(SCOPE_NODE, &s);
    for (int i = 0; i < s.n; i++) {
        fill_bytes(bytes, sizeof bytes, test_rank());
        fill_bytes(expected, sizeof expected, s.list[i]);
        armci_msg_bcast_scope(SCOPE_NODE, bytes, sizeof bytes, s.list[i]);
        check_bytes(bytes, expected, sizeof bytes, "broadcast on the node from %d", s.list[i]);
    }
    fill_bytes(bytes, sizeof bytes, test_rank());
    fill_bytes(expected, sizeof expected, s.list[0]);
    armci_msg_clus_brdcst(bytes, sizeof bytes);
    check_bytes(bytes, expected, sizeof bytes, "armci_msg_clus_brdcst");
    scope_members(SCOPE_MASTERS, &s);
    for (int i = 0; i < s.n; i++) {
        fill_bytes(bytes, sizeof bytes, test_rank());
        fill_bytes(expected, sizeof expected, s.place >= 0 ? s.list[i] : test_rank());
        armci_msg_bcast_scope(SCOPE_MASTERS, bytes, sizeof bytes, s.list[i]);
        check_bytes(bytes, expected, sizeof bytes, "broadcast between masters from %d", s.list[i]);
    }
}

/* In a group, too, the root is a process number. */
static void broadcasts_in_groups(void)
{
    int n = test_ranks(), list[MOST], members;
    unsigned char bytes[100], expected[100];
    ARMCI_Group group;
    members = list_ranks(n - 1, -2, list);
    ARMCI_Group_create(members, list, &group);
    for (int root = 0; root < members && group.rank >= 0; root++) {
        fill_bytes(bytes, sizeof bytes, test_rank());
        fill_bytes(expected, sizeof expected, list[root]);
        armci_msg_group_bcast_scope(SCOPE_ALL, bytes, sizeof bytes, list[root], &group);
        check_bytes(bytes, expected, sizeof bytes, "broadcast in a group from process %d",
                    list[root]);
    }
    ARMCI_Group_free(&group);
}

/* Every range of ranks of a group, in reversed order; the ranks outside do not wait. */
static void broadcasts_in_ranges(void)
{
    int n = test_ranks(), list[MOST];
    unsigned char bytes[100], expected[100];
    ARMCI_Group group;
    if (!needs_few_ranks(4)) return;
    ARMCI_Group_create(list_ranks(n - 1, -1, list), list, &group);
    for (int first = 0; first < n; first++) {
        for (int size = 1; size <= n - first; size++) {
            bool in = group.rank >= first && group.rank < first + size;
            fill_bytes(bytes, sizeof bytes, test_rank());
            fill_bytes(expected, sizeof expected, in ? list[first] : test_rank());
            armci_grp_clus_brdcst(bytes, sizeof bytes, first, size, &group);
            check_bytes(bytes, expected, sizeof bytes, "broadcast to %d ranks from %d", size,
                        first);
        }
    }
    ARMCI_Group_free(&group);
}

/* The record with the largest, smallest first element goes everywhere; of equal ones that of the
 * lowest process. */
static void selection(void)
{
    struct {
        double key;
        int owner, more[5];
    } record;
    int me = test_rank(), n = test_ranks();
    for (int i = 0; i < 4 * n; i++) {
        bool largest = i % 2 == 0, in = i / 2 % 3 != 0 || me % 2 == i / 4 % 2 || n == 1;
        int winner = -1;
        double best = 0;
        for (int p = 0; p < n; p++) {
            double key = (p * 3 + i) % 4 * 1.5 - 2;
            bool p_in = i / 2 % 3 != 0 || p % 2 == i / 4 % 2 || n == 1;
            if (p_in && (winner < 0 || (largest ? key > best : key < best))) {
                winner = p;
                best = key;
            }
        }
        memset(&record, 0, sizeof record);
        record.key = (me * 3 + i) % 4 * 1.5 - 2;
        record.owner = me;
        record.more[4] = 77 * me;
        if (i % 4 < 2)
            armci_msg_sel(&record, sizeof record, largest ? "max" : "min", ARMCI_DOUBLE, in);
        else
            armci_msg_sel_scope(SCOPE_ALL, &record, sizeof record, largest ? "max" : "min",
                                ARMCI_DOUBLE, in);
        check_double(record.key, best, "key selected, round %d", i);
        check_long(record.owner, winner, "owner selected, round %d", i);
        check_long(record.more[4], 77 * winner, "rest of the record, round %d", i);
    }
}

static void selection_of_types(void)
{
    int me = test_rank(), n = test_ranks(), i_record[2] = {5 - me, me};
    long l_record[2] = {(1L << 40) + me, me};
    long long ll_record[2] = {-(1LL << 41) - me, me};
    float f_record[2] = {-0.5f * (float)me, (float)me};
    armci_msg_sel(i_record, sizeof i_record, "min", ARMCI_INT, 1);
    check_long(i_record[1], n - 1, "smallest int");
    armci_msg_sel(l_record, sizeof l_record, "max", ARMCI_LONG, 1);
    check_long(l_record[1], n - 1, "largest long");
    armci_msg_sel(ll_record, sizeof ll_record, "max", ARMCI_LONG_LONG, 1);
    check_long((long)ll_record[1], 0, "largest long long");
    armci_msg_sel(f_record, sizeof f_record, "min", ARMCI_FLOAT, me != n - 1 || n == 1);
    check_double((double)f_record[1], n == 1 ? 0 : n - 2, "smallest float of all but the last");
}

/* The tree hangs together: one root, no child twice, every parent knows its child; members are
 * those of the scope. */
static void check_tree(int root, int up, int left, int right, const struct scope *s,
                       const char *what)
{
    int mine[4] = {root, up, left, right}, all[4 * MOST], children = 0;
    MPI_Allgather(mine, 4, MPI_INT, all, 4, MPI_INT, test_comm());
    if (s->place < 0) return;
    check_long(root, s->list[0], "%s: root", what);
    check((up == -1) == (test_rank() == root), "%s: parent %d", what, up);
    if (up >= 0 && check(up < test_ranks(), "%s: parent %d", what, up))
        check((all[4 * up + 2] == test_rank()) != (all[4 * up + 3] == test_rank()),
              "%s: %d is no child of %d", what, test_rank(), up);
    for (int i = 0; i < s->n; i++) {
        const int *t = all + 4 * s->list[i];
        check_long(t[0], s->list[0], "%s: root according to %d", what, s->list[i]);
        children += (t[2] >= 0) + (t[3] >= 0);
    }
    check_long(children, s->n - 1, "%s: children in all", what);
}

static void trees(void)
{
    int root, up, left, right;
    ARMCI_Group world;
    struct scope s;
    ARMCI_Group_get_world(&world);
    for (int scope = SCOPE_ALL; scope <= SCOPE_MASTERS; scope++) {
        scope_members(scope, &s);
        root = up = left = right = -5;
        armci_msg_bintree(scope, &root, &up, &left, &right);
        check_tree(root, up, left, right, &s, "armci_msg_bintree");
    }
    scope_members(SCOPE_ALL, &s);
    armci_msg_group_bintree(SCOPE_ALL, &root, &up, &left, &right, &world);
    check_tree(root, up, left, right, &s, "armci_msg_group_bintree");
}

static void exchange_of_addresses(void)
{
    int me = test_rank(), n = test_ranks(), list[MOST], members;
    void *addresses[MOST] = {NULL};
    ARMCI_Group group;
    addresses[me] = (void *)(uintptr_t)(0x123450000000 + me);
    armci_exchange_address(addresses, n);
    for (int p = 0; p < n; p++)
        check_long((long)(uintptr_t)addresses[p], 0x123450000000 + p, "address %d", p);
    members = list_ranks(n - 1, -2, list);
    ARMCI_Group_create(members, list, &group);
    if (group.rank >= 0) {
        memset(addresses, 0, sizeof addresses);
        addresses[group.rank] = (void *)(uintptr_t)(0x543210000000 + me);
        armci_exchange_address_grp(addresses, members, &group);
        for (int i = 0; i < members; i++)
            check_long((long)(uintptr_t)addresses[i], 0x543210000000 + list[i],
                       "address %d in a group", i);
    }
    ARMCI_Group_free(&group);
}

/* Receives of the program that take anything never catch a message of the library. */
static void own_communicator(void)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n, in = -1, token = me, sum = 1;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, test_comm(), &request);
    if (n > 1) {
        int got = -1;
        if (me % 2 == 0 && me + 1 < n) armci_msg_snd(TAG, &token, sizeof token, me + 1);
        if (me % 2 == 1) armci_msg_rcv(TAG, &got, sizeof got, NULL, me - 1);
        check(me % 2 == 0 || got == me - 1, "message says %d", got);
    }
    armci_msg_igop(&sum, 1, "+");
    check_long(sum, n, "sum");
    MPI_Send(&token, 1, MPI_INT, right, 99, test_comm());
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_long(in, (me + n - 1) % n, "the program's own message");
}

static const struct test tests[] = {
    {"messages of every length", send_and_receive},
    {"messages keep their order, each tag by itself", order_and_tags},
    {"receive from anybody", receive_from_any},
    {"rank, number of processes, timer", who_am_i},
    {"nobody leaves a barrier early", barrier_waits},
    {"broadcast to all from every root", broadcasts},
    {"broadcast on the node and between masters", broadcasts_on_scopes},
    {"broadcast in a group", broadcasts_in_groups},
    {"broadcasts in ranges of ranks", broadcasts_in_ranges},
    {"selection of records", selection},
    {"selection by keys of every type", selection_of_types},
    {"trees hang together", trees},
    {"exchange of addresses", exchange_of_addresses},
    {"the program's receives never catch messages of the library", own_communicator},
};
SUITE();
