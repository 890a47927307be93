/* test_machine.c - memory and processors available to processes: control groups of both versions,
 * /proc/meminfo and affinity masks, read from a folder that imitates the system's files. */
#define _GNU_SOURCE
#include <ftw.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/processors.h"
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

static struct cgroups groups;

static size_t memory_left(size_t reserved)
{
    armcii_cgroups_read(root, CGROUP_MEMORY, &groups);
    return armcii_cgroups_memory(&groups, groups.levels, &(struct reserved){.bytes = reserved});
}

static size_t processors_at(const char *name)
{
    size_t least = SIZE_MAX;
    put("/proc/self/cgroup", name);
    armcii_cgroups_read(root, CGROUP_CPU, &groups);
    for (int i = 0; i < groups.levels; i++) {
        size_t here = armcii_cgroups_processors(&groups, i);
        if (here < least) least = here;
    }
    return least;
}

/* ---- memory ---- */

TEST(version_2)
{
    put("/proc/self/cgroup", "0::/job/step\n");
    put("/sys/fs/cgroup/job/memory.max", "104857600\n");
    put("/sys/fs/cgroup/job/memory.current", "41943040\n");
    put("/sys/fs/cgroup/job/memory.stat",
        "anon 1\ninactive_file 8388608\nactive_file 2097152\nshmem 20971520\n");
    put("/sys/fs/cgroup/job/step/memory.max", "max\n");
    put("/sys/fs/cgroup/job/step/memory.high", "max\n");
    ck_assert_uint_eq(memory_left(0), (100 - 40 + 10) * (size_t)MIB);
    ck_assert_int_eq(groups.version, 2);
    ck_assert_int_eq(groups.levels, 3);
    ck_assert_msg(memory_left(20 * MIB) == 70 * (size_t)MIB, "used memory is counted twice");
    ck_assert_uint_eq(memory_left(52 * MIB), 70 * (size_t)MIB - 65 * (32 * (size_t)MIB / 64));
    ck_assert_uint_eq(memory_left(500 * (size_t)MIB), 0);
    const struct reserved beside_others = {.bytes = 20 * MIB, .others_in_group = {0, 15 * MIB}};
    ck_assert_uint_eq(armcii_cgroups_memory(&groups, groups.levels, &beside_others),
                      70 * (size_t)MIB - 65 * (15 * (size_t)MIB / 64));
    ck_assert_uint_eq(armcii_cgroups_shared(&groups, 1), 20 * (size_t)MIB);
    ck_assert_uint_eq(armcii_cgroups_shared(&groups, 2), SIZE_MAX);
    ck_assert_msg(armcii_cgroups_memory(&groups, 1, &(struct reserved){0}) == SIZE_MAX,
                  "groups that do not contain all processes count");
    put("/sys/fs/cgroup/job/step/memory.high", "31457280\n");
    put("/sys/fs/cgroup/job/step/memory.current", "1048576\n");
    ck_assert_msg(memory_left(0) == 29 * (size_t)MIB, "memory.high of the inner group");
    ck_assert_msg(memory_left(90 * (size_t)MIB) == 0, "the outer group has no memory left");
    put("/sys/fs/cgroup/job/memory.current", "419430400\n");
    ck_assert_msg(memory_left(0) == 0, "more in use than the limit");
}

TEST(version_1)
{
    put("/proc/self/cgroup", "4:memory:/batch/job\n2:cpu,cpuacct:/batch\n0::/elsewhere\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/batch/memory.limit_in_bytes", "104857600\n");
    put("/sys/fs/cgroup/memory/batch/memory.usage_in_bytes", "41943040\n");
    put("/sys/fs/cgroup/memory/batch/memory.stat",
        "inactive_file 1\nshmem 1\ntotal_inactive_file 10485760\ntotal_shmem 20971520\n");
    put("/sys/fs/cgroup/memory/batch/job/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/elsewhere/memory.max", "1\n");
    ck_assert_uint_eq(memory_left(0), (100 - 40 + 10) * (size_t)MIB);
    ck_assert_int_eq(groups.version, 1);
    ck_assert_uint_eq(memory_left(25 * MIB), 70 * (size_t)MIB - 65 * (5 * (size_t)MIB / 64));
    put("/sys/fs/cgroup/memory/batch/memory.stat", "total_inactive_file 10485760\n");
    ck_assert_msg(memory_left(25 * MIB) == 70 * (size_t)MIB,
                  "the kernel does not report shared memory: reserved memory counts as touched");
}

/* A container sees its own group mounted at the top, or no groups at all. */
TEST(containers)
{
    ck_assert_uint_eq(memory_left(0), SIZE_MAX);
    ck_assert_int_eq(groups.levels, 0);
    put("/proc/self/cgroup", "0::/pod/abc\n");
    ck_assert_uint_eq(memory_left(MIB), SIZE_MAX);
    put("/sys/fs/cgroup/memory.max", "10485760\n");
    put("/sys/fs/cgroup/memory.current", "1048576\n");
    ck_assert_uint_eq(memory_left(0), 9 * (size_t)MIB);
    put("/proc/self/cgroup", "0::/\n");
    ck_assert_uint_eq(memory_left(0), 9 * (size_t)MIB);
    ck_assert_int_eq(groups.levels, 1);
}

TEST(processes_agree_on_groups_they_share)
{
    struct cgroups other;
    put("/sys/fs/cgroup/job/task_0/x", "");
    put("/sys/fs/cgroup/job/task_1/x", "");
    put("/proc/self/cgroup", "0::/job/task_0\n");
    armcii_cgroups_read(root, CGROUP_MEMORY, &groups);
    put("/proc/self/cgroup", "0::/job/task_1\n");
    armcii_cgroups_read(root, CGROUP_MEMORY, &other);
    ck_assert_int_eq(groups.levels, 3);
    ck_assert(groups.id[0] == other.id[0] && groups.id[1] == other.id[1] &&
              groups.id[2] != other.id[2]);
    ck_assert(groups.id[0] != groups.id[1] && groups.id[2] != 0 && groups.id[3] == 0);
}

TEST(node)
{
    struct cgroups unbounded = {0};
    put("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 500 kB\nShmem: 300 kB\n");
    ck_assert_uint_eq(armcii_memory_left(root, &unbounded, 0, &(struct reserved){0}), 500 << 10);
    ck_assert_msg(armcii_memory_left(root, &unbounded, 0,
                                     &(struct reserved){.bytes = 200 << 10, .others = 100 << 10}) ==
                      500 << 10,
                  "counted twice");
    ck_assert_uint_eq(
        armcii_memory_left(root, &unbounded, 0,
                           &(struct reserved){.bytes = 400 << 10, .others = 236 << 10}),
        500 * 1024 - 65 * 336 * 16);
    ck_assert_uint_eq(
        armcii_memory_left(root, &unbounded, 0,
                           &(struct reserved){.bytes = 384 << 10, .others = 900 << 10}),
        110 << 10);
    ck_assert_uint_eq(
        armcii_memory_left(root, &unbounded, 0, &(struct reserved){.bytes = SIZE_MAX, .others = 0}),
        0);
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/memory.max", "10240\n");
    put("/sys/fs/cgroup/memory.current", "2048\n");
    armcii_cgroups_read(root, CGROUP_MEMORY, &groups);
    ck_assert_uint_eq(armcii_memory_left(root, &groups, groups.levels, &(struct reserved){0}),
                      8 << 10);
    put("/proc/meminfo", "nothing\n");
    ck_assert_uint_eq(
        armcii_memory_left(root, &unbounded, 0, &(struct reserved){.bytes = MIB, .others = 0}),
        SIZE_MAX);
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

/* Does any process find that it is oversubscribed? */
static bool oversubscribed(const uint64_t *masks, size_t n, size_t words)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any = any || armcii_processors_oversubscribed(masks, n, words, i);
    return any;
}

TEST(masks)
{
    const struct {
        const char *what;
        size_t n, processors;
        bool oversubscribed;
        uint64_t mask[4];
    } cases[] = {
        {"unbound", 2, 2, false, {3, 3}},
        {"unbound, too many", 3, 2, true, {3, 3, 3}},
        {"each bound to its own processor", 4, 4, false, {1, 2, 4, 8}},
        {"two bound to one, others idle", 3, 2, true, {1, 4, 4}},
        {"two on one of eight, one anywhere", 3, 8, true, {1, 1, 0xff}},
        {"sockets", 4, 8, false, {0x0f, 0x0f, 0xf0, 0xf0}},
        {"three on half of the processors", 4, 4, true, {3, 3, 3, 0xc}},
        {"one bound beside unbound ones", 3, 3, false, {1, 7, 7}},
        {"all on one", 2, 1, true, {1, 1}},
        {"alone", 1, 1, false, {1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_msg(armcii_processors_of_all(cases[i].mask, cases[i].n, 1) == cases[i].processors,
                      "%s: number", cases[i].what);
        ck_assert_msg(oversubscribed(cases[i].mask, cases[i].n, 1) == cases[i].oversubscribed,
                      "%s: oversubscribed", cases[i].what);
    }
    uint64_t large[2][40] = {{0}}; /* processors beyond the 1024 of a cpu_set_t */
    large[0][39] = 1;
    large[1][39] = 2;
    ck_assert(!oversubscribed(large[0], 2, 40));
    large[1][39] = 1;
    ck_assert(oversubscribed(large[0], 2, 40));
}

TEST(own_mask)
{
    size_t words;
    cpu_set_t before, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof before, &before), 0);
    uint64_t *mask = armcii_processors_mask(&words);
    ck_assert_uint_eq(armcii_processors_count(mask, words), (size_t)CPU_COUNT(&before));
    size_t last = 0;
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &before)) last = i;
    free(mask);
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    mask = armcii_processors_mask(&words);
    ck_assert(words == last / 64 + 1 && mask[last / 64] == (uint64_t)1 << last % 64);
    free(mask);
    sched_setaffinity(0, sizeof before, &before);
}

/* Three processes in a group with a quota of 2, one of them in a nested group. */
TEST(quotas_of_several)
{
    uint64_t ids[3][CGROUP_LEVELS] = {{0}};
    const uint64_t(*const all)[CGROUP_LEVELS] = (const uint64_t(*)[CGROUP_LEVELS])ids;
    put("/sys/fs/cgroup/job/cpu.max", "200000 100000\n");
    put("/sys/fs/cgroup/job/task/cpu.max", "100000 100000\n");
    put("/proc/self/cgroup", "0::/job\n");
    armcii_cgroups_read(root, CGROUP_CPU, &groups);
    for (int i = 0; i < 3; i++)
        memcpy(ids[i], groups.id, sizeof ids[i]);
    ck_assert(armcii_processors_over_quota(&groups, all, 3));
    ck_assert_uint_eq(armcii_processors_quota(&groups, all, 3), 2);
    ck_assert(!armcii_processors_over_quota(&groups, all, 2));
    put("/proc/self/cgroup", "0::/job/task\n");
    armcii_cgroups_read(root, CGROUP_CPU, &groups);
    memcpy(ids[1], groups.id, sizeof ids[1]);
    ck_assert(!armcii_processors_over_quota(&groups, all, 2));
    ck_assert_msg(armcii_processors_quota(&groups, all, 2) == 2,
                  "the quota of a nested group does not apply to all");
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

const struct unit unit = {.begin = begin, .end = end};
