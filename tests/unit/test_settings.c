/* test_settings.c - what settings put in force, by new and by old names. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "unit.h"

static char collected[4096]; /* the lines of a reading, each ended by a newline */

static void collect(const char *line)
{
    ck_assert_uint_lt(strlen(collected) + strlen(line) + 2, sizeof collected);
    strcat(strcat(collected, line), "\n");
}

static const char *value_of(const char *name)
{
    static char value[CONFIG_VALUE];
    size_t i = 0;

    while (armcii_config_entry(i) != NULL && strcmp(armcii_config_entry(i)->name, name) != 0)
        i++;
    ck_assert_msg(armcii_config_entry(i) != NULL, "%s is not in the table", name);
    return armcii_config_value(i, value, sizeof value, NULL);
}

/* Settings, the values that they put in force, and the lines that they print: "" for none. */
static const struct {
    const char *settings[4];
    const char *values; /* NAME=value, separated by blanks */
    const char *lines;
} settings[] = {
    /* one list of remedies */
    {{"ARMCI_QUIRKS=auto"}, "ARMCI_QUIRKS=auto", ""},
    {{"ARMCI_QUIRKS=None"}, "ARMCI_QUIRKS=none", ""},
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
    /* its old forms */
    {{"ARMCI_QUIRKS=yes"}, "ARMCI_QUIRKS=auto", "ARMCI_QUIRKS=yes is an old form; use ARMCI_QUIRKS=auto"},
    {{"ARMCI_QUIRKS=0"}, "ARMCI_QUIRKS=none", "ARMCI_QUIRKS=0 is an old form; use ARMCI_QUIRKS=none"},
    {{"ARMCI_AVOID_ODD_SLICES=yes"}, "ARMCI_QUIRKS=+pad-slices", "ARMCI_AVOID_ODD_SLICES=yes is an old form; use ARMCI_QUIRKS=+pad-slices"},
    {{"ARMCI_AVOID_ODD_SLICES=no"}, "ARMCI_QUIRKS=-pad-slices", "use ARMCI_QUIRKS=-pad-slices"},
    {{"ARMCI_AVOID_ODD_SLICES=auto"}, "ARMCI_QUIRKS=auto", "ARMCI_AVOID_ODD_SLICES=auto is an old form; leave it out"},
    {{"ARMCI_AVOID_ODD_SLICES=maybe"}, "ARMCI_QUIRKS=auto", "ARMCI_AVOID_ODD_SLICES='maybe' is invalid"},
    {{"ARMCI_AVOID_WIN_ALLOCATE=1"}, "ARMCI_QUIRKS=+shared-windows", "use ARMCI_QUIRKS=+shared-windows"},
    {{"ARMCI_AVOID_THREADED_WINDOWS=on"}, "ARMCI_QUIRKS=+unthreaded-windows", "use ARMCI_QUIRKS=+unthreaded-windows"},
    {{"ARMCI_AVOID_WIN_CREATE=t"}, "ARMCI_QUIRKS=+win-allocate", "use ARMCI_QUIRKS=+win-allocate"},
    {{"ARMCI_AVOID_NEGATIVE_STRIDES=yes"}, "ARMCI_QUIRKS=+split-negative-strides", "use ARMCI_QUIRKS=+split-negative-strides"},
    {{"ARMCI_AVOID_BYTE_STRIDES=yes"}, "ARMCI_QUIRKS=+split-byte-strides", "use ARMCI_QUIRKS=+split-byte-strides"},
    {{"ARMCI_AVOID_ACC_STRIDED=yes"}, "ARMCI_QUIRKS=+split-strided-acc", "use ARMCI_QUIRKS=+split-strided-acc"},
    {{"ARMCI_AVOID_ACC_INDEXED=yes"}, "ARMCI_QUIRKS=+split-vector-acc", "use ARMCI_QUIRKS=+split-vector-acc"},
    {{"ARMCI_AVOID_FLUSH_LOCAL=yes"}, "ARMCI_QUIRKS=+remote-flush", "use ARMCI_QUIRKS=+remote-flush"},
    {{"ARMCI_AVOID_EARLY_FLUSH=yes"}, "ARMCI_QUIRKS=+flush-readback", "use ARMCI_QUIRKS=+flush-readback"},
    {{"ARMCI_AVOID_LATE_RECEIVES=yes"}, "ARMCI_QUIRKS=+probe-receives", "use ARMCI_QUIRKS=+probe-receives"},
    {{"ARMCI_AVOID_LONE_FINALIZE=yes"}, "ARMCI_QUIRKS=+finalize-barrier", "use ARMCI_QUIRKS=+finalize-barrier"},
    {{"ARMCI_AVOID_VECTOR_MESSAGES=yes"}, "ARMCI_QUIRKS=+pack-puts", "use ARMCI_QUIRKS=+pack-puts"},
    {{"ARMCI_AVOID_ODD_SLICES=yes", "ARMCI_AVOID_BYTE_STRIDES=no"}, "ARMCI_QUIRKS=+pad-slices,-split-byte-strides", "+pad-slices"},
    {{"ARMCI_AVOID_ODD_SLICES=yes", "ARMCI_QUIRKS=none"}, "ARMCI_QUIRKS=none,+pad-slices", "+pad-slices"},
    {{"ARMCI_AVOID_ODD_SLICES=yes", "ARMCI_QUIRKS=-pad-slices"}, "ARMCI_QUIRKS=-pad-slices", "+pad-slices"}, /* the new name counts */
    {{"ARMCI_NO_FLUSH_LOCAL=yes"}, "ARMCI_QUIRKS=+remote-flush", ""},                                        /* ARMCI-MPI's name */
    {{"ARMCI_NO_FLUSH_LOCAL=no"}, "ARMCI_QUIRKS=auto", ""},
    {{"ARMCI_NO_FLUSH_LOCAL=no", "ARMCI_AVOID_FLUSH_LOCAL=yes"}, "ARMCI_QUIRKS=+remote-flush", "+remote-flush"},
    /* limits are numbers */
    {{NULL}, "ARMCI_EAGER_MAX=auto ARMCI_ACC_MAX_SEGMENTS=auto ARMCI_OUTSTANDING_LIMIT=128", ""},
    {{"ARMCI_EAGER_MAX=16384"}, "ARMCI_EAGER_MAX=16k", ""},
    {{"ARMCI_EAGER_MAX=4k"}, "ARMCI_EAGER_MAX=4k", ""},
    {{"ARMCI_EAGER_MAX=AUTO"}, "ARMCI_EAGER_MAX=auto", ""},
    {{"ARMCI_EAGER_MAX=33k"}, "ARMCI_EAGER_MAX=auto", "ARMCI_EAGER_MAX='33k' is invalid (auto or bytes 4k..32k); auto is used"},
    {{"ARMCI_EAGER_MAX=0"}, "ARMCI_EAGER_MAX=auto", "is invalid"},
    {{"ARMCI_EAGER_MAX=yes"}, "ARMCI_EAGER_MAX=auto", "is invalid"},
    {{"ARMCI_ACC_MAX_SEGMENTS=100"}, "ARMCI_ACC_MAX_SEGMENTS=100", ""},
    {{"ARMCI_ACC_MAX_SEGMENTS=0"}, "ARMCI_ACC_MAX_SEGMENTS=auto", "is invalid"},
    {{"ARMCI_AVOID_HANDSHAKES=yes"}, "ARMCI_EAGER_MAX=16k", "ARMCI_AVOID_HANDSHAKES=yes is an old form; use ARMCI_EAGER_MAX=16k"},
    {{"ARMCI_AVOID_HANDSHAKES=no"}, "ARMCI_EAGER_MAX=32k", "use ARMCI_EAGER_MAX=32k"},
    {{"ARMCI_AVOID_HANDSHAKES=auto"}, "ARMCI_EAGER_MAX=auto", "leave it out"},
    {{"ARMCI_AVOID_HANDSHAKES=yes", "ARMCI_EAGER_MAX=8k"}, "ARMCI_EAGER_MAX=8k", "use ARMCI_EAGER_MAX=16k"},
    {{"ARMCI_AVOID_LONG_ACC=yes"}, "ARMCI_ACC_MAX_SEGMENTS=256", "use ARMCI_ACC_MAX_SEGMENTS=256"},
    {{"ARMCI_AVOID_LONG_ACC=no"}, "ARMCI_ACC_MAX_SEGMENTS=1000000000", "use ARMCI_ACC_MAX_SEGMENTS=1000000000"},
    {{"ARMCI_AVOID_MANY_CALLS=yes"}, "ARMCI_OUTSTANDING_LIMIT=128", "use ARMCI_OUTSTANDING_LIMIT=128"},
    {{"ARMCI_AVOID_MANY_CALLS=no"}, "ARMCI_OUTSTANDING_LIMIT=128", "leave it out"},
    {{"ARMCI_AVOID_MANY_CALLS=yes", "ARMCI_OUTSTANDING_LIMIT=9"}, "ARMCI_OUTSTANDING_LIMIT=9", "use ARMCI_OUTSTANDING_LIMIT=128"},
    /* renamed variables and values */
    {{"ARMCI_VERIFY=yes"}, "ARMCI_VERIFY=yes", ""},
    {{"ARMCI_CHECK=1"}, "ARMCI_VERIFY=yes", "ARMCI_CHECK=1 is an old form; use ARMCI_VERIFY=yes"},
    {{"ARMCI_CHECK=no"}, "ARMCI_VERIFY=no", "ARMCI_CHECK=no is an old form; use ARMCI_VERIFY=no"},
    {{"ARMCI_CHECK=no", "ARMCI_VERIFY=yes"}, "ARMCI_VERIFY=yes", "use ARMCI_VERIFY=no"},
    {{"ARMCI_CHECK=perhaps"}, "ARMCI_VERIFY=no", "ARMCI_CHECK='perhaps' is invalid (yes|no)"},
    {{"ARMCI_TRANSPORT=am"}, "ARMCI_TRANSPORT=am", ""},
    {{"ARMCI_TRANSPORT=server"}, "ARMCI_TRANSPORT=am", ""},
    {{"ARMCI_TRANSPORT=rma"}, "ARMCI_TRANSPORT=rma", ""},
    {{"ARMCI_VERBOSE=0"}, "ARMCI_VERBOSE=0", ""},
    {{"ARMCI_VERBOSE=1"}, "ARMCI_VERBOSE=1", ""},
    {{"ARMCI_VERBOSE=2"}, "ARMCI_VERBOSE=2", ""},
    {{"ARMCI_VERBOSE=yes"}, "ARMCI_VERBOSE=1", ""},
    {{"ARMCI_VERBOSE=off"}, "ARMCI_VERBOSE=0", ""},
    {{"ARMCI_VERBOSE=3"}, "ARMCI_VERBOSE=0", "ARMCI_VERBOSE='3' is invalid (0|1|2); 0 is used"},
};

TABLE_TEST(test_settings, settings)
{
    char values[200], *rest, *environment[4] = {NULL};

    for (int k = 0; k < 4; k++)
        environment[k] = (char *)(uintptr_t)settings[_i].settings[k];
    collected[0] = '\0';
    int lines = armcii_config_read(environment, collect);
    const char *first = environment[0] ? environment[0] : "nothing";
    ck_assert_msg((lines > 0) == (settings[_i].lines[0] != '\0'), "%s: %d lines: %s", first, lines, collected);
    ck_assert_msg(strstr(collected, settings[_i].lines) != NULL, "%s: no '%s' in: %s", first, settings[_i].lines, collected);
    snprintf(values, sizeof values, "%s", settings[_i].values);
    for (char *name = strtok_r(values, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(name, '=');
        *value++ = '\0';
        ck_assert_msg(strcmp(value_of(name), value) == 0, "%s: %s: expected %s, seen %s", first, name, value, value_of(name));
    }
}
