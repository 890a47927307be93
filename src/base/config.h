/* config.h - every environment variable the library reads: declared in one table (config.c), read here once and nowhere
 * else. The parser, its messages, armci-info, the banner and the documentation all come from that table. */
#ifndef ARMCII_CONFIG_H
#define ARMCII_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

enum errors_policy { ERRORS_ABORT, ERRORS_RETURN };
enum strided_method { STRIDED_AUTO, STRIDED_SUBARRAY, STRIDED_HVECTOR, STRIDED_IOV };
enum vector_method { VECTOR_AUTO, VECTOR_CONSERVATIVE, VECTOR_BATCHED, VECTOR_DATATYPE };
enum window_kind { WINDOW_AUTO, WINDOW_ALLOCATE, WINDOW_CREATE };
enum shm_policy { SHM_AUTO, SHM_MEMFD, SHM_MPI, SHM_NO };
enum transport_policy { TRANSPORT_AUTO, TRANSPORT_RMA, TRANSPORT_SERVER };
enum progress_policy { PROGRESS_AUTO, PROGRESS_THREAD, PROGRESS_RANK, PROGRESS_NONE };
enum nodes_policy { NODES_AUTO, DOMAINS_RANK };

/* What a defect of an MPI library may make the library avoid (mpi/quirks.c decides), one variable ARMCI_AVOID_... each. */
enum avoidable {
    AVOID_ODD_SLICES,       /* slices of windows that are no whole pages */
    AVOID_WIN_ALLOCATE,     /* MPI_Win_allocate on one node, where MPI_Win_allocate_shared does */
    AVOID_THREADED_WINDOWS, /* windows between nodes where MPI allows threads */
    AVOID_WIN_CREATE,       /* MPI_Win_create where ARMCI_USE_WIN_ALLOCATE asks for it */
    AVOID_NEGATIVE_STRIDES, /* datatypes with negative strides */
    AVOID_BYTE_STRIDES,     /* datatypes with strides of one byte */
    AVOID_ACC_STRIDED,      /* accumulates with vector and subarray datatypes */
    AVOID_ACC_INDEXED,      /* accumulates with indexed datatypes */
    AVOID_LONG_ACC,         /* accumulates whose datatype has more than 256 segments */
    AVOID_MANY_CALLS,       /* more than 128 calls in flight to one target */
    AVOID_FLUSH_LOCAL,      /* local completion */
    AVOID_EARLY_FLUSH,      /* trust in MPI_Win_flush of what was written */
    AVOID_LATE_RECEIVES,    /* receives from any source posted when their message is there */
    AVOID_LONE_FINALIZE,    /* entering MPI_Finalize while others still call MPI */
    AVOID_VECTOR_MESSAGES,  /* messages of vector datatypes */
    AVOID_HANDSHAKES,       /* messages that are not so short that MPI sends them at once */
    AVOIDABLES
};
enum avoid_policy { AVOID_AUTO, AVOID_YES, AVOID_NO };

/* The values in force. */
struct config {
    bool verbose;                       /* ARMCI_VERBOSE */
    enum errors_policy errors;          /* ARMCI_ERRORS = abort | return */
    enum strided_method strided_method; /* ARMCI_STRIDED_METHOD = auto | subarray | hvector | iov; DIRECT is auto */
    enum vector_method vector_method;   /* ARMCI_IOV_METHOD = auto | consrv | batched | direct */
    size_t batched_limit; /* ARMCI_IOV_BATCHED_LIMIT: calls between two completions, 0: as the library sees fit */
    enum shm_policy shm;          /* ARMCI_SHM = auto | memfd | mpi | no: memory that a node's processes load and store */
    enum transport_policy transport; /* ARMCI_TRANSPORT = auto | rma | server: between nodes */
    enum progress_policy progress;   /* ARMCI_PROGRESS = auto | thread | rank | none */
    enum window_kind window_kind; /* ARMCI_USE_WIN_ALLOCATE = auto | yes | no */
    bool noncollective_groups;    /* ARMCI_NONCOLLECTIVE_GROUPS: only members call Group_create */
    enum nodes_policy nodes;      /* ARMCI_NODES = auto | rank: every rank its own node */
    bool no_flush_local;          /* ARMCI_NO_FLUSH_LOCAL: complete remotely where local completion would do */
    bool debug_alloc;             /* ARMCI_DEBUG_ALLOC: slices and local memory start filled with a pattern */
    bool check;                   /* ARMCI_CHECK: look at every transfer a second time */
    bool quirks;                  /* ARMCI_QUIRKS: work around known defects of the MPI library */
    enum avoid_policy avoid[AVOIDABLES]; /* ARMCI_AVOID_... = auto | yes | no: as ARMCI_QUIRKS has it, or whatever the MPI library is */
    size_t outstanding_limit;     /* ARMCI_OUTSTANDING_LIMIT: MPI calls in flight to one target */
    bool stats;                   /* ARMCI_STATS = no | yes | name of a file */
    const char *stats_file;       /* NULL: a table */
    size_t datatype_limit;              /* ARMCI_DATATYPE_LIMIT: bytes of one call with a derived datatype */
};

/* Valid after armcii_config_read. */
extern const struct config *const armcii_config;

/* Read the environment.  Each misspelt name that begins with ARMCI_ and each invalid value is reported through
 * `complain` (may be NULL) as one line, with the nearest right name or value; an invalid value leaves the default in
 * force.  Returns the number of complaints. May be called again: starts from the defaults.  environment: NAME=value
 * strings up to a NULL; NULL for the process's own. */
int armcii_config_read(char *const environment[], void (*complain)(const char *line));

/* The table, for tools and documents: entry i, NULL after the last. */
struct config_entry {
    const char *name;          /* ARMCI_... */
    const char *type;          /* "yes|no", "abort|return", "number (bytes)" ... */
    const char *default_value; /* as text */
    const char *help;          /* one line */
    bool effective;            /* false: accepted for job scripts of other libraries, has no effect here */
};
const struct config_entry *armcii_config_entry(size_t i);
/* The value in force of entry i as text, into buffer; returns buffer.  *from_environment (may be NULL): was it set
 * there? */
const char *armcii_config_value(size_t i, char *buffer, size_t size, bool *from_environment);

/* Name i of those that were set in the environment and have no effect here; NULL after the last. */
const char *armcii_config_ineffective(size_t i);
/* Read the process's environment, silently, unless armcii_config_read has been called: for errors before ARMCI_Init. */
void armcii_config_ensure(void);
/* The configuration in few lines, for ARMCI_VERBOSE: what differs from its default, the rest as one paragraph, what is
 * set without effect.  `line` gets one line at a time, without newline. */
void armcii_config_print(void (*line)(const char *text));
/* Before the program starts MPI: where the launcher's environment says that the job spans nodes, ask the MPI library, by variables of its
 * own that nobody has set, to allow threads even where the program calls MPI_Init: servers need one.  Does nothing where other variables
 * rule servers out, nor where servers would serve windows only and `windows_bear_threads` says no. */
void armcii_config_ask_for_threads(bool (*windows_bear_threads)(void));
/* A variable of the MPI library, which may tell its transport; NULL: not set. */
const char *armcii_config_mpi_variable(const char *name);
/* A variable of the tests (ARMCI_FAULT, ARMCI_TEST_...) as it is now; NULL: not set. */
const char *armcii_config_test_variable(const char *name);

#endif
