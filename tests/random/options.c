/* options.c - the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static struct options in_force = {
    .phases = 5, .ops = 60, .bytes = 6000, .longest = 4096, .hang = 30, .repeat = 1};
const struct options *const options = &in_force;

static const struct {
    const char *name, *help;
} families[FAMILIES] = {
    [FAMILY_PUT] = {"put", "puts"},
    [FAMILY_GET] = {"get", "gets"},
    [FAMILY_ACC] = {"acc", "accumulates"},
    [FAMILY_CONTIGUOUS] = {"contiguous", "contiguous transfers"},
    [FAMILY_STRIDED] = {"strided", "strided transfers"},
    [FAMILY_VECTOR] = {"vector", "vector transfers"},
    [FAMILY_VALUE] = {"value", "PutValue, GetValue"},
    [FAMILY_NONBLOCKING] = {"nonblocking", "Nb..., Wait, Test, WaitProc, WaitAll"},
    [FAMILY_AGGREGATE] = {"aggregate", "aggregate handles"},
    [FAMILY_RMW] = {"rmw", "fetch-and-add, swap"},
    [FAMILY_LOCK] = {"lock", "mutexes"},
    [FAMILY_FENCE] = {"fence", "Fence, AllFence, and looking at what they completed"},
    [FAMILY_GROUP_FENCE] = {"group-fence", "GroupFence (with fence)"},
    [FAMILY_FLAG] = {"flag", "Put_flag, PutS_flag"},
    [FAMILY_NOTIFY] = {"notify", "armci_notify, armci_notify_wait"},
    [FAMILY_MESSAGE] = {"message", "armci_msg_snd, armci_msg_rcv"},
    [FAMILY_REDUCE] = {"reduce", "armci_msg_*gop, broadcasts"},
    [FAMILY_GROUP] = {"group", "groups made and freed, regions on them"},
    [FAMILY_REGION] = {"region", "regions made and freed while others communicate"},
    [FAMILY_ACCESS] = {"access", "loads and stores in the own slice, in access epochs"},
    [FAMILY_PACK] = {"pack", "armci_write_strided, armci_read_strided, ARMCI_Copy"},
    [FAMILY_BARRIER] = {"barrier", "barriers within a phase"},
    [FAMILY_OVERLAP] = {"overlap", "vector puts, and blocking gets, whose segments overlap where "
                                   "they write: the last one stays"},
    [FAMILY_NEGATIVE] = {"negative", "negative strides"},
    [FAMILY_ZERO] = {"zero", "counts of 0, slices of 0 bytes"},
    [FAMILY_UNALIGNED] = {"unaligned", "accumulates from and to unaligned addresses"},
    [FAMILY_WHOLE] = {"whole", "gets beside accumulates see whole elements"},
    [FAMILY_LOCAL_IN_GLOBAL] = {"local-in-global", "local buffers in the own slices"},
    [FAMILY_LAZY] =
        {"lazy",
         "fences and barriers complete non-blocking puts and accumulates that nobody waited for"},
    [FAMILY_WAIT_NULL] = {"wait-null", "ARMCI_Wait(NULL) for the implicit handle"},
    [FAMILY_NO_INIT] = {"no-init", "handles that hold garbage instead of ARMCI_INIT_HANDLE"},
    [FAMILY_NONCOLLECTIVE] = {"noncollective", "groups made by their members only"},
    [FAMILY_STATUS] = {"status", "the values that calls return are checked"},
};

static void usage(FILE *to)
{
    fprintf(
        to,
        "usage: MPIEXEC -n RANKS armci-random [OPTION]...\n"
        "Run random programs of ARMCI calls and compare all memory with a sequential model.\n\n"
        "  --seed=N        the first program (1); the next ones have the next numbers\n"
        "  --programs=N    stop after so many (1 with --seed, else 20; no limit with --seconds)\n"
        "  --seconds=N     stop after so many seconds\n"
        "  --phases=N      phases of a program (5)\n"
        "  --ops=N         operations of a process in a phase, about (60)\n"
        "  --bytes=N       bytes of the largest slice (6000)\n"
        "  --longest=N     bytes of the longest transfer (4096)\n"
        "  --families=A,B  only these families (list below); --without=A,B: all but these\n"
        "  --hang=N        seconds that one program may take (30)\n"
        "  --repeat=N      run each program so many times (1)\n"
        "  --only-ops=LIST keep only these units (12,15-20 or @FILE)\n"
        "  --list          print the operations that are kept, run nothing\n"
        "  --state=FILE    keep in FILE what each process is doing\n\n"
        "families:\n");
    for (int i = 0; i < FAMILIES; i++)
        fprintf(to, "  %-16s %s\n", families[i].name, families[i].help);
    fprintf(to, "  %-16s the families down to aggregate\n", "transfers");
    fprintf(to, "\nExit status: 0 all right, 1 a failure, 2 wrong options, 3 a hang, 4 a crash.\n");
}

/* Those of the first kinds, which the name "transfers" stands for. */
enum { TRANSFERS = FAMILY_AGGREGATE + 1 };

static bool is_called(const char *name, const char *text, size_t n)
{
    return strlen(name) == n && strncmp(name, text, n) == 0;
}

static bool set_families(const char *list, unsigned char value)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        int i = 0;
        while (i < FAMILIES && !is_called(families[i].name, list, n))
            i++;
        if (is_called("transfers", list, n))
            memset(in_force.family, value, TRANSFERS);
        else if (i < FAMILIES)
            in_force.family[i] = value;
        else
            return false;
        list += n + (list[n] == ',');
    }
    return true;
}

/* Families that say how something is done stay, whatever kinds of operations are named. */
static bool only_families(const char *list)
{
    memset(in_force.family, 0, FAMILY_OVERLAP);
    return set_families(list, 1);
}

/* Mark what a list like 12,15-20 names. */
static bool keep_list(const char *list)
{
    enum { MOST = 1 << 24 };
    static unsigned char *keep;
    if (!keep) keep = calloc(MOST, 1);
    in_force.keep = keep;
    in_force.keep_units = MOST;
    while (keep && *list) {
        char *end;
        long first = strtol(list, &end, 10), last = first;
        if (end == list) return false;
        if (*end == '-') last = strtol(end + 1, &end, 10);
        if (first < 0 || last >= MOST) return false;
        if (first <= last) memset(keep + first, 1, (size_t)(last - first + 1));
        list = end + strspn(end, ", \n");
    }
    return keep != NULL;
}

static bool keep_units(const char *value)
{
    static char text[1 << 20];
    if (*value != '@') return keep_list(value);
    FILE *file = fopen(value + 1, "r");
    if (!file) return false;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    return keep_list(text);
}

static bool number(const char *value, long least, long most, long *to)
{
    char *end;
    long n = strtol(value, &end, 10);
    if (end == value || *end || n < least || n > most) return false;
    *to = n;
    return true;
}

static bool number_option(const char *name, const char *value)
{
    static const struct {
        const char *name;
        long least, most;
    } known[] = {{"seed", 1, 1L << 60}, {"programs", 1, 1L << 40}, {"seconds", 1, 1 << 30},
                 {"phases", 1, 1000},   {"ops", 1, 10000},         {"bytes", 256, 1 << 24},
                 {"hang", 1, 86400},    {"repeat", 1, 1 << 30},    {"longest", 2048, 1 << 20}};
    long n;
    size_t i = 0;
    while (i < sizeof known / sizeof known[0] && strcmp(known[i].name, name) != 0)
        i++;
    if (i == sizeof known / sizeof known[0] || !number(value, known[i].least, known[i].most, &n))
        return false;
    switch (i) {
    case 0: in_force.seed = (uint64_t)n; break;
    case 1: in_force.programs = n; break;
    case 2: in_force.seconds = (int)n; break;
    case 3: in_force.phases = (int)n; break;
    case 4: in_force.ops = (int)n; break;
    case 5: in_force.bytes = n; break;
    case 6: in_force.hang = (int)n; break;
    case 7: in_force.repeat = (int)n; break;
    default: in_force.longest = n;
    }
    return true;
}

static bool one_option(const char *text)
{
    char name[32];
    size_t n = strcspn(text, "=");
    if (strncmp(text, "--", 2) != 0 || n < 3 || n - 2 >= sizeof name) return false;
    memcpy(name, text + 2, n - 2);
    name[n - 2] = 0;
    const char *value = text[n] ? text + n + 1 : NULL;
    if (!value) {
        in_force.list |= strcmp(name, "list") == 0;
        return strcmp(name, "list") == 0;
    }
    if (strcmp(name, "families") == 0) return only_families(value);
    if (strcmp(name, "without") == 0) return set_families(value, 0);
    if (strcmp(name, "only-ops") == 0) return keep_units(value);
    if (strcmp(name, "state") == 0) {
        in_force.state = value;
        return true;
    }
    return number_option(name, value);
}

bool options_read(int argc, char **argv, bool speaks, int *status)
{
    memset(in_force.family, 1, sizeof in_force.family);
    for (int i = 1; i < argc; i++) {
        bool help = strcmp(argv[i], "--help") == 0;
        if (!help && one_option(argv[i])) continue;
        if (speaks && !help) fprintf(stderr, "armci-random: wrong option %s\n", argv[i]);
        if (speaks) usage(help ? stdout : stderr);
        *status = help ? 0 : 2;
        return false;
    }
    if (in_force.programs == 0 && in_force.seconds == 0) in_force.programs = in_force.seed ? 1 : 20;
    if (in_force.seed == 0) in_force.seed = 1;
    return true;
}

void options_leave_out(enum family family)
{
    in_force.family[family] = 0;
}

bool has(enum family family)
{
    return in_force.family[family];
}

bool options_keep(long unit)
{
    return !in_force.keep || (unit < in_force.keep_units && in_force.keep[unit]);
}
