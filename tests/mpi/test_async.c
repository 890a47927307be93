/* test_async.c - one-sided for real: operations towards a process that computes, with no call into
 * MPI or ARMCI, are over long before it comes back: the first of each after a silence, and many; on
 * its own node, and on others unless the environment keeps their servers out.
 */
#include "op.h"

enum {
    MANY = 1200,
    FEW = 100,
    FIRSTS = 5,
    ROOM = 4096,
    LANE = ROOM + 64,
    HEAD = 64,
    SEGMENTS = 20,
    BUNCH = 100,
    MESSAGE = 32 << 20
};
/* Seconds. On an idle machine the first takes at most 0.002, a thousand 0.1; a machine that others
 * use as well needs more. The target computes until it sees in its memory that all is over, and
 * gives up after a time in which nothing can be over if the operations wait for it. */
static const double COMPUTING = 2.0, GIVEN_UP = 45.0, SILENCE = 0.02, FIRST_LIMIT = 0.1,
                    NEAR_LIMIT = 0.5, FAR_LIMIT = 4.0, BEHIND_LIMIT = 0.2, BEHIND_GIVEN_UP = 1.0;

/* At the head of the target's slice, written by its processor; a lane for each rank follows. */
struct head {
    int computing, back, told; /* told: by so many ranks that they are through */
};

/* Behind the room of a lane. */
struct extras {
    long added_long, swapped_long, counter;
    int added, swapped, flag;
};

/* What a rank does to its lane on the target, and what should be there. */
struct work {
    int target;
    int repeats;  /* of each operation */
    struct op op; /* of transfers */
    void **base;
    char *room;            /* on the target */
    struct extras *extras; /* on the target */
    char mirror[ROOM], local[ROOM];
    struct sides sides; /* of these */
    armci_hdl_t handle;
};

static const struct patch patch = {
    .levels = 2, .count = {16, 8, 4}, .stride = {{24, 200}, {32, 304}}, .start = {8, 16}};

static void transfer(struct work *w, int i)
{
    (void)i;
    op_bytes(&w->op, &w->sides, 64, 128, 1000, &w->handle);
    op_wait(&w->op, &w->handle);
}

static void transfer_strided(struct work *w, int i)
{
    (void)i;
    op_patch(&w->op, &w->sides, &patch, &w->handle);
    op_wait(&w->op, &w->handle);
}

static void transfer_vector(struct work *w, int i)
{
    size_t from[SEGMENTS], to[SEGMENTS];
    (void)i;
    for (size_t k = 0; k < SEGMENTS; k++) {
        from[k] = 40 * k;
        to[k] = 72 * (SEGMENTS - k);
    }
    op_segments(&w->op, &w->sides, SEGMENTS, 24, from, to, &w->handle);
}

static void values(struct work *w, int i)
{
    long l = 1000000007L * i;
    float f = 0.25f * (float)i;
    ARMCI_PutValueInt(i, w->room, w->target);
    check_long(ARMCI_GetValueInt(w->room, w->target), i, "ARMCI_GetValueInt");
    ARMCI_PutValueLong(l, w->room + 8, w->target);
    check_long(ARMCI_GetValueLong(w->room + 8, w->target), l, "ARMCI_GetValueLong");
    ARMCI_NbPutValueFloat(f, w->room + 16, w->target, &w->handle);
    ARMCI_Wait(&w->handle);
    check_double((double)ARMCI_GetValueFloat(w->room + 16, w->target), (double)f,
                 "ARMCI_GetValueFloat");
    ARMCI_NbPutValueDouble((double)i, w->room + 24, w->target, NULL);
    ARMCI_WaitAll();
    check_double(ARMCI_GetValueDouble(w->room + 24, w->target), (double)i, "ARMCI_GetValueDouble");
    memcpy(w->mirror, &i, sizeof i);
    memcpy(w->mirror + 8, &l, sizeof l);
    memcpy(w->mirror + 16, &f, sizeof f);
    memcpy(w->mirror + 24, &(double){i}, sizeof(double));
}

static void rmw(struct work *w, int i)
{
    int seen = -1, token = i + 1;
    long seen_long = -1, token_long = (1L << 40) + i + 1;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &seen, &w->extras->added, 3, w->target);
    check_long(seen, 3 * i, "FETCH_AND_ADD %d", i);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen_long, &w->extras->added_long, 5, w->target);
    check_long(seen_long, 5 * i, "FETCH_AND_ADD_LONG %d", i);
    ARMCI_Rmw(ARMCI_SWAP, &token, &w->extras->swapped, 0, w->target);
    check_long(token, i, "SWAP %d", i);
    ARMCI_Rmw(ARMCI_SWAP_LONG, &token_long, &w->extras->swapped_long, 0, w->target);
    check_long(token_long, i == 0 ? 0 : (1L << 40) + i, "SWAP_LONG %d", i);
}

static void flags(struct work *w, int i)
{
    struct patch p = patch;
    const struct op put = {.kind = OP_PUT};
    ARMCI_Put_flag(w->local, w->room + 2048, 512, &w->extras->flag, 2 * i + 1, w->target);
    check_long(ARMCI_GetValueInt(&w->extras->flag, w->target), 2 * i + 1,
               "flag after ARMCI_Put_flag");
    ARMCI_PutS_flag(w->local + p.start[LOCAL], p.stride[LOCAL], w->room + p.start[REMOTE],
                    p.stride[REMOTE], p.count, p.levels, &w->extras->flag, 2 * i + 2, w->target);
    check_long(ARMCI_GetValueInt(&w->extras->flag, w->target), 2 * i + 2,
               "flag after ARMCI_PutS_flag");
    memcpy(w->mirror + 2048, w->local, 512);
    for (size_t s = 0; s < patch_segments(&p); s++)
        op_model(&put, w->local + patch_offset(&p, LOCAL, s),
                 w->mirror + patch_offset(&p, REMOTE, s), (size_t)p.count[0]);
}

/* The mutex is the target's own, and protects a counter there. */
static void locks(struct work *w, int i)
{
    long count = -1;
    ARMCI_Lock(test_rank(), w->target);
    ARMCI_Get(&w->extras->counter, &count, sizeof count, w->target);
    check_long(count, i, "counter under the lock");
    count++;
    ARMCI_Put(&count, &w->extras->counter, sizeof count, w->target);
    ARMCI_Unlock(test_rank(), w->target);
}

static void fences(struct work *w, int i)
{
    double d = i;
    ARMCI_Put(&d, w->room + 3000, sizeof d, w->target);
    ARMCI_Fence(w->target);
    ARMCI_Acc(ARMCI_ACC_DBL, &(double){2}, &d, w->room + 3000, sizeof d, w->target);
    ARMCI_AllFence();
    d *= 3;
    memcpy(w->mirror + 3000, &d, sizeof d);
}

static void aggregates(struct work *w, int i)
{
    size_t at = 8 * (size_t)(i % BUNCH);
    if (i % BUNCH == 0) {
        ARMCI_INIT_HANDLE(&w->handle);
        ARMCI_SET_AGGREGATE_HANDLE(&w->handle);
    }
    ARMCI_NbPut(w->local + at, w->room + 3200 + at, 8, w->target, &w->handle);
    memcpy(w->mirror + 3200 + at, w->local + at, 8);
    if (i % BUNCH != BUNCH - 1) return;
    ARMCI_Wait(&w->handle);
    ARMCI_UNSET_AGGREGATE_HANDLE(&w->handle);
}

/* With windows MPI makes some operations on a neighbour's memory, too. */
static bool is_near(int proc)
{
    return armci_domain_same_id(ARMCI_DOMAIN_SMP, proc) && !test_makes_windows();
}

/* Of each operation between the caller and proc: whole bunches. Where programs that spin outnumber
 * processors a call may cost several time slices; on an emulated processor a strided get has taken
 * 4 ms. */
static int repeats_with(int proc)
{
    const int many = (effort(MANY) + BUNCH - 1) / BUNCH * BUNCH;
    return is_near(proc) || (test_ranks() == 2 && !test_on_rdma()) ? many : FEW;
}

static void be_silent(void)
{
    double until = now() + SILENCE;
    while (now() < until)
        ;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* So many of a kind, the first of them after a silence each. */
static void run(struct work *w, const char *name, void (*once)(struct work *, int))
{
    double first[FIRSTS], begun, many, limit = is_near(w->target) ? NEAR_LIMIT : FAR_LIMIT;
    for (int i = 0; i < FIRSTS; i++) {
        be_silent();
        begun = now();
        once(w, i);
        ARMCI_Fence(w->target);
        first[i] = now() - begun;
    }
    begun = now();
    for (int i = FIRSTS; i < w->repeats; i++)
        once(w, i);
    ARMCI_Fence(w->target);
    many = now() - begun;
    qsort(first, FIRSTS, sizeof *first, ascending);
    if (test_rank() == 0)
        printf("%-34s first %7.3f ms (of %d: %.3f to %.3f), %d in %7.2f ms\n", name,
               1e3 * first[FIRSTS / 2], FIRSTS, 1e3 * first[0], 1e3 * first[FIRSTS - 1],
               w->repeats - FIRSTS, 1e3 * many);
    check_time(first[FIRSTS / 2], FIRST_LIMIT, "%s: the first while the target computed", name);
    check_time(many, limit, "%s: %d while the target computed", name, w->repeats);
}

static void run_transfers(struct work *w, struct rng *r)
{
    static void (*const forms[])(struct work *, int) = {transfer, transfer_strided,
                                                        transfer_vector};
    static const char *const names[] = {"", "S", "V"};
    for (int k = 0; k < 27; k++) {
        char room[ROOM];
        w->op = (struct op){(enum op_kind)(k % 3), (enum op_how)(k / 3 % 3), ARMCI_ACC_DBL,
                            scale_one(ARMCI_ACC_DBL)};
        if (w->op.kind != OP_GET) element_fill(w->op.type, r, w->local, ROOM);
        run(w, op_name(&w->op, names[k / 9]), forms[k / 9]);
        ARMCI_Get(w->room, room, ROOM, w->target);
        check_bytes(room, w->mirror, ROOM, "the target's memory after %s",
                    op_name(&w->op, names[k / 9]));
    }
}

/* A get that brings nothing would go unnoticed where what it brings is there already. */
static void news(struct work *w, int i)
{
    long out = i, in = -1;
    ARMCI_Put(&out, w->room, sizeof out, w->target);
    ARMCI_Get(w->room, &in, sizeof in, w->target);
    check_long(in, out, "ARMCI_Get after ARMCI_Put");
    memcpy(w->mirror, &out, sizeof out);
}

static void run_others(struct work *w)
{
    static const struct {
        const char *name;
        void (*once)(struct work *, int);
    } families[] = {{"put and get", news},
                    {"values", values},
                    {"ARMCI_Rmw", rmw},
                    {"puts with a flag", flags},
                    {"locks", locks},
                    {"fences", fences},
                    {"an aggregate handle", aggregates}};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        run(w, families[f].name, families[f].once);
}

/* No call into MPI or ARMCI in here. */
static void compute(volatile struct head *head)
{
    double begun = now();
    volatile double sum = 0;
    head->computing = 1;
    while (now() < begun + COMPUTING || (head->told < test_ranks() - 1 && now() < begun + GIVEN_UP))
        for (int i = 0; i < 1000; i++)
            sum = sum + (double)i;
    head->back = 1;
}

static void operate(struct work *w)
{
    struct rng r = rng_stream((uint64_t)test_rank());
    const struct head *head = w->base[w->target];
    int before;
    double begun = now();
    while (ARMCI_GetValueInt((void *)&head->computing, w->target) == 0)
        ;
    run_transfers(w, &r);
    run_others(w);
    check_long(ARMCI_GetValueInt((void *)&head->back, w->target), 0,
               "after all, %.3f s later: is the target back", now() - begun);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &before, (void *)&head->told, 1, w->target);
}

static void verify(const struct work *w)
{
    char *mirrors = need_memory((size_t)test_ranks() * ROOM);
    char *mine = w->base[test_rank()];
    MPI_Gather(w->mirror, ROOM, MPI_BYTE, mirrors, ROOM, MPI_BYTE, w->target, test_comm());
    for (int p = 0; test_rank() == w->target && p < w->target; p++) {
        char *lane = mine + HEAD + p * LANE;
        const struct extras *e = (const void *)(lane + ROOM);
        int repeats = repeats_with(p);
        check_bytes(lane, mirrors + (size_t)p * ROOM, ROOM, "the lane of rank %d", p);
        check_long(e->added, 3 * repeats, "sum of FETCH_AND_ADD of rank %d", p);
        check_long(e->added_long, 5 * repeats, "sum of FETCH_AND_ADD_LONG of rank %d", p);
        check_long(e->swapped, repeats, "last SWAP of rank %d", p);
        check_long(e->swapped_long, (1L << 40) + repeats, "last SWAP_LONG of rank %d", p);
        check_long(e->counter, repeats, "counter under the lock of rank %d", p);
    }
    free(mirrors);
}

/* Can the target's memory be worked on without it? */
static bool is_served(const struct work *w)
{
    if (ARMCI_Uses_shm() && ARMCIX_Local_address(w->base[w->target], w->target) != NULL)
        return true;
    return !armci_domain_same_id(ARMCI_DOMAIN_SMP, w->target) && test_has_server();
}

static void while_the_target_computes(void)
{
    size_t bytes = HEAD + (size_t)test_ranks() * LANE;
    struct work w = {.target = test_ranks() - 1, .base = region_create(bytes)};
    w.room = (char *)w.base[w.target] + HEAD + test_rank() * LANE;
    w.sides = (struct sides){w.local, w.local, w.room, w.mirror, w.target};
    w.extras = (struct extras *)(void *)(w.room + ROOM);
    memset(w.base[test_rank()], 0, bytes);
    w.repeats = repeats_with(w.target);
    if (test_ranks() < 2 || !on_all_ranks(is_served(&w))) {
        skip(test_ranks() < 2
                 ? "needs 2 ranks"
                 : "no shared memory and no server: the target would have to enter MPI");
        region_free(w.base);
        return;
    }
    ARMCI_INIT_HANDLE(&w.handle);
    check_long(ARMCI_Create_mutexes(test_rank() == w.target ? test_ranks() : 0), 0,
               "ARMCI_Create_mutexes");
    ARMCI_Barrier();
    if (test_rank() == w.target)
        compute(w.base[w.target]);
    else
        operate(&w);
    ARMCI_Barrier();
    verify(&w);
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    region_free(w.base);
}

/* The target, each process in turn, only looks at its memory, long enough for its threads to fall
 * asleep; then the others put into it. */
static void while_the_target_looks(void)
{
    const int n = test_ranks(), me = test_rank();
    void **base = region_zeroed((size_t)n * sizeof(long));
    for (int target = 0; target < n; target++) {
        struct work w = {.target = target, .base = base};
        if (!on_all_ranks(me == target || is_served(&w))) {
            skip("the target would have to enter MPI");
            break;
        }
        ARMCI_Barrier();
        const double begin = MPI_Wtime(), asleep = begin + 0.3;
        int arrived = 0;
        while (MPI_Wtime() < asleep) {
        }
        if (me != target) ARMCI_Put(&(long){1}, (long *)base[target] + me, sizeof(long), target);
        while (me == target && arrived < n - 1 && MPI_Wtime() < begin + GIVEN_UP / 3) {
            arrived = 0;
            for (int p = 0; p < n; p++)
                arrived += ((volatile long *)base[me])[p] == 1;
        }
        if (me == target) check_long(arrived, n - 1, "puts that arrived");
        ARMCI_Barrier();
    }
    region_free(base);
}

/* Return the seconds after which a put by the caller has reached the target, behind a long message
 * to it of the program; neither process calls MPI or ARMCI meanwhile. */
static double put_behind_a_message(int origin, int target, void **base, char *message)
{
    const bool is_origin = test_rank() == origin;
    volatile long *own = base[test_rank()], *word = base[target];
    MPI_Request request = MPI_REQUEST_NULL;
    double begin = 0, arrived = 0;
    if (is_origin) ARMCI_Put(&(long){1}, (long *)base[target] + 1, sizeof(long), target);
    if (is_origin) ARMCI_Fence(target);
    if (test_rank() == target)
        MPI_Irecv(message, MESSAGE, MPI_BYTE, origin, 0, test_comm(), &request);
    ARMCI_Barrier();
    for (double asleep = now() + 0.2; now() < asleep;)
        continue;
    if (is_origin) {
        MPI_Isend(message, MESSAGE, MPI_BYTE, target, 0, test_comm(), &request);
        begin = now();
        ARMCI_Put(&(long){1}, (void *)(uintptr_t)word, sizeof(long), target);
        while (now() < begin + BEHIND_GIVEN_UP)
            continue;
    } else if (test_rank() == target) {
        for (double until = now() + 2 * BEHIND_GIVEN_UP; !*own && now() < until;)
            continue;
        arrived = *own ? now() : 1e9;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(&begin, 1, MPI_DOUBLE, origin, test_comm());
    MPI_Bcast(&arrived, 1, MPI_DOUBLE, target, test_comm());
    ARMCI_Barrier();
    if (test_rank() == target) own[0] = own[1] = 0;
    return arrived - begin;
}

/* MPI may hold a long message of the program on a connection which the library takes for free;
 * only the first one of a connection shows it. With ARMCI_TEST_LONG=1: what takes time must be
 * measured on a machine that others leave alone. */
static void puts_behind_messages(void)
{
    const int n = test_ranks();
    if (!getenv("ARMCI_TEST_LONG")) {
        skip("measures time: ARMCI_TEST_LONG=1");
        return;
    }
    void **base = region_zeroed(2 * sizeof(long));
    char *message = need_memory(MESSAGE);
    for (int pair = 0; pair < n * n; pair++) {
        const int origin = pair / n, target = pair % n;
        struct work w = {.target = target, .base = base};
        if (origin == target) continue;
        if (!on_all_ranks(test_rank() == target || is_served(&w))) {
            skip("the target would have to enter MPI");
            break;
        }
        double after = put_behind_a_message(origin, target, base, message);
        check_time(after, BEHIND_LIMIT, "a put to rank %d behind a message", target);
    }
    free(message);
    region_free(base);
}

static const struct test tests[] = {
    {"a put behind a long message of the program arrives", puts_behind_messages},
    {"puts arrive while their target looks at its memory", while_the_target_looks},
    {"many of each operation end while their target computes", while_the_target_computes},
};
SUITE();
