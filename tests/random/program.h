/* program.h - a random program as data: regions, groups, areas with a rule each, and one stream of
 * operations a process.
 *
 * Every process makes the whole program from the seed, so that it knows the streams of all. It
 * consists of phases; a barrier and a comparison of all memory end each. The operations of a phase
 * are made in one global order (`sequence`), which is one possible course of events: every wait is
 * for something earlier, so that no program hangs on a correct library. Operations that belong
 * together (a notification and the wait for it) share a `unit`; shrinking removes units.
 */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armci.h>

#include "../../tools/lib/element.h"
#include "../../tools/lib/rng.h"

enum {
    MAX_RANKS = 256,
    MAX_LEVELS = 16,
    MAX_REGIONS = 64,
    MAX_GROUPS = 32,
    MAX_MUTEXES = 3, /* of one process */
    HANDLES = 6,
    IMPLICIT_HANDLE = -1,
    ARENAS = 2, /* private memories of a process: from malloc, from ARMCI_Malloc_local */
    WORLD = 0   /* the group of all */
};

/* ---- memory.c: what memory is filled with: a function of a seed and of where the bytes lie, so
 * that every process knows what every other one stores, in whatever shape it is fetched ---- */

/* What is stored.  unit 0: bytes of any value, elements from -50 to 50.  Else: elements of once or
 * twice `unit`. */
struct content {
    uint64_t seed;
    int type;
    long unit;
};

/* Fill to[0..n) with what belongs at offset x, whole elements of the type. */
void pattern_store(char *to, long x, long n, struct content content);
/* The number at offset x; of complex elements: of a part. */
long pattern_number(uint64_t seed, long x, long unit);

/* A memory of some process: an arena, or its slice of region memory - ARENAS. */
struct spot {
    int memory;
    long offset;
};

/* ---- areas: parts of a slice, with the rule by which they are used in a phase ---- */

enum rule {
    RULE_READ_ONLY,    /* anyone gets */
    RULE_OWN_BYTES,    /* one origin puts and gets */
    RULE_OWN_ELEMENTS, /* one origin puts, gets, accumulates, and does rmw on integers */
    RULE_SHARED_ACC,   /* everyone accumulates and gets */
    RULE_SHARED_RMW,   /* everyone does rmw */
    RULE_LOCKED,       /* everyone gets and puts under a mutex */
    RULE_MAILBOX, /* one origin puts or accumulates once into each part, and somebody is told */
    RULE_LOCAL    /* the process of the slice takes it as local buffer */
};

/* `teeth` pieces of `width` bytes, `period` apart. */
struct area {
    int region, rank; /* the slice */
    enum rule rule;
    int owner; /* the one origin; -1: everyone */
    int type;
    long start, width, period;
    int teeth;
    uint64_t seed; /* of what it holds at the beginning of the phase, unless it holds plain bytes */
    long taken;    /* bytes of a mailbox in use */
    int mutex, node; /* of a locked area */
    bool swaps;      /* rmw on it are swaps too */
    unsigned char
        *totals;         /* shared acc: [ranks][parts], what each adds in the phase, in its units */
    unsigned char *done; /* shared acc: [parts], what this process has added so far */
};

/* ---- operations ---- */

enum verb { PUT, GET, ACC };
enum form { CONTIGUOUS, STRIDED, VECTOR, VALUE };
enum mode { BLOCKING, EXPLICIT, IMPLICIT };

struct segment {
    int memory; /* the remote one */
    long remote, local, bytes;
};

/* One entry of a vector transfer: segments [first, first + n) of the transfer. */
struct entry {
    int bytes, n, first;
};

struct transfer {
    enum verb verb;
    enum form form;
    int target;
    int type;               /* of acc and of typed areas */
    int scale[2];           /* of acc; real and imaginary part */
    int area;               /* the shared area it works on, or -1 */
    struct content content; /* what the local side is filled with before */
    bool fill;
    struct spot local, remote;
    int levels, count[MAX_LEVELS + 1], local_stride[MAX_LEVELS], remote_stride[MAX_LEVELS];
    int entries;
    struct entry *entry;
    struct segment *segment;
};

enum kind {
    OP_TRANSFER,
    OP_RMW,
    OP_ACCESS, /* load or store in the own slice */
    OP_PACK,   /* a get from the own slice by the functions that pack, unpack and copy */
    OP_WAIT,
    OP_TEST,
    OP_WAIT_PROC,
    OP_WAIT_ALL,
    OP_SET_AGGREGATE,
    OP_UNSET_AGGREGATE,
    OP_FENCE,
    OP_ALL_FENCE,
    OP_GROUP_FENCE,
    OP_BARRIER,
    OP_SECTION, /* lock, change, unlock */
    OP_TELL,    /* put or accumulate into a mailbox and tell somebody */
    OP_HEAR,    /* be told and look */
    OP_SEND,
    OP_RECEIVE,
    OP_REDUCE,
    OP_GROUP_CREATE,
    OP_GROUP_FREE,
    OP_REGION_CREATE,
    OP_REGION_FREE,
    OP_MUTEXES
};

/* How one process tells another that data are there. */
enum telling { BY_NOTIFY, BY_FLAG, BY_FENCE, BY_ALL_FENCE, BY_GROUP_FENCE };

struct op {
    enum kind kind;
    int rank;
    long unit, sequence;
    uint64_t seed;
    enum mode mode;
    int handle;
    int peer;          /* whom a fence, a wait, a message is for */
    int group, region; /* of collective operations */
    int variant;       /* which of several equivalent calls */
    int area, second;  /* of rmw and locked sections; second: -1 where there is one area */
    long offset;       /* of the cell, of the part of the mailbox */
    long bytes;        /* of the part of the mailbox, of a message */
    int rmw;           /* enum ARMCI_Rmw_e */
    int operand;
    struct spot landing; /* where a hearer fetches the part to */
    struct transfer t;
};

struct stream {
    struct op *op;
    int n, room;
};

/* ---- the program ---- */

/* How many incomplete operations touch a byte. */
struct mark {
    uint16_t reads, accs, writes;
};

struct region {
    bool alive, kept, mapped; /* by the generator; not shrunk away; at this moment */
    int group;
    uint64_t seed; /* of what it holds at first */
    long bytes[MAX_RANKS];
    char *shadow[MAX_RANKS];      /* what it should hold */
    struct mark *mark[MAX_RANKS]; /* used by schedule.c */
    uint32_t *stamp[MAX_RANKS];   /* used by shapes.c */
    char *base[MAX_RANKS];        /* where it is; on members only */
};

struct group {
    bool alive, kept, open;
    int parent, n, member[MAX_RANKS]; /* process numbers */
    ARMCI_Group handle;               /* on members only */
};

struct phase {
    int number;
    uint64_t seed;
    struct area *area;
    int areas, room;
    struct stream stream[MAX_RANKS];
    void **block; /* memory that lives as long as the phase */
    int blocks, block_room;
};

struct program {
    uint64_t seed;
    int ranks, me;
    struct region region[MAX_REGIONS];
    struct group group[MAX_GROUPS];
    int regions, groups; /* ever made */
    int mutexes[MAX_RANKS];
    bool has_mutexes;
    long units, sequence;
    char *arena[ARENAS]; /* of this process */
    char *arena_shadow[MAX_RANKS][ARENAS];
    unsigned char *arena_known[MAX_RANKS][ARENAS]; /* does the shadow tell what is there? */
    struct mark *arena_mark[ARENAS];
    uint32_t *arena_stamp[ARENAS];
    uint32_t stamp; /* the last one given out */
};

/* ---- memory.c: programs, phases, memories ---- */

/* End the job: memory is out. */
void *need(void *pointer);
struct program *program_new(uint64_t seed, int ranks, int me);
void program_free(struct program *p);
struct phase *phase_new(struct program *p, int number);
void phase_free(struct program *p, struct phase *ph);
/* Zeroed memory that lives as long as the phase. */
void *phase_memory(struct phase *ph, size_t bytes);
/* A new operation at the end of a rank's stream. */
struct op *phase_append(struct program *p, struct phase *ph, int rank, enum kind kind);
/* Memory for what region r should hold, filled with its first contents. */
void region_shadow(struct program *p, int r);
bool group_has(const struct group *group, int rank);
bool is_region(int memory);
long memory_bytes(const struct program *p, int rank, int memory);
/* What a memory of a process should hold; where it is. */
char *memory_shadow(const struct program *p, int rank, int memory);
char *memory_real(const struct program *p, int rank, int memory);
/* Of an arena. */
long arena_bytes(void);

/* ---- memory.c: the segments of a transfer, in order ---- */

struct walk {
    const struct transfer *t;
    long local, remote;
    int at[MAX_LEVELS];
    int entry, segment;
    bool done;
};
void walk_begin(struct walk *w, const struct transfer *t);
bool walk_next(struct walk *w, struct segment *segment);
long transfer_bytes(const struct transfer *t);

/* ---- elements: offsets are long ---- */

static inline long size_of(int type)
{
    return (long)element_size(type);
}
static inline long part_of(int type)
{
    return (long)element_part(type);
}

/* ---- generate.c ---- */

/* How many mutexes each process has: decided once for a program. */
void generate_begin(struct program *p);
/* Make the areas and all streams of the phase. */
void generate_phase(struct program *p, struct phase *ph);

/* ---- schedule.c: from random streams to streams that ARMCI gives one meaning ---- */

/* Drop the units that are not to be kept, and what depends on them. Returns how many operations
 * are left. */
long schedule_filter(struct program *p, struct phase *ph);
/* Insert the waits without which an operation would meet an incomplete one; fill local memory where
 * nobody knows what it holds. */
void schedule_phase(struct program *p, struct phase *ph);
/* Does the operation move data; do its data have a place in the origin's memory? */
bool op_transfers(const struct op *op);
bool op_has_local(const struct op *op);
/* Does completing `wait` complete `op` at its origin?  Fences and barriers: remotely, puts and
 * accumulates only. */
bool op_is_completed_by(const struct program *p, const struct op *op, const struct op *wait);

/* ---- print.c: operations and programs as text ---- */

const char *kind_name(enum kind kind);
/* One line: the operation. */
void print_op(FILE *to, const struct program *p, const struct phase *ph, const struct op *op);
/* The program of this seed, or what --only-ops leaves of it, an operation a line: unit, sequence,
 * rank, operation. */
void print_program(FILE *to, uint64_t seed, int ranks);

#endif
