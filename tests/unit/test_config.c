/* test_config.c - environment variables: every kind and spelling, messages, what settings put in
 * force, what is printed. */
#include "base/config.h"
#include "unit.h"

#include <ctype.h>

/* ---------------------------------------------------------------- helpers ---------- */

static char collected[16384]; /* the lines that were printed, each ended by a newline */

static void collect(const char *line)
{
    for (const char *p = line; *p != '\0'; p++)
        ck_assert_msg(!iscntrl((unsigned char)*p), "a control character in: %s", line);
    ck_assert_uint_lt(strlen(collected) + strlen(line) + 2, sizeof collected);
    strcat(collected, line);
    strcat(collected, "\n");
}

/* Each line that was printed is about a variable that is set, or the one about names without
 * effect. Returns how many lines there are. */
static int check_collected(char *const environment[])
{
    static const char unknown[] = "no effect in ARMCI-RMA: ";
    int lines = 0;
    for (const char *line = collected; *line != '\0'; line = strchr(line, '\n') + 1, lines++) {
        bool found = strncmp(line, unknown, strlen(unknown)) == 0;
        for (int i = 0; environment[i] != NULL; i++) {
            size_t length = strcspn(environment[i], "=");
            found |= strncmp(line, environment[i], length < 100 ? length : 100) == 0;
        }
        ck_assert_msg(found, "a line about no setting: %s", line);
    }
    return lines;
}

/* The variables that are not set have their defaults. */
static void check_defaults(void)
{
    for (size_t i = 0; armcii_config_entry(i) != NULL; i++) {
        char value[CONFIG_VALUE];
        bool set;
        armcii_config_value(i, value, sizeof value, &set);
        ck_assert_msg(set || strcmp(value, armcii_config_entry(i)->default_value) == 0,
                      "%s is not set, and is %s", armcii_config_entry(i)->name, value);
    }
}

/* Read an environment; returns the number of lines, which are in `collected`. */
static int read_all(char *environment[])
{
    collected[0] = '\0';
    int lines = armcii_config_read(environment, collect);
    ck_assert_int_eq(lines, check_collected(environment));
    check_defaults();
    return lines;
}

/* An environment of up to two settings. */
static int read_two(const char *first, const char *second)
{
    char texts[2][600];
    char *environment[3] = {NULL, NULL, NULL};
    const char *settings[2] = {first, second};
    for (int i = 0; i < 2 && settings[i] != NULL; i++) {
        snprintf(texts[i], sizeof texts[i], "%s", settings[i]);
        environment[i] = texts[i];
    }
    return read_all(environment);
}

static int read_one(const char *name, const char *value)
{
    char setting[600];
    snprintf(setting, sizeof setting, "%s=%s", name, value);
    return read_two(setting, NULL);
}

static size_t entry_of(const char *name)
{
    size_t i = 0;
    while (armcii_config_entry(i) != NULL && strcmp(armcii_config_entry(i)->name, name) != 0)
        i++;
    ck_assert_msg(armcii_config_entry(i) != NULL, "%s is not in the table", name);
    return i;
}

/* The value in force of a variable as text. */
static const char *value_of(const char *name)
{
    static char buffer[CONFIG_VALUE];
    return armcii_config_value(entry_of(name), buffer, sizeof buffer, NULL);
}

/* Is the variable marked as set in the environment? */
static bool is_set(const char *name)
{
    char buffer[128];
    bool set;
    armcii_config_value(entry_of(name), buffer, sizeof buffer, &set);
    return set;
}

static void accept(const char *name, const char *value, const char *in_force)
{
    ck_assert_msg(read_one(name, value) == 0, "%s=%s refused: %s", name, value, collected);
    ck_assert_str_eq(collected, "");
    ck_assert_str_eq(value_of(name), in_force);
    ck_assert_msg(is_set(name), "%s=%s is not marked", name, value);
    if (strcmp(value, in_force) != 0) accept(name, in_force, in_force); /* as it is shown */
}

/* The value gives one line, which holds `text`, and the default stays in force. */
static void refuse(const char *name, const char *value, const char *text)
{
    ck_assert_msg(read_one(name, value) == 1, "%s=%s accepted", name, value);
    ck_assert_msg(strncmp(collected, name, strlen(name)) == 0, "no name: %s", collected);
    ck_assert_msg(strstr(collected, "is invalid (") && strstr(collected, text),
                  "%s=%s: no '%s' in: %s", name, value, text, collected);
    ck_assert_str_eq(value_of(name), armcii_config_entry(entry_of(name))->default_value);
    ck_assert_msg(!is_set(name), "%s=%s is marked", name, value);
}

/* ---------------------------------------------------------------- kinds ------------ */

/* The first test: nothing has read the environment of this process before. */
TEST(test_process_environment)
{
    setenv("ARMCI_OUTSTANDING_LIMIT", "9", 1);
    armcii_config_ensure();
    ck_assert_uint_eq(armcii_config->outstanding_limit, 9);
    setenv("ARMCI_OUTSTANDING_LIMIT", "10", 1);
    armcii_config_ensure();
    ck_assert_uint_eq(armcii_config->outstanding_limit, 9);
    armcii_config_read(NULL, NULL);
    ck_assert_uint_eq(armcii_config->outstanding_limit, 10);
    setenv("ARMCI_TEST_NODE", "2", 1);
    ck_assert_str_eq(armcii_config_variable("ARMCI_TEST_NODE"), "2");
    unsetenv("ARMCI_TEST_NODE");
    ck_assert_ptr_null(armcii_config_variable("ARMCI_TEST_NODE"));
}

TEST(test_defaults)
{
    ck_assert_int_eq(read_two(NULL, NULL), 0);
    ck_assert_int_eq(armcii_config->verbose, VERBOSE_WARNINGS);
    ck_assert_int_eq(armcii_config->errors, ERRORS_ABORT);
    ck_assert_int_eq(armcii_config->strided_method, STRIDED_AUTO);
    ck_assert_int_eq(armcii_config->vector_method, VECTOR_AUTO);
    ck_assert_int_eq(armcii_config->nodes, NODES_AUTO);
    ck_assert(!armcii_config->debug_alloc);
    ck_assert(armcii_config->quirks);
    for (size_t i = 0; i < WORKAROUNDS; i++)
        ck_assert_int_eq(armcii_config->workarounds[i], WORKAROUND_AUTO);
    ck_assert_int_eq(armcii_config->transport, TRANSPORT_AUTO);
    ck_assert_uint_eq(armcii_config->eager_max, 0);
    ck_assert_uint_eq(armcii_config->outstanding_limit, 128);
    ck_assert_uint_eq(armcii_config->datatype_limit, 1 << 30);
    for (size_t i = 0; armcii_config_entry(i) != NULL; i++) {
        const char *name = armcii_config_entry(i)->name;
        ck_assert_str_eq(value_of(name), armcii_config_entry(i)->default_value);
        ck_assert(!is_set(name));
        ck_assert(armcii_config_is_default(i));
    }
}

TEST(test_flags)
{
    static const char *const yes[] = {"yes", "true", "on", "1", "y", "t",
                                      "YES", "True", "oN", "Y", "T"};
    static const char *const no[] = {"no", "false", "off", "0", "n", "f",
                                     "NO", "False", "oFF", "N", "F"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        accept("ARMCI_DEBUG_ALLOC", yes[i], "yes");
        ck_assert_uint_eq(armcii_config->debug_alloc, ALLOC_CHECKED);
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        accept("ARMCI_DEBUG_ALLOC", no[i], "no");
        ck_assert_uint_eq(armcii_config->debug_alloc, ALLOC_UNCHECKED);
    }
}

TEST(test_wrong_flags_are_never_on)
{
    static const char *const wrong[] = {"",     " ",    "2",      "-1",  "01", "10",
                                        "yess", "yes ", "enable", "ON!", "ja", "nope"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        refuse("ARMCI_DEBUG_ALLOC", wrong[i], "yes|no");
        ck_assert(!armcii_config->debug_alloc);
    }
    refuse("ARMCI_DEBUG_ALLOC", "flase", "(yes|no|slow); no is used");
}

/* A choice is read into its field, whatever the case of its letters. */
#define CHOICE(NAME, WORD, FIELD, VALUE, SHOWN)                                                    \
    accept(NAME, WORD, SHOWN);                                                                     \
    ck_assert_int_eq(armcii_config->FIELD, VALUE)

TEST(test_choices)
{
    CHOICE("ARMCI_ERRORS", "Return", errors, ERRORS_RETURN, "return");
    CHOICE("ARMCI_ERRORS", "abort", errors, ERRORS_ABORT, "abort");
    CHOICE("ARMCI_STRIDED_METHOD", "DIRECT", strided_method, STRIDED_AUTO, "auto");
    CHOICE("ARMCI_STRIDED_METHOD", "auto", strided_method, STRIDED_AUTO, "auto");
    CHOICE("ARMCI_STRIDED_METHOD", "IOV", strided_method, STRIDED_IOV, "iov");
    CHOICE("ARMCI_IOV_METHOD", "AUTO", vector_method, VECTOR_AUTO, "auto");
    CHOICE("ARMCI_IOV_METHOD", "CONSRV", vector_method, VECTOR_CONSERVATIVE, "consrv");
    CHOICE("ARMCI_IOV_METHOD", "BATCHED", vector_method, VECTOR_BATCHED, "batched");
    CHOICE("ARMCI_IOV_METHOD", "DIRECT", vector_method, VECTOR_DATATYPE, "direct");
    CHOICE("ARMCI_NODES", "rank", nodes, DOMAINS_RANK, "rank");
    CHOICE("ARMCI_NODES", "auto", nodes, NODES_AUTO, "auto");
    CHOICE("ARMCI_PROGRESS", "Thread", progress, PROGRESS_THREAD, "auto");
    CHOICE("ARMCI_PROGRESS", "none", progress, PROGRESS_NONE, "none");
    CHOICE("ARMCI_TRANSPORT", "AM", transport, TRANSPORT_AM, "am");
    CHOICE("ARMCI_TRANSPORT", "rma", transport, TRANSPORT_RMA, "rma");
    CHOICE("ARMCI_VERBOSE", "1", verbose, VERBOSE_SUMMARY, "1");
    CHOICE("ARMCI_VERBOSE", "TRUE", verbose, VERBOSE_SUMMARY, "1");
    CHOICE("ARMCI_VERBOSE", "2", verbose, VERBOSE_SUMMARY, "1");
    CHOICE("ARMCI_VERBOSE", "off", verbose, VERBOSE_WARNINGS, "0");
    CHOICE("ARMCI_VERBOSE", "-1", verbose, VERBOSE_SILENT, "-1");
}

TEST(test_wrong_choices)
{
    refuse("ARMCI_IOV_METHOD", "BATCHD", "auto|consrv|batched|direct");
    refuse("ARMCI_IOV_METHOD", "batched ", "auto|consrv|batched|direct");
    refuse("ARMCI_STRIDED_METHOD", "subarray", "auto|iov");
    refuse("ARMCI_ERRORS", "retrun", "abort|return");
    refuse("ARMCI_ERRORS", "", "abort|return");
    refuse("ARMCI_PROGRESS", "rank", "auto|none");
    refuse("ARMCI_NODES", "4", "auto|rank");
    refuse("ARMCI_TRANSPORT", "tcp", "auto|am|rdma|rma");
    refuse("ARMCI_VERBOSE", "3", "-1|0|1");
}

TEST(test_counts)
{
    accept("ARMCI_OUTSTANDING_LIMIT", "1", "1");
    ck_assert_uint_eq(armcii_config->outstanding_limit, 1);
    accept("ARMCI_OUTSTANDING_LIMIT", "1000000", "1000000");
    accept("ARMCI_OUTSTANDING_LIMIT", "007", "7");
    refuse("ARMCI_OUTSTANDING_LIMIT", "18446744073709551616", "number 1.."); /* 2^64 */
    static const char *const wrong[] = {"0",
                                        "1000001",
                                        "64k",
                                        "99999999999999999999999999",
                                        "18446744073709551617" /* 2^64 + 1 */,
                                        "3.5",
                                        "-5",
                                        "",
                                        "many"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuse("ARMCI_OUTSTANDING_LIMIT", wrong[i], "number 1..1000000");
}

TEST(test_bytes)
{
    accept("ARMCI_DATATYPE_LIMIT", "5000", "5000");
    ck_assert_uint_eq(armcii_config->datatype_limit, 5000);
    accept("ARMCI_DATATYPE_LIMIT", "65536", "64k");
    accept("ARMCI_DATATYPE_LIMIT", "10k", "10k");
    ck_assert_uint_eq(armcii_config->datatype_limit, 10240);
    accept("ARMCI_DATATYPE_LIMIT", "1536K", "1536k");
    accept("ARMCI_DATATYPE_LIMIT", "32M", "32M");
    accept("ARMCI_DATATYPE_LIMIT", "32m", "32M");
    ck_assert_uint_eq(armcii_config->datatype_limit, (size_t)32 << 20);
    accept("ARMCI_DATATYPE_LIMIT", "512M", "512M");
    ck_assert_uint_eq(armcii_config->datatype_limit, (size_t)512 << 20);
    accept("ARMCI_DATATYPE_LIMIT", "1G", "1G");
    static const char *const wrong[] = {"1",
                                        "2T",
                                        "17179869185G" /* 2^64 + 1 G */,
                                        "18014398509481988k" /* 2^64 + 4 k */,
                                        "18446744073709555712" /* 2^64 + 4 k */,
                                        "32 MB",
                                        "16MiB",
                                        "16x",
                                        "M",
                                        "-1M"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuse("ARMCI_DATATYPE_LIMIT", wrong[i], "bytes 4k..1G");
}

/* ---------------------------------------------------------------- names ------------ */

/* Variables that ARMCI-MPI has, too, with its words. */
TEST(test_names_of_armci_mpi)
{
    static const char *const known[][2] = {
        {"ARMCI_VERBOSE", "1"},
        {"ARMCI_DEBUG_ALLOC", "1"},
        {"ARMCI_STRIDED_METHOD", "DIRECT"},
        {"ARMCI_STRIDED_METHOD", "IOV"},
        {"ARMCI_IOV_METHOD", "AUTO"},
        {"ARMCI_IOV_METHOD", "CONSRV"},
        {"ARMCI_IOV_METHOD", "BATCHED"},
        {"ARMCI_IOV_METHOD", "DIRECT"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_msg(read_one(known[i][0], known[i][1]) == 0, "%s", collected);
}

/* The settings give the line, "" for none, and change nothing. */
static void expect_names(const char *first, const char *second, const char *names)
{
    char line[512] = "";
    if (*names)
        snprintf(line, sizeof line, "no effect in ARMCI-RMA: %s (armci-info says more)\n", names);
    ck_assert_int_eq(read_two(first, second), *names != '\0');
    ck_assert_str_eq(collected, line);
    ck_assert(armcii_config->verbose == VERBOSE_WARNINGS && armcii_config->quirks);
}

TEST(test_names_without_effect)
{
    expect_names("ARMCI_VERBOS=1", NULL, "ARMCI_VERBOS");
    expect_names("ARMCI_verbose=1", "ARMCI_QUIRK=0", "ARMCI_verbose, ARMCI_QUIRK");
    expect_names("ARMCI_DEFAULT_SHMMAX=8192", "ARMCI_SHR_BUF_METHOD=COPY",
                 "ARMCI_DEFAULT_SHMMAX, ARMCI_SHR_BUF_METHOD");
    expect_names("ARMCI_NO_FLUSH_LOCAL=1", "COMEX_MAX_NB_OUTSTANDING=8",
                 "ARMCI_NO_FLUSH_LOCAL, COMEX_MAX_NB_OUTSTANDING");
    expect_names("ARMCI_STATS=1", "ARMCI_HANG_REPORT=60", "ARMCI_STATS, ARMCI_HANG_REPORT");
    expect_names("ARMCI_=1", NULL, "ARMCI_");
}

TEST(test_other_names)
{
    expect_names("ARMCI_TEST_NODE=1", "ARMCI_TEST_LOCK=/tmp/x", "");
    expect_names("ARMCI_NETWORK=MPI-PR", "ARMCI_MPI_DIR=/opt/armci-mpi", "");
    expect_names("ARMCI_ROOT=/opt/armci", "ARMCI_LIB=x", "");
    expect_names("ARMCIX_THING=1", "NOT_ARMCI_VERBOS=1", "");
    expect_names("ARMCI", "ARMCI_BANANA", "");
}

/* As many as fit into a line. */
TEST(test_many_names_without_effect)
{
    enum { NAMES = 64 };
    static char names[NAMES][128];
    char *environment[NAMES + 1] = {NULL};
    for (int i = 0; i < NAMES; i++) {
        snprintf(names[i], sizeof names[i], "ARMCI_%090d=1", i);
        environment[i] = names[i];
    }
    ck_assert_int_eq(read_all(environment), 1);
    ck_assert_uint_gt(strlen(collected), 900);
}

/* Every word of three characters and more with one left out. */
TEST(test_every_slip_in_a_word)
{
    for (size_t i = 0; armcii_config_entry(i) != NULL; i++) {
        const char *name = armcii_config_entry(i)->name;
        char words[128], *rest;
        snprintf(words, sizeof words, "%s", armcii_config_entry(i)->type);
        if (strchr(words, '|') == NULL) continue;
        for (char *word = strtok_r(words, "|", &rest); word != NULL;
             word = strtok_r(NULL, "|", &rest)) {
            for (size_t at = 0; strlen(word) >= 3 && word[at] != '\0'; at++) {
                char wrong[64];
                snprintf(wrong, sizeof wrong, "%.*s%s", (int)at, word, word + at + 1);
                if (strcmp(wrong, "rma") != 0)
                    refuse(name, wrong,
                           armcii_config_entry(i)->type); /* rdma becomes another word */
            }
        }
    }
}

/* Every workaround by its name, added and left out; its neighbours stay as they are. */
TEST(test_every_workaround)
{
    for (enum workaround r = 0; r < WORKAROUNDS; r++) {
        const char *help, *name = armcii_config_workaround(r, &help);
        char text[64];
        ck_assert_uint_gt(strlen(help), 10);
        for (int on = 0; on < 2; on++) {
            snprintf(text, sizeof text, "%c%s", on ? '+' : '-', name);
            accept("ARMCI_QUIRKS", text, text);
            ck_assert(armcii_config->quirks);
            for (size_t k = 0; k < WORKAROUNDS; k++)
                ck_assert_int_eq(armcii_config->workarounds[k], k != r ? WORKAROUND_AUTO
                                                                : on   ? WORKAROUND_ON
                                                                       : WORKAROUND_OFF);
        }
    }
    accept("ARMCI_QUIRKS", "NONE", "none");
    ck_assert(!armcii_config->quirks);
}

/* What no variable takes is named and leaves the default in force, whatever kind the variable is
 * of. */
TEST(test_garbage_for_every_variable)
{
    static const char *const garbage[] = {
        "",        " ",      "\t",     "-2",       "+5",  "0x10",    "1e3",      "NaN",      "inf",
        "5 5",     "yes,",   "yes no", "auto|iov", "^[[", "abort\n", "%s%n%x",   "null",     "1\n1",
        "${HOME}", "`true`", "=1",     "'1'",      "1k1", "k",       "\xff\xfe", "\xd9\xa1",
    };
    for (size_t i = 0; armcii_config_entry(i) != NULL; i++)
        for (size_t k = 0; k < sizeof garbage / sizeof garbage[0]; k++)
            refuse(armcii_config_entry(i)->name, garbage[k], "is used");
}

TEST(test_hostile_settings)
{
    char long_name[500] = "ARMCI_";
    char long_value[500] = "";
    memset(long_name + 6, 'X', 480);
    ck_assert_int_eq(read_one(long_name, "1"), 1);
    memset(long_value, 'y', 480);
    ck_assert_int_eq(read_one("ARMCI_VERBOSE", long_value), 1);
    ck_assert_int_eq(read_one("ARMCI_QUIRKS", long_value), 1);
    ck_assert_int_eq(read_one("ARMCI_VERBOSE", "a\nb\x1b[31m%s%n"),
                     1);                                  /* collect() wants one clean line */
    ck_assert_int_eq(read_two("ARMCI_VERBOSE", NULL), 0); /* no '=' */
    ck_assert_int_eq(read_two("ARMCI_VERBOSE=1", "ARMCI_VERBOSE=0"), 0);
    ck_assert_int_eq(armcii_config->verbose, VERBOSE_SUMMARY); /* the first counts */
}

TEST(test_reading_again_resets)
{
    ck_assert_int_eq(read_two("ARMCI_ERRORS=return", "ARMCI_NETWORK=x"), 0);
    ck_assert_int_eq(armcii_config->errors, ERRORS_RETURN);
    ck_assert_int_eq(read_two("ARMCI_OUTSTANDING_LIMIT=7", NULL), 0);
    ck_assert_int_eq(armcii_config->errors, ERRORS_ABORT);
    ck_assert(!is_set("ARMCI_ERRORS"));
    ck_assert_uint_eq(armcii_config->outstanding_limit, 7);
    ck_assert_int_eq(read_two(NULL, NULL), 0);
    ck_assert_uint_eq(armcii_config->outstanding_limit, 128);
}

/* ---------------------------------------------------------------- table and report - */

TEST(test_table_is_sound)
{
    size_t documented = 0;
    for (size_t i = 0; armcii_config_entry(i) != NULL; i++) {
        const struct config_entry *entry = armcii_config_entry(i);
        char words[128], name[64];
        ck_assert_int_eq(strncmp(entry->name, "ARMCI_", 6), 0);
        ck_assert_uint_gt(strlen(entry->help), 10);
        snprintf(name, sizeof name, "%s", entry->name);
        ck_assert_uint_eq(entry_of(name), i); /* no name twice */
        accept(name, entry->default_value, entry->default_value);
        snprintf(words, sizeof words, "%s", entry->type);
        documented += !entry->for_tests;
        if (strchr(words, '|') == NULL || strcmp(name, "ARMCI_QUIRKS") == 0) continue;
        for (char *word = strtok(words, "|"); word != NULL; word = strtok(NULL, "|"))
            accept(name, word, word);
    }
    ck_assert_uint_le(documented, 10); /* what a person can read */
}

/* ---------------------------------------------------------------- settings --------- */

/* Settings, the values that they put in force, and the lines that they print: "" for none. */
static const struct {
    const char *settings[4];
    const char *values; /* NAME=value, separated by blanks */
    const char *lines;
} settings[] = {
    /* one list of workarounds */
    {{"ARMCI_QUIRKS=+pad-slices,-pack-puts"}, "ARMCI_QUIRKS=+pad-slices,-pack-puts", ""},
    {{"ARMCI_QUIRKS=-pack-puts,+PAD-Slices"}, "ARMCI_QUIRKS=+pad-slices,-pack-puts", ""},
    {{"ARMCI_QUIRKS=auto,-remote-flush"}, "ARMCI_QUIRKS=-remote-flush", ""},
    {{"ARMCI_QUIRKS=none,+remote-flush"}, "ARMCI_QUIRKS=none,+remote-flush", ""},
    {{"ARMCI_QUIRKS=+pad-slices,-pad-slices"}, "ARMCI_QUIRKS=-pad-slices", ""},
    {{"ARMCI_QUIRKS=pad-slices"}, "ARMCI_QUIRKS=auto", "ARMCI_QUIRKS='pad-slices' is invalid"},
    {{"ARMCI_QUIRKS=+"}, "ARMCI_QUIRKS=auto", "ARMCI_QUIRKS='+' is invalid"},
    {{"ARMCI_QUIRKS=+no-such"}, "ARMCI_QUIRKS=auto", "ARMCI_QUIRKS='+no-such' is invalid"},
    {{"ARMCI_QUIRKS=+pad-slices,"}, "ARMCI_QUIRKS=auto", "is invalid"},
    {{"ARMCI_QUIRKS=+pad-slices,none"}, "ARMCI_QUIRKS=auto", "is invalid"},
    {{"ARMCI_QUIRKS=+pad-slicess"}, "ARMCI_QUIRKS=auto", "is invalid"},
    {{"ARMCI_QUIRKS=yes"},
     "ARMCI_QUIRKS=auto",
     "ARMCI_QUIRKS='yes' is invalid (auto|none|+NAME,-NAME)"},
    /* limits are numbers */
    {{"ARMCI_EAGER_MAX=16384"}, "ARMCI_EAGER_MAX=16k", ""},
    {{"ARMCI_EAGER_MAX=4k"}, "ARMCI_EAGER_MAX=4k", ""},
    {{"ARMCI_EAGER_MAX=AUTO"}, "ARMCI_EAGER_MAX=auto", ""},
    {{"ARMCI_EAGER_MAX=33k"},
     "ARMCI_EAGER_MAX=auto",
     "ARMCI_EAGER_MAX='33k' is invalid (auto or bytes 4k..32k); auto is used"},
    {{"ARMCI_EAGER_MAX=0"}, "ARMCI_EAGER_MAX=auto", "is invalid"},
    {{"ARMCI_EAGER_MAX=yes"}, "ARMCI_EAGER_MAX=auto", "is invalid"},
    {{"ARMCI_VERBOSE=3"}, "ARMCI_VERBOSE=0", "ARMCI_VERBOSE='3' is invalid (-1|0|1); 0 is used"},
};

/* Of a job whose first process has other settings: they hold here. */
TEST(the_first_process_decides)
{
    struct config_values first;
    ck_assert_int_eq(read_two("ARMCI_SHM=no", "ARMCI_OUTSTANDING_LIMIT=100"), 0);
    armcii_config_values(&first);
    read_two("ARMCI_SHM=no", "ARMCI_OUTSTANDING_LIMIT=200");
    armcii_config_adopt(&first);
    ck_assert_uint_eq(armcii_config->outstanding_limit, 100);
    read_two("ARMCI_SHM=mpi", NULL);
    armcii_config_adopt(&first);
    ck_assert_str_eq(value_of("ARMCI_OUTSTANDING_LIMIT"), "100");
    ck_assert_str_eq(value_of("ARMCI_SHM"), "no");
    ck_assert_int_eq(armcii_config->shm, SHM_NO);
}

/* The values in force, set as they are shown, are accepted and stay in force. */
static void check_shown_values(void)
{
    enum { ENTRIES = 64 };
    static char shown[ENTRIES][CONFIG_VALUE + 64];
    char *environment[ENTRIES] = {NULL};
    for (size_t i = 0; armcii_config_entry(i) != NULL; i++) {
        const char *name = armcii_config_entry(i)->name;
        snprintf(shown[i], sizeof shown[i], "%s=%s", name, value_of(name));
        environment[i] = shown[i];
    }
    ck_assert_msg(read_all(environment) == 0, "refused: %s", collected);
    for (size_t i = 0; environment[i] != NULL; i++)
        ck_assert_str_eq(strchr(shown[i], '=') + 1, value_of(armcii_config_entry(i)->name));
}

TABLE_TEST(test_settings, settings)
{
    char values[200], *rest, *environment[4] = {NULL};
    for (int k = 0; k < 4; k++)
        environment[k] = (char *)(uintptr_t)settings[_i].settings[k];
    int lines = read_all(environment);
    const char *first = environment[0] ? environment[0] : "nothing";
    ck_assert_msg((lines > 0) == (settings[_i].lines[0] != '\0'), "%s: %d lines: %s", first, lines,
                  collected);
    ck_assert_msg(strstr(collected, settings[_i].lines) != NULL, "%s: no '%s' in: %s", first,
                  settings[_i].lines, collected);
    snprintf(values, sizeof values, "%s", settings[_i].values);
    for (char *name = strtok_r(values, " ", &rest); name != NULL;
         name = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(name, '=');
        *value++ = '\0';
        ck_assert_msg(strcmp(value_of(name), value) == 0, "%s: %s: expected %s, seen %s", first,
                      name, value, value_of(name));
    }
    check_shown_values();
}
