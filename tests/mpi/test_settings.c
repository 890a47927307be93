/* test_settings.c - processes that see different environments: rank 0's settings hold for the job.
 * Every value of every variable in the library's table is tried, set for some ranks only. */
#include "pretended_nodes.h"
#include "harness.h"

#include "../../src/base/config.h"

/* ---- who has a setting ---- */

enum holders { FIRST, ODD, LAST, ALL_BUT_FIRST, HOLDERS };

static bool holds(enum holders who, int rank, int ranks)
{
    switch (who) {
    case FIRST: return rank == 0;
    case ODD: return rank % 2 == 1;
    case LAST: return rank == ranks - 1;
    default: return rank > 0;
    }
}

/* ---- values ---- */

enum { MOST_VALUES = 40, ROOM = 64 };
static char values[MOST_VALUES][ROOM];
static int value_count;

static void add_value(const char *format, const char *text, size_t length)
{
    if (value_count < MOST_VALUES) snprintf(values[value_count++], ROOM, format, (int)length, text);
}

static void add_words(const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '|')) {
        length = strcspn(text, "|");
        if (*text != '+') add_value("%.*s", text, length);
    }
}

/* The least and the largest number of "bytes 4k..32k". */
static void add_range(const char *text)
{
    const char *dots = strstr(text, ".."), *least = dots;
    while (least > text && least[-1] != ' ')
        least--;
    add_value("%.*s", least, (size_t)(dots - least));
    add_value("%.*s", dots + 2, strlen(dots + 2));
}

/* What the variable may be set to, all words, by the description of its type. */
static void list_values(const struct config_entry *e)
{
    value_count = 0;
    if (strstr(e->type, ".."))
        add_range(e->type);
    else
        add_words(e->type);
    for (int i = 0; strstr(e->type, "+NAME") && i < WORKAROUNDS; i++) {
        const char *name = armcii_config_workaround((enum workaround)i, NULL);
        add_value("+%.*s", name, strlen(name));
    }
}

/* ---- one setting ---- */

static char in_force[1024]; /* on the first process */

/* Every process has the first one's settings. */
static void check_agreement(const char *setting, MPI_Comm comm)
{
    char mine[sizeof in_force], value[CONFIG_VALUE];
    size_t used = 0;
    for (size_t i = 0; armcii_config_entry(i) && used < sizeof mine; i++)
        used += (size_t)snprintf(mine + used, sizeof mine - used, "%s,",
                                 armcii_config_value(i, value, sizeof value, NULL));
    memcpy(in_force, mine, sizeof in_force);
    MPI_Bcast(in_force, sizeof in_force, MPI_CHAR, 0, comm);
    check(strcmp(mine, in_force) == 0, "%s: settings %s, rank 0's are %s", setting, mine, in_force);
}

/* What collective calls and transfers do depends on the settings. */
static void use(int me, int n)
{
    ARMCI_Group group;
    int list[64], reversed = list_ranks(n - 1, -1, list);
    use_armci(me, n, "with different environments");
    ARMCI_Group_create(reversed, list, &group);
    check_long(group.size, n, "size of a group");
    ARMCI_Group_free(&group);
}

static void try_setting(const char *setting, enum holders who, MPI_Comm comm)
{
    char name[ROOM];
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(setting, "="), setting);
    if (holds(who, rank, ranks)) setenv(name, setting + strlen(name) + 1, 1);
    if (rank == 0) catch_errors(); /* warnings */
    check_long(ARMCI_Init_mpi_comm(comm), 1, "%s: ARMCI_Init_mpi_comm", setting);
    if (rank == 0) caught_errors();
    check_agreement(setting, ARMCIX_Get_world_comm());
    use(armci_msg_me(), armci_msg_nproc());
    check_long(ARMCI_Finalize(), 0, "%s: ARMCI_Finalize", setting);
    unsetenv(name);
}

/* ---- all settings ---- */

static void try_all(enum holders who, MPI_Comm comm)
{
    char setting[2 * ROOM];
    for (size_t i = 0; armcii_config_entry(i); i++) {
        const struct config_entry *e = armcii_config_entry(i);
        list_values(e);
        check(value_count > 1, "%s has no values: %s", e->name, e->type);
        for (int k = 0; k < value_count; k++) {
            snprintf(setting, sizeof setting, "%.60s=%.63s", e->name, values[k]);
            try_setting(setting, who, comm);
        }
    }
}

static void of_first(void)
{
    try_all(FIRST, MPI_COMM_WORLD);
}

static void of_odd(void)
{
    try_all(ODD, MPI_COMM_WORLD);
}

/* The first process of the communicator counts. */
static void on_part(void)
{
    int me = test_rank();
    MPI_Comm part;
    if (!needs_ranks(3)) return;
    MPI_Comm_split(MPI_COMM_WORLD, me > 0 ? 0 : MPI_UNDEFINED, -me, &part);
    if (me == 0) return;
    for (int who = 0; who < HOLDERS; who++) {
        try_setting("ARMCI_SHM=no", (enum holders)who, part);
        try_setting("ARMCI_DEBUG_ALLOC=yes", (enum holders)who, part);
        try_setting("ARMCI_TRANSPORT=rma", (enum holders)who, part);
    }
    MPI_Comm_free(&part);
}

/* ---- the start and end of the program ---- */

static void start(int *argc, char ***argv)
{
    int level;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
}

static void stop(void)
{
    MPI_Finalize();
}

static const struct test tests[] = {
    {"rank 0's settings hold where the others have none", of_first},
    {"settings of odd ranks do not count", of_odd},
    {"on a part of the processes its first one counts", on_part},
};
SUITE(.start = start, .stop = stop);
