/* wrong_calls.c - the list of wrong calls, from the table, and the stage they are made on. */
#include "wrong_table.h"

static struct wrong_call *list;
static int count, room;
struct arguments a;
struct row row;

int wrong_calls_count(void)
{
    return count;
}

const struct wrong_call *wrong_calls_get(int i)
{
    return &list[i];
}

bool row_is(struct description description)
{
    if (row.next++ != row.wanted) return false;
    row.description = description;
    return row.make;
}

/* Describe a row of a table; false: the table is shorter. */
static bool describe(call_table *table, int i)
{
    row = (struct row){.wanted = i};
    table();
    return row.next > i;
}

static int make(call_table *table, int i)
{
    row = (struct row){.wanted = i, .make = true};
    return table();
}

static const char *called; /* the function */

int nothing(bool is_nothing)
{
    check(is_nothing, "%s gives something in spite of an error", called);
    return NO_CODE;
}

/* What follows a key of n letters among words; NULL: it is not there. */
static const char *find_word(const char *words, const char *key, size_t n)
{
    for (const char *w = words; w; w = strchr(w, ' '), w = w ? w + 1 : NULL)
        if (strncmp(w, key, n) == 0 && strchr(": ", w[n])) return w + n;
    return NULL;
}

static bool has(const char *words, const char *key)
{
    return find_word(words, key, strlen(key)) != NULL;
}

/* Does a function allow the mistakes that are OF these? */
static bool allows(const struct wrong_call *w, const char *of)
{
    bool any = false;
    for (const char *key = of; *key; key += strcspn(key, " "), key += *key == ' ') {
        bool never = *key == '-';
        if (!find_word(w->words, key + never, strcspn(key + never, " "))) continue;
        if (never) return false;
        any = true;
    }
    return any;
}

/* The argument after a key. */
static void copy_argument(char *to, size_t room_there, const char *words, const char *key)
{
    const char *found = find_word(words, key, strlen(key));
    int n = found && *found == ':' ? (int)strcspn(found + 1, " ") : 0;
    snprintf(to, room_there, "%.*s", n, n ? found + 1 : "");
}

/* Add a mistake of a function, the description of which is in the row. */
static void add(struct wrong_call w)
{
    const struct description *d = &row.description;
    char prefix[40];
    if (count == room) {
        room = room ? 2 * room : 256;
        list = realloc(list, (size_t)room * sizeof *list);
        if (list == NULL) abort();
    }
    w.moment = d->moment;
    w.code = d->code;
    w.value = d->value;
    if (*d->argument == '@')
        copy_argument(w.argument, sizeof w.argument, w.words, d->argument + 1);
    else
        snprintf(w.argument, sizeof w.argument, "%s", d->argument);
    copy_argument(prefix, sizeof prefix, w.words, "prefix");
    snprintf(w.name, sizeof w.name, "%.40s.%.12s%s%.16s%s", w.function, prefix,
             has(w.words, "aggregate") ? "aggregate_" : "", *d->name == '_' ? w.argument : "",
             d->name);
    list[count++] = w;
}

/* A function while the library does not run, or one that has no wrong call. */
static void add_at(enum moment moment, int code, struct wrong_call w, const char *name)
{
    row.description = (struct description){
        .moment = moment, .code = code, .argument = "state", .value = name, .name = name};
    w.mistakes = NULL;
    add(w);
}

static void add_function(struct wrong_call w)
{
    for (call_table *const *m = mistake_tables; *m; m++)
        for (int i = 0; describe(*m, i); i++) {
            w.mistakes = *m;
            w.mistake = i;
            if (allows(&w, row.description.of)) add(w);
        }
    if (!has(w.words, "not_off") && !has(w.words, "aggregate"))
        add_at(ARMCI_OFF, ARMCI_ERR_STATE, w, "off");
}

static void add_table(call_table *table)
{
    struct wrong_call w = {.calls = table}, own;
    for (int i = 0; describe(table, i); i++) {
        if (row.description.function) {
            w.call = i;
            w.function = row.description.function;
            w.words = row.description.words;
            if (w.words)
                add_function(w);
            else
                add_at(NEVER, 0, w, "never");
            continue;
        }
        own = w;
        if (row.description.own_call) {
            own.call = i;
        } else {
            own.mistakes = table;
            own.mistake = i;
        }
        add(own);
    }
}

void wrong_calls_collect(void)
{
    for (call_table *const *table = function_tables; *table; table++)
        add_table(*table);
}

void set_patch(int levels, int count_above, int stride)
{
    a.levels = levels;
    for (int i = 0; i < levels; i++) {
        a.counts[i + 1] = count_above;
        a.remote_strides[i] = stride;
    }
}

/* Two segments of 8 bytes, 16 apart in the slice; of a vector three, the second in the region
 * beside. */
static void set_segments(bool get)
{
    a.counts[0] = 8;
    for (int i = 0; i < LEVELS; i++) {
        a.counts[i + 1] = i == 0 ? 2 : 1;
        a.local_strides[i] = 8;
        a.remote_strides[i] = 16;
    }
    for (int i = 0; i < ENTRIES; i++) {
        a.locals[i] = stage.here + 8 * i;
        a.remotes[i] = stage.there + 64 * i;
    }
    a.remotes[1] = stage.beside ? (char *)stage.beside[stage.p] + 16 : NULL;
    for (int i = 0; i < 2; i++)
        a.iovs[i] =
            (armci_giov_t){get ? a.remotes : a.locals, get ? a.locals : a.remotes, 8, ENTRIES};
}

/* Arguments that are right for a function of these words. */
static void set_right(const char *words)
{
    a = (struct arguments){.proc = stage.p,
                           .bytes = 16,
                           .size = has(words, "operand") && !has(words, "long") ? 4 : 8,
                           .datatype = has(words, "typed") ? ARMCI_LONG : ARMCI_ACC_DBL,
                           .levels = 1,
                           .entries = 1,
                           .op = ARMCI_FETCH_AND_ADD,
                           .mode = has(words, "slice") ? ARMCIX_MODE_ALL : 0,
                           .len = 8,
                           .n = has(words, "op") ? 8 : 1,
                           .scope = SCOPE_ALL,
                           .left_out = -1,
                           .one = 1,
                           .scale = &a.one,
                           .x = stage.here,
                           .ptr = has(words, "pack") ? stage.here : stage.mine,
                           .base = a.table,
                           .local = stage.here,
                           .remote = stage.there,
                           .operation = "max",
                           .buf = stage.here + 512,
                           .count = a.counts,
                           .local_stride = a.local_strides,
                           .remote_stride = a.remote_strides,
                           .flag = (int *)(void *)(stage.there + 256),
                           .list = a.ranks,
                           .out = &a.number,
                           .iov = a.iovs,
                           .hdl = &stage.hdl,
                           .group = &a.world,
                           .new_group = &a.created,
                           .info = &a.memory,
                           .walk = &a.walked,
                           .comm = MPI_COMM_SELF,
                           .ranks = {stage.me},
                           .world = stage.world,
                           .created = stage.garbage};
    a.memory.cpid = stage.p;
    if (has(words, "self")) a.group = &stage.self;
    set_segments(has(words, "get"));
}

int wrong_calls_make(const struct wrong_call *w)
{
    called = w->function;
    set_right(w->words);
    if (w->mistakes) make(w->mistakes, w->mistake);
    return make(w->calls, w->call);
}

static union {
    char bytes[HERE];
    double aligned;
} here;
static double nowhere[SLICE / 8 + 1];

/* Before the start nothing is looked at, but addresses are calculated. */
struct stage stage = {
    .n = 1, .there = (char *)nowhere, .here = here.bytes, .nowhere = (char *)nowhere};

static void pattern(char *bytes, int n, int who)
{
    for (int i = 0; i < n; i++)
        bytes[i] = (char)(31 * who + 7 * i + i / 250 + 1);
}

enum { IN_BESIDE = 100, IN_LOCAL = 50 };

static void set_groups(void)
{
    int others = stage.n > 1 ? stage.p : 0;
    ARMCI_Group short_lived;
    memset(&stage.none, 0, sizeof stage.none);
    stage.none.comm = MPI_COMM_NULL;
    stage.none.rank = -1;
    memset(&stage.garbage, 0xa5, sizeof stage.garbage);
    ARMCI_Group_get_world(&stage.world);
    stage.foreign = stage.none;
    if (stage.n > 1) ARMCI_Group_create(1, &others, &stage.foreign);
    ARMCI_Group_create(1, &stage.me, &short_lived);
    stage.freed = short_lived;
    ARMCI_Group_free(&short_lived);
    ARMCI_Group_create(1, &stage.me, &stage.self); /* it gets the freed communicator of MPI */
}

/* Two halves of the processes see one another. */
static void set_communicator_between(void)
{
    MPI_Comm half;
    int upper = stage.me >= stage.n / 2;
    stage.between = MPI_COMM_NULL;
    if (stage.n == 1) return;
    MPI_Comm_split(test_comm(), upper, 0, &half);
    MPI_Intercomm_create(half, 0, test_comm(), upper ? 0 : stage.n / 2, 1, &stage.between);
    MPI_Comm_free(&half);
}

void wrong_calls_set_local(void)
{
    pattern(stage.here, HERE, IN_LOCAL);
}

void wrong_calls_prepare(void)
{
    void **freed;
    stage.n = test_ranks();
    stage.me = test_rank();
    stage.p = (stage.me + 1) % stage.n;
    set_groups();
    set_communicator_between();
    stage.base = region_create(SLICE);
    stage.beside = region_create(SLICE);
    stage.there = stage.base[stage.p];
    stage.mine = stage.base[stage.me];
    ARMCI_Access_begin(stage.mine);
    pattern(stage.mine, SLICE, stage.me);
    ARMCI_Access_end(stage.mine);
    ARMCI_Access_begin(stage.beside[stage.me]);
    pattern(stage.beside[stage.me], SLICE, stage.me + IN_BESIDE);
    ARMCI_Access_end(stage.beside[stage.me]);
    wrong_calls_set_local();
    freed = region_create(1 << 16);
    stage.gone = (char *)freed[stage.p] + (1 << 15);
    region_free(freed);
    ARMCI_INIT_HANDLE(&stage.hdl);
    ARMCI_Barrier();
}

void wrong_calls_end(void)
{
    region_free(stage.base);
    region_free(stage.beside);
    stage.base = stage.beside =
        NULL; /* wrong calls after the end are set up as those before the start */
    ARMCI_Group_free(&stage.self);
    if (stage.between != MPI_COMM_NULL) MPI_Comm_free(&stage.between);
}

void wrong_calls_check_local(const char *after)
{
    char expected[HERE];
    pattern(expected, HERE, IN_LOCAL);
    check_bytes(stage.here, expected, HERE, "the local buffer after %s", after);
}

static void check_slice(void **base, int who, const char *after)
{
    char expected[SLICE];
    ARMCI_Access_begin(base[stage.me]);
    pattern(expected, SLICE, who);
    check_bytes(base[stage.me], expected, SLICE, "region %d after %s", base == stage.beside, after);
    ARMCI_Access_end(base[stage.me]);
}

void wrong_calls_check_untouched(const char *after)
{
    ARMCI_WaitAll();
    ARMCI_Barrier();
    check_slice(stage.base, stage.me, after);
    check_slice(stage.beside, stage.me + IN_BESIDE, after);
    wrong_calls_check_local(after);
}
