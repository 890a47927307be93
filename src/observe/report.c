/* report.c - failure report of the verification, and the readback of remote memory. */
#include "observe/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>

#include "base/config.h"
#include "base/log.h"
#include "mpi/quirks.h"
#include "mpi/world.h"
#include "core/op.h"

__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    armcii_log_line("ARMCI verification: ", format, args);
    va_end(args);
}

/* Does the row describe this library, and accumulates or other operations?  Whether its remedy is active does not matter. */
static bool applies(const struct quirk_row *row, const char *library, bool accumulates)
{
    int version;
    const char *name = armcii_quirks_library(library, &version);
    if (!name || strcmp(name, row->library) != 0 || version < row->from || version > row->to) return false;
    return (strstr(row->defect, "ccumulate") != NULL) == accumulates;
}

static void print_quirks(bool accumulates)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, found = 0;
    MPI_Get_library_version(library, &length);
    for (size_t i = 0; armcii_quirk_row(i); i++) {
        const struct quirk_row *row = armcii_quirk_row(i);
        if (!applies(row, library, accumulates)) continue;
        bool avoided = armcii_config->quirks && armcii_quirk_is_in_force(i, library, armcii_world->nodes > 1);
        print("quirk row %zu (%s) may be the cause: %s; %s: %s", i + 1, row->library, row->defect,
              avoided ? "avoided in this job" : "NOT avoided in this job", row->remedy);
        found++;
    }
    if (!found) print("no row of the quirk table describes this: %.*s", (int)strcspn(library, "\n,"), library);
}

_Noreturn static void end(const char *operation, bool by_mpi, bool accumulates, const char *evidence, va_list args)
{
    char text[512];
    vsnprintf(text, sizeof text, evidence, args);
    print("WRONG: %s: %s", operation, text);
    if (by_mpi)
        print_quirks(accumulates);
    else
        print("no row of the quirk table applies: this path makes no one-sided MPI call");
    armcii_abort_job(1);
    abort();
}

static const char *kind_name(const struct op *op)
{
    static const char *const names[] = {[RMA_PUT] = "put of", [RMA_GET] = "get of", [RMA_ACC] = "accumulate of"};
    return names[op->verb.kind];
}

static bool is_by_mpi(enum path path)
{
    return path != PATH_DIRECT && path != PATH_SERVER;
}

_Noreturn void armcii_report_op(const struct op *op, enum path path, const char *evidence, ...)
{
    char operation[512];
    va_list args;
    snprintf(operation, sizeof operation, "%s: %s %zu bytes in %zu pieces, process %d, by the path %s (%s)", op->caller, kind_name(op),
             op->shape.bytes, op->shape.nsegs, op->target, armcii_paths[path].name, armcii_paths[path].doc);
    va_start(args, evidence);
    end(operation, is_by_mpi(path), op->verb.kind == RMA_ACC, evidence, args);
}

_Noreturn void armcii_report_rmw(const char *caller, enum path path, int target, const char *evidence, ...)
{
    char operation[512];
    va_list args;
    snprintf(operation, sizeof operation, "%s: process %d, by the path %s (%s)", caller, target, armcii_paths[path].name,
             armcii_paths[path].doc);
    va_start(args, evidence);
    end(operation, is_by_mpi(path), true, evidence, args);
}

/* ---- readback ---- */

enum { SMALL_RANGE = 4096, POISON = 0x5b };

/* The address of raddr->lo in this process; NULL if it is not mapped.  A process can always load its own memory. */
static const char *loadable(const struct raddr *raddr, int target)
{
    return target == armcii_world->rank ? raddr->lo : raddr->mapped;
}

static void load(const struct raddr *raddr, const char *from, const struct shape *s, char *into)
{
    struct shape_iter it;
    struct segment seg;
    armcii_region_sync(raddr->region);
    atomic_thread_fence(memory_order_seq_cst);
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes)
        memcpy(into, from + (seg.remote - raddr->lo), seg.bytes);
}

/* Contiguous get, which may take another transport than the verified operation. */
static void get_contiguous(const struct raddr *raddr, int target, char *into, char *remote, size_t bytes)
{
    struct op op = {.caller = "ARMCI_VERIFY", .verb = {.kind = RMA_GET}, .target = target};
    struct request req = {0};
    armcii_shape_contiguous(&op.shape, into, remote, bytes);
    raddr->route->contiguous->start(&op, raddr, remote, remote + bytes, &req);
    armcii_op_finish(&req);
}

static void get_segments(const struct raddr *raddr, int target, const struct shape *s, char *into)
{
    memset(into, POISON, s->bytes); /* a lost get must not leave the bytes of an earlier one */
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes)
        get_contiguous(raddr, target, into, seg.remote, seg.bytes);
}

/* Get the whole range of many small segments at once; the caller frees it.  NULL: the range is too sparse, or memory runs out. */
static char *get_range(const struct raddr *raddr, int target, const struct shape *s, char **lo)
{
    char *hi;
    struct shape range;
    if (s->form == SHAPE_CONTIGUOUS || armcii_shape_range(s, SHAPE_REMOTE, lo, &hi) != SHAPE_OK) return NULL;
    size_t bytes = (size_t)(hi - *lo);
    if (bytes > 4 * s->bytes + SMALL_RANGE) return NULL;
    char *memory = malloc(bytes);
    if (!memory) return NULL;
    armcii_shape_contiguous(&range, memory, *lo, bytes);
    get_segments(raddr, target, &range, memory);
    return memory;
}

void armcii_readback(const struct raddr *raddr, int target, const struct shape *s, char *into)
{
    const char *from = loadable(raddr, target);
    char *lo;
    if (from) {
        load(raddr, from, s, into);
        return;
    }
    char *range = get_range(raddr, target, s, &lo);
    if (!range) {
        get_segments(raddr, target, s, into);
        return;
    }
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes)
        memcpy(into, range + (seg.remote - lo), seg.bytes);
    free(range);
}
