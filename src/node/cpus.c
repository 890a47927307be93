/* cpus.c - the processors and the memory that the processes of a node may use. */
#define _GNU_SOURCE
#include "node/cpus.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpi/coll.h"

static struct {
    bool own_group;          /* all processes of the node are in one control group */
    atomic_size_t *reserved; /* bytes, in the control block of the node; NULL: not counted */
} cpus = {.own_group = true};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* a - b, at least 0. */
static size_t minus(size_t a, size_t b)
{
    return a > b ? a - b : 0;
}

/* ---- control groups ---- */

enum { PATH_ROOM = 4096, FILE_ROOM = PATH_ROOM + 32 };

enum resource { MEMORY, CPU };

/* The name of a resource where its groups are a hierarchy of their own (version 1), and where those
 * are mounted. */
static const struct {
    const char *controller, *mount;
} version_1[] = {
    [MEMORY] = {"memory", "/sys/fs/cgroup/memory"}, [CPU] = {"cpu", "/sys/fs/cgroup/cpu"}};

/* True if the comma-separated list, which is overwritten, contains the word. */
static bool lists(char *list, const char *word)
{
    for (const char *item; (item = strsep(&list, ","));)
        if (strcmp(item, word) == 0) return true;
    return false;
}

/* Write the folder of this process's control group; return the length of the part that is the
 * mount, or 0 if there are no groups. A system may have both versions: a controller of version 1 is
 * then not in version 2. A container may not see the folders above its own group, and its group may
 * be mounted at the top. */
static size_t find_group(const char *root, enum resource resource, char folder[PATH_ROOM])
{
    char line[PATH_ROOM];
    size_t mount = 0;
    bool is_final = false;
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *f = fopen(line, "r");
    while (f && !is_final && fgets(line, sizeof line, f)) { /* number:controllers:group */
        char *group = line;
        strsep(&group, ":");
        char *list = strsep(&group, ":");
        bool unified = list && !*list;
        if (!group || (!unified && !lists(list, version_1[resource].controller))) continue;
        group[strcspn(group, "\n")] = '\0';
        mount = (size_t)snprintf(folder, PATH_ROOM, "%s%s", root,
                                 unified ? "/sys/fs/cgroup" : version_1[resource].mount);
        if (mount + strlen(group) >= PATH_ROOM) mount = 0;
        if (mount && group[1]) strcpy(folder + mount, group);
        is_final = !unified;
    }
    if (f) fclose(f);
    return mount;
}

/* The least value of the groups, from that of this process (or, without own_group, the one above)
 * up. */
static size_t least_of_groups(const char *root, enum resource resource, bool own_group,
                              size_t (*value)(const char *folder))
{
    char folder[PATH_ROOM];
    size_t found = SIZE_MAX, mount = find_group(root, resource, folder),
           length = mount ? strlen(folder) : 0;
    if (!mount) return SIZE_MAX;
    bool counts = own_group || length == mount;
    for (;;) {
        if (counts) found = least(found, value(folder));
        if (length == mount) return found;
        while (folder[--length] != '/')
            ;
        folder[length] = '\0';
        counts = true;
    }
}

static FILE *open_in(const char *folder, const char *file)
{
    char name[FILE_ROOM];
    snprintf(name, sizeof name, "%s/%s", folder, file);
    return fopen(name, "r");
}

/* The number in a file; SIZE_MAX if it has none ("max", "-1"). */
static size_t number_in(const char *folder, const char *file)
{
    long long number = -1;
    FILE *f = open_in(folder, file);
    if (f && fscanf(f, "%lld", &number) != 1) number = -1;
    if (f) fclose(f);
    return number < 0 ? SIZE_MAX : (size_t)number;
}

/* Memory of files and of the kernel, which the kernel reclaims when memory is short; version 1 has
 * it with and without the groups below. */
static size_t reclaimable_of_group(const char *folder, bool unified)
{
    static const char *const keys[][3] = {
        {"total_inactive_file", "total_active_file", "total_active_file"},
        {"inactive_file", "active_file", "slab_reclaimable"}};
    char key[64];
    unsigned long long value;
    size_t sum = 0;
    FILE *f = open_in(folder, "memory.stat");
    while (f && fscanf(f, "%63s %llu", key, &value) == 2)
        if (strcmp(key, keys[unified][0]) == 0 || strcmp(key, keys[unified][1]) == 0 ||
            strcmp(key, keys[unified][2]) == 0)
            sum += value;
    if (f) fclose(f);
    return sum;
}

/* Beyond memory.high the kernel throttles processes until memory is released, but touched shared
 * memory never is. In version 1 no limit is a huge number. */
static size_t memory_of_group(const char *folder)
{
    static const size_t NO_LIMIT = (size_t)1 << 60;
    size_t one = number_in(folder, "memory.limit_in_bytes"),
           limit =
               least(one, least(number_in(folder, "memory.max"), number_in(folder, "memory.high")));
    bool unified = one == SIZE_MAX;
    size_t used = number_in(folder, unified ? "memory.current" : "memory.usage_in_bytes");
    if (limit >= NO_LIMIT) return SIZE_MAX;
    return used == SIZE_MAX ? limit
                            : minus(limit, minus(used, reclaimable_of_group(folder, unified)));
}

static size_t quota_of_group(const char *folder)
{
    size_t quota = number_in(folder, "cpu.cfs_quota_us"),
           period = number_in(folder, "cpu.cfs_period_us");
    FILE *f = open_in(folder, "cpu.max");
    if (f && fscanf(f, "%zu %zu", &quota, &period) != 2) quota = SIZE_MAX;
    if (f) fclose(f);
    if (quota == SIZE_MAX || period == SIZE_MAX || period == 0) return SIZE_MAX;
    return quota < period ? 1 : quota / period;
}

size_t armcii_cpu_quota(const char *root, bool own_group)
{
    return least_of_groups(root, CPU, own_group, quota_of_group);
}

/* ---- memory ---- */

/* Without swapping. */
static size_t memory_of_node(const char *root)
{
    char line[PATH_ROOM];
    size_t kilobytes, available = SIZE_MAX;
    snprintf(line, sizeof line, "%s/proc/meminfo", root);
    FILE *f = fopen(line, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %zu kB", &kilobytes) == 1) available = kilobytes << 10;
    if (f) fclose(f);
    return available;
}

size_t armcii_memory_available(const char *root, bool own_group)
{
    return least(memory_of_node(root), least_of_groups(root, MEMORY, own_group, memory_of_group));
}

/* Bytes used by memory once it is touched: page tables add 1/455 for the file and 1/512 for each
 * process. */
static size_t with_tables(size_t bytes)
{
    size_t tables = bytes / 64;
    return bytes > SIZE_MAX - tables ? SIZE_MAX : bytes + tables;
}

static size_t left_of(size_t reserved, size_t touched)
{
    size_t available = armcii_memory_available("", cpus.own_group);
    if (available == SIZE_MAX) return SIZE_MAX;
    return minus(available, with_tables(minus(reserved, touched)));
}

size_t armcii_memory_left(size_t touched)
{
    return left_of(cpus.reserved ? atomic_load(cpus.reserved) : 0, touched);
}

void armcii_reservation_add(size_t bytes)
{
    if (cpus.reserved) atomic_fetch_add_explicit(cpus.reserved, bytes, memory_order_relaxed);
}

void armcii_reservation_release(size_t bytes)
{
    if (cpus.reserved) atomic_fetch_sub_explicit(cpus.reserved, bytes, memory_order_relaxed);
}

/* Reserves before the check, so that two processes cannot both get the last memory. */
bool armcii_reservation_try(size_t bytes, size_t touched, size_t *left)
{
    size_t before = cpus.reserved ? atomic_fetch_add(cpus.reserved, bytes) : 0;
    *left = left_of(before, touched);
    if (with_tables(bytes) <= *left) return true;
    armcii_reservation_release(bytes);
    return false;
}

/* ---- processors ---- */

size_t armcii_cpus_count(const uint64_t mask[])
{
    size_t n = 0;
    for (int i = 0; i < MASK_WORDS; i++)
        n += (size_t)__builtin_popcountll(mask[i]);
    return n;
}

/* The affinity mask of a process; 0: this one. False, with an empty mask, if it is unknown. */
static bool read_mask(pid_t process, uint64_t mask[MASK_WORDS])
{
    size_t size = MASK_WORDS * sizeof *mask;
    memset(mask, 0, size);
    return sched_getaffinity(process, size, (cpu_set_t *)(void *)mask) == 0;
}

/* The affinity mask of this process, or all online processors if it is unknown. */
static void read_own_mask(uint64_t mask[MASK_WORDS])
{
    if (read_mask(0, mask)) return;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; i < online && i < MASK_WORDS * 64; i++)
        mask[i / 64] |= (uint64_t)1 << i % 64;
}

size_t armcii_cpus_allowed(void)
{
    uint64_t mask[MASK_WORDS];
    read_own_mask(mask);
    return least(armcii_cpus_count(mask), armcii_cpu_quota("", true));
}

/* True if all processes of the node are in one control group. A page is charged to the group of
 * the process that touches it first, so a group of one process bounds no region. */
static bool share_group(MPI_Comm on_node)
{
    char folder[PATH_ROOM] = "";
    uint64_t hash = 0;
    find_group("", MEMORY, folder);
    for (const char *c = folder; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    return armcii_coll_same(hash, on_node);
}

/* Gather the masks of the node's processes. The parent of a process is its launcher, which has
 * the processors of the job; those outside belong to other jobs or containers, and a thread there
 * would compete with them. A launcher that has ended (the parent is 1) or is in another process
 * namespace (0), and an unknown mask, add nothing. */
static void gather_masks(struct node_cpus *c, MPI_Comm on_node)
{
    enum { OWN, LAUNCHER, MASKS };
    uint64_t mine[MASKS][MASK_WORDS], all[MASKS][MASK_WORDS];
    read_own_mask(mine[OWN]);
    read_mask(getppid() > 1 ? getppid() : 0, mine[LAUNCHER]);
    armcii_coll_allreduce(mine, all, MASKS * MASK_WORDS, MPI_UINT64_T, MPI_BOR, on_node);
    for (int i = 0; i < MASK_WORDS; i++) {
        c->taken[i] = all[OWN][i];
        c->of_job[i] = all[OWN][i] | all[LAUNCHER][i];
    }
}

void armcii_cpus_start(struct node_cpus *c, atomic_size_t *reserved, MPI_Comm on_node)
{
    int processes;
    MPI_Comm_size(on_node, &processes);
    cpus.reserved = reserved;
    cpus.own_group = share_group(on_node);
    gather_masks(c, on_node);
    size_t bound = armcii_cpus_count(c->taken), quota = armcii_cpu_quota("", cpus.own_group);
    c->processors = least(bound, quota);
    c->oversubscribed = (size_t)processes > c->processors;
    c->has_free = armcii_cpus_count(c->of_job) > bound && quota > bound;
}

void armcii_cpus_end(void)
{
    cpus.reserved = NULL;
    cpus.own_group = true;
}
