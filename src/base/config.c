/* config.c - parser of the environment variables, and the values in force. */
#include "base/config.h"

#include "base/ascii.h"
#include "base/config_table.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

_Static_assert(sizeof(enum shm_policy) == sizeof(unsigned), "choices are stored as unsigned");

static struct {
    struct config in_force;
    struct config_values values; /* as parsed */
    bool from_environment[VARIABLES];
    bool been_read;
} config;
const struct config *const armcii_config = &config.in_force;

_Static_assert((int)VARIABLES <= (int)CONFIG_ENTRIES,
               "struct config_values has room for the table");

/* ---------------------------------------------------------------- workarounds --------- */

/* A list of workarounds as a number: QUIRKS_NONE or 0, and an enum workaround_policy in two bits
 * for each.
 */
static unsigned shift_of(size_t workaround)
{
    return 2 * (unsigned)workaround + 1;
}

static enum workaround_policy policy_of(uint64_t list, size_t workaround)
{
    return (enum workaround_policy)(list >> shift_of(workaround) & 3);
}

static void set_policy(uint64_t *list, size_t workaround, enum workaround_policy policy)
{
    *list &= ~((uint64_t)3 << shift_of(workaround));
    *list |= (uint64_t)policy << shift_of(workaround);
}

/* "+name" or "-name" */
static bool add_workaround(const char *text, size_t length, uint64_t *list)
{
    if (length < 2 || (*text != '+' && *text != '-')) return false;
    for (size_t i = 0; i < WORKAROUNDS; i++) {
        if (!armcii_is_word(workarounds[i].name, text + 1, length - 1)) continue;
        set_policy(list, i, *text == '+' ? WORKAROUND_ON : WORKAROUND_OFF);
        return true;
    }
    return false;
}

static void print_workarounds(uint64_t list, char *buffer, size_t size)
{
    size_t used = 0;
    bool none = list & QUIRKS_NONE;

    if (none || list == 0) used = (size_t)snprintf(buffer, size, "%s", none ? "none" : "auto");
    for (size_t i = 0; i < WORKAROUNDS && used < size; i++) {
        enum workaround_policy policy = policy_of(list, i);
        if (policy == WORKAROUND_AUTO) continue;
        used += (size_t)snprintf(buffer + used, size - used, "%s%c%s", used ? "," : "",
                                 policy == WORKAROUND_ON ? '+' : '-', workarounds[i].name);
    }
}

/* ---------------------------------------------------------------- values ----------- */

static bool parse_word(const struct word *words, const char *text, uint64_t *value)
{
    for (; words->text != NULL; words++) {
        if (!armcii_is_word(words->text, text, strlen(text))) continue;
        *value = words->value;
        return true;
    }
    return false;
}

/* [WORD,]+name,-name: the last one of a name counts. */
static bool parse_workarounds(const struct word *words, const char *text, uint64_t *value)
{
    uint64_t list = 0;
    char first[8];
    size_t length = strcspn(text, ",");

    snprintf(first, sizeof first, "%.*s", (int)length, text);
    if (length < sizeof first && parse_word(words, first, &list)) {
        *value = list;
        if (text[length] == '\0') return true;
        text += length + 1;
    }
    for (;; text += length + 1) {
        length = strcspn(text, ",");
        if (!add_workaround(text, length, &list)) return false;
        if (text[length] == '\0') break;
    }
    *value = list;
    return true;
}

/* Bits that the suffix k, M, G or T shifts by; 0: no suffix. */
static unsigned suffix_shift(char letter)
{
    static const char letters[] = "kmgt";
    const char *found = letter == '\0' ? NULL : strchr(letters, armcii_lower(letter));

    return found == NULL ? 0 : 10 * (unsigned)(found - letters + 1);
}

/* Decimal digits, with bytes one suffix. A number too large to represent becomes the largest one.
 */
static bool parse_number(enum kind kind, const char *text, uint64_t *value)
{
    char *end;

    if (!armcii_is_digit(*text)) return false; /* strtoull accepts blanks and signs */
    unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = kind == KIND_BYTES ? suffix_shift(*end) : 0;
    if (end[shift != 0] != '\0') return false;
    *value = number > UINT64_MAX >> shift ? UINT64_MAX : number << shift;
    return true;
}

static bool parse(const struct variable *v, const char *text, uint64_t *value)
{
    uint64_t parsed;

    if (v->kind == KIND_WORKAROUNDS) return parse_workarounds(v->words, text, value);
    if (v->words != NULL && parse_word(v->words, text, value)) return true;
    if (v->most == 0 || !parse_number(v->kind, text, &parsed)) return false;
    if (parsed < v->least || parsed > v->most) return false;
    *value = parsed;
    return true;
}

/* NULL: a number. */
static const char *word_of(const struct word *words, uint64_t value)
{
    for (; words != NULL && words->text != NULL; words++)
        if (words->value == value) return words->text;
    return NULL;
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
    const char *word = word_of(v->words, value);

    if (v->kind == KIND_WORKAROUNDS)
        print_workarounds(value, buffer, size);
    else if (word != NULL)
        snprintf(buffer, size, "%s", word);
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

    if (v->kind == KIND_WORKAROUNDS) {
        snprintf(buffer, size, "auto|none|+NAME,-NAME");
    } else if (v->most == 0) {
        print_words(v->words, buffer, size);
    } else {
        print_number(v->kind, v->least, least, sizeof least);
        print_number(v->kind, v->most, most, sizeof most);
        snprintf(buffer, size, "%s%s %s..%s", v->words ? "auto or " : "",
                 v->kind == KIND_BYTES ? "bytes" : "number", least, most);
    }
}

/* Put a value in force. */
static void store(size_t i, uint64_t value)
{
    const struct variable *v = &table[i];
    unsigned char *field = (unsigned char *)&config.in_force + v->field;

    config.values.entry[i] = value;
    switch (v->kind) {
    case KIND_CHOICE: memcpy(field, &(unsigned){(unsigned)value}, sizeof(unsigned)); break;
    case KIND_COUNT:
    case KIND_BYTES: memcpy(field, &(size_t){(size_t)value}, sizeof(size_t)); break;
    case KIND_WORKAROUNDS:
        config.in_force.quirks = !(value & QUIRKS_NONE);
        for (size_t k = 0; k < WORKAROUNDS; k++)
            config.in_force.workarounds[k] = policy_of(value, k);
        break;
    }
}

/* ---------------------------------------------------------------- messages --------- */

enum { LINE = 1024 };

/* Messages about one reading of the environment. */
struct log {
    void (*line)(const char *text);
    int lines;
    char unknown[LINE - 64]; /* names without effect, separated by commas */
};

/* Values may hold control characters; a line does not. */
__attribute__((format(printf, 2, 3))) static void say(struct log *log, const char *format, ...)
{
    char line[LINE];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    log->lines++;
    if (log->line == NULL) return;
    for (char *p = line; *p != '\0'; p++) {
        if (armcii_is_control(*p)) *p = '?';
    }
    log->line(line);
}

/* ---------------------------------------------------------------- reading ---------- */

static void reset(void)
{
    for (size_t i = 0; i < VARIABLES; i++) {
        uint64_t value = 0;
        if (!parse(&table[i], table[i].default_value, &value))
            abort(); /* a row of the table is wrong */
        store(i, value);
        config.from_environment[i] = false;
    }
    config.been_read = true;
}

static bool is_test_variable(const char *name)
{
    return strncmp(name, "ARMCI_TEST_", strlen("ARMCI_TEST_")) == 0;
}

/* True if builds and environment modules say by the name where a library is. */
static bool is_of_installation(const char *name)
{
    static const char *const ends[] = {"_DIR",  "_HOME",   "_INCLUDE", "_LIB",    "_NETWORK",
                                       "_PATH", "_PREFIX", "_ROOT",    "_VERSION"};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (length > strlen(ends[i]) && strcmp(name + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

static void note_unknown(const char *name, struct log *log)
{
    size_t used = strlen(log->unknown);

    snprintf(log->unknown + used, sizeof log->unknown - used, "%s%.100s", used ? ", " : "", name);
}

/* VARIABLES: none has this name. */
static size_t index_of(const char *name, size_t length)
{
    size_t i = 0;

    while (i < VARIABLES &&
           (strlen(table[i].name) != length || memcmp(table[i].name, name, length) != 0))
        i++;
    return i;
}

bool armcii_config_is_ineffective(const char *name)
{
    if (strncmp(name, "COMEX_", strlen("COMEX_")) == 0) return true;
    return strncmp(name, "ARMCI_", strlen("ARMCI_")) == 0 &&
           index_of(name, strlen(name)) == VARIABLES && !is_test_variable(name) &&
           !is_of_installation(name);
}

static void take(size_t i, const char *text, struct log *log)
{
    char type[128];
    uint64_t value;

    if (config.from_environment[i]) return; /* named twice: the first counts, as for getenv */
    if (!parse(&table[i], text, &value)) {
        print_type(&table[i], type, sizeof type);
        say(log, "%s='%.100s' is invalid (%s); %s is used", table[i].name, text, type,
            table[i].default_value);
        return;
    }
    store(i, value);
    config.from_environment[i] = true;
}

int armcii_config_read(char *const environment[], void (*line)(const char *text))
{
    static char *const empty[] = {NULL}; /* environ is NULL after clearenv() */
    struct log log = {.line = line};

    if (environment == NULL) environment = environ != NULL ? environ : empty;
    reset();
    for (char *const *setting = environment; *setting != NULL; setting++) {
        char name[256];
        size_t length = strcspn(*setting, "="), i = index_of(*setting, length);
        if ((*setting)[length] == '\0') continue;
        snprintf(name, sizeof name, "%.*s", (int)length, *setting);
        if (i < VARIABLES)
            take(i, *setting + length + 1, &log);
        else if (armcii_config_is_ineffective(name))
            note_unknown(name, &log);
    }
    if (log.unknown[0] != '\0')
        say(&log, "no effect in ARMCI-RMA: %s (armci-info says more)", log.unknown);
    return log.lines;
}

/* ---------------------------------------------------------------- the job's -------- */

void armcii_config_values(struct config_values *mine)
{
    *mine = config.values;
}

void armcii_config_adopt(const struct config_values *first)
{
    for (size_t i = 0; i < VARIABLES; i++)
        store(i, first->entry[i]);
}

void armcii_config_ensure(void)
{
    if (!config.been_read) armcii_config_read(NULL, NULL);
}

const char *armcii_config_variable(const char *name)
{
    return getenv(name);
}

/* ---------------------------------------------------------------- the table -------- */

const struct config_entry *armcii_config_entry(size_t i)
{
    static struct {
        struct config_entry entry;
        char type[64];
    } printed[VARIABLES];

    if (i >= VARIABLES) return NULL;
    print_type(&table[i], printed[i].type, sizeof printed[i].type);
    printed[i].entry = (struct config_entry){table[i].name, printed[i].type, table[i].default_value,
                                             table[i].help, i >= DOCUMENTED};
    return &printed[i].entry;
}

const char *armcii_config_value(size_t i, char *buffer, size_t size, bool *set)
{
    print_value(&table[i], config.values.entry[i], buffer, size);
    if (set != NULL) *set = config.from_environment[i];
    return buffer;
}

bool armcii_config_is_default(size_t i)
{
    uint64_t value = 0;

    return parse(&table[i], table[i].default_value, &value) && value == config.values.entry[i];
}

const char *armcii_config_workaround(enum workaround workaround, const char **help)
{
    if (help != NULL) *help = workarounds[workaround].help;
    return workarounds[workaround].name;
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
        {"PMI_SIZE", "MPI_LOCALNRANKS"}, /* Hydra */
        {"PMI_SIZE", "PMI_LOCAL_SIZE"},  /* Cray PMI: PALS, Slurm */
        {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"},
        {"PALS_NRANKS", "PALS_LOCAL_SIZE"},
    };
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        long all = number_of(ranks[i][0]), here = number_of(ranks[i][1]);
        if (here > 0 && all > here) return true;
    }
    return number_of("SLURM_STEP_NUM_NODES") > 1 || number_of("FLUX_JOB_NNODES") > 1;
}

/* Servers that serve requests need memory that the node shares; others let windows be served. */
static bool serves_requests(void)
{
    return config.in_force.shm == SHM_AUTO && config.in_force.transport != TRANSPORT_RMA;
}

static bool allows_threads(bool (*windows_bear_threads)(void))
{
    if (config.in_force.progress == PROGRESS_NONE) return false;
    return serves_requests() || windows_bear_threads();
}

void armcii_config_ask_for_threads(bool (*windows_bear_threads)(void))
{
    if (!job_spans_nodes()) return;
    armcii_config_read(NULL, NULL);
    bool wanted = allows_threads(windows_bear_threads);
    config.been_read = false; /* the program may still set variables */
    if (!wanted) return;
    setenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL", "MPI_THREAD_MULTIPLE",
           0);                                        /* MPICH and what derives from it */
    setenv("MPICH_MAX_THREAD_SAFETY", "multiple", 0); /* Cray MPICH */
    setenv("OMPI_MPI_THREAD_LEVEL", "3", 0);          /* Open MPI */
}
