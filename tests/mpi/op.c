/* op.c - issues one transfer in the form wanted. */
#include "op.h"

#include <stdio.h>
#include <string.h>

const char *op_name(const struct op *op, const char *form)
{
    static char name[60];
    static const char *const kinds[] = { "Put", "Get", "Acc" };
    static const char *const hows[] = { "", "", " (implicit handle)" };

    snprintf(name, sizeof name, "ARMCI_%s%s%s%s%s%s", op->how == OP_BLOCKING ? "" : "Nb", kinds[op->kind], form,
             op->kind == OP_ACC ? " " : "", op->kind == OP_ACC ? element_name(op->type) : "", hows[op->how]);
    return name;
}

static armci_hdl_t *handle_of(const struct op *op, armci_hdl_t *hdl)
{
    return op->how == OP_HANDLE ? hdl : NULL;
}

void op_contiguous(const struct op *op, void *local, void *remote, size_t bytes, int proc, armci_hdl_t *hdl)
{
    union scale s = op->scale;
    armci_hdl_t *h = handle_of(op, hdl);
    bool blocking = op->how == OP_BLOCKING;
    int n = (int)bytes, code = -1;

    switch (op->kind) {
    case OP_PUT:
        code = blocking ? ARMCI_Put(local, remote, n, proc) : ARMCI_NbPut(local, remote, n, proc, h);
        break;
    case OP_GET:
        code = blocking ? ARMCI_Get(remote, local, n, proc) : ARMCI_NbGet(remote, local, n, proc, h);
        break;
    case OP_ACC:
        code = blocking ? ARMCI_Acc(op->type, &s, local, remote, n, proc)
                        : ARMCI_NbAcc(op->type, &s, local, remote, n, proc, h);
        break;
    }
    check_long(code, 0, "%s of %zu bytes with %d: code", op_name(op, ""), bytes, proc);
}

void op_strided(const struct op *op, void *local_room, void *remote_room, const struct patch *p, int proc,
                armci_hdl_t *hdl)
{
    struct patch q = *p; /* the call takes no const; a scribble on its arguments would not go unnoticed */
    union scale s = op->scale;
    armci_hdl_t *h = handle_of(op, hdl);
    bool blocking = op->how == OP_BLOCKING;
    char *local = (char *)local_room + p->start[LOCAL], *remote = (char *)remote_room + p->start[REMOTE];
    int *ls = q.stride[LOCAL], *rs = q.stride[REMOTE], code = -1;

    switch (op->kind) {
    case OP_PUT:
        code = blocking ? ARMCI_PutS(local, ls, remote, rs, q.count, q.levels, proc)
                        : ARMCI_NbPutS(local, ls, remote, rs, q.count, q.levels, proc, h);
        break;
    case OP_GET:
        code = blocking ? ARMCI_GetS(remote, rs, local, ls, q.count, q.levels, proc)
                        : ARMCI_NbGetS(remote, rs, local, ls, q.count, q.levels, proc, h);
        break;
    case OP_ACC:
        code = blocking ? ARMCI_AccS(op->type, &s, local, ls, remote, rs, q.count, q.levels, proc)
                        : ARMCI_NbAccS(op->type, &s, local, ls, remote, rs, q.count, q.levels, proc, h);
        break;
    }
    check_long(code, 0, "%s with %d, %s: code", op_name(op, "S"), proc, patch_text(p));
    check(memcmp(&q, p, sizeof q) == 0, "%s with %d, %s: changed its arguments", op_name(op, "S"), proc, patch_text(p));
}

void op_vector(const struct op *op, armci_giov_t *iov, int n, int proc, armci_hdl_t *hdl)
{
    union scale s = op->scale;
    armci_hdl_t *h = handle_of(op, hdl);
    bool blocking = op->how == OP_BLOCKING;
    int code = -1;

    switch (op->kind) {
    case OP_PUT:
        code = blocking ? ARMCI_PutV(iov, n, proc) : ARMCI_NbPutV(iov, n, proc, h);
        break;
    case OP_GET:
        code = blocking ? ARMCI_GetV(iov, n, proc) : ARMCI_NbGetV(iov, n, proc, h);
        break;
    case OP_ACC:
        code = blocking ? ARMCI_AccV(op->type, &s, iov, n, proc) : ARMCI_NbAccV(op->type, &s, iov, n, proc, h);
        break;
    }
    check_long(code, 0, "%s of %d entries with %d: code", op_name(op, "V"), n, proc);
}

void op_wait(const struct op *op, armci_hdl_t *hdl)
{
    if (op->how != OP_BLOCKING)
        check_long(ARMCI_Wait(handle_of(op, hdl)), 0, "ARMCI_Wait after %s: code", op_name(op, ""));
}

void op_model(const struct op *op, void *local, void *remote, size_t bytes)
{
    switch (op->kind) {
    case OP_PUT:
        memcpy(remote, local, bytes);
        break;
    case OP_GET:
        memcpy(local, remote, bytes);
        break;
    case OP_ACC:
        element_accumulate(op->type, &op->scale, local, remote, bytes);
        break;
    }
}
