/* test_errors.c - wrong arguments: one line that says rank, function, argument, value and why; then
 * a code, nothing changed and everything usable (ARMCI_ERRORS=return, which this program sets), or
 * the end of the job.
 *
 * With TEST_ERRORS_CASE=NAME the policy is left alone and one wrong call of the list is made, which
 * must end the job; with TEST_ERRORS_CASE=list the list is printed, a line each: code (0: the
 * function has no wrong call), name, function, argument, value, with a bar between them.
 * test_abort.py uses both. */
#include <unistd.h>

#include "mixture.h"
#include "wrong_calls.h"

/* The case that must end the job, or NULL. */
static const char *chosen(void)
{
    return getenv("TEST_ERRORS_CASE");
}

static const char *caught = ""; /* of the last call */

/* text begins with part; returns what follows, NULL if it does not. */
static const char *after(const char *text, const char *part)
{
    return text != NULL && strncmp(text, part, strlen(part)) == 0 ? text + strlen(part) : NULL;
}

/* The first line of what was caught that is no warning. */
static const char *error_line(void)
{
    const char *line = caught;
    while (after(line, "ARMCI warning: ") && strchr(line, '\n'))
        line = strchr(line, '\n') + 1;
    return line;
}

/* It is one line: "ARMCI error: rank R: FUNCTION: ARGUMENT = VALUE: why"; before the start without
 * the rank. */
static bool is_line_of(const struct wrong_call *w, bool with_rank)
{
    char begin[100], number[20], rank[20] = "";
    const char *line = error_line(), *rest, *end = strchr(line, '\n'), *equals;
    if (with_rank) snprintf(rank, sizeof rank, "rank %d: ", test_rank());
    snprintf(begin, sizeof begin, "ARMCI error: %s%s: ", rank, w->function);
    snprintf(number, sizeof number, "%d", test_ranks());
    rest = after(after(line, begin), w->argument);
    equals = rest ? strstr(rest, " = ") : NULL;
    rest = equals ? after(equals + 3, strcmp(w->value, "n") == 0 ? number : w->value) : NULL;
    rest = rest ? strstr(rest, ": ") : NULL;
    return rest != NULL && end != NULL && end[1] == '\0' && end > rest + 2;
}

/* Make the call and catch what it prints; returns its code. */
static int make_and_catch(const struct wrong_call *w)
{
    int code;
    catch_errors();
    code = wrong_calls_make(w);
    caught = caught_errors();
    return code;
}

static bool is_code_of(const struct wrong_call *w, int code)
{
    return code == w->code || code == NO_CODE;
}

/* Operations of any kind, which must work after a wrong call. */
static struct mixture mixture;

static void work_after(const char *call)
{
    long before = test_errors();
    for (int i = 0; i < 8; i++)
        mixture_step(&mixture);
    check_long(test_errors(), before, "errors before and after the operations that follow %s",
               call);
}

static void prepare(void)
{
    wrong_calls_prepare();
    mixture = mixture_create(ARMCI_ACC_LNG, 48 * sizeof(long), 0xaf7e4);
}

static void end(const char *calls)
{
    mixture_end(&mixture, calls);
    wrong_calls_end();
}

/* One wrong call, on all processes at once: line, code, nothing changed.  `thoroughly`: the region
 * has just been used, so that it is in every cache, and afterwards operations work. */
static void try_wrong_call(const struct wrong_call *w, bool thoroughly)
{
    long word;
    int code;
    if (thoroughly)
        check_long(ARMCI_Get(stage.there, &word, sizeof word, stage.p), 0, "ARMCI_Get before %s",
                   w->name);
    code = make_and_catch(w);
    check(is_code_of(w, code), "%s: code %d, expected %d", w->name, code, w->code);
    check(is_line_of(w, true), "%s: it says: %s", w->name, *caught ? caught : "nothing");
    wrong_calls_check_untouched(w->name);
    if (thoroughly) work_after(w->name);
}

/* All calls that are wrong at that moment; returns how many. Where ranks share processors they
 * wait for one another long: then only every eighth call is tried thoroughly. */
static int try_all(enum moment moment)
{
    int tried = 0, step = test_ranks() <= 2 ? 1 : 8;
    for (int i = 0; i < wrong_calls_count(); i++)
        if (wrong_calls_get(i)->moment == moment) {
            try_wrong_call(wrong_calls_get(i), tried % step == 0);
            tried++;
        }
    return tried;
}

static void every_wrong_call(void)
{
    int tried;
    prepare();
    tried = try_all(RUNNING);
    if (test_rank() == 0) printf("%d wrong calls were tried, each on every process\n", tried);
    wrong_calls_check_untouched("all wrong calls");
    end("all wrong calls");
}

/* The last of the tests: see BESIDE_MEMGET. */
static void wrong_descriptions(void)
{
    if (chosen()) return;
    prepare();
    check(try_all(BESIDE_MEMGET) > 0, "no call was tried");
    wrong_calls_check_memget();
    end("wrong descriptions");
}

static void freed_is_gone(void)
{
    int me = test_rank(), right = (me + 1) % test_ranks();
    long value = 3;
    for (int i = 0; i < 6 && !chosen(); i++) {
        int p = i % 2 ? me : right, code;
        void **base = region_create(40000), *gone = base[p];
        ARMCI_Put(&value, gone, sizeof value, p);
        region_free(base);
        catch_errors();
        code = ARMCI_Put(&value, gone, sizeof value, p);
        caught = caught_errors();
        check_long(code, ARMCI_ERR_ADDRESS, "put to the freed memory of %d", p);
        MPI_Barrier(test_comm());
    }
}

/* A patch of 8 bytes times the counts of two levels, which leaves the region with its last segment
 * at the latest. */
struct far_patch {
    int count[3], stride[2];
};

/* The shortest of a few refusals in seconds of the processor; `call` is a strided transfer of that
 * patch. */
static double refusal(int (*call)(struct far_patch *), struct far_patch *patch)
{
    double shortest = 1e9;
    catch_errors();
    for (int i = 0; i < 5; i++) {
        double begun = own_time(), took;
        int code = call(patch);
        took = own_time() - begun;
        shortest = took < shortest ? took : shortest;
        check_long(code, ARMCI_ERR_RANGE, "a patch that leaves its region");
    }
    caught = caught_errors();
    return shortest;
}

static int put_far(struct far_patch *f)
{
    return ARMCI_PutS(stage.here, f->stride, stage.there, f->stride, f->count, 2, stage.p);
}
static int get_far(struct far_patch *f)
{
    return ARMCI_NbGetS(stage.there, f->stride, stage.here, f->stride, f->count, 2, stage.p, NULL);
}
static int accumulate_far(struct far_patch *f)
{
    double two = 2;
    return ARMCI_AccS(ARMCI_ACC_DBL, &two, stage.here, f->stride, stage.there, f->stride, f->count,
                      2, stage.p);
}
static int put_flag_far(struct far_patch *f)
{
    return ARMCI_PutS_flag(stage.here, f->stride, stage.there, f->stride, f->count, 2,
                           (int *)(void *)stage.there, 1, stage.p);
}

/* A walk over 2^30 segments takes a second: refusing them must not take much longer than
 * refusing 2. */
static void refusal_needs_no_walk(void)
{
    static int (*const calls[])(struct far_patch *) = {put_far, get_far, accumulate_far,
                                                       put_flag_far};
    struct far_patch few = {{8, 2, 1}, {SLICE, 8}}, many = {{8, 1 << 15, 1 << 15}, {16, 24}};
    few.stride[0] = SLICE - 4; /* an aligned address, at which 4 bytes are left */
    if (chosen()) return;
    wrong_calls_prepare();
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        double two = refusal(calls[i], &few), billion = refusal(calls[i], &many);
        check(billion < 1000 * two && billion < 0.1,
              "call %zu: %g s to refuse 2^30 segments, %g s to refuse 2", i, billion, two);
    }
    wrong_calls_check_untouched("patches that leave");
    wrong_calls_end();
}

static void usable_afterwards(void)
{
    use_armci(test_rank(), test_ranks(), "after wrong calls");
}

/* What was found out at a moment when no test runs. */
struct off_result {
    const char *when;
    int tried, wrong;
    char first[500]; /* what was wrong first */
};
static struct off_result before_mpi = {.when = "before MPI_Init"},
                         before_armci = {.when = "before ARMCI_Init"},
                         after_armci = {.when = "after ARMCI_Finalize"},
                         after_mpi = {.when = "after MPI_Finalize"};

static void try_off(struct off_result *r, const struct wrong_call *w, bool with_rank)
{
    int code = make_and_catch(w);
    r->tried++;
    if (is_code_of(w, code) && is_line_of(w, with_rank)) return;
    if (r->wrong++ == 0)
        snprintf(r->first, sizeof r->first, "%s: code %d, it says: %.300s", w->name, code, caught);
}

/* All calls that are wrong at one of two moments. */
static void try_all_off(struct off_result *r, enum moment one, enum moment other, bool with_rank)
{
    wrong_calls_set_local();
    for (int i = 0; i < wrong_calls_count(); i++) {
        const struct wrong_call *w = wrong_calls_get(i);
        if (w->moment == one || w->moment == other) try_off(r, w, with_rank);
    }
    wrong_calls_check_local(r->when);
}

static void check_off(const struct off_result *r)
{
    check(r->wrong == 0, "%s: %d of %d calls not as they should be; %s", r->when, r->wrong,
          r->tried, r->first);
}

static void before_the_start(void)
{
    if (chosen()) return;
    check_off(&before_mpi);
    check_off(&before_armci);
}

static void list_cases(void)
{
    for (int i = 0; i < wrong_calls_count(); i++) {
        const struct wrong_call *w = wrong_calls_get(i);
        printf("%d|%s|%s|%s|%s\n", w->code, w->name, w->function, w->argument, w->value);
    }
}

static const struct wrong_call *chosen_call(void)
{
    for (int i = 0; i < wrong_calls_count(); i++)
        if (strcmp(wrong_calls_get(i)->name, chosen()) == 0) return wrong_calls_get(i);
    fprintf(stderr, "no case is called %s\n", chosen());
    exit(0); /* which is not what test_abort.py waits for */
}

static void end_the_job(void)
{
    wrong_calls_prepare();
    wrong_calls_make(chosen_call());
    MPI_Barrier(test_comm());
    check(false, "%s did not end the job", chosen());
}

/* The call that was chosen must end the job now, if this is its moment. */
static void end_the_job_at(enum moment moment)
{
    if (chosen_call()->moment != moment) return;
    wrong_calls_make(chosen_call());
    exit(0);
}

static void start_chosen(int *argc, char ***argv)
{
    if (strcmp(chosen(), "list") == 0) {
        list_cases();
        exit(0);
    }
    end_the_job_at(MPI_OFF);
    MPI_Init(argc, argv);
    end_the_job_at(ARMCI_OFF);
    end_the_job_at(ARMCI_UNUSED);
    if (chosen_call()->moment == MPI_ENDED) MPI_Finalize();
    end_the_job_at(MPI_ENDED);
    ARMCI_Init();
}

static void start_errors(int *argc, char ***argv)
{
    wrong_calls_collect();
    if (chosen()) {
        start_chosen(argc, argv);
        return;
    }
    setenv("ARMCI_ERRORS", "return", 1);
    try_all_off(&before_mpi, ARMCI_OFF, MPI_OFF, false);
    MPI_Init(argc, argv);
    try_all_off(&before_armci, ARMCI_OFF, ARMCI_UNUSED, false);
    ARMCI_Init();
}

static void stop_errors(void)
{
    check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
    if (!chosen()) {
        check_long(ARMCI_Finalize(), 0, "a second ARMCI_Finalize");
        try_all_off(&after_armci, ARMCI_OFF, ARMCI_OFF, true);
        check_off(&after_armci);
    }
    MPI_Finalize();
    if (!chosen()) {
        try_all_off(&after_mpi, ARMCI_OFF, MPI_OFF, true);
        try_all_off(&after_mpi, MPI_ENDED, MPI_ENDED, true);
        check_off(&after_mpi);
    }
}

static void return_policy(void)
{
    if (chosen())
        end_the_job();
    else
        every_wrong_call();
}

static const struct test tests[] = {
    {"every wrong call is named, returns its code, changes nothing", return_policy},
    {"calls before the start are wrong", before_the_start},
    {"an address is wrong as soon as its region is freed", freed_is_gone},
    {"a large strided transfer is refused without walking it", refusal_needs_no_walk},
    {"everything works after wrong calls", usable_afterwards},
    {"addresses outside the memory of ARMCI_Memget are wrong", wrong_descriptions},
};
SUITE(.start = start_errors, .stop = stop_errors);
