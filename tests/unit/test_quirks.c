/* test_quirks.c - the table of defects: which rows are in force for the libraries that the table was measured with,
 * from the texts that their MPI_Get_library_version really gives. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/quirks.h"

static const char mpich_402[] =
    "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\nMPICH ABI:\t14:2:2\n"
    "MPICH Device:\tch4:ucx\nMPICH configure:\t--prefix=/usr --with-device=ch4:ucx --with-pm=hydra\n";
static const char mpich_432[] =
    "MPICH Version:      4.3.2\nMPICH Release date: Mon Oct  6 11:14:20 AM CDT 2025\nMPICH ABI:          17:2:5\n"
    "MPICH Device:       ch4:ucx ofi\nMPICH configure:    --with-device=ch4:ucx,ofi --with-pm=hydra:gforker\n"
    "MPICH CC:           cc\nMPICH Custom Information:\thttps://pypi.org/p/mpich/4.3.2/\n";
static const char mpich_502[] =
    "MPICH Version:      5.0.2\nMPICH Release date: Fri Sep 25 20:45:26 UTC 2026\nMPICH ABI:          18:2:6\n"
    "MPICH Device:       ch4:ucx ofi\nMPICH configure:    --with-device=ch4:ucx,ofi --with-pm=hydra:gforker\n"
    "MPICH CC:           cc\nMPICH Custom Information:\thttps://pypi.org/p/mpich/5.0.2/\n";
static const char openmpi_414[] =
    "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022";
static const char openmpi_5011[] = "Open MPI v5.0.11, package: Open MPI user@localhost Distribution, ident: 5.0.11, "
                                   "repo rev: v5.0.11rc1, Sep 16, 2026";
static const char intel_202118[] = "Intel(R) MPI Library 2021.18.0 for Linux* OS\n";
static const char unknown[] = "Another MPI 4.0.2, not like MPICH";

/* ---- names and versions ---- */

static void expect_library(const char *text, const char *library, int version)
{
    int seen = -1;
    const char *name = armcii_quirks_library(text, &seen);
    if (!library) {
        ck_assert_msg(!name, "\"%s\": expected no library, seen %s", text, name);
        return;
    }
    ck_assert_msg(name, "\"%s\": expected %s, seen no library", text, library);
    ck_assert_str_eq(name, library);
    ck_assert_int_eq(seen, version);
}

START_TEST(library_and_version)
{
    expect_library(mpich_402, "MPICH", 40002);
    expect_library(mpich_432, "MPICH", 40302);
    expect_library(mpich_502, "MPICH", 50002);
    expect_library(openmpi_414, "Open MPI", 40104);
    expect_library(openmpi_5011, "Open MPI", 50011);
    expect_library(intel_202118, "Intel MPI", 2021 * 10000 + 18 * 100);
    expect_library("Intel(R) MPI Library 2021.18 for Linux* OS\n", "Intel MPI", 2021 * 10000 + 18 * 100);
    expect_library("MPICH Version:      4.3.0b1\nMPICH Release date: unreleased development copy", "MPICH", 40300);
    expect_library("MPICH Version:\t5\n", "MPICH", 50000);
    expect_library(unknown, NULL, 0);
    expect_library("", NULL, 0);
    expect_library("MPICH Version:\t\n", NULL, 0);
    expect_library("MPI VERSION    : CRAY MPICH version 8.1.29.20 (ANL base 3.4a2)\n", NULL, 0);
    expect_library("MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date :\tWed March 02 22:00:00 EST 2022\n", NULL,
                   0);
}
END_TEST

/* ---- rows in force ---- */

/* The defects by a few words of their row. */
enum defect {
    UNPADDED_SLICES,
    RGET_OR_RPUT,
    LONG_ACCUMULATE,
    DERIVED_ACCUMULATE,
    INDEXED_ACCUMULATE,
    CREATED_WINDOW,
    NEGATIVE_STRIDES,
    OUTSTANDING,
    LATE_RGET,
    DEFECTS
};
static const char *const words[DEFECTS] = {
    "no multiple of 16 bytes",
    "MPI_Rput over OFI",
    "message header of UCX",
    "wrong sums",
    "lose updates",
    "MPI_Win_create fails",
    "single bytes with stride -1",
    "255th",
    "MPI_Rget completes before the data are there (osc/ucx)",
};

static size_t row_of(enum defect d)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; armcii_quirk_row(i); i++) {
        if (!strstr(armcii_quirk_row(i)->defect, words[d])) continue;
        ck_assert_msg(found == SIZE_MAX, "\"%s\" is in two rows", words[d]);
        found = i;
    }
    ck_assert_msg(found != SIZE_MAX, "\"%s\" is in no row", words[d]);
    return found;
}

/* `in_force`: a bit for each defect. */
static void expect_in_force(const char *text, bool several_nodes, unsigned in_force)
{
    for (enum defect d = 0; d < DEFECTS; d++) {
        bool want = in_force >> d & 1, seen = armcii_quirk_is_in_force(row_of(d), text, several_nodes);
        ck_assert_msg(seen == want, "%.24s, %s: \"%s\": expected %d, seen %d", text,
                      several_nodes ? "several nodes" : "one node", words[d], want, seen);
    }
}

#define BIT(defect) (1u << (defect))

START_TEST(rows_of_mpich)
{
    unsigned always = BIT(RGET_OR_RPUT) | BIT(LONG_ACCUMULATE);
    for (int several = 0; several < 2; several++) {
        expect_in_force(mpich_402, several, always | BIT(UNPADDED_SLICES));
        expect_in_force(mpich_432, several, always);
        expect_in_force(mpich_502, several, always);
        expect_in_force("MPICH Version:\t3.4.3\n", several, always);
        expect_in_force("MPICH Version:\t4.1\n", several, always);
    }
}
END_TEST

START_TEST(rows_of_open_mpi)
{
    unsigned always = BIT(INDEXED_ACCUMULATE) | BIT(NEGATIVE_STRIDES) | BIT(OUTSTANDING);
    expect_in_force(openmpi_414, false, always | BIT(CREATED_WINDOW));
    expect_in_force(openmpi_414, true, always | BIT(CREATED_WINDOW) | BIT(DERIVED_ACCUMULATE));
    expect_in_force(openmpi_5011, false, always);
    expect_in_force(openmpi_5011, true, always | BIT(LATE_RGET));
    expect_in_force("Open MPI v3.1.6, package: x", true, 0);
}
END_TEST

START_TEST(rows_of_others)
{
    for (int several = 0; several < 2; several++) {
        expect_in_force(intel_202118, several, 0);
        expect_in_force(unknown, several, 0);
        expect_in_force("", several, 0);
    }
}
END_TEST

/* ---- what they ask for ---- */

static const struct quirks none = {.slice_unit = 64,
                                   .window_over_own_memory = true,
                                   .negative_strides = true,
                                   .acc_strided_types = true,
                                   .acc_indexed_types = true,
                                   .acc_segments = SIZE_MAX,
                                   .outstanding = SIZE_MAX};

static void expect_decision(const char *text, bool several_nodes, bool enabled, struct quirks want)
{
    armcii_quirks_decide(text, several_nodes, enabled);
    const struct quirks *q = armcii_quirks;
    ck_assert_uint_eq(q->slice_unit, want.slice_unit);
    ck_assert_int_eq(q->window_over_own_memory, want.window_over_own_memory);
    ck_assert_int_eq(q->negative_strides, want.negative_strides);
    ck_assert_int_eq(q->acc_strided_types, want.acc_strided_types);
    ck_assert_int_eq(q->acc_indexed_types, want.acc_indexed_types);
    ck_assert_uint_eq(q->acc_segments, want.acc_segments);
    ck_assert_uint_eq(q->outstanding, want.outstanding);
}

START_TEST(decisions)
{
    for (int several = 0; several < 2; several++) {
        struct quirks mpich = none, openmpi5 = none;
        mpich.acc_segments = 256;
        expect_decision(mpich_432, several, true, mpich);
        expect_decision(mpich_502, several, true, mpich);
        mpich.slice_unit = 4096;
        expect_decision(mpich_402, several, true, mpich);
        openmpi5.negative_strides = openmpi5.acc_indexed_types = false;
        openmpi5.outstanding = 128;
        expect_decision(openmpi_5011, several, true, openmpi5);
        struct quirks openmpi4 = openmpi5;
        openmpi4.window_over_own_memory = false;
        openmpi4.acc_strided_types = !several;
        expect_decision(openmpi_414, several, true, openmpi4);
        expect_decision(intel_202118, several, true, none);
        expect_decision(unknown, several, true, none);
    }
}
END_TEST

START_TEST(disabled)
{
    static const char *const all[] = {mpich_402,    mpich_432,    mpich_502, openmpi_414,
                                      openmpi_5011, intel_202118, unknown};
    struct quirks as_asked_for = none;
    as_asked_for.slice_unit = 1; /* not even the alignment of slices */
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (int several = 0; several < 2; several++) {
            armcii_quirks_decide(all[i], !several, true);
            expect_decision(all[i], several, false, as_asked_for);
        }
}
END_TEST

/* What people read: every row says what breaks, what is done and where that comes from. */
START_TEST(table_is_complete)
{
    size_t n = 0;
    for (const struct quirk_row *row; (row = armcii_quirk_row(n)); n++) {
        ck_assert_msg(row->from < row->to, "row %zu: versions %d to %d", n, row->from, row->to);
        ck_assert_msg(strlen(row->defect) > 20 && strlen(row->remedy) > 10 && strlen(row->reference) > 5,
                      "row %zu lacks words", n);
    }
    ck_assert_uint_ge(n, DEFECTS);
    ck_assert_ptr_null(armcii_quirk_row(n + 1));
    ck_assert_ptr_null(armcii_quirk_row(SIZE_MAX));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("quirks");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, library_and_version);
    tcase_add_test(tests, rows_of_mpich);
    tcase_add_test(tests, rows_of_open_mpi);
    tcase_add_test(tests, rows_of_others);
    tcase_add_test(tests, decisions);
    tcase_add_test(tests, disabled);
    tcase_add_test(tests, table_is_complete);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
