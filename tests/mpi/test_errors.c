/* test_errors.c - wrong arguments: one line that says rank, function, argument, value and why; then a code and nothing
 * changed (ARMCI_ERRORS=return, which this program sets), or the end of the job.
 *
 * With TEST_ERRORS_CASE=NAME the policy is left alone and one wrong call of the table is made, which must end the job;
 * with TEST_ERRORS_CASE=list the names are printed, a line each: code, name, function, argument, value.  check-abort
 * uses both. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wrong_calls.h"

/* The case that must end the job, NULL where there is none. */
static const char *chosen(void)
{
    return getenv("TEST_ERRORS_CASE");
}

/* ------------------------------------------------------------------ what the library prints */

static struct {
    FILE *file;
    int kept; /* the real standard error */
    char text[2000];
} caught;

static void catch_begin(void)
{
    caught.file = tmpfile();
    if (caught.file == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fflush(stderr);
    caught.kept = dup(STDERR_FILENO);
    dup2(fileno(caught.file), STDERR_FILENO);
}

/* caught.text is what came since catch_begin. */
static void catch_end(void)
{
    size_t n;

    fflush(stderr);
    dup2(caught.kept, STDERR_FILENO);
    close(caught.kept);
    rewind(caught.file);
    n = fread(caught.text, 1, sizeof caught.text - 1, caught.file);
    caught.text[n] = '\0';
    fclose(caught.file);
}

/* text begins with part; returns what follows, NULL if it does not. */
static const char *after(const char *text, const char *part)
{
    return text != NULL && strncmp(text, part, strlen(part)) == 0 ? text + strlen(part) : NULL;
}

/* caught.text is one line: "ARMCI error: rank R: FUNCTION: ARGUMENT = VALUE: why". */
static bool is_line_of(const struct wrong_call *w, int rank)
{
    char begin[100], number[20];
    const char *rest, *end = strchr(caught.text, '\n'), *equals;

    snprintf(begin, sizeof begin, "ARMCI error: rank %d: %s: ", rank, w->function);
    snprintf(number, sizeof number, "%d", test_ranks());
    rest = after(after(caught.text, begin), w->argument);
    equals = rest ? strstr(rest, " = ") : NULL;
    rest = equals ? after(equals + 3, strcmp(w->value, "n") == 0 ? number : w->value) : NULL;
    rest = rest ? strstr(rest, ": ") : NULL;
    return rest != NULL && end != NULL && end[1] == '\0' && end > rest + 2;
}

/* ------------------------------------------------------------------ the tests */

/* Each wrong call, on all processes at once: line, code, nothing changed. */
static void every_wrong_call(void)
{
    wrong_calls_prepare();
    for (const struct wrong_call *w = wrong_calls; w->name; w++) {
        int code;
        catch_begin();
        code = w->call();
        catch_end();
        check(code == w->code || code == SAYS_NOTHING, "%s: code %d, expected %d", w->name, code, w->code);
        check(is_line_of(w, test_rank()), "%s: it says: %s", w->name, caught.text[0] ? caught.text : "nothing");
        wrong_calls_check_untouched(w->name);
    }
    wrong_calls_end();
}

/* The address that was used last is wrong as soon as its region is freed. */
static void freed_is_gone(void)
{
    int me = test_rank(), right = (me + 1) % test_ranks();
    long value = 3;

    for (int i = 0; i < 6 && !chosen(); i++) {
        int p = i % 2 ? me : right, code;
        void **base = region_create(40000), *gone = base[p];
        ARMCI_Put(&value, gone, sizeof value, p);
        region_free(base);
        catch_begin();
        code = ARMCI_Put(&value, gone, sizeof value, p);
        catch_end();
        check_long(code, ARMCI_ERR_ADDRESS, "put to the freed memory of %d", p);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* After all that, everything works. */
static void usable_afterwards(void)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n, value = 5 + me, one = 1, old = -1;
    void **base = region_create(2 * sizeof(int));
    ARMCI_Group world;
    armci_hdl_t hdl;

    ARMCI_Group_get_world(&world);
    ARMCI_INIT_HANDLE(&hdl);
    check_long(ARMCI_NbPut(&value, base[right], sizeof value, right, &hdl), 0, "ARMCI_NbPut");
    check_long(ARMCI_Wait(&hdl), 0, "ARMCI_Wait");
    check_long(ARMCI_Acc(ARMCI_ACC_INT, &one, &one, base[right], sizeof one, right), 0, "ARMCI_Acc");
    ARMCI_Fence(right);
    check_long(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, base[right], 1, right), 0, "ARMCI_Rmw");
    check_long(old, value + 1, "value there");
    check_long(ARMCI_Create_mutexes(1), 0, "ARMCI_Create_mutexes");
    ARMCI_Lock(0, 0);
    ARMCI_Unlock(0, 0);
    check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
    armci_msg_group_igop(&one, 1, "+", &world);
    check_long(one, n, "sum");
    ARMCI_Barrier();
    region_free(base);
}

/* ------------------------------------------------------------------ before the start and after the end */

enum { STATE_CALLS = 10 };

static struct {
    int code[STATE_CALLS];
    char line[STATE_CALLS][300];
} before;

static const char *const state_functions[STATE_CALLS] = {
    "ARMCI_Put",     "ARMCI_Get",     "ARMCI_Malloc",         "ARMCI_Fence",       "ARMCI_Rmw",
    "ARMCI_Barrier", "ARMCI_WaitAll", "ARMCI_Create_mutexes", "armci_msg_barrier", "ARMCI_Finalize",
};

/* Call function i of the list while ARMCI does not run. */
static int call_in_wrong_state(int i)
{
    int word = 1, old = 1;
    void *base[64];

    switch (i) {
    case 0:
        return ARMCI_Put(&word, &old, sizeof word, 0);
    case 1:
        return ARMCI_Get(&word, &old, sizeof word, 0);
    case 2:
        return ARMCI_Malloc(base, 8);
    case 3:
        ARMCI_Fence(0);
        return SAYS_NOTHING;
    case 4:
        return ARMCI_Rmw(ARMCI_SWAP, &old, &word, 1, 0);
    case 5:
        ARMCI_Barrier();
        return SAYS_NOTHING;
    case 6:
        return ARMCI_WaitAll();
    case 7:
        return ARMCI_Create_mutexes(1);
    case 8:
        armci_msg_barrier();
        return SAYS_NOTHING;
    default:
        return ARMCI_Finalize();
    }
}

static void call_all_in_wrong_state(void)
{
    for (int i = 0; i < STATE_CALLS; i++) {
        catch_begin();
        before.code[i] = call_in_wrong_state(i);
        catch_end();
        snprintf(before.line[i], sizeof before.line[i], "%.*s", (int)strcspn(caught.text, "\n"), caught.text);
    }
}

static void check_wrong_state(const char *when)
{
    for (int i = 0; i < STATE_CALLS; i++) {
        check(before.code[i] == ARMCI_ERR_STATE || before.code[i] == SAYS_NOTHING, "%s %s: code %d", state_functions[i],
              when, before.code[i]);
        check(after(before.line[i], "ARMCI error: ") != NULL && strstr(before.line[i], state_functions[i]) != NULL,
              "%s %s says: %s", state_functions[i], when, before.line[i][0] ? before.line[i] : "nothing");
    }
}

static void before_the_start(void)
{
    check_wrong_state("before ARMCI_Init");
}

/* ------------------------------------------------------------------ one case that must end the job */

static void list_cases(void)
{
    for (const struct wrong_call *w = wrong_calls; w->name; w++)
        printf("%d\t%s\t%s\t%s\t%s\n", w->code, w->name, w->function, w->argument, w->value);
}

static void end_the_job(void)
{
    const struct wrong_call *w = wrong_calls;

    wrong_calls_prepare();
    while (w->name && strcmp(w->name, chosen()) != 0)
        w++;
    if (!check(w->name != NULL, "no case is called %s", chosen()))
        return;
    w->call();
    MPI_Barrier(MPI_COMM_WORLD);
    check(false, "%s did not end the job", w->name);
}

static void start_errors(int *argc, char ***argv)
{
    if (chosen() && strcmp(chosen(), "list") == 0) {
        list_cases();
        exit(0);
    }
    MPI_Init(argc, argv);
    if (!chosen()) {
        setenv("ARMCI_ERRORS", "return", 1);
        call_all_in_wrong_state();
    }
    ARMCI_Init();
}

static void stop_errors(void)
{
    check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
    if (!chosen()) {
        call_all_in_wrong_state();
        check_wrong_state("after ARMCI_Finalize");
    }
    MPI_Finalize();
}

static void return_policy(void)
{
    if (chosen())
        end_the_job();
    else
        every_wrong_call();
}

static const struct test tests[] = {
    { "every wrong call is named, returns its code, changes nothing", return_policy },
    { "calls before the start are wrong", before_the_start },
    { "an address is wrong as soon as its region is freed", freed_is_gone },
    { "everything works after wrong calls", usable_afterwards },
    { NULL, NULL },
};
const struct suite suite = { tests, start_errors, stop_errors };
