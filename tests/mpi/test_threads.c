/* test_threads.c - several threads of each process at once, under MPI_THREAD_MULTIPLE. */
#include <time.h>
#include <unistd.h>

#include "op.h"

enum { THREADS = 4, ROUNDS = 80, CELLS = 50, LINE = 16 };
enum { CELL = sizeof(long), TURNS = 160, SIDE = 4, AREA = SIDE * SIDE * SIDE, SUMS_SIDE = 2, SUMS = 8, MESSAGE = 6 };

/* What a thread of the last test did to a process: what must be in its area there, and its share of what is common. */
struct record {
    long area[AREA], added[SUMS], locks;
};

/* What a thread works on, and how many errors it saw: check() is for the first thread only. */
struct job {
    int number, wrong;
    const char *first; /* what the first error was */
    void **base;
    int *tickets;
    struct record *record; /* [ranks] */
};

/* Run `work` in THREADS threads of every process; false where threads may not call MPI: the test is skipped. */
static bool run_jobs(void *(*work)(void *), size_t bytes, struct job *jobs)
{
    if (!needs_threads()) return false;
    void **base = region_zeroed(bytes);
    for (int t = 0; t < THREADS; t++)
        jobs[t] = (struct job){.number = t,
                               .first = "",
                               .base = base,
                               .tickets = need_memory(TURNS * sizeof(int)),
                               .record = need_zeroed((size_t)test_ranks() * sizeof(struct record))};
    run_threads(THREADS, work, jobs, sizeof *jobs);
    for (int t = 0; t < THREADS; t++)
        check_long(jobs[t].wrong, 0, "errors in thread %d (%s)", t, jobs[t].first);
    ARMCI_Barrier();
    return true;
}

static void end_threads(struct job *jobs)
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
            ARMCI_AccS(ARMCI_ACC_LNG, &one, ones + 1, &stride, (long *)job->base[p] + 1, &stride, count, 1, p);
        }
    return NULL;
}

static void common_accumulates(void)
{
    struct job jobs[THREADS];
    long cells[CELLS];
    if (!run_jobs(add, CELLS * sizeof(long), jobs)) return;
    ARMCI_Get(jobs[0].base[test_rank()], cells, sizeof cells, test_rank());
    for (int c = 0; c < CELLS; c++)
        check_long(cells[c], (long)test_ranks() * THREADS * effort(ROUNDS), "sum in cell %d", c);
    ARMCI_Barrier();
    end_threads(jobs);
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
            if (check(jobs[t].tickets[i] >= 0 && jobs[t].tickets[i] < total, "draw gave %d", jobs[t].tickets[i]))
                tally[jobs[t].tickets[i]]++;
    MPI_Allreduce(MPI_IN_PLACE, tally, total, MPI_INT, MPI_SUM, test_comm());
    for (int i = 0; i < total; i++)
        check_long(tally[i], 1, "how often ticket %d was drawn", i);
    free(tally);
}

static void common_counter(void)
{
    struct job jobs[THREADS];
    if (run_jobs(draw, LINE, jobs)) {
        check_tickets(jobs, effort(ROUNDS));
        end_threads(jobs);
    }
}

/* How often each thread of this process got a mutex of the next one since all threads came; the mutex protects all of it. */
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

    ARMCI_Create_mutexes(1);
    if (run_jobs(lock_again_and_again, LINE, jobs)) {
        for (int t = 0; t < THREADS; t++)
            check(shares[t] >= share_total / THREADS / 4, "thread %d got a mutex %ld of %ld times", t, shares[t], share_total);
        end_threads(jobs);
    }
    ARMCI_Destroy_mutexes();
}

/* ------------------------------------------------------------------ all families at once
 *
 * Each thread has an area of SIDE x SIDE x SIDE cells on every process, which no other thread uses, and knows what must be in it.  All
 * threads share sums, a counter and what a mutex protects.  In each round a thread does every kind of step once, in a
 * random order, then waits for a message from the same thread of the process to the left. */

struct message {
    int flag, unused;
    long text[MESSAGE];
};

/* A slice; behind it the areas. */
struct common {
    long counter, locked[2], sum[SUMS];
    struct message flagged[THREADS][TURNS], notified[TURNS];
};

struct worker {
    struct job *job;
    struct rng rng;
    long (*local)[AREA]; /* [ranks], buffers */
    int turn;
};

static struct common *common_of(const struct job *job, int p)
{
    return job->base[p];
}

static long *area_of(const struct job *job, int p)
{
    return (long *)(common_of(job, p) + 1) + (test_rank() * THREADS + job->number) * AREA;
}

static int any_rank(struct worker *w)
{
    return rng_between(&w->rng, 0, test_ranks() - 1);
}

/* Count an error of the thread; the first one is remembered. */
static void demand(struct job *job, bool ok, const char *what)
{
    if (ok) return;
    if (job->wrong++ == 0) job->first = what;
}

/* Cells of a cube with `side` cells a side, in the order in which a packed buffer has them. */
struct piece {
    enum { CONTIGUOUS, STRIDED, VECTOR } shape;
    int n, cell[AREA];
    int count[3], remote_stride[2], local_stride[2];
};

static struct piece draw_box(struct rng *r, int side)
{
    int x = rng_between(r, 0, side - 1), y = rng_between(r, 0, side - 1), z = rng_between(r, 0, side - 1);
    int nx = rng_between(r, 1, side - x), ny = rng_between(r, 1, side - y), nz = rng_between(r, 1, side - z);
    struct piece q = {.shape = STRIDED,
                      .count = {nx * CELL, ny, nz},
                      .local_stride = {nx * CELL, nx * ny * CELL},
                      .remote_stride = {side * CELL, side * side * CELL}};
    for (int k = z; k < z + nz; k++)
        for (int j = y; j < y + ny; j++)
            for (int i = x; i < x + nx; i++)
                q.cell[q.n++] = (k * side + j) * side + i;
    return q;
}

static struct piece draw_run(struct rng *r, int all)
{
    int n = rng_between(r, 1, all), first = rng_between(r, 0, all - n);
    struct piece q = {.shape = CONTIGUOUS, .n = n};
    for (int i = 0; i < n; i++)
        q.cell[i] = first + i;
    return q;
}

static struct piece draw_piece(struct rng *r, int side)
{
    struct piece q = rng_chance(r, 40) ? draw_box(r, side) : draw_run(r, side * side * side);
    if (q.shape == CONTIGUOUS && rng_chance(r, 50)) {
        q.shape = VECTOR;
        rng_shuffle(r, q.cell, q.n);
    }
    return q;
}

/* One transfer between a packed buffer and cells at `there`; OP_HANDLE uses *hdl.  Accumulates have the scale 3. */
struct move {
    enum op_kind kind;
    enum op_how how;
    int p;
    armci_hdl_t *hdl;
};

static int call(const struct move *m, struct piece *q, long *here, long *there)
{
    long *at = there + q->cell[0], three = 3;
    struct call c = {(unsigned)m->kind, m->how == OP_BLOCKING, m->hdl, ARMCI_ACC_LNG, &three, m->p};
    void *near[AREA], *far[AREA];
    bool gets = m->kind == OP_GET;
    armci_giov_t v = {gets ? far : near, gets ? near : far, CELL, q->n};
    if (q->shape == CONTIGUOUS) return call_contiguous(&c, here, at, q->n * CELL);
    if (q->shape == STRIDED) return call_strided(&c, here, q->local_stride, at, q->remote_stride, q->count, 2);
    for (int i = 0; i < q->n; i++) {
        near[i] = here + i;
        far[i] = there + q->cell[i];
    }
    return call_vector(&c, &v, 1);
}

static void issue(struct worker *w, const struct move *m, struct piece *q, long *local, long *there)
{
    demand(w->job, call(m, q, local, there) == 0, "code of a transfer");
}

/* A buffer for the move: random numbers, or what no cell holds. */
static void fill(struct worker *w, enum op_kind kind, long *local, int n)
{
    for (int i = 0; i < n; i++)
        local[i] = kind == OP_GET ? -1 : rng_between(&w->rng, 0, 1000);
}

/* After the move: the model does as the memory should have done; a get is looked at. */
static void settle(struct worker *w, const struct move *m, const struct piece *q, const long *local)
{
    for (int i = 0; i < q->n; i++) {
        long *known = &w->job->record[m->p].area[q->cell[i]];
        if (m->kind == OP_PUT)
            *known = local[i];
        else if (m->kind == OP_ACC)
            *known += 3 * local[i];
        else
            demand(w->job, local[i] == *known, q->shape == STRIDED ? "strided get" : "contiguous or vector get");
    }
}

/* One by one: a process sees its own operations on one target in the order it issued them. */
static void step_blocking(struct worker *w)
{
    struct move m = {.how = OP_BLOCKING, .p = any_rank(w)};
    for (int i = 0; i < 4; i++) {
        struct piece q = draw_piece(&w->rng, SIDE);
        m.kind = i == 3 ? OP_GET : (enum op_kind)rng_between(&w->rng, OP_PUT, OP_ACC);
        fill(w, m.kind, w->local[0], q.n);
        issue(w, &m, &q, w->local[0], area_of(w->job, m.p));
        settle(w, &m, &q, w->local[0]);
    }
}

/* Wait for all that the thread has issued, by any of the calls for that. */
static void complete(struct worker *w, const struct move *m)
{
    if (m->how == OP_HANDLE) {
        if (rng_chance(&w->rng, 50))
            while (ARMCI_Test(m->hdl) != 0)
                usleep(1);
        demand(w->job, ARMCI_Wait(m->hdl) == 0, "code of ARMCI_Wait");
    } else if (rng_chance(&w->rng, 30)) {
        ARMCI_WaitAll();
    } else if (rng_chance(&w->rng, 50)) {
        ARMCI_Wait(NULL);
    } else {
        for (int p = 0; p < test_ranks(); p++)
            ARMCI_WaitProc(p);
    }
}

/* To or from all processes at once, with one handle or none; then a get of all, to see. */
static void step_nonblocking(struct worker *w)
{
    enum op_how how = rng_chance(&w->rng, 60) ? OP_HANDLE : OP_IMPLICIT;
    struct piece *q = need_memory((size_t)test_ranks() * sizeof *q);
    struct move *m = need_memory((size_t)test_ranks() * sizeof *m);
    armci_hdl_t hdl = new_handle();
    for (int get = 0; get < 2; get++) {
        for (int p = 0; p < test_ranks(); p++) {
            q[p] = draw_piece(&w->rng, SIDE);
            m[p] = (struct move){get ? OP_GET : (enum op_kind)rng_between(&w->rng, OP_PUT, OP_ACC), how, p, how == OP_HANDLE ? &hdl : NULL};
            fill(w, m[p].kind, w->local[p], q[p].n);
            issue(w, &m[p], &q[p], w->local[p], area_of(w->job, p));
        }
        complete(w, &m[0]);
        for (int p = 0; p < test_ranks(); p++)
            settle(w, &m[p], &q[p], w->local[p]);
    }
    free(q);
    free(m);
}

/* Single cells of all processes through an aggregate handle: puts, then gets, which see them. */
static void step_aggregate(struct worker *w)
{
    struct piece cells = draw_run(&w->rng, AREA);
    armci_hdl_t hdl = new_aggregate();
    for (int get = 0; get < 2; get++) {
        struct move m = {get ? OP_GET : OP_PUT, OP_HANDLE, 0, &hdl};
        for (m.p = 0; m.p < test_ranks(); m.p++) {
            fill(w, m.kind, w->local[m.p], cells.n);
            for (int i = 0; i < cells.n; i++) {
                struct piece one = {.shape = CONTIGUOUS, .n = 1, .cell = {cells.cell[i]}};
                issue(w, &m, &one, &w->local[m.p][i], area_of(w->job, m.p));
            }
        }
        demand(w->job, ARMCI_Wait(&hdl) == 0, "code of ARMCI_Wait");
        for (m.p = 0; m.p < test_ranks(); m.p++)
            settle(w, &m, &cells, w->local[m.p]);
    }
    ARMCI_UNSET_AGGREGATE_HANDLE(&hdl);
}

static void step_values(struct worker *w)
{
    int p = any_rank(w), at = rng_between(&w->rng, 0, AREA - 1), value = rng_between(&w->rng, 1, 1000);
    long *there = area_of(w->job, p) + at;
    ARMCI_PutValueInt(value, there, p);
    demand(w->job, ARMCI_GetValueInt(there, p) == value, "int value");
    ARMCI_PutValueDouble(value + 0.5, there, p);
    demand(w->job, (long)(2 * ARMCI_GetValueDouble(there, p)) == 2 * value + 1, "double value");
    ARMCI_PutValueLong(value, there, p);
    demand(w->job, ARMCI_GetValueLong(there, p) == value, "long value");
    w->job->record[p].area[at] = value;
}

static void step_sums(struct worker *w)
{
    struct piece q = draw_piece(&w->rng, SUMS_SIDE);
    armci_hdl_t hdl;
    struct move m = {OP_ACC, rng_chance(&w->rng, 50) ? OP_BLOCKING : OP_HANDLE, any_rank(w), &hdl};
    ARMCI_INIT_HANDLE(&hdl);
    fill(w, OP_ACC, w->local[0], q.n);
    issue(w, &m, &q, w->local[0], common_of(w->job, m.p)->sum);
    for (int i = 0; i < q.n; i++)
        w->job->record[m.p].added[q.cell[i]] += 3 * w->local[0][i];
    if (m.how == OP_HANDLE) demand(w->job, ARMCI_Wait(&hdl) == 0, "code of ARMCI_Wait");
}

/* On cells that no other thread uses, where the thread knows the old value; and one ticket. */
static void step_rmw(struct worker *w)
{
    int p = any_rank(w), at = rng_between(&w->rng, 0, AREA - 1), more = rng_between(&w->rng, -99, 99);
    long *there = area_of(w->job, p) + at, old = -1, next = rng_between(&w->rng, 0, 1000);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there, more, p);
    demand(w->job, old == w->job->record[p].area[at], "fetch-and-add");
    old = next;
    ARMCI_Rmw(ARMCI_SWAP_LONG, &old, there, 0, p);
    demand(w->job, old == w->job->record[p].area[at] + more, "swap");
    w->job->record[p].area[at] = next;
    w->job->tickets[w->turn] = -1;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &w->job->tickets[w->turn], w->job->base[0], 1, 0);
}

static void step_lock(struct worker *w)
{
    int p = any_rank(w);
    long *there = common_of(w->job, p)->locked, seen[2] = {-1, -2}, one = 1;
    ARMCI_Lock(0, p);
    ARMCI_Get(there, seen, sizeof seen, p);
    demand(w->job, seen[0] == seen[1], "cells under a mutex");
    seen[0]++;
    ARMCI_Put(seen, there, CELL, p);
    ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, there + 1, CELL, p);
    ARMCI_Unlock(0, p);
    w->job->record[p].locks++;
}

static void step_fence(struct worker *w)
{
    ARMCI_Fence(any_rank(w));
    if (rng_chance(&w->rng, 40)) ARMCI_AllFence();
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
    struct message *to = &common_of(w->job, right)->flagged[number][turn];
    int stride = 2 * CELL, half[2] = {CELL, MESSAGE / 2};
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
    demand(w->job, memcmp(seen, text, sizeof text) == 0, what);
}

/* A sleep between two looks: threads that outnumber the processors and yield starve each other (known-issues). */
static void receive(struct worker *w)
{
    struct message *mine = &common_of(w->job, test_rank())->flagged[w->job->number][w->turn];
    while (ARMCI_GetValueInt(&mine->flag, test_rank()) != w->turn + 1)
        usleep(1);
    look_at(w, mine, w->job->number, "data behind a flag");
}

/* Notifications belong to the process: one thread of each sends and awaits them. */
static void notify_and_wait(struct worker *w)
{
    int right = (test_rank() + 1) % test_ranks(), left = (test_rank() + test_ranks() - 1) % test_ranks(), waits = -1;
    struct message *to = &common_of(w->job, right)->notified[w->turn];
    long text[MESSAGE];
    write_text(text, test_rank(), THREADS, w->turn);
    ARMCI_Put(text, to->text, sizeof text, right);
    armci_notify(right);
    armci_notify_wait(left, &waits);
    demand(w->job, waits == w->turn + 1, "number of waits");
    look_at(w, &common_of(w->job, test_rank())->notified[w->turn], THREADS, "data behind a notification");
}

static void *all_families(void *argument)
{
    static void (*const steps[])(struct worker *) = {step_blocking, step_nonblocking, step_aggregate, step_values, step_sums,
                                                     step_rmw,      step_lock,        step_fence,     step_send};
    enum { STEPS = sizeof steps / sizeof *steps };
    struct job *job = argument;
    int order[STEPS];
    struct worker w = {job, rng_stream((uint64_t)(7000 + test_rank() * THREADS + job->number)),
                       need_memory((size_t)test_ranks() * sizeof *w.local), 0};
    for (int i = 0; i < STEPS; i++)
        order[i] = i;
    for (; w.turn < effort(TURNS); w.turn++) {
        rng_shuffle(&w.rng, order, STEPS);
        for (int i = 0; i < STEPS; i++)
            steps[order[i]](&w);
        receive(&w);
        if (job->number == 0) notify_and_wait(&w);
    }
    ARMCI_AllFence();
    free(w.local);
    return NULL;
}

static void check_areas(const struct job *jobs)
{
    long seen[AREA];
    for (int t = 0; t < THREADS; t++)
        for (int p = 0; p < test_ranks(); p++) {
            ARMCI_Get(area_of(&jobs[t], p), seen, sizeof seen, p);
            check_bytes(seen, jobs[t].record[p].area, sizeof seen, "area of thread %d on %d", t, p);
        }
}

/* What all threads of all processes did to the caller's sums and protected cells. */
static void check_common(const struct job *jobs)
{
    struct common *mine = common_of(jobs, test_rank()), seen;
    size_t ranks = (size_t)test_ranks();
    long(*added)[SUMS + 1] = calloc(ranks, sizeof *added);
    for (size_t p = 0; p < ranks; p++)
        for (int t = 0; t < THREADS; t++) {
            added[p][SUMS] += jobs[t].record[p].locks;
            for (int i = 0; i < SUMS; i++)
                added[p][i] += jobs[t].record[p].added[i];
        }
    MPI_Allreduce(MPI_IN_PLACE, added, test_ranks() * (SUMS + 1), MPI_LONG, MPI_SUM, test_comm());
    ARMCI_Get(mine, &seen, sizeof seen, test_rank());
    for (int i = 0; i < SUMS; i++)
        check_long(seen.sum[i], added[test_rank()][i], "sum %d", i);
    for (int i = 0; i < 2; i++)
        check_long(seen.locked[i], added[test_rank()][SUMS], "cell %d under the mutex", i);
    free(added);
}

static void everything_at_once(void)
{
    size_t areas = (size_t)(test_ranks() * THREADS) * AREA * CELL;
    struct job jobs[THREADS];
    ARMCI_Create_mutexes(1);
    if (run_jobs(all_families, sizeof(struct common) + areas, jobs)) {
        check_areas(jobs);
        check_common(jobs);
        check_tickets(jobs, effort(TURNS));
        ARMCI_Barrier();
        end_threads(jobs);
    }
    ARMCI_Destroy_mutexes();
}

static const struct test tests[] = {
    {"threads accumulate on the same cells", common_accumulates},
    {"threads draw from one counter", common_counter},
    {"threads share a mutex evenly", even_shares_of_mutex},
    {"threads use all families at once", everything_at_once},
};
SUITE(.start = start_threaded);
