/* mixture.h - random operations of every kind and form on the caller's lanes, each against a model:
 * a process, or a thread of it, sees its own operations in the order in which it issued them. */
#ifndef TEST_MIXTURE_H
#define TEST_MIXTURE_H

#include "lanes.h"
#include "op.h"

enum { MIXTURE_OPEN = 4, MIXTURE_OPEN_BYTES = 256 };

struct mixture {
    struct lanes lanes;
    int type; /* of accumulates; integers: read-modify-write, too; all but complex: values, too */
    struct rng rng;
    int target; /* of the last operation; often that of the next one */
    size_t room;
    unsigned char *local, *expected; /* room bytes each: the local side, and its model */
    struct {
        armci_hdl_t handle;
        unsigned char local[MIXTURE_OPEN_BYTES];
    } open[MIXTURE_OPEN]; /* accumulates that nobody has waited for */
};

/* Lanes of `bytes` bytes on every process. Collective. */
struct mixture mixture_create(int type, size_t bytes, uint64_t stream);
/* One operation, or several that are waited for together. Threads may work on a mixture each. */
void mixture_step(struct mixture *m);
/* Complete everything, verify the memory of all processes, free it. Collective. */
void mixture_end(struct mixture *m, const char *what);

#endif
