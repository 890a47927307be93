/* unit.h - unit tests that register themselves with Check; libunit has main(). */
#ifndef UNIT_H
#define UNIT_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A test, followed by its body. It runs once for each _i from 0 to ROWS - 1. */
#define TEST(NAME)                  UNIT_TEST(NAME, 1, 0)
#define ROW_TEST(NAME, ROWS)        UNIT_TEST(NAME, ROWS, 0)
#define TABLE_TEST(NAME, TABLE)     UNIT_TEST(NAME, sizeof(TABLE) / sizeof *(TABLE), 0)
#define SIGNAL_TEST(NAME, EXPECTED) UNIT_TEST(NAME, 1, EXPECTED) /* ends by this signal */

#define UNIT_TEST(NAME, ROWS, SIGNAL)                                                              \
    static void NAME(int _i);                                                                      \
    __attribute__((constructor)) static void NAME##_register(void)                                 \
    {                                                                                              \
        static const TTest test = {#NAME, NAME, __FILE__, __LINE__};                               \
        unit_add(&test, (int)(ROWS), SIGNAL);                                                      \
    }                                                                                              \
    static void NAME(int _i CK_ATTRIBUTE_UNUSED)

void unit_add(const TTest *test, int rows, int signal);

/* Run the tests, each in its own process; or in this process, with MPI, which does not survive a
 * fork, and without a launcher. */
int unit_run(int argc, char **argv);
int unit_run_with_mpi(int argc, char **argv);
int unit_run_with_mpi_threads(
    int argc, char **argv); /* skipped if MPI does not provide MPI_THREAD_MULTIPLE */

/* How many of n repetitions to do, such as random samples: a quarter; all with
 * ARMCI_TEST_LONG=1, as each night. */
int unit_effort(int n);

/* What all tests of a program share; a program without special needs defines no `unit`. */
struct unit {
    void (*begin)(void); /* before and after each test; `end` only if it passes */
    void (*end)(void);
    void (*before_mpi)(void);
    int (*run)(int argc, char **argv); /* NULL: unit_run */
};
extern const struct unit unit;

#endif
