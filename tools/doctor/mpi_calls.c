/* mpi_calls.c - each call of MPI's one-sided family, contiguous and with derived datatypes; limits
 * of datatypes and of requests. */
#include "probes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

enum { SHAPES = 80 };

#define KIND(K) (1u << LAYOUT_##K)
enum {
    EVEN = KIND(CONTIGUOUS) | KIND(BASIC),
    STRIDED = KIND(VECTOR) | KIND(HVECTOR) | KIND(SUBARRAY) | EVEN,
    INDEXED = KIND(INDEXED) | KIND(HINDEXED) | KIND(STRUCT) | EVEN,
    ANY = STRIDED | INDEXED
};

void probe_put_get(struct finding *f)
{
    calls_try(f, CALL_PUT, EVEN, SHAPES, 1);
    if (!f->skipped) calls_try(f, CALL_GET, EVEN, SHAPES, 1);
}
void probe_accumulate(struct finding *f)
{
    calls_try(f, CALL_ACC, EVEN, SHAPES, 1);
}
void probe_get_accumulate(struct finding *f)
{
    calls_try(f, CALL_GETACC, EVEN, SHAPES, 1);
}
void probe_put_types(struct finding *f)
{
    calls_try(f, CALL_PUT, ANY, SHAPES, 1.5);
}
void probe_get_types(struct finding *f)
{
    calls_try(f, CALL_GET, ANY, SHAPES, 1.5);
}
void probe_acc_strided(struct finding *f)
{
    calls_try(f, CALL_ACC, STRIDED, job->probing ? 4 * SHAPES : SHAPES, job->probing ? 4 : 1.5);
}
void probe_acc_indexed(struct finding *f)
{
    calls_try(f, CALL_ACC, INDEXED, job->probing ? 4 * SHAPES : SHAPES, job->probing ? 4 : 1.5);
}
void probe_getacc_types(struct finding *f)
{
    calls_try(f, CALL_GETACC, ANY, SHAPES, 1.5);
}
void probe_request_contiguous(struct finding *f)
{
    for (enum call c = CALL_RPUT; c <= CALL_RGETACC && !f->skipped; c++)
        calls_try(f, c, EVEN, SHAPES / 2, 0.7);
}
void probe_rget_types(struct finding *f)
{
    calls_try(f, CALL_RGET, ANY, SHAPES, 1.5);
}
void probe_racc_types(struct finding *f)
{
    calls_try(f, CALL_RACC, ANY, SHAPES, 1.5);
    if (!f->skipped) calls_try(f, CALL_RGETACC, ANY, SHAPES, 1.5);
}

/* ---------------------------------------------------------------- a buffer used again */

/* More than socket buffers hold: a library that completes too early is still reading the buffer. */
enum { LONG_PUT = 8 << 20, ROW = 1024 };

/* The rows of a long put on one side, and their datatype. */
struct side {
    const char *name;
    int stride, count;
    MPI_Datatype type;
};

/* One long put; its buffer is overwritten when the request is complete, before the flush. */
static void try_reuse(struct finding *f, struct area *a, char *buffer, const struct side *here,
                      const struct side *there)
{
    int at = 0, value = 10 + (int)(f->tried & 63);
    MPI_Request request = MPI_REQUEST_NULL;
    memset(buffer, value, (size_t)2 * LONG_PUT);
    for (int i = 0; i < LONG_PUT / ROW; i++)
        memset(a->mirror + (ptrdiff_t)i * there->stride, value, ROW);
    area_call(f,
              MPI_Rput(buffer, here->count, here->type, job->target, a->origin, there->count,
                       there->type, a->win, &request),
              "MPI_Rput");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    memset(buffer, 0x5a, (size_t)2 * LONG_PUT);
    MPI_Win_flush(job->target, a->win);
    found(f, area_matches(a, &at),
          "%d MiB, %s at the origin, %s at the target, buffer used again after MPI_Wait: byte %d",
          LONG_PUT >> 20, here->name, there->name, at);
}

static void try_long_rputs(struct finding *f)
{
    static char buffer[2 * LONG_PUT];
    struct area a;
    struct side side[] = {{"bytes", ROW, LONG_PUT, MPI_BYTE},
                          {"rows", 2 * ROW, 1, MPI_DATATYPE_NULL}};
    if (!area_open(&a, area_used(), 2 * LONG_PUT, f)) return;
    MPI_Type_vector(LONG_PUT / ROW, ROW, 2 * ROW, MPI_BYTE, &side[1].type);
    MPI_Type_commit(&side[1].type);
    for (int i = 0; i < 6; i++) /* bytes to rows, rows to bytes, rows to rows, twice */
        try_reuse(f, &a, buffer, &side[i % 3 > 0], &side[i % 3 != 1]);
    MPI_Type_free(&side[1].type);
    area_close(&a);
}

void probe_rput_types(struct finding *f)
{
    calls_try(f, CALL_RPUT, ANY, SHAPES, 1.5);
    if (f->skipped) return;
    long shapes = f->tried;
    try_long_rputs(f);
    tell(f, "%ld shapes a rank, up to 64 KiB, and %ld of %d MiB", shapes, f->tried - shapes,
         LONG_PUT >> 20);
}

/* ---------------------------------------------------------------- negative strides - */

enum { BACKWARDS = 64 };

/* A put of bytes in descending order at the target, and a get that reverses them again. */
void probe_negative(struct finding *f)
{
    struct area a;
    MPI_Datatype type;
    char buffer[BACKWARDS], back[BACKWARDS];
    int at = 0;
    if (!area_possible(f) || !area_open(&a, area_used(), 4096, f)) return;
    MPI_Type_create_hvector(BACKWARDS, 1, -1, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < BACKWARDS; i++) {
        buffer[i] = (char)(100 + i);
        a.mirror[1000 - i] = buffer[i];
    }
    MPI_Put(buffer, BACKWARDS, MPI_BYTE, job->target, a.origin + 1000, 1, type, a.win);
    MPI_Win_flush(job->target, a.win);
    found(f, area_matches(&a, &at), "put of bytes with stride -1: byte %d", at);
    MPI_Get(back, BACKWARDS, MPI_BYTE, job->target, a.origin + 1000, 1, type, a.win);
    MPI_Win_flush(job->target, a.win);
    bool same = true;
    for (int i = 0; i < BACKWARDS; i++)
        same = same && back[i] == a.mirror[1000 - i];
    found(f, same, "get of bytes with stride -1");
    MPI_Type_free(&type);
    area_close(&a);
    tell(f, "an hvector of single bytes with stride -1");
}

/* ---------------------------------------------------------------- strides of 1 ----- */

enum { BLOCKS = 20, BLOCK = 5 };

/* Overlapping blocks, each one byte after the previous one: put from such blocks, and a get of
 * them. */
void probe_byte_strides(struct finding *f)
{
    struct area a;
    MPI_Datatype block, type;
    char source[BLOCKS + BLOCK], back[BLOCKS * BLOCK];
    bool same = true;
    int at = 0;
    if (!area_possible(f) || !area_open(&a, area_used(), 4096, f)) return;
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_create_hvector(BLOCKS, 1, 1, block, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < BLOCKS + BLOCK; i++)
        source[i] = (char)(100 + i);
    for (int i = 0; i < BLOCKS * BLOCK; i++)
        a.mirror[1000 + i] = source[i / BLOCK + i % BLOCK];
    MPI_Put(source, 1, type, job->target, a.origin + 1000, BLOCKS * BLOCK, MPI_BYTE, a.win);
    MPI_Win_flush(job->target, a.win);
    found(f, area_matches(&a, &at), "put from blocks with a stride of one byte: byte %d", at);
    MPI_Get(back, BLOCKS * BLOCK, MPI_BYTE, job->target, a.origin + 2000, 1, type, a.win);
    MPI_Win_flush(job->target, a.win);
    for (int i = 0; i < BLOCKS * BLOCK; i++)
        same = same && back[i] == a.mirror[2000 + i / BLOCK + i % BLOCK];
    found(f, same, "get of blocks with a stride of one byte");
    MPI_Type_free(&block);
    MPI_Type_free(&type);
    area_close(&a);
    tell(f, "an hvector of blocks of %d bytes with a stride of one byte", BLOCK);
}

/* ---------------------------------------------------------------- many segments ---- */

static void try_segments(struct finding *f, struct area *a, int n, double *ones)
{
    MPI_Datatype type;
    int *places = malloc((size_t)n * sizeof *places), at = 0;
    for (int i = 0; i < n; i++) {
        double value;
        places[i] = 2 * i + (i % 7 == 0);
        memcpy(&value, a->mirror + 8 * places[i], sizeof value);
        value += 1;
        memcpy(a->mirror + 8 * places[i], &value, sizeof value);
    }
    MPI_Type_create_indexed_block(n, 1, places, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    area_call(f,
              MPI_Accumulate(ones, n, MPI_DOUBLE, job->target, a->origin, 1, type, MPI_SUM, a->win),
              "MPI_Accumulate");
    MPI_Win_flush(job->target, a->win);
    MPI_Type_free(&type);
    found(f, area_matches(a, &at), "accumulate of %d segments: byte %d", n, at);
    free(places);
}

void probe_many_segments(struct finding *f)
{
    enum { MOST = 60000 };
    struct area a;
    double *ones = malloc(MOST * sizeof *ones);
    if (!area_possible(f) || !area_open(&a, area_used(), 16 * MOST + 4096, f)) {
        free(ones);
        return;
    }
    for (int i = 0; i < MOST; i++)
        ones[i] = 1;
    memset(a.slice, 0, (size_t)a.bytes);
    memset(a.mirror, 0, (size_t)a.there);
    MPI_Win_sync(a.win);
    MPI_Barrier(job->comm);
    for (int n = 300; n <= MOST; n *= 14)
        try_segments(f, &a, n, ones);
    area_close(&a);
    free(ones);
    tell(f, "accumulates of 300 to 58,800 segments");
}

/* ---------------------------------------------------------------- in flight -------- */

enum { IN_FLIGHT = 2000 };

void probe_outstanding(struct finding *f)
{
    struct area a;
    int at = 0;
    char value = (char)(20 + job->rank);
    if (!area_possible(f) || !area_open(&a, area_used(), 16384, f)) return;
    for (int i = 0; i < IN_FLIGHT; i++) {
        area_call(f,
                  MPI_Put(&value, 1, MPI_BYTE, job->target, a.origin + 8 * i, 1, MPI_BYTE, a.win),
                  "MPI_Put");
        a.mirror[8 * i] = value;
    }
    MPI_Win_flush(job->target, a.win);
    found(f, area_matches(&a, &at), "%d puts in flight: byte %d", IN_FLIGHT, at);
    area_close(&a);
    tell(f, "%d puts at once to one target", IN_FLIGHT);
}

void probe_outstanding_requests(struct finding *f)
{
    static MPI_Request request[IN_FLIGHT];
    static MPI_Status status[IN_FLIGHT];
    struct area a;
    int at = 0;
    char value = (char)(40 + job->rank);
    if (!area_possible(f) || !area_open(&a, area_used(), 16384, f)) return;
    for (int i = 0; i < IN_FLIGHT; i++) {
        request[i] = MPI_REQUEST_NULL;
        area_call(f,
                  MPI_Rput(&value, 1, MPI_BYTE, job->target, a.origin + 8 * i, 1, MPI_BYTE, a.win,
                           &request[i]),
                  "MPI_Rput");
        a.mirror[8 * i] = value;
    }
    MPI_Waitall(IN_FLIGHT, request, status);
    MPI_Win_flush(job->target, a.win);
    found(f, area_matches(&a, &at), "%d Rputs in flight: byte %d", IN_FLIGHT, at);
    area_close(&a);
    tell(f, "%d Rputs at once to one target", IN_FLIGHT);
}
