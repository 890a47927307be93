/* test_probe.c - jobs on two nodes: what the probe of the network finds, and the route chosen from
 * it, for each of the 16 sets of operations that a network can carry out by itself. fake_rdma.c,
 * which check-hosts preloads, is that network. */
#include "../mpi/harness.h"

#include <unistd.h>

#include "mpi/quirks.h"
#include "transport/route.h"
#include "transport/rma/rma.h"

enum { SETS = 1 << PROBE_OPS, BYTES = 1 << 16 };

static const char *const words[PROBE_OPS] = {"put", "get", "accumulate", "fetch"};

/* The value of FAKE_RDMA for a set, also for messages. */
static const char *name_of(unsigned set)
{
    static char text[64];
    snprintf(text, sizeof text, "network of");
    for (int op = 0; op < PROBE_OPS; op++)
        if (set & 1U << op) strcat(strcat(text, ","), words[op]);
    return text;
}

static void transfer_each_way(const char *name)
{
    void **base = malloc((size_t)test_ranks() * sizeof *base);
    static char sent[BYTES], received[BYTES];
    int there = (test_rank() + test_ranks() / 2) % test_ranks();
    memset(sent, 'a' + test_rank(), BYTES);
    check_long(ARMCI_Malloc(base, BYTES), 0, "%s: ARMCI_Malloc", name);
    ARMCI_Barrier();
    ARMCI_Put(sent, base[there], BYTES, there);
    ARMCI_Get(base[there], received, BYTES, there);
    check_bytes(received, sent, BYTES, "%s: a get after a put", name);
    ARMCI_Barrier();
    ARMCI_Free(base[test_rank()]);
    free(base);
}

static unsigned found(void)
{
    unsigned set = 0;
    for (int op = 0; op < PROBE_OPS; op++)
        set |= (unsigned)armcii_probe->complete[op] << op;
    return set;
}

/* One job. Does the probe find the whole set? What is not in it it never finds. */
static bool probe(unsigned set)
{
    const char *name = name_of(set);
    setenv("FAKE_RDMA", name, 1);
    check_long(ARMCI_Init(), 0, "%s: ARMCI_Init", name);
    unsigned seen = found();
    check(armcii_probe->measured && armcii_probe->round_trip > 0, "%s: a round trip of %g s", name,
          armcii_probe->round_trip);
    for (int op = 0; op < PROBE_OPS; op++) {
        check(!(seen & ~set & 1U << op), "%s: %s is complete without the target", name, words[op]);
        check(armcii_probe->seconds[op] > 0, "%s: %s in %g s", name, words[op],
              armcii_probe->seconds[op]);
    }
    check_long(armcii_transports_have(&armcii_rma), armcii_probe_finds_rdma(armcii_probe),
               "%s: RMA is in use", name);
    transfer_each_way(name);
    ARMCI_Finalize();
    return seen == set;
}

/* Without windows there is no probe, nor where a flush returns early. */
static bool is_probed(void)
{
    ARMCI_Init();
    bool windows = armcii_quirks->threaded_windows, flushes = armcii_quirks->flush_is_remote;
    ARMCI_Finalize();
    if (!windows)
        skip("this MPI library makes no windows between nodes in programs with threads");
    else if (!flushes)
        skip("a flush of this MPI library returns before the data are there");
    return windows && flushes;
}

enum {
    TRIES = 20
}; /* where others use the processors, a probe may take longer than the target is silent */

static void outcomes(void)
{
    if (!is_probed()) return;
    if (test_on_rdma()) {
        skip("the network carries out more than fake_rdma.c");
        return;
    }
    for (unsigned set = 0; set < SETS; set++) {
        int tries = 0;
        while (++tries < TRIES && !probe(set))
            ;
        check(tries < TRIES, "%s: not found in %d jobs", name_of(set), tries);
    }
    unsetenv("FAKE_RDMA");
}

/* Put and get on RDMA; nothing on TCP and where messages emulate RMA. */
static void real_network(void)
{
    if (!is_probed()) return;
    unsigned expected = test_on_rdma() ? 1U << PROBE_PUT | 1U << PROBE_GET : 0, seen = 0;
    for (int tries = 0; tries < TRIES && (tries == 0 || seen != expected); tries++) {
        ARMCI_Init();
        seen = found();
        check(!(seen & ~expected), "operations %#x are complete without the target",
              seen & ~expected);
        check_long(armcii_transports_have(&armcii_rma), armcii_probe_finds_rdma(armcii_probe),
                   "RMA is in use");
        ARMCI_Finalize();
    }
    check_long((long)seen, (long)expected, "operations complete without the target");
}

static useconds_t delay; /* of each message of the probe, in microseconds */

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    usleep(delay);
    return PMPI_Send(data, count, type, to, tag, comm);
}

/* Where processes wait for processors, each message is late. */
static void late_messages(void)
{
    static const double LONG = 15; /* seconds */
    if (!is_probed()) return;
    delay = 50000;
    double begun = MPI_Wtime();
    ARMCI_Init();
    double took = MPI_Wtime() - begun;
    delay = 0;
    check(took < LONG, "ARMCI_Init took %g s", took);
    check(!armcii_transports_have(&armcii_rma), "RMA is in use");
    ARMCI_Finalize();
}

/* It proves nothing: each put would seem complete without the target. */
static void early_flush(void)
{
    setenv("ARMCI_QUIRKS", "+flush-readback", 1);
    setenv("FAKE_RDMA", "put,get", 1);
    ARMCI_Init();
    check(!armcii_probe->measured, "the network is probed");
    check(!armcii_transports_have(&armcii_rma), "RMA is in use");
    ARMCI_Finalize();
    unsetenv("FAKE_RDMA");
    unsetenv("ARMCI_QUIRKS");
}

static void slow_networks(void)
{
    struct probe_result p = {
        .measured = true, .complete = {true, true}, .seconds = {10e-6, 10e-6}, .round_trip = 5e-6};
    check(armcii_probe_finds_rdma(&p), "put and get in two round trips");
    p.seconds[PROBE_GET] = 20e-6;
    check(!armcii_probe_finds_rdma(&p), "a get of four round trips");
    p.seconds[PROBE_GET] = 10e-6;
    p.seconds[PROBE_PUT] = 20e-6;
    check(!armcii_probe_finds_rdma(&p), "a put of four round trips");
    p = (struct probe_result){.complete = {true, true}, .round_trip = 5e-6};
    check(!armcii_probe_finds_rdma(&p), "nothing measured");
}

static void start(int *argc, char ***argv)
{
    int level;
    unsetenv("ARMCI_TRANSPORT");
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
}

static const struct test tests[] = {
    {"the probe finds what the network does by itself, and the route follows", outcomes},
    {"the probe finds put and get on an RDMA network, and nothing on others", real_network},
    {"late messages make no long start", late_messages},
    {"a library whose flush returns early is not probed", early_flush},
    {"RDMA that is much slower than messages is not chosen", slow_networks},
};
SUITE(.start = start, .stop = stop_mpi);
