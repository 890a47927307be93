/* test_memory.c - global memory: allocation and free in every form, lookup of addresses, local
 * access, Memget. */
#include "harness.h"

enum { ALIGNMENT = 64 };

/* Bytes that depend on who and which. */
static void pattern(unsigned char *buffer, size_t n, int writer, int which)
{
    fill_bytes(buffer, n, 13 * which + 31 * writer);
}

static void put_pattern(void *dst, size_t n, int p, int which)
{
    unsigned char *buffer = need_memory(n);
    pattern(buffer, n, p, which);
    if (n > 0) check_long(ARMCI_Put(buffer, dst, (int)n, p), 0, "ARMCI_Put");
    free(buffer);
}

/* The n bytes at src in p are the pattern of p and `which`. */
static void check_pattern(void *src, size_t n, int p, int which, const char *what)
{
    unsigned char *seen = need_memory(n), *expected = need_memory(n);
    memset(seen, 0xee, n);
    pattern(expected, n, p, which);
    if (n > 0) check_long(ARMCI_Get(src, seen, (int)n, p), 0, "ARMCI_Get");
    check_bytes(seen, expected, n, "%s: %zu bytes in %d", what, n, p);
    seen[0] = 0xee;
    if (n > 0) check_long(ARMCI_Get((char *)src + n - 1, seen, 1, p), 0, "ARMCI_Get");
    check_bytes(seen, expected + (n > 0 ? n - 1 : 0), n > 0, "%s: last of %zu bytes in %d", what, n,
                p);
    free(seen);
    free(expected);
}

/* The table of base addresses of a region with sizes[p] bytes in rank p: as promised, and the same
 * everywhere. */
static void check_bases(void **base, const size_t *sizes, const char *what)
{
    int n = test_ranks();
    void *first[MOST_RANKS];
    memcpy(first, base, (size_t)n * sizeof *first);
    MPI_Bcast(first, n * (int)sizeof *first, MPI_BYTE, 0, test_comm());
    for (int p = 0; p < n; p++) {
        check(base[p] == first[p], "%s: base %d is %p here, %p in the first process", what, p,
              base[p], first[p]);
        check((base[p] == NULL) == (sizes[p] == 0), "%s: base %d is %p for %zu bytes", what, p,
              base[p], sizes[p]);
        check((uintptr_t)base[p] % ALIGNMENT == 0, "%s: base %d is %p", what, p, base[p]);
    }
}

/* Every slice written by the neighbour of its owner and read by everybody. */
static void use_slices(void **base, const size_t *sizes, int which, const char *what)
{
    int n = test_ranks(), right = (test_rank() + 1) % n;
    put_pattern(base[right], sizes[right], right, which);
    ARMCI_Barrier();
    for (int p = 0; p < n; p++)
        check_pattern(base[p], sizes[p], p, which, what);
    ARMCI_Barrier();
}

enum { MOST_ALIVE = 200 };
static size_t slice_bytes[MOST_ALIVE][MOST_RANKS];

/* Regions with these slices, all alive at once. */
static void use_regions(int regions)
{
    static void *base[MOST_ALIVE][MOST_RANKS];
    int me = test_rank();
    for (int i = 0; i < regions; i++) {
        memset(base[i], 0x77, sizeof base[i]);
        check_long(ARMCI_Malloc(base[i], (armci_size_t)slice_bytes[i][me]), 0, "ARMCI_Malloc(%zu)",
                   slice_bytes[i][me]);
        check_bases(base[i], slice_bytes[i], "ARMCI_Malloc");
    }
    for (int i = 0; i < regions; i++)
        use_slices(base[i], slice_bytes[i], i, "ARMCI_Malloc");
    for (int i = 0; i < regions; i++)
        for (int p = 0; p < test_ranks(); p++)
            if (slice_bytes[i][p] > 0) {
                check_long(ARMCI_Free(base[i][me]), 0, "ARMCI_Free(%p)", base[i][me]);
                break;
            }
}

static void sizes_of_every_kind(void)
{
    static const size_t list[] = {8, 0, 1, 40, 64, 3, 4096, 65544, 0, 1048584, 24, 100001};
    enum { KINDS = sizeof list / sizeof *list };
    for (int k = 0; k < KINDS; k++)
        for (int p = 0; p < test_ranks(); p++)
            slice_bytes[k][p] = list[(k + p) % KINDS];
    use_regions(KINDS);
}

/* Regions of `first` and each `step` bytes more, `more` on each further rank. */
static void sizes_from(size_t first, size_t last, size_t step, size_t more)
{
    int n = 0;
    for (size_t s = first; s <= last && n < MOST_ALIVE; s += step, n++)
        for (int p = 0; p < test_ranks(); p++)
            slice_bytes[n][p] = s + more * (size_t)p;
    use_regions(n);
}

/* Those from 40 bytes on were known to break windows. */
static void sizes_in_sequence(void)
{
    size_t step = 3 * (size_t)(67 / effort(67));
    sizes_from(1, 200, step, test_ranks() <= 2 ? 0 : 5);
    if (test_ranks() <= 2) {
        sizes_from(2, 200, step, 7);
        sizes_from(3, 200, step, 13);
    }
    sizes_from(40, 40, 1, 0);
    sizes_from(1048584, 1048584, 1, 0);
    sizes_from(8193, 8193, 1, 1);
    sizes_from(4095, 4097, 1, 0);
}

/* Only the ranks of a mask, which repeats after 8 ranks, have memory. */
static void empty_slices(void)
{
    int n = test_ranks(), regions = 0;
    unsigned all = (1u << (n < 8 ? n : 8)) - 1;
    for (unsigned mask = 1; mask <= all; mask += n > 8 ? 37 : n > 3 ? 3 : 1, regions++)
        for (int p = 0; p < n; p++)
            slice_bytes[regions][p] = mask & (1u << p % 8) ? 24u + 8u * (unsigned)p : 0;
    use_regions(regions);
}

/* Free, then allocate at once: the address may come back with another size or owner. What the
 * library remembered of the last lookup must be forgotten. */
static void address_comes_back(void)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n;
    void **keep = region_create(64);
    put_pattern(keep[right], 64, right, 1000);
    for (int i = 0; i < effort(40); i++) {
        size_t size = (size_t)(100 + 64 * (i / 3 % 5));
        void **base = region_create(size);
        put_pattern(base[right], size, right, i);
        check_pattern(base[right], size, right, i, "region at an address used before");
        check_pattern((char *)keep[right], 64, right, 1000, "region that stays");
        put_pattern((char *)base[right] + size - 8, 8, right, i + 1);
        check_pattern((char *)base[right] + size - 8, 8, right, i + 1, "last bytes");
        region_done(base);
    }
    region_free(keep);
}

static void named_devices(void)
{
    static const char *const names[] = {"", NULL, "node", "fast"};
    int me = test_rank(), n = test_ranks();
    size_t sizes[MOST_RANKS];
    void *base[MOST_RANKS];
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    for (int p = 0; p < n; p++)
        sizes[p] = (size_t)(48 + 16 * p);
    for (int i = 0; i < 4; i++) {
        check_long(ARMCI_Malloc_memdev(base, (armci_size_t)sizes[me], names[i]), 0,
                   "ARMCI_Malloc_memdev");
        check_bases(base, sizes, "ARMCI_Malloc_memdev");
        use_slices(base, sizes, i, "ARMCI_Malloc_memdev");
        check_long(ARMCI_Free_memdev(base[me]), 0, "ARMCI_Free_memdev");
        check_long(ARMCI_Malloc_group_memdev(base, (armci_size_t)sizes[me], &world, names[i]), 0,
                   "ARMCI_Malloc_group_memdev");
        check_bases(base, sizes, "ARMCI_Malloc_group_memdev");
        use_slices(base, sizes, i + 10, "ARMCI_Malloc_group_memdev");
        check_long(ARMCI_Free_group(base[me], &world), 0, "ARMCI_Free_group");
    }
}

static void local_memory(void)
{
    int right = (test_rank() + 1) % test_ranks();
    void **base = region_create(5000);
    unsigned char *buffer[3];
    check(ARMCI_Malloc_local(0) == NULL, "ARMCI_Malloc_local(0) is not NULL");
    for (int i = 0; i < 3; i++) {
        buffer[i] = ARMCI_Malloc_local(5000);
        check(buffer[i] != NULL && (uintptr_t)buffer[i] % 16 == 0, "ARMCI_Malloc_local(5000) = %p",
              (void *)buffer[i]);
    }
    pattern(buffer[0], 5000, right, 3);
    ARMCI_Put(buffer[0], base[right], 5000, right);
    ARMCI_Get(base[right], buffer[1], 5000, right);
    ARMCI_Copy(buffer[1], buffer[2], 5000);
    check_bytes(buffer[2], buffer[0], 5000, "put, get and copy through local memory");
    for (int i = 0; i < 3; i++)
        check_long(ARMCI_Free_local(buffer[i]), 0, "ARMCI_Free_local");
    region_done(base);
}

static void local_access(void)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n, left = (me + n - 1) % n;
    void **base = region_create(2 * sizeof(long));
    long *mine = base[me];
    for (long i = 1; i <= effort(50); i++) {
        long value = 100 * i + me, seen[2] = {0, 0};
        ARMCI_Put(&value, base[right], sizeof value, right);
        ARMCI_Fence(right);
        armci_msg_barrier();
        ARMCI_Access_begin(mine + 1);
        check_long(mine[0], 100 * i + left, "own load, round %ld", i);
        mine[1] = 1000 * i + me;
        ARMCI_Access_end(mine + 1);
        armci_msg_barrier();
        ARMCI_Get(base[right], seen, sizeof seen, right);
        check_long(seen[0], value, "get of the put, round %ld", i);
        check_long(seen[1], 1000 * i + right, "get of a store, round %ld", i);
        armci_msg_barrier();
    }
    region_free(base);
}

/* Each mode is taken and given back, and what it allows stays right. */
static void access_modes(void)
{
    static const int modes[] = {ARMCIX_MODE_ALL,
                                ARMCIX_MODE_CONFLICT_FREE,
                                ARMCIX_MODE_CONFLICT_FREE | ARMCIX_MODE_NO_LOAD_STORE,
                                ARMCIX_MODE_READ_ONLY,
                                ARMCIX_MODE_ACC_ONLY,
                                ARMCIX_MODE_ALL};
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n;
    long cells[8], one = 1, sum = 0, seen[8];
    ARMCI_Group world;
    void **base = region_create(sizeof cells);
    ARMCI_Group_get_world(&world);
    check_long(ARMCIX_Mode_get(base[me]), ARMCIX_MODE_ALL, "mode of a new region");
    memset(cells, 0, sizeof cells);
    ARMCI_Put(cells, base[right], sizeof cells, right);
    for (int i = 0; i < 6; i++) {
        check_long(ARMCIX_Mode_set(modes[i], base[me], &world), 0, "ARMCIX_Mode_set(%d)", modes[i]);
        check_long(ARMCIX_Mode_get((char *)base[me] + 5), modes[i], "ARMCIX_Mode_get");
        for (int c = 0; c < 8; c++)
            cells[c] = 10 * i + c;
        if (modes[i] == ARMCIX_MODE_ACC_ONLY) {
            for (int p = 0; p < n; p++)
                ARMCI_Acc(ARMCI_ACC_LNG, &one, cells, base[p], sizeof cells, p);
            sum = n * cells[7] + sum;
            continue;
        }
        if (modes[i] != ARMCIX_MODE_READ_ONLY) {
            ARMCI_Put(cells, base[right], sizeof cells, right);
            sum = cells[7];
        }
        ARMCI_Barrier();
        ARMCI_Get(base[right], seen, sizeof seen, right);
        check_long(seen[7], sum, "get in mode %d", modes[i]);
        ARMCI_Barrier();
    }
    region_free(base);
}

static void accs_before_a_mode_change_count(void)
{
    int me = test_rank(), n = test_ranks();
    long one = 1, seen = -1;
    ARMCI_Group world;
    void **base = region_zeroed(sizeof one);
    ARMCI_Group_get_world(&world);
    check_long(ARMCIX_Mode_set(ARMCIX_MODE_ACC_ONLY, base[me], &world), 0, "ARMCIX_Mode_set");
    for (int p = 0; p < n; p++)
        ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, base[p], sizeof one, p);
    check_long(ARMCIX_Mode_set(ARMCIX_MODE_READ_ONLY, base[me], &world), 0, "ARMCIX_Mode_set");
    for (int p = 0; p < n; p++) {
        ARMCI_Get(base[p], &seen, sizeof seen, p);
        check_long(seen, n, "sum in %d", p);
    }
    region_free(base);
}

static const struct test tests[] = {
    {"slices of every size, zero included", sizes_of_every_kind},
    {"slices of every size from 1 byte, and known to break windows", sizes_in_sequence},
    {"a slice of 0 bytes is NULL and harms no other", empty_slices},
    {"an address that comes back belongs to the new region", address_comes_back},
    {"allocation with the name of a device", named_devices},
    {"local memory", local_memory},
    {"own loads and stores between Access_begin and Access_end", local_access},
    {"access modes", access_modes},
    {"a change of mode completes earlier operations", accs_before_a_mode_change_count},
};
SUITE();
