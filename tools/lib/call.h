/* call.h - one transfer by the call of ARMCI that fits: put, get or accumulate, blocking or not. */
#ifndef TOOLS_LIB_CALL_H
#define TOOLS_LIB_CALL_H

#include <armci.h>
#include <stdbool.h>

struct call {
    enum { CALL_PUT, CALL_GET, CALL_ACC } verb;
    bool blocking;
    armci_hdl_t *handle; /* not blocking: NULL is the implicit one */
    int type;            /* of accumulate */
    void *scale;
    int proc;
};

/* Each returns what ARMCI returns. A get goes from the remote side to the local one. */
int call_contiguous(const struct call *c, void *local, void *remote, int bytes);
int call_strided(const struct call *c, void *local, int local_stride[], void *remote,
                 int remote_stride[], int count[], int levels);
/* iov as ARMCI takes it: the sources of a get are remote. */
int call_vector(const struct call *c, armci_giov_t *iov, int n);

#endif
