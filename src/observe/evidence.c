/* evidence.c - reads remote memory back; adds up whole arrays, independently of the kernels; reports a failure. */
#include "observe/verify.h"

#include <float.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/log.h"
#include "core/op.h"
#include "mpi/quirks.h"
#include "mpi/world.h"

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

/* ---- reference accumulate ---- */

static bool is_integer(enum element e)
{
    return e == ELEMENT_INT || e == ELEMENT_LONG;
}

/* Numbers go through variables, since arrays may be unaligned. */
static double real_at(size_t size, const char *at)
{
    double d;
    float f;
    if (size == sizeof d) {
        memcpy(&d, at, sizeof d);
        return d;
    }
    memcpy(&f, at, sizeof f);
    return (double)f;
}

/* A sum of two floats is exact enough in double: rounding it to float gives the correctly rounded float sum. */
static void add_real(size_t size, char *sum, const char *addend)
{
    double d = real_at(size, sum) + real_at(size, addend);
    if (size == sizeof d)
        memcpy(sum, &d, sizeof d);
    else
        memcpy(sum, &(float){(float)d}, sizeof(float));
}

/* Unsigned, since signed overflow is undefined. */
static void add_integer(size_t size, char *sum, const char *addend)
{
    unsigned long a, b;
    unsigned small_a, small_b;
    if (size == sizeof a) {
        memcpy(&a, sum, sizeof a);
        memcpy(&b, addend, sizeof b);
        a += b;
        memcpy(sum, &a, sizeof a);
        return;
    }
    memcpy(&small_a, sum, sizeof small_a);
    memcpy(&small_b, addend, sizeof small_b);
    small_a += small_b;
    memcpy(sum, &small_a, sizeof small_a);
}

void armcii_reference_add(enum element e, char *sums, const char *addends, size_t bytes)
{
    size_t size = armcii_element_align(e);
    void (*const add)(size_t, char *, const char *) = is_integer(e) ? add_integer : add_real;
    for (size_t i = 0; i < bytes; i += size)
        add(size, sums + i, addends + i);
}

double armcii_reference_largest(enum element e, const char *numbers, size_t bytes)
{
    size_t size = armcii_element_align(e);
    double largest = 0;
    for (size_t i = 0; !is_integer(e) && i < bytes; i += size) {
        double d = real_at(size, numbers + i);
        if (d < 0) d = -d;
        if (d > largest || d != d) largest = d; /* NaN is sticky */
    }
    return largest;
}

static bool is_close(size_t size, const char *seen, const char *expected, double slack)
{
    double s = real_at(size, seen), e = real_at(size, expected);
    double unit = size == sizeof(double) ? DBL_EPSILON : (double)FLT_EPSILON;
    double difference = s > e ? s - e : e - s;
    if (e - e != 0) return true; /* not finite */
    return difference <= slack * unit || !(slack * unit <= DBL_MAX);
}

size_t armcii_reference_compare(enum element e, const char *seen, const char *expected, size_t bytes, double slack)
{
    size_t size = armcii_element_align(e);
    if (memcmp(seen, expected, bytes) == 0) return bytes;
    for (size_t i = 0; i < bytes; i += size) {
        if (memcmp(seen + i, expected + i, size) == 0) continue;
        if (is_integer(e) || !is_close(size, seen + i, expected + i, slack)) return i;
    }
    return bytes;
}

/* ---- report ---- */

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

_Noreturn void armcii_report_rmw(enum path path, int target, const char *evidence, ...)
{
    char operation[512];
    va_list args;
    snprintf(operation, sizeof operation, "ARMCI_Rmw: process %d, by the path %s (%s)", target, armcii_paths[path].name,
             armcii_paths[path].doc);
    va_start(args, evidence);
    end(operation, is_by_mpi(path), true, evidence, args);
}
