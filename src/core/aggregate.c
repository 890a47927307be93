/* aggregate.c - queue of small requests that become one vector transfer. */
#include "core/handle.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

bool armcii_aggregate_accepts(const struct op *op)
{
    return op->shape.form == SHAPE_CONTIGUOUS && op->shape.bytes > 0;
}

bool armcii_aggregate_fits(const struct aggregate *a, const struct op *op)
{
    if (a->n == 0) return true;
    if (a->first.target != op->target || a->first.verb.kind != op->verb.kind) return false;
    if (op->verb.kind != OP_ACC) return true;
    return a->first.verb.element == op->verb.element &&
           memcmp(a->scale, op->scale, armcii_elements[op->verb.element].size) == 0;
}

static void make_room(struct aggregate *a)
{
    if (a->n < a->room) return;
    a->room = a->room ? 2 * a->room : 16;
    a->local = realloc(a->local, a->room * sizeof *a->local);
    a->remote = realloc(a->remote, a->room * sizeof *a->remote);
    a->bytes = realloc(a->bytes, a->room * sizeof *a->bytes);
    a->runs = realloc(a->runs, a->room * sizeof *a->runs);
    if (!a->local || !a->remote || !a->bytes || !a->runs)
        armcii_fatal("out of memory for %zu aggregated requests", a->room);
}

static void *copy_bytes(struct aggregate *a, const void *bytes, size_t n)
{
    struct buffer *v = armcii_buffer_new(n);
    if (!v) armcii_fatal("out of memory for an aggregated value");
    v->next = a->copies;
    a->copies = v;
    return memcpy(v->data, bytes, n);
}

int armcii_aggregate_add(struct aggregate *a, const struct op *op, bool copy)
{
    const char *argument = op->verb.kind == OP_GET ? "src" : "dst";
    int rc = armcii_op_resolve(op->caller, argument, op->target, op->shape.remote, op->shape.bytes,
                               &a->raddr);
    if (!rc) rc = armcii_op_check_mode(op->caller, argument, op->verb.kind, &a->raddr);
    if (rc) return rc;
    a->version = armcii_directory_version;
    make_room(a);
    if (a->n == 0) {
        a->first = *op;
        if (op->verb.kind == OP_ACC)
            memcpy(a->scale, op->scale, armcii_elements[op->verb.element].size);
    }
    a->local[a->n] = copy ? copy_bytes(a, op->shape.local, op->shape.bytes) : op->shape.local;
    a->remote[a->n] = op->shape.remote;
    a->bytes[a->n] = op->shape.bytes;
    a->n++;
    return 0;
}

static bool is_in_cached_slice(const struct aggregate *a, const char *remote, size_t bytes)
{
    return a->version == armcii_directory_version && remote >= a->raddr.lo &&
           remote < a->raddr.hi && bytes <= (size_t)(a->raddr.hi - remote);
}

bool armcii_aggregate_append(struct aggregate *a, enum op_kind kind, int target, void *local,
                             void *remote, size_t bytes)
{
    if (a->n == 0 || a->n == a->room || bytes == 0 || kind == OP_ACC) return false;
    if (a->first.target != target || a->first.verb.kind != kind ||
        !is_in_cached_slice(a, remote, bytes))
        return false;
    a->local[a->n] = local;
    a->remote[a->n] = remote;
    a->bytes[a->n] = bytes;
    a->n++;
    return true;
}

bool armcii_aggregate_has(const struct aggregate *a, int target)
{
    return a->n > 0 && (target < 0 || a->first.target == target);
}

bool armcii_aggregate_make_op(struct aggregate *a, struct op *op)
{
    size_t runs = 0, n = a->n;
    if (n == 0) return false;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && a->bytes[i] == a->bytes[i - 1]) {
            a->runs[runs - 1].n++;
            continue;
        }
        a->runs[runs++] = (struct vector_run){a->local + i, a->remote + i, a->bytes[i], 1};
    }
    *op = a->first;
    op->scale = a->scale;
    armcii_shape_vector(&op->shape, a->runs, runs);
    armcii_shape_range(&op->shape, SHAPE_REMOTE, &op->lo, &op->hi);
    return true;
}

void armcii_aggregate_recycle(struct aggregate *sent, struct aggregate *a)
{
    sent->n = 0;
    sent->copies = NULL;
    if (a->room == 0)
        *a = *sent;
    else
        armcii_aggregate_free(sent);
}

void armcii_aggregate_free(struct aggregate *a)
{
    armcii_buffers_free(a->copies);
    free(a->local);
    free(a->remote);
    free(a->bytes);
    free(a->runs);
    *a = (struct aggregate){0};
}
