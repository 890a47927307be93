/* call.c - transfers by the calls of ARMCI. */
#include "call.h"

int call_contiguous(const struct call *c, void *local, void *remote, int bytes)
{
    bool b = c->blocking;
    int p = c->proc;
    armci_hdl_t *h = c->handle;
    switch (c->verb) {
    case CALL_PUT:
        return b ? ARMCI_Put(local, remote, bytes, p) : ARMCI_NbPut(local, remote, bytes, p, h);
    case CALL_GET:
        return b ? ARMCI_Get(remote, local, bytes, p) : ARMCI_NbGet(remote, local, bytes, p, h);
    default:
        return b ? ARMCI_Acc(c->type, c->scale, local, remote, bytes, p)
                 : ARMCI_NbAcc(c->type, c->scale, local, remote, bytes, p, h);
    }
}

int call_strided(const struct call *c, void *local, int ls[], void *remote, int rs[], int count[],
                 int levels)
{
    bool b = c->blocking;
    int p = c->proc;
    armci_hdl_t *h = c->handle;
    switch (c->verb) {
    case CALL_PUT:
        return b ? ARMCI_PutS(local, ls, remote, rs, count, levels, p)
                 : ARMCI_NbPutS(local, ls, remote, rs, count, levels, p, h);
    case CALL_GET:
        return b ? ARMCI_GetS(remote, rs, local, ls, count, levels, p)
                 : ARMCI_NbGetS(remote, rs, local, ls, count, levels, p, h);
    default:
        return b ? ARMCI_AccS(c->type, c->scale, local, ls, remote, rs, count, levels, p)
                 : ARMCI_NbAccS(c->type, c->scale, local, ls, remote, rs, count, levels, p, h);
    }
}

int call_vector(const struct call *c, armci_giov_t *iov, int n)
{
    bool b = c->blocking;
    int p = c->proc;
    armci_hdl_t *h = c->handle;
    switch (c->verb) {
    case CALL_PUT: return b ? ARMCI_PutV(iov, n, p) : ARMCI_NbPutV(iov, n, p, h);
    case CALL_GET: return b ? ARMCI_GetV(iov, n, p) : ARMCI_NbGetV(iov, n, p, h);
    default:
        return b ? ARMCI_AccV(c->type, c->scale, iov, n, p)
                 : ARMCI_NbAccV(c->type, c->scale, iov, n, p, h);
    }
}
