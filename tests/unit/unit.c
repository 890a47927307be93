/* unit.c - the run of a unit test. */
#include "unit.h"

#include <stdlib.h>

TCase *unit_case(const TTest *const tests[])
{
    TCase *all = tcase_create("all");
    for (; *tests; tests++)
        tcase_add_test(all, *tests);
    return all;
}

int unit_run(const char *name, TCase *tests)
{
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

void unit_starts_mpi(void)
{
    setenv("CK_FORK", "no", 1); /* MPI does not survive a fork */
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
}
