/* check.c - comparisons with the model. The first wrong answer is reported and ends the job. */
#include <unistd.h>

#include "options.h"
#include "run.h"

enum { REPORT = 65536, EXIT_WRONG = 1 };

/* ---- reports ---- */

static FILE *begin_report(const struct run *run, const struct op *op, const char *what)
{
    static char text[REPORT];
    FILE *to = fmemopen(text, sizeof text, "w+");
    if (!to) return stderr;
    fprintf(to, "armci-random: FAILED: seed %lu ranks %d phase %d rank %d",
            (unsigned long)run->p->seed, run->p->ranks, run->ph->number, run->p->me);
    if (op && op->unit >= 0) fprintf(to, " unit %ld operation %ld", op->unit, op->sequence);
    fprintf(to, " units %ld\n  wrong: %s\n", run->p->units + 1, what);
    if (op) {
        fprintf(to, "  rank %d: ", op->rank);
        print_op(to, run->p, run->ph, op);
    }
    return to;
}

/* In one piece, so that reports of several processes do not mix. */
static void end_report(FILE *report)
{
    if (report != stderr) {
        char piece[4096];
        rewind(report);
        for (size_t n; (n = fread(piece, 1, sizeof piece, report)) > 0;)
            if (write(STDERR_FILENO, piece, strnlen(piece, n)) < 0) break;
        fclose(report);
    }
    fflush(stderr);
    usleep(200000); /* let the launcher pass it on */
    MPI_Abort(MPI_COMM_WORLD, EXIT_WRONG);
    exit(EXIT_WRONG);
}

static void print_bytes(FILE *to, const char *name, const char *bytes, long n)
{
    fprintf(to, "  %s", name);
    for (long i = 0; i < n; i++)
        fprintf(to, " %02x", (unsigned char)bytes[i]);
    fputs("\n", to);
}

static const char *rule_name(enum rule rule)
{
    static const char *const names[] = {"read only",
                                        "bytes of one origin",
                                        "elements of one origin",
                                        "accumulates of everyone",
                                        "rmw of everyone",
                                        "under a mutex",
                                        "mailbox",
                                        "local buffers"};
    return names[rule];
}

static void print_area(FILE *to, const struct phase *ph, int region, int rank, long offset)
{
    for (int i = 0; i < ph->areas; i++) {
        const struct area *a = &ph->area[i];
        if (a->region != region || a->rank != rank || !area_covers(a, offset)) continue;
        fprintf(to, "  area: %s", rule_name(a->rule));
        if (a->owner >= 0) fprintf(to, ", of rank %d", a->owner);
        fprintf(to, "; from %ld, %d times %ld bytes, %ld apart\n", a->start, a->teeth, a->width,
                a->period);
        return;
    }
    fputs("  area: none, nobody writes there in this phase\n", to);
}

/* ---- who wrote it? ---- */

static bool writes(const struct op *op, int rank, int memory, long offset)
{
    struct walk w;
    struct segment s;
    bool get = op->t.verb == GET;
    if (!op_transfers(op) ||
        (get ? op->rank != rank || op->t.local.memory != memory : op->t.target != rank))
        return false;
    for (walk_begin(&w, &op->t); walk_next(&w, &s);) {
        long at = get ? s.local : s.remote;
        if ((get || s.memory == memory) && at <= offset && offset < at + s.bytes) return true;
    }
    return false;
}

static void print_writers(FILE *to, const struct run *run, int rank, int memory, long offset)
{
    const struct op *last = NULL;
    int writers = 0;
    for (int r = 0; r < run->p->ranks; r++)
        for (int i = 0; i < run->ph->stream[r].n; i++) {
            const struct op *op = &run->ph->stream[r].op[i];
            if (!writes(op, rank, memory, offset)) continue;
            writers++;
            if (!last || op->sequence > last->sequence) last = op;
        }
    fprintf(to, "  operations of this phase that write there: %d\n", writers);
    if (!last) return;
    fprintf(to, "  the last of them, of rank %d, unit %ld: ", last->rank, last->unit);
    print_op(to, run->p, run->ph, last);
}

/* ---- checks ---- */

void check_status(struct run *run, const struct op *op, int status)
{
    if (status == 0 || !has(FAMILY_STATUS)) return;
    FILE *report = begin_report(run, op, "the call does not return 0");
    fprintf(report, "  returned: %d\n", status);
    end_report(report);
}

void check_number(struct run *run, const struct op *op, const char *what, long expected, long seen)
{
    if (expected == seen) return;
    FILE *report = begin_report(run, op, what);
    fprintf(report, "  expected: %ld\n  seen:     %ld\n", expected, seen);
    end_report(report);
}

void check_bytes(struct run *run, const struct op *op, const char *what, int rank, int memory,
                 long offset, const char *expected, const char *seen, long n)
{
    long first = 0, last = n;
    if (n == 0 || memcmp(expected, seen, (size_t)n) == 0) return;
    while (expected[first] == seen[first])
        first++;
    while (expected[last - 1] == seen[last - 1])
        last--;
    FILE *report = begin_report(run, op, what);
    if (is_region(memory))
        fprintf(report, "  region %d of rank %d", memory - ARENAS, rank);
    else
        fprintf(report, "  local memory %d of rank %d", memory, rank);
    fprintf(report, ", offset %ld, up to %ld bytes differ\n", offset + first, last - first);
    long shown = n - first < 16 ? n - first : 16;
    print_bytes(report, "expected:", expected + first, shown);
    print_bytes(report, "seen:    ", seen + first, shown);
    if (is_region(memory)) print_area(report, run->ph, memory - ARENAS, rank, offset + first);
    print_writers(report, run, rank, memory, offset + first);
    end_report(report);
}

void check_part(struct run *run, const struct op *op, const struct area *a, long offset,
                const char *seen)
{
    long part = area_part_at(a, offset), number = element_load(a->type, seen), least;
    int rank;
    if (shared_may_be(run->p, a, part, number, &least, &rank)) return;
    FILE *report = begin_report(run, op, "a sum that no order of the accumulates can give");
    fprintf(report, "  region %d of rank %d, offset %ld: seen %ld\n", a->region, a->rank, offset,
            number);
    fprintf(report, "  it began with %ld; with the own accumulates alone it would be %ld\n",
            area_start_number(a, offset), least);
    fprintf(
        report,
        "  the part of rank %d is wrong (in multiples of %ld); own so far: %d; in the whole phase:",
        rank, area_unit(run->p, rank), a->done[part]);
    for (int r = 0; r < run->p->ranks; r++)
        fprintf(report, " %d", a->totals[r * area_parts(a) + part]);
    fputs("\n", report);
    print_area(report, run->ph, a->region, a->rank, offset);
    end_report(report);
}

void check_slice(struct run *run, const struct op *op, int r)
{
    const struct region *region = &run->p->region[r];
    int me = run->p->me;
    if (!region->mapped || !region->shadow[me] || region->bytes[me] == 0) return;
    ARMCI_Access_begin(region->base[me]);
    check_bytes(run, op, "own memory at the end of a phase", me, ARENAS + r, 0, region->shadow[me],
                region->base[me], region->bytes[me]);
    ARMCI_Access_end(region->base[me]);
    run->bytes += region->bytes[me];
}

void check_memory(struct run *run)
{
    for (int r = 0; r < run->p->regions; r++)
        check_slice(run, NULL, r);
    for (int a = 0; a < ARENAS; a++)
        check_bytes(run, NULL, "private memory at the end of a phase", run->p->me, a, 0,
                    run->p->arena_shadow[run->p->me][a], run->p->arena[a], arena_bytes());
}
