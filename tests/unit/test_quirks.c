/* test_quirks.c - the table of defects: which rows are in force for the libraries that the table
 * was measured with, from the texts that their MPI_Get_library_version really gives. */
#include "mpi/quirks.h"
#include "unit.h"

static const char mpich_402[] =
    "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\nMPICH ABI:\t14:2:2\n"
    "MPICH Device:\tch4:ucx\nMPICH configure:\t--prefix=/usr --with-device=ch4:ucx "
    "--with-pm=hydra\n";
static const char mpich_432[] =
    "MPICH Version:      4.3.2\nMPICH Release date: Mon Oct  6 11:14:20 AM CDT 2025\nMPICH ABI:    "
    "      17:2:5\n"
    "MPICH Device:       ch4:ucx ofi\nMPICH configure:    --with-device=ch4:ucx,ofi "
    "--with-pm=hydra:gforker\n"
    "MPICH CC:           cc\nMPICH Custom Information:\thttps://pypi.org/p/mpich/4.3.2/\n";
static const char mpich_502[] =
    "MPICH Version:      5.0.2\nMPICH Release date: Fri Sep 25 20:45:26 UTC 2026\nMPICH ABI:       "
    "   18:2:6\n"
    "MPICH Device:       ch4:ucx ofi\nMPICH configure:    --with-device=ch4:ucx,ofi "
    "--with-pm=hydra:gforker\n"
    "MPICH CC:           cc\nMPICH Custom Information:\thttps://pypi.org/p/mpich/5.0.2/\n";
static const char openmpi_414[] =
    "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022";
static const char openmpi_5011[] =
    "Open MPI v5.0.11, package: Open MPI user@localhost Distribution, ident: 5.0.11, "
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

TEST(library_and_version)
{
    expect_library(mpich_402, "MPICH", 40002);
    expect_library(mpich_432, "MPICH", 40302);
    expect_library(mpich_502, "MPICH", 50002);
    expect_library(openmpi_414, "Open MPI", 40104);
    expect_library(openmpi_5011, "Open MPI", 50011);
    expect_library(intel_202118, "Intel MPI", 2021 * 10000 + 18 * 100);
    expect_library("Intel(R) MPI Library 2021.18 for Linux* OS\n", "Intel MPI",
                   2021 * 10000 + 18 * 100);
    expect_library("MPICH Version:      4.3.0b1\nMPICH Release date: unreleased development copy",
                   "MPICH", 40300);
    expect_library("MPICH Version:\t5\n", "MPICH", 50000);
    expect_library(unknown, NULL, 0);
    expect_library("", NULL, 0);
    expect_library("MPICH Version:\t\n", NULL, 0);
    expect_library("MPI VERSION    : CRAY MPICH version 7.7.14 (ANL base 3.2)\nMPI BUILD INFO : ",
                   "MPICH", 30200);
    expect_library("MPI VERSION    : CRAY MPICH version 8.1.29.20 (ANL base 3.4a2)\n", "MPICH",
                   30400);
    expect_library("MPI VERSION    : CRAY MPICH version 9.0.0.113 (ANL base 4.1.2)\n", "MPICH",
                   40102);
    expect_library(
        "MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date :\tWed March 02 22:00:00 EST 2022\n",
        "MPICH", 30201);
    expect_library("MVAPICH Version:  3.0\nMVAPICH Release date: Mon Apr 10 22:00:00 EST 2023\n",
                   "MPICH", 30400);
    expect_library(
        "Open MPI v4.1.5rc2, package: Open MPI root@hpc-kernel-03 Distribution, ident: 4.1.5rc2",
        "Open MPI", 40105);
    expect_library("HPE MPT 2.25  08/17/21 05:17:50", NULL, 0);
}

static void expect_line(const char *text, size_t size, const char *expected)
{
    char line[128];
    memset(line, '#', sizeof line);
    armcii_version_line(text, line, size);
    ck_assert_str_eq(line, expected);
    ck_assert_int_eq(line[size], '#');
}

TEST(first_line)
{
    expect_line(mpich_402, 100, "MPICH Version: 4.0.2");
    expect_line(openmpi_414, 100, openmpi_414);
    expect_line("one\ttwo\tthree\r\nfour", 100, "one two three");
    expect_line("\nsecond", 100, "");
    expect_line("", 100, "");
    expect_line(mpich_402, 10, "MPICH Ver");
}

/* ---- rows in force ---- */

enum defect {
    UNPADDED_SLICES,
    RGET_OR_RPUT,
    LONG_ACCUMULATE,
    DERIVED_ACCUMULATE,
    INDEXED_ACCUMULATE,
    CREATED_WINDOW,
    NEGATIVE_STRIDES,
    BYTE_STRIDES,
    OUTSTANDING,
    LATE_RGET,
    LOCAL_FLUSH,
    SHARED_NAMES,
    SLOW_VECTORS,
    HANDSHAKES,
    LATE_RECEIVES,
    LONE_FINALIZE,
    EARLY_FINALIZE,
    THREADED_WINDOWS,
    EARLY_FLUSH,
    EARLY_FLUSH_OF_INTEL,
    DEFECTS
};
/* What stands before the version in the texts. */
static const char of_intel[] = "Intel(R) MPI Library ", of_mpich[] = "MPICH Version:\t",
                  of_open_mpi[] = "Open MPI v";

/* A few words of each row, and where it begins and ends: before and behind that, it is not in
 * force. */
static const struct {
    const char *words, *library, *before, *first, *last, *behind;
} defects[DEFECTS] = {
    [UNPADDED_SLICES] = {"not a multiple of 16 bytes", of_mpich, "3.99.99", "4.0.0", "4.0.99",
                         "4.1.0"},
    [RGET_OR_RPUT] = {"MPI_Rput over OFI", of_mpich, "2.99.99", "3.0.0", "9999.0.0", "9999.0.1"},
    [LONG_ACCUMULATE] = {"message header of UCX", of_mpich, "2.99.99", "3.0.0", "9999.0.0",
                         "9999.0.1"},
    [DERIVED_ACCUMULATE] = {"wrong sums", of_open_mpi, "3.99.99", "4.0.0", "4.99.99", "5.0.0"},
    [INDEXED_ACCUMULATE] = {"lose updates", of_open_mpi, "3.99.99", "4.0.0", "9999.0.0",
                            "9999.0.1"},
    [CREATED_WINDOW] = {"MPI_Win_create fails", of_open_mpi, "3.99.99", "4.0.0", "4.99.99",
                        "5.0.0"},
    [NEGATIVE_STRIDES] = {"an hvector with stride -1", of_open_mpi, "3.99.99", "4.0.0", "9999.0.0",
                          "9999.0.1"},
    [BYTE_STRIDES] = {"with a stride of one byte", of_intel, "2018.99.99", "2019.0.0", "9999.0.0",
                      "9999.0.1"},
    [OUTSTANDING] = {"255th", of_open_mpi, "3.99.99", "4.0.0", "9999.0.0", "9999.0.1"},
    [LATE_RGET] = {"MPI_Rget completes before the data are there (osc/ucx)", of_open_mpi, "4.99.99",
                   "5.0.0", "9999.0.0", "9999.0.1"},
    [LOCAL_FLUSH] = {"MPI_Win_flush_local hangs", of_open_mpi, "3.99.99", "4.0.0", "4.99.99",
                     "5.0.0"},
    [SHARED_NAMES] = {"windows of disjoint groups share memory", of_open_mpi, "3.99.99", "4.0.0",
                      "4.99.99", "5.0.0"},
    [SLOW_VECTORS] = {"takes three times as long", of_mpich, "2.99.99", "3.0.0", "9999.0.0",
                      "9999.0.1"},
    [HANDSHAKES] = {"uses a rendezvous", of_mpich, "2.99.99", "3.0.0", "9999.0.0", "9999.0.1"},
    [LATE_RECEIVES] = {"receive from MPI_ANY_SOURCE", of_mpich, "4.0.99", "4.1.0", "9999.0.0",
                       "9999.0.1"},
    [LONE_FINALIZE] = {"hangs in MPI_Finalize", of_mpich, "3.2.99", "3.3.0", "4.1.99", "4.2.0"},
    [EARLY_FINALIZE] = {"may not return from MPI_Finalize", of_mpich, "4.1.99", "4.2.0", "9999.0.0",
                        "9999.0.1"},
    [THREADED_WINDOWS] = {"no windows under MPI_THREAD_MULTIPLE", of_open_mpi, "3.99.99", "4.0.0",
                          "4.99.99", "5.0.0"},
    [EARLY_FLUSH] = {"before the data of a put are in the target's memory", of_mpich, "4.2.99",
                     "4.3.0", "9999.0.0", "9999.0.1"},
    [EARLY_FLUSH_OF_INTEL] = {"before the data of a put are in the memory of the target", of_intel,
                              "2018.99.99", "2019.0.0", "9999.0.0", "9999.0.1"},
};

static size_t row_of(enum defect d)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; armcii_quirk_row(i); i++) {
        if (!strstr(armcii_quirk_row(i)->defect, defects[d].words)) continue;
        ck_assert_msg(found == SIZE_MAX, "\"%s\" is in two rows", defects[d].words);
        found = i;
    }
    ck_assert_msg(found != SIZE_MAX, "\"%s\" is in no row", defects[d].words);
    return found;
}

/* `in_force`: a bit for each defect. */
static void expect_in_force(const char *text, bool several_nodes, unsigned in_force)
{
    for (enum defect d = 0; d < DEFECTS; d++) {
        bool want = in_force >> d & 1,
             seen = armcii_quirk_is_in_force(row_of(d), text, several_nodes);
        ck_assert_msg(seen == want, "%.24s, %s: \"%s\": expected %d, seen %d", text,
                      several_nodes ? "several nodes" : "one node", defects[d].words, want, seen);
    }
}

#define BIT(defect) (1u << (defect))

TEST(rows_of_mpich)
{
    for (int several = 0; several < 2; several++) {
        unsigned between_nodes = BIT(SLOW_VECTORS) | BIT(HANDSHAKES);
        unsigned always = BIT(RGET_OR_RPUT) | BIT(LONG_ACCUMULATE) | (several ? between_nodes : 0);
        expect_in_force(mpich_402, several, always | BIT(LONE_FINALIZE) | BIT(UNPADDED_SLICES));
        expect_in_force("MPICH Version:\t3.4.3\n", several, always | BIT(LONE_FINALIZE));
        always |= several ? BIT(LATE_RECEIVES) : 0;
        expect_in_force("MPICH Version:\t4.1\n", several, always | BIT(LONE_FINALIZE));
        always |= several ? BIT(EARLY_FINALIZE) : 0;
        expect_in_force(mpich_432, several, always);
        expect_in_force(mpich_502, several, always);
    }
}

TEST(rows_of_open_mpi)
{
    unsigned always = BIT(INDEXED_ACCUMULATE) | BIT(NEGATIVE_STRIDES) | BIT(OUTSTANDING);
    unsigned four = always | BIT(CREATED_WINDOW) | BIT(SHARED_NAMES);
    expect_in_force(openmpi_414, false, four);
    expect_in_force(openmpi_414, true,
                    four | BIT(DERIVED_ACCUMULATE) | BIT(LOCAL_FLUSH) | BIT(THREADED_WINDOWS));
    expect_in_force(openmpi_5011, false, always);
    expect_in_force(openmpi_5011, true, always | BIT(LATE_RGET));
    expect_in_force("Open MPI v3.1.6, package: x", true, 0);
}

/* ---- versions ---- */

static void expect_version(enum defect d, const char *library, const char *version, bool want)
{
    char text[100];
    snprintf(text, sizeof text, "%s%s", library, version);
    bool seen = armcii_quirk_is_in_force(row_of(d), text, true);
    ck_assert_msg(seen == want, "%s: \"%s\": expected %d, seen %d", text, defects[d].words, want,
                  seen);
}

TABLE_TEST(from_the_first_version_to_the_last, defects)
{
    enum defect d = (enum defect)_i;
    expect_version(d, defects[d].library, defects[d].before, false);
    expect_version(d, defects[d].library, defects[d].first, true);
    expect_version(d, defects[d].library, defects[d].last, true);
    expect_version(d, defects[d].library, defects[d].behind, false);
}

TABLE_TEST(the_same_version_of_another_library, defects)
{
    static const char *const libraries[] = {of_intel, of_mpich, of_open_mpi, "Another MPI "};
    for (size_t k = 0; k < sizeof libraries / sizeof libraries[0]; k++)
        expect_version((enum defect)_i, libraries[k], defects[_i].first,
                       libraries[k] == defects[_i].library);
}

/* ---- transports ---- */

static void expect_row(enum defect d, const char *text, const char *variable, const char *value,
                       bool want)
{
    setenv(variable, value, 1);
    bool seen = armcii_quirk_is_in_force(row_of(d), text, true);
    ck_assert_msg(seen == want, "%.40s with %s=%s: \"%s\": expected %d, seen %d", text, variable,
                  value, defects[d].words, want, seen);
    unsetenv(variable);
}

TEST(transports_of_mpich)
{
    static const char netmod[] = "MPIR_CVAR_CH4_NETMOD";
    static const char ofi_first[] = "MPICH Version:\t4.2.1\nMPICH Device:\tch4:ofi,ucx\n";
    expect_row(LONG_ACCUMULATE, mpich_502, netmod, "ucx", true);
    expect_row(LONG_ACCUMULATE, mpich_502, netmod, "ofi", false);
    expect_row(EARLY_FLUSH, mpich_502, netmod, "ofi", true);
    expect_row(EARLY_FLUSH, mpich_502, netmod, "", false);
    expect_row(EARLY_FLUSH, mpich_402, netmod, "ofi", false);
    expect_row(LONG_ACCUMULATE, mpich_502, netmod, "", true);
    expect_row(LONG_ACCUMULATE, ofi_first, netmod, "", false);
    expect_row(LONG_ACCUMULATE, ofi_first, netmod, "ucx", true);
    expect_row(LONG_ACCUMULATE, "MPICH Version:\t4.2.1\nMPICH Device:\tch4:ofi\n", netmod, "",
               false);
    expect_row(LONG_ACCUMULATE, "MPICH Version:\t4.2.1\nMPICH Device:\tch3:nemesis\n", netmod, "",
               true);
    expect_row(RGET_OR_RPUT, mpich_502, netmod, "ofi", true);
    expect_row(LATE_RECEIVES, mpich_502, netmod, "ofi", false);
    expect_row(LATE_RECEIVES, mpich_502, netmod, "ucx", true);
    expect_row(LATE_RECEIVES, ofi_first, netmod, "", false);
    expect_row(UNPADDED_SLICES, mpich_402, netmod, "ofi", true);
}

TEST(transports_of_open_mpi)
{
    static const char osc[] = "OMPI_MCA_osc";
    expect_row(LOCAL_FLUSH, openmpi_414, osc, "", true);
    expect_row(LOCAL_FLUSH, openmpi_414, osc, "sm,pt2pt", true);
    expect_row(LOCAL_FLUSH, openmpi_414, osc, "pt2pt,rdma", true);
    expect_row(LOCAL_FLUSH, openmpi_414, osc, "sm,rdma", false);
    expect_row(LOCAL_FLUSH, openmpi_414, osc, "pt2pt2", false);
    expect_row(LOCAL_FLUSH, openmpi_414, osc, "^ucx", true);
    expect_row(LOCAL_FLUSH, openmpi_414, osc, "^ucx,pt2pt", false);
    expect_row(LATE_RGET, openmpi_5011, osc, "^ucx", false);
    expect_row(OUTSTANDING, openmpi_414, osc, "ucx", true);
    expect_row(OUTSTANDING, openmpi_414, osc, "sm,pt2pt", false);
    expect_row(NEGATIVE_STRIDES, openmpi_414, osc, "sm", true);
}

TEST(rows_of_others)
{
    for (int several = 0; several < 2; several++) {
        expect_in_force(intel_202118, several,
                        BIT(BYTE_STRIDES) | (several ? BIT(EARLY_FLUSH_OF_INTEL) : 0));
        expect_in_force(unknown, several, 0);
        expect_in_force("", several, 0);
    }
}

/* ---- what they ask for ---- */

static const struct quirks none = {.slice_unit = 64,
                                   .threaded_windows = true,
                                   .window_over_own_memory = true,
                                   .negative_strides = true,
                                   .byte_strides = true,
                                   .acc_strided_types = true,
                                   .acc_indexed_types = true,
                                   .acc_segments = SIZE_MAX,
                                   .typed_requests = true,
                                   .outstanding = SIZE_MAX,
                                   .local_completion = true,
                                   .flush_is_remote = true,
                                   .anysource_after_arrival = true,
                                   .finalize_independent = true,
                                   .datatype_sends_fast = true,
                                   .eager_max = 32 << 10};

/* All of it, to compare and to print. */
static const char *text_of(const struct quirks *q, char *text, size_t size)
{
    snprintf(text, size,
             "unit %zu, segments %zu, outstanding %zu, eager %zu; shared %d, threaded %d, own "
             "memory %d, negative %d, byte %d, "
             "acc strided %d, acc indexed %d, typed %d, local %d, true flush %d, late %d, lone %d, "
             "quick %d",
             q->slice_unit, q->acc_segments, q->outstanding, q->eager_max,
             q->shared_windows_on_one_node, q->threaded_windows, q->window_over_own_memory,
             q->negative_strides, q->byte_strides, q->acc_strided_types, q->acc_indexed_types,
             q->typed_requests, q->local_completion, q->flush_is_remote, q->anysource_after_arrival,
             q->finalize_independent, q->datatype_sends_fast);
    return text;
}

static void expect_decision(const char *library, bool several_nodes, bool enabled,
                            struct quirks want)
{
    char seen_text[400], want_text[400];
    armcii_quirks_decide(library, several_nodes, enabled);
    ck_assert_str_eq(text_of(armcii_quirks, seen_text, sizeof seen_text),
                     text_of(&want, want_text, sizeof want_text));
}

TEST(decisions)
{
    for (int several = 0; several < 2; several++) {
        struct quirks mpich = none, openmpi5 = none;
        mpich.acc_segments = 256;
        mpich.typed_requests = false;
        mpich.finalize_independent = mpich.datatype_sends_fast = mpich.anysource_after_arrival =
            !several;
        if (several) mpich.eager_max = 16 << 10;
        expect_decision(mpich_432, several, true, mpich);
        expect_decision(mpich_502, several, true, mpich);
        mpich.slice_unit = 4096;
        mpich.finalize_independent = false;
        mpich.anysource_after_arrival = true;
        expect_decision(mpich_402, several, true, mpich);
        openmpi5.negative_strides = openmpi5.acc_indexed_types = false;
        openmpi5.outstanding = 128;
        openmpi5.typed_requests = !several;
        expect_decision(openmpi_5011, several, true, openmpi5);
        struct quirks openmpi4 = openmpi5;
        openmpi4.window_over_own_memory = false;
        openmpi4.typed_requests = true;
        openmpi4.shared_windows_on_one_node = true;
        openmpi4.acc_strided_types = openmpi4.local_completion = openmpi4.threaded_windows =
            !several;
        expect_decision(openmpi_414, several, true, openmpi4);
        struct quirks intel = none;
        intel.byte_strides = false;
        intel.flush_is_remote = !several;
        expect_decision(intel_202118, several, true, intel);
        expect_decision(unknown, several, true, none);
    }
}

TEST(disabled)
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

static void configure(const char *first, const char *second)
{
    armcii_config_read((char *[]){(char *)first, (char *)second, NULL}, NULL);
}

/* Names and limits of the configuration overrule the rows, and "none". */
TEST(overruled)
{
    struct quirks mpich = none;
    mpich.acc_segments = 256;
    mpich.typed_requests = mpich.finalize_independent = false;
    configure("ARMCI_QUIRKS=-pad-slices", NULL);
    expect_decision(mpich_402, false, true, mpich);
    ck_assert(!armcii_quirk_is_in_force(row_of(UNPADDED_SLICES), mpich_402, false));
    configure("ARMCI_QUIRKS=+split-negative-strides", NULL);
    mpich = none;
    mpich.slice_unit = 4096;
    mpich.acc_segments = 256;
    mpich.negative_strides = mpich.typed_requests = mpich.finalize_independent = false;
    expect_decision(mpich_402, false, true, mpich);
    mpich.slice_unit = 1;
    mpich.acc_segments = SIZE_MAX;
    mpich.typed_requests = mpich.finalize_independent = true;
    expect_decision(mpich_402, false, false, mpich);
    configure(NULL, NULL);
    mpich = none;
    mpich.slice_unit = 4096;
    mpich.acc_segments = 256;
    mpich.typed_requests = mpich.finalize_independent = false;
    expect_decision(mpich_402, false, true, mpich);
}

/* A limit that is set is the limit; the row stays in force while it is not larger than the row's.
 */
TEST(limits)
{
    struct quirks mpich = none;
    mpich.slice_unit = 4096;
    mpich.typed_requests = mpich.finalize_independent = mpich.datatype_sends_fast = false;
    configure("ARMCI_EAGER_MAX=32k", NULL);
    mpich.eager_max = 32 << 10;
    mpich.acc_segments = 256;
    expect_decision(mpich_402, true, true, mpich);
    ck_assert(!armcii_quirk_is_in_force(row_of(HANDSHAKES), mpich_402, true));
    configure("ARMCI_EAGER_MAX=8k", NULL);
    mpich.eager_max = 8 << 10;
    expect_decision(mpich_402, true, true, mpich);
    ck_assert(armcii_quirk_is_in_force(row_of(HANDSHAKES), mpich_402, true));
    ck_assert(armcii_quirk_is_in_force(row_of(LONG_ACCUMULATE), mpich_402, true));
    configure(NULL, NULL);
}

/* Byte strides are wrong in Intel MPI, late receives in MPICH 5: what a setting changes, between
 * nodes. */
static const struct {
    const char *setting, *library;
    enum defect defect;
    bool row, avoided, none; /* is the row in force; is the workaround; no other row applies */
} configured[] = {
    {"ARMCI_QUIRKS=-split-byte-strides,-flush-readback", intel_202118, BYTE_STRIDES, false, false,
     false},
    {"ARMCI_QUIRKS=auto,-flush-readback", intel_202118, BYTE_STRIDES, true, true, false},
    {"ARMCI_QUIRKS=+split-byte-strides,-flush-readback", intel_202118, BYTE_STRIDES, true, true,
     false},
    {"ARMCI_QUIRKS=+split-byte-strides,-flush-readback", "Intel(R) MPI Library 2018.4",
     BYTE_STRIDES, false, true, false},
    {"ARMCI_QUIRKS=none,+split-byte-strides", intel_202118, BYTE_STRIDES, true, true, true},
    {"ARMCI_QUIRKS=none", intel_202118, BYTE_STRIDES, true, false, true},
    {"ARMCI_QUIRKS=-probe-receives", mpich_502, LATE_RECEIVES, false, false, false},
    {"ARMCI_QUIRKS=-split-byte-strides", mpich_502, LATE_RECEIVES, true, true, false},
    {"ARMCI_QUIRKS=+probe-receives", mpich_502, LATE_RECEIVES, true, true, false},
    {"ARMCI_QUIRKS=+probe-receives", unknown, LATE_RECEIVES, false, true, false},
    {"ARMCI_QUIRKS=none,+probe-receives", mpich_502, LATE_RECEIVES, true, true, true},
    {"ARMCI_QUIRKS=none", mpich_502, LATE_RECEIVES, true, false, true},
};

TABLE_TEST(workarounds_as_configured, configured)
{
    struct quirks want = none;
    if (configured[_i].library == mpich_502 && !configured[_i].none) {
        want.acc_segments = 256;
        want.typed_requests = want.finalize_independent = want.datatype_sends_fast = false;
        want.eager_max = 16 << 10;
    }
    if (configured[_i].none) want.slice_unit = 1;
    *(configured[_i].defect == BYTE_STRIDES ? &want.byte_strides : &want.anysource_after_arrival) =
        !configured[_i].avoided;
    configure(configured[_i].setting, NULL);
    expect_decision(configured[_i].library, true, armcii_config->quirks, want);
    ck_assert_int_eq(
        armcii_quirk_is_in_force(row_of(configured[_i].defect), configured[_i].library, true),
        configured[_i].row);
}

/* What each workaround changes, on a library without defects. */
static void expect_workaround(const char *setting, struct quirks want)
{
    configure(setting, NULL);
    for (int several = 0; several < 2; several++)
        expect_decision(unknown, several, true, want);
    configure(NULL, NULL);
}

#define EXPECT_WORKAROUND(NAME, FIELD, VALUE)                                                      \
    {                                                                                              \
        struct quirks want = none;                                                                 \
        want.FIELD = VALUE;                                                                        \
        expect_workaround("ARMCI_QUIRKS=+" NAME, want);                                            \
        seen++;                                                                                    \
    }

TEST(each_workaround)
{
    size_t seen = 0;
    EXPECT_WORKAROUND("pad-slices", slice_unit, 4096);
    EXPECT_WORKAROUND("shared-windows", shared_windows_on_one_node, true);
    EXPECT_WORKAROUND("unthreaded-windows", threaded_windows, false);
    EXPECT_WORKAROUND("split-negative-strides", negative_strides, false);
    EXPECT_WORKAROUND("split-byte-strides", byte_strides, false);
    EXPECT_WORKAROUND("split-strided-acc", acc_strided_types, false);
    EXPECT_WORKAROUND("split-vector-acc", acc_indexed_types, false);
    EXPECT_WORKAROUND("remote-flush", local_completion, false);
    EXPECT_WORKAROUND("flush-readback", flush_is_remote, false);
    EXPECT_WORKAROUND("probe-receives", anysource_after_arrival, false);
    EXPECT_WORKAROUND("finalize-barrier", finalize_independent, false);
    EXPECT_WORKAROUND("pack-puts", datatype_sends_fast, false);
    ck_assert_uint_eq(seen, WORKAROUNDS);
}

/* What people read: every row says what breaks, what is done and where that comes from. */
TEST(table_is_complete)
{
    size_t n = 0;
    for (const struct quirk_row *row; (row = armcii_quirk_row(n)); n++) {
        ck_assert_msg(row->from < row->to, "row %zu: versions %d to %d", n, row->from, row->to);
        ck_assert_msg(strlen(row->defect) > 20 && strlen(row->workaround) > 10 &&
                          strlen(row->reference) > 5,
                      "row %zu lacks words", n);
    }
    ck_assert_uint_eq(n, DEFECTS);
    ck_assert_ptr_null(armcii_quirk_row(n + 1));
    ck_assert_ptr_null(armcii_quirk_row(SIZE_MAX));
}
