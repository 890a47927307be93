/* execute.c - a program from beginning to end: phase by phase its own stream, then the comparison.
 */
#include "options.h"
#include "run.h"

static void do_wait(struct run *run, const struct op *op)
{
    armci_hdl_t *handle = op->handle == IMPLICIT_HANDLE ? NULL : &run->handle[op->handle];
    int status = 1;
    for (int tries = 0; op->kind == OP_TEST && status != 0 && tries < 10000; tries++)
        status = ARMCI_Test(handle);
    if (status != 0) check_status(run, op, ARMCI_Wait(handle));
}

static void do_access(struct run *run, const struct op *op)
{
    const struct transfer *t = &op->t;
    char *base = memory_real(run->p, t->target, t->remote.memory), *at = base + t->remote.offset;
    const char *shadow = memory_shadow(run->p, t->target, t->remote.memory) + t->remote.offset;
    ARMCI_Access_begin(base);
    if (t->verb == PUT)
        pattern_store(at, t->local.offset, t->count[0], t->content);
    else
        check_bytes(run, op, "what a process sees in its own slice", t->target, t->remote.memory,
                    t->remote.offset, shadow, at, t->count[0]);
    ARMCI_Access_end(base);
    model_apply(run->p, run->ph, op);
}

static void do_fence(struct run *run, const struct op *op)
{
    switch (op->kind) {
    case OP_FENCE: ARMCI_Fence(op->peer); break;
    case OP_ALL_FENCE: ARMCI_AllFence(); break;
    case OP_GROUP_FENCE: ARMCI_GroupFence(&run->p->group[op->group].handle); break;
    default:
        if (op->variant == 0)
            ARMCI_Barrier();
        else
            armci_msg_barrier();
    }
}

void run_op(struct run *run, const struct op *op)
{
    switch (op->kind) {
    case OP_TRANSFER:
        issue_transfer(run, op, op->mode == EXPLICIT ? &run->handle[op->handle] : NULL);
        break;
    case OP_RMW: cells_rmw(run, op); break;
    case OP_ACCESS: do_access(run, op); break;
    case OP_PACK: issue_pack(run, op); break;
    case OP_WAIT:
    case OP_TEST: do_wait(run, op); break;
    case OP_WAIT_PROC: check_status(run, op, ARMCI_WaitProc(op->peer)); break;
    case OP_WAIT_ALL: check_status(run, op, ARMCI_WaitAll()); break;
    case OP_SET_AGGREGATE: ARMCI_SET_AGGREGATE_HANDLE(&run->handle[op->handle]); break;
    case OP_UNSET_AGGREGATE: ARMCI_UNSET_AGGREGATE_HANDLE(&run->handle[op->handle]); break;
    case OP_FENCE:
    case OP_ALL_FENCE:
    case OP_GROUP_FENCE:
    case OP_BARRIER: do_fence(run, op); break;
    case OP_SECTION: joint_section(run, op); break;
    case OP_TELL: joint_tell(run, op); break;
    case OP_HEAR: joint_hear(run, op); break;
    case OP_SEND: joint_send(run, op); break;
    case OP_RECEIVE: joint_receive(run, op); break;
    case OP_REDUCE: collective_reduce(run, op); break;
    case OP_GROUP_CREATE: world_group_create(run, op); break;
    case OP_GROUP_FREE: world_group_free(run, op); break;
    case OP_REGION_CREATE: world_region_create(run, op); break;
    case OP_REGION_FREE: world_region_free(run, op); break;
    case OP_MUTEXES:
        check_status(run, op, ARMCI_Create_mutexes(run->p->mutexes[run->p->me]));
        break;
    }
    issue_completed(run, op);
}

/* ---- phases ---- */

/* Areas with numbers begin each phase with new ones: every process stores those of its slices. */
static void store_beginnings(struct run *run)
{
    struct program *p = run->p;
    model_begin_phase(p, run->ph);
    for (int r = 0; r < p->regions; r++)
        if (p->region[r].mapped && p->region[r].base[p->me])
            ARMCI_Access_begin(p->region[r].base[p->me]);
    for (int i = 0; i < run->ph->areas; i++) {
        const struct area *a = &run->ph->area[i];
        const struct region *region = &p->region[a->region];
        if (a->rank == p->me && region->mapped && area_is_typed(a))
            area_refresh(a, region->base[p->me]);
    }
    for (int r = 0; r < p->regions; r++)
        if (p->region[r].mapped && p->region[r].base[p->me])
            ARMCI_Access_end(p->region[r].base[p->me]);
    ARMCI_Barrier();
}

static void run_stream(struct run *run)
{
    const struct stream *s = &run->ph->stream[run->p->me];
    for (int i = 0; i < s->n; i++) {
        place_set(run->ph->number, s->op[i].unit, s->op[i].sequence, kind_name(s->op[i].kind));
        run_op(run, &s->op[i]);
    }
    run->operations += s->n;
}

/* Everything is in place everywhere, by one of two calls. */
static void end_phase(struct run *run)
{
    place_set(run->ph->number, run->p->units, run->p->sequence, "end of phase");
    if (run->ph->seed % 2) {
        ARMCI_Barrier();
    } else {
        ARMCI_AllFence();
        MPI_Barrier(run->comm);
    }
    for (int r = 0; r < run->p->ranks; r++)
        if (r != run->p->me) model_replay(run->p, run->ph, &run->replay, r, run->p->sequence + 1);
    cells_settle(run);
    check_memory(run);
    MPI_Barrier(run->comm); /* nobody goes on while others still compare */
}

static void run_phase(struct run *run, int number)
{
    struct program *p = run->p;
    run->ph = phase_new(p, number);
    generate_phase(p, run->ph);
    if (schedule_filter(p, run->ph) > 0) {
        schedule_phase(p, run->ph);
        memset(&run->replay, 0, sizeof run->replay);
        store_beginnings(run);
        run_stream(run);
        end_phase(run);
    }
    phase_free(p, run->ph);
}

void run_program(struct run *run, uint64_t seed)
{
    int ranks, me;
    MPI_Comm_size(run->comm, &ranks);
    MPI_Comm_rank(run->comm, &me);
    place_program(seed);
    run->p = program_new(seed, ranks, me);
    generate_begin(run->p);
    world_begin(run);
    for (int number = 0; number < options->phases; number++)
        run_phase(run, number);
    place_set(options->phases, 0, 0, "end");
    world_end(run);
    program_free(run->p);
}
