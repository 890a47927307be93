/* options.h - the command line. */
#ifndef RANDOM_OPTIONS_H
#define RANDOM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What programs consist of; each can be left out. */
enum family {
    FAMILY_PUT,
    FAMILY_GET,
    FAMILY_ACC,
    FAMILY_CONTIGUOUS,
    FAMILY_STRIDED,
    FAMILY_VECTOR,
    FAMILY_VALUE,
    FAMILY_NONBLOCKING,
    FAMILY_AGGREGATE,
    FAMILY_RMW,
    FAMILY_LOCK,
    FAMILY_FENCE,
    FAMILY_GROUP_FENCE,
    FAMILY_FLAG,
    FAMILY_NOTIFY,
    FAMILY_MESSAGE,
    FAMILY_REDUCE,
    FAMILY_GROUP,
    FAMILY_REGION,
    FAMILY_ACCESS,
    FAMILY_PACK,
    FAMILY_BARRIER,
    FAMILY_OVERLAP,
    FAMILY_NEGATIVE,
    FAMILY_ZERO,
    FAMILY_UNALIGNED,
    FAMILY_WHOLE,
    FAMILY_LOCAL_IN_GLOBAL,
    FAMILY_LAZY,
    FAMILY_WAIT_NULL,
    FAMILY_NO_INIT,
    FAMILY_NONCOLLECTIVE,
    FAMILY_STATUS,
    FAMILIES
};

struct options {
    uint64_t seed;
    long programs;   /* how many; 0: until the time is used */
    int seconds;     /* 0: no limit */
    int phases, ops; /* of a program; of a process in a phase */
    long bytes;      /* of the largest slice */
    long longest;    /* bytes of the longest transfer */
    int hang;        /* seconds that a program may take */
    int repeat;      /* runs of each program */
    bool list;
    const char *state;         /* file that says where each process is */
    const unsigned char *keep; /* [keep_units]: is the unit kept?  NULL: all are */
    long keep_units;
    unsigned char family[FAMILIES];
};

extern const struct options *const options;

/* Read the command line.  false, with *status the exit status: nothing is left to do. */
bool options_read(int argc, char **argv, bool speaks, int *status);
/* Leave a family out, since the library has no such function. */
void options_leave_out(enum family family);
bool has(enum family family);
/* Is the unit among those of --only? */
bool options_keep(long unit);

#endif
