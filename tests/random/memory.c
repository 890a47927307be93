/* memory.c - programs, phases, what memory should hold, and the segments of transfers. */
#include "options.h"
#include "program.h"

void *need(void *pointer)
{
    if (pointer) return pointer;
    fprintf(stderr, "armci-random: out of memory\n");
    abort();
}

long arena_bytes(void)
{
    return 8 * options->longest;
}

/* ---- programs ---- */

static void make_arenas(struct program *p)
{
    const size_t n = (size_t)arena_bytes();
    for (int a = 0; a < ARENAS; a++) {
        p->arena_mark[a] = need(calloc(n, sizeof *p->arena_mark[a]));
        p->arena_stamp[a] = need(calloc(n, sizeof *p->arena_stamp[a]));
        for (int r = 0; r < p->ranks; r++) {
            p->arena_shadow[r][a] = need(malloc(n));
            p->arena_known[r][a] = need(malloc(n));
            memset(p->arena_known[r][a], 1, n);
            pattern_store(p->arena_shadow[r][a], 0, arena_bytes(),
                          (struct content){p->seed + (uint64_t)(100 * r + a), TYPE_BYTES, 0});
        }
    }
}

struct program *program_new(uint64_t seed, int ranks, int me)
{
    struct program *p = need(calloc(1, sizeof *p));
    p->seed = seed;
    p->ranks = ranks;
    p->me = me;
    make_arenas(p);
    p->groups = 1;
    p->group[WORLD] = (struct group){.alive = true, .kept = true, .parent = WORLD, .n = ranks};
    for (int r = 0; r < ranks; r++)
        p->group[WORLD].member[r] = r;
    return p;
}

static void free_shadow(struct program *p, struct region *region)
{
    for (int r = 0; r < p->ranks; r++) {
        free(region->shadow[r]);
        free(region->mark[r]);
        free(region->stamp[r]);
        region->shadow[r] = NULL;
        region->mark[r] = NULL;
        region->stamp[r] = NULL;
    }
}

void program_free(struct program *p)
{
    for (int r = 0; r < p->regions; r++)
        free_shadow(p, &p->region[r]);
    for (int a = 0; a < ARENAS; a++) {
        free(p->arena_mark[a]);
        free(p->arena_stamp[a]);
        for (int r = 0; r < p->ranks; r++) {
            free(p->arena_shadow[r][a]);
            free(p->arena_known[r][a]);
        }
    }
    free(p);
}

/* ---- phases ---- */

struct phase *phase_new(struct program *p, int number)
{
    struct phase *ph = need(calloc(1, sizeof *ph));
    ph->number = number;
    ph->seed = p->seed * 1000003u + (uint64_t)number;
    return ph;
}

void phase_free(struct program *p, struct phase *ph)
{
    for (int r = 0; r < p->ranks; r++)
        free(ph->stream[r].op);
    for (int i = 0; i < ph->blocks; i++)
        free(ph->block[i]);
    free(ph->block);
    free(ph->area);
    free(ph);
    for (int r = 0; r < p->regions; r++)
        if (!p->region[r].alive) free_shadow(p, &p->region[r]);
}

void *phase_memory(struct phase *ph, size_t bytes)
{
    if (ph->blocks == ph->block_room) {
        ph->block_room = ph->block_room ? 2 * ph->block_room : 64;
        ph->block = need(realloc(ph->block, (size_t)ph->block_room * sizeof *ph->block));
    }
    return ph->block[ph->blocks++] = need(calloc(1, bytes ? bytes : 1));
}

struct op *phase_append(struct program *p, struct phase *ph, int rank, enum kind kind)
{
    struct stream *s = &ph->stream[rank];
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->op = need(realloc(s->op, (size_t)s->room * sizeof *s->op));
    }
    struct op *op = &s->op[s->n++];
    memset(op, 0, sizeof *op);
    op->kind = kind;
    op->rank = rank;
    op->unit = p->units;
    op->sequence = p->sequence++;
    op->handle = IMPLICIT_HANDLE;
    op->area = op->second = op->t.area = -1;
    return op;
}

/* ---- memories ---- */

void region_shadow(struct program *p, int r)
{
    struct region *region = &p->region[r];
    for (int rank = 0; rank < p->ranks; rank++) {
        size_t n = (size_t)region->bytes[rank];
        if (n == 0) continue;
        region->shadow[rank] = need(malloc(n));
        region->mark[rank] = need(calloc(n, sizeof *region->mark[rank]));
        region->stamp[rank] = need(calloc(n, sizeof *region->stamp[rank]));
        pattern_store(region->shadow[rank], 0, (long)n,
                      (struct content){region->seed + (uint64_t)rank, TYPE_BYTES, 0});
    }
}

bool group_has(const struct group *group, int rank)
{
    for (int i = 0; i < group->n; i++)
        if (group->member[i] == rank) return true;
    return false;
}

bool is_region(int memory)
{
    return memory >= ARENAS;
}

long memory_bytes(const struct program *p, int rank, int memory)
{
    return is_region(memory) ? p->region[memory - ARENAS].bytes[rank] : arena_bytes();
}

char *memory_shadow(const struct program *p, int rank, int memory)
{
    return is_region(memory) ? p->region[memory - ARENAS].shadow[rank]
                             : p->arena_shadow[rank][memory];
}

char *memory_real(const struct program *p, int rank, int memory)
{
    return is_region(memory) ? p->region[memory - ARENAS].base[rank] : p->arena[memory];
}

/* ---- the pattern ---- */

static uint64_t hash(uint64_t x)
{
    return rng_next(&(struct rng){x});
}

long pattern_number(uint64_t seed, long x, long unit)
{
    uint64_t h = hash(seed + (uint64_t)x);
    return unit ? unit * (1 + (long)(h % 2)) : (long)(h % 101) - 50;
}

void pattern_store(char *to, long x, long n, struct content content)
{
    long part = part_of(content.type);
    for (long i = 0; i < n; i += part) {
        if (content.type == TYPE_BYTES)
            to[i] = (char)(hash(content.seed + (uint64_t)((x + i) >> 3)) >> (8 * ((x + i) & 7)));
        else
            element_store(content.type, to + i, pattern_number(content.seed, x + i, content.unit));
    }
}

/* ---- the segments of a transfer, in the order in which ARMCI names them ---- */

static bool is_empty(const struct transfer *t)
{
    for (int i = 0; i <= t->levels; i++)
        if (t->count[i] == 0) return true;
    return false;
}

void walk_begin(struct walk *w, const struct transfer *t)
{
    memset(w, 0, sizeof *w);
    w->t = t;
    w->local = t->local.offset;
    w->remote = t->remote.offset;
    w->done = t->form != VECTOR && is_empty(t);
}

static bool next_of_vector(struct walk *w, struct segment *segment)
{
    const struct transfer *t = w->t;
    while (w->entry < t->entries) {
        const struct entry *e = &t->entry[w->entry];
        if (w->segment < e->n && e->bytes > 0) {
            *segment = t->segment[e->first + w->segment++];
            return true;
        }
        w->entry++;
        w->segment = 0;
    }
    return false;
}

static void step(struct walk *w)
{
    const struct transfer *t = w->t;
    for (int i = 0; i < t->levels; i++) {
        w->local += t->local_stride[i];
        w->remote += t->remote_stride[i];
        if (++w->at[i] < t->count[i + 1]) return;
        w->local -= (long)w->at[i] * t->local_stride[i];
        w->remote -= (long)w->at[i] * t->remote_stride[i];
        w->at[i] = 0;
    }
    w->done = true;
}

bool walk_next(struct walk *w, struct segment *segment)
{
    if (w->t->form == VECTOR) return next_of_vector(w, segment);
    if (w->done) return false;
    *segment = (struct segment){w->t->remote.memory, w->remote, w->local, w->t->count[0]};
    step(w);
    return true;
}

long transfer_bytes(const struct transfer *t)
{
    struct walk w;
    struct segment s;
    long bytes = 0;
    for (walk_begin(&w, t); walk_next(&w, &s);)
        bytes += s.bytes;
    return bytes;
}
