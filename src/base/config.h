/* config.h - the environment variables: one table (config_table.c) is parser, validator and documentation.  The environment is read in
 * config.c and nowhere else. */
#ifndef ARMCII_CONFIG_H
#define ARMCII_CONFIG_H

#include "base/config_values.h"

/* Valid after armcii_config_read. */
extern const struct config *const armcii_config;

/* Read the environment: NAME=value strings up to a NULL; NULL for the process's own.  Starts from the defaults, also when called again.
 * Each unknown name that begins with ARMCI_, each invalid value and each old form gives one line through `line` (may be NULL); after
 * unknown names one more line lists the variables.  An invalid value leaves the default in force; a new name counts where an old one is
 * set, too.  Returns the number of lines. */
int armcii_config_read(char *const environment[], void (*line)(const char *text));

/* Entry i of the table, NULL after the last. */
struct config_entry {
    const char *name;          /* ARMCI_... */
    const char *type;          /* "yes|no", "abort|return", "number 1..100" ... */
    const char *default_value; /* as text */
    const char *help;          /* one line */
    bool for_tests;            /* of no use to programs */
};
const struct config_entry *armcii_config_entry(size_t i);
/* The value in force of entry i as text, into buffer, which is returned.  *from_environment (may be NULL): is it set there? */
enum { CONFIG_VALUE = 512 };
const char *armcii_config_value(size_t i, char *buffer, size_t size, bool *from_environment);
bool armcii_config_is_default(size_t i);

/* The name in ARMCI_QUIRKS and, in *help (may be NULL), the description of a remedy below REMEDIES. */
const char *armcii_config_remedy(enum remedy remedy, const char **help);

/* Old name i and the setting that replaces its "yes"; NULL after the last. */
const char *armcii_config_old_name(size_t i, const char **replacement);
/* Name i that is accepted for scripts of other ARMCI libraries, without effect; *is_set (may be NULL): in the environment.  NULL after the
 * last. */
const char *armcii_config_foreign_name(size_t i, bool *is_set);

/* Read the process's environment, silently, unless armcii_config_read has been called: for errors before ARMCI_Init. */
void armcii_config_ensure(void);
/* Every variable with its value in force, then the names that are set without effect. */
void armcii_config_print(void (*line)(const char *text));
/* To be called before MPI_Init.  Where the launcher's environment shows that the job spans nodes, ask the MPI library for threads, by
 * variables of its own that are not set: servers are threads.  Not where the configuration rules out such servers, nor where they would
 * serve windows only and windows_bear_threads returns false. */
void armcii_config_ask_for_threads(bool (*windows_bear_threads)(void));
/* A variable of the MPI library; NULL: not set. */
const char *armcii_config_mpi_variable(const char *name);
/* A variable of the tests (ARMCI_FAULT, ARMCI_TEST_...) as it is now; NULL: not set. */
const char *armcii_config_test_variable(const char *name);

#endif
