/* wire.c - requests as bytes: encoding, and decoding with every value checked before its use. */
#include "transport/am/proto.h"

#include "transport/am/fragment.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/world.h"
#include "node/heap.h"
#include "transport/shm/mutex.h"

/* ---- encoding ---- */

size_t armcii_am_layout_length(const struct shape *s)
{
    size_t length = 0;
    if (s->form == SHAPE_STRIDED) return (size_t)(2 * s->levels + 1) * sizeof(uint64_t);
    for (size_t i = 0; i < s->nruns; i++)
        length += sizeof(struct am_run_head) + s->runs[i].n * sizeof(void *);
    return length;
}

static char *encode_strides(const struct shape *s, char *to)
{
    for (int i = 0; i < s->levels; i++, to += sizeof(int64_t))
        memcpy(to, &(int64_t){s->stride[SHAPE_REMOTE][i]}, sizeof(int64_t));
    for (int i = 0; i <= s->levels; i++, to += sizeof(uint64_t))
        memcpy(to, &(uint64_t){s->count[i]}, sizeof(uint64_t));
    return to;
}

static char *encode_runs(const struct shape *s, char *to)
{
    for (size_t i = 0; i < s->nruns; i++) {
        const struct vector_run *run = &s->runs[i];
        memcpy(to, &(struct am_run_head){run->bytes, run->n}, sizeof(struct am_run_head));
        to += sizeof(struct am_run_head);
        memcpy(to, run->remote, run->n * sizeof(void *));
        to += run->n * sizeof(void *);
    }
    return to;
}

char *armcii_am_encode_layout(const struct shape *s, struct am_request_header *header)
{
    char *to = (char *)(header + 1);
    if (s->form == SHAPE_STRIDED) {
        header->levels = (uint8_t)s->levels;
        return encode_strides(s, to);
    }
    header->runs = s->nruns;
    header->remote = 0;
    return encode_runs(s, to);
}

/* ---- decoding ---- */

enum { ONE_FORM = 1 << SHAPE_CONTIGUOUS, TWO_FORMS = ONE_FORM | 1 << SHAPE_STRIDED };
enum { ANY_FORM = TWO_FORMS | 1 << SHAPE_VECTOR };

struct rule;
typedef bool check(const struct am_request_header *r, const struct rule *rule,
                   struct am_decoded *d);
static check check_get, check_credit_request, check_rmw, check_mutex, check_accumulate, check_long,
    check_in_place, check_long_accumulate;

/* What a request of a kind may say. */
struct rule {
    const char *name;
    uint8_t forms;        /* a bit for each enum shape_form */
    uint8_t elements;     /* values of `element` */
    uint32_t least, most; /* bytes; data in the request are bounded by its length, too */
    uint32_t memory;      /* least bytes of memory; 0: none */
    int32_t tag, tags;    /* the first, and how many; one: no tag */
    check *check;         /* what else there is to check */
};

#define ANY_TAG AM_TAG_FIRST, AM_TAGS
#define NO_TAG  0, 1

/* By kind, then by enum am_data; without a name: there is no such request. Shorter data than those
 * of a rendezvous are in the request. */
static const struct rule rules[][AM_IN_PLACE + 1] = {
    [AM_PUT] = {{"a put", ANY_FORM, 1, 1, AM_ZCOPY_MAX, 1, NO_TAG, NULL},
                {"a packed put by rendezvous", TWO_FORMS, 1, 1, AM_PACKED_MAX, 1, ANY_TAG,
                 check_long},
                {"a put by rendezvous", TWO_FORMS, 1, 1, AM_ZCOPY_MAX, 1, ANY_TAG, check_in_place}},
    [AM_ACC] = {{"an accumulate", ANY_FORM, ELEMENT_COUNT, 1, AM_PACKED_MAX, 1, NO_TAG,
                 check_accumulate},
                {"an accumulate by rendezvous", TWO_FORMS, ELEMENT_COUNT, 1, AM_PACKED_MAX, 1,
                 ANY_TAG, check_long_accumulate}},
    [AM_CREDIT] = {{"a request for credit", ONE_FORM, 1, 1, AM_MESSAGE_MAX, 0, NO_TAG,
                    check_credit_request}},
    [AM_GET] = {{"a get", ANY_FORM, 1, 1, AM_ZCOPY_MAX, 1, 0, AM_TAG_FIRST + AM_TAGS, check_get}},
    [AM_RMW] = {{"a read-modify-write", ONE_FORM, RMW_REPLACE + 1, sizeof(int), sizeof(long), 1,
                 ANY_TAG, check_rmw}},
    [AM_LOCK] = {{"a lock", ONE_FORM, 1, 0, 0, sizeof(struct mutex), ANY_TAG, check_mutex}},
    [AM_TRYLOCK] = {{"a trylock", ONE_FORM, 1, 0, 0, sizeof(struct mutex), ANY_TAG, check_mutex}},
    [AM_UNLOCK] = {{"an unlock", ONE_FORM, 1, 0, 0, sizeof(struct mutex), NO_TAG, check_mutex}},
};
enum { KINDS = sizeof rules / sizeof rules[0] };

const char *armcii_am_kind_name(enum am_kind kind)
{
    return rules[kind][AM_EAGER].name;
}

/* Say what is wrong, for the line with which the job ends. */
__attribute__((format(printf, 2, 3), cold)) static void say(struct am_decoded *d,
                                                            const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(d->wrong, sizeof d->wrong, format, args);
    va_end(args);
}

/* The same, and false. */
#define REFUSE(...) (say(__VA_ARGS__), false)

static inline bool refuse_value(struct am_decoded *d, const struct rule *rule, const char *name,
                                uint64_t value)
{
    return REFUSE(d, "%s with %s = %jd", rule->name, name, (intmax_t)value);
}

/* The rule for the request, of at least a header; NULL: there is none. The least length follows
 * from the layout. noinline: else compilers compute the address of the rule for each use of it. */
__attribute__((noinline)) static const struct rule *find_rule(const struct am_request_header *r,
                                                              size_t left, struct am_decoded *d)
{
    if (left < sizeof *r)
        say(d, "%zu bytes behind the last one", left);
    else if (r->length > left)
        say(d, "length = %ju of %zu bytes", (uintmax_t)r->length, left);
    else if (r->kind >= KINDS)
        say(d, "kind = %d", r->kind);
    else if (r->data > AM_IN_PLACE || !rules[r->kind][r->data].name)
        say(d, "%s with data = %d", rules[r->kind][0].name, r->data);
    else
        return &rules[r->kind][r->data];
    return NULL;
}

static bool is_owner_right(const struct am_request_header *r)
{
    return (uint32_t)r->owner < (uint32_t)armcii_world->size && armcii_world_is_on_node(r->owner);
}

static bool check_header(const struct am_request_header *r, const struct rule *rule,
                         struct am_decoded *d)
{
    if (r->waits > (r->data != AM_EAGER)) return refuse_value(d, rule, "waits", r->waits);
    if (r->form != SHAPE_CONTIGUOUS && (r->form > SHAPE_VECTOR || !(rule->forms >> r->form & 1)))
        return refuse_value(d, rule, "form", r->form);
    if (r->element >= rule->elements) return refuse_value(d, rule, "element", r->element);
    if ((uint32_t)r->tag - (uint32_t)rule->tag >= (uint32_t)rule->tags)
        return refuse_value(d, rule, "tag", r->tag);
    if (r->bytes - rule->least > rule->most - rule->least)
        return refuse_value(d, rule, "bytes", r->bytes);
    if (rule->memory > 0 && !is_owner_right(r))
        return refuse_value(d, rule, "owner", (uint64_t)(int64_t)r->owner);
    return true;
}

static size_t data_bytes(const struct am_request_header *r)
{
    return armcii_am_has_data((enum am_kind)r->kind, (enum am_data)r->data)
               ? armcii_am_padded((size_t)r->bytes)
               : 0;
}

/* ---- layout ---- */

/* The layout is in the request. False if its counts are not those of the bytes. */
static bool decode_strides(const struct am_request_header *r, struct shape *s)
{
    const char *from = (const char *)(r + 1);
    size_t bytes;
    s->levels = r->levels;
    s->nsegs = 1;
    for (int i = 0; i < s->levels; i++, from += sizeof(int64_t)) {
        int64_t stride;
        memcpy(&stride, from, sizeof stride);
        s->stride[SHAPE_REMOTE][i] = (ptrdiff_t)stride;
    }
    memcpy(s->count, from, (size_t)(s->levels + 1) * sizeof s->count[0]);
    for (int i = 1; i <= s->levels; i++)
        if (__builtin_mul_overflow(s->nsegs, s->count[i], &s->nsegs)) return false;
    return !__builtin_mul_overflow(s->nsegs, s->count[0], &bytes) && bytes == s->bytes;
}

static void reserve_runs(struct am_decoded *d, size_t runs)
{
    if (runs <= d->runs_max) return;
    d->runs = realloc(d->runs, runs * sizeof *d->runs);
    if (!d->runs) armcii_fatal("out of memory for a vector of %zu runs", runs);
    d->runs_max = runs;
}

/* The run at *from, before `end`, whose addresses stay in the message; *left: bytes of the vector
 * that are not in runs. False if the run is not within both. */
static bool decode_run(const char **from, const char *end, struct vector_run *run, size_t *left)
{
    struct am_run_head head;
    size_t bytes;
    if ((size_t)(end - *from) < sizeof head) return false;
    memcpy(&head, *from, sizeof head);
    *from += sizeof head;
    if (head.n == 0 || head.n > (size_t)(end - *from) / sizeof(void *)) return false;
    if (head.bytes == 0 || __builtin_mul_overflow(head.bytes, head.n, &bytes) || bytes > *left)
        return false;
    *run = (struct vector_run){.local = NULL,
                               .remote = (void *const *)(const void *)*from,
                               .bytes = head.bytes,
                               .n = head.n};
    *from += head.n * sizeof(void *);
    *left -= bytes;
    return true;
}

/* False if the runs are not those of the request's length and bytes. */
static bool decode_runs(const struct am_request_header *r, struct am_decoded *d)
{
    const char *from = (const char *)(r + 1), *end = (const char *)r + r->length - data_bytes(r);
    struct shape *s = &d->shape;
    size_t left = s->bytes;
    if (r->runs == 0 || r->runs > (size_t)(end - from) / sizeof(struct am_run_head)) return false;
    reserve_runs(d, r->runs);
    s->nsegs = 0;
    for (size_t i = 0; i < r->runs; i++) {
        if (!decode_run(&from, end, &d->runs[i], &left)) return false;
        s->nsegs += d->runs[i].n;
    }
    s->runs = d->runs;
    s->nruns = r->runs;
    return left == 0 && from == end;
}

static bool refuse_length(const struct am_request_header *r, const struct rule *rule,
                          struct am_decoded *d)
{
    return REFUSE(d, "%s of %ju bytes with length = %ju", rule->name, (uintmax_t)r->bytes,
                  (uintmax_t)r->length);
}

/* Strided or vector. The data, if any, end the request. */
static bool decode_layout(const struct am_request_header *r, const struct rule *rule,
                          struct am_decoded *d)
{
    struct shape *s = &d->shape;
    const size_t data = data_bytes(r), rest = r->length - sizeof *r; /* or huge */
    s->form = (enum shape_form)r->form;
    if (s->form == SHAPE_VECTOR) {
        if (r->levels > 0) return refuse_value(d, rule, "levels", r->levels);
        if (r->length < sizeof *r || rest < data) return refuse_length(r, rule, d);
        if (!decode_runs(r, d))
            return REFUSE(d, "%s whose %ju runs are not those of %zu bytes", rule->name,
                          (uintmax_t)r->runs, s->bytes);
        return true;
    }
    if (r->levels < 1 || r->levels > SHAPE_MAX_LEVELS)
        return refuse_value(d, rule, "levels", r->levels);
    if (r->runs > 0) return refuse_value(d, rule, "runs", r->runs);
    if (rest != (size_t)(2 * r->levels + 1) * sizeof(uint64_t) + data)
        return refuse_length(r, rule, d);
    if (!decode_strides(r, s))
        return REFUSE(d, "%s whose counts are not those of %zu bytes", rule->name, s->bytes);
    return true;
}

/* ---- memory ---- */

static bool check_memory(const struct am_request_header *r, const struct rule *rule, uintptr_t lo,
                         size_t bytes, struct am_decoded *d)
{
    if (armcii_heap_is_used(r->owner, (const void *)lo, bytes)) return true;
    return REFUSE(d, "%s of %zu bytes at %#jx, which is no memory of rank %d", rule->name,
                  d->shape.bytes, (uintmax_t)lo, r->owner);
}

/* From the lowest byte to the highest one. */
static bool check_range(const struct am_request_header *r, const struct rule *rule,
                        struct am_decoded *d)
{
    char *lo, *hi;
    if (armcii_shape_range(&d->shape, SHAPE_REMOTE, &lo, &hi) != SHAPE_OK)
        return REFUSE(d, "%s that leaves the address space", rule->name);
    return check_memory(r, rule, (uintptr_t)lo, (uintptr_t)hi - (uintptr_t)lo, d);
}

/* ---- what only some kinds have ---- */

/* Only contiguous replies are zero-copy; what is packed has a buffer. */
static bool check_get(const struct am_request_header *r, const struct rule *rule,
                      struct am_decoded *d)
{
    if (r->form != SHAPE_CONTIGUOUS && r->bytes > AM_REPLY_MAX)
        return refuse_value(d, rule, "bytes", r->bytes);
    if (r->tag == 0 ? !armcii_am_is_short_reply((size_t)r->bytes) : r->tag < AM_TAG_FIRST)
        return refuse_value(d, rule, "tag", r->tag);
    return true;
}

static bool check_credit_request(const struct am_request_header *r, const struct rule *rule,
                                 struct am_decoded *d)
{
    return r->bytes == armcii_am_limits->message_max || refuse_value(d, rule, "bytes", r->bytes);
}

/* Atomic instructions need aligned memory. */
static bool check_alignment(const struct am_request_header *r, const struct rule *rule, size_t unit,
                            struct am_decoded *d)
{
    return r->remote % unit == 0 ||
           REFUSE(d, "%s at %#jx, which is not aligned", rule->name, (uintmax_t)r->remote);
}

static bool check_rmw(const struct am_request_header *r, const struct rule *rule,
                      struct am_decoded *d)
{
    if (r->bytes != sizeof(int) && r->bytes != sizeof(long))
        return refuse_value(d, rule, "bytes", r->bytes);
    return check_alignment(r, rule, (size_t)r->bytes, d);
}

static bool check_mutex(const struct am_request_header *r, const struct rule *rule,
                        struct am_decoded *d)
{
    return check_alignment(r, rule, sizeof(struct mutex), d);
}

static bool has_whole_elements(const struct shape *s, size_t unit)
{
    bool whole = s->form == SHAPE_VECTOR || s->count[0] % unit == 0;
    for (size_t i = 0; s->form == SHAPE_VECTOR && i < s->nruns; i++)
        whole = whole && s->runs[i].bytes % unit == 0;
    return whole;
}

static bool check_accumulate(const struct am_request_header *r, const struct rule *rule,
                             struct am_decoded *d)
{
    return has_whole_elements(&d->shape, armcii_elements[r->element].size) ||
           REFUSE(d, "%s of %zu bytes of type %s", rule->name, d->shape.bytes,
                  armcii_elements[r->element].name);
}

/* Less is eager. */
static bool check_long(const struct am_request_header *r, const struct rule *rule,
                       struct am_decoded *d)
{
    return r->bytes > armcii_am_limits->eager_max || refuse_value(d, rule, "bytes", r->bytes);
}

static bool check_long_accumulate(const struct am_request_header *r, const struct rule *rule,
                                  struct am_decoded *d)
{
    return check_long(r, rule, d) && check_accumulate(r, rule, d);
}

static bool check_flag(const struct am_request_header *r, struct am_decoded *d)
{
    struct am_flag flag;
    memcpy(&flag, r->scale, sizeof flag);
    if (flag.address == 0) return true;
    if (flag.address % sizeof(int) == 0 && flag.value == (int)flag.value &&
        armcii_heap_is_used(r->owner, (const void *)(uintptr_t)flag.address, sizeof(int)))
        return true;
    return REFUSE(d, "a flag at %#jx, which is no memory of rank %d", (uintmax_t)flag.address,
                  r->owner);
}

static bool check_in_place(const struct am_request_header *r, const struct rule *rule,
                           struct am_decoded *d)
{
    if (d->shape.form == SHAPE_STRIDED && !armcii_am_can_zcopy(&d->shape, SHAPE_REMOTE))
        return REFUSE(d, "%s with strides that MPI cannot receive", rule->name);
    return check_long(r, rule, d) && check_flag(r, d);
}

/* ---- all of it ---- */

static bool check_kind(const struct am_request_header *r, const struct rule *rule,
                       struct am_decoded *d)
{
    return !rule->check || rule->check(r, rule, d);
}

static bool decode_contiguous(const struct am_request_header *r, const struct rule *rule,
                              struct am_decoded *d)
{
    if (r->length - sizeof *r != data_bytes(r)) return refuse_length(r, rule, d);
    if (r->levels > 0) return refuse_value(d, rule, "levels", r->levels);
    if (r->runs > 0) return refuse_value(d, rule, "runs", r->runs);
    const size_t memory = r->bytes > rule->memory ? (size_t)r->bytes : rule->memory;
    if (rule->memory > 0 && !check_memory(r, rule, (uintptr_t)r->remote, memory, d)) return false;
    return check_kind(r, rule, d);
}

/* Strided or vector: its data, if any, are packed behind the layout. */
__attribute__((noinline)) static bool decode_shape(const struct am_request_header *r,
                                                   const struct rule *rule, struct am_decoded *d)
{
    if (!decode_layout(r, rule, d) || !check_range(r, rule, d) || !check_kind(r, rule, d))
        return false;
    if (data_bytes(r) > 0)
        armcii_shape_set_packed(&d->shape, (char *)(uintptr_t)r + r->length - data_bytes(r));
    return true;
}

bool armcii_am_decode(const struct am_request_header *r, size_t left, struct am_decoded *d)
{
    const struct rule *rule = find_rule(r, left, d);
    if (!rule || !check_header(r, rule, d)) return false;
    armcii_shape_contiguous(&d->shape, (char *)(uintptr_t)(r + 1), (void *)(uintptr_t)r->remote,
                            (size_t)r->bytes);
    return r->form == SHAPE_CONTIGUOUS ? decode_contiguous(r, rule, d) : decode_shape(r, rule, d);
}
