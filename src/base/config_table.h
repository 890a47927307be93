/* config_table.h - the tables of environment variables, for config.c only, which includes config.h
 * before it. */
#ifndef ARMCII_CONFIG_TABLE_H
#define ARMCII_CONFIG_TABLE_H

#include <stdint.h>

/* A word that a variable may be set to; the first one with a value is the one that is shown. */
struct word {
    const char *text;
    unsigned value;
};

enum kind { KIND_CHOICE, KIND_COUNT, KIND_BYTES, KIND_WORKAROUNDS };

struct variable {
    const char *name;
    enum kind kind;
    const char *default_value;
    const struct word *words; /* of a count or bytes: those beside the numbers; may be NULL there */
    uint64_t least, most;     /* of a count or bytes */
    size_t field;             /* offset in struct config */
    const char *help;
};

/* clang-format off */
#define YES(V) {"yes", V}, {"true", V}, {"on", V}, {"1", V}, {"y", V}, {"t", V}
#define NO(V) {"no", V}, {"false", V}, {"off", V}, {"0", V}, {"n", V}, {"f", V}
/* clang-format on */
static const struct word verbose_words[] = {
    {"-1", VERBOSE_SILENT},      {"0", VERBOSE_WARNINGS},   {"no", VERBOSE_WARNINGS},
    {"false", VERBOSE_WARNINGS}, {"off", VERBOSE_WARNINGS}, {"n", VERBOSE_WARNINGS},
    {"f", VERBOSE_WARNINGS},     {"1", VERBOSE_SUMMARY},    {"yes", VERBOSE_SUMMARY},
    {"true", VERBOSE_SUMMARY},   {"on", VERBOSE_SUMMARY},   {"y", VERBOSE_SUMMARY},
    {"t", VERBOSE_SUMMARY},      {"2", VERBOSE_SUMMARY},    {NULL, 0}};
static const struct word errors_words[] = {
    {"abort", ERRORS_ABORT}, {"return", ERRORS_RETURN}, {NULL, 0}};
static const struct word strided_words[] = {
    {"auto", STRIDED_AUTO}, {"iov", STRIDED_IOV}, {"direct", STRIDED_AUTO}, {NULL, 0}};
static const struct word vector_words[] = {{"auto", VECTOR_AUTO},
                                           {"consrv", VECTOR_CONSERVATIVE},
                                           {"batched", VECTOR_BATCHED},
                                           {"direct", VECTOR_DATATYPE},
                                           {NULL, 0}};
static const struct word shm_words[] = {{"auto", SHM_AUTO}, {"memfd", SHM_AUTO}, YES(SHM_AUTO),
                                        NO(SHM_NO),         {"mpi", SHM_NO},     {NULL, 0}};
static const struct word transport_words[] = {{"auto", TRANSPORT_AUTO},
                                              {"am", TRANSPORT_AM},
                                              {"rdma", TRANSPORT_RDMA},
                                              {"rma", TRANSPORT_RMA},
                                              {NULL, 0}};
static const struct word progress_words[] = {
    {"auto", PROGRESS_THREAD}, {"thread", PROGRESS_THREAD}, {"none", PROGRESS_NONE}, {NULL, 0}};
static const struct word nodes_words[] = {{"auto", NODES_AUTO}, {"rank", DOMAINS_RANK}, {NULL, 0}};
static const struct word alloc_words[] = {
    YES(ALLOC_CHECKED), NO(ALLOC_UNCHECKED), {"slow", ALLOC_SLOW}, {NULL, 0}};
static const struct word auto_words[] = {{"auto", 0}, {NULL, 0}};
/* The first word of ARMCI_QUIRKS. */
enum { QUIRKS_NONE = 1 };
static const struct word quirks_words[] = {{"auto", 0}, {"none", QUIRKS_NONE}, {NULL, 0}};

#define IN(FIELD) offsetof(struct config, FIELD)
#define CHOICE(NAME, WORDS, DEFAULT, FIELD, HELP)                                                  \
    {                                                                                              \
        NAME, KIND_CHOICE, DEFAULT, WORDS, 0, 0, IN(FIELD), HELP                                   \
    }
#define NUMBER(NAME, KIND, LEAST, MOST, DEFAULT, FIELD, HELP)                                      \
    {                                                                                              \
        NAME, KIND, DEFAULT, NULL, LEAST, MOST, IN(FIELD), HELP                                    \
    }
#define AUTO_OR(NAME, KIND, LEAST, MOST, FIELD, HELP)                                              \
    {                                                                                              \
        NAME, KIND, "auto", auto_words, LEAST, MOST, IN(FIELD), HELP                               \
    }

/* The documented variables, then those for tests. */
static const struct variable table[] = {
    CHOICE("ARMCI_VERBOSE", verbose_words, "0", verbose,
           "what rank 0 prints at start: nothing (-1), warnings about slow or fragile settings (0; "
           "doc/troubleshooting.md), or a summary, too (1)"),
    CHOICE("ARMCI_ERRORS", errors_words, "abort", errors,
           "an invalid argument aborts the job, or returns an error code"),
    CHOICE("ARMCI_DEBUG_ALLOC", alloc_words, "no", debug_alloc,
           "fill new memory with a pattern, and refuse operations that break the access mode of a "
           "region (yes); also let each process leave an allocation at another time, which shows "
           "programs that store into new memory without a barrier (slow)"),
    CHOICE("ARMCI_TRANSPORT", transport_words, "auto", transport,
           "between nodes: active messages to a server on each node (am), contiguous data by MPI "
           "RMA and the rest by am (rdma), or MPI RMA "
           "(rma); auto: where servers are possible, rdma if a probe finds that the network does "
           "it without the target, else am"),
    CHOICE("ARMCI_PROGRESS", progress_words, "auto", progress,
           "asynchronous progress: by a thread, or none; auto: thread"),
    CHOICE("ARMCI_SHM", shm_words, "auto", shm,
           "shared memory within a node where that is possible, or none: MPI RMA within the node, "
           "too (no)"),
    {"ARMCI_QUIRKS", KIND_WORKAROUNDS, "auto", quirks_words, 0, 0, 0,
     "workarounds for known defects of the MPI library: the needed ones (auto), none, +NAME with "
     "this "
     "one, -NAME without this one"},
    AUTO_OR(
        "ARMCI_EAGER_MAX", KIND_BYTES, 4 << 10, 32 << 10, eager_max,
        "data of the largest eager message between nodes, beyond 16k at most 2048k divided by the "
        "processes; auto: 32k, 16k with MPICH"),
    CHOICE("ARMCI_STRIDED_METHOD", strided_words, "auto", strided_method,
           "strided transfers by MPI RMA: one datatype (auto), or as vector transfers (iov)"),
    CHOICE("ARMCI_IOV_METHOD", vector_words, "auto", vector_method,
           "vector transfers by MPI RMA: one call per segment, each completed (consrv) or many in "
           "flight (batched), or one datatype "
           "(direct); auto: direct unless segments overlap"),
    /* for tests: not DOCUMENTED */
    CHOICE("ARMCI_NODES", nodes_words, "auto", nodes,
           "the node of each rank as it is (auto), or every rank as a node (rank)"),
    NUMBER("ARMCI_OUTSTANDING_LIMIT", KIND_COUNT, 1, 1000000, "128", outstanding_limit,
           "MPI RMA calls in flight to one target"),
    NUMBER("ARMCI_DATATYPE_LIMIT", KIND_BYTES, 4096, (uint64_t)1 << 30, "1G", datatype_limit,
           "bytes of one MPI RMA call with a datatype; larger transfers are divided"),
    AUTO_OR("ARMCI_CLIENTS", KIND_COUNT, 1, 1000000000, clients,
            "clients that a server divides its memory among, as if the job had so many processes; "
            "auto: its processes"),
};

enum { VARIABLES = sizeof table / sizeof table[0], DOCUMENTED = VARIABLES - 4 };

static const struct {
    const char *name, *help;
} workarounds[WORKAROUNDS] = {
    [WORKAROUND_PAD_SLICES] = {"pad-slices", "pad slices of windows to whole pages"},
    [WORKAROUND_SHARED_WINDOWS] = {"shared-windows",
                                   "make the windows of one node of memory that MPI shares"},
    [WORKAROUND_UNTHREADED_WINDOWS] = {"unthreaded-windows",
                                       "make windows between nodes only where MPI has no threads"},
    [WORKAROUND_SPLIT_NEGATIVE_STRIDES] =
        {"split-negative-strides", "no datatype with a negative stride: one call per segment"},
    [WORKAROUND_SPLIT_BYTE_STRIDES] =
        {"split-byte-strides", "no datatype with a stride of one byte: one call per segment"},
    [WORKAROUND_SPLIT_STRIDED_ACC] = {"split-strided-acc",
                                      "no strided datatype in accumulates: one call per segment"},
    [WORKAROUND_SPLIT_VECTOR_ACC] = {"split-vector-acc",
                                     "no indexed datatype in accumulates: one call per segment"},
    [WORKAROUND_REMOTE_FLUSH] = {"remote-flush",
                                 "complete remotely where local completion is enough"},
    [WORKAROUND_FLUSH_READBACK] = {"flush-readback",
                                   "after remote completion, get one byte of what was written"},
    [WORKAROUND_PROBE_RECEIVES] =
        {"probe-receives", "find messages of any source by MPI_Improbe before receiving them"},
    [WORKAROUND_FINALIZE_BARRIER] = {"finalize-barrier",
                                     "a barrier of all processes at the start of MPI_Finalize"},
    [WORKAROUND_PACK_PUTS] = {"pack-puts",
                              "the library packs strided puts and accumulates, not MPI"},
};

#endif
