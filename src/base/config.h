/* config.h - the environment variables: one table (config_table.h) is parser, validator and
 * documentation. The environment is read in config.c and nowhere else. */
#ifndef ARMCII_CONFIG_H
#define ARMCII_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verbosity { VERBOSE_SILENT, VERBOSE_WARNINGS, VERBOSE_SUMMARY };
enum errors_policy { ERRORS_ABORT, ERRORS_RETURN };
enum strided_method { STRIDED_AUTO, STRIDED_IOV };
enum vector_method { VECTOR_AUTO, VECTOR_CONSERVATIVE, VECTOR_BATCHED, VECTOR_DATATYPE };
enum shm_policy { SHM_NO, SHM_AUTO };
enum transport_policy { TRANSPORT_AUTO, TRANSPORT_RMA, TRANSPORT_AM, TRANSPORT_RDMA };
enum progress_policy { PROGRESS_THREAD, PROGRESS_NONE };
enum alloc_checks { ALLOC_UNCHECKED, ALLOC_CHECKED, ALLOC_SLOW };
enum nodes_policy { NODES_AUTO, DOMAINS_RANK };

/* Workarounds for defects of MPI libraries; mpi/quirks.c decides which are needed. */
enum workaround {
    /* those that ARMCI_QUIRKS names, in the order of the table in config_table.h */
    WORKAROUND_PAD_SLICES,
    WORKAROUND_SHARED_WINDOWS,
    WORKAROUND_UNTHREADED_WINDOWS,
    WORKAROUND_SPLIT_NEGATIVE_STRIDES,
    WORKAROUND_SPLIT_BYTE_STRIDES,
    WORKAROUND_SPLIT_STRIDED_ACC,
    WORKAROUND_SPLIT_VECTOR_ACC,
    WORKAROUND_REMOTE_FLUSH,
    WORKAROUND_FLUSH_READBACK,
    WORKAROUND_PROBE_RECEIVES,
    WORKAROUND_FINALIZE_BARRIER,
    WORKAROUND_PACK_PUTS,
    WORKAROUNDS,
    /* limits, which have variables, and what the library never does */
    LIMIT_ACC_SEGMENTS = WORKAROUNDS,
    LIMIT_EAGER,
    LIMIT_OUTSTANDING,
    NO_REQUESTS,
    NO_CREATED_WINDOWS /* of processes that share a node */
};
enum workaround_policy { WORKAROUND_AUTO, WORKAROUND_ON, WORKAROUND_OFF };

/* The values in force; the table in config_table.h describes them. */
struct config {
    enum verbosity verbose;
    enum errors_policy errors;
    enum strided_method strided_method;
    enum vector_method vector_method; /* ARMCI_IOV_METHOD */
    enum shm_policy shm;
    enum transport_policy transport;
    enum progress_policy progress;
    enum nodes_policy nodes;
    enum alloc_checks debug_alloc;
    bool quirks; /* ARMCI_QUIRKS; false: none but those that it names */
    enum workaround_policy workarounds[WORKAROUNDS]; /* the names in it */
    size_t eager_max;                                /* bytes; 0: auto */
    size_t outstanding_limit;
    size_t datatype_limit; /* bytes */
    size_t clients;        /* 0: auto */
};

/* Valid after armcii_config_read. */
extern const struct config *const armcii_config;

/* Read the environment: NAME=value strings up to a NULL; NULL for the process's own. Starts from
 * the defaults, also when called again. Each invalid value, and all unknown names that begin with
 * ARMCI_ together, give one line through `line` (may be NULL). An invalid value leaves the default
 * in force. Returns the number of lines. */
int armcii_config_read(char *const environment[], void (*line)(const char *text));

/* The values in force as processes send them, entry by entry. */
enum { CONFIG_ENTRIES = 32 };
struct config_values {
    uint64_t entry[CONFIG_ENTRIES];
};
void armcii_config_values(struct config_values *mine);
/* Put the values of the job's first process in force: those decide which collectives a process
 * enters. */
void armcii_config_adopt(const struct config_values *first);

/* Entry i of the table, NULL after the last. */
struct config_entry {
    const char *name;          /* ARMCI_... */
    const char *type;          /* "yes|no", "abort|return", "number 1..100" ... */
    const char *default_value; /* as text */
    const char *help;          /* one line */
    bool for_tests;            /* for tests only */
};
const struct config_entry *armcii_config_entry(size_t i);
/* The value in force of entry i as text, into buffer, which is returned. *from_environment (may be
 * NULL): whether the environment sets it. */
enum { CONFIG_VALUE = 512 };
const char *armcii_config_value(size_t i, char *buffer, size_t size, bool *from_environment);
bool armcii_config_is_default(size_t i);

/* The name in ARMCI_QUIRKS and, in *help (may be NULL), the description of a workaround below
 * WORKAROUNDS.
 */
const char *armcii_config_workaround(enum workaround workaround, const char **help);

/* True if the name looks like a variable of this library, and has no effect: one of another ARMCI,
 * of the profiler, or a slip. */
bool armcii_config_is_ineffective(const char *name);

/* Read the process's environment, silently, unless armcii_config_read has been called: for errors
 * before ARMCI_Init. */
void armcii_config_ensure(void);
/* To be called before MPI_Init. Where the launcher's environment shows that the job spans nodes,
 * ask the MPI library for threads, by those variables of that library that are not set: servers are
 * threads. Not where the configuration rules out such servers, nor where they would serve windows
 * only and windows_bear_threads returns false. */
void armcii_config_ask_for_threads(bool (*windows_bear_threads)(void));
/* A variable of the MPI library or of the tests (ARMCI_TEST_...) as it is now; NULL:
 * not set. */
const char *armcii_config_variable(const char *name);

#endif
