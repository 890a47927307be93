/* report.c - failure report of the verification. */
#include "observe/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

_Noreturn void armcii_report_rmw(enum path path, int target, const char *evidence, ...)
{
    char operation[512];
    va_list args;
    snprintf(operation, sizeof operation, "ARMCI_Rmw: process %d, by the path %s (%s)", target, armcii_paths[path].name,
             armcii_paths[path].doc);
    va_start(args, evidence);
    end(operation, is_by_mpi(path), true, evidence, args);
}
