/* config.c - the table of environment variables, their parser, and the values in force.  The one file that reads the
 * environment. */
#include "base/config.h"

#include "base/suggest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char **environ;

/* A word that a variable may be set to; the first one with a value is the one that is shown. */
struct word {
    const char *text;
    unsigned value;
};

/* clang-format off */
#define YES(V) {"yes", V}, {"true", V}, {"on", V}, {"1", V}, {"y", V}, {"t", V}
#define NO(V) {"no", V}, {"false", V}, {"off", V}, {"0", V}, {"n", V}, {"f", V}
static const struct word flag_words[] = {YES(1), NO(0), {NULL, 0}};
static const struct word verbose_words[] = {YES(1), NO(0), {"2", 1}, {NULL, 0}}; /* ARMCI-MPI has two levels */

static const struct word errors_words[] = {{"abort", ERRORS_ABORT}, {"return", ERRORS_RETURN}, {NULL, 0}};
static const struct word strided_words[] = {{"auto", STRIDED_AUTO}, {"subarray", STRIDED_SUBARRAY},
                                            {"hvector", STRIDED_HVECTOR}, {"iov", STRIDED_IOV},
                                            {"direct", STRIDED_AUTO},     {NULL, 0}};
static const struct word vector_words[] = {{"auto", VECTOR_AUTO},       {"consrv", VECTOR_CONSERVATIVE},
                                           {"batched", VECTOR_BATCHED}, {"direct", VECTOR_DATATYPE},
                                           {NULL, 0}};
static const struct word window_words[] = {{"auto", WINDOW_AUTO}, YES(WINDOW_ALLOCATE), NO(WINDOW_CREATE), {NULL, 0}};
static const struct word shm_words[] = {{"auto", SHM_AUTO}, {"memfd", SHM_MEMFD}, {"mpi", SHM_MPI}, YES(SHM_AUTO), NO(SHM_NO), {NULL, 0}};
static const struct word transport_words[] = {{"auto", TRANSPORT_AUTO}, {"rma", TRANSPORT_RMA}, {"server", TRANSPORT_SERVER}, {NULL, 0}};
static const struct word progress_words[] = {{"auto", PROGRESS_AUTO}, {"thread", PROGRESS_THREAD}, {"rank", PROGRESS_RANK},
                                             {"none", PROGRESS_NONE}, {NULL, 0}};
static const struct word avoid_words[] = {{"auto", AVOID_AUTO}, YES(AVOID_YES), NO(AVOID_NO), {NULL, 0}};
static const struct word nodes_words[] = {{"auto", NODES_AUTO}, {"rank", DOMAINS_RANK}, {NULL, 0}};
static const struct word shared_buffer_words[] = {{"copy", 0}, {"noguard", 1}, {NULL, 0}};

enum kind { KIND_FLAG, KIND_CHOICE, KIND_COUNT, KIND_BYTES, KIND_FILE };

struct variable {
    const char *name;
    enum kind kind;
    const char *default_value;
    const struct word *words; /* of a flag or choice */
    uint64_t least, most;     /* of a count or bytes */
    size_t field;             /* offset in struct config; NOWHERE: accepted, no effect here */
    const char *help;
};

#define IN(FIELD) offsetof(struct config, FIELD)
#define NOWHERE SIZE_MAX
#define FLAG(NAME, DEFAULT, FIELD, HELP) {NAME, KIND_FLAG, DEFAULT, flag_words, 0, 0, FIELD, HELP}
#define CHOICE(NAME, WORDS, DEFAULT, FIELD, HELP) {NAME, KIND_CHOICE, DEFAULT, WORDS, 0, 0, FIELD, HELP}
#define NUMBER(NAME, KIND, LEAST, MOST, DEFAULT, FIELD, HELP) {NAME, KIND, DEFAULT, NULL, LEAST, MOST, FIELD, HELP}
#define AVOID(NAME, WHAT, HELP) CHOICE("ARMCI_AVOID_" NAME, avoid_words, "auto", IN(avoid[WHAT]), HELP "; auto: where needed")

static const struct variable table[] = {
    {"ARMCI_VERBOSE", KIND_FLAG, "no", verbose_words, 0, 0, IN(verbose),
     "rank 0 prints version, paths and variables at start"},
    CHOICE("ARMCI_ERRORS", errors_words, "abort", IN(errors),
           "a wrong argument aborts the job, or returns an error code"),
    CHOICE("ARMCI_STRIDED_METHOD", strided_words, "auto", IN(strided_method),
           "how MPI's one-sided calls make strided transfers: one datatype, or as vector transfers (iov); direct is auto"),
    CHOICE("ARMCI_IOV_METHOD", vector_words, "auto", IN(vector_method),
           "how they make vector transfers: one by one, many in flight, one datatype (direct); auto looks for overlaps"),
    NUMBER("ARMCI_IOV_BATCHED_LIMIT", KIND_COUNT, 0, 1000000000, "0", IN(batched_limit),
           "calls of a batched vector transfer between two completions; 0: chosen by the library"),
    CHOICE("ARMCI_SHM", shm_words, "auto", IN(shm),
           "shared memory inside a node: anonymous (memfd), the MPI library's (mpi), or none: every operation by MPI"),
    CHOICE("ARMCI_TRANSPORT", transport_words, "auto", IN(transport),
           "between nodes: MPI's one-sided calls (rma), or requests to a server on each node (server)"),
    CHOICE("ARMCI_PROGRESS", progress_words, "auto", IN(progress),
           "who serves other nodes: a thread of one process of each (transport server) or of every process (rma), or on request the last "
           "rank of each node, set aside for it; none: nobody, and the transport is rma"),
    CHOICE("ARMCI_USE_WIN_ALLOCATE", window_words, "auto", IN(window_kind),
           "windows from MPI_Win_allocate (yes), or MPI_Win_create on own memory (no); shared memory needs none"),
    FLAG("ARMCI_NONCOLLECTIVE_GROUPS", "yes", IN(noncollective_groups),
         "only the members need to call ARMCI_Group_create"),
    CHOICE("ARMCI_NODES", nodes_words, "auto", IN(nodes),
           "node of a rank as it is, or every rank a node of its own (rank)"),
    FLAG("ARMCI_NO_FLUSH_LOCAL", "no", IN(no_flush_local), "complete at the target where local completion would do"),
    FLAG("ARMCI_DEBUG_ALLOC", "no", IN(debug_alloc), "fill new memory with a pattern"),
    FLAG("ARMCI_CHECK", "no", IN(check), "verify every transfer, and abort at the first that is proved wrong (doc/verify.md)"),
    FLAG("ARMCI_QUIRKS", "yes", IN(quirks), "work around known defects of the MPI library"),
    AVOID("ODD_SLICES", AVOID_ODD_SLICES, "slices of windows are whole pages"),
    AVOID("WIN_ALLOCATE", AVOID_WIN_ALLOCATE, "windows on one node are made by MPI_Win_allocate_shared"),
    AVOID("THREADED_WINDOWS", AVOID_THREADED_WINDOWS, "where MPI allows threads, no windows between nodes"),
    AVOID("WIN_CREATE", AVOID_WIN_CREATE, "ARMCI_USE_WIN_ALLOCATE=no has no effect"),
    AVOID("NEGATIVE_STRIDES", AVOID_NEGATIVE_STRIDES, "strided MPI calls with a negative stride go one per segment"),
    AVOID("BYTE_STRIDES", AVOID_BYTE_STRIDES, "strided MPI calls with a stride of one byte go one per segment"),
    AVOID("ACC_STRIDED", AVOID_ACC_STRIDED, "strided accumulates by MPI go one call per segment"),
    AVOID("ACC_INDEXED", AVOID_ACC_INDEXED, "vector accumulates by MPI go one call per segment"),
    AVOID("LONG_ACC", AVOID_LONG_ACC, "accumulates by MPI of more than 256 segments go one call per segment"),
    AVOID("MANY_CALLS", AVOID_MANY_CALLS, "at most 128 MPI calls in flight to one target, whatever ARMCI_OUTSTANDING_LIMIT"),
    AVOID("FLUSH_LOCAL", AVOID_FLUSH_LOCAL, "MPI calls are completed at the target where local completion would do"),
    AVOID("EARLY_FLUSH", AVOID_EARLY_FLUSH, "a get proves that what was flushed is at its target"),
    AVOID("LATE_RECEIVES", AVOID_LATE_RECEIVES, "requests of any process are found by MPI_Improbe before they are received"),
    AVOID("LONE_FINALIZE", AVOID_LONE_FINALIZE, "all processes meet at the beginning of MPI_Finalize"),
    AVOID("VECTOR_MESSAGES", AVOID_VECTOR_MESSAGES, "strided puts are packed by the library, not by MPI"),
    AVOID("HANDSHAKES", AVOID_HANDSHAKES, "up to 64 KiB go between nodes in messages of 16 KiB, not 32 KiB"),
    NUMBER("ARMCI_OUTSTANDING_LIMIT", KIND_COUNT, 1, 1000000, "128", IN(outstanding_limit),
           "MPI calls in flight to one target"),
    NUMBER("ARMCI_DATATYPE_LIMIT", KIND_BYTES, 4096, (uint64_t)1 << 30, "1G", IN(datatype_limit),
           "bytes of one MPI call with a derived datatype; larger transfers go in parts"),
    {"ARMCI_STATS", KIND_FILE, "no", flag_words, 0, 0, IN(stats),
     "count calls, bytes and time: a table at the end (yes), or a file for armci-stats, whose name has a dot or a slash"},
    /* Set by job scripts for other libraries. */
    CHOICE("ARMCI_SHR_BUF_METHOD", shared_buffer_words, "noguard", NOWHERE,
           "local buffers in global memory need no setting"),
    FLAG("ARMCI_IOV_CHECKS", "yes", NOWHERE, "overlapping segments are always looked for"),
    FLAG("ARMCI_CACHE_RANK_TRANSLATION", "yes", NOWHERE, "rank translations are always kept"),
    FLAG("ARMCI_PROGRESS_THREAD", "no", NOWHERE, "the library starts its thread where it needs one (ARMCI_PROGRESS)"),
    NUMBER("ARMCI_PROGRESS_USLEEP", KIND_COUNT, 0, 1000000000, "0", NOWHERE,
           "the progress thread sets its own pace"),
    FLAG("ARMCI_FLUSH_BARRIERS", "yes", NOWHERE, "barriers complete what ARMCI says they complete"),
    FLAG("ARMCI_USE_REQUEST_ATOMICS", "no", NOWHERE, "request-based accumulates are not used"),
    FLAG("ARMCI_RMA_ATOMICITY", "yes", NOWHERE, "accumulates are always atomic"),
};
enum { VARIABLES = sizeof table / sizeof table[0] };

/* Names that users set for other ARMCI libraries, or for builds with them: no reason to complain. */
static const char *const foreign[] = {
    /* ARMCI-MPI, beside those of the table */
    "ARMCI_NO_FLUSH_BARRIERS", "ARMCI_SYNC_AT_BARRIERS", "ARMCI_MSG_BARRIER_SYNCS", "ARMCI_SHM_LIMIT",
    "ARMCI_USE_ALLOC_SHM", "ARMCI_EXPLICIT_NB_PROGRESS", "ARMCI_DISABLE_SHM_ACC", "ARMCI_USE_SAME_OP",
    "ARMCI_RMA_ORDERING", "ARMCI_RMA_NOCHECK", "ARMCI_FLUSH_REQUEST_ATOMICS", "ARMCI_USE_RMA_REQUESTS",
    "ARMCI_IOV_DTYPE_CHUNK", "ARMCI_IOV_NO_MPI_BOTTOM", "ARMCI_ACCUMULATE_GRANULARITY",
    /* the original ARMCI */
    "ARMCI_DEFAULT_SHMMAX", "ARMCI_DEFAULT_SHMMAX_UBOUND", "ARMCI_HOSTNAME", "ARMCI_HOSTNAME_REPLACE",
    "ARMCI_MAX_THREADS", "ARMCI_MAX_CLIENT_TO_SERVER_FACTOR", "ARMCI_NSERV_EQ_NPROC", "ARMCI_OPENIB_DEVICE",
    "ARMCI_OPENIB_SERVER_POLL", "ARMCI_OPENIB_USE_SL", "ARMCI_USE_ODCM", "ARMCI_PROFILE", "ARMCI_PSGTMP",
    /* builds of NWChem and GA, environment modules */
    "ARMCI_NETWORK", "ARMCI_DIR", "ARMCI_HOME", "ARMCI_ROOT", "ARMCI_PREFIX", "ARMCI_PATH", "ARMCI_LIB",
    "ARMCI_INCLUDE", "ARMCI_VERSION", "ARMCI_MPI_DIR", "ARMCI_MPI_HOME", "ARMCI_MPI_ROOT",
};
/* clang-format on */
enum { FOREIGN = sizeof foreign / sizeof foreign[0] };

_Static_assert(sizeof(enum errors_policy) == sizeof(unsigned) && sizeof(enum strided_method) == sizeof(unsigned) &&
                   sizeof(enum vector_method) == sizeof(unsigned) && sizeof(enum window_kind) == sizeof(unsigned) &&
                   sizeof(enum nodes_policy) == sizeof(unsigned) && sizeof(enum shm_policy) == sizeof(unsigned) &&
                   sizeof(enum transport_policy) == sizeof(unsigned) && sizeof(enum progress_policy) == sizeof(unsigned) &&
                   sizeof(enum avoid_policy) == sizeof(unsigned),
               "choices are stored as unsigned");

static struct config in_force;
const struct config *const armcii_config = &in_force;

static uint64_t values[VARIABLES]; /* as parsed */
static bool from_environment[VARIABLES];
static bool foreign_set[FOREIGN];
static bool been_read;

/* Of a variable that is yes, no, or the name of a file. */
enum { IS_FILE = 2 };
static char file_name[256];

/* ---------------------------------------------------------------- values ----------- */

static bool parse_word(const struct word *words, const char *text, uint64_t *value)
{
    for (; words->text != NULL; words++) {
        if (strcasecmp(words->text, text) != 0) continue;
        *value = words->value;
        return true;
    }
    return false;
}

/* Bits that the suffix k, M, G or T shifts by; 0: no suffix. */
static unsigned suffix_shift(char letter)
{
    static const char letters[] = "KMGT";
    const char *found = letter == '\0' ? NULL : strchr(letters, toupper((unsigned char)letter));

    return found == NULL ? 0 : 10 * (unsigned)(found - letters + 1);
}

/* Decimal digits, with bytes one suffix.  A number too large to represent is taken as the largest one. */
static bool parse_number(enum kind kind, const char *text, uint64_t *value)
{
    uint64_t number = 0;
    const char *p = text;
    unsigned shift;

    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number * 10 + digit;
    }
    if (p == text) return false;
    shift = kind == KIND_BYTES ? suffix_shift(*p) : 0;
    if (p[shift != 0] != '\0') return false;
    *value = number > UINT64_MAX >> shift ? UINT64_MAX : number << shift;
    return true;
}

/* Told from a misspelt yes or no by a dot or a slash; one that can be shown in a line. */
static bool is_file_name(const char *text)
{
    if (strpbrk(text, "./") == NULL || strlen(text) >= sizeof file_name) return false;
    while (*text && !iscntrl((unsigned char)*text)) text++;
    return *text == '\0';
}

static bool parse(const struct variable *v, const char *text, uint64_t *value)
{
    uint64_t parsed;

    if (v->kind == KIND_FILE && is_file_name(text)) {
        *value = IS_FILE;
        return true;
    }
    if (v->words != NULL) return parse_word(v->words, text, value);
    if (!parse_number(v->kind, text, &parsed)) return false;
    if (parsed < v->least || parsed > v->most) return false;
    *value = parsed;
    return true;
}

static const char *word_of(const struct word *words, uint64_t value)
{
    while (words->value != value)
        words++;
    return words->text;
}

/* A number of bytes with the largest suffix that leaves it whole, or a plain number. */
static void print_number(enum kind kind, uint64_t number, char *buffer, size_t size)
{
    static const char letters[] = "\0kMGT";
    size_t i = 0;

    while (kind == KIND_BYTES && number != 0 && number % 1024 == 0 && i < 4) {
        number /= 1024;
        i++;
    }
    snprintf(buffer, size, "%llu%.1s", (unsigned long long)number, letters + i);
}

static void print_value(const struct variable *v, uint64_t value, char *buffer, size_t size)
{
    if (v->kind == KIND_FILE && value == IS_FILE)
        snprintf(buffer, size, "%s", file_name);
    else if (v->words != NULL)
        snprintf(buffer, size, "%s", word_of(v->words, value));
    else
        print_number(v->kind, value, buffer, size);
}

/* The words, each value's first, joined by "|". */
static void print_words(const struct word *words, char *buffer, size_t size)
{
    size_t used = 0;

    for (const struct word *w = words; w->text != NULL && used < size; w++) {
        if (w->text != word_of(words, w->value)) continue;
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", used == 0 ? "" : "|", w->text);
    }
}

static void print_type(const struct variable *v, char *buffer, size_t size)
{
    char least[32], most[32];

    if (v->kind == KIND_FILE) {
        snprintf(buffer, size, "yes, no or file name");
        return;
    }
    if (v->words != NULL) {
        print_words(v->words, buffer, size);
        return;
    }
    print_number(v->kind, v->least, least, sizeof least);
    print_number(v->kind, v->most, most, sizeof most);
    snprintf(buffer, size, "%s %s..%s", v->kind == KIND_BYTES ? "bytes" : "number", least, most);
}

/* Put a value in force. */
static void store(size_t i, uint64_t value)
{
    const struct variable *v = &table[i];

    values[i] = value;
    if (v->field == NOWHERE) return;
    unsigned char *field = (unsigned char *)&in_force + v->field;
    switch (v->kind) {
    case KIND_FLAG:
        memcpy(field, &(bool){value != 0}, sizeof(bool));
        break;
    case KIND_CHOICE:
        memcpy(field, &(unsigned){(unsigned)value}, sizeof(unsigned));
        break;
    case KIND_FILE:
        in_force.stats = value != 0;
        in_force.stats_file = value == IS_FILE ? file_name : NULL;
        break;
    case KIND_COUNT:
    case KIND_BYTES:
        memcpy(field, &(size_t){(size_t)value}, sizeof(size_t));
        break;
    }
}

/* ---------------------------------------------------------------- complaints ------- */

enum { LINE = 512 };

/* Hand a line over, without control characters that a value may hold. */
static void hand_over(void (*complain)(const char *line), char *line)
{
    if (complain == NULL) return;
    for (char *p = line; *p != '\0'; p++) {
        if (iscntrl((unsigned char)*p)) *p = '?';
    }
    complain(line);
}

static const char *nearest_word(const struct word *words, const char *text)
{
    struct suggestion search = {.word = text};

    for (; words->text != NULL; words++)
        armcii_suggest_consider(&search, words->text);
    return search.best;
}

/* The nearest right number: the bound that was passed, or what is right at the beginning of the text ("16M" of "16
 * MB"). NULL: there is none. */
static const char *nearest_number(const struct variable *v, const char *text, char *buffer, size_t size)
{
    char compact[32];
    size_t length = 0;
    uint64_t number = 0;

    for (; *text != '\0' && length + 1 < sizeof compact; text++) {
        if (!isspace((unsigned char)*text)) compact[length++] = *text;
    }
    compact[length] = '\0';
    while (length > 0 && !parse_number(v->kind, compact, &number))
        compact[--length] = '\0';
    if (length == 0) return NULL;
    if (number < v->least) number = v->least;
    if (number > v->most) number = v->most;
    print_number(v->kind, number, buffer, size);
    return buffer;
}

static void complain_value(const struct variable *v, const char *text, void (*complain)(const char *line))
{
    char line[LINE], type[128], number[32];
    char guess[64] = "";
    const char *nearest;

    if (v->words != NULL)
        nearest = nearest_word(v->words, text);
    else
        nearest = nearest_number(v, text, number, sizeof number);
    if (nearest != NULL) snprintf(guess, sizeof guess, "; did you mean %s?", nearest);
    print_type(v, type, sizeof type);
    snprintf(line, sizeof line, "%s='%.100s' is not valid (%s), %s stays in force%s", v->name, text, type,
             v->default_value, guess);
    hand_over(complain, line);
}

static void complain_name(const char *name, void (*complain)(const char *line))
{
    char line[LINE];
    size_t prefix = strlen("ARMCI_");
    struct suggestion search = {.word = name + prefix};

    for (size_t i = 0; i < VARIABLES; i++)
        armcii_suggest_consider(&search, table[i].name + prefix);
    if (search.best != NULL)
        snprintf(line, sizeof line, "%.100s is no variable of this library, did you mean ARMCI_%s?", name, search.best);
    else
        snprintf(line, sizeof line, "%.100s is no variable of this library (armci-info --variables lists them)", name);
    hand_over(complain, line);
}

/* ---------------------------------------------------------------- reading ---------- */

static void reset(void)
{
    for (size_t i = 0; i < VARIABLES; i++) {
        uint64_t value = 0;
        if (!parse(&table[i], table[i].default_value, &value)) abort(); /* a row of the table is wrong */
        store(i, value);
        from_environment[i] = false;
    }
    memset(foreign_set, 0, sizeof foreign_set);
    been_read = true;
}

static bool is_test_variable(const char *name)
{
    return strcmp(name, "ARMCI_FAULT") == 0 || strncmp(name, "ARMCI_TEST_", strlen("ARMCI_TEST_")) == 0;
}

/* Note that a name of another library is set; false: it is no such name. */
static bool note_foreign(const char *name)
{
    for (size_t i = 0; i < FOREIGN; i++) {
        if (strcmp(foreign[i], name) != 0) continue;
        foreign_set[i] = true;
        return true;
    }
    return false;
}

static size_t index_of(const char *name)
{
    size_t i = 0;

    while (i < VARIABLES && strcmp(table[i].name, name) != 0)
        i++;
    return i;
}

/* Take one setting; returns the number of complaints. */
static int take(const char *name, const char *text, void (*complain)(const char *line))
{
    size_t i = index_of(name);
    uint64_t value;

    if (i == VARIABLES) {
        if (is_test_variable(name) || note_foreign(name)) return 0;
        complain_name(name, complain);
        return 1;
    }
    if (from_environment[i]) return 0; /* named twice: the first counts, as for getenv */
    if (!parse(&table[i], text, &value)) {
        complain_value(&table[i], text, complain);
        return 1;
    }
    if (table[i].kind == KIND_FILE) snprintf(file_name, sizeof file_name, "%s", text);
    store(i, value);
    from_environment[i] = true;
    return 0;
}

int armcii_config_read(char *const environment[], void (*complain)(const char *line))
{
    int complaints = 0;

    reset();
    if (environment == NULL) environment = environ;
    for (; environment != NULL && *environment != NULL; environment++) {
        char name[256];
        const char *equals = strchr(*environment, '=');
        if (strncmp(*environment, "ARMCI_", strlen("ARMCI_")) != 0 || equals == NULL) continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - *environment), *environment);
        complaints += take(name, equals + 1, complain);
    }
    return complaints;
}

void armcii_config_ensure(void)
{
    if (!been_read) armcii_config_read(NULL, NULL);
}

const char *armcii_config_mpi_variable(const char *name)
{
    return getenv(name);
}

const char *armcii_config_test_variable(const char *name)
{
    return getenv(name);
}

/* ---------------------------------------------------------------- the table -------- */

const struct config_entry *armcii_config_entry(size_t i)
{
    static struct config_entry entries[VARIABLES];
    static char types[VARIABLES][64];

    if (i >= VARIABLES) return NULL;
    print_type(&table[i], types[i], sizeof types[i]);
    entries[i] = (struct config_entry){table[i].name, types[i], table[i].default_value, table[i].help,
                                       table[i].field != NOWHERE};
    return &entries[i];
}

const char *armcii_config_value(size_t i, char *buffer, size_t size, bool *set)
{
    print_value(&table[i], values[i], buffer, size);
    if (set != NULL) *set = from_environment[i];
    return buffer;
}

const char *armcii_config_ineffective(size_t i)
{
    for (size_t k = 0; k < VARIABLES; k++) {
        if (from_environment[k] && table[k].field == NOWHERE && i-- == 0) return table[k].name;
    }
    for (size_t k = 0; k < FOREIGN; k++) {
        if (foreign_set[k] && i-- == 0) return foreign[k];
    }
    return NULL;
}

/* ---------------------------------------------------------------- threads ---------- */

static long number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

/* Launchers say how many ranks there are, and how many of them on this node; or how many nodes. */
static bool job_spans_nodes(void)
{
    static const char *const ranks[][2] = {
        {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
        {"PMI_SIZE", "MPI_LOCALNRANKS"},
    };
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        long all = number_of(ranks[i][0]), here = number_of(ranks[i][1]);
        if (here > 0 && all > here) return true;
    }
    return number_of("SLURM_STEP_NUM_NODES") > 1;
}

/* Servers that serve requests need memory that the node shares by memfd; others let windows be served. */
static bool serves_requests(void)
{
    return (in_force.shm == SHM_AUTO || in_force.shm == SHM_MEMFD) && in_force.transport != TRANSPORT_RMA;
}

static bool allows_threads(bool (*windows_bear_threads)(void))
{
    if (in_force.progress != PROGRESS_AUTO && in_force.progress != PROGRESS_THREAD) return false;
    return serves_requests() || windows_bear_threads();
}

void armcii_config_ask_for_threads(bool (*windows_bear_threads)(void))
{
    if (!job_spans_nodes()) return;
    armcii_config_read(NULL, NULL);
    bool wanted = allows_threads(windows_bear_threads);
    been_read = false; /* the program may still set variables */
    if (!wanted) return;
    setenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL", "MPI_THREAD_MULTIPLE", 0); /* MPICH, Intel MPI */
    setenv("OMPI_MPI_THREAD_LEVEL", "3", 0);                           /* Open MPI */
}
