/* op.c - issues one transfer in the form wanted. */
#include "op.h"

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
    static _Thread_local char name[60];
    static const char *const kinds[] = {"Put", "Get", "Acc"};
    static const char *const hows[] = {"", "", " (implicit handle)"};
    snprintf(name, sizeof name, "ARMCI_%s%s%s%s%s%s", op->how == OP_BLOCKING ? "" : "Nb",
             kinds[op->kind], form, op->kind == OP_ACC ? " " : "",
             op->kind == OP_ACC ? element_name(op->type) : "", hows[op->how]);
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

void op_contiguous(const struct op *op, void *local, void *remote, size_t bytes, int proc,
                   armci_hdl_t *hdl)
{
    union scale s;
    struct call c = call_of(op, &s, proc, hdl);
    check_long(call_contiguous(&c, local, remote, (int)bytes), 0, "%s of %zu bytes with %d: code",
               op_name(op, ""), bytes, proc);
}

void op_strided(const struct op *op, void *local_room, void *remote_room, const struct patch *p,
                int proc, armci_hdl_t *hdl)
{
    struct patch q =
        *p; /* the call takes no const; a scribble on its arguments would not go unnoticed */
    union scale s;
    struct call c = call_of(op, &s, proc, hdl);
    char *local = (char *)local_room + p->start[LOCAL],
         *remote = (char *)remote_room + p->start[REMOTE];
    int code =
        call_strided(&c, local, q.stride[LOCAL], remote, q.stride[REMOTE], q.count, q.levels);
    check_long(code, 0, "%s with %d, %s: code", op_name(op, "S"), proc, patch_text(p));
    check(memcmp(&q, p, sizeof q) == 0, "%s with %d, %s: changed its arguments", op_name(op, "S"),
          proc, patch_text(p));
}

void op_vector(const struct op *op, armci_giov_t *iov, int n, int proc, armci_hdl_t *hdl)
{
    union scale s;
    struct call c = call_of(op, &s, proc, hdl);
    check_long(call_vector(&c, iov, n), 0, "%s of %d entries with %d: code", op_name(op, "V"), n,
               proc);
}

void op_wait(const struct op *op, armci_hdl_t *hdl)
{
    if (op->how != OP_BLOCKING)
        check_long(ARMCI_Wait(handle_of(op, hdl)), 0, "ARMCI_Wait after %s: code", op_name(op, ""));
}

void op_model(const struct op *op, void *local, void *remote, size_t bytes)
{
    switch (op->kind) {
    case OP_PUT: memcpy(remote, local, bytes); break;
    case OP_GET: memcpy(local, remote, bytes); break;
    case OP_ACC: element_accumulate(op->type, &op->scale, local, remote, bytes); break;
    }
}

static void model_at(const struct op *op, const struct sides *s, size_t from, size_t to,
                     size_t bytes)
{
    op_model(op, (char *)s->local_model + from, (char *)s->remote_model + to, bytes);
}

void op_bytes(const struct op *op, const struct sides *s, size_t from, size_t to, size_t bytes,
              armci_hdl_t *hdl)
{
    op_contiguous(op, (char *)s->local + from, (char *)s->remote + to, bytes, s->target, hdl);
    model_at(op, s, from, to, bytes);
}

void op_patch(const struct op *op, const struct sides *s, const struct patch *p, armci_hdl_t *hdl)
{
    op_strided(op, s->local, s->remote, p, s->target, hdl);
    for (size_t i = 0; i < patch_segments(p); i++)
        model_at(op, s, patch_offset(p, LOCAL, i), patch_offset(p, REMOTE, i), (size_t)p->count[0]);
}

void op_segments(const struct op *op, const struct sides *s, int n, size_t bytes,
                 const size_t from[], const size_t to[], armci_hdl_t *hdl)
{
    void *here[n], *there[n];
    armci_giov_t v = {op->kind == OP_GET ? there : here, op->kind == OP_GET ? here : there,
                      (int)bytes, n};
    for (int i = 0; i < n; i++) {
        here[i] = (char *)s->local + from[i];
        there[i] = (char *)s->remote + to[i];
    }
    op_vector(op, &v, 1, s->target, hdl);
    for (int i = 0; i < n; i++)
        model_at(op, s, from[i], to[i], bytes);
    op_wait(op, hdl); /* the lists end here */
}
