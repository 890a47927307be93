/* unit.c - the run of a unit test. */
#include "unit.h"

const struct unit unit __attribute__((weak)) = {0};
static TCase *tests;

void unit_add(const TTest *test, int rows, int signal)
{
    if (!tests) tests = tcase_create("all");
    tcase_add_loop_test_raise_signal(tests, test, signal, 0, rows);
}

int unit_effort(int n)
{
    return getenv("ARMCI_TEST_LONG") ? n : n / 4;
}

int unit_run(int argc, char **argv)
{
    (void)argc;
    const char *name = strrchr(argv[0], '/');
    Suite *suite = suite_create(name ? name + 1 : argv[0]);
    tcase_add_checked_fixture(tests, unit.begin, unit.end);
    tcase_set_timeout(tests, 120); /* other tests run beside it */
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    return (unit.run ? unit.run : unit_run)(argc, argv);
}
