/* test_waits.c - a thread that waits for another process lets the other threads of its process go
 * on, under MPI_THREAD_MULTIPLE.  Where one keeps them out, the job hangs: the launcher's time
 * limit ends it. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include <message.h>

#include "harness.h"

enum { MOST = 16, SOON = 20000, PUTS = 50, MESSAGES = 60, TAG = 5, ROUNDS = 10, NUMBERS = 1 << 16 };

static bool may_run(int ranks)
{
    return needs_threads() && needs_ranks(ranks);
}

static int last_rank(void)
{
    return test_ranks() - 1;
}

static void create_group(ARMCI_Group *group)
{
    int list[MOST];
    ARMCI_Group_create(list_ranks(0, 1, list), list, group);
}

static void *here[MOST], *of_group[MOST];
static ARMCI_Group group, copy, half;
static armcix_mutex_hdl_t set;

/* In this order. */
enum { CALLS = 16 };
static void call(int i)
{
    /* clang-format off */
    switch (i) {
    case 0: create_group(&group); break;
    case 1: ARMCIX_Group_dup(&group, &copy); break;
    case 2: ARMCIX_Group_split(&group, 0, 0, &half); break;
    case 3: ARMCI_Malloc(here, 64); break;
    case 4: ARMCI_Malloc_group(of_group, 64, &group); break;
    case 5: ARMCIX_Mode_set(ARMCIX_MODE_ALL, of_group[test_rank()], &group); break;
    case 6: ARMCI_Create_mutexes(2); break;
    case 7: set = ARMCIX_Create_mutexes_hdl(1, &group); break;
    case 8: ARMCI_Barrier(); break;
    case 9: ARMCIX_Destroy_mutexes_hdl(set); break;
    case 10: ARMCI_Destroy_mutexes(); break;
    case 11: ARMCI_Free(here[test_rank()]); break;
    case 13: ARMCI_Malloc_group(of_group, test_rank() == 0 ? 0 : 64, &group); break;
    case 12:
    case 14: ARMCI_Free_group(of_group[test_rank()], &group); break;
    default:
        ARMCI_Group_free(&half);
        ARMCI_Group_free(&copy);
        ARMCI_Group_free(&group);
        armci_msg_barrier();
    }
    /* clang-format on */
}

static void *make_call(void *number)
{
    call(*(int *)number);
    return NULL;
}

/* The last process waits for a flag before it calls; the first one puts it, by a thread, while
 * another is in the call. */
static void late_process(void)
{
    void **flags;
    if (!may_run(2)) return;
    flags = region_zeroed(sizeof(int));
    for (int i = 0; i < CALLS; i++) {
        pthread_t thread;
        if (test_rank() == last_rank())
            while (ARMCI_GetValueInt(flags[last_rank()], last_rank()) != i + 1)
                ;
        pthread_create(&thread, NULL, make_call, &i);
        if (test_rank() == 0) {
            usleep(SOON);
            ARMCI_PutValueInt(i + 1, flags[last_rank()], last_rank());
            ARMCI_Fence(last_rank());
        }
        pthread_join(thread, NULL);
    }
    region_free(flags);
}

struct pair {
    int number;
    long wrong;
    ARMCI_Group group;
};

/* Each thread on its group; the other thread comes later in every second round, and in every second
 * process. All regions are as large, so that one thread gets the addresses that the other has just
 * freed. */
static void *use_group(void *argument)
{
    struct pair *p = argument;
    int me = test_rank(), n = test_ranks();
    for (int i = 0; i < ROUNDS; i++) {
        void *base[MOST];
        armcix_mutex_hdl_t mutexes;
        if ((p->number + me + i) % 2) usleep(1000);
        p->wrong += ARMCI_Malloc_group(base, me == i % n ? 0 : 4096, &p->group) != 0;
        mutexes = ARMCIX_Create_mutexes_hdl(1, &p->group);
        for (int to = 0; to < n; to++)
            if (base[to]) ARMCI_PutValueInt(100 * p->number + me, (int *)base[to] + me, to);
        ARMCIX_Lock_hdl(mutexes, 0, (me + 1) % n);
        ARMCIX_Unlock_hdl(mutexes, 0, (me + 1) % n);
        armci_msg_group_barrier(&p->group);
        for (int from = 0; from < n && base[me]; from++)
            p->wrong += ARMCI_GetValueInt((int *)base[me] + from, me) != 100 * p->number + from;
        ARMCIX_Destroy_mutexes_hdl(mutexes);
        p->wrong += ARMCI_Free_group(base[me], &p->group) != 0;
    }
    return NULL;
}

static void run_pairs(void *(*work)(void *), struct pair pairs[2])
{
    run_threads(2, work, pairs, sizeof *pairs);
    for (int k = 0; k < 2; k++)
        check_long(pairs[k].wrong, 0, "errors of the thread with group %d", k);
}

static void any_order(void)
{
    struct pair pairs[2] = {{.number = 0}, {.number = 1}};
    if (!may_run(1)) return;
    for (int k = 0; k < 2; k++)
        create_group(&pairs[k].group);
    run_pairs(use_group, pairs);
    for (int k = 0; k < 2; k++)
        ARMCI_Group_free(&pairs[k].group);
    ARMCI_Barrier();
}

/* Two threads make groups with common members: lists of different length. */
static void *make_groups(void *argument)
{
    struct pair *p = argument;
    int n = test_ranks() - p->number, list[MOST], size;
    list_ranks(0, 1, list);
    for (int i = 0; i < 2 * ROUNDS && test_rank() < n; i++) {
        ARMCI_Group_create(n, list, &p->group);
        ARMCI_Group_size(&p->group, &size);
        p->wrong += size != n;
        armci_msg_group_barrier(&p->group);
        ARMCI_Group_free(&p->group);
    }
    return NULL;
}

static void groups_at_once(void)
{
    struct pair pairs[2] = {{.number = 0}, {.number = 1}};
    if (!may_run(2)) return;
    run_pairs(make_groups, pairs);
    ARMCI_Barrier();
}

static atomic_bool enough;

static void *send_in_group(void *argument)
{
    ARMCI_Group *alone = argument;
    int number = 7;
    while (!atomic_load(&enough)) {
        armci_msg_group_barrier(alone);
        armci_msg_group_bcast_scope(SCOPE_NODE, &number, sizeof number, test_rank(), alone);
    }
    return NULL;
}

/* Freed memory is written over, as a program would. */
static void write_over(size_t bytes)
{
    char *memory = need_memory(bytes);
    memset(memory, 0xff, bytes);
    free(memory);
}

static void groups_come_and_go(void)
{
    enum { GROUPS = 1500 };
    ARMCI_Group alone, other;
    pthread_t thread;
    int me = test_rank();
    double begun = MPI_Wtime();
    if (!may_run(1)) return;
    atomic_store(&enough, false);
    ARMCI_Group_create(1, &me, &alone);
    pthread_create(&thread, NULL, send_in_group, &alone);
    for (size_t i = 0; i < GROUPS && MPI_Wtime() - begun < trial_time(2); i++) {
        ARMCI_Group_create(1, &me, &other);
        ARMCI_Group_free(&other);
        write_over(64 + 8 * (i % 16));
    }
    atomic_store(&enough, true);
    pthread_join(thread, NULL);
    ARMCI_Group_free(&alone);
    ARMCI_Barrier();
}

static atomic_int received, sum;

/* Of two messages, each thread one; the first has 4 bytes, the second 8. */
static void *receive_one(void *unused)
{
    int text[2] = {0, 0}, length = 0;
    (void)unused;
    armci_msg_rcvany(TAG, text, sizeof text, &length);
    atomic_fetch_add(&sum, length + text[0] + text[1]);
    atomic_fetch_add(&received, 1);
    return NULL;
}

static void receive_two(int round)
{
    pthread_t threads[2];
    int two[2] = {100, 1000};
    atomic_store(&sum, 0);
    for (int k = 0; k < 2; k++)
        pthread_create(&threads[k], NULL, receive_one, NULL);
    usleep(200);
    MPI_Barrier(test_comm());
    usleep(300);
    armci_msg_snd(TAG, two, sizeof two, 0);
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    check_long(atomic_load(&sum), 4 + 1 + 8 + 1100, "what two threads received in round %d", round);
}

static void two_receivers(void)
{
    int one = 1;
    if (!may_run(2)) return;
    for (int i = 0; i < effort(MESSAGES); i++) {
        if (test_rank() == 0) {
            receive_two(i);
            continue;
        }
        MPI_Barrier(test_comm());
        if (test_rank() == 1) armci_msg_snd(TAG, &one, sizeof one, 0);
    }
    ARMCI_Barrier();
}

static void *wait_for_mutex(void *unused)
{
    (void)unused;
    ARMCI_Lock(0, last_rank());
    ARMCI_Unlock(0, last_rank());
    return NULL;
}

/* A thread waits for the mutex; another one puts, again and again, into memory that the holder gets
 * again and again. */
static void put_beside(void **flags)
{
    pthread_t thread;
    double begun, seconds = 0;
    pthread_create(&thread, NULL, wait_for_mutex, NULL);
    for (int i = 1; i <= PUTS; i++) {
        usleep(SOON);
        begun = MPI_Wtime();
        ARMCI_PutValueInt(i, flags[0], 0);
        seconds += MPI_Wtime() - begun;
    }
    check_time(seconds, 1, "%d puts while another thread waits", PUTS);
    pthread_join(thread, NULL);
}

static void mutex_under_load(void)
{
    void **flags;
    if (!may_run(2)) return;
    flags = region_zeroed(sizeof(int));
    ARMCI_Create_mutexes(1);
    if (test_rank() == last_rank()) ARMCI_Lock(0, last_rank());
    ARMCI_Barrier();
    if (test_rank() == 0) put_beside(flags);
    if (test_rank() == last_rank()) {
        while (ARMCI_GetValueInt(flags[0], 0) != PUTS)
            ;
        ARMCI_Unlock(0, last_rank());
    }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    region_free(flags);
}

static void *fence_all(void *unused)
{
    (void)unused;
    while (!atomic_load(&enough))
        ARMCI_AllFence();
    return NULL;
}

/* The accumulate waits for the put, on whose memory it works: meanwhile the other thread's fence
 * finds nothing pending. */
static void put_and_add(long *numbers, const long *ones, void *there, int to)
{
    armci_hdl_t hdl = new_handle();
    long one = 1;
    int bytes = NUMBERS * (int)sizeof *numbers;
    ARMCI_NbPut(numbers, there, bytes, to, &hdl);
    ARMCI_Acc(ARMCI_ACC_LNG, &one, (void *)ones, there, bytes, to);
    ARMCI_Fence(to);
    ARMCI_Wait(&hdl);
}

static void fences_beside(void)
{
    void **base;
    long *numbers, *ones;
    int to = last_rank();
    pthread_t thread;
    if (!may_run(2)) return;
    base = region_create(NUMBERS * sizeof *ones);
    numbers = need_memory(NUMBERS * sizeof *numbers);
    ones = need_memory(NUMBERS * sizeof *ones);
    for (int i = 0; i < NUMBERS; i++)
        ones[i] = 1;
    atomic_store(&enough, false);
    if (test_rank() == 0) pthread_create(&thread, NULL, fence_all, NULL);
    for (long round = 1; round <= 3 * ROUNDS; round++) {
        for (int i = 0; i < NUMBERS; i++)
            numbers[i] = 10 * round;
        if (test_rank() == 0) put_and_add(numbers, ones, base[to], to);
        MPI_Barrier(test_comm());
        ARMCI_Access_begin(base[test_rank()]);
        if (test_rank() == to)
            check_long(((volatile long *)base[to])[NUMBERS - 1], 10 * round + 1,
                       "the last number after the fence");
        ARMCI_Access_end(base[test_rank()]);
        MPI_Barrier(test_comm());
    }
    atomic_store(&enough, true);
    if (test_rank() == 0) pthread_join(thread, NULL);
    free(numbers);
    free(ones);
    region_free(base);
}

/* How the puts of 2 get behind the collected ones. */
enum later { BY_LENGTH, BY_TEST, BY_KIND, WITH_ROOM, LATERS };
enum { SHORT = 100, COLLECTED = 20000, LONG = 300000 };

static atomic_int rounds_begun, rounds_fenced;

static void *fence_each_round(void *to)
{
    for (int seen = 0; !atomic_load(&enough);) {
        if (atomic_load(&rounds_begun) == seen) continue;
        ARMCI_Fence(*(int *)to);
        atomic_store(&rounds_fenced, ++seen);
    }
    return NULL;
}

static void put_pieces(char *from, char *there, int bytes, int to, armci_hdl_t *handle)
{
    for (int at = 0; at < COLLECTED; at += bytes)
        ARMCI_NbPut(from + at, there + at, bytes, to, handle);
}

static void put_twos(enum later how, char *twos, char *there, int to, armci_hdl_t *handle)
{
    if (how == BY_KIND) ARMCI_UNSET_AGGREGATE_HANDLE(handle);
    put_pieces(twos, there, how == WITH_ROOM ? 4 : how == BY_TEST ? SHORT : COLLECTED, to, handle);
    while (how == BY_TEST && ARMCI_Test(handle))
        ;
    ARMCI_Wait(handle);
}

/* The long put of 0 keeps the fence of the other thread in its flush of the puts of 1. */
static void put_in_order(enum later how, char *there, int to)
{
    static char zeros[LONG], ones[COLLECTED], twos[COLLECTED], seen[COLLECTED];
    armci_hdl_t handle = new_aggregate();
    memset(ones, 1, sizeof ones);
    memset(twos, 2, sizeof twos);
    ARMCI_NbPut(zeros, there, LONG, to, &handle);
    put_pieces(ones, there, SHORT, to, &handle);
    int round = atomic_fetch_add(&rounds_begun, 1) + 1;
    for (double begun = MPI_Wtime(); MPI_Wtime() - begun < 5e-6;)
        ;
    put_twos(how, twos, there, to, &handle);
    ARMCI_Fence(to);
    while (atomic_load(&rounds_fenced) != round)
        ;
    ARMCI_Get(there, seen, COLLECTED, to);
    check_bytes(seen, twos, COLLECTED, "puts of an aggregate handle, the last ones of kind %d",
                (int)how);
}

static void order_beside_fences(void)
{
    void **base;
    pthread_t thread;
    int to = last_rank();
    double begun = MPI_Wtime();
    if (!may_run(2)) return;
    base = region_zeroed(LONG);
    atomic_store(&enough, false);
    if (test_rank() == 0) {
        pthread_create(&thread, NULL, fence_each_round, &to);
        for (int i = 0; test_errors() == 0 && MPI_Wtime() - begun < trial_time(1); i++)
            put_in_order(i % LATERS, base[to], to);
        atomic_store(&enough, true);
        pthread_join(thread, NULL);
    }
    region_done(base);
}

/* The list of what there is has another order on each process; ARMCI_Finalize frees it together. */
static void *leave_behind(void *argument)
{
    enum { KEPT = 10 };
    struct pair *p = argument;
    int me = test_rank();
    for (int i = 0; i < KEPT; i++) {
        void *base[MOST];
        if ((p->number + me + i) % 2) usleep(1000);
        p->wrong += ARMCI_Malloc_group(base, 64, &p->group) != 0;
        p->wrong += ARMCIX_Create_mutexes_hdl(1, &p->group) == NULL;
    }
    return NULL;
}

/* A job that hangs at its end has failed. */
static void left_to_the_end(void)
{
    static struct pair pairs[2] = {{.number = 0}, {.number = 1}};
    if (!may_run(1)) return;
    for (int k = 0; k < 2; k++)
        create_group(&pairs[k].group);
    run_pairs(leave_behind, pairs);
    ARMCI_Barrier();
}

static const struct test tests[] = {
    {"a thread in a collective call keeps no other thread out", late_process},
    {"threads make collective calls on two groups in any order", any_order},
    {"threads make groups with common members at once", groups_at_once},
    {"groups come and go while another thread sends messages", groups_come_and_go},
    {"two threads receive from anyone", two_receivers},
    {"a thread that waits for a mutex keeps no other thread out", mutex_under_load},
    {"a fence is behind the caller's own operations", fences_beside},
    {"puts of an aggregate handle keep their order beside another fence", order_beside_fences},
    {"what threads made in any order may be left to ARMCI_Finalize", left_to_the_end},
};
SUITE(.start = start_threaded);
