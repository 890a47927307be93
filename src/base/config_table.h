/* config_table.h - the rows of the tables of environment variables (config_table.c), for the parser (config.c). */
#ifndef ARMCII_CONFIG_TABLE_H
#define ARMCII_CONFIG_TABLE_H

#include "base/config_values.h"

#include <stdint.h>

/* A word that a variable may be set to; the first one with a value is the one that is shown. */
struct word {
    const char *text;
    unsigned value;
};

enum kind { KIND_FLAG, KIND_CHOICE, KIND_COUNT, KIND_BYTES, KIND_FILE, KIND_REMEDIES };

struct variable {
    const char *name;
    enum kind kind;
    const char *default_value;
    const struct word *words; /* of a count or bytes: those beside the numbers; may be NULL there */
    uint64_t least, most;     /* of a count or bytes */
    size_t field;             /* offset in struct config */
    const char *help;
};

/* The documented variables, then those for tests. */
enum { DOCUMENTED = 17, VARIABLES = DOCUMENTED + 3 };
extern const struct variable armcii_config_table[VARIABLES];

/* The first word of ARMCI_QUIRKS may have this value, or 0. */
enum { QUIRKS_NONE = 1 };

extern const struct remedy_name {
    const char *name, *help;
} armcii_config_remedies[REMEDIES];

/* Names that other names have replaced. */
struct old_name {
    const char *name;
    const struct word *words;
    const char *becomes[2]; /* the setting that replaces no, yes; NULL: no effect */
    bool silent;            /* a name of another library, still in use */
};
enum { OLD_NAMES = 18 };
extern const struct old_name armcii_config_old_names[OLD_NAMES];

/* Names that users set for other ARMCI libraries, or for builds with them: accepted without effect. */
enum { FOREIGN_NAMES = 48 };
extern const char *const armcii_config_foreign_names[FOREIGN_NAMES];

/* Words for yes, which is 1, and no, which is 0. */
extern const struct word armcii_config_flag_words[];

#endif
