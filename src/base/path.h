/* path.h - the paths that carry operations. */
#ifndef ARMCII_PATH_H
#define ARMCII_PATH_H

/* The path that carried an operation, for statistics and reports. */
enum path {
    PATH_NONE,         /* no data moved */
    PATH_AGGREGATED,   /* queued in an aggregate handle */
    PATH_DIRECT,       /* loads, stores and atomic instructions */
    PATH_SERVER,       /* requests to a server */
    PATH_CONTIGUOUS,   /* one RMA call */
    PATH_DATATYPE,     /* RMA calls with derived datatypes */
    PATH_BATCHED,      /* one RMA call per segment, completed in batches */
    PATH_CONSERVATIVE, /* one RMA call per segment, each complete before the next */
    PATH_ATOMIC,       /* an atomic RMA call */
    PATHS
};

#endif
