/* config_values.h - the values that the environment variables have. */
#ifndef ARMCII_CONFIG_VALUES_H
#define ARMCII_CONFIG_VALUES_H

#include <stdbool.h>
#include <stddef.h>

enum errors_policy { ERRORS_ABORT, ERRORS_RETURN };
enum strided_method { STRIDED_AUTO, STRIDED_SUBARRAY, STRIDED_HVECTOR, STRIDED_IOV };
enum vector_method { VECTOR_AUTO, VECTOR_CONSERVATIVE, VECTOR_BATCHED, VECTOR_DATATYPE };
enum window_kind { WINDOW_AUTO, WINDOW_ALLOCATE, WINDOW_CREATE };
enum shm_policy { SHM_AUTO, SHM_MEMFD, SHM_MPI, SHM_NO };
enum transport_policy { TRANSPORT_AUTO, TRANSPORT_RMA, TRANSPORT_AM, TRANSPORT_RDMA };
enum progress_policy { PROGRESS_AUTO, PROGRESS_THREAD, PROGRESS_RANK, PROGRESS_NONE };
enum nodes_policy { NODES_AUTO, DOMAINS_RANK };

/* Remedies for defects of MPI libraries; mpi/quirks.c decides which are needed. */
enum remedy {
    /* those that ARMCI_QUIRKS names, in the order of the table in config_table.c */
    REMEDY_PAD_SLICES,
    REMEDY_SHARED_WINDOWS,
    REMEDY_UNTHREADED_WINDOWS,
    REMEDY_WIN_ALLOCATE,
    REMEDY_SPLIT_NEGATIVE_STRIDES,
    REMEDY_SPLIT_BYTE_STRIDES,
    REMEDY_SPLIT_STRIDED_ACC,
    REMEDY_SPLIT_VECTOR_ACC,
    REMEDY_REMOTE_FLUSH,
    REMEDY_FLUSH_READBACK,
    REMEDY_PROBE_RECEIVES,
    REMEDY_FINALIZE_BARRIER,
    REMEDY_PACK_PUTS,
    REMEDIES,
    /* limits, which have variables, and what the library never does */
    LIMIT_ACC_SEGMENTS = REMEDIES,
    LIMIT_EAGER,
    LIMIT_OUTSTANDING,
    NO_REQUESTS
};
enum remedy_policy { REMEDY_AUTO, REMEDY_ON, REMEDY_OFF };

/* The values in force; the table in config_table.c describes them. */
struct config {
    unsigned verbose; /* 0 to 2 */
    enum errors_policy errors;
    enum strided_method strided_method;
    enum vector_method vector_method; /* ARMCI_IOV_METHOD */
    size_t batched_limit;             /* ARMCI_IOV_BATCHED_LIMIT; 0: chosen by the library */
    enum shm_policy shm;
    enum transport_policy transport;
    enum progress_policy progress;
    enum window_kind window_kind; /* ARMCI_USE_WIN_ALLOCATE */
    bool noncollective_groups;
    enum nodes_policy nodes;
    bool debug_alloc;
    bool verify;
    bool quirks;                           /* ARMCI_QUIRKS; false: none but those that it names */
    enum remedy_policy remedies[REMEDIES]; /* the names in it */
    size_t eager_max;                      /* bytes; 0: auto */
    size_t rdma_segment;                   /* bytes */
    size_t acc_max_segments;               /* 0: auto */
    size_t outstanding_limit;
    bool stats;
    const char *stats_file; /* NULL: a table */
    size_t datatype_limit;  /* bytes */
};

#endif
