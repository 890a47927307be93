/* test_machine.c - memory and processors available to processes: control groups of both versions,
 * /proc/meminfo and affinity masks, read from a folder that imitates the system's files. */
#define _GNU_SOURCE
#include <ftw.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/host.h"
#include "node/cpus.h"
#include "node/segment.h"
#include "unit.h"

enum { MIB = 1 << 20, ROOM = 512 };

/* ---- an imitated system ---- */

static char root[64];

static void begin(void)
{
    strcpy(root, "/tmp/armci-machine-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static int remove_one(const char *name, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(name);
}

static void end(void)
{
    ck_assert_int_eq(nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* Writes a file under the root and creates its folders. */
static void put(const char *name, const char *text)
{
    char path[ROOM];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(path, 0700);
    }
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

/* Where the process is in this group. */
static size_t memory_left(const char *group)
{
    if (group) put("/proc/self/cgroup", group);
    return armcii_memory_available(root, true);
}

static size_t processors_at(const char *group)
{
    put("/proc/self/cgroup", group);
    return armcii_cpu_quota(root, true);
}

/* ---- memory ---- */

TEST(version_2)
{
    put("/sys/fs/cgroup/job/memory.max", "104857600\n");
    put("/sys/fs/cgroup/job/memory.current", "41943040\n");
    put("/sys/fs/cgroup/job/memory.stat",
        "anon 1\ninactive_file 8388608\nactive_file 2097152\nshmem 20971520\n");
    put("/sys/fs/cgroup/job/step/memory.max", "max\n");
    put("/sys/fs/cgroup/job/step/memory.high", "max\n");
    ck_assert_uint_eq(memory_left("0::/job/step\n"), (100 - 40 + 10) * (size_t)MIB);
    put("/sys/fs/cgroup/job/step/memory.high", "31457280\n");
    put("/sys/fs/cgroup/job/step/memory.current", "1048576\n");
    ck_assert_msg(memory_left(NULL) == 29 * (size_t)MIB, "memory.high of the inner group");
    ck_assert_msg(armcii_memory_available(root, false) == 70 * (size_t)MIB,
                  "the group of one process bounds memory that others touch");
    put("/sys/fs/cgroup/job/memory.current", "419430400\n");
    ck_assert_msg(memory_left(NULL) == 0, "more in use than the limit");
}

TEST(version_1)
{
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/batch/memory.limit_in_bytes", "104857600\n");
    put("/sys/fs/cgroup/memory/batch/memory.usage_in_bytes", "41943040\n");
    put("/sys/fs/cgroup/memory/batch/memory.stat",
        "inactive_file 1\ntotal_inactive_file 10485760\n");
    put("/sys/fs/cgroup/memory/batch/job/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/elsewhere/memory.max", "1\n");
    ck_assert_uint_eq(memory_left("4:memory:/batch/job\n2:cpu,cpuacct:/batch\n0::/elsewhere\n"),
                      (100 - 40 + 10) * (size_t)MIB);
}

/* A container sees its own group mounted at the top, or no groups at all. */
TEST(containers)
{
    ck_assert_uint_eq(memory_left(NULL), SIZE_MAX);
    ck_assert_uint_eq(memory_left("0::/pod/abc\n"), SIZE_MAX);
    put("/sys/fs/cgroup/memory.max", "10485760\n");
    put("/sys/fs/cgroup/memory.current", "1048576\n");
    ck_assert_uint_eq(memory_left(NULL), 9 * (size_t)MIB);
    ck_assert_uint_eq(memory_left("0::/\n"), 9 * (size_t)MIB);
    ck_assert_msg(armcii_memory_available(root, false) == 9 * (size_t)MIB, "the top bounds all");
}

TEST(node)
{
    put("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 500 kB\nShmem: 300 kB\n");
    ck_assert_uint_eq(memory_left(NULL), 500 << 10);
    put("/sys/fs/cgroup/memory.max", "10240\n");
    put("/sys/fs/cgroup/memory.current", "2048\n");
    ck_assert_uint_eq(memory_left("0::/\n"), 8 << 10);
    put("/proc/meminfo", "nothing\n");
    ck_assert_uint_eq(memory_left(NULL), 8 << 10);
}

/* What nobody has reserved may be given out, once. */
TEST(reservations)
{
    atomic_size_t reserved = 0;
    struct node_cpus cpus;
    size_t left, all = armcii_memory_left(0);
    armcii_cpus_start(&cpus, &reserved, MPI_COMM_SELF);
    ck_assert(armcii_reservation_try(all / 2, 0, &left));
    ck_assert_uint_eq(atomic_load(&reserved), all / 2);
    ck_assert_msg(!armcii_reservation_try(all, 0, &left), "more than there is");
    ck_assert_msg(atomic_load(&reserved) == all / 2, "a refusal reserves");
    ck_assert_msg(left < all / 4 * 3, "%zu of %zu bytes left beside the half", left, all);
    ck_assert_msg(armcii_memory_left(all / 2) > all / 4 * 3, "touched memory is counted twice");
    armcii_reservation_release(all / 2);
    ck_assert_uint_eq(atomic_load(&reserved), 0);
    armcii_cpus_end();
}

/* Process id and descriptor may refer to another segment by now; device and inode detect that. */
TEST(a_handle_opens_only_its_segment)
{
    int fd = armcii_segment_descriptor(MIB);
    ck_assert_int_ge(fd, 0);
    struct segment_handle to = armcii_segment_handle(fd), wrong = to;
    int opened = armcii_segment_open(&to);
    ck_assert_int_ge(opened, 0);
    close(opened);
    wrong.inode++;
    ck_assert_int_eq(armcii_segment_open(&wrong), -1);
    int other = armcii_segment_descriptor(MIB);
    ck_assert_int_eq(dup2(other, fd), fd);
    ck_assert_msg(armcii_segment_open(&to) == -1, "another segment with the same descriptor");
    close(fd);
    close(other);
    ck_assert_int_eq(armcii_segment_open(&to), -1);
    ck_assert_int_eq(armcii_segment_handle(-1).descriptor, -1);
}

/* ---- processors ---- */

TEST(quotas)
{
    put("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/c/cpu.max", "400000 100000\n");
    put("/sys/fs/cgroup/d/cpu.max", "5000 100000\n");
    ck_assert_uint_eq(processors_at("0::/a/b\n"), 1);
    ck_assert_uint_eq(processors_at("0::/c\n"), 4);
    ck_assert_uint_eq(processors_at("0::/d\n"), 1);
    ck_assert_uint_eq(processors_at("0::/\n"), SIZE_MAX);
    put("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "250000\n");
    put("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
    ck_assert_uint_eq(processors_at("3:cpuset:/x\n2:cpuacct,cpu:/a/b\n0::/d\n"), 2);
    ck_assert_uint_eq(processors_at("3:cpuset:/a\n1:cpu:/\n"), SIZE_MAX);
}

TEST(own_mask)
{
    struct node_cpus cpus;
    cpu_set_t before, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof before, &before), 0);
    size_t quota = armcii_cpu_quota("", true), last = 0, bound = (size_t)CPU_COUNT(&before);
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &before)) last = i;
    ck_assert_uint_eq(armcii_cpus_allowed(), bound < quota ? bound : quota);
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    armcii_cpus_start(&cpus, NULL, MPI_COMM_SELF);
    ck_assert_uint_eq(cpus.processors, 1);
    ck_assert(!cpus.oversubscribed);
    ck_assert(cpus.taken[last / 64] == (uint64_t)1 << last % 64);
    ck_assert(cpus.has_free == (bound > 1 && quota > 1));
    armcii_cpus_end();
    pid_t child = fork(); /* this process is its launcher, with one processor */
    if (child == 0) {
        armcii_cpus_start(&cpus, NULL, MPI_COMM_SELF);
        _exit(cpus.has_free || armcii_cpus_count(cpus.of_job) != 1);
    }
    int status = -1;
    ck_assert(child > 0 && waitpid(child, &status, 0) == child);
    ck_assert_int_eq(status, 0);
    sched_setaffinity(0, sizeof before, &before);
}

/* The id in a new process, in another namespace unless `namespaces` is 0; 0 if the user may not
 * make one. */
static uint64_t host_id_elsewhere(int namespaces)
{
    int ends[2];
    uint64_t id = 0;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        if (namespaces == 0 || unshare(namespaces) == 0) id = armcii_host_id();
        _exit(write(ends[1], &id, sizeof id) != sizeof id);
    }
    ck_assert_int_eq(read(ends[0], &id, sizeof id), sizeof id);
    close(ends[0]);
    close(ends[1]);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    return id;
}

TEST(host_id_is_that_of_one_host)
{
    uint64_t id = armcii_host_id();
    ck_assert_uint_ne(id, 0);
    ck_assert_uint_eq(host_id_elsewhere(0), id);
    ck_assert_uint_ne(host_id_elsewhere(CLONE_NEWUSER), id);
    ck_assert_uint_ne(host_id_elsewhere(CLONE_NEWUTS), id);
}

const struct unit unit = {.run = unit_run_with_mpi, .begin = begin, .end = end};
