/* test_init.c - start and end where the program has started MPI: again and again, nested, on other
 * communicators, beside the program's own messages. */
#include "harness.h"

/* ---- the error handler of communicators that the library uses ---- */

static long returning; /* calls of the library on communicators that return errors */

static bool is_fatal(MPI_Comm comm)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(comm, &handler);
    bool fatal = handler == MPI_ERRORS_ARE_FATAL;
    if (!fatal && handler == MPI_ERRORS_RETURN) returning++;
    MPI_Errhandler_free(&handler);
    return fatal;
}

/* clang-format off */
#define CALL(NAME, PARAMETERS, ARGUMENTS) int MPI_##NAME PARAMETERS { is_fatal(comm); return PMPI_##NAME ARGUMENTS; }
CALL(Isend, (const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r), (data, n, type, to, tag, comm, r))
CALL(Irecv, (void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r), (data, n, type, from, tag, comm, r))
CALL(Iprobe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status), (from, tag, comm, flag, status))
CALL(Ibarrier, (MPI_Comm comm, MPI_Request *r), (comm, r))
CALL(Bcast, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm), (data, n, type, root, comm))
CALL(Ibcast, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *r), (data, n, type, root, comm, r))
CALL(Allreduce, (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (from, to, n, type, op, comm))
CALL(Iallreduce, (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *r), (from, to, n, type, op, comm, r))
CALL(Comm_dup, (MPI_Comm comm, MPI_Comm *copy), (comm, copy))
CALL(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *part), (comm, color, key, part))
/* clang-format on */

static void stop(void)
{
    check_long(ARMCI_Initialized(), 0, "ARMCI_Initialized after all tests");
    MPI_Finalize();
}

static int mpi_is_running(void)
{
    int begun = 0, ended = 1;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    return begun && !ended;
}

/* The end, after which MPI runs on. */
static void end_armci(const char *what)
{
    check_long(ARMCI_Finalize(), 0, "%s: ARMCI_Finalize", what);
    check_long(ARMCI_Initialized(), 0, "%s: ARMCI_Initialized after the end", what);
    check(mpi_is_running(), "%s: MPI does not run after ARMCI_Finalize", what);
}

/* MPI uses parts of its memory for the first time in some of the first starts: 2.3 MiB in 150. */
static void started_again(void)
{
    struct held before = {0};
    int starts = 2 + effort(100);
    long at_first = descriptors();
    for (int i = 0; i < starts; i++) {
        if (i == starts / 2) before = held();
        check_long(ARMCI_Initialized(), 0, "ARMCI_Initialized before start %d", i);
        check_long(ARMCI_Init(), 0, "ARMCI_Init, time %d", i);
        use_armci(test_rank(), test_ranks(), "started again");
        end_armci("started again");
        MPI_Barrier(MPI_COMM_WORLD);
    }
    check_held(before);
    check_long(descriptors(), at_first, "descriptors after the end");
}

static void other_forms(void)
{
    static char name[] = "program", option[] = "--option";
    char *list[] = {name, option, NULL}, **argv = list;
    int argc = 2;
    check_long(ARMCI_Init_args(&argc, &argv), 0, "ARMCI_Init_args");
    check(argc == 2 && strcmp(argv[1], "--option") == 0, "arguments after ARMCI_Init_args");
    use_armci(test_rank(), test_ranks(), "ARMCI_Init_args");
    end_armci("ARMCI_Init_args");
    check_long(ARMCI_Init_args(NULL, NULL), 0, "ARMCI_Init_args(NULL, NULL)");
    end_armci("ARMCI_Init_args(NULL, NULL)");
    check_long(ARMCI_Init_thread(MPI_THREAD_SINGLE), 0, "ARMCI_Init_thread");
    use_armci(test_rank(), test_ranks(), "ARMCI_Init_thread");
    end_armci("ARMCI_Init_thread");
    check_long(ARMCI_Init_mpi_comm(MPI_COMM_WORLD), 1, "ARMCI_Init_mpi_comm(world)");
    use_armci(test_rank(), test_ranks(), "ARMCI_Init_mpi_comm(world)");
    end_armci("ARMCI_Init_mpi_comm(world)");
}

/* Further starts only count; as many ends are needed. */
static void nested(void)
{
    check_long(ARMCI_Init(), 0, "ARMCI_Init");
    check_long(ARMCI_Init(), 0, "ARMCI_Init within");
    check_long(ARMCI_Init_thread(MPI_THREAD_SINGLE), 0, "ARMCI_Init_thread within");
    check_long(ARMCI_Init_mpi_comm(MPI_COMM_WORLD), 1, "ARMCI_Init_mpi_comm within");
    use_armci(test_rank(), test_ranks(), "nested");
    for (int i = 0; i < 3; i++)
        check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize %d", i);
    check_long(ARMCI_Initialized(), 1, "ARMCI_Initialized after three of four ends");
    use_armci(test_rank(), test_ranks(), "nested, after three of four ends");
    end_armci("nested");
}

/* ARMCI on some processes, in reversed order, then on others; the rest of the world does something
 * else. */
static void on_parts(void)
{
    int me = test_rank(), n = test_ranks();
    MPI_Comm part;
    for (int turn = 0; turn < 4; turn++) {
        int size = 0, rank = 0;
        bool in = turn % 2 ? me > 0 || n == 1 : me < n - 1 || n == 1;
        MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, -me, &part);
        if (!in) {
            check_long(ARMCI_Initialized(), 0, "ARMCI_Initialized on a process that takes no part");
            continue;
        }
        MPI_Comm_size(part, &size);
        MPI_Comm_rank(part, &rank);
        if (turn < 2)
            check_long(ARMCI_Init_mpi_comm(part), 1, "ARMCI_Init_mpi_comm");
        else
            check_long(ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, part), 0,
                       "ARMCI_Init_thread_comm");
        use_armci(rank, size, "on a part of the world, reversed");
        int same = MPI_UNEQUAL;
        MPI_Comm_compare(ARMCIX_Get_world_comm(), part, &same);
        check(same == MPI_CONGRUENT || same == MPI_IDENT,
              "ARMCIX_Get_world_comm is not like the communicator given");
        end_armci("on a part of the world");
        MPI_Comm_free(&part);
    }
}

static int refusals;
static void count_refusal(int code, const char *text)
{
    refusals++;
    check_long(code, ARMCI_ERR_MEMORY, "%s", text);
}

/* Right or refused: no MPI library need have dynamic windows. */
static void use_memget(int me, int n, MPI_Comm comm)
{
    int right = (me + 1) % n, left = (me + n - 1) % n, value = 100 + test_rank(), seen = -1;
    struct {
        armci_meminfo_t memory;
        int value;
    } mine = {.value = value}, other;
    ARMCIX_Set_error_handler(count_refusal);
    refusals = 0;
    ARMCI_Memget(5000, &mine.memory, 0);
    ARMCIX_Set_error_handler(NULL);
    if (refusals > 0) return;
    memcpy(mine.memory.addr + 4000, &value, sizeof value);
    MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, left, 0, &other, sizeof other, MPI_BYTE, right, 0,
                 comm, MPI_STATUS_IGNORE);
    ARMCI_Get(ARMCI_Memat(&other.memory, 4000), &seen, sizeof seen, right);
    check_long(seen, other.value, "get from memory of ARMCI_Memget");
    ARMCI_Barrier();
    ARMCI_Memctl(&mine.memory);
}

/* Two parts of the world run ARMCI at the same time, and know nothing of each other. */
static void on_disjoint_parts(void)
{
    MPI_Comm part;
    for (int turn = 0; turn < 40; turn++) {
        int size = 0, rank = 0;
        MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, test_rank(), &part);
        MPI_Comm_size(part, &size);
        MPI_Comm_rank(part, &rank);
        check_long(ARMCI_Init_mpi_comm(part), 1, "ARMCI_Init_mpi_comm");
        use_armci(rank, size, "on one of two parts of the world");
        use_memget(rank, size, part);
        end_armci("on one of two parts of the world");
        MPI_Comm_free(&part);
    }
}

static void communicator_may_go(void)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    check_long(ARMCI_Init_mpi_comm(copy), 1, "ARMCI_Init_mpi_comm");
    MPI_Comm_free(&copy);
    use_armci(test_rank(), test_ranks(), "after the communicator was freed");
    end_armci("after the communicator was freed");
}

/* A receive of the program for any message is pending from before the start until after the end. */
static void own_messages_undisturbed(void)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n, left = (me + n - 1) % n, in = -1,
        flag = -1;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    ARMCI_Init();
    use_armci(me, n, "beside messages of the program");
    MPI_Test(&request, &flag, &status);
    check_long(flag, 0, "a message of ARMCI met a receive of the program");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&me, 1, MPI_INT, right, 5, MPI_COMM_WORLD);
    use_armci(me, n, "beside messages of the program");
    if (flag == 0) MPI_Wait(&request, &status);
    check_long(in, left, "the program's message");
    check_long(status.MPI_TAG, 5, "its tag");
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    check_long(flag, 0, "a message of ARMCI is left over");
    end_armci("beside messages of the program");
}

/* The program wants codes, as mpi4py does; the library's calls end the job. */
static void errors_end_the_job(void)
{
    int me = test_rank(), n = test_ranks(), list[64];
    ARMCI_Group group;
    MPI_Comm copy;
    list_ranks(n - 1, -1, list);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    returning = 0;
    check_long(ARMCI_Init_mpi_comm(copy), 1, "ARMCI_Init_mpi_comm");
    use_armci(me, n, "where the program wants codes");
    ARMCI_Group_create(n, list, &group);
    check(is_fatal(ARMCIX_Get_world_comm()), "the world's communicator returns errors");
    check(is_fatal(armci_group_comm(&group)), "a group's communicator returns errors");
    end_armci("where the program wants codes");
    check_long(returning, 0, "calls on communicators that return errors");
    check(!is_fatal(copy), "the program's communicator has another error handler");
    MPI_Comm_free(&copy);
}

static void end_frees_all(void)
{
    int n = test_ranks();
    void *base[64];
    ARMCI_Group group;
    armci_meminfo_t piece;
    for (int i = 0; i < 3; i++) {
        int list[64], value = 3;
        list_ranks(n - 1, -1, list);
        ARMCI_Init();
        ARMCI_Malloc(base, 1000);
        ARMCI_Group_create(n, list, &group);
        ARMCI_NbPut(&value, base[0], sizeof value, 0, NULL);
        ARMCI_Malloc_group(base, 500, &group);
        ARMCI_Memget(100, &piece, 0);
        ARMCI_Create_mutexes(2);
        end_armci("with things left");
    }
}

static const struct test tests[] = {
    {"start, end, start again", started_again},
    {"the other forms of start", other_forms},
    {"nested starts are counted", nested},
    {"on parts of the world, in another order", on_parts},
    {"on disjoint parts of the world at the same time", on_disjoint_parts},
    {"the communicator given may be freed", communicator_may_go},
    {"the program's messages are not disturbed", own_messages_undisturbed},
    {"the program's error handler is not the library's", errors_end_the_job},
    {"the end frees what is left", end_frees_all},
};
SUITE(.start = start_mpi, .stop = stop);
