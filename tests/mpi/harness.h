/* harness.h - what every multi-process test shares: main(), checks, a reduced result, repeatable
 * random numbers, regions.
 *
 * A test program defines `suite`. The harness owns main(): it starts MPI and ARMCI, runs the tests
 * in order with a barrier between them, adds the errors of all ranks, lets rank 0 print one result
 * a test, and exits with the reduced status on every rank: 0 passed, 1 failed, 77 when every test
 * was skipped. Every rank runs every test; a test that waits for other ranks is ended by the
 * launcher's time limit.
 *
 * Arguments of a test program: --seed=N, --only=TEXT (tests whose promise contains TEXT, with _ for
 * a blank), --list. */
#ifndef TEST_HARNESS_H
#define TEST_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armcix.h>

#include "../../tools/lib/clock.h"
#include "../../tools/lib/rng.h"

/* A test: the promise that it checks, and the function that tries it, or a function that tests
 * share and its row. */
struct test {
    const char *promise;
    void (*run)(void);
    void (*run_row)(const void *row);
    const void *row;
};
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* most tests have no row */
/* clang-format off */
#define ONE_ROW(FUNCTION, TYPE, ...) NULL, FUNCTION, &(const TYPE){__VA_ARGS__}
#define ROWS(FUNCTION, TYPE, ...) NULL, FUNCTION, (const TYPE[]){__VA_ARGS__, {0}}
/* The suite of a program whose tests are the table `tests`. */
#define SUITE(...) const struct suite suite = {tests, sizeof tests / sizeof *tests, __VA_ARGS__}
/* clang-format on */

struct suite {
    const struct test *tests;
    size_t n;
    void (*start)(int *argc,
                  char ***argv); /* NULL: MPI_Init, ARMCI_Init; MPI must run afterwards */
    void (*stop)(void);          /* NULL: ARMCI_Finalize, MPI_Finalize; may still use check() */
};
extern const struct suite suite;

/* A start for MPI_THREAD_MULTIPLE; start and end of MPI alone, where the tests start ARMCI. */
void start_threaded(int *argc, char ***argv);
void start_mpi(int *argc, char ***argv);
void stop_mpi(void);

/* The most ranks of a job of these tests. */
enum { MOST_RANKS = 256 };

/* All ranks: those that ARMCI runs on where the start has started it, else those of
 * MPI_COMM_WORLD. */
MPI_Comm test_comm(void);
/* The caller's rank there and the number of ranks. */
int test_rank(void);
int test_ranks(void);

/* ---- checks: each counts an error of the running test when it fails, and prints the first few of
 * a rank. The text says the call that was tried. Return whether the check held. Any thread may
 * check. */
bool check(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool check_long(long seen, long expected, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Exactly equal; NaN equals nothing. */
bool check_double(double seen, double expected, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same n bytes; a failure names the first offset that differs, and how many do. */
bool check_bytes(const void *seen, const void *expected, size_t n, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* At most `limit` seconds; with ARMCI_TEST_LONG=1 only, on a machine that others leave alone. */
bool check_time(double seconds, double limit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Errors of the running test so far, here. */
long test_errors(void);

/* Mark the running test as skipped, with the reason; the test function must then return. Every
 * rank calls it. */
void skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Keep what the process writes to standard error; then give it back, at most 2,000 bytes in a
 * static buffer. */
void catch_errors(void);
const char *caught_errors(void);

/* The test that runs now must end the job with a line that contains `text` (a row of tests/suite
 * with `abort` looks for it). */
void expect_abort(const char *text);

/* Are there so many ranks, or at most so many?  Else the test is skipped. */
bool needs_ranks(int n);
bool needs_few_ranks(int n);

/* The distance between ranks to try after the distance d: every one on 1 to 4 ranks, powers of two
 * on more. */
int next_distance(int d);

/* Does MPI give MPI_THREAD_MULTIPLE?  Is shared memory in anonymous files of the library?  Else the
 * test is skipped. Collective. */
bool needs_threads(void);
bool needs_segments(void);

/* Is `here` true on every rank?  Collective. */
bool on_all_ranks(bool here);

/* How many repetitions of the n of a test to do: on 1 or 2 ranks a third, all with
 * ARMCI_TEST_LONG=1; an eighth on 3 to 8, one for each of n / ranks on more, at least 1: ranks
 * share the cores of a small machine and spin. */
int effort(int n);
/* How long to try what goes wrong seldom: two fifths of that many seconds, all of them with
 * ARMCI_TEST_LONG=1. */
double trial_time(double seconds);

/* Does ARMCI_TRANSPORT=rma ask for MPI's one-sided calls between nodes, and can this MPI library
 * make windows there? */
bool test_makes_windows(void);
/* Are the nodes joined by RDMA on an emulated processor (tests/rdma)? */
bool test_on_rdma(void);

/* Does MPI carry out operations of other processes in the waits of this one?  Then they do not
 * sleep, unless ranks outnumber processors. */
bool test_mpi_serves(void);

/* Does a server or progress thread complete transfers between nodes while the target computes?
 * Always, except by windows that do not support threads. */
bool test_has_server(void);

/* Random numbers that depend on nothing but --seed and the stream's number: every rank can replay
 * any rank's. */
struct rng rng_stream(uint64_t number);

/* A handle without operations, and one that aggregates. */
armci_hdl_t new_handle(void);
armci_hdl_t new_aggregate(void);
/* The ranks first, first + step ... that exist; returns how many. */
int list_ranks(int first, int step, int list[]);
/* Run work in n threads, thread t with the t-th of `jobs`, which have `size` bytes each; returns
 * when all have. */
void run_threads(int n, void *(*work)(void *), void *jobs, size_t size);

/* Memory; running out of it ends the job. */
void *need_memory(size_t bytes);
/* The same, all bytes 0. */
void *need_zeroed(size_t bytes);
/* Bytes that differ for each seed. */
void fill_bytes(void *bytes, size_t n, int seed);
/* A region with `bytes` here: addresses of all slices, to be given back to region_free. Collective.
 */
void **region_create(size_t bytes);
/* Let every byte of the caller's slice be that. */
void slice_fill(void *mine, int byte, size_t bytes);
/* The same, all bytes 0, with a barrier. */
void **region_zeroed(size_t bytes);
void region_free(void **base);
/* A barrier, then the same. */
void region_done(void **base);
/* What a running ARMCI of n processes, the caller number `me`, must be able to do: a call of every
 * kind. */
void use_armci(int me, int n, const char *what);
/* The number in the line "KEY N kB" of a file such as /proc/self/status; 0: no such line. The key
 * ends with a colon. */
long kib_in(const char *path, const char *key);
/* The largest resident size (VmHWM) counts from now on; false: the system refuses that. */
bool forget_largest(void);
/* Of the resident size, what is not the process's own, KiB. */
long not_own_kib(void);
/* KiB of memory that the process uses; no files, of which the kernel maps more than is touched. */
long process_kib(void);
/* Bytes of memory that the system can still give to programs. */
size_t memory_available(void);
/* Lines of a file, such as /proc/self/maps, that contain the text. */
long lines_with(const char *path, const char *text);

/* Entries of /proc/self/fd but network connections, which MPI opens and closes at any time, and
 * the progress thread's files in /proc. */
long descriptors(void);

/* What a process holds, and a check that it is not more than before. Collective. */
struct held {
    long library_kib, kib; /* memory: of the library's segments, all */
    long library_maps, maps, descriptors;
};
struct held held(void);
void check_held(struct held before);

#endif
