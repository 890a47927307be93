/* test_error.c - messages: their form, whether they end the job, and that long lines are cut. */
#include "base/config.h"
#include "base/log.h"
#include "unit.h"

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static char printed[8192]; /* output between begin() and end() */
static FILE *file;
static int stream, saved;

/* Captures the output to a file descriptor. */
static void begin(int descriptor)
{
    file = tmpfile();
    ck_assert_ptr_nonnull(file);
    stream = descriptor;
    saved = dup(descriptor);
    ck_assert_int_ge(dup2(fileno(file), descriptor), 0);
}

static void end(void)
{
    size_t length;
    ck_assert_int_ge(dup2(saved, stream), 0);
    close(saved);
    rewind(file);
    length = fread(printed, 1, sizeof printed - 1, file);
    printed[length] = '\0';
    fclose(file);
}

/* Reads a configuration with one setting. */
static void configure(const char *setting)
{
    char text[64];
    char *environment[] = {text, NULL};
    snprintf(text, sizeof text, "%s", setting);
    ck_assert_int_eq(armcii_config_read(environment, NULL), 0);
}

static jmp_buf aborted;
static int abort_status;

static void catch_abort(int status)
{
    abort_status = status;
    longjmp(aborted, 1);
}

TEST(test_error_returns_its_code)
{
    configure("ARMCI_ERRORS=return");
    armcii_error_set_abort(catch_abort);
    armcii_log_set_rank(3);
    begin(STDERR_FILENO);
    int code = armcii_error(2, "ARMCI_Put", "proc", "there are 4 processes", "%d", 17);
    end();
    ck_assert_int_eq(code, 2);
    ck_assert_str_eq(printed, "ARMCI error: rank 3: ARMCI_Put: proc = 17: there are 4 processes\n");
}

TEST(test_error_without_argument_or_rank)
{
    configure("ARMCI_ERRORS=return");
    begin(STDERR_FILENO);
    int code = armcii_error(1, "ARMCI_Put", "", "called before ARMCI_Init", "%s", "");
    end();
    ck_assert_int_eq(code, 1);
    ck_assert_str_eq(printed, "ARMCI error: ARMCI_Put: called before ARMCI_Init\n");
}

TEST(test_error_aborts)
{
    volatile bool returned = false;
    configure("ARMCI_ERRORS=abort");
    armcii_error_set_abort(catch_abort);
    begin(STDERR_FILENO);
    if (setjmp(aborted) == 0) {
        armcii_error(5, "ARMCI_Get", "bytes", "negative", "%d", -1);
        returned = true;
    }
    end();
    ck_assert(!returned);
    ck_assert_int_eq(abort_status, 5);
    ck_assert_str_eq(printed, "ARMCI error: ARMCI_Get: bytes = -1: negative\n");
}

static int handled_code;
static char handled_text[4096];

static void handle(int code, const char *text)
{
    handled_code = code;
    snprintf(handled_text, sizeof handled_text, "%s", text);
}

/* Instead of a line and an end, whatever ARMCI_ERRORS says. */
TEST(test_error_goes_to_the_handler)
{
    configure("ARMCI_ERRORS=abort");
    armcii_error_set_abort(catch_abort);
    armcii_error_set_handler(handle);
    begin(STDERR_FILENO);
    int code = armcii_error(5, "ARMCI_Get", "bytes", "negative", "%d", -1);
    end();
    armcii_error_set_handler(NULL);
    ck_assert_int_eq(code, 5);
    ck_assert_int_eq(handled_code, 5);
    ck_assert_str_eq(handled_text, "ARMCI_Get: bytes = -1: negative");
    ck_assert_str_eq(printed, "");
}

TEST(test_error_before_configuration)
{
    setenv("ARMCI_ERRORS", "return", 1);
    armcii_error_set_abort(catch_abort);
    ck_assert_int_eq(armcii_error(1, "ARMCI_Fence", "", "called before ARMCI_Init", "%s", ""), 1);
}

TEST(test_fatal_aborts_whatever_is_set)
{
    configure("ARMCI_ERRORS=return");
    armcii_error_set_abort(catch_abort);
    armcii_log_set_rank(0);
    begin(STDERR_FILENO);
    if (setjmp(aborted) == 0) armcii_fatal("lost %s", "count");
    end();
    ck_assert_int_eq(abort_status, 1);
    ck_assert_str_eq(printed, "ARMCI internal error: rank 0: lost count\n");
}

SIGNAL_TEST(test_abort_without_a_job, SIGABRT)
{
    armcii_abort_job(1); /* no function is set: abort(3) */
}

TEST(test_warn_and_say)
{
    armcii_log_set_rank(2);
    begin(STDERR_FILENO);
    armcii_warn("%d of %d", 1, 2);
    end();
    ck_assert_str_eq(printed, "ARMCI warning: rank 2: 1 of 2\n");
    begin(STDOUT_FILENO);
    armcii_say("version %s", "0.1");
    end();
    ck_assert_str_eq(printed, "ARMCI: version 0.1\n");
}

/* A message is printed completely if it fits in a line, else cut. */
TEST(test_long_lines)
{
    static char message[5000];
    size_t prefix = strlen("ARMCI: ");
    for (size_t length = 2030; length < 2060; length++) {
        memset(message, 'x', length);
        message[length] = '\0';
        begin(STDOUT_FILENO);
        armcii_say("%s", message);
        end();
        size_t got = strlen(printed);
        ck_assert_uint_le(got, 2048);
        ck_assert_int_eq(printed[got - 1], '\n');
        ck_assert_ptr_eq(strchr(printed, '\n'), printed + got - 1);
        if (got != prefix + length + 1) ck_assert_str_eq(printed + got - 4, "...\n");
    }
    ck_assert_uint_lt(strlen(printed), 2049);
    ck_assert_str_eq(printed + strlen(printed) - 5, "x...\n");
}
