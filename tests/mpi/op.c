/* op.c - issues one transfer in the form wanted. */
#include "op.h"

#include <stdio.h>
#include <string.h>

int element_first(void)
{
    return test_ranks() <= 2 ? 0 : test_ranks() % 3;
}

int element_next(int type)
{
    return test_ranks() <= 2 ? type + 1 : type + 3;
}

const char *op_name(const struct op *op, const char *form)
{
    static char name[60];
    static const char *const kinds[] = {"Put", "Get", "Acc"};
    static const char *const hows[] = {"", "", " (implicit handle)"};

    snprintf(name, sizeof name, "ARMCI_%s%s%s%s%s%s", op->how == OP_BLOCKING ? "" : "Nb", kinds[op->kind], form,
             op->kind == OP_ACC ? " " : "", op->kind == OP_ACC ? element_name(op->type) : "", hows[op->how]);
    return name;
}

static armci_hdl_t *handle_of(const struct op *op, armci_hdl_t *hdl)
{
    return op->how == OP_HANDLE ? hdl : NULL;
}

static struct call call_of(const struct op *op, union scale *scale, int proc, armci_hdl_t *hdl)
{
    *scale = op->scale;
    return (struct call){.verb = (unsigned)op->kind,
                         .blocking = op->how == OP_BLOCKING,
                         .handle = handle_of(op, hdl),
                         .type = op->type,
                         .scale = scale,
                         .proc = proc};
}

void op_contiguous(const struct op *op, void *local, void *remote, size_t bytes, int proc, armci_hdl_t *hdl)
{
    union scale s;
    struct call c = call_of(op, &s, proc, hdl);

    check_long(call_contiguous(&c, local, remote, (int)bytes), 0, "%s of %zu bytes with %d: code", op_name(op, ""), bytes, proc);
}

void op_strided(const struct op *op, void *local_room, void *remote_room, const struct patch *p, int proc, armci_hdl_t *hdl)
{
    struct patch q = *p; /* the call takes no const; a scribble on its arguments would not go unnoticed */
    union scale s;
    struct call c = call_of(op, &s, proc, hdl);
    char *local = (char *)local_room + p->start[LOCAL], *remote = (char *)remote_room + p->start[REMOTE];
    int code = call_strided(&c, local, q.stride[LOCAL], remote, q.stride[REMOTE], q.count, q.levels);

    check_long(code, 0, "%s with %d, %s: code", op_name(op, "S"), proc, patch_text(p));
    check(memcmp(&q, p, sizeof q) == 0, "%s with %d, %s: changed its arguments", op_name(op, "S"), proc, patch_text(p));
}

void op_vector(const struct op *op, armci_giov_t *iov, int n, int proc, armci_hdl_t *hdl)
{
    union scale s;
    struct call c = call_of(op, &s, proc, hdl);

    check_long(call_vector(&c, iov, n), 0, "%s of %d entries with %d: code", op_name(op, "V"), n, proc);
}

void op_wait(const struct op *op, armci_hdl_t *hdl)
{
    if (op->how != OP_BLOCKING) check_long(ARMCI_Wait(handle_of(op, hdl)), 0, "ARMCI_Wait after %s: code", op_name(op, ""));
}

void op_model(const struct op *op, void *local, void *remote, size_t bytes)
{
    switch (op->kind) {
    case OP_PUT: memcpy(remote, local, bytes); break;
    case OP_GET: memcpy(local, remote, bytes); break;
    case OP_ACC: element_accumulate(op->type, &op->scale, local, remote, bytes); break;
    }
}
