/* test_refused.c - communicators that MPI refuses, to some processes or to all: every member of the
 * group gets an error, nobody waits, and the program goes on. Run with ARMCI_ERRORS=return; the
 * program has MPI_ERRORS_RETURN, as mpi4py. Some refusals are made here, by MPI's profiling
 * interface: MPI creates the communicator, and the caller gets an error. */
#include "harness.h"

static bool refuses; /* this process's next communicator */

static int answer(int code, MPI_Comm *comm)
{
    if (!refuses || code != MPI_SUCCESS) return code;
    *comm = MPI_COMM_NULL;
    return MPI_ERR_OTHER;
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *part)
{
    return answer(PMPI_Comm_create_group(comm, group, tag, part), part);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *part)
{
    return answer(PMPI_Comm_create(comm, group, part), part);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    return answer(PMPI_Comm_split(comm, color, key, part), part);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request)
{
    int code = PMPI_Comm_idup(comm, copy, request);
    if (!refuses) return code;
    PMPI_Wait(request, MPI_STATUS_IGNORE);
    return answer(code, copy);
}

/* ---- groups ---- */

static ARMCI_Group world, group;

/* The number of an error code that the call returned, or that it would return; 0: it made the
 * group. */
static int create(void)
{
    int list[64], n = list_ranks(test_ranks() - 1, -1, list);
    ARMCI_Group_create(n, list, &group);
    check_long(group.size, n, "size of a group, made or not");
    return group.rank < 0 ? ARMCI_ERR_MEMORY : 0;
}

static int create_child(void)
{
    int list[64], n = list_ranks(0, 1, list);
    ARMCI_Group_create_child(n, list, &group, &world);
    return group.rank < 0 ? ARMCI_ERR_MEMORY : 0;
}

static int split(void)
{
    return ARMCIX_Group_split(&world, 0, test_rank(), &group);
}

static int copy(void)
{
    return ARMCIX_Group_dup(&world, &group);
}

static const struct maker {
    const char *name;
    int (*make)(void);
} makers[] = {
    {"ARMCI_Group_create", create},
    {"ARMCI_Group_create_child", create_child},
    {"ARMCIX_Group_split", split},
    {"ARMCIX_Group_dup", copy},
};

/* Make a group while MPI refuses it to the caller, or not; what is printed has the function's error
 * if it is refused to anybody. */
static void try_one(const struct maker *m, bool here, bool anywhere)
{
    char error[80];
    snprintf(error, sizeof error, "%s: ", m->name);
    group = (ARMCI_Group){.rank = 77};
    if (anywhere) catch_errors();
    refuses = here;
    int result = m->make();
    refuses = false;
    const char *printed = anywhere ? caught_errors() : "";
    check_long(result, anywhere ? ARMCI_ERR_MEMORY : 0, "%s", m->name);
    check(!anywhere || (strstr(printed, error) && strstr(printed, "MPI creates no communicator")),
          "%s: printed: %s", m->name, printed);
    check(!here || strstr(printed, "ARMCI warning: "), "%s: no reason of MPI's: %s", m->name,
          printed);
    check((group.comm == MPI_COMM_NULL) == anywhere && (group.rank < 0) == anywhere, "%s: rank %d",
          m->name, group.rank);
    ARMCI_Group_free(&group); /* ignored if there is none */
}

static void some_are_refused(void)
{
    int me = test_rank(), n = test_ranks();
    ARMCI_Group_get_world(&world);
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        try_one(&makers[i], false, false);
        for (int one = 0; one < n; one++)
            try_one(&makers[i], me == one, true);
        try_one(&makers[i], true, true);
        try_one(&makers[i], false, false);
    }
    use_armci(me, n, "after refusals");
}

/* Until MPI has no more: MPICH has some 2,000 communicators. */
static void all_are_used_up(void)
{
    enum { MOST = 2100 };
    static ARMCI_Group made[MOST];
    int list[64], members = list_ranks(test_ranks() - 1, -1, list), n = 0;
    catch_errors();
    while (n < MOST) {
        ARMCI_Group_create(members, list, &made[n]);
        if (made[n].rank < 0) break;
        n++;
    }
    const char *printed = caught_errors();
    int least = 0;
    MPI_Allreduce(&n, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    check_long(n, least, "groups until MPI refuses one");
    check(n > 100, "only %d groups", n);
    check(n == MOST || strstr(printed, "ARMCI_Group_create: "), "printed: %s", printed);
    for (int i = 0; i < n; i++)
        ARMCI_Group_free(&made[i]);
    ARMCI_Group_create(members, list, &made[0]);
    check_long(made[0].size, members, "a group after others were freed");
    check(made[0].rank >= 0, "no group after others were freed");
    ARMCI_Group_free(&made[0]);
    use_armci(test_rank(), test_ranks(), "after MPI was used up");
}

static void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (ARMCI_Init() != 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

static const struct test tests[] = {
    {"a communicator that MPI refuses to some is an error on all", some_are_refused},
    {"the last communicator of MPI is followed by an error", all_are_used_up},
};
SUITE(.start = start);
