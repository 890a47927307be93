/* test_threads.c - several threads of each process at once, under MPI_THREAD_MULTIPLE. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "mixture.h"

enum { THREADS = 4, ROUNDS = 80, CELLS = 50, LINE = 16, TURNS = 160, SUMS = 8, MESSAGE = 6 };

/* What a thread did to what all share on a process: its share of the sums, and how often it had the
 * mutex. */
struct record {
    long added[SUMS], locks;
};

struct job {
    int number;
    void **base;
    int *tickets;
    struct record *record;  /* [ranks] */
    struct mixture mixture; /* of the last test: operations on the thread's own lanes */
};

/* A job for each of THREADS threads, with a region of so many bytes. Collective. */
static void begin_jobs(size_t bytes, struct job *jobs)
{
    void **base = region_zeroed(bytes);
    for (int t = 0; t < THREADS; t++)
        jobs[t] = (struct job){.number = t,
                               .base = base,
                               .tickets = need_memory(TURNS * sizeof(int)),
                               .record = need_zeroed((size_t)test_ranks() * sizeof(struct record))};
}

static void run_jobs(void *(*work)(void *), struct job *jobs)
{
    run_threads(THREADS, work, jobs, sizeof *jobs);
    ARMCI_Barrier();
}

static void end_jobs(struct job *jobs)
{
    region_free(jobs[0].base);
    for (int t = 0; t < THREADS; t++) {
        free(jobs[t].tickets);
        free(jobs[t].record);
    }
}

static void *add(void *argument)
{
    struct job *job = argument;
    long one = 1, ones[CELLS];
    int stride = 2 * (int)sizeof(long), count[2] = {(int)sizeof(long), CELLS / 2};
    for (int c = 0; c < CELLS; c++)
        ones[c] = 1;
    for (int i = 0; i < effort(ROUNDS); i++)
        for (int p = 0; p < test_ranks(); p++) {
            if ((i + job->number) % 2) {
                ARMCI_Acc(ARMCI_ACC_LNG, &one, ones, job->base[p], sizeof ones, p);
                continue;
            }
            ARMCI_AccS(ARMCI_ACC_LNG, &one, ones, &stride, job->base[p], &stride, count, 1, p);
            ARMCI_AccS(ARMCI_ACC_LNG, &one, ones + 1, &stride, (long *)job->base[p] + 1, &stride,
                       count, 1, p);
        }
    return NULL;
}

static void common_accumulates(void)
{
    struct job jobs[THREADS];
    long cells[CELLS];
    if (!needs_threads()) return;
    begin_jobs(CELLS * sizeof(long), jobs);
    run_jobs(add, jobs);
    ARMCI_Get(jobs[0].base[test_rank()], cells, sizeof cells, test_rank());
    for (int c = 0; c < CELLS; c++)
        check_long(cells[c], (long)test_ranks() * THREADS * effort(ROUNDS), "sum in cell %d", c);
    ARMCI_Barrier();
    end_jobs(jobs);
}

static void *draw(void *argument)
{
    struct job *job = argument;
    for (int i = 0; i < effort(ROUNDS); i++) {
        job->tickets[i] = -1;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &job->tickets[i], job->base[0], 1, 0);
    }
    return NULL;
}

/* Each of the tickets that all threads drew, `each` a thread, was drawn once. */
static void check_tickets(const struct job *jobs, int each)
{
    int total = each * THREADS * test_ranks(), *tally = calloc((size_t)total, sizeof *tally);
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < each; i++)
            if (check(jobs[t].tickets[i] >= 0 && jobs[t].tickets[i] < total, "draw gave %d",
                      jobs[t].tickets[i]))
                tally[jobs[t].tickets[i]]++;
    MPI_Allreduce(MPI_IN_PLACE, tally, total, MPI_INT, MPI_SUM, test_comm());
    for (int i = 0; i < total; i++)
        check_long(tally[i], 1, "how often ticket %d was drawn", i);
    free(tally);
}

static void common_counter(void)
{
    struct job jobs[THREADS];
    if (!needs_threads()) return;
    begin_jobs(LINE, jobs);
    run_jobs(draw, jobs);
    check_tickets(jobs, effort(ROUNDS));
    end_jobs(jobs);
}

/* How often each thread of this process got a mutex of the next one since all threads came; the
 * mutex protects all of it. */
static long shares[THREADS], share_total;
static int came; /* a bit for each thread */

static void *lock_again_and_again(void *argument)
{
    struct job *job = argument;
    int p = (test_rank() + 1) % test_ranks();

    for (bool more = true; more;) {
        ARMCI_Lock(0, p);
        came |= 1 << job->number;
        nanosleep(&(struct timespec){0, 500000}, NULL); /* the others come to wait */
        more = share_total < effort(ROUNDS) * THREADS;
        shares[job->number] += more && came == (1 << THREADS) - 1;
        share_total += more && came == (1 << THREADS) - 1;
        ARMCI_Unlock(0, p);
    }
    return NULL;
}

static void even_shares_of_mutex(void)
{
    struct job jobs[THREADS];
    if (!needs_threads()) return;
    ARMCI_Create_mutexes(1);
    begin_jobs(LINE, jobs);
    run_jobs(lock_again_and_again, jobs);
    for (int t = 0; t < THREADS; t++)
        check(shares[t] >= share_total / THREADS / 4, "thread %d got a mutex %ld of %ld times", t,
              shares[t], share_total);
    end_jobs(jobs);
    ARMCI_Destroy_mutexes();
}

static void *lock_once(void *unused)
{
    ARMCI_Lock(0, test_rank());
    return unused;
}

static atomic_bool unlocked;

static void *lock_and_unlock(void *unused)
{
    ARMCI_Lock(0, test_rank());
    check(unlocked, "ARMCI_Lock waits for ARMCI_Unlock");
    ARMCI_Unlock(0, test_rank());
    return unused;
}

/* The system gives the second thread the stack of the first, and all that has addresses there. */
static void mutex_of_ended_thread(void)
{
    pthread_t first, second;
    if (!needs_threads()) return;
    ARMCI_Create_mutexes(1);
    pthread_create(&first, NULL, lock_once, NULL);
    pthread_join(first, NULL);
    pthread_create(&second, NULL, lock_and_unlock, NULL);
    nanosleep(&(struct timespec){0, 20000000}, NULL); /* it comes to wait */
    unlocked = true;
    ARMCI_Unlock(0, test_rank());
    pthread_join(second, NULL);
    ARMCI_Destroy_mutexes();
}

/* ---- all families at once: each thread works on its own lanes, which no other thread uses. All
 * threads share sums, a counter and what a mutex protects. In each round a thread takes every kind
 * of step once, in a random order, then waits for a message from the same thread of the process to
 * the left. */

struct message {
    int flag, unused;
    long text[MESSAGE];
};

/* A slice. */
struct common {
    long counter, locked[2], sum[SUMS];
    struct message flagged[THREADS][TURNS], notified[TURNS];
};

struct worker {
    struct job *job;
    struct rng rng;
    int turn;
};

static struct common *common_of(const struct worker *w, int p)
{
    return w->job->base[p];
}

static int any_rank(struct worker *w)
{
    return rng_between(&w->rng, 0, test_ranks() - 1);
}

static void step_own(struct worker *w)
{
    for (int i = 0; i < 5; i++)
        mixture_step(&w->job->mixture);
}

/* Accumulate onto the sums of any process. */
static void step_sums(struct worker *w)
{
    int n = rng_between(&w->rng, 1, SUMS), first = rng_between(&w->rng, 0, SUMS - n),
        p = any_rank(w);
    struct op op = {.kind = OP_ACC,
                    .how = rng_chance(&w->rng, 50) ? OP_BLOCKING : OP_HANDLE,
                    .type = ARMCI_ACC_LNG,
                    .scale.l = 3};
    struct patch elements = {
        .levels = 1, .count = {sizeof(long), n}, .stride = {{sizeof(long)}, {sizeof(long)}}};
    long values[SUMS], *there = common_of(w, p)->sum + first;
    void *from[SUMS], *to[SUMS];
    armci_giov_t iov = {from, to, sizeof(long), n};
    armci_hdl_t handle = new_handle();
    for (int i = 0; i < n; i++) {
        values[i] = rng_between(&w->rng, 0, 1000);
        w->job->record[p].added[first + i] += op.scale.l * values[i];
        from[i] = values + i;
        to[i] = there + i;
    }
    int form = rng_between(&w->rng, 0, 2);
    if (form == 0)
        op_contiguous(&op, values, there, (size_t)n * sizeof(long), p, &handle);
    else if (form == 1)
        op_strided(&op, values, there, &elements, p, &handle);
    else
        op_vector(&op, &iov, 1, p, &handle);
    op_wait(&op, &handle);
}

static void step_ticket(struct worker *w)
{
    w->job->tickets[w->turn] = -1;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &w->job->tickets[w->turn], w->job->base[0], 1, 0);
}

static void step_lock(struct worker *w)
{
    int p = any_rank(w);
    long *there = common_of(w, p)->locked, seen[2] = {-1, -2}, one = 1;
    ARMCI_Lock(0, p);
    ARMCI_Get(there, seen, sizeof seen, p);
    check_long(seen[0], seen[1], "the cells under the mutex of %d", p);
    seen[0]++;
    ARMCI_Put(seen, there, sizeof *seen, p);
    ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, there + 1, sizeof one, p);
    ARMCI_Unlock(0, p);
    w->job->record[p].locks++;
}

/* What this thread of a process writes to the right in a turn. */
static void write_text(long text[MESSAGE], int rank, int number, int turn)
{
    for (int i = 0; i < MESSAGE; i++)
        text[i] = 1 + 1000L * (10 * rank + number) + 10L * turn + i;
}

static void step_send(struct worker *w)
{
    int turn = w->turn, number = w->job->number, right = (test_rank() + 1) % test_ranks();
    struct message *to = &common_of(w, right)->flagged[number][turn];
    int stride = 2 * sizeof(long), half[2] = {sizeof(long), MESSAGE / 2};
    long text[MESSAGE];
    write_text(text, test_rank(), number, turn);
    if (turn % 2) {
        ARMCI_Put_flag(text, to->text, sizeof text, &to->flag, turn + 1, right);
        return;
    }
    ARMCI_PutS(text + 1, &stride, to->text + 1, &stride, half, 1, right);
    ARMCI_PutS_flag(text, &stride, to->text, &stride, half, 1, &to->flag, turn + 1, right);
}

static void look_at(struct worker *w, struct message *mine, int number, const char *what)
{
    int left = (test_rank() + test_ranks() - 1) % test_ranks();
    long seen[MESSAGE], text[MESSAGE];
    write_text(text, left, number, w->turn);
    ARMCI_Get(mine->text, seen, sizeof seen, test_rank());
    check_bytes(seen, text, sizeof text, "data behind %s in turn %d", what, w->turn);
}

/* A sleep between two looks: threads that outnumber the processors and yield starve each other. */
static void receive(struct worker *w)
{
    struct message *mine = &common_of(w, test_rank())->flagged[w->job->number][w->turn];
    while (ARMCI_GetValueInt(&mine->flag, test_rank()) != w->turn + 1)
        usleep(1);
    look_at(w, mine, w->job->number, "a flag");
}

/* Notifications belong to the process: one thread of each sends and awaits them. */
static void notify_and_wait(struct worker *w)
{
    int right = (test_rank() + 1) % test_ranks(),
        left = (test_rank() + test_ranks() - 1) % test_ranks(), waits = -1;
    struct message *to = &common_of(w, right)->notified[w->turn];
    long text[MESSAGE];
    write_text(text, test_rank(), THREADS, w->turn);
    ARMCI_Put(text, to->text, sizeof text, right);
    armci_notify(right);
    armci_notify_wait(left, &waits);
    check_long(waits, w->turn + 1, "number of waits");
    look_at(w, &common_of(w, test_rank())->notified[w->turn], THREADS, "a notification");
}

static void *all_families(void *argument)
{
    static void (*const steps[])(struct worker *) = {step_own,    step_own,  step_sums,
                                                     step_ticket, step_lock, step_send};
    enum { STEPS = sizeof steps / sizeof *steps };
    struct job *job = argument;
    int order[STEPS];
    struct worker w = {job, rng_stream((uint64_t)(7000 + test_rank() * THREADS + job->number)), 0};
    for (; w.turn < effort(TURNS); w.turn++) {
        rng_permutation(&w.rng, STEPS, order);
        for (int i = 0; i < STEPS; i++)
            steps[order[i]](&w);
        receive(&w);
        if (job->number == 0) notify_and_wait(&w);
    }
    ARMCI_AllFence();
    return NULL;
}

/* What all threads of all processes did to the caller's sums and protected cells. */
static void check_common(const struct job *jobs)
{
    struct common seen;
    size_t ranks = (size_t)test_ranks();
    struct record *all = need_zeroed(ranks * sizeof *all);
    for (size_t p = 0; p < ranks; p++)
        for (int t = 0; t < THREADS; t++) {
            all[p].locks += jobs[t].record[p].locks;
            for (int i = 0; i < SUMS; i++)
                all[p].added[i] += jobs[t].record[p].added[i];
        }
    MPI_Allreduce(MPI_IN_PLACE, all, (int)(ranks * sizeof *all / sizeof(long)), MPI_LONG, MPI_SUM,
                  test_comm());
    ARMCI_Get(jobs[0].base[test_rank()], &seen, sizeof seen, test_rank());
    check_bytes(seen.sum, all[test_rank()].added, sizeof seen.sum, "the sums of all threads");
    for (int i = 0; i < 2; i++)
        check_long(seen.locked[i], all[test_rank()].locks, "cell %d under the mutex", i);
    free(all);
}

static void everything_at_once(void)
{
    static const int types[THREADS] = {ARMCI_ACC_LNG, ARMCI_ACC_INT, ARMCI_ACC_DBL, ARMCI_ACC_LNG};
    struct job jobs[THREADS];
    if (!needs_threads()) return;
    ARMCI_Create_mutexes(1);
    begin_jobs(sizeof(struct common), jobs);
    for (int t = 0; t < THREADS; t++)
        jobs[t].mixture = mixture_create(types[t], 64 * sizeof(long), 70000 + 100 * (uint64_t)t);
    run_jobs(all_families, jobs);
    for (int t = 0; t < THREADS; t++)
        mixture_end(&jobs[t].mixture, "the lanes of a thread");
    check_common(jobs);
    check_tickets(jobs, effort(TURNS));
    ARMCI_Barrier();
    end_jobs(jobs);
    ARMCI_Destroy_mutexes();
}

/* ---- a thread that calls direct transfers again and again ----
 *
 * The library is free only for the time between two calls. */

enum { BLOCK = 4 << 20, CALLS = 30 };

struct copies {
    char *from, *to;
    double mean; /* seconds */
    atomic_bool enough;
};

static void *copy_again_and_again(void *copies)
{
    struct copies *c = copies;
    double begun = now();
    int n = 0;
    for (; !atomic_load(&c->enough); n++)
        ARMCI_Put(c->from, c->to, BLOCK, test_rank());
    c->mean = n > 0 ? (now() - begun) / n : 0;
    return NULL;
}

/* Of a call to the next process, on this node or another: seconds. */
static double mean_of_calls(void *remote, int target)
{
    double begun = now();
    for (int i = 0; i < CALLS; i++) {
        ARMCI_GetValueInt(remote, target);
        usleep(500);
    }
    return (now() - begun) / CALLS;
}

static void a_busy_thread_keeps_nobody_out(void)
{
    struct copies copies = {.mean = 0};
    pthread_t thread;
    int target = (test_rank() + 1) % test_ranks();
    if (!needs_threads()) return;
    void **base = region_zeroed(BLOCK + 64);
    copies.from = need_zeroed(BLOCK);
    copies.to = (char *)base[test_rank()] + 64;
    pthread_create(&thread, NULL, copy_again_and_again, &copies);
    double mean = mean_of_calls(base[target], target);
    atomic_store(&copies.enough, true);
    pthread_join(thread, NULL);
    check_time(mean, 0.02 + 10 * copies.mean,
               "a call beside a thread that copies; a copy took %.1f ms", 1e3 * copies.mean);
    ARMCI_Barrier();
    free(copies.from);
    region_free(base);
}

/* ---- threads that share handles ----
 *
 * A wait completes what its thread has started on the handle, whatever others start, flush and wait
 * for there: puts of buffers that change after it, and gets whose data are looked at after it. */

enum { SHARED = 3, LANE = 6000, MOST_PARTS = 8, STEPS = 600 };

struct sharer {
    int number;
    void **base;         /* LANE bytes of each slice for each thread of each process */
    armci_hdl_t *handle; /* [SHARED] */
};

static char *lane_of(const struct sharer *s, int p)
{
    return (char *)s->base[p] + (test_rank() * THREADS + s->number) * LANE;
}

/* Put or get `bytes` bytes in so many parts, and wait for the handle. */
static void transfer_parts(enum op_kind kind, char *here, char *there, size_t bytes, int parts,
                           int p, armci_hdl_t *handle)
{
    const size_t part = bytes / (size_t)parts;
    for (int i = 0; i < parts; i++) {
        const size_t at = (size_t)i * part, n = i == parts - 1 ? bytes - at : part;
        if (kind == OP_PUT)
            ARMCI_NbPut(here + at, there + at, (int)n, p, handle);
        else
            ARMCI_NbGet(there + at, here + at, (int)n, p, handle);
    }
    ARMCI_Wait(handle);
}

/* Put new values, and change them after the wait. */
static void put_parts(char *there, char *model, size_t bytes, int parts, int p, armci_hdl_t *handle,
                      struct rng *rng)
{
    char *here = need_memory(bytes);
    for (size_t i = 0; i < bytes; i++)
        here[i] = model[i] = (char)rng_between(rng, 0, 255);
    transfer_parts(OP_PUT, here, there, bytes, parts, p, handle);
    memset(here, 0x5a, bytes);
    free(here);
}

static void get_parts(char *there, const char *model, size_t bytes, int parts, int p,
                      armci_hdl_t *handle, int step)
{
    char *here = need_zeroed(bytes);
    transfer_parts(OP_GET, here, there, bytes, parts, p, handle);
    check_bytes(here, model, bytes, "step %d: gets of %zu bytes", step, bytes);
    free(here);
}

static void *share_handles(void *argument)
{
    const struct sharer *s = argument;
    char *model = need_zeroed((size_t)test_ranks() * LANE);
    struct rng rng = rng_stream((uint64_t)(test_rank() * THREADS + s->number));
    for (int step = 0; step < effort(STEPS); step++) {
        const int p = rng_between(&rng, 0, test_ranks() - 1),
                  parts = rng_between(&rng, 1, MOST_PARTS);
        const size_t bytes =
            (size_t)rng_between(&rng, MOST_PARTS, rng_chance(&rng, 70) ? 400 : LANE);
        armci_hdl_t *handle = &s->handle[rng_between(&rng, 0, SHARED - 1)];
        if (rng_chance(&rng, 50))
            put_parts(lane_of(s, p), model + p * LANE, bytes, parts, p, handle, &rng);
        else
            get_parts(lane_of(s, p), model + p * LANE, bytes, parts, p, handle, step);
    }
    free(model);
    return NULL;
}

static void shared_handles(void)
{
    struct sharer sharer[THREADS];
    armci_hdl_t handle[SHARED];
    if (!needs_threads()) return;
    void **base = region_zeroed((size_t)(test_ranks() * THREADS * LANE));
    for (int i = 0; i < SHARED; i++) {
        ARMCI_INIT_HANDLE(&handle[i]);
        if (i > 0) ARMCI_SET_AGGREGATE_HANDLE(&handle[i]);
    }
    for (int t = 0; t < THREADS; t++)
        sharer[t] = (struct sharer){t, base, handle};
    run_threads(THREADS, share_handles, sharer, sizeof *sharer);
    ARMCI_Barrier();
    region_free(base);
}

/* ---- what one thread frees, the others forget ----
 *
 * A region often begins where the last one was, with slices of other lengths: a thread that has
 * used the first must not take the second for it, whose window or route is another one. */

enum { LIVES = 30, SLICE = 4096 };

struct user {
    pthread_barrier_t turn;
    void **base; /* of the region of this life; set before the turn of the user */
    int bytes;   /* of each slice */
};

/* The last int of the next process's slice. */
static void use_slice(const struct user *u, int life)
{
    const int target = (test_rank() + 1) % test_ranks();
    char *end = (char *)u->base[target] + u->bytes;
    int value = life, seen = -1;
    check(ARMCI_Put(&value, end - sizeof(int), sizeof(int), target) == 0, "life %d: put", life);
    ARMCI_Fence(target);
    check(ARMCI_Get(end - sizeof(int), &seen, sizeof(int), target) == 0, "life %d: get", life);
    check_long(seen, life, "life %d", life);
}

static void *use_each_life(void *user)
{
    struct user *u = user;
    for (int life = 0; life < LIVES; life++) {
        pthread_barrier_wait(&u->turn);
        use_slice(u, life);
        pthread_barrier_wait(&u->turn);
    }
    return NULL;
}

static void freed_for_all_threads(void)
{
    struct user u = {.base = NULL};
    pthread_t thread;
    if (!needs_threads()) return;
    pthread_barrier_init(&u.turn, NULL, 2);
    pthread_create(&thread, NULL, use_each_life, &u);
    for (int life = 0; life < LIVES; life++) {
        u.bytes = life % 2 ? SLICE / 2 : SLICE;
        u.base = region_zeroed((size_t)u.bytes);
        pthread_barrier_wait(&u.turn);
        pthread_barrier_wait(&u.turn);
        ARMCI_Barrier();
        region_free(u.base);
    }
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&u.turn);
}

static const struct test tests[] = {
    {"threads accumulate on the same cells", common_accumulates},
    {"threads draw from one counter", common_counter},
    {"threads share a mutex evenly", even_shares_of_mutex},
    {"a thread waits for a mutex that an ended one has locked", mutex_of_ended_thread},
    {"threads use all families at once", everything_at_once},
    {"a thread that calls direct transfers keeps no other out", a_busy_thread_keeps_nobody_out},
    {"threads share handles", shared_handles},
    {"threads forget what one of them frees", freed_for_all_threads},
};
SUITE(.start = start_threaded);
